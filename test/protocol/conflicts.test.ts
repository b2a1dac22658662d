/** Files that change on disk while their buffers have unsaved changes. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, tempDir, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const DISK = 'one\ntwo\nthree\n';
const MINE = 'ONE\ntwo\nthree\nfour\n';

let cwd: string;
let a: string;

beforeEach(() => {
  cwd = tempDir();
  mkdirSync(join(cwd, 'src'));
  a = join(cwd, 'src', 'a.py');
  writeFileSync(a, DISK);
});

/** Opens a chat and, as Lua would, tells of a conflict. */
async function conflict(steps: Step[] = [], begin: (chat: Chat) => unknown = () => {}) {
  const agent = scriptedAgent(steps);
  const chat = openChat(agent, { cwd });
  await eventually(() => expect(chat.editor.status.state).toBe('idle'));
  await begin(chat);
  chat.editor.buffers.set(a, MINE);
  chat.tell('buffer.conflict', { path: a, text: MINE });
  await eventually(() => expect(chat.editor.opened).toHaveLength(1));
  return { agent, ...chat, question: chat.editor.opened[0]! };
}

const resolved = async ({ editor }: Pick<Chat, 'editor'>): Promise<string> => {
  await eventually(() => expect(editor.sent('buffer.resolve')).toHaveLength(1));
  const [{ path, text }] = editor.sent('buffer.resolve') as [{ path: string; text: string }];
  expect(path).toBe(a);
  return text;
};

