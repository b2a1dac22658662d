/** What of the editor goes along with a prompt. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, startNvim, tempDir } from '../harness';
import type { Nvim, NvimOptions } from '../harness';
import { openChat } from './chat-fixture';
import { media } from './media-fixture';

/** `context.resolve()` for the first chat. */
async function resolve(nvim: Nvim, word: string): Promise<Record<string, unknown> | string> {
  const [found, reason] = await nvim.lua<[Record<string, unknown>[] | null, string]>(
    `local found, reason = require('acp.context').resolve(..., require('acp.chat').get('s1'))
    return { found or vim.NIL, reason or vim.NIL }`,
    word,
  );
  return found?.[0] ?? reason;
}

/** A chat where the cursor is in the prompt, and a window with `text` beside it. */
async function inPrompt(name: string, text: string, options: NvimOptions = {}): Promise<Nvim> {
  const { nvim } = await openChat(options);
  writeFileSync(join(nvim.dir, name), text);
  await nvim.lua(
    `vim.cmd.stopinsert() vim.cmd.wincmd('t') vim.cmd.edit(...) vim.cmd.wincmd('b')`,
    name,
  );
  return nvim;
}

const LUA = [
  'local M = {}',
  '',
  'local function one()',
  '  local inner = function()',
  '    return 1',
  '  end',
  '  return inner',
  'end',
  '',
  'function M.two()',
  'end',
  '',
  'M.three = function()',
  'end',
  '',
  'return { four = function() end, five = 5 }',
  '',
].join('\n');

describe('the buffer', () => {
  const path = (nvim: Nvim) =>
    nvim.lua<string | null>(`
      local source = require('acp.context.source').get()
      return source and vim.fs.basename(vim.api.nvim_buf_get_name(source.buf)) or vim.NIL`);

  test('is the one of the window with code where the cursor was last', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await nvim.lua(`
      vim.cmd.wincmd('t') vim.cmd.vsplit('b.lua') vim.cmd.split('c.lua')
      vim.cmd.wincmd('j')
      vim.cmd.copen()
      local chat = require('acp.chat').get('s1')
      vim.api.nvim_set_current_win(vim.fn.win_findbuf(chat.buf)[1])
      vim.api.nvim_set_current_win(vim.fn.win_findbuf(chat.prompt_buf)[1])`);
    expect(await path(nvim)).toBe('b.lua');
    await nvim.lua(`
      local buf = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 1, col = 1, width = 9, height = 2 })`);
    expect(await path(nvim)).toBe('b.lua');
  });

  test('is the one of the tab, else the file that was used last', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await nvim.lua(`vim.cmd.tabnew('b.lua') vim.cmd.enew() vim.cmd.tabfirst()`);
    expect(await path(nvim)).toBe('a.lua');
    await nvim.lua(`vim.cmd.wincmd('t') vim.api.nvim_win_close(0, true)`);
    expect(await path(nvim)).toBe('a.lua');
  });

  test('is a float’s where the user edits a file in it', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await nvim.lua(`
      local buf = vim.fn.bufadd('b.lua')
      vim.fn.bufload(buf)
      vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 1, col = 1, width = 9, height = 2 })`);
    expect(await path(nvim)).toBe('b.lua');
  });

  test('is none in a Neovim without files', async () => {
    const { nvim } = await openChat({
      init: `vim.g.test_options = { layout = { position = 'current' } }`,
    });
    expect(await path(nvim)).toBe(null);
    expect(await resolve(nvim, 'buffer')).toBe('there is no buffer with code');
    expect(await resolve(nvim, 'selection')).toBe('there is no buffer with code');
  });
});

