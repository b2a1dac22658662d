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
