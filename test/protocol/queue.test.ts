import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/nvim/protocol';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const QUESTION = {
  toolCall: { toolCallId: 't', title: 'wait', kind: 'other' },
  options: [{ optionId: 'go', name: 'Go', kind: 'allow_once' }],
};
const ASK: Step = {
  request: { method: 'session/request_permission', params: QUESTION },
  as: 'question',
};

/** Texts of the prompts that the agent got. */
function prompts(agent: ScriptedAgent): string[] {
  return agent
    .received('session/prompt')
    .map(({ params }) => (params!.prompt as { text: string }[]).map(({ text }) => text).join('|'));
}

/** The first prompt runs until its question is answered; `more` prompts are answered at once. */
function busyAgent(more = 9): ScriptedAgent {
  return scriptedAgent([
    PROMPT,
    ASK,
    { answer: 'question' },
    END,
    ...Array.from({ length: more }, () => [PROMPT, END]).flat(),
  ]);
}

async function busy(
  chat: Chat,
  ...waiting: (string | [string, Attachment[]])[]
): Promise<string[]> {
  chat.send('first');
  await eventually(() => expect(chat.editor.opened).toHaveLength(1));
  for (const it of waiting) {
    if (typeof it === 'string') chat.send(it);
    else chat.send(...it);
  }
  await eventually(() => expect(chat.editor.status.queue).toHaveLength(waiting.length));
  return chat.editor.status.queue!.map(({ id }) => id);
}

function goOn({ editor, answer }: Chat): void {
  answer(editor.opened[0]!.id, 'go');
}

describe('the queue', () => {
  it('runs as the user has edited it: changed, in another order, without some and with others', async () => {
    const agent = busyAgent();
    const chat = openChat(agent);
    const file = join(chat.cwd, 'a.txt');
    writeFileSync(file, 'content');
    const [one, two, three] = await busy(
      chat,
      'one',
      ['two', [{ type: 'file', path: file }]],
      'three',
    );
    expect(chat.editor.status.queue!.map(({ attachments }) => attachments)).toEqual([0, 1, 0]);
    chat.tell('queue.set', {
      entries: [
        { id: three, text: 'three' },
        { text: 'between' },
        { id: two, text: 'two, changed' },
      ],
    });
    await eventually(() =>
      expect(chat.editor.status.queue).toMatchObject([
        { id: three, text: 'three', attachments: 0 },
        { text: 'between', attachments: 0 },
        { id: two, text: 'two, changed', attachments: 1 },
      ]),
    );
    expect(chat.editor.status.queue!.map(({ id }) => id)).not.toContain(one);
    expect(chat.editor.text).toMatch(/three\n\n▌ between\n\n▌ two, changed\n▌ @a\.txt$/);
    expect(chat.editor.text).not.toContain('▌ one');
    goOn(chat);
    await eventually(() => expect(prompts(agent)).toHaveLength(4));
    expect(prompts(agent)[1]).toBe('three');
    expect(prompts(agent)[2]).toBe('between');
    expect(prompts(agent)[3]).toMatch(/^two, changed\|/);
    const kinds = `user tool turn${' user turn'.repeat(3)}`;
    await eventually(() => expect(chat.editor.kinds().join(' ')).toBe(kinds));
    expect(chat.editor.faults).toEqual([]);
  });

  it('does not send an entry again that began meanwhile, and gives its changed text back', async () => {
    const agent = busyAgent();
    const chat = openChat(agent);
    const [one, two] = await busy(chat, 'one', 'two');
    goOn(chat);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    chat.tell('queue.set', {
      entries: [
        { id: one, text: 'one' },
        { id: two, text: 'two, but not so' },
      ],
    });
    await eventually(() => expect(chat.editor.restored).toEqual(['two, but not so']));
    expect(chat.editor.messages().join()).toContain('was sent before you changed it');
    chat.send('last');
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'one', 'two', 'last']));
  });

  it('keeps a prompt that Neovim did not know of when it left it out', async () => {
    const agent = busyAgent();
    const chat = openChat(agent);
    const [one] = await busy(chat, 'one', 'two');
    chat.send('just now');
    chat.tell('queue.set', { entries: [{ id: one, text: 'one' }] });
    await eventually(() =>
      expect(chat.editor.status.queue!.map(({ text }) => text)).toEqual(['one', 'just now']),
    );
    chat.tell('queue.set', { entries: [] });
    await eventually(() => expect(chat.editor.status.queue).toEqual([]));
    goOn(chat);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(prompts(agent)).toEqual(['first']);
    expect(chat.editor.kinds()).toEqual(['user', 'tool', 'turn']);
  });

  it('is given back as a whole, with what goes along, while the turn goes on', async () => {
    const agent = busyAgent();
    const chat = openChat(agent);
    const attachment: Attachment = { type: 'text', name: 'diagnostics', text: 'E1\n' };
    await busy(chat, ['one', [attachment]], 'two');
    chat.tell('queue.clear');
    await eventually(() =>
      expect(chat.editor.sent('prompt.restore')).toEqual([
        { session: 's1', text: 'one\n\ntwo', attachments: [attachment] },
      ]),
    );
    await eventually(() => expect(chat.editor.status.queue).toEqual([]));
    goOn(chat);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(prompts(agent)).toEqual(['first']);
  });

  it('takes an entry that was taken out back with its attachments when it is named again', async () => {
    const chat = openChat(busyAgent());
    const attachment: Attachment = { type: 'text', name: 'diagnostics', text: 'E1\n' };
    const [one] = await busy(chat, ['one', [attachment]]);
    chat.tell('queue.set', { entries: [] });
    await eventually(() => expect(chat.editor.status.queue).toEqual([]));
    chat.tell('queue.set', { entries: [{ id: one, text: 'one again' }] });
    await eventually(() =>
      expect(chat.editor.status.queue).toEqual([{ id: one, text: 'one again', attachments: 1 }]),
    );
    expect(chat.editor.text).toMatch(/one again\n▌ @diagnostics$/);
  });

  it('takes a line that was doubled as a new prompt, and one without words as none', async () => {
    const agent = busyAgent();
    const chat = openChat(agent);
    const [one, two] = await busy(chat, 'one', 'two');
    const entries = [
      { id: one, text: 'one' },
      { id: one, text: 'one' },
      { id: two, text: ' ' },
      { text: '\n' },
    ];
    chat.tell('queue.set', { entries });
    goOn(chat);
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'one', 'one']));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(prompts(agent)).toHaveLength(3);
  });

  it('goes back with its attachments when the turn is cancelled', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('working'),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('first');
    await eventually(() => expect(editor.text).toContain('working'));
    const [a, b]: Attachment[] = [
      { type: 'file', path: '/project/a' },
      { type: 'text', name: 'diff', text: '+x\n' },
    ];
    send('one', [a!]);
    send('', [a!, b!]);
    await eventually(() => expect(editor.status.queue).toHaveLength(2));
    cancel();
    await eventually(() => expect(editor.sent('prompt.restore')).toHaveLength(1));
    expect(editor.sent('prompt.restore')[0]).toMatchObject({ text: 'one', attachments: [a, b] });
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
  });
});

