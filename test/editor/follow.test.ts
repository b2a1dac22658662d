import { expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

async function transcript(): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.ops(put('a', numbered(100)));
  await chat.focusTranscript();
  return chat;
}

const more = (chat: ChatFixture) => chat.ops({ op: 'append', id: 'a', text: '\nmore', marks: [] });

/** Waits until Neovim is in that mode. */
const mode = (chat: ChatFixture, wanted: string) =>
  eventually(async () =>
    expect(await chat.nvim.request('nvim_get_mode')).toMatchObject({ mode: wanted }),
  );

test.each([
  ['a search', '/line 9', 'c'],
  ['a selection', 'V', 'V'],
])(
  '%s that was begun at the end stands still, and given up it follows again',
  async (_, keys, name) => {
    const chat = await transcript();
    await chat.nvim.input(keys);
    await mode(chat, name);
    const before = await chat.place();
    await more(chat);
    await more(chat);
    expect((await chat.place()).top).toBe(before.top);
    await chat.nvim.input('<Esc>');
    await mode(chat, 'n');
    await more(chat);
    expect((await chat.place()).cursor[0]).toBe(103);
  },
);

test('a search that went elsewhere stays there', async () => {
  const chat = await transcript();
  await chat.nvim.input('/line 9$<CR>');
  await eventually(async () => expect((await chat.place()).cursor[0]).toBe(9));
  const before = await chat.place();
  await more(chat);
  await more(chat);
  expect(await chat.place()).toEqual(before);
});

test('what follows the end fills a window that has become smaller, and what stands elsewhere stays', async () => {
  const chat = await openChat();
  await chat.ops(put('a', numbered(12)));
  await chat.nvim.command('stopinsert | wincmd t');
  await chat.nvim.command('botright copen 25');
  await eventually(async () => {
    const { top, bottom } = await chat.place();
    expect(bottom).toBe(12);
    expect(12 - top + 1).toBe(
      await chat.nvim.lua<number>(`
      local win = require('acp.ui.layout').visible(require('acp.chat').get('s1'))
      return vim.fn.getwininfo(win)[1].height`),
    );
  });
  await chat.nvim.command('cclose');
  await chat.ops({ op: 'append', id: 'a', text: '\nmore'.repeat(60), marks: [] });
  await chat.focusTranscript();
  await chat.nvim.input('ggzt');
  await eventually(async () => expect((await chat.place()).cursor[0]).toBe(1));
  await chat.nvim.command('botright copen 25');
  await eventually(async () => expect((await chat.place()).bottom).toBeLessThan(12));
  expect((await chat.place()).top).toBe(1);
});
