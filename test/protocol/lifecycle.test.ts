import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../src/nvim/protocol';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };

/** What Lua would send to open another session on `agent`. */
function another({ name, command, args }: ScriptedAgent, cwd: string) {
  const agent: AgentSpec = { name, command, args };
  return { session: 's2', agent, cwd, columns: 80 };
}

describe('an agent that gives no session', () => {
  it('because it refuses initialize is started anew for the next prompt', async () => {
    const agent = scriptedAgent(
      [{ expect: 'initialize' }, { error: { code: 1001, message: 'no home' } }],
      [PROMPT, chunk('at home now'), END],
    );
    const { editor, send } = openChat(agent);
    await eventually(() => expect(editor.text).toContain('could not open a session: no home'));
    await eventually(() => expect(agent.alive()).toEqual([]));
    send('again');
    await eventually(() => expect(editor.text).toContain('at home now'));
  });

  it('because it speaks a later version of the protocol is told so', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 2, info: { name: 'x' }, capabilities: {} } },
    ]);
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.text).toContain('it speaks version 2 of ACP'));
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect(agent.received('session/new')).toEqual([]);
  });

  it.each([{}, { sessionId: '' }, { sessionId: 7 }])(
    'because its answer names none: %j',
    async (reply) => {
      const { editor } = openChat(scriptedAgent([{ expect: 'session/new' }, { reply }]));
      await eventually(() => expect(editor.text).toContain('the answer to session/new names no'));
    },
  );

  it('goes on for the session that lives on it already', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'one' } },
      { expect: 'session/new' },
      { reply: null },
      PROMPT,
      chunk('undisturbed'),
      END,
    ]);
    const { editor, send, tell, cwd } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    tell('session.open', another(agent, cwd));
    await eventually(() => expect(editor.text).toContain('names no session'));
    send('go');
    await eventually(() => expect(editor.text).toContain('undisturbed'));
    expect(agent.pids()).toHaveLength(1);
  });

  it('because it cannot be started in what is no folder says so, and keeps the prompt', async () => {
    const { editor, send } = openChat(scriptedAgent([]), { cwd: process.execPath });
    send('precious words');
    await eventually(() => expect(editor.text).toContain(`${process.execPath} is no folder`));
    await eventually(() => expect(editor.restored).toEqual(['precious words']));
  });

  it('because it never answers gives the prompt back on cancel, and its process on restart', async () => {
    const agent = scriptedAgent(
      [{ expect: 'session/new' }, { expect: 'never' }],
      [PROMPT, chunk('awake'), END],
    );
    const { editor, send, cancel, tell } = openChat(agent);
    send('hello?');
    await eventually(() => expect(agent.received('session/new')).toHaveLength(1));
    expect(editor.status.state).toBe('starting');
    expect(editor.status.since).toBeTypeOf('number');
    cancel();
    await eventually(() => expect(editor.restored).toEqual(['hello?']));
    tell('session.restart');
    send('hello again');
    await eventually(() => expect(editor.text).toContain('awake'));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.status.since).toBeUndefined();
  });
});

describe('a restart', () => {
  it('keeps the prompts that come meanwhile, and tells of no death', async () => {
    const agent = scriptedAgent([PROMPT, chunk('one'), END], [PROMPT, chunk('two'), END]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    tell('session.restart');
    tell('session.restart');
    send('on');
    await eventually(() => expect(editor.text).toContain('two'));
    expect(editor.text).not.toContain('exited');
    expect(agent.pids()).toHaveLength(2);
    expect(agent.alive()).toHaveLength(1);
  });

  it('in a turn ends the turn, its questions and its calls', async () => {
    const toolCall = { toolCallId: 't', title: 'x', kind: 'edit' };
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
    const agent = scriptedAgent(
      [
        PROMPT,
        { update: { sessionUpdate: 'tool_call', ...toolCall, status: 'in_progress' } },
        { request: { method: 'session/request_permission', params: { toolCall, options } } },
      ],
      [PROMPT, chunk('anew'), END],
    );
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    tell('session.restart');
    await eventually(() => expect(editor.text).toContain('── cancelled'));
    expect(editor.status.questions).toEqual([]);
    expect(editor.text).toContain('⊘ Edit');
    send('on');
    await eventually(() => expect(editor.text).toContain('anew'));
  });
});

describe('a session that is closed', () => {
  it('while its agent starts takes the agent along, and sends nothing more', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { delay: 300 },
      { reply: { protocolVersion: 1 } },
    ]);
    const { send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(agent.received('initialize')).toHaveLength(1));
    tell('session.close');
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect(agent.received('session/new')).toEqual([]);
  });

  it('by an agent that never answers session/close is closed all the same', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      {
        reply: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } },
      },
      PROMPT,
      { expect: 'session/close' },
      { expect: 'never' },
    ]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('working'));
    tell('session.close');
    await eventually(() => expect(agent.received('session/cancel')).toHaveLength(1));
    await eventually(() => expect(agent.alive()).toEqual([]));
  });

  it('leaves its agent to the other session that still starts on it', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { delay: 300 },
      { reply: { protocolVersion: 1 } },
      PROMPT,
      chunk('for the other'),
      END,
    ]);
    const { editor, tell, cwd, sessions } = openChat(agent);
    tell('session.open', another(agent, cwd));
    await eventually(() => expect(agent.received('initialize')).toHaveLength(1));
    tell('session.close');
    sessions.handle('prompt.send', { session: 's2', text: 'go' });
    await eventually(() => expect(editor.text).toContain('for the other'));
  });

  it('is not taken for another one by what its agent still asks', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'one' } },
      { expect: 'session/new' },
      { reply: { sessionId: 'two' } },
      { expect: 'session/prompt' },
      { expect: 'session/cancel' },
      {
        request: {
          method: 'fs/read_text_file',
          params: { sessionId: 'one', path: '/etc/hostname' },
        },
      },
      { expect: 'never' },
    ]);
    const { editor, send, tell, cwd } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    tell('session.open', another(agent, cwd));
    await eventually(() => expect(agent.received('session/new')).toHaveLength(2));
    send('go');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    tell('session.close');
    await eventually(() => {
      const answer = agent.received().find(({ id }) => id === 'scripted-1');
      expect(answer?.error?.message).toContain('no session one is open here');
    });
  });
});

describe('when an agent has died', () => {
  it('the next one can run commands', async () => {
    const agent = scriptedAgent(
      [PROMPT, { exit: 3 }],
      [
        PROMPT,
        { request: { method: 'terminal/create', params: { command: 'true' } } },
        chunk('ran'),
        END,
      ],
    );
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('on');
    await eventually(() => expect(editor.text).toContain('ran'));
    const answer = agent.received().find(({ id }) => id === 'scripted-1');
    expect(answer).toHaveProperty('result.terminalId');
  });

  it('no call of its goes on, whenever it began', async () => {
    const agent = scriptedAgent([
      PROMPT,
      END,
      { delay: 200 },
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          kind: 'edit',
          title: 'x',
          status: 'in_progress',
        },
      },
      { expect: '_go' },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn', 'tool']));
    expect(editor.text).toContain('⠋ Edit');
    process.kill(agent.pids()[0]!, 'SIGKILL');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    expect(editor.text).not.toContain('⠋');
  });
});