describe('a prompt that is sent now', () => {
  it('cancels the turn and goes before those that wait, which stay', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ASK,
      { expect: 'session/cancel' },
      { answer: 'question' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
      PROMPT,
      chunk('at once'),
      END,
    ]);
    const chat = openChat(agent);
    await busy(chat, 'later');
    chat.send('now', [], 'now');
    await eventually(() => expect(chat.editor.text).toContain('at once'));
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'now', 'later']));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(
      agent.received().find(({ result }) => (result as { outcome?: unknown })?.outcome)?.result,
    ).toEqual({
      outcome: { outcome: 'cancelled' },
    });
    expect(chat.editor.restored).toEqual([]);
    expect(chat.editor.closed).toHaveLength(1);
    expect(chat.editor.kinds()).toEqual([
      'user',
      'tool',
      'turn',
      'user',
      'message',
      'turn',
      'user',
      'turn',
    ]);
    expect(chat.editor.text).toMatch(/── cancelled/);
  });

  it('is sent when the agent does not end its turn in time', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { expect: 'session/cancel' },
      { expect: 'session/prompt' },
      END,
    ]);
    const { editor, send } = openChat(agent, { cancelTimeoutMs: 100 });
    send('first');
    await eventually(() => expect(prompts(agent)).toHaveLength(1));
    send('later');
    send('now', [], 'now');
    await eventually(() => expect(prompts(agent)).toEqual(['first', 'now', 'later']));
    expect(editor.text).toContain('did not end the turn');
  });

  it('is an ordinary one when nothing runs', async () => {
    const agent = scriptedAgent([]);
    const { editor, send } = openChat(agent);
    send('now', [], 'now');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(prompts(agent)).toEqual(['now']);
    expect(agent.received('session/cancel')).toEqual([]);
  });

  it('loses no prompt that was just about to begin', async () => {
    const agent = scriptedAgent([]);
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    chat.send('one');
    chat.send('two', [], 'now');
    await eventually(() => expect(prompts(agent)).toEqual(['two', 'one']));
    await eventually(() => expect(chat.editor.kinds()).toEqual(['user', 'turn', 'user', 'turn']));
  });
});
