/** What users and other plugins do to the windows of a chat. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const at = (position: string) => `vim.g.test_options = { layout = { position = '${position}' } }; `;

/** For each tab, what its windows show. */
const tabs = (chat: ChatFixture) =>
  chat.nvim.lua<string[][]>(`
    return vim.tbl_map(function(tab)
      return vim.tbl_map(function(win)
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
        return name:find('/prompt$') and 'prompt' or name:find('^acp:') and 'chat' or 'code'
      end, vim.api.nvim_tabpage_list_wins(tab))
    end, vim.api.nvim_list_tabpages())`);

/** Runs an Ex command in a window of the chat. */
const run = (chat: ChatFixture, which: 'visible' | 'prompt_win', command: string) =>
  chat.nvim.lua(
    `local which, command = ...
    vim.cmd.stopinsert()
    vim.api.nvim_set_current_win(require('acp.ui.layout')[which](require('acp.chat').get('s1')))
    vim.cmd(command)`,
    which,
    command,
  );

const open = (chat: ChatFixture) => chat.nvim.lua(`require('acp.chat').open()`);

describe.each(['right', 'bottom', 'tab', 'float', 'current'])(
  'a screen of 20×5: %s',
  (position) => {
    test('has a chat without a message, which can be hidden', async () => {
      const chat = await openChat({ columns: 20, lines: 5, init: at(position) });
      await chat.ops(put('a', numbered(20)));
      await chat.nvim.lua(`
      local chat = require('acp.chat').get('s1')
      chat.attachments = { { type = 'text', path = '/a/b', text = 'x' } }
      require('acp.ui.prompt').show_attachments(chat)`);
      expect(await chat.nvim.messages()).toBe('');
      expect((await tabs(chat)).flat().filter((it) => it !== 'code')).toHaveLength(2);
      await chat.nvim.lua(`require('acp').hide()`);
      expect(await tabs(chat)).toEqual([['code']]);
    });
  },
);

test('where there is no room beside many windows, the chat floats', async () => {
  const chat = await openChat({
    columns: 60,
    lines: 12,
    init: `for _ = 1, 12 do vim.cmd('silent! split') end; ${at('bottom')}`,
  });
  expect((await tabs(chat))[0]).toEqual(expect.arrayContaining(['chat', 'prompt']));
  expect(await chat.nvim.lua('return vim.api.nvim_win_get_config(0).relative')).toBe('editor');
  expect(await chat.nvim.messages()).toBe('');
});

test('current: a changed buffer keeps its window when ‘hidden’ is off', async () => {
  const chat = await openChat({
    init: `vim.o.hidden = false; vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' }); ${at('current')}`,
  });
  expect(await chat.nvim.messages()).toBe('');
  expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]);
});

test.each(['visible', 'prompt_win'] as const)('<C-w>T on the %s moves the chat', async (which) => {
  const chat = await openChat();
  await chat.ops(put('a', ['hello']));
  await run(chat, which, 'wincmd T');
  await eventually(async () => expect(await tabs(chat)).toEqual([['code'], ['chat', 'prompt']]));
  await chat.nvim.waitForScreen('hello');
  await chat.nvim.input('q');
  await eventually(async () => expect(await tabs(chat)).toEqual([['code']]));
});

test('hiding takes along what was split from its windows', async () => {
  const chat = await openChat();
  await run(chat, 'visible', 'split');
  await chat.nvim.lua(`require('acp').hide()`);
  expect(await tabs(chat)).toEqual([['code']]);
  await run(chat, 'visible', 'tab split').catch(() => open(chat));
  await run(chat, 'visible', 'tab split');
  await chat.nvim.input('q');
  await eventually(async () => expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]));
});

