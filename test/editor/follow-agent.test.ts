import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

interface Followed {
  chat: ChatFixture;
  /** The window for code. */
  win: number;
  path: (name: string) => string;
}

/** A chat beside a window for code that shows line 40 of `mine.txt`, with the cursor in the chat. */
async function beside(options: { lines?: number; init?: string } = {}): Promise<Followed> {
  const chat = await openChat({ columns: 140, lines: 30, ...options });
  const { nvim } = chat;
  const path = (name: string) => join(nvim.dir, name);
  for (const name of ['mine.txt', 'a.txt', 'b.txt'])
    writeFileSync(path(name), numbered(100, name).join('\n'));
  await nvim.lua(`vim.cmd.stopinsert()`);
  await nvim.command('wincmd h');
  const win = await nvim.lua<number>(
    `vim.cmd.edit(...) vim.fn.winrestview({ topline = 30, lnum = 40 })
    return vim.api.nvim_get_current_win()`,
    path('mine.txt'),
  );
  await chat.focusTranscript();
  await chat.status({ state: 'working', cwd: nvim.dir });
  return { chat, win, path };
}

const follow = ({ chat }: Followed): Promise<unknown> =>
  chat.nvim.lua(`require('acp.ui.follow_agent').toggle()`);

const works = ({ chat, path }: Followed, name: string, line?: number): Promise<void> =>
  chat.status({ location: { path: path(name), ...(line && { line }) } });

/** `name:line` in the window for code. */
const at = ({ chat, win }: Followed): Promise<string> =>
  chat.nvim.lua(
    `local win = ...
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
    return name .. ':' .. vim.api.nvim_win_get_cursor(win)[1]`,
    win,
  );

const isAt = (followed: Followed, place: string): Promise<void> =>
  eventually(async () => expect(await at(followed)).toBe(place));

/** Waits until a move that was due would have been made. */
async function settled(followed: Followed): Promise<void> {
  const { nvim } = followed.chat;
  await nvim.lua(`vim.defer_fn(function() vim.g.settled = true end, 600)`);
  await eventually(async () => expect(await nvim.lua(`return vim.g.settled`)).toBe(true));
  await nvim.lua(`vim.g.settled = nil`);
}