describe('a mention', () => {
  test('of the buffer is its unsaved text', async () => {
    const nvim = await inPrompt('a.lua', 'old\n');
    await nvim.lua(`vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.lua'), 0, -1, false, { 'new' })`);
    expect(await resolve(nvim, 'buffer')).toEqual({
      type: 'text',
      path: join(nvim.dir, 'a.lua'),
      text: 'new\n',
      filetype: 'lua',
    });
  });

  test('of what is not there says why', async () => {
    const nvim = await inPrompt('a.lua', '', {
      env: { GIT_CEILING_DIRECTORIES: '/tmp', DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
    });
    expect(await resolve(nvim, 'selection')).toBe('nothing was selected in a.lua');
    expect(await resolve(nvim, 'buffer')).toBe('there is nothing in a.lua');
    expect(await resolve(nvim, 'diagnostics')).toBe('there are no diagnostics in a.lua');
    expect(await resolve(nvim, 'quickfix')).toBe('the quickfix list is empty');
    expect(await resolve(nvim, 'terminal')).toBe('there is no terminal buffer');
    expect(await resolve(nvim, 'diff')).toBe('this folder is in no git repository');
    expect(await resolve(nvim, 'symbol:x')).toBe('there is no x in a.lua');
    expect(await resolve(nvim, 'symbol')).toMatch(/^there is no function or class at the cursor/);
    expect(await resolve(nvim, 'image')).toMatch(/^there is no clipboard here/);
    expect(await resolve(nvim, 'nonsense')).toBe('there is nothing called "nonsense"');
  });

  test('of the conversation is one', async () => {
    const nvim = await inPrompt('a.lua', '');
    expect(await resolve(nvim, 'conversation')).toEqual({ type: 'conversation' });
  });

  test('of what is too large is cut, and says so', async () => {
    const nvim = await inPrompt('a.lua', LUA, {
      init: `vim.g.test_options = { attachments = { embed_bytes = 30 } }`,
    });
    await nvim.lua(`vim.fn.setqflist(vim.fn['repeat']({ { text = '123456789' } }, 9))`);
    expect(await resolve(nvim, 'quickfix')).toEqual({
      type: 'text',
      name: 'quickfix (9) (first 30 B)',
      text: '123456789\n'.repeat(3),
    });
    expect(await resolve(nvim, 'buffer')).toMatchObject({
      text: 'local M = {}\n\n',
      startLine: 1,
      endLine: 2,
    });
  });

  test('of a diff runs nothing that the project names', async () => {
    const nvim = await inPrompt('a.lua', 'one\n');
    const git = (dir: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: join(nvim.dir, dir),
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
        stdio: 'ignore',
      });
    const program = join(nvim.dir, 'program');
    const ran = join(tempDir(), 'ran');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    for (const dir of ['sub', '.']) {
      mkdirSync(join(nvim.dir, dir), { recursive: true });
      writeFileSync(join(nvim.dir, dir, '.gitattributes'), '* filter=a=b.c diff=d\n');
      writeFileSync(join(nvim.dir, dir, 'a.lua'), 'one\n');
      git(dir, 'init', '-q');
      git(dir, 'add', '.');
      git(dir, 'commit', '-q', '-m', 'one');
      for (const name of [
        'core.fsmonitor',
        'diff.external',
        'diff.d.command',
        'diff.d.textconv',
        'filter.a=b.c.clean',
      ]) {
        git(dir, 'config', name, program);
      }
      git(dir, 'config', 'filter.a=b.c.required', 'true');
      writeFileSync(join(nvim.dir, dir, 'a.lua'), 'two\n');
    }
    const { text } = (await resolve(nvim, 'diff')) as { text: string };
    expect(text).toContain('-one\n+two\n');
    expect(existsSync(ran)).toBe(false);
  });

  test('of a diff gives up after two seconds', async () => {
    const bin = tempDir();
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 60\n');
    chmodSync(join(bin, 'git'), 0o755);
    const nvim = await inPrompt('a.lua', '', {
      env: { PATH: `${bin}${delimiter}${process.env['PATH']}` },
    });
    const began = Date.now();
    expect(await resolve(nvim, 'diff')).toBe('git took too long');
    expect(Date.now() - began).toBeLessThan(5000);
  });
});

