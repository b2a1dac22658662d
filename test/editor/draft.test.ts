import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

interface Saved {
  draft: { text: string; attachments: unknown[]; returned?: number };
}

const saved = (chat: ChatFixture) => chat.sent('draft.save') as Saved[];
const texts = (chat: ChatFixture) => saved(chat).map(({ draft }) => draft.text);
const last = (chat: ChatFixture, text: string) =>
  eventually(() => expect(texts(chat).at(-1)).toBe(text));
const file = (name: string) => ({ type: 'file', path: `/p/${name}` });

const restore = (chat: ChatFixture, text: string, attachments: unknown[] = []) =>
  chat.nvim.lua(`require('acp.rpc').call('draft.restore', ...)`, {
    session: 's1',
    draft: { text, attachments },
  });
/** The session is opened again, as after the end of the sidecar. */
const opening = (chat: ChatFixture) =>
  chat.nvim.lua(`require('acp.draft').opening(require('acp.chat').get('s1'))`);
const attached = (chat: ChatFixture) =>
  chat.nvim.lua(`return require('acp.chat').get('s1').attachments`);

/** A chat with a text in its prompt, of which the sidecar was told. */
async function typed(text: string): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.nvim.input(text.replaceAll('\n', '<CR>'));
  await last(chat, text);
  return chat;
}

describe('what is typed', () => {
  test('is told at once, and then the last of it, not each key', async () => {
    const chat = await openChat();
    await chat.nvim.input('a');
    await last(chat, 'a');
    const rest = 'bcdefghijklmnopqrstuvwxyz'.repeat(8);
    for (const key of rest) await chat.nvim.input(key);
    await last(chat, `a${rest}`);
    expect(saved(chat).length).toBeLessThan(60);
  });

  test('is told before the pause is over when insert mode or the window is left', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`
      local defer = vim.defer_fn
      vim.defer_fn = function(fn, ms) return defer(fn, ms == 100 and 60000 or ms) end`);
    await chat.nvim.input('a');
    await last(chat, 'a');
    await chat.nvim.input('b<Esc>');
    await last(chat, 'ab');
    await chat.nvim.input('xx<C-w>w');
    await last(chat, '');
  });

  test.each([
    ['its buffer is deleted', `vim.api.nvim_buf_delete(chat.prompt_buf, { force = true })`],
    ['that of the transcript is', `vim.api.nvim_buf_delete(chat.buf, { force = true })`],
    ['the session is closed', `require('acp.chat').close(chat)`],
  ])('is told before the session is closed when %s', async (_, how) => {
    const chat = await typed('first');
    await chat.nvim.lua(`
      local chat = require('acp.chat').get('s1')
      vim.api.nvim_buf_set_lines(chat.prompt_buf, 0, -1, false, { 'last words' })
      ${how}`);
    await eventually(() => expect(chat.sent('session.close')).toHaveLength(1));
    expect(texts(chat).at(-1)).toBe('last words');
  });

  test('is not told again while it is what was told last', async () => {
    const chat = await typed('a');
    await chat.nvim.input('b<BS><Esc>x');
    await last(chat, '');
    await chat.nvim.input('ua');
    await last(chat, 'a');
    expect(texts(chat).filter((text, i, all) => text === all[i - 1])).toEqual([]);
  });

  test('is told too when a plugin, a macro or :edit changes the buffer', async () => {
    const chat = await typed('a');
    await chat.nvim.lua(`
      vim.cmd.stopinsert()
      local buf = require('acp.chat').get('s1').prompt_buf
      vim.cmd.edit()
      vim.cmd.wincmd('w')
      vim.schedule(function()
        vim.api.nvim_buf_set_lines(buf, -1, -1, false, { 'from elsewhere' })
      end)`);
    await last(chat, 'a\nfrom elsewhere');
  });

  test('and what is attached are told together', async () => {
    const chat = await typed('see');
    await chat.nvim.lua(
      `local chat = require('acp.chat').get('s1')
      table.insert(chat.attachments, ...)
      require('acp.draft').changed(chat)`,
      file('a'),
    );
    await eventually(() =>
      expect(saved(chat).at(-1)).toEqual({
        session: 's1',
        draft: { text: 'see', attachments: [file('a')] },
      }),
    );
  });

  test('is not told while the sidecar does not know the session', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`require('acp.chat').get('s1').opened = false`);
    await chat.nvim.input('a<Esc>');
    await eventually(async () => expect(await chat.prompt()).toBe('a'));
    await chat.nvim.lua(`require('acp.chat').get('s1').opened = true`);
    await opening(chat);
    await last(chat, 'a');
    expect(texts(chat)).toEqual(['a']);
  });

  test('of a megabyte does not make typing wait', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`
      local lines = {}
      for i = 1, 20000 do lines[i] = ('x'):rep(50) end
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)`);
    await eventually(() => expect(texts(chat).at(-1)?.length).toBeGreaterThan(1e6));
    const spent = await chat.nvim.lua<number>(`
      local chat = require('acp.chat').get('s1')
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'y' })
      local began = vim.uv.hrtime()
      require('acp.draft').flush(chat)
      require('acp.ui.prompt').refresh(chat)
      return (vim.uv.hrtime() - began) / 1e6`);
    expect(spent).toBeLessThan(50);
    await eventually(() => expect(texts(chat).at(-1)?.startsWith('y\n')).toBe(true));
  });

  test('and deleted again is not put there by a sidecar that had heard no more when it ended', async () => {
    const chat = await typed('first');
    await chat.nvim.input('<C-u>');
    await last(chat, '');
    await chat.nvim.input('second');
    await last(chat, 'second');
    await opening(chat);
    await restore(chat, 'first');
    expect(
      await chat.nvim.lua(`return require('acp.ui.prompt').text(require('acp.chat').get('s1'))`),
    ).toBe('second');
    await opening(chat);
    await restore(chat, 'given back\nfirst');
    expect(
      await chat.nvim.lua(`return require('acp.ui.prompt').text(require('acp.chat').get('s1'))`),
    ).toBe('given back\nsecond');
  });
});