describe('a file that changed under unsaved changes', () => {
  it('is a question on a card, with the difference between buffer and disk', async () => {
    const { editor, question } = await conflict();
    expect(question).toMatchObject({
      title: 'src/a.py was changed on disk, and you have unsaved changes',
      options: [
        { id: 'mine', name: 'Keep mine', kind: 'keep_mine' },
        { id: 'theirs', name: 'Take theirs', kind: 'take_theirs' },
        { id: 'merge', name: 'Merge, both sides marked', kind: 'merge' },
      ],
      hasDiff: true,
    });
    expect(editor.sent('question.opened')[0]!.diff).toMatchObject([
      { path: a, name: 'src/a.py: − yours, + on disk', added: 1, removed: 2 },
    ]);
    expect(editor.text).toMatch(/src\/a\.py was changed on disk[^]*Which\?[^]*Keep mine/);
    expect(editor.status.questions).toMatchObject([{ id: question.id }]);
    // Nothing waits for it.
    expect(editor.status.state).toBe('idle');
  });

  it('gives the buffer its own text, what was typed meanwhile included', async () => {
    const chat = await conflict();
    chat.editor.buffers.set(a, `${MINE}five\n`);
    chat.answer(chat.question.id, 'mine');
    expect(await resolved(chat)).toBe(`${MINE}five\n`);
    expect(readFileSync(a, 'utf8')).toBe(DISK);
    await eventually(() => expect(chat.editor.closed).toEqual([chat.question.id]));
  });

  it('gives the buffer the text of the file as it is then', async () => {
    const chat = await conflict();
    writeFileSync(a, Buffer.from('caf\xe9\n', 'latin1'));
    chat.answer(chat.question.id, 'theirs');
    expect(await resolved(chat)).toBe('café\n');
  });

  it('marks both sides of each difference where nobody knows what was there before', async () => {
    const chat = await conflict();
    chat.answer(chat.question.id, 'merge');
    expect(await resolved(chat)).toBe(
      '<<<<<<< yours\nONE\n=======\none\n>>>>>>> on disk\ntwo\nthree\n' +
        '<<<<<<< yours\nfour\n=======\n>>>>>>> on disk\n',
    );
  });

  it('marks lines that end as the buffer’s do', async () => {
    const chat = await conflict();
    chat.editor.buffers.set(a, 'ONE\r\ntwo\r\n');
    writeFileSync(a, 'one\ntwo');
    chat.answer(chat.question.id, 'merge');
    expect(await resolved(chat)).toBe(
      '<<<<<<< yours\r\nONE\r\ntwo\r\n=======\r\none\r\ntwo\r\n>>>>>>> on disk\r\n',
    );
  });

  it('that changes again changes the question', async () => {
    const chat = await conflict();
    writeFileSync(a, `${DISK}more\n`);
    chat.tell('buffer.conflict', { path: a, text: MINE });
    await eventually(() => expect(chat.editor.sent('question.opened')).toHaveLength(2));
    const again = chat.editor.sent('question.opened')[1]!;
    expect(again).toMatchObject({ question: { id: chat.question.id }, diff: [{ added: 2 }] });
    expect(chat.editor.kinds().filter((kind) => kind === 'tool')).toHaveLength(1);
  });

  it('counts for the turn that changed it as soon as it is decided', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { sh: `printf 'one\\ntwo\\nthree\\nfive\\n' > '${a}'` },
      { reply: { stopReason: 'end_turn' }, to: 'prompt' },
    ]);
    const { editor, tell, send, answer } = openChat(agent, { cwd });
    editor.buffers.set(a, MINE);
    send('go');
    await eventually(() => expect(editor.sent('turn.ended')).toHaveLength(1));
    expect(editor.text).not.toMatch(/1 file/);
    tell('buffer.conflict', { path: a, text: MINE });
    await eventually(() => expect(editor.opened).toHaveLength(1));
    answer(editor.opened[0]!.id, 'merge');
    await eventually(() => expect(editor.text).toMatch(/1 file/));
  });

  it('that changes back needs no answer', async () => {
    const chat = await conflict();
    writeFileSync(a, MINE);
    chat.tell('buffer.conflict', { path: a, text: MINE });
    await eventually(() => expect(chat.editor.closed).toEqual([chat.question.id]));
  });

  it('is withdrawn when the buffer is saved', async () => {
    const chat = await conflict();
    chat.tell('buffer.saved', { path: a, text: MINE });
    await eventually(() => expect(chat.editor.closed).toEqual([chat.question.id]));
    await eventually(() => expect(chat.editor.status.questions).toEqual([]));
    chat.answer(chat.question.id, 'theirs');
    expect(chat.editor.sent('buffer.resolve')).toEqual([]);
  });

  it('is settled by a write of the agent’s that is merged with the unsaved text', async () => {
    const write = { path: a, content: DISK.replace('two', 'TWO') };
    const chat = await conflict([
      PROMPT,
      { request: { method: 'fs/write_text_file', params: write } },
      { reply: { stopReason: 'end_turn' }, to: 'prompt' },
    ]);
    chat.send('go');
    await eventually(() => expect(chat.editor.closed).toEqual([chat.question.id]));
    expect(readFileSync(a, 'utf8')).toBe('ONE\nTWO\nthree\nfour\n');
    // What Lua has told before it knew comes to nothing.
    chat.tell('buffer.conflict', { path: a, text: MINE });
    chat.send('on');
    await eventually(() => expect(chat.agent.received('session/prompt')).toHaveLength(2));
    expect(chat.editor.opened).toHaveLength(1);
  });

  it('outlives the cancel and the end of a turn, and neither waits for it', async () => {
    const chat = await conflict(
      [PROMPT, { expect: 'session/cancel' }, { reply: { stopReason: 'cancelled' }, to: 'prompt' }],
      async ({ send, editor }) => {
        send('go');
        await eventually(() => expect(editor.status.state).toBe('working'));
      },
    );
    expect(chat.editor.status.state).toBe('working');
    chat.cancel();
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(chat.editor.closed).toEqual([]);
    // The turn's line counts no tool, and the card is not said to have ended.
    expect(chat.editor.text).not.toMatch(/1 tool/);
    chat.answer(chat.question.id, 'mine');
    expect(await resolved(chat)).toBe(MINE);
  });

  it('outlives the agent', async () => {
    const chat = await conflict([PROMPT, { exit: 1 }]);
    chat.send('go');
    await eventually(() => expect(chat.editor.status.state).toBe('dead'));
    chat.answer(chat.question.id, 'theirs');
    expect(await resolved(chat)).toBe(DISK);
  });

  it('is asked in another chat when the first is closed, and told where there is none', async () => {
    const agent = scriptedAgent([]);
    const chat = await conflict([], ({ tell }) =>
      tell('session.open', {
        session: 's2',
        agent: { ...agent, args: agent.args },
        cwd,
        columns: 80,
      }),
    );
    const { editor, tell } = chat;
    expect(editor.sent('question.opened')[0]!.session).toBe('s2');
    tell('session.close', { session: 's2' });
    await eventually(() => expect(editor.opened).toHaveLength(2));
    expect(editor.sent('question.opened')[1]!.session).toBe('s1');
    tell('session.close', { session: 's1' });
    await eventually(() => expect(editor.messages().join()).toMatch(/a\.py was changed on disk/));
  });

  it('is asked in the chat that works, of those that hold it', async () => {
    const agent = scriptedAgent([]);
    const chat = await conflict(
      [PROMPT, chunk('busy'), { expect: 'session/cancel' }],
      async ({ tell, send, editor }) => {
        const open = { agent: { ...agent, args: agent.args }, columns: 80 };
        tell('session.open', { ...open, session: 's2', cwd });
        tell('session.open', { ...open, session: 's3', cwd: tempDir() });
        send('go');
        await eventually(() => expect(editor.text).toContain('busy'));
      },
    );
    expect(chat.editor.sent('question.opened')[0]!.session).toBe('s1');
  });

  it('that is gone is no question', async () => {
    const chat = openChat(scriptedAgent([]), { cwd });
    rmSync(a);
    chat.editor.buffers.set(a, MINE);
    chat.tell('buffer.conflict', { path: a, text: MINE });
    writeFileSync(join(cwd, 'b'), 'b\n');
    chat.editor.buffers.set(join(cwd, 'b'), MINE);
    chat.tell('buffer.conflict', { path: join(cwd, 'b'), text: MINE });
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    expect(chat.editor.opened[0]!.title).toMatch(/^b was changed/);
  });

  it('whose buffer can’t take the answer says why', async () => {
    const chat = await conflict();
    const { editor } = chat;
    const request = editor.request.bind(editor);
    editor.request = async (method, params) => {
      if (method === 'buffer.resolve') return { error: "it is not 'modifiable'" } as never;
      return request(method, params);
    };
    chat.answer(chat.question.id, 'theirs');
    await eventually(() => expect(editor.messages()).toEqual([`${a}: it is not 'modifiable'`]));
  });
});
