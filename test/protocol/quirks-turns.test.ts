/** What agents answer to prompts, and say around their answers. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const update = (fields: object): Step => ({ update: fields as Record<string, unknown> });
const message = (text: string, messageId?: string) =>
  update({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...(messageId !== undefined && { messageId }),
  });
const thought = (text: string) =>
  update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });

async function ended({ editor }: Chat, turns = 1): Promise<void> {
  await eventually(() => {
    expect(editor.blocks('turn')).toHaveLength(turns);
    expect(editor.status.state).toBe('idle');
  });
  expect(editor.faults).toEqual([]);
}

/** A turn in which the agent does that. */
async function turn(...steps: Step[]): Promise<Chat> {
  const chat = openChat(scriptedAgent([PROMPT, ...steps]));
  chat.send('go');
  await ended(chat);
  return chat;
}

describe('an answer to a prompt', () => {
  it.each([
    ['without a stop reason', {}],
    ['with null for all that it could say', { stopReason: null, usage: null, _meta: null }],
    ['that is null', null],
    ['that is no object', 'ok'],
    ['with a stop reason that is no text', { stopReason: 7 }],
  ])('%s ends the turn', async (_, reply) => {
    const { editor } = await turn(chunk('done'), { reply, to: 'prompt' });
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
    expect(editor.text).not.toContain('undefined');
    expect(editor.text).not.toContain('null');
  });

  it('that comes twice ends one turn', async () => {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        chunk('one'),
        END,
        END,
        { expect: 'session/prompt', as: 'second' },
        chunk('two'),
        { reply: { stopReason: 'end_turn' }, to: 'second' },
      ]),
    );
    chat.send('go');
    await ended(chat);
    chat.send('again');
    await ended(chat, 2);
    expect(chat.editor.text).toContain('two');
  });

  it.each([
    ['a status of HTTP for its code', { code: 500, message: 'overloaded' }, 'overloaded'],
    ['a fraction for its code', { code: -32603.5, message: 'odd' }, 'odd'],
    ['its words in the data alone', { code: -32603, message: '', data: { details: 'why' } }, 'why'],
    [
      'its words in the data, too',
      { code: -32603, message: 'Internal error', data: { details: 'No room left' } },
      'No room left',
    ],
    [
      'nothing to compact',
      { code: -32603, message: 'Nothing to compact (session too small)' },
      'Nothing to compact',
    ],
  ])('that is an error with %s is told in words', async (_, error, words) => {
    const { editor } = await turn({ error, to: 'prompt' });
    expect(editor.text).toContain(words);
  });

  it('that fails for a reason that was said already does not say it again', async () => {
    const words = 'API Error: 500 overloaded';
    const { editor } = await turn(chunk(words), {
      error: { code: -32603, message: `Internal error: ${words}` },
      to: 'prompt',
    });
    expect(editor.text.match(/API Error/g)).toHaveLength(1);
  });
});

describe('a prompt that is sent while a turn runs', () => {
  it('waits on our side, whatever the agent would make of a second one', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('first'),
      { delay: 50 },
      END,
      { expect: 'session/prompt', as: 'second' },
      chunk('second'),
      { reply: { stopReason: 'end_turn' }, to: 'second' },
    ]);
    const chat = openChat(agent);
    chat.send('one');
    await eventually(() => expect(chat.editor.text).toContain('first'));
    chat.send('two');
    expect(agent.received('session/prompt')).toHaveLength(1);
    await ended(chat, 2);
    expect(chat.editor.text).toMatch(/one[^]*first[^]*two[^]*second/);
  });
});

