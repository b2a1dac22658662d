import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const OPTIONS = [
  { optionId: 'no', name: 'No, never', kind: 'reject_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'odd', name: 'Perhaps', kind: 'shrug' },
];

const ask = (toolCall: object, as = 'ask', options: object[] = OPTIONS): Step => ({
  request: { method: 'session/request_permission', params: { toolCall, options } },
  as,
});

/** The outcomes that the agent was given, in order. */
const outcomes = (agent: ScriptedAgent) =>
  agent
    .received()
    .filter(({ method, id }) => method === undefined && String(id).startsWith('scripted-'))
    .map(({ result, error }) => (result as { outcome: unknown } | undefined)?.outcome ?? error);

describe('a permission request', () => {
  it('shows all options in the agent’s order and gives the user’s answer once', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ toolCallId: 't', title: 'bash', kind: 'execute', rawInput: { command: 'rm -r x' } }),
      { answer: 'ask' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    const [question] = editor.opened;
    expect(question).toMatchObject({
      title: 'Run rm -r x',
      options: [
        { id: 'no', name: 'No, never' },
        { id: 'yes', name: 'Yes' },
        { id: 'odd', name: 'Perhaps' },
      ],
    });
    await eventually(() => expect(editor.status.state).toBe('waiting'));
    expect(editor.text).toMatch(/No, never[^]*Yes[^]*Perhaps/);
    answer(question!.id, 'odd');
    answer(question!.id, 'yes');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(outcomes(agent)).toEqual([{ outcome: 'selected', optionId: 'odd' }]);
    expect(editor.status.questions).toEqual([]);
    expect(editor.closed).toEqual([question!.id]);
  });

  it('is never answered by default', async () => {
    const agent = scriptedAgent([PROMPT, ask({ toolCallId: 't', title: 'x' }), { answer: 'ask' }]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    answer(editor.opened[0]!.id, 'no such option');
    answer('no such question', 'yes');
    // Something that comes after it on the same path has been handled by then.
    send('and then?');
    await eventually(() => expect(editor.status.queue).toHaveLength(1));
    expect(outcomes(agent)).toEqual([]);
  });

  it('queues with others, each keeping its own answer', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ toolCallId: 'a', title: 'first' }, 'a'),
      ask({ toolCallId: 'b', title: 'second' }, 'b'),
      { answer: 'a' },
      { answer: 'b' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(2));
    await eventually(() => expect(editor.status.questions).toHaveLength(2));
    answer(editor.opened[1]!.id, 'no');
    answer(editor.opened[0]!.id, 'yes');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    const chosen = agent
      .received()
      .filter(({ id }) => String(id).startsWith('scripted-'))
      .map(
        ({ id, result }) =>
          `${id}: ${(result as { outcome: { optionId: string } }).outcome.optionId}`,
      );
    expect(chosen.sort()).toEqual(['scripted-1: yes', 'scripted-2: no']);
  });

  it('about a call that another question waits on has a card and an answer of its own', async () => {
    const call = { toolCallId: 't', kind: 'edit', title: 'edit a.py' };
    const agent = scriptedAgent([
      PROMPT,
      ask(call, 'a'),
      ask({ toolCallId: 't' }, 'b'),
      { answer: 'a' },
      { answer: 'b' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.questions).toHaveLength(2));
    await eventually(() => expect(editor.opened).toHaveLength(2));
    const [first, second] = editor.status.questions!;
    expect(second!.title).toBe(first!.title);
    expect(second!.block).not.toBe(first!.block);
    answer(second!.id, 'no');
    answer(first!.id, 'yes');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(outcomes(agent)).toEqual([
      { outcome: 'selected', optionId: 'no' },
      { outcome: 'selected', optionId: 'yes' },
    ]);
  });

  it('is answered cancelled when the turn is cancelled, and its calls are marked', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', kind: 'edit' } },
      ask({ toolCallId: 't' }),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    cancel();
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(outcomes(agent)).toEqual([{ outcome: 'cancelled' }]);
    expect(editor.closed).toHaveLength(1);
    expect(editor.text).toMatch(/⊘ Edit/);
  });

  it('that comes while the turn is being cancelled is answered cancelled without asking', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { expect: 'session/cancel' },
      ask({ toolCallId: 't', title: 'too late' }),
      { answer: 'ask' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    cancel();
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(outcomes(agent)).toEqual([{ outcome: 'cancelled' }]);
    expect(editor.opened).toEqual([]);
  });

  it('is answered cancelled when the chat is closed, and when Neovim leaves', async () => {
    for (const leave of ['session.close', 'end'] as const) {
      const agent = scriptedAgent([
        PROMPT,
        ask({ toolCallId: 't', title: 'x' }),
        { answer: 'ask' },
      ]);
      const { editor, send, sessions, tell } = openChat(agent);
      send('go');
      await eventually(() => expect(editor.opened).toHaveLength(1));
      if (leave === 'end') await sessions.end();
      else tell(leave);
      await eventually(() => expect(outcomes(agent), leave).toEqual([{ outcome: 'cancelled' }]));
    }
  });

  it('of an agent that dies is closed', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ toolCallId: 't', title: 'x' }),
      { delay: 100 },
      { exit: 1 },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    await eventually(() => expect(editor.status.state).toBe('dead'));
    expect(editor.closed).toEqual([editor.opened[0]!.id]);
    expect(editor.status.questions).toEqual([]);
  });

  it('that the agent withdraws is closed', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ toolCallId: 't', title: 'x' }),
      { delay: 100 },
      { notify: { method: '$/cancel_request', params: { requestId: 'scripted-1' } } },
      { answer: 'ask' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await eventually(() => expect(editor.closed).toHaveLength(1));
    expect(editor.status.questions).toEqual([]);
  });

  it('for a call that was never announced, outside of any turn, gets its card', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'x' } },
      ask({ toolCallId: 'workspace-indexing', title: 'Index this folder?' }),
      { answer: 'ask' },
    ]);
    const { editor, answer } = openChat(agent);
    await eventually(() => expect(editor.opened).toHaveLength(1));
    expect(editor.text).toContain('Index this folder?');
    answer(editor.opened[0]!.id, 'yes');
    await eventually(() => expect(outcomes(agent)).toHaveLength(1));
  });

  it('outside of any turn is answered cancelled on cancel, too', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'x' } },
      ask({ toolCallId: 'workspace-indexing', title: 'Index this folder?' }, 'ask', []),
      { answer: 'ask' },
    ]);
    const { editor, cancel } = openChat(agent);
    await eventually(() => expect(editor.opened).toHaveLength(1));
    cancel();
    await eventually(() => expect(outcomes(agent)).toEqual([{ outcome: 'cancelled' }]));
    expect(agent.received('session/cancel')).toEqual([]);
  });

  it('without a tool call and with broken options is shown nevertheless', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        request: {
          method: 'session/request_permission',
          params: { options: [{ name: 'no id' }, 7, { optionId: 'ok' }] },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened[0]?.options.map(({ id }) => id)).toEqual(['ok']));
    answer(editor.opened[0]!.id, 'ok');
    await eventually(() => expect(editor.status.state).toBe('idle'));
  });

  it('comes with the diff that an earlier update of its call has brought', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          kind: 'edit',
          title: 'edit',
          content: [{ type: 'diff', path: '/nowhere/a.txt', oldText: 'one\n', newText: 'two\n' }],
        },
      },
      ask({ toolCallId: 't' }),
      { answer: 'ask' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    const call = editor.calls.find(({ method }) => method === 'question.opened');
    expect(call?.params).toMatchObject({ diff: [{ path: '/nowhere/a.txt', added: 1 }] });
  });

  it('about an edit that no diff can be made of shows the raw input, on its card and in the question', async () => {
    const rawInput = { target: 'a.txt', instructions: 'make it\nbetter' };
    const agent = scriptedAgent([
      PROMPT,
      ask({ toolCallId: 't', kind: 'edit', title: 'Edit', rawInput }),
      { answer: 'ask' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    const [question] = editor.opened;
    expect(question!.hasDiff).toBe(false);
    for (const text of ['a.txt', 'make it', 'better']) {
      expect(question!.detail.join('\n')).toContain(text);
      expect(editor.text).toContain(text);
    }
  });
});
