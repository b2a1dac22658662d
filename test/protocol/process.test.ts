import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../src/nvim/protocol';
import { eventually, replayAgent, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };

describe('an agent’s process', () => {
  it('that is missing is named, with the command that installs it; the prompt is kept', async () => {
    const agent: AgentSpec = {
      name: 'ghost',
      command: 'no-such-agent-anywhere',
      args: [],
      install: 'npm install -g ghost',
    };
    const { editor, send } = openChat(agent);
    send('precious words');
    await eventually(() => expect(editor.text).toContain('no program ‘no-such-agent-anywhere’'));
    expect(editor.text).toContain('npm install -g ghost');
    await eventually(() => expect(editor.restored).toEqual(['precious words']));
  });

  it('that is started in a folder which does not exist says so', async () => {
    const { editor } = openChat(scriptedAgent([]), { cwd: '/no/such/folder' });
    await eventually(() => expect(editor.text).toContain('the folder /no/such/folder does not'));
  });

  it('that dies tells its exit code and its last words, and the next prompt starts it again', async () => {
    const agent = scriptedAgent(
      [PROMPT, chunk('half a'), { stderr: 'panic: out of cheese\n' }, { exit: 3 }],
      [PROMPT, chunk('back again'), END],
    );
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('scripted exited with code 3'));
    expect(editor.text).toContain('panic: out of cheese');
    expect(editor.text).toContain('half a');
    expect(editor.status.state).toBe('dead');
    send('once more');
    await eventually(() => expect(editor.text).toContain('back again'));
    expect(editor.text).toContain('does not remember the conversation above');
    expect(agent.pids()).toHaveLength(2);
  });

  it('that was killed tells the signal', async () => {
    const { editor, send } = openChat(scriptedAgent([PROMPT, { kill: 'SIGKILL' }]));
    send('go');
    await eventually(() => expect(editor.text).toContain('was ended by SIGKILL'));
  });

  it('that ends after each turn loses no prompt that was on its way', async () => {
    const agent = scriptedAgent(
      [PROMPT, chunk('one done'), END, { expect: '_go' }],
      [PROMPT, chunk('two done'), END],
    );
    const { editor, send } = openChat(agent);
    send('one');
    await eventually(() => expect(editor.text).toContain('one done'));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    const [pid] = agent.pids();
    process.kill(pid!, 'SIGSTOP');
    send('two');
    await eventually(() => expect(editor.status.state).toBe('working'));
    process.kill(pid!, 'SIGKILL');
    await eventually(() => expect(editor.restored).toEqual(['two']));
    send('two');
    await eventually(() => expect(editor.text).toContain('two done'));
    expect(editor.text.match(/▌ two/g)).toHaveLength(1);
  });

  it('that dies without a word gives the prompt back', async () => {
    const { editor, send } = openChat(scriptedAgent([PROMPT, { exit: 1 }]));
    send('go');
    await eventually(() => expect(editor.restored).toEqual(['go']));
    await eventually(() => expect(editor.text).toContain('exited with code 1'));
    expect(editor.kinds()).toEqual(['notice']);
  });

  it('that dies before it has said anything gives the prompt back', async () => {
    const { editor, send } = openChat(
      scriptedAgent([{ expect: 'initialize' }, { stderr: 'no provider\n' }, { exit: 1 }]),
    );
    send('go');
    await eventually(() => expect(editor.text).toContain('no provider'));
    await eventually(() => expect(editor.restored).toEqual(['go']));
  });

  it('that is started again is asked to resume the session where it can', async () => {
    const resumable: Step[] = [
      { expect: 'initialize' },
      {
        reply: {
          protocolVersion: 1,
          agentCapabilities: { sessionCapabilities: { resume: {} } },
        },
      },
    ];
    const agent = scriptedAgent(
      [
        ...resumable,
        { expect: 'session/new' },
        { reply: { sessionId: 'kept' } },
        PROMPT,
        { exit: 0 },
      ],
      [...resumable, { expect: 'session/resume' }, { reply: {} }, PROMPT, chunk('resumed'), END],
    );
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('on');
    await eventually(() => expect(editor.text).toContain('resumed'));
    expect(agent.received('session/resume')[0]?.params?.sessionId).toBe('kept');
    expect(editor.text).not.toContain('does not remember');
  });

  it('that can only load does not say everything again', async () => {
    const loading: Step[] = [
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
    ];
    const agent = scriptedAgent(
      [
        ...loading,
        { expect: 'session/new' },
        { reply: { sessionId: 'kept' } },
        PROMPT,
        chunk('once upon a time'),
        { exit: 0 },
      ],
      [
        ...loading,
        { expect: 'session/load' },
        chunk('once upon a time'),
        { reply: {} },
        PROMPT,
        chunk('the end'),
        END,
      ],
    );
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('on');
    await eventually(() => expect(editor.text).toContain('the end'));
    expect(editor.text.match(/once upon a time/g)).toHaveLength(1);
  });

  it('inherits the whole environment, with overrides', async () => {
    process.env.ACP_TEST_INHERITED = 'from above';
    const agent: AgentSpec = {
      name: 'env',
      command: process.execPath,
      args: [
        '-e',
        'process.stderr.write(`${process.env.ACP_TEST_INHERITED} ${process.env.OWN}\\n`); process.exit(9)',
      ],
      env: { OWN: 'of its own' },
    };
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.text).toContain('from above of its own'));
    delete process.env.ACP_TEST_INHERITED;
  });

  it('gets its arguments as they are: no shell is in between', async () => {
    const words = ['$HOME', '`id`', 'a  b', '*', '; exit 4', "it's", ''];
    const agent: AgentSpec = {
      name: 'words',
      command: process.execPath,
      args: [
        '-e',
        'process.stderr.write(JSON.stringify(process.argv.slice(1)) + "\\n"); process.exit(9)',
        ...words,
      ],
    };
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.text).toContain(JSON.stringify(words)));
  });

  it('ends with all that it started, even if it ignores the end of its input and SIGTERM', async () => {
    const agent = scriptedAgent([
      { stubborn: true },
      { spawn: ['sleep', '600'] },
      PROMPT,
      chunk('x'),
    ]);
    const { editor, send, sessions } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('x'));
    expect(agent.alive()).toHaveLength(2);
    await sessions.end();
    await eventually(() => expect(agent.alive()).toEqual([]));
  });

  it('that closes its output is ended', async () => {
    const agent: AgentSpec = {
      name: 'mute',
      command: '/bin/sh',
      args: ['-c', 'exec 1>&-; sleep 600'],
    };
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.text).toContain('mute was ended by SIGTERM'), {
      timeout: 8000,
    });
  });

  it('leaves a wire log that plays it again', async () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', kind: 'search' };
    const agent = scriptedAgent([PROMPT, chunk('heard before '), { update: call }, END]);
    const { editor, send, sessions } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await sessions.end();
    const again = openChat(replayAgent(editor.status.log!));
    again.send('go');
    await eventually(() => expect(again.editor.text).toContain('heard before'));
    await eventually(() => expect(again.editor.kinds()).toEqual(editor.kinds()));
  });

  it('has each frame in its wire log, in a file of its own that others cannot read', async () => {
    const { editor, send, stateDir } = openChat(scriptedAgent([PROMPT, chunk('seen'), END]));
    send('go');
    await eventually(() => expect(editor.text).toContain('seen'));
    const [name] = readdirSync(`${stateDir}/wire`);
    const path = `${stateDir}/wire/${name}`;
    expect(editor.status.log).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await eventually(() => {
      const frames = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { dir: string; frame?: { method?: string }; b: number });
      expect(frames.filter(({ dir }) => dir !== 'ev').map(({ frame }) => frame?.method)).toEqual([
        'initialize',
        undefined,
        'session/new',
        undefined,
        'session/prompt',
        'session/update',
        undefined,
      ]);
    });
  });
});