describe('what an agent says', () => {
  it('again from the start, under another id, when its stream broke, is another message', async () => {
    const { editor } = await turn(message('The answer', 'a'), message('The answer is 4', 'b'), END);
    expect(editor.kinds()).toEqual(['user', 'message', 'message', 'turn']);
  });

  it('as a thought first and as a message then is both', async () => {
    const { editor } = await turn(thought('It is 4'), chunk('It is 4'), END);
    expect(editor.kinds()).toEqual(['user', 'thought', 'message', 'turn']);
  });

  it('as nothing at all, in a chunk or a thought, begins nothing', async () => {
    const { editor } = await turn(chunk(''), thought(''), chunk('yes'), chunk(''), END);
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
  });

  it('before any prompt stands before it', async () => {
    const chat = openChat(
      scriptedAgent([
        { expect: 'session/new' },
        { reply: { sessionId: 's' } },
        chunk('Hello, I am v1.6.0\n---\n'),
        PROMPT,
        chunk('yes'),
        END,
      ]),
    );
    await eventually(() => expect(chat.editor.text).toContain('v1.6.0'));
    chat.send('go');
    await ended(chat);
    expect(chat.editor.kinds()).toEqual(['message', 'user', 'message', 'turn']);
  });

  it('of the user’s prompt, as an echo, is not said twice', async () => {
    const { editor } = await turn(
      update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'go' } }),
      chunk('yes'),
      END,
    );
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
  });

  it('of a session that nobody knows is not shown, nor a fault', async () => {
    const { editor } = await turn({ ...chunk('aside'), session: 'child-9' }, chunk('yes'), END);
    expect(editor.text).not.toContain('aside');
  });

  it('with nothing but `_meta` is nothing', async () => {
    const { editor } = await turn(
      update({ _meta: { x: 1 } }),
      update({ sessionUpdate: 'session_info_update', updatedAt: '2026-01-01T00:00:00Z' }),
      update({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: 'x' } } }),
      chunk('yes'),
      END,
    );
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
  });

  it('to what we have notified of, as an error without an id, is not answered', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('on it'),
      { expect: 'session/cancel' },
      { raw: '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}\n' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('on it'));
    chat.cancel();
    await ended(chat);
    expect(agent.received().filter(({ method }) => method === undefined)).toEqual([]);
    expect(agent.garbage()).toEqual([]);
  });
});

describe('a turn that is cancelled', () => {
  it.each([
    ['an error', { error: { code: -32603, message: 'aborted' }, to: 'prompt' }],
    ['the error that ACP has for it', { error: { code: -32800, message: 'x' }, to: 'prompt' }],
    ['another stop reason', END],
  ] as [string, Step][])('and answered with %s is cancelled', async (_, answer) => {
    const chat = openChat(
      scriptedAgent([PROMPT, chunk('on it'), { expect: 'session/cancel' }, answer]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('on it'));
    chat.cancel();
    await ended(chat);
    expect(chat.editor.text).not.toContain('aborted');
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'turn']);
  });
});

describe('a command of the agent', () => {
  const commands = (availableCommands: unknown) =>
    update({ sessionUpdate: 'available_commands_update', availableCommands });

  it('may have a space or a sign in its name, and a hint that is empty, null or no text', async () => {
    const { editor } = await turn(
      commands([
        { name: 'memory show', description: 'x', input: { hint: '' } },
        { name: '$imagegen', description: 'y', input: null },
        { name: 'plan', description: null, input: { hint: 7 } },
        { name: '', description: 'none' },
        { description: 'none' },
        null,
      ]),
      chunk('yes'),
      END,
    );
    expect(editor.status.commands).toEqual([
      { name: 'memory show', description: 'x' },
      { name: '$imagegen', description: 'y' },
      { name: 'plan', description: '' },
    ]);
  });

  it('comes with others in half a megabyte, again and again', async () => {
    const many = Array.from({ length: 51 }, (_, n) => ({
      name: `skill-${n}`,
      description: 'x',
      _meta: { skills: 'y'.repeat(11_000) },
    }));
    const { editor } = await turn(commands(many), commands(many), chunk('yes'), END);
    expect(editor.status.commands).toHaveLength(51);
    expect(JSON.stringify(editor.calls).length).toBeLessThan(100_000);
  });
});
