import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import type { Nvim } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const at = (position: string, more = '') =>
  `vim.g.test_options = { layout = { position = '${position}' ${more} } }`;

/** Names of the buffers in the windows of the tab, as the window layout nests them. */
const windows = (nvim: Nvim) =>
  nvim.lua<unknown>(`
    local function names(node)
      if node[1] == 'leaf' then
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(node[2]))
        return name:find('/prompt$') and 'prompt' or name:find('^acp:') and 'chat' or 'code'
      end
      return { node[1], vim.tbl_map(names, node[2]) }
    end
    return names(vim.fn.winlayout())`);

const hide = (chat: ChatFixture) =>
  chat.nvim.command(`lua require('acp.chat').hide(require('acp.chat').get('s1'))`);
const reopen = (chat: ChatFixture) => chat.nvim.command(`lua require('acp.chat').open()`);

describe('positions', () => {
  test.each([
    ['right', ['row', ['code', ['col', ['chat', 'prompt']]]]],
    ['left', ['row', [['col', ['chat', 'prompt']], 'code']]],
    ['bottom', ['col', ['code', 'chat', 'prompt']]],
    ['top', ['col', ['chat', 'prompt', 'code']]],
    ['current', ['col', ['chat', 'prompt']]],
    ['tab', ['col', ['chat', 'prompt']]],
    ['float', 'code'],
  ])('%s: opens there, and hiding leaves the windows as they were', async (position, expected) => {
    const chat = await openChat({ init: at(position) });
    await chat.ops(put('a', ['hello']));
    await chat.nvim.waitForScreen('hello');
    expect(await windows(chat.nvim)).toEqual(expected);
    const place = await chat.nvim.lua(`return vim.bo.filetype`);
    expect(place).toBe('acp-prompt');
    await hide(chat);
    expect(await windows(chat.nvim)).toBe('code');
    expect(
      await chat.nvim.lua(`return { #vim.api.nvim_list_wins(), #vim.api.nvim_list_tabpages() }`),
    ).toEqual([1, 1]);
    await reopen(chat);
    await chat.nvim.waitForScreen('hello');
    expect(await windows(chat.nvim)).toEqual(expected);
  });

  test.each(['right', 'left'])(
    '%s: on a screen that is too narrow for two it opens at the bottom',
    async (position) => {
      const { nvim } = await openChat({ init: at(position), columns: 59 });
      expect(await windows(nvim)).toEqual(['col', ['code', 'chat', 'prompt']]);
      expect(await nvim.lua(`return vim.api.nvim_win_get_width(0)`)).toBe(59);
    },
  );

  test('float: both windows have a border all round', async () => {
    const { nvim } = await openChat({ init: at('float') });
    await eventually(() => {
      for (const corner of ['╭', '╮', '╰', '╯'])
        expect(nvim.screen().split(corner)).toHaveLength(3);
    });
  });

  test('current: the window gets its buffer and its own options back', async () => {
    const chat = await openChat({ init: `vim.o.number = true; ${at('current')}` });
    await hide(chat);
    const options = await chat.nvim.lua(`
      return { vim.wo.number, vim.wo.winfixbuf, vim.wo.winbar, vim.wo.foldenable, vim.wo.statusline == vim.go.statusline }`);
    expect(options).toEqual([true, false, '', true, true]);
  });

  test('windows show plain text whatever the user has set for code', async () => {
    const chat = await openChat({
      init: `vim.o.number = true; vim.o.signcolumn = 'yes'; vim.o.list = true; vim.o.wrap = false; vim.o.cursorline = true`,
    });
    const options = `return vim.iter({ 'number', 'signcolumn', 'list', 'wrap', 'cursorline', 'winfixbuf' }):map(
      function(name) return vim.wo[name] end):totable()`;
    expect(await chat.nvim.lua(options)).toEqual([false, 'no', false, true, false, true]);
    await chat.focusTranscript();
    expect(await chat.nvim.lua(options)).toEqual([false, 'no', false, true, false, true]);
  });

  test('a fraction or a number of cells sets the size, and the share stays when the screen changes', async () => {
    const chat = await openChat({ init: at('right', ', width = 0.5'), columns: 120 });
    const width = () => chat.nvim.lua(`return vim.api.nvim_win_get_width(0)`);
    expect(await width()).toBe(60);
    await chat.nvim.resize(80, 30);
    await eventually(async () => expect(await width()).toBe(40));
    const fixed = await openChat({ init: at('right', ', width = 33') });
    expect(await fixed.nvim.lua(`return vim.api.nvim_win_get_width(0)`)).toBe(33);
  });

  test('the same chat can be in two tabs at once', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(3)));
    await chat.nvim.command(
      `lua vim.cmd.tabnew() require('acp.ui.layout').open(require('acp.chat').get('s1'))`,
    );
    await chat.ops({ op: 'append', id: 'a', text: '\nboth', marks: [] });
    await chat.nvim.waitForScreen('both');
    await chat.nvim.command('stopinsert | tabprevious');
    await chat.nvim.waitForScreen('both');
    await hide(chat);
    expect(await windows(chat.nvim)).toBe('code');
    await chat.nvim.command('tabnext');
    expect(await windows(chat.nvim)).toEqual(['row', ['code', ['col', ['chat', 'prompt']]]]);
  });
});

