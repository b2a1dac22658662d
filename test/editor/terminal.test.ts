import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat, type ChatFixture } from './chat-fixture';

const VIEW = {
  session: 's1',
  terminal: 't',
  block: 'b1',
  title: 'make test',
  all: [],
  data: '',
  truncated: false,
  lines: 1,
  canStop: false,
};

async function show(chat: ChatFixture, more: object = {}): Promise<void> {
  await chat.nvim.input('<Esc>');
  await chat.nvim.lua(`require('acp.rpc').call('terminal.show', ...)`, { ...VIEW, ...more });
}

async function data(chat: ChatFixture, text: string, end?: string): Promise<void> {
  const params = { session: 's1', terminal: 't', data: text, ...(end && { end }) };
  await chat.nvim.lua(`require('acp.rpc').call('terminal.data', ...)`, params);
}

/** What the current buffer holds, without the empty lines at its end. */
async function text(chat: ChatFixture): Promise<string> {
  const all = await chat.nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
  return all.join('\n').trimEnd();
}

async function holds(chat: ChatFixture, wanted: string): Promise<void> {
  await eventually(async () => expect(await text(chat)).toBe(wanted));
}

describe('the terminal of a card', () => {
  it('is a buffer of a terminal with the output in its colours, and goes on as it comes', async () => {
    const chat = await openChat();
    await show(chat, { data: '\u001b[31mred\u001b[0m\n 10%' });
    await holds(chat, 'red\n 10%');
    expect(await chat.nvim.lua('return vim.bo.buftype')).toBe('terminal');
    await data(chat, '\r100%\ndone\n');
    await holds(chat, 'red\n100%\ndone');
    await chat.nvim.waitForScreen(/make test ─+ running/);
    await data(chat, '', 'exit 3');
    await chat.nvim.waitForScreen(/make test ─+ exit 3/);
    const cell = chat.nvim.find('red')!;
    expect(cell).toBeDefined();
  });

  it('follows the output at its end, and stays where the user looks', async () => {
    const chat = await openChat();
    await show(chat, { data: `${numbered(200).join('\n')}\n` });
    await chat.nvim.waitForScreen('line 200');
    await data(chat, `${numbered(100, 'more').join('\n')}\n`);
    await chat.nvim.waitForScreen('more 100');
    await chat.nvim.input('gg');
    await chat.nvim.waitForScreen('line 1 ');
    await data(chat, 'last\n');
    await eventually(async () => expect(await text(chat)).toMatch(/last$/));
    expect(chat.nvim.screen()).toMatch(/line 1 /);
  });

  it('can be searched', async () => {
    const chat = await openChat();
    await show(chat, { data: `${numbered(200).join('\n')}\n`, end: 'exit 0', lines: 201 });
    await chat.nvim.waitForScreen('line 200');
    await chat.nvim.input('?line 17$<CR>');
    await eventually(async () => {
      expect(await chat.nvim.lua('return vim.api.nvim_get_current_line()')).toBe('line 17');
    });
  });

  it('takes no input: who begins to type is back at once, and a startinsert in TermOpen is not for it', async () => {
    const chat = await openChat({ init: `vim.cmd('autocmd TermOpen * startinsert')` });
    await show(chat, { data: 'output\n' });
    await holds(chat, 'output');
    expect(chat.nvim.mode).toBe('normal');
    await chat.nvim.input('i');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
    expect(await chat.nvim.lua('return vim.o.eventignore')).toBe('');
  });

  it('closes on q, and then nobody follows it any more; the cursor is where it was', async () => {
    const chat = await openChat();
    await chat.focusTranscript();
    const before = await chat.nvim.lua('return vim.api.nvim_get_current_win()');
    await show(chat);
    await chat.nvim.input('q');
    await eventually(() => {
      expect(chat.sent('terminal.close')).toEqual([{ session: 's1', terminal: 't' }]);
    });
    expect(await chat.nvim.lua('return vim.api.nvim_get_current_win()')).toBe(before);
    await data(chat, 'late\n', 'exit 0');
    const buffers = `return #vim.tbl_filter(function(buf) return vim.bo[buf].buftype == 'terminal' end, vim.api.nvim_list_bufs())`;
    expect(await chat.nvim.lua(buffers)).toBe(0);
  });

  it('stops the command on <C-x>, where that can be done, and says so', async () => {
    const chat = await openChat();
    await show(chat, { canStop: true });
    await chat.nvim.waitForScreen('K details · <C-x> stop · q close');
    await chat.nvim.input('<C-x>');
    await eventually(() => {
      expect(chat.sent('terminal.stop')).toEqual([{ session: 's1', terminal: 't' }]);
    });
    await data(chat, '', 'ended by SIGTERM');
    await chat.nvim.waitForScreen(/ended by SIGTERM/);
    expect(chat.nvim.screen()).not.toContain('<C-x> stop');
  });

  it('shows all else about the call on K', async () => {
    const chat = await openChat();
    await show(chat);
    await chat.nvim.input('K');
    await eventually(() => {
      expect(chat.sent('block.inspect')).toEqual([{ session: 's1', block: 'b1', details: true }]);
    });
  });

  it('goes round the terminals of its card, in one window', async () => {
    const chat = await openChat();
    const all = ['t', 'u', 'v'];
    await show(chat, { all, data: 'first\n' });
    await chat.nvim.waitForScreen(/1 of 3 · running/);
    await chat.nvim.input(']t');
    await eventually(() => {
      expect(chat.sent('terminal.open')).toEqual([{ session: 's1', terminal: 'u' }]);
    });
    await chat.nvim.lua(`require('acp.rpc').call('terminal.show', ...)`, {
      ...VIEW,
      all,
      terminal: 'u',
      data: 'second\n',
    });
    await holds(chat, 'second');
    await chat.nvim.waitForScreen(/2 of 3/);
    expect(chat.sent('terminal.close')).toEqual([{ session: 's1', terminal: 't' }]);
    await chat.nvim.input('[t');
    await eventually(() => {
      expect(chat.sent('terminal.open').at(-1)).toEqual({ session: 's1', terminal: 't' });
    });
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
  });

  it('opens the path at the cursor on gf, as the command means it, and closes', async () => {
    const chat = await openChat();
    const folder = join(chat.nvim.dir, 'sub');
    await chat.nvim.lua('vim.fn.mkdir(...)', folder);
    writeFileSync(join(folder, 'a.c'), 'one\ntwo\nthree\n');
    await show(chat, { cwd: folder, data: 'a.c:2:3: error: no\n', end: 'exit 1', lines: 2 });
    await holds(chat, 'a.c:2:3: error: no');
    await chat.nvim.input('gggf');
    await eventually(async () => {
      const place = `return { vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0) }`;
      expect(await chat.nvim.lua(place)).toEqual([join(folder, 'a.c'), [2, 2]]);
    });
    expect(chat.nvim.screen()).not.toContain('make test');
  });

  it('opens the address at the cursor on gx', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.ui.open = function(url) vim.g.opened = url end`);
    await show(chat, { data: 'see https://example.org/a?b=c\n', end: 'exit 0', lines: 2 });
    await holds(chat, 'see https://example.org/a?b=c');
    await chat.nvim.input('ggwgx');
    await eventually(async () => {
      expect(await chat.nvim.lua('return vim.g.opened')).toBe('https://example.org/a?b=c');
    });
  });

  it('says that its end is not known, where the sidecar is gone', async () => {
    const chat = await openChat();
    await show(chat, { canStop: true });
    await chat.nvim.lua(`require('acp.incoming').sidecar_lost(1)`);
    await chat.nvim.waitForScreen(/make test ─+ end unknown/);
    await chat.nvim.input('<C-x>Kq');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
    expect(chat.sent('terminal.stop')).toEqual([]);
    expect(chat.sent('terminal.close')).toEqual([]);
  });

  it('is as high as an output that has ended, and fits on the screen when that gets smaller', async () => {
    const chat = await openChat();
    await show(chat, { data: 'a\nb\n', end: 'exit 0', lines: 3 });
    await holds(chat, 'a\nb');
    expect(await chat.nvim.lua('return vim.api.nvim_win_get_height(0)')).toBe(3);
    await show(chat, { terminal: 'u', data: 'long\n' });
    await holds(chat, 'long');
    await chat.nvim.resize(50, 12);
    await eventually(async () => {
      const size = `return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_height(0) }`;
      expect(await chat.nvim.lua(size)).toEqual([48, 8]);
    });
  });
});
