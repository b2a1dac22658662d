/** What the options of an agent do: how it is started, and what it is told. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../src/nvim/protocol';
import { eventually, scriptedAgent, tempDir, type HarnessAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };

const FORM = {
  mode: 'form',
  message: 'm',
  requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
};

const spec = ({ name, command, args }: HarnessAgent, more: Partial<AgentSpec>): AgentSpec => ({
  name,
  command,
  args,
  ...more,
});

async function hello(agent: HarnessAgent, more: Partial<AgentSpec>) {
  openChat(spec(agent, more));
  return eventually(() => {
    const [initialize] = agent.received('initialize');
    expect(initialize).toBeDefined();
    return initialize!.params!.clientCapabilities as Record<string, never>;
  });
}

describe('what is withheld', () => {
  it('is not advertised: the whole, or a part of it', async () => {
    const all = await hello(scriptedAgent([]), { withhold: ['terminal', 'fs.writeTextFile'] });
    expect(all).not.toHaveProperty('terminal');
    expect(all.fs).toEqual({ readTextFile: true });
    expect(all.session).toBeDefined();
    expect(await hello(scriptedAgent([]), { withhold: ['fs', 'no.such'] })).not.toHaveProperty(
      'fs',
    );
  });

  it('is refused when it is asked for all the same', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { request: { method: 'fs/read_text_file', params: { path: '/x' } } },
      { request: { method: 'terminal/create', params: { command: 'true' } } },
      { request: { method: 'terminal/output', params: { terminalId: 'x' } } },
      { request: { method: 'elicitation/create', params: FORM } },
      chunk('went on'),
    ]);
    const { editor, send } = openChat(spec(agent, { withhold: ['fs', 'terminal', 'elicitation'] }));
    send('go');
    await eventually(() => expect(editor.text).toContain('went on'));
    const codes = agent.received().flatMap(({ error }) => error?.code ?? []);
    expect(codes).toEqual([-32601, -32601, -32601, -32601]);
  });
});

describe('vendors’ keys', () => {
  it('go into our capabilities, over ours; null takes one away', async () => {
    const ours = await hello(scriptedAgent([]), {});
    expect(ours._meta).toHaveProperty('terminal_output');
    const theirs = await hello(scriptedAgent([]), {
      meta: { client: { terminal_output: null, vendor: { deep: 1 } } },
    });
    expect(theirs._meta).not.toHaveProperty('terminal_output');
    expect(theirs._meta).toHaveProperty('vendor', { deep: 1 });
  });

  it('go along with each session that is opened, new or again', async () => {
    const can: Step[] = [
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } } },
    ];
    const agent = scriptedAgent(
      [...can, PROMPT, { exit: 0 }],
      [...can, { expect: 'session/resume' }, { reply: {} }, PROMPT, chunk('resumed'), END],
    );
    const meta = { claudeCode: { options: { model: 'x', strict: false } } };
    const { editor, send } = openChat(spec(agent, { meta: { session: meta } }));
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('on');
    await eventually(() => expect(editor.text).toContain('resumed'));
    expect(agent.received('session/new')[0]?.params?._meta).toEqual(meta);
    expect(agent.received('session/resume')[0]?.params?._meta).toEqual(meta);
  });
});

describe('functions in its options', () => {
  const twice = () =>
    scriptedAgent(
      [PROMPT, { exit: 0 }],
      [PROMPT, { sh: 'echo "$TOKEN" > token.txt' }, chunk('here again'), END],
    );

  it('are called again when the agent is started anew, and not before', async () => {
    const agent = twice();
    const { editor, send, cwd } = openChat(spec(agent, { live: true, env: { TOKEN: 'old' } }));
    editor.onSpec = () => ({ agent: spec(agent, { live: true, env: { TOKEN: 'new' } }) });
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    expect(editor.sent('agent.spec')).toEqual([]);
    send('on');
    await eventually(() => expect(editor.text).toContain('here again'));
    expect(editor.sent('agent.spec')).toEqual([{ name: agent.name, cwd }]);
    expect(readFileSync(join(cwd, 'token.txt'), 'utf8')).toBe('new\n');
  });

  it('that fail then keep the prompt, and say why', async () => {
    const agent = twice();
    const { editor, send } = openChat(spec(agent, { live: true }));
    editor.onSpec = () => ({ error: 'agents.mine.env: its function failed: no key' });
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('on');
    await eventually(() => expect(editor.restored).toContain('on'));
    await eventually(() => expect(editor.text).toContain('its function failed: no key'));
    editor.onSpec = () => ({ agent: spec(agent, { live: true }) });
    send('on');
    await eventually(() => expect(editor.text).toContain('here again'));
  });
});

describe('its process', () => {
  it('runs in its own folder; the session stays in that of the user', async () => {
    const own = tempDir();
    const agent = scriptedAgent([PROMPT, { sh: 'pwd > where.txt' }, chunk('there'), END]);
    const { editor, send, cwd } = openChat(spec(agent, { cwd: own }));
    send('go');
    await eventually(() => expect(editor.text).toContain('there'));
    expect(agent.received('session/new')[0]?.params?.cwd).toBe(cwd);
    // The step runs where the process does.
    expect(() => writeFileSync(join(own, 'where.txt'), '', { flag: 'wx' })).toThrow('EEXIST');
  });

  it('is another one for sessions that start it otherwise, and shared by those that don’t', async () => {
    const agent = scriptedAgent([]);
    const { sessions, tell } = openChat(spec(agent, { env: { IN: 'one' } }));
    await eventually(() => expect(agent.pids()).toHaveLength(1));
    const open = (session: string, more: Partial<AgentSpec>) =>
      tell('session.open', { session, agent: spec(agent, more), cwd: tempDir(), columns: 80 });
    open('s2', { env: { IN: 'one' } });
    await eventually(() => expect(agent.received('session/new')).toHaveLength(2));
    expect(agent.pids()).toHaveLength(1);
    open('s3', { env: { IN: 'two' } });
    await eventually(() => expect(agent.pids()).toHaveLength(2));
    await sessions.end();
  });

  it('is started anew as it is configured then', async () => {
    const agent = scriptedAgent([PROMPT, chunk('first'), END], [PROMPT, chunk('second'), END]);
    const { editor, send, tell } = openChat(spec(agent, { withhold: ['fs'] }));
    send('go');
    await eventually(() => expect(editor.text).toContain('first'));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    tell('session.restart', { agent: spec(agent, { withhold: ['terminal'] }) });
    await eventually(() => expect(agent.received('initialize')).toHaveLength(2));
    const [before, now] = agent
      .received('initialize')
      .map(({ params }) => Object.keys(params?.clientCapabilities as object));
    expect(before).not.toContain('fs');
    expect(now).toContain('fs');
    expect(now).not.toContain('terminal');
    send('on');
    await eventually(() => expect(editor.text).toContain('second'));
  });

  it('is reached through what leads to it', async () => {
    const agent = scriptedAgent([PROMPT, chunk('reached'), END]);
    const wrap = ['sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', '{cwd}'];
    const { editor, send } = openChat(spec(agent, { wrap }));
    send('go');
    await eventually(() => expect(editor.text).toContain('reached'));
  });

  it('is reached through a shell that reads its words once more', async () => {
    const agent = scriptedAgent([PROMPT, chunk('reached'), END]);
    // As ssh does: all words become one line for a shell.
    const wrap = ['sh', '-c', 'exec sh -c "$*"', 'sh', 'cd {cwd} && exec'];
    const cwd = join(tempDir(), "it's $HOME; exit 9");
    mkdirSync(cwd);
    const { editor, send } = openChat(spec(agent, { wrap, wrapShell: true }), { cwd });
    send('go');
    await eventually(() => expect(editor.text).toContain('reached'));
  });
});

describe('what can’t be started is told with the option to change', () => {
  const fails = async (more: Partial<AgentSpec>, ...words: string[]) => {
    const { editor } = openChat({ name: 'odd', command: process.execPath, args: [], ...more });
    await eventually(() => {
      for (const word of words) expect(editor.text.replace(/\s+/g, ' ')).toContain(word);
    });
  };
  /** A file in a folder of its own. */
  const script = (text: string, mode: number): string => {
    const path = join(tempDir(), 'agent');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it('a command that is a folder', async () => {
    const command = tempDir();
    await fails({ command }, `${command} is a folder`, 'agents.odd.command');
  });

  it('one that is not executable', async () => {
    const command = script('#!/bin/sh\n', 0o644);
    await fails({ command }, 'agent may not be run', 'chmod +x', 'agents.odd.command');
  });

  it('one below a file', async () => {
    const command = `${script('', 0o755)}/x`;
    await fails({ command }, 'A part of that path is a file', 'agents.odd.command');
  });

  it('a script whose interpreter is missing', async () => {
    const command = script('#!/no/such/shell -e\n', 0o755);
    await fails({ command }, 'is a script for /no/such/shell, which does not exist');
  });

  it('a script without a first line that says what runs it is run by a shell, and ends as it says', async () => {
    await fails({ command: script('echo no agent >&2; exit 3\n', 0o755) }, 'exited with code 3');
  });

  it('a folder to run in that is missing', async () => {
    await fails({ cwd: '/no/such' }, 'the folder /no/such does not exist', 'agents.odd.cwd');
  });

  it('a folder for which an agent that lives elsewhere has no name', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { error: { code: -32603, message: 'no such directory' } },
    ]);
    const paths = [{ here: '/home/me/p', there: '/work' }];
    const { editor, cwd } = openChat(spec(agent, { paths }));
    await eventually(() => expect(editor.text).toContain('no such directory'));
    expect(editor.text.replace(/\s+/g, ' ')).toContain(`It was told of ${cwd} by that name`);
    expect(editor.text).toContain('agents.scripted.paths');
  });

  it('what leads to it, and is missing', async () => {
    await fails(
      { wrap: ['no-such-docker', 'exec'], install: 'npm i agent' },
      'no program ‘no-such-docker’ on PATH',
      'agents.odd.wrap',
    );
  });

  it('an agent that is missing there', async () => {
    await fails(
      { command: 'no-such-agent', wrap: ['sh', '-c', 'exec "$@"', 'sh'] },
      'exited with code 127',
      '‘no-such-agent’ was not found where sh leads',
      'agents.odd.command',
    );
  });
});