describe('a window that follows', () => {
  test('is none before it is asked for', async () => {
    const followed = await beside();
    await works(followed, 'a.txt', 50);
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
    expect(followed.chat.nvim.screen()).not.toContain('following');
  });

  test('goes where the agent works, to the line in its middle, without taking focus', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    const current = await nvim.lua(`return vim.api.nvim_get_current_win()`);
    await follow(followed);
    await works(followed, 'a.txt', 50);
    await isAt(followed, 'a.txt:50');
    await works(followed, 'b.txt', 7);
    await isAt(followed, 'b.txt:7');
    await works(followed, 'b.txt');
    await works(followed, 'a.txt', 1000);
    await isAt(followed, 'a.txt:100');
    expect(await nvim.lua(`return vim.api.nvim_get_current_win()`)).toBe(current);
    expect(await nvim.lua(`return #vim.fn.getjumplist(...)[1]`, followed.win)).toBeLessThan(3);
  });

  test('goes at once where the agent is, and marks the line', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await nvim.lua(`vim.api.nvim_set_hl(0, 'AcpFollowLine', { bg = '#000033' })`);
    await works(followed, 'a.txt', 50);
    await follow(followed);
    await isAt(followed, 'a.txt:50');
    const { row, col } = await nvim.waitForScreen('a.txt 50');
    await eventually(() => expect(nvim.attrsAt(row, col + 30).bg).toBe('#000033'));
    expect(nvim.attrsAt(row - 1, col).bg).not.toBe('#000033');
  });

  test('is said to in the winbar of the chat', async () => {
    const followed = await beside();
    await follow(followed);
    await followed.chat.nvim.waitForScreen('following');
    await follow(followed);
    await eventually(() => expect(followed.chat.nvim.screen()).not.toContain('following'));
  });

  test('moves ten times a second at most', async () => {
    const followed = await beside();
    await follow(followed);
    await works(followed, 'a.txt', 1);
    await isAt(followed, 'a.txt:1');
    await followed.chat.nvim.lua(`
      moves = 0
      vim.api.nvim_create_autocmd('BufWinEnter', { callback = function() moves = moves + 1 end })`);
    for (let line = 2; line < 60; line++) await works(followed, line % 2 ? 'a.txt' : 'b.txt', line);
    await isAt(followed, 'a.txt:59');
    expect(await followed.chat.nvim.lua(`return moves`)).toBeLessThan(30);
  });

  test('is the current one where that is for code', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await nvim.command('wincmd h');
    const win = await nvim.lua<number>(`vim.cmd.vsplit() return vim.api.nvim_get_current_win()`);
    await follow(followed);
    await works(followed, 'a.txt', 5);
    await isAt({ ...followed, win }, 'a.txt:5');
    expect(await at(followed)).toBe('mine.txt:40');
  });

  test.each([
    ['is missing', 'gone.txt'],
    ['is a folder', '.'],
    ['has NUL in its name', 'a\0.txt'],
  ])('stays where it is when what the agent names %s', async (_, name) => {
    const followed = await beside();
    await follow(followed);
    await works(followed, 'a.txt', 5);
    await isAt(followed, 'a.txt:5');
    await works(followed, name, 1);
    await settled(followed);
    expect(await at(followed)).toBe('a.txt:5');
    await works(followed, 'b.txt', 5);
    await isAt(followed, 'b.txt:5');
  });

  test.runIf(process.getuid?.() !== 0)('stays where a file can’t be read', async () => {
    const followed = await beside();
    chmodSync(followed.path('a.txt'), 0);
    await follow(followed);
    await works(followed, 'a.txt', 5);
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
  });

  test('that is fixed to its buffer, or would lose changes, stays', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await follow(followed);
    await nvim.lua(`vim.wo[...].winfixbuf = true`, followed.win);
    await works(followed, 'a.txt', 5);
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
    await nvim.lua(
      `vim.o.hidden = false
      vim.wo[...].winfixbuf = false
      vim.bo[vim.api.nvim_win_get_buf(...)].modified = true`,
      followed.win,
    );
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
    await nvim.lua(`vim.bo[vim.api.nvim_win_get_buf(...)].modified = false`, followed.win);
    await isAt(followed, 'a.txt:5');
  });

  test('opens a file that has a swap file without a question', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await nvim.lua(`vim.o.swapfile = true`);
    await nvim.lua(
      `for _, group in ipairs({ 'nvim_swapfile', 'nvim.swapfile' }) do
        pcall(vim.api.nvim_clear_autocmds, { group = group })
      end
      local path = ...
      vim.cmd.badd(path)
      vim.fn.bufload(path)
      local swap = vim.fn.swapname(vim.fn.bufnr(path))
      vim.uv.fs_copyfile(swap, path .. '.kept')
      vim.cmd.bwipeout(path)
      vim.uv.fs_copyfile(path .. '.kept', swap)`,
      followed.path('a.txt'),
    );
    await follow(followed);
    await works(followed, 'a.txt', 5);
    await isAt(followed, 'a.txt:5');
  });
});

describe('its user', () => {
  test('is left alone in insert mode, and for a while after moving there', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await follow(followed);
    await nvim.command('wincmd h');
    await nvim.input('A typed');
    await works(followed, 'a.txt', 5);
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
    await nvim.input(' more<Esc>');
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
    expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toContain('typed more');
    await isAt(followed, 'a.txt:5');
  });

  test('stays where they have gone on when it ends', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await follow(followed);
    await works(followed, 'a.txt', 50);
    await isAt(followed, 'a.txt:50');
    await nvim.command('wincmd h');
    await nvim.input('jj');
    await isAt(followed, 'a.txt:52');
    await eventually(() => expect(nvim.cursor.row).toBeGreaterThan(0));
    await follow(followed);
    expect(await at(followed)).toBe('a.txt:52');
    expect(await nvim.lua(`return vim.bo.buflisted`)).toBe(true);
  });

  test('who only looks in has the window back as it was', async () => {
    const followed = await beside();
    await follow(followed);
    await works(followed, 'a.txt', 50);
    await isAt(followed, 'a.txt:50');
    await followed.chat.nvim.command('wincmd h');
    await works(followed, 'b.txt', 5);
    await isAt(followed, 'b.txt:5');
    await follow(followed);
    await isAt(followed, 'mine.txt:40');
  });
});