describe('diagnostics', () => {
  const set = (nvim: Nvim, name: string, list: unknown[]) =>
    nvim.lua(
      `local name, list = ...
      local buf = vim.fn.bufadd(name)
      vim.fn.bufload(buf)
      vim.diagnostic.set(vim.api.nvim_create_namespace('t'), buf, list)`,
      name,
      list,
    );

  test('are lines in their order, with severity, source and code', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await set(nvim, 'a.lua', [
      { lnum: 4, col: 4, message: 'second', severity: 2, source: 'luals', code: 'unused' },
      { lnum: 0, col: 2, message: 'first\nin two lines', severity: 1, code: 42 },
      { lnum: 4, col: 0, message: 'a: b: c', severity: 4 },
    ]);
    expect(await resolve(nvim, 'diagnostics')).toEqual({
      type: 'text',
      name: 'diagnostics (3)',
      text:
        'a.lua:1:3: error: first\n    in two lines [42]\n' +
        'a.lua:5:1: hint: a: b: c\n' +
        'a.lua:5:5: warning: second [luals unused]\n',
    });
  });

  test('of the project are those of all files below its folder', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    const outside = join(tempDir(), 'far.lua');
    for (const name of ['z.lua', 'b.lua', outside])
      await set(nvim, name, [{ lnum: 0, col: 0, message: name, severity: 1 }]);
    expect(await resolve(nvim, 'diagnostics all')).toMatchObject({
      name: 'project diagnostics (2)',
      text: 'b.lua:1:1: error: b.lua\nz.lua:1:1: error: z.lua\n',
    });
  });
});

test('the quickfix list is lines, with those that name no place', async () => {
  const nvim = await inPrompt('a.lua', LUA);
  await nvim.lua(`vim.fn.setqflist({
    { text = 'make: entering' },
    { filename = 'a.lua', lnum = 3, col = 7, type = 'E', text = '  no such thing' },
    { filename = 'b.lua', lnum = 4, text = 'found' },
    { filename = 'c.lua', pattern = 'x', text = 'by pattern' },
  })`);
  expect(await resolve(nvim, 'quickfix')).toEqual({
    type: 'text',
    name: 'quickfix (4)',
    text: 'make: entering\na.lua:3:7: error: no such thing\nb.lua:4: found\nc.lua: by pattern\n',
  });
});

test('the location list is the one of the window with code', async () => {
  const nvim = await inPrompt('a.lua', LUA);
  expect(await resolve(nvim, 'loclist')).toBe('the location list is empty');
  await nvim.lua(`vim.fn.setloclist(vim.fn.bufwinid('a.lua'), {
    { filename = 'a.lua', lnum = 1, text = 'x' } })`);
  expect(await resolve(nvim, 'loclist')).toMatchObject({
    name: 'location list (1)',
    text: 'a.lua:1: x\n',
  });
});

