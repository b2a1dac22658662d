import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const frame = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

describe('what an agent says while a session opens', () => {
  it('right behind the answer to session/new counts more than the answer', async () => {
    const modes = {
      currentModeId: 'a',
      availableModes: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    };
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'b' };
    const agent = scriptedAgent([
      { expect: 'session/new', as: 'new' },
      {
        raw:
          frame({ id: 1, result: { sessionId: 'x', modes } }) +
          frame({ method: 'session/update', params: { sessionId: 'x', update } }),
      },
    ]);
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.config?.[0]?.choices).toHaveLength(2));
    expect(editor.status.mode).toBe('b');
  });

  it('may be a question that must be answered before session/new is', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new', as: 'new' },
      {
        request: {
          method: 'session/request_permission',
          params: {
            sessionId: 'not-told-yet',
            toolCall: { toolCallId: 't', title: 'Index this folder?' },
            options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
          },
        },
      },
      { reply: { sessionId: 'not-told-yet' }, to: 'new' },
    ]);
    const { editor, answer } = openChat(agent);
    await eventually(() => expect(editor.opened).toHaveLength(1));
    answer(editor.opened[0]!.id, 'y');
    await eventually(() => expect(editor.status.state).toBe('idle'));
  });

  it('is kept however much was said before to sessions that are not ours', async () => {
    const commands = [{ name: 'tour', description: 'x' }];
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'first' } },
      PROMPT,
      { repeat: 1100, steps: [{ ...chunk('aside'), session: 'child' }] },
      END,
      { expect: 'session/new' },
      {
        update: { sessionUpdate: 'available_commands_update', availableCommands: commands },
        session: 'second',
      },
      { reply: { sessionId: 'second' } },
    ]);
    const { editor, send, tell, cwd } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toContain('turn'));
    expect(editor.text).not.toContain('aside');
    const { name, command, args } = agent;
    tell('session.open', { session: 's2', agent: { name, command, args }, cwd, columns: 80 });
    await eventually(() => expect(editor.status.commands).toEqual(commands));
  });
});

describe('a session/update', () => {
  it('with `id: null` is taken as meant', async () => {
    const params = `"params":{"sessionId":"\${prompt.params.sessionId}","update":${JSON.stringify(
      chunk('hello').update,
    )}}`;
    const agent = scriptedAgent([
      PROMPT,
      { raw: `{"jsonrpc":"2.0","id":null,"method":"session/update",${params}}\n` },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('hello'));
  });

  it('that is sent as a request is shown, and answered once', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { request: { method: 'session/update', params: { ...chunk('asked') } } },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await eventually(() => expect(editor.text).toContain('asked'));
    expect(agent.received().filter(({ id }) => id === 'scripted-1')).toHaveLength(1);
  });
});
