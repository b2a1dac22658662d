import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const OPTIONS = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];

const told = (fields: object, sessionId = 'child'): Step => ({
  update: { sessionUpdate: 'subagent_update', sessionId, ...fields },
});
const says = (text: string, session = 'child'): Step => ({ ...chunk(text), session });
const asks = (sessionId: string, toolCallId: string, as = 'ask'): Step => ({
  request: {
    method: 'session/request_permission',
    params: { sessionId, toolCall: { toolCallId, title: 'rm x' }, options: OPTIONS },
  },
  as,
});
const answers = (agent: ScriptedAgent) =>
  agent.received().flatMap(({ method, result }) => (method === undefined ? [result] : []));

describe('a session that an agent starts for a subagent', () => {
  it('is shown in the session that told of it, with what it says', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' } }),
      says('hidden at first'),
      told({ state: { state: 'idle', stopReason: 'end_turn' } }),
      chunk('All done.'),
      END,
    ]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(editor.text).toContain('✓ Agent  Helper');
    expect(editor.text).not.toContain('hidden');
    tell('block.fold', { block: editor.idOf('subagent') });
    await eventually(() => expect(editor.text).toContain('│ hidden at first'));
    expect(editor.kinds()).toEqual(['user', 'subagent', 'message', 'message', 'turn']);
    expect(editor.faults).toEqual([]);
  });

  it('may speak before it was told of', async () => {
    const agent = scriptedAgent([PROMPT, says('eager'), told({ title: 'Helper' }), END]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    tell('block.fold', { block: editor.idOf('subagent') });
    await eventually(() => expect(editor.text).toContain('│ eager'));
  });

  it('has settings and a title of its own', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper' }),
      { update: { sessionUpdate: 'session_info_update', title: 'Renamed' }, session: 'child' },
      { update: { sessionUpdate: 'usage_update', used: 5, size: 10 }, session: 'child' },
      { update: { sessionUpdate: 'current_mode_update', currentModeId: 'x' }, session: 'child' },
      { update: { sessionUpdate: 'usage_update', used: 1, size: 10 } },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('Agent  Renamed'));
    expect(editor.status.usage).toMatchObject({ used: 1 });
    expect(editor.status.title).toBeFalsy();
    expect(editor.status.mode).toBeFalsy();
  });

  it('asks like any other, is seen and named, and gets its answer', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' } }),
      { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'rm x' }, session: 'child' },
      asks('child', 't'),
      { answer: 'ask' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    expect(editor.opened[0]!.detail).toContain('for the subagent Helper');
    expect(editor.text).toContain('│ ? Tool  rm x');
    answer(editor.opened[0]!.id, 'yes');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(answers(agent)).toContainEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  });

  it('asks for what is to be filled in, under its own line', async () => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const params = { sessionId: 'child', mode: 'form', message: 'Who?', requestedSchema };
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' } }),
      { request: { method: 'elicitation/create', params }, as: 'form' },
      { answer: 'form' },
      END,
    ]);
    const { editor, send, answer, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    expect(editor.opened[0]!.detail).toContain('for the subagent Helper');
    answer(editor.opened[0]!.id, 'decline');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'subagent', 'turn']));
    expect(answers(agent)).toContainEqual({ action: 'decline' });
    tell('block.fold', { block: editor.idOf('subagent') });
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'subagent', 'tool', 'turn']));
  });

  it('writes files and runs commands through the session that told of it', async () => {
    const params = { sessionId: 'child', command: 'echo', args: ['from the child'] };
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper' }),
      { request: { method: 'terminal/create', params }, as: 'made' },
      { answer: 'made' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(answers(agent)).toContainEqual({ terminalId: expect.any(String) as string });
  });

  it('is cancelled by itself where its agent offers that, and what it asked is answered', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' }, capabilities: { cancel: {} } }),
      asks('child', 't'),
      { expect: 'session/cancel', as: 'cancel' },
      { answer: 'ask' },
      told({ state: { state: 'idle', stopReason: 'cancelled' }, capabilities: { cancel: null } }),
      END,
    ]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    tell('subagent.cancel', { block: editor.opened[0]!.block });
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    const [cancel] = agent.received().filter(({ method }) => method === 'session/cancel');
    expect(cancel!.params).toEqual({ sessionId: 'child' });
    expect(answers(agent)).toContainEqual({ outcome: { outcome: 'cancelled' } });
    expect(editor.text).toContain('⊘ Agent  Helper');
  });

  it('is not cancelled where its agent offers nothing, and that is said', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' } }),
      { expect: 'session/cancel' },
      END,
    ]);
    const { editor, send, tell, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('subagent'));
    tell('subagent.cancel', { block: editor.idOf('subagent') });
    tell('subagent.cancel', { block: editor.idOf('user') });
    await eventually(() =>
      expect(editor.messages()).toEqual([
        expect.stringContaining('can’t cancel Helper by itself'),
        expect.stringContaining('this is no subagent'),
      ]),
    );
    cancel();
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(agent.received().filter(({ method }) => method === 'session/cancel')).toHaveLength(1);
  });

  it('goes on when the turn is over, and is read back as not known after a restart', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' } }),
      END,
      says('still at it'),
    ]);
    const { editor, send, tell, sessions, stateDir, cwd } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(editor.text).toContain('⠋ Agent  Helper');
    tell('block.fold', { block: editor.idOf('subagent') });
    await eventually(() => expect(editor.text).toContain('│ still at it'));
    expect(editor.kinds()).toEqual(['user', 'subagent', 'message', 'turn']);
    const { key } = editor.status;
    await sessions.end();
    const again = openChat(scriptedAgent([]), { stateDir, cwd, from: key! });
    await eventually(() => expect(again.editor.text).toContain('· Agent  Helper'));
    expect(again.editor.text).toContain('│ still at it');
  });
});

describe('the subagent of a tool call', () => {
  const of = (fields: object): Step => ({
    update: { ...fields, _meta: { claudeCode: { parentToolUseId: 'a' } } },
  });

  it('is folded under its card, and its tool calls count to the turn', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { update: { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Task', kind: 'think' } },
      of({ sessionUpdate: 'tool_call', toolCallId: 'r', title: 'Read', status: 'completed' }),
      of({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'inside' } }),
      {
        request: {
          method: 'session/request_permission',
          params: {
            toolCall: { toolCallId: 'w', _meta: { claudeCode: { parentToolUseId: 'a' } } },
            options: OPTIONS,
          },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' } },
      END,
    ]);
    const { editor, send, answer, tell } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    expect(editor.opened[0]!.detail[0]).toBe('for the subagent Task');
    answer(editor.opened[0]!.id, 'yes');
    await eventually(() => expect(editor.text).toContain('3 tools, 2 ran without asking'));
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
    tell('block.fold', { block: editor.idOf('tool') });
    await eventually(() => expect(editor.text).toContain('│ inside'));
  });
});