describe('symbols', () => {
  const symbols = (nvim: Nvim) => nvim.lua<string[]>(`return require('acp.context').symbols()`);

  test('are those that tree-sitter sees', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    expect(await symbols(nvim)).toEqual(['one', 'inner', 'M.two', 'M.three', 'four']);
    expect(await resolve(nvim, 'symbol:M.three')).toMatchObject({
      startLine: 13,
      endLine: 14,
      text: 'M.three = function()\nend\n',
    });
    await nvim.lua(`vim.api.nvim_win_set_cursor(vim.fn.bufwinid('a.lua'), { 5, 0 })`);
    expect(await resolve(nvim, 'symbol')).toMatchObject({ startLine: 4, endLine: 6 });
    await nvim.lua(`vim.api.nvim_win_set_cursor(vim.fn.bufwinid('a.lua'), { 7, 0 })`);
    expect(await resolve(nvim, 'symbol')).toMatchObject({ startLine: 3, endLine: 8 });
  });

  test('follow the text', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await symbols(nvim);
    await nvim.lua(`vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.lua'), 0, 2, false, {})`);
    expect(await resolve(nvim, 'symbol:one')).toMatchObject({ startLine: 1, endLine: 6 });
  });

  test('of C are those with a body', async () => {
    const code = 'struct p { int x; };\nstruct p *f(struct p *a) {\n  return a;\n}\nint g(void);\n';
    const nvim = await inPrompt('a.c', code);
    expect(await symbols(nvim)).toEqual(['p', 'f']);
    expect(await resolve(nvim, 'symbol:f')).toMatchObject({ startLine: 2, endLine: 4 });
  });

  test('of a text without a grammar are none, and no error', async () => {
    const nvim = await inPrompt('a.unknown', 'x\n');
    expect(await symbols(nvim)).toEqual([]);
    expect(await nvim.messages()).toBe('');
  });

  /** A language server within Neovim that answers with `result`; `nil`: never. */
  const serve = (nvim: Nvim, result: string) =>
    nvim.lua(`
      _G.asked = 0
      vim.lsp.start({
        name = 'fake',
        cmd = function()
          return {
            request = function(method, _, reply)
              if method == 'initialize' then
                reply(nil, { capabilities = { documentSymbolProvider = true } })
              elseif method == 'textDocument/documentSymbol' then
                _G.asked = _G.asked + 1
                local result = ${result}
                if result then vim.schedule(function() reply(nil, result) end) end
              end
              return true, _G.asked
            end,
            notify = function() return true end,
            is_closing = function() return false end,
            terminate = function() end,
          }
        end,
      }, { bufnr = vim.fn.bufnr('a.lua') })
      vim.wait(1000, function()
        return #vim.lsp.get_clients({ bufnr = vim.fn.bufnr('a.lua'), method = 'textDocument/documentSymbol' }) > 0
      end)`);
  const range = (from: number, to: number, character = 1) =>
    `{ start = { line = ${from}, character = 0 }, ['end'] = { line = ${to}, character = ${character} } }`;

  test('are those of a language server, when it has answered', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await serve(
      nvim,
      `{
        { name = 'Shop', kind = 5, range = ${range(0, 9)}, children = {
          { name = 'open', kind = 6, range = ${range(2, 4, 0)} },
          { name = 'count', kind = 8, range = ${range(5, 5)} },
        } },
        { name = 'Door', kind = 5, range = ${range(10, 12)}, children = {
          { name = 'open', kind = 6, range = ${range(11, 12)} },
        } },
        { name = 'LIMIT', kind = 14, range = ${range(13, 99)} },
        { name = 'describe it', kind = 12, range = ${range(14, 14)} },
        { name = 7, kind = 12, range = ${range(14, 14)} },
        { kind = 12 }, { name = 'lost', kind = 12, range = { start = {} } },
      }`,
    );
    expect(await symbols(nvim)).toContain('one');
    await eventually(async () =>
      expect(await symbols(nvim)).toEqual(['Shop', 'Shop.open', 'Door', 'Door.open', 'LIMIT']),
    );
    expect(await nvim.lua('return _G.asked')).toBe(1);
    expect(await resolve(nvim, 'symbol:Shop.open')).toMatchObject({ startLine: 3, endLine: 4 });
    expect(await resolve(nvim, 'symbol:Door.open')).toMatchObject({ startLine: 12, endLine: 13 });
    expect(await resolve(nvim, 'symbol:LIMIT')).toMatchObject({ startLine: 14, endLine: 16 });
    await nvim.lua(`vim.api.nvim_win_set_cursor(vim.fn.bufwinid('a.lua'), { 7, 0 })`);
    expect(await resolve(nvim, 'symbol')).toMatchObject({ startLine: 1, endLine: 10 });
    await nvim.lua(`vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.lua'), 0, 0, false, { '' })`);
    expect(await symbols(nvim)).toContain('one');
    await eventually(async () => expect(await nvim.lua('return _G.asked')).toBe(2));
  });

  test('are those of tree-sitter where a server says nothing, or never answers', async () => {
    const nvim = await inPrompt('a.lua', LUA);
    await serve(nvim, 'nil');
    await nvim.lua(`
      require('acp.context.symbols').later(vim.fn.bufnr('a.lua'), function(found)
        _G.found = require('acp.context.symbols').names(found)
      end)`);
    await eventually(async () =>
      expect(await nvim.lua('return _G.found')).toEqual([
        'one',
        'inner',
        'M.two',
        'M.three',
        'four',
      ]),
    );
  });
});

