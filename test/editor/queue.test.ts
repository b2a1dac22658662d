import { describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import type { QueuedPrompt } from '../../src/nvim/protocol';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const prompt = (id: string, text: string, attachments = 0): QueuedPrompt => ({
  id,
  text,
  attachments,
});
const THREE = [prompt('a', 'first'), prompt('b', 'second\n\nwith more', 2), prompt('c', 'third')];

/** A chat whose agent works while prompts wait, with the queue on the screen. */
async function openQueue(queue = THREE, more = {}): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.status({ state: 'working', queue, ...more });
  await chat.nvim.input('<Esc><M-q>');
  await chat.nvim.waitForScreen('── 1 ');
  return chat;
}

const set = (chat: ChatFixture) =>
  eventually(() => {
    const sent = chat.sent('queue.set') as { entries: { id?: string; text: string }[] }[];
    expect(sent).toHaveLength(1);
    return sent[0]!.entries.map(({ id, text }) => [id ?? 'new', text]);
  });
const lines = (chat: ChatFixture) =>
  chat.nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');

describe('the queue as text', () => {
  test('shows each prompt below a rule, with its place and what goes along', async () => {
    const chat = await openQueue();
    await chat.nvim.waitForScreen(/── 2 · 2 attachments ─/);
    await chat.nvim.waitForScreen(/── 3 ─/);
    await expectScreen(chat.nvim, 'queue', { replace: [[/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋']] });
  });

  test('is written back as it was', async () => {
    const chat = await openQueue();
    await chat.nvim.input(':w<CR>');
    expect(await set(chat)).toEqual(THREE.map(({ id, text }) => [id, text]));
    expect(await chat.nvim.lua('return vim.bo.modified')).toBe(false);
  });

  test('is not taken for written where nobody takes it', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggjA!<Esc>');
    await chat.nvim.lua(`require('acp.incoming').sidecar_lost(1)`);
    await chat.nvim.input(':w<CR>');
    await chat.nvim.waitForScreen('not applied: the session is not open');
    expect(await chat.nvim.lua('return vim.bo.modified')).toBe(true);
    expect(chat.sent('queue.set')).toEqual([]);
  });

  test('ddp on a rule lets two prompts change places, whole', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggddp:w<CR>');
    expect(await set(chat)).toEqual([
      ['b', 'second\n\nwith more'],
      ['a', 'first'],
      ['c', 'third'],
    ]);
  });

  test('dd and P on rules move one to the front', async () => {
    const chat = await openQueue();
    await chat.nvim.input('/third<CR>kddggP:w<CR>');
    expect((await set(chat)).map(([id]) => id)).toEqual(['c', 'a', 'b']);
  });

  test('is edited: a text changed, one taken out, and new ones below rules of their own', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggjA!<Esc>/second<CR>kddGo---<CR>new<CR>lines<CR>---<CR><Esc>:w<CR>');
    expect(await set(chat)).toEqual([
      ['a', 'first!'],
      ['c', 'third'],
      ['new', 'new\nlines'],
    ]);
  });

  test('a copy is a prompt of its own', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggyyP:w<CR>');
    expect((await set(chat)).map(([id, text]) => [id, text])).toEqual([
      ['a', 'first'],
      ['new', 'first'],
      ['b', 'second\n\nwith more'],
      ['c', 'third'],
    ]);
  });

  test('a line of a prompt is never taken for a rule', async () => {
    const texts = ['---\ntitle: x\n---', '---- 2', '-'];
    const chat = await openQueue(texts.map((text, i) => prompt(`p${i}`, text)));
    expect((await lines(chat))[0]).toBe('----- 1');
    await chat.nvim.input(':w<CR>');
    expect((await set(chat)).map(([, text]) => text)).toEqual(texts);
  });

  test(':q! leaves the queue as it was, and :q says that something was changed', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggdd:q<CR>');
    await chat.nvim.waitForScreen('E37');
    await chat.nvim.input('<CR>:q!<CR>');
    await eventually(() => expect(chat.nvim.find('── 1 ')).toBeUndefined());
    expect(chat.sent('queue.set')).toEqual([]);
    await chat.nvim.input('<M-q>');
    await chat.nvim.waitForScreen('── 1 ');
    expect(await lines(chat)).toContain('first');
  });

  test('says when a prompt has begun, and keeps what was made of the others', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggjA!<Esc>GkA?<Esc>');
    await eventually(async () => expect(await lines(chat)).toContain('third?'));
    await chat.status({ queue: THREE.slice(1) });
    await chat.nvim.waitForScreen('── 1 · has begun');
    await chat.nvim.input(':w<CR>');
    // The sidecar gives the changed text of what has begun back to the prompt.
    expect(await set(chat)).toEqual([
      ['a', 'first!'],
      ['b', 'second\n\nwith more'],
      ['c', 'third?'],
    ]);
  });

  test('where nothing was changed it follows the queue, and closes with the last prompt', async () => {
    const chat = await openQueue();
    await chat.status({ queue: [THREE[2]!, prompt('d', 'fourth')] });
    await chat.nvim.waitForScreen('fourth');
    expect(await lines(chat)).toEqual(['--- 3', 'third', '', '--- 4', 'fourth', '']);
    await chat.status({ queue: [] });
    await eventually(() => expect(chat.nvim.find('third')).toBeUndefined());
    expect(await chat.nvim.lua('return vim.b.acp_session')).toBe('s1');
  });

  test('what came while it was edited is not left out', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggdd');
    await eventually(async () => expect(await lines(chat)).not.toContain('first'));
    await chat.status({ queue: [...THREE, prompt('d', 'late')] });
    await chat.nvim.input(':w<CR>');
    expect((await set(chat)).map(([id]) => id)).toEqual(['b', 'c', 'd']);
  });

  test('u brings a prompt back that was taken out and written', async () => {
    const chat = await openQueue();
    await chat.nvim.input('ggdd:w<CR>');
    await set(chat);
    await chat.status({ queue: THREE.slice(1) });
    await chat.nvim.input('u:w<CR>');
    await eventually(() => expect(chat.sent('queue.set')).toHaveLength(2));
    expect(chat.sent('queue.set')[1]).toMatchObject({
      entries: [{ id: 'a', text: 'first' }, { id: 'b' }, { id: 'c' }],
    });
  });

  test('says what lets prompts go that were found after a crash', async () => {
    const chat = await openQueue(THREE, { held: true, state: 'idle' });
    await chat.nvim.waitForScreen('Prompts from before: they wait until you send one, or :w');
  });

  test('there is nothing to open where nothing waits', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>:AcpQueue<CR>');
    await chat.nvim.waitForScreen('no prompt waits');
  });
});

test(':AcpQueue clear asks for what waits to come back, if anything does', async () => {
  const chat = await openChat();
  await chat.nvim.input('<Esc>:AcpQueue clear<CR>');
  await chat.nvim.waitForScreen('no prompt waits');
  await chat.status({ state: 'working', queue: THREE });
  await chat.nvim.input(':AcpQueue clear<CR>');
  await eventually(() => expect(chat.sent('queue.clear')).toEqual([{ session: 's1' }]));
});