describe('status lines', () => {
  const shown = (chat: ChatFixture) =>
    chat.nvim.lua(`
      local layout, chat = require('acp.ui.layout'), require('acp.chat').get('s1')
      return vim.tbl_map(function(win)
        return vim.api.nvim_get_option_value('statusline', { win = win, scope = 'local' })
      end, { layout.visible(chat), layout.prompt_win(chat) })`);

  test('are a rule, and the name of the agent', async () => {
    const chat = await openChat({ columns: 120, lines: 24 });
    await chat.nvim.waitForScreen(/─────$/);
    expect(chat.nvim.screen().split('\n').at(-2)).toMatch(/^\[No Name\].* {2}tester$/);
  });

  test("are the one of all windows where 'laststatus' is 3, also when it becomes so later", async () => {
    const chat = await openChat({ init: `vim.o.laststatus = 3` });
    expect(await shown(chat)).toEqual(['', '']);
    await chat.nvim.command('set laststatus=2');
    expect(await shown(chat)).toEqual(['%#WinSeparator#%=', ' tester']);
    await chat.nvim.command('set laststatus=3');
    expect(await shown(chat)).toEqual(['', '']);
  });

  test("of the prompt is the user's where there is one", async () => {
    const chat = await openChat({ init: `vim.o.statusline = '%f mine'` });
    expect(await shown(chat)).toEqual(['%#WinSeparator#%=', '']);
    await chat.nvim.command('set statusline&');
    expect(await shown(chat)).toEqual(['%#WinSeparator#%=', ' tester']);
    await chat.nvim.command('set statusline=%t');
    expect(await shown(chat)).toEqual(['%#WinSeparator#%=', '']);
  });
});

describe('closing', () => {
  test.each([
    ['q', 'transcript'],
    [':q<CR>', 'transcript'],
    ['<C-w>c', 'prompt'],
    ['q', 'prompt'],
    ['ZZ', 'prompt'],
  ])('%s in the %s hides both windows and goes back to the code', async (keys, where) => {
    const chat = await openChat();
    if (where === 'transcript') await chat.focusTranscript();
    await chat.nvim.input(`<Esc>${keys}`);
    await eventually(async () => expect(await windows(chat.nvim)).toBe('code'));
    expect(chat.nvim.mode).toBe('normal');
    await chat.ops(put('a', ['goes on']));
    expect(await chat.lines()).toEqual(['goes on']);
  });

  test(':q ends Neovim where the chat has the last windows', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>:only<CR>');
    await eventually(async () =>
      expect(await windows(chat.nvim)).toEqual(['col', ['chat', 'prompt']]),
    );
    await chat.nvim.input(':q<CR>');
    expect(await chat.nvim.exited).toBe(0);
  });

  test(':q that would lose a change elsewhere leaves the chat whole', async () => {
    const chat = await openChat();
    await chat.nvim.command(`lua vim.api.nvim_buf_set_lines(1, 0, -1, false, { 'unsaved' })`);
    await chat.nvim.input('<Esc>:only<CR>');
    await eventually(async () =>
      expect(await windows(chat.nvim)).toEqual(['col', ['chat', 'prompt']]),
    );
    await chat.nvim.input(':q<CR><CR>');
    await eventually(async () => expect(await chat.nvim.messages()).toMatch(/E37|E162/));
    await eventually(async () => {
      const shown = JSON.stringify(await windows(chat.nvim));
      expect(shown).toMatch(/^(\["col",\["chat","prompt"\]\]|"code")$/);
    });
  });

  test(':qa is never held up', async () => {
    const chat = await openChat();
    await chat.nvim.input('a draft<Esc>');
    await chat.nvim.input(':qa<CR>');
    expect(await chat.nvim.exited).toBe(0);
  });

  test('q where the chat has the last windows shows another buffer', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>:only<CR>');
    await eventually(async () =>
      expect(await windows(chat.nvim)).toEqual(['col', ['chat', 'prompt']]),
    );
    await chat.nvim.input('q');
    await eventually(async () => expect(await windows(chat.nvim)).toBe('code'));
  });

  test('wiping out a buffer closes the session and takes the windows along', async () => {
    const chat = await openChat();
    await chat.nvim.command('stopinsert | bwipeout!');
    await eventually(async () => expect(await windows(chat.nvim)).toBe('code'));
    await eventually(() => expect(chat.sent('session.close')).toEqual([{ session: 's1' }]));
    expect(await chat.nvim.lua(`return require('acp.chat').get('s1') == nil`)).toBe(true);
  });
});

describe('floats', () => {
  test('fit on the screen however large they want to be', async () => {
    const chat = await openChat({ columns: 60, lines: 15 });
    const size = await chat.nvim.lua(`
      local buf = vim.api.nvim_create_buf(false, true)
      local win = require('acp.ui.layout').float(buf, { width = 500, height = 500, title = ' T ' })
      return { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win), win == vim.api.nvim_get_current_win() }`);
    expect(size).toEqual([58, 11, true]);
    await chat.nvim.waitForScreen('╭ T ─');
  });

  test('details are shown with the colours of their language and close with q', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.cmd.stopinsert() require('acp.rpc').call('detail.show', ...)`, {
      session: 's1',
      title: 'Read a.lua',
      lines: ['local x = 1', 'return x'],
      filetype: 'lua',
    });
    const { row, col } = await chat.nvim.waitForScreen('local x');
    await chat.nvim.waitForScreen('Read a.lua');
    expect(chat.nvim.attrsAt(row, col)).not.toEqual(chat.nvim.attrsAt(row, col + 5));
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.find('Read a.lua')).toBeUndefined());
  });
});