describe('a draft that comes back', () => {
  test('stands in an empty prompt, with what was attached, and the cursor behind it', async () => {
    const chat = await openChat();
    await chat.nvim.waitForScreen('/commands');
    await restore(chat, 'one\ntwo', [file('a')]);
    expect(await chat.prompt()).toBe('one\ntwo');
    expect(await attached(chat)).toEqual([file('a')]);
    await chat.nvim.input('!');
    await eventually(async () => expect(await chat.prompt()).toBe('one\ntwo!'));
  });

  test('is told of as being there, as is a prompt that comes back', async () => {
    const chat = await openChat();
    await restore(chat, 'one', [file('a')]);
    await last(chat, 'one');
    expect(saved(chat).at(-1)!.draft).toEqual({
      text: 'one',
      attachments: [file('a')],
      returned: 1,
    });
    const params = { session: 's1', text: 'two' };
    await chat.nvim.lua(`require('acp.rpc').call('prompt.restore', ...)`, params);
    await last(chat, 'two\none');
    expect(saved(chat).at(-1)!.draft).toMatchObject({ returned: 2 });
    await opening(chat);
    await chat.nvim.input('!');
    await last(chat, 'two\none!');
    expect(saved(chat).at(-1)!.draft).not.toHaveProperty('returned');
  });

  test('takes the place of what the sidecar was last told', async () => {
    const chat = await typed('typed');
    await opening(chat);
    await restore(chat, 'not sent\ntyped');
    expect(await chat.prompt()).toBe('not sent\ntyped');
  });

  test('leaves alone what was typed on since it was told', async () => {
    const chat = await typed('typed');
    await opening(chat);
    await chat.nvim.input(' more');
    await last(chat, 'typed more');
    await restore(chat, 'typed');
    expect(await chat.prompt()).toBe('typed more');
  });

  test('puts before that what could not be sent, once', async () => {
    const chat = await typed('typed');
    await opening(chat);
    await chat.nvim.input(' more');
    await last(chat, 'typed more');
    await restore(chat, 'not sent\ntyped');
    expect(await chat.prompt()).toBe('not sent\ntyped more');
    await restore(chat, 'not sent');
    expect(await chat.prompt()).toBe('not sent\ntyped more');
  });

  test('does not come back once it was sent with what was typed on', async () => {
    const chat = await typed('typed');
    await opening(chat);
    await chat.nvim.input(' more<C-s>');
    await eventually(async () => expect(await chat.prompt()).toBe(''));
    await restore(chat, 'typed');
    expect(await chat.prompt()).toBe('');
  });

  test('has no attachments that were sent meanwhile, or taken away before', async () => {
    const chat = await openChat();
    await restore(chat, 'typed', [file('a'), file('b')]);
    await chat.nvim.lua(`table.remove(require('acp.chat').get('s1').attachments, 1)`);
    await opening(chat);
    await chat.nvim.input('<C-s>');
    await eventually(async () => expect(await chat.prompt()).toBe(''));
    await restore(chat, 'typed', [file('a'), file('b'), file('c')]);
    expect(await attached(chat)).toEqual([file('c')]);
  });

  test('gives back what could not be sent, and nothing that was sent meanwhile', async () => {
    const chat = await typed('typed');
    await opening(chat);
    await chat.nvim.input('<C-s>');
    await eventually(async () => expect(await chat.prompt()).toBe(''));
    await restore(chat, 'not sent\ntyped');
    expect(await chat.prompt()).toBe('not sent');
    await last(chat, 'not sent');
  });

  test('never takes back the keys that the sidecar had not heard of', async () => {
    const chat = await typed('typed on');
    await opening(chat);
    await restore(chat, 'typed');
    expect(await chat.prompt()).toBe('typed on');
  });

  test('stands before another text that was typed meanwhile; cursor and undo go on in that', async () => {
    const chat = await typed('new');
    await chat.nvim.input('<Left>');
    await chat.nvim.lua(`require('acp.chat').get('s1').draft_told = nil`);
    await restore(chat, 'old\ntext', [file('a')]);
    expect(await chat.prompt()).toBe('old\ntext\nnew');
    await chat.nvim.input('X<Esc>');
    await eventually(async () => expect(await chat.prompt()).toBe('old\ntext\nneXw'));
    await chat.nvim.input('uu');
    await eventually(async () => expect(await chat.prompt()).not.toContain('X'));
  });

  test('attachments of both are kept, none twice', async () => {
    const chat = await openChat();
    await chat.nvim.lua(
      `local chat = require('acp.chat').get('s1')
      chat.attachments = ...`,
      [file('a'), file('b')],
    );
    await restore(chat, '', [file('c'), file('a')]);
    expect(await attached(chat)).toEqual([file('c'), file('a'), file('b')]);
  });
});

test('what comes back with a prompt that was not sent is attached again', async () => {
  const chat = await typed('typed');
  await chat.nvim.lua(`require('acp.rpc').call('prompt.restore', ...)`, {
    session: 's1',
    text: 'not sent',
    attachments: [file('a')],
  });
  expect(await chat.prompt()).toBe('not sent\ntyped');
  expect(await attached(chat)).toEqual([file('a')]);
});