describe('closed with :noautocmd', () => {
  test('both windows: it opens again', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.cmd.stopinsert() vim.cmd('wincmd t | noautocmd only')`);
    await chat.nvim.resize(100, 30);
    await open(chat);
    expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]);
  });

  test.each(['visible', 'prompt_win'] as const)('the %s: opening brings it back', async (which) => {
    const chat = await openChat();
    await run(chat, which, 'noautocmd close');
    await open(chat);
    expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]);
    expect(await chat.nvim.messages()).toBe('');
  });
});

test('autocommands of others that go to other windows or close them do no harm', async () => {
  const chat = await openChat({
    init: `vim.api.nvim_create_autocmd('BufWinEnter', {
      pattern = 'acp://*',
      callback = function() vim.cmd('silent! only') end,
    })`,
  });
  await chat.ops(put('a', ['hello']));
  expect(await chat.nvim.messages()).toBe('');
});

test('autocommands of others that throw do not keep the chat from opening', async () => {
  const chat = await openChat();
  await chat.nvim.lua(`
    require('acp').hide()
    vim.o.cmdheight = 25
    vim.api.nvim_create_autocmd({ 'WinNew', 'FileType' }, {
      callback = function() error('theirs', 0) end,
    })`);
  await chat.nvim.input(':lua require("acp.chat").open()<CR>');
  await eventually(async () => expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]));
  expect(await chat.nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
});

test('gf from a window whose buffer has changes opens a window when ‘hidden’ is off', async () => {
  const chat = await openChat({
    init: `vim.o.hidden = false; vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })`,
  });
  await chat.nvim.lua(`vim.fn.writefile({ 'one', 'two' }, 'a.txt')`);
  await chat.ops(put('a', ['see a.txt:2']));
  await chat.focusTranscript();
  await chat.nvim.input('ggwgf');
  await eventually(async () =>
    expect(await chat.nvim.lua(`return { vim.fn.expand('%:t'), vim.fn.line('.') }`)).toEqual([
      'a.txt',
      2,
    ]),
  );
  expect(await chat.nvim.messages()).not.toContain('E37');
  expect((await tabs(chat))[0]).toEqual(['code', 'code', 'chat', 'prompt']);
});

describe.each(['right', 'left', 'bottom', 'top', 'current', 'float', 'tab'])(
  'hidden again: %s',
  (position) => {
    test.each([
      '',
      `vim.o.splitright = true; vim.o.splitbelow = true`,
      `vim.o.equalalways = false`,
      `vim.o.laststatus = 3`,
    ])(
      'windows have their sizes, and cursor, previous window and registers are where they were: %s',
      async (options) => {
        const chat = await openChat({ init: `${options} ${at(position)}` });
        const state = `return {
        vim.tbl_map(function(win)
          return { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) }
        end, vim.api.nvim_list_wins()),
        vim.fn.winnr(), vim.fn.winnr('#'), vim.fn.expand('#:t'), vim.fn.getreginfo('"'), vim.fn.getreg('/'),
        vim.fn.getjumplist()[2], vim.o.eventignore }`;
        const before = await chat.nvim.lua(`
        require('acp').hide()
        vim.cmd('silent edit a | silent edit b | vsplit | split | wincmd t')
        vim.cmd('vertical resize 20 | 2resize 7')
        vim.fn.setreg('"', 'yanked')
        vim.fn.setreg('/', 'pattern')
        ${state}`);
        await open(chat);
        await chat.ops(put('a', numbered(30)));
        const after = await chat.nvim.lua(`require('acp').hide() ${state}`);
        expect(after).toEqual(before);
      },
    );
  },
);

describe(':mksession with a chat open', () => {
  const save = async (chat: ChatFixture) => {
    await chat.nvim.input('<Esc>');
    const path = join(chat.nvim.dir, 'Session.vim');
    await chat.nvim.command(`wincmd t | edit a.txt | wincmd b | mksession! ${path}`);
    return path;
  };

  test('is read without an error where the chat still is, and the chat opens again', async () => {
    const chat = await openChat();
    const path = await save(chat);
    await chat.nvim.command(`source ${path}`);
    expect(await tabs(chat)).toEqual([['code']]);
    expect(await chat.nvim.lua(`return vim.fn.expand('%:t')`)).toBe('a.txt');
    await open(chat);
    expect(await tabs(chat)).toEqual([['code', 'chat', 'prompt']]);
    await chat.ops(put('a', ['still here']));
    await chat.nvim.waitForScreen('still here');
  });

  test('is read elsewhere without the chat, whose name is free', async () => {
    const path = await save(await openChat());
    const nvim = await startNvim();
    await nvim.command(`source ${path}`);
    expect(await nvim.lua(`return { vim.fn.winnr('$'), vim.fn.expand('%:t') }`)).toEqual([
      1,
      'a.txt',
    ]);
    expect(await nvim.lua(`return vim.fn.bufnr('acp://')`)).toBe(-1);
    expect(await nvim.messages()).not.toMatch(/E\d+/);
  });
});