describe('descriptions', () => {
  const describe_ = (nvim: Nvim, attachment: unknown) =>
    nvim.lua(`return { require('acp.context').describe(..., '/p') }`, attachment);

  test('are one line, from the folder', async () => {
    const nvim = await startNvim();
    const text = 'x'.repeat(10);
    expect(
      await describe_(nvim, { type: 'text', path: '/p/src/a.py', startLine: 3, endLine: 9, text }),
    ).toEqual(['src/a.py:3-9', 10]);
    expect(
      await describe_(nvim, { type: 'text', path: '/p/a.py', startLine: 3, endLine: 3, text }),
    ).toEqual(['a.py:3', 10]);
    expect(await describe_(nvim, { type: 'text', path: '/q/a.py', text })).toEqual(['/q/a.py', 10]);
    expect(await describe_(nvim, { type: 'text', path: '/p/a\nb', text })).toEqual(['a b', 10]);
    expect(await describe_(nvim, { type: 'text', text })).toEqual(['[No Name]', 10]);
    expect(await describe_(nvim, { type: 'text', name: 'git diff', text })).toEqual([
      'git diff',
      10,
    ]);
    expect(await describe_(nvim, { type: 'conversation' })).toEqual(['conversation']);
  });

  test('of a file tell the size of its unsaved text', async () => {
    const nvim = await startNvim();
    const path = join(nvim.dir, 'a.txt');
    writeFileSync(path, '12345');
    expect(await describe_(nvim, { type: 'file', path })).toEqual([expect.any(String), 5]);
    await nvim.lua(
      `vim.cmd.edit('a.txt') vim.api.nvim_buf_set_lines(0, 0, -1, false, { '1', '2' })`,
    );
    expect(await describe_(nvim, { type: 'file', path })).toEqual([expect.any(String), 4]);
  });

  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KB'],
    [1234, '1.2 KB'],
    [50_000, '49 KB'],
    [1024 * 1024 - 1, '1 MB'],
    [3_250_000, '3.1 MB'],
    [99_999_999, '95 MB'],
  ])('%d bytes are %s', async (bytes, text) => {
    const nvim = await startNvim();
    expect(await nvim.lua(`return require('acp.context.name').size(...)`, bytes)).toBe(text);
  });
});

describe('media', () => {
  test('are known by their bytes, images with their dimensions', async () => {
    const nvim = await startNvim();
    mkdirSync(join(nvim.dir, 'm'));
    for (const [name, bytes] of Object.entries(media))
      writeFileSync(join(nvim.dir, 'm', name), bytes);
    writeFileSync(join(nvim.dir, 'm', 'text'), 'plain');
    writeFileSync(join(nvim.dir, 'm', 'utf16'), Buffer.from('fffe6100', 'hex'));
    writeFileSync(join(nvim.dir, 'm', 'empty'), '');
    writeFileSync(join(nvim.dir, 'm', 'short'), Buffer.from('ffd8ff', 'hex'));
    const found = await nvim.lua(`
      local media = require('acp.context.media')
      local found = {}
      for name in vim.fs.dir('m') do
        local mime, size = media.type('m/' .. name), media.dimensions('m/' .. name)
        found[name] = mime and mime .. (size and ' ' .. size or '') or 'none'
      end
      found.folder = media.type('m') or 'none'
      return found`);
    expect(found).toEqual({
      png: 'image/png 640×480',
      jpeg: 'image/jpeg 640×480',
      gif: 'image/gif 640×480',
      webp: 'image/webp 640×480',
      lossless: 'image/webp 640×480',
      lossy: 'image/webp 640×480',
      wav: 'audio/wav',
      mp3: 'audio/mpeg',
      id3: 'audio/mpeg',
      ogg: 'audio/ogg',
      flac: 'audio/flac',
      m4a: 'audio/mp4',
      text: 'none',
      utf16: 'none',
      empty: 'none',
      short: 'image/jpeg',
      folder: 'none',
    });
  });
});
