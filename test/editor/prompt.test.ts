import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const typed = (chat: ChatFixture, text: string) =>
  eventually(async () => expect(await chat.prompt()).toBe(text));
/** What was sent; nothing stays in the prompt. */
const sent = (chat: ChatFixture) =>
  chat.sent('prompt.send').map((params) => {
    const { draft, at, ...prompt } = params as { draft: unknown; at: number };
    expect(at).toBeGreaterThan(0);
    expect(draft).toEqual({ text: '', attachments: [] });
    return prompt;
  });

describe('sending', () => {
  test('several lines go with <C-s> in insert mode, and the prompt is empty and in normal mode then', async () => {
    const chat = await openChat();
    await chat.nvim.input('first<CR>second<C-s>');
    await eventually(() => expect(sent(chat)).toEqual([{ session: 's1', text: 'first\nsecond' }]));
    expect(await chat.prompt()).toBe('');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
  });

  test('bytes that are no text are replaced, so that all say the same of it', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>');
    await chat.nvim.lua(`
      local chat = require('acp.chat').get('s1')
      vim.api.nvim_buf_set_lines(chat.prompt_buf, 0, -1, false, { 'a\\255b\\237\\160\\128', 'x\\0ü' })`);
    const text = 'a\ufffdb\ufffd\ufffd\ufffd\nx\0ü';
    await eventually(() =>
      expect(chat.sent('draft.save')).toMatchObject([{ draft: { text, attachments: [] } }]),
    );
    await chat.nvim.input('<CR>');
    await eventually(() => expect(sent(chat)).toEqual([{ session: 's1', text }]));
    expect(await chat.prompt()).toBe('');
  });

  test('a NUL byte does not come in the way of typing', async () => {
    const chat = await openChat();
    await chat.nvim.input('/re<C-v>000 @a<C-v>000b @c');
    await typed(chat, '/re\0 @a\0b @c');
    expect(await chat.nvim.messages()).not.toContain('E976');
    await chat.nvim.input('<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
  });

  test.each(['<CR>', '<C-s>'])('%s sends in normal mode', async (key) => {
    const chat = await openChat();
    await chat.nvim.input(`text<Esc>${key}`);
    await eventually(() => expect(sent(chat)).toEqual([{ session: 's1', text: 'text' }]));
  });

  test('nothing but blanks is not sent', async () => {
    const chat = await openChat();
    await chat.nvim.input('  <CR> <C-s>x<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
  });

  test('the first session.open comes before the first prompt, and only once', async () => {
    const chat = await openChat();
    await chat.nvim.input('a<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
    const opened = chat.sent('session.open');
    expect(opened).toEqual([
      {
        session: 's1',
        agent: { name: 'tester', title: 'Tester', command: 'tester', args: [] },
        cwd: expect.stringContaining(chat.nvim.dir) as string,
        columns: 50,
        mcp: { servers: [], asks: [], left: [] },
        dirs: [],
      },
    ]);
  });

  test('@files that exist go along as attachments', async () => {
    const chat = await openChat();
    writeFileSync(join(chat.nvim.dir, 'a.txt'), '');
    await chat.nvim.input('see @a.txt, and @nothing or me@a.txt<C-s>');
    await eventually(() =>
      expect(sent(chat)).toEqual([
        {
          session: 's1',
          text: 'see @a.txt, and @nothing or me@a.txt',
          attachments: [{ type: 'file', path: expect.stringMatching(/\/a\.txt$/) as string }],
        },
      ]),
    );
  });

  test('where the sidecar cannot start the text stays', async () => {
    const chat = await openChat({ init: 'vim.g.no_sidecar = true' });
    await chat.nvim.input('precious<C-s>');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    expect([await chat.prompt(), sent(chat)]).toEqual(['precious', []]);
  });

  test('a prompt that comes back stands before what was typed since', async () => {
    const chat = await openChat();
    await chat.nvim.input('one<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
    await chat.nvim.input('itwo');
    await typed(chat, 'two');
    await chat.nvim.lua(`require('acp.rpc').call('prompt.restore', ...)`, {
      session: 's1',
      text: 'one',
    });
    expect(await chat.prompt()).toBe('one\ntwo');
  });

  test('what is typed stays while the chat is hidden', async () => {
    const chat = await openChat();
    await chat.nvim.input('draft<Esc>q');
    await eventually(async () => expect(await chat.nvim.lua('return vim.fn.winnr("$")')).toBe(1));
    await chat.nvim.command(`lua require('acp.chat').open()`);
    expect(await chat.prompt()).toBe('draft');
  });
});

describe('history', () => {
  test('<C-p> and <C-n> walk it and come back to the draft', async () => {
    const chat = await openChat();
    await chat.nvim.input('one<C-s>itwo<CR>lines<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(2));
    await chat.nvim.input('idraft<C-p>');
    await typed(chat, 'two\nlines');
    await chat.nvim.input('<Up><C-p>');
    await typed(chat, 'one');
    await chat.nvim.input('<C-p><C-n>');
    await typed(chat, 'two\nlines');
    await chat.nvim.input('<C-n>');
    await typed(chat, 'draft');
  });

  test('is walked over entries of several lines, until one is changed', async () => {
    const chat = await openChat();
    await chat.nvim.input('one<CR>1<C-s>itwo<CR>2<C-s>ithree<CR>3<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(3));
    await chat.nvim.input('idraft<C-p><C-p>');
    await typed(chat, 'two\n2');
    await chat.nvim.input('<C-p>');
    await typed(chat, 'one\n1');
    await chat.nvim.input('<Up><C-n>');
    await typed(chat, 'two\n2');
    await chat.nvim.input('!<Esc><C-p>');
    await eventually(async () => expect(await chat.nvim.lua(`return vim.fn.line('.')`)).toBe(1));
    await typed(chat, 'two\n2!');
  });

  test('is kept for the next Neovim, readable by its owner alone', async () => {
    const chat = await openChat();
    await chat.nvim.input('remember "me"<C-s>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
    const path = await chat.nvim.lua<string>(`return vim.fn.stdpath('state') .. '/acp/history'`);
    expect(readFileSync(path, 'utf8')).toBe('{"text":"remember \\"me\\""}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const loaded = await chat.nvim.lua(`
      package.loaded['acp.ui.history'] = nil
      return require('acp.ui.history').entries()`);
    expect(loaded).toEqual(['remember "me"']);
  });

  test('is bounded, and a damaged line costs that line alone', async () => {
    const chat = await openChat();
    const lines = Array.from({ length: 1200 }, (_, i) => JSON.stringify({ text: `p${i}` }));
    lines[1190] = '{"text": broken';
    const [count, first, last] = await chat.nvim.lua<[number, string, string]>(
      `
      local path = vim.fn.stdpath('state') .. '/acp/history'
      vim.fn.mkdir(vim.fs.dirname(path), 'p')
      vim.fn.writefile(..., path)
      package.loaded['acp.ui.history'] = nil
      local entries = require('acp.ui.history').entries()
      return { #entries, entries[1], entries[#entries] }`,
      lines,
    );
    expect([count, first, last]).toEqual([500, 'p699', 'p1199']);
  });
});

describe('the window', () => {
  test('shows what can be typed while it is empty', async () => {
    const chat = await openChat();
    await chat.nvim.waitForScreen('/commands  @files  <C-s> send');
    await chat.nvim.input('x');
    await eventually(() => expect(chat.nvim.find('@files')).toBeUndefined());
    await chat.nvim.input('<BS>');
    await chat.nvim.waitForScreen('@files');
  });

  test('grows with the text up to half of the chat, and shrinks again', async () => {
    const chat = await openChat({ lines: 40 });
    const height = () => chat.nvim.lua<number>('return vim.api.nvim_win_get_height(0)');
    expect(await height()).toBe(5);
    await chat.nvim.input('l<CR>'.repeat(9));
    await eventually(async () => expect(await height()).toBe(10));
    await chat.nvim.input('l<CR>'.repeat(60));
    await eventually(async () => expect(await height()).toBe(18));
    await chat.nvim.input('<C-s>');
    await eventually(async () => expect(await height()).toBe(5));
  });

  test('takes its rows from the transcript, which shows its end all the while', async () => {
    const chat = await openChat({ lines: 30 });
    await chat.ops(put('a', [...numbered(100)]));
    const end = () => chat.nvim.find('line 100');
    await eventually(() => expect(end()?.row).toBe(21));
    await chat.nvim.input('l<CR>'.repeat(9));
    await eventually(() => expect(end()?.row).toBe(16));
    await chat.nvim.input('<C-s>');
    await eventually(() => expect(end()?.row).toBe(21));
  });

  test('g? shows the keys', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>g?');
    await chat.nvim.waitForScreen(/<C-s> +Send/);
    await chat.nvim.input('q');
    await chat.focusTranscript();
    await chat.nvim.input('g?');
    await chat.nvim.waitForScreen(/\]\] +The next block/);
  });

  test('keys come from the configuration', async () => {
    const chat = await openChat({
      init: `vim.g.test_options = { keymaps = { prompt = { send = false, send_insert = { '<C-g>', '<F5>' } } } }`,
    });
    await chat.nvim.waitForScreen('<C-g> send');
    await chat.nvim.input('one<F5>');
    await eventually(() => expect(sent(chat)).toHaveLength(1));
    await chat.nvim.input('itwo<Esc><CR>');
    await typed(chat, 'two');
    expect(sent(chat)).toHaveLength(1);
  });

  test('names what goes along with the next prompt', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`require('acp.chat').open(...)`, {
      attachments: [
        { type: 'text', path: `${chat.nvim.dir}/src/100%.py`, startLine: 3, endLine: 9, text: 'x' },
      ],
    });
    await chat.nvim.waitForScreen('@src/100%.py:3-9');
    await chat.nvim.input('explain<C-s>');
    await eventually(() => expect(sent(chat)).toMatchObject([{ attachments: [{ startLine: 3 }] }]));
    await eventually(() => expect(chat.nvim.find('100%.py')).toBeUndefined());
  });
});

describe('cancelling', () => {
  test('<C-c> cancels the turn that runs, from both windows and in insert mode', async () => {
    const chat = await openChat();
    await chat.status({ state: 'working', since: Date.now() });
    await chat.nvim.input('x<C-c>');
    await eventually(() => expect(chat.sent('prompt.cancel')).toEqual([{ session: 's1' }]));
    await chat.focusTranscript();
    await chat.nvim.input('<C-c>');
    await eventually(() => expect(chat.sent('prompt.cancel')).toHaveLength(2));
  });

  test('<C-c> leaves insert mode when nothing runs', async () => {
    const chat = await openChat();
    await chat.status({ state: 'idle' });
    await chat.nvim.input('x<C-c>');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    expect(chat.sent('prompt.cancel')).toEqual([]);
  });
});

test('a prompt that opens after a list in the command line can be typed in at once', async () => {
  const { nvim } = await openChat();
  await nvim.input('<Esc>');
  await nvim.lua(`
    local chat = require('acp.chat').get('s1')
    vim.api.nvim_create_autocmd('InsertEnter', {
      callback = function() _G.took = (vim.uv.hrtime() - _G.chosen) / 1e6 end,
    })
    vim.schedule(function()
      require('acp.ui.choose').one({ 'a', 'b', 'c' }, {}, function()
        _G.chosen = vim.uv.hrtime()
        require('acp.chat').show(chat)
      end)
    end)`);
  await nvim.waitForScreen('Type number');
  await nvim.input('1<CR>at once');
  const took = await eventually(async () => {
    expect(nvim.screen()).toContain('at once');
    return nvim.lua<number>('return _G.took');
  });
  // Neovim would stand still for 1000 ms.
  expect(took).toBeLessThan(500);
});