describe('when it ends', () => {
  test.each([
    ['by hand', follow],
    ['with the turn', ({ chat }: Followed) => chat.status({ state: 'idle' })],
    ['with the agent', ({ chat }: Followed) => chat.status({ state: 'dead' })],
  ])('%s, the window is back where it was, and nothing is left over', async (_, end) => {
    const followed = await beside();
    const { nvim } = followed.chat;
    const bufs = () => nvim.lua(`return #vim.api.nvim_list_bufs()`);
    const view = () =>
      nvim.lua(`return vim.api.nvim_win_call(..., vim.fn.winsaveview)`, followed.win);
    const before = [await bufs(), await view()];
    await follow(followed);
    await works(followed, 'a.txt', 50);
    await isAt(followed, 'a.txt:50');
    await followed.chat.status({ state: 'waiting' });
    await works(followed, 'b.txt', 5);
    await isAt(followed, 'b.txt:5');
    await end(followed);
    await isAt(followed, 'mine.txt:40');
    expect([await bufs(), await view()]).toEqual(before);
    await works(followed, 'a.txt', 1);
    await settled(followed);
    expect(await at(followed)).toBe('mine.txt:40');
  });

  test('a window that showed a proposal meanwhile is back where it was, too', async () => {
    const followed = await beside();
    await follow(followed);
    await works(followed, 'a.txt', 50);
    await isAt(followed, 'a.txt:50');
    await followed.chat.nvim.lua(
      `local win, borrow = ..., require('acp.ui.borrow')
      local former = vim.api.nvim_win_get_buf(win)
      borrow.put(win, vim.api.nvim_create_buf(false, true))
      borrow.put(win, former)`,
      followed.win,
    );
    await follow(followed);
    await isAt(followed, 'mine.txt:40');
  });

  test('begun between turns it waits for the next one', async () => {
    const followed = await beside();
    await followed.chat.status({ state: 'idle' });
    await follow(followed);
    await followed.chat.status({ state: 'working' });
    await works(followed, 'a.txt', 5);
    await isAt(followed, 'a.txt:5');
    await followed.chat.status({ state: 'idle' });
    await isAt(followed, 'mine.txt:40');
  });

  test.each(['window is closed', 'chat is wiped out'])('%s quietly', async (how) => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await follow(followed);
    await works(followed, 'a.txt', 5);
    await isAt(followed, 'a.txt:5');
    if (how === 'window is closed')
      await nvim.lua(`vim.api.nvim_win_close(..., true)`, followed.win);
    else
      await nvim.lua(
        `vim.api.nvim_buf_delete(require('acp.chat').get('s1').buf, { force = true })`,
      );
    await eventually(async () =>
      expect(await nvim.lua(`return require('acp.ui.follow_agent').following('s1')`)).toBe(false),
    );
    await works(followed, 'b.txt', 5);
    await settled(followed);
    expect(await nvim.messages()).not.toMatch(/E\d+|rror/);
  });

  test('without a chat it says so', async () => {
    const followed = await beside();
    const { nvim } = followed.chat;
    await nvim.lua(`vim.api.nvim_buf_delete(require('acp.chat').get('s1').buf, { force = true })`);
    await eventually(async () =>
      expect(await nvim.lua(`return require('acp.chat').current() == nil`)).toBe(true),
    );
    await follow(followed);
    await eventually(async () => expect(await nvim.messages()).toContain('there is no chat yet'));
  });
});
