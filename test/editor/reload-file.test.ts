import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { BufferRig, numbered } from './buffers-fixture';

/** Counts what Neovim tells others, and fails where anybody is asked. */
const WATCHED = `
  vim.o.swapfile = false
  _G.seen = {}
  vim.api.nvim_create_autocmd({ 'FileChangedShellPost', 'BufReadPost', 'BufWritePost' }, {
    callback = function(args) table.insert(_G.seen, args.event) end,
  })
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpFileChanged',
    callback = function(args) _G.changes = _G.changes or {} table.insert(_G.changes, args.data) end,
  })`;

const start = (): Promise<BufferRig> => BufferRig.start(WATCHED);

/** An agent's tool has run. */
const check = (rig: BufferRig): Promise<unknown> =>
  rig.lua("return require('acp.rpc').call('buffers.check', {})");

/** The buffer is what its file is, and Neovim knows: nothing is asked, and nothing is found. */
async function knowsItsFile(rig: BufferRig): Promise<void> {
  expect(await rig.lua('return vim.bo.modified')).toBe(false);
  await rig.lua('_G.asked = nil');
  await rig.lua(`vim.bo.autoread = false
    vim.api.nvim_create_autocmd('FileChangedShell', { buffer = 0, once = true, callback = function()
      _G.asked = vim.v.fcs_reason
    end })
    vim.cmd('checktime')
    vim.api.nvim_clear_autocmds({ event = 'FileChangedShell', buffer = 0 })
    vim.cmd('set autoread<')`);
  expect(await rig.lua('return _G.asked')).toBeNull();
  await rig.nvim.command('write');
  expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  expect(await rig.nvim.messages()).not.toMatch(/\bW1\d:|WARNING|\bE\d+:/);
}

describe('an unmodified buffer', () => {
  test('is read anew, and Neovim knows its file', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    rig.make('a', 'line 1\nby the agent\nline 3\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['line 1', 'by the agent', 'line 3']);
    expect(await rig.nvim.messages()).toBe('');
    await knowsItsFile(rig);
  });

  test('keeps undo history: one step for what was read, before it what was done before', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' }) vim.cmd('silent write')");
    rig.make('a', 'mine\nline 2\nagent\n');
    await check(rig);
    const undo = async (how: string): Promise<[string[], boolean]> => {
      await rig.nvim.command(`silent ${how}`);
      return [await rig.lines(), await rig.lua<boolean>('return vim.bo.modified')];
    };
    expect(await undo('undo')).toEqual([['mine', 'line 2', 'line 3'], true]);
    expect(await undo('undo')).toEqual([['line 1', 'line 2', 'line 3'], true]);
    expect(await undo('redo')).toEqual([['mine', 'line 2', 'line 3'], true]);
    expect(await undo('redo')).toEqual([['mine', 'line 2', 'agent'], false]);
    expect(await undo('earlier 1f')).toEqual([['mine', 'line 2', 'line 3'], true]);
  });

  test('is not emptied while its file is written anew, and is when that stays empty', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    await rig.nvim.command('3mark m');
    rig.make('a', '');
    await check(rig);
    expect(await rig.lines()).toEqual(['line 1', 'line 2', 'line 3']);
    rig.make('a', 'agent\nline 2\nline 3\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['agent', 'line 2', 'line 3']);
    expect(await rig.lua(`return { vim.fn.line("'m"), vim.fn.undotree().seq_last }`)).toEqual([
      3, 1,
    ]);
    rig.make('a', '');
    await check(rig);
    await eventually(async () => expect(await rig.lines()).toEqual(['']));
    await knowsItsFile(rig);
  });

  test('keeps cursor and view of every window, marks, extmarks and closed folds', async () => {
    const rig = await start();
    await rig.edit('a', numbered(200));
    await rig.lua(`vim.cmd('setlocal foldmethod=manual | 20,30fold | 140,145fold')
      vim.cmd('normal! 90G5|zt') vim.cmd('split') vim.cmd('normal! 150G$zb') vim.cmd('tab split')
      vim.cmd('normal! 60Gzz3|')
      vim.cmd('120mark m')
      _G.ns = vim.api.nvim_create_namespace('test')
      vim.api.nvim_buf_set_extmark(0, _G.ns, 99, 5, { id = 1, sign_text = '>' })`);
    const state = () =>
      rig.lua(`return {
        vim.tbl_map(function(win)
          return vim.api.nvim_win_call(win, function()
            local view = vim.fn.winsaveview()
            return { vim.fn.getline('.'), view.col, vim.fn.getline('w0') }
          end)
        end, vim.fn.win_findbuf(vim.api.nvim_get_current_buf())),
        vim.fn.getline(vim.fn.line("'m")),
        vim.fn.getline(vim.api.nvim_buf_get_extmark_by_id(0, _G.ns, 1, {})[1] + 1),
        vim.fn.getline(vim.fn.foldclosed(143)),
        vim.fn.getline(vim.fn.foldclosedend(143)),
      }`);
    const before = await state();
    rig.make('a', 'new 1\nnew 2\n' + numbered(200).replace('line 50\n', 'changed\n'));
    await check(rig);
    expect(await rig.lua('return vim.fn.getline(1)')).toBe('new 1');
    expect(await state()).toEqual(before);
  });

  test('is read anew when it is hidden, and in a window that is not current', async () => {
    const rig = await start();
    await rig.edit('a', 'a\n');
    await rig.edit('b', 'b\n');
    await rig.lua("vim.cmd('split ' .. ...)", rig.make('c', 'c\n'));
    rig.make('a', 'A\n');
    rig.make('b', 'B\n');
    await check(rig);
    const text = (name: string) =>
      rig.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)', rig.at(name));
    expect([await text('a'), await text('b'), await text('c')]).toEqual([['A'], ['B'], ['c']]);
    await rig.nvim.command('wincmd j');
    await knowsItsFile(rig);
    await rig.edit('a');
    await knowsItsFile(rig);
  });

  test('tells plugins, and fires AcpFileChanged once with what changed', async () => {
    const rig = await start();
    await rig.edit('a', numbered(5));
    await rig.lua('_G.seen = {}');
    rig.make('a', 'line 1\nline 2\nthree\nline 4\nline 5\nsix\n');
    await check(rig);
    await check(rig);
    expect(await rig.lua('return _G.seen')).toEqual(['FileChangedShellPost']);
    expect(await rig.lua('return _G.changes')).toEqual([
      {
        path: rig.at('a'),
        buf: await rig.lua('return vim.api.nvim_get_current_buf()'),
        hunks: [
          { old_start: 3, old_count: 1, new_start: 3, new_count: 1 },
          { old_start: 5, old_count: 0, new_start: 6, new_count: 1 },
        ],
      },
    ]);
  });

  test("changes nothing of the user's options, registers and alternate file", async () => {
    const rig = await start();
    await rig.edit('other', '');
    await rig.edit('a', numbered(3));
    const facts = () =>
      rig.lua(`return { vim.bo.autoread == nil, vim.go.autoread, vim.o.eventignore, vim.o.undoreload, vim.bo.modeline,
        vim.fn.bufname('#'), vim.fn.getreg('"'), vim.bo.filetype, #vim.fn.getbufinfo(), vim.bo.readonly,
        #vim.api.nvim_get_autocmds({ event = { 'BufWriteCmd', 'FileChangedShell' } }) }`);
    await rig.lua("vim.bo.filetype = 'odd'");
    await rig.nvim.command('normal! yy');
    const before = await facts();
    rig.make('a', '# vim: set readonly filetype=evil:\nnew\n');
    await check(rig);
    expect(await facts()).toEqual(before);
    await rig.lua('vim.go.autoread = false');
    rig.make('a', 'newer\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['newer']);
    expect(await rig.lua('return vim.go.autoread')).toBe(false);
  });

  test.each([
    ['insert mode', 'A', 'i'],
    ['visual mode', 'v', 'v'],
    ['a command line', ':echo 1', 'c'],
  ])('who is in %s stays there', async (_, keys, mode) => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    await rig.edit('b', numbered(3));
    await rig.nvim.command('normal! 2G');
    const now = () => rig.lua<string>('return vim.api.nvim_get_mode().mode');
    const at = () => rig.lua('return vim.api.nvim_win_get_cursor(0)');
    await rig.nvim.input(keys);
    await eventually(async () => expect(await now()).toBe(mode));
    const before = await at();
    for (const name of ['a', 'b']) rig.make(name, 'line 1\nline 2\nchanged\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['line 1', 'line 2', 'changed']);
    expect([await now(), await at()]).toEqual([mode, before]);
  });

  test('what was typed before, in insert mode, and saved there is an undo step of its own', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    await rig.nvim.input('A mine<Cmd>silent write<CR>');
    const saved = `return vim.fn.getline(1) == 'line 1 mine' and not vim.bo.modified`;
    await eventually(async () => expect(await rig.lua(saved)).toBe(true));
    rig.make('a', 'line 1 mine\nline 2\nagent\n');
    await check(rig);
    await rig.nvim.input('<Esc>u');
    await eventually(async () =>
      expect(await rig.lines()).toEqual(['line 1 mine', 'line 2', 'line 3']),
    );
    await rig.nvim.input('u');
    await eventually(async () => expect(await rig.lines()).toEqual(['line 1', 'line 2', 'line 3']));
  });

  test('what is typed afterwards, in insert mode, is an undo step of its own', async () => {
    const rig = await start();
    await rig.edit('a', numbered(2));
    await rig.nvim.input('A');
    await eventually(async () => expect(rig.nvim.mode).toBe('insert'));
    rig.make('a', 'line 1\nchanged\n');
    await check(rig);
    await rig.nvim.input(' typed');
    await eventually(async () => expect((await rig.lines())[0]).toBe('line 1 typed'));
    await rig.nvim.input('<Esc>');
    await eventually(async () => expect(rig.nvim.mode).toBe('normal'));
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['line 1', 'changed']);
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['line 1', 'line 2']);
  });
});

test('who is about to leave insert mode undoes nothing', async () => {
  const rig = await start();
  await rig.edit('a', numbered(2));
  await rig.nvim.input('i');
  await eventually(async () => expect(rig.nvim.mode).toBe('insert'));
  rig.make('a', 'line 1\nchanged\n');
  await rig.lua("vim.cmd.stopinsert() require('acp.watch').check()");
  await eventually(async () => expect(rig.nvim.mode).toBe('normal'));
  await rig.nvim.input('ix<Esc>');
  await eventually(async () => expect(await rig.lines()).toEqual(['xline 1', 'changed']));
});

describe('bytes', () => {
  test.each([
    ['Latin-1', 'caf\xe9\nx\n', 'caf\xe9\nth\xe9\n', ['café', 'thé'], 'latin1', 'unix'],
    [
      'Latin-1 that loses its last accent',
      'caf\xe9\nx\n',
      'cafe\nx\n',
      ['cafe', 'x'],
      'latin1',
      'unix',
    ],
    [
      'Latin-1 that becomes UTF-8',
      'caf\xe9\nx\n',
      'caf\xc3\xa9\ny\n',
      ['café', 'y'],
      'utf-8',
      'unix',
    ],
    ['UTF-16', '\xff\xfea\0\n\0', '\xff\xfeb\0\n\0', ['b'], 'utf-16le', 'unix'],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', ['a', 'c'], 'utf-8', 'dos'],
    ['CRLF that becomes LF', 'a\r\nb\r\n', 'a\nc\n', ['a', 'c'], 'utf-8', 'unix'],
    ['LF that becomes CRLF', 'a\nb\n', 'a\r\nc\r\n', ['a', 'c'], 'utf-8', 'dos'],
    ['a lost final newline', 'a\nb\n', 'a\nb', ['a', 'b'], 'utf-8', 'unix'],
    ['a byte order mark', 'a\n', '\xef\xbb\xbfb\n', ['b'], 'utf-8', 'unix'],
    ['a lost byte order mark', '\xef\xbb\xbfa\n', 'b\n', ['b'], 'utf-8', 'unix'],
    ['an emptied file', 'a\n', '', [''], 'utf-8', 'unix'],
    ['a filled file', '', 'a\n', ['a'], 'utf-8', 'unix'],
    ['NUL bytes', 'a\n', 'a\0b\n', ['a\0b'], 'utf-8', 'unix'],
  ])('%s', async (_, old, text, lines, encoding, format) => {
    const rig = await start();
    await rig.edit('a', old);
    await rig.lua('vim.bo.fixendofline = false');
    rig.make('a', text);
    await check(rig);
    await eventually(async () => expect(await rig.lines()).toEqual(lines));
    const options = await rig.lua('return { vim.bo.fileencoding, vim.bo.fileformat }');
    expect(options).toEqual([text === '' || old === '' ? expect.anything() : encoding, format]);
    await knowsItsFile(rig);
    expect(rig.disk('a')).toBe(text);
  });

  test("what the user has said of the file's encoding and line ends stays said", async () => {
    const rig = await start();
    rig.make('a', 'h\xc3\xa9\r\nb\r\n');
    await rig.lua("vim.cmd('edit ++enc=latin1 ++ff=unix ' .. ...)", rig.at('a'));
    rig.make('a', 'h\xc3\xa9\r\nc\r\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['hÃ©\r', 'c\r']);
    expect(await rig.lua('return { vim.bo.fileencoding, vim.bo.fileformat }')).toEqual([
      'latin1',
      'unix',
    ]);
    await knowsItsFile(rig);
  });

  test('a binary buffer stays one', async () => {
    const rig = await start();
    rig.make('a', 'a\r\n\xff');
    await rig.lua("vim.cmd('edit ++bin ' .. ...)", rig.at('a'));
    rig.make('a', 'b\r\n\xfe');
    await check(rig);
    expect(await rig.lua('return vim.bo.binary')).toBe(true);
    await knowsItsFile(rig);
    expect(rig.disk('a')).toBe('b\r\n\xfe');
  });
});

describe('files', () => {
  test('that were deleted keep their buffer; those that come back are read', async () => {
    const rig = await start();
    await rig.edit('a', 'kept\n');
    await check(rig);
    rmSync(rig.at('a'));
    await check(rig);
    await check(rig);
    expect(await rig.lines()).toEqual(['kept']);
    expect(await rig.lua('return vim.tbl_map(function(c) return c.hunks end, _G.changes)')).toEqual(
      [[{ old_start: 1, old_count: 1, new_start: 0, new_count: 0 }]],
    );
    rig.make('a', 'back\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['back']);
    expect(await rig.nvim.messages()).toBe('');
    await knowsItsFile(rig);
  });

  test('that appear after their buffer was opened are read, and get their filetype', async () => {
    const rig = await start();
    await rig.nvim.command('filetype on');
    await rig.edit('script');
    rig.make('script', '#!/bin/sh\necho\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['#!/bin/sh', 'echo']);
    expect(await rig.lua('return vim.bo.filetype')).toBe('sh');
    await knowsItsFile(rig);
  });

  test('behind a link, and one file under two names', async () => {
    const rig = await start();
    mkdirSync(rig.at('dir'));
    rig.make('dir/a', 'old\n');
    symlinkSync('dir/a', rig.at('link'));
    await rig.edit('dir/a');
    await rig.edit('link');
    rig.make('dir/a', 'new\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['new']);
    await knowsItsFile(rig);
    await rig.edit('dir/a');
    expect(await rig.lines()).toEqual(['new']);
  });

  test('that were only touched, or got another mode, change nothing', async () => {
    const rig = await start();
    await rig.edit('a', 'text\n');
    await check(rig);
    utimesSync(rig.at('a'), 1, 1);
    chmodSync(rig.at('a'), 0o755);
    await check(rig);
    expect(await rig.lua('return _G.changes')).toBeNull();
    expect(await rig.lua('return vim.fn.undotree().seq_last')).toBe(0);
    await knowsItsFile(rig);
  });

  test('that are read-only, in a read-only buffer: both are read anew, without a warning', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua('vim.bo.readonly = true');
    rig.make('a', 'new\n');
    chmodSync(rig.at('a'), 0o444);
    await check(rig);
    expect(await rig.lines()).toEqual(['new']);
    expect(await rig.lua('return vim.bo.readonly')).toBe(true);
    expect(await rig.nvim.messages()).toBe('');
  });

  test('whose buffers are not of our kind are left alone', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua('vim.bo.modifiable = false');
    rig.make('a', 'new\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['old']);
    await rig.lua("vim.bo.modifiable = true vim.bo.buftype = 'nofile'");
    await check(rig);
    expect(await rig.lines()).toEqual(['old']);
    await rig.lua("vim.bo.buftype = '' vim.cmd('file foo://bar')");
    await check(rig);
    expect(await rig.lines()).toEqual(['old']);
    expect(await rig.nvim.messages()).toBe('');
  });

  test('with a swap file and an undo file keep both right', async () => {
    const rig = await BufferRig.start(`vim.o.undofile = true vim.o.swapfile = true`);
    await rig.edit('a', numbered(3));
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' }) vim.cmd('silent write')");
    rig.make('a', 'mine\nagent\nline 3\n');
    await check(rig);
    await rig.nvim.command('bwipeout');
    await rig.edit('a');
    expect(await rig.nvim.messages()).not.toMatch(/E325|swap/);
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['mine', 'line 2', 'line 3']);
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(numbered(3).trimEnd().split('\n'));
  });
});

test('a file that is written again within one tick of its clock is read again', async () => {
  const rig = await start();
  for (let i = 0; i < 20; i++) {
    rig.make('a', 'old\n');
    await rig.lua('vim.cmd.edit({ vim.fn.fnameescape(...), bang = true })', rig.at('a'));
    rig.make('a', 'new\n');
    await check(rig);
    expect(await rig.lines()).toEqual(['new']);
  }
});

test('treesitter and who is attached to the buffer go on', async () => {
  const rig = await start();
  await rig.edit('a.lua', 'local a = 1\nlocal b = 2\n');
  await rig.lua(`vim.treesitter.start(0, 'lua')
    _G.detached = 0
    vim.api.nvim_buf_attach(0, false, { on_detach = function() _G.detached = 1 end })`);
  rig.make('a.lua', 'local a = 1\n-- a comment\nlocal b = 2\n');
  await check(rig);
  expect(
    await rig.lua(`vim.treesitter.get_parser(0):parse()
      return { vim.treesitter.get_node({ pos = { 1, 3 } }):type(), _G.detached }`),
  ).toEqual([expect.stringContaining('comment'), 0]);
});

test('an autocommand that formats and writes works', async () => {
  const rig = await start();
  await rig.edit('a', 'a\nb\n');
  await rig.lua(`vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileChanged', callback = function(args)
      vim.api.nvim_buf_call(args.data.buf, function()
        vim.cmd('%s/$/;/')
        vim.cmd('write')
      end)
    end })`);
  rig.make('a', 'a\nB\n');
  await check(rig);
  expect(rig.disk('a')).toBe('a;\nB;\n');
  await check(rig);
  expect(await rig.lines()).toEqual(['a;', 'B;']);
  expect(await rig.lua('return #_G.changes')).toBe(1);
  await knowsItsFile(rig);
});

test('an autocommand that fails is told, and one that deletes the buffer breaks nothing', async () => {
  const rig = await start();
  await rig.edit('a', 'a\n');
  await rig.edit('b', 'b\n');
  await rig.lua(`vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileChanged', callback = function(args)
      vim.api.nvim_buf_delete(args.data.buf, {})
      error('mine')
    end })`);
  rig.make('a', 'A\n');
  rig.make('b', 'B\n');
  await check(rig);
  expect(await rig.lua('return #_G.changes')).toBe(2);
  await eventually(async () => expect(await rig.nvim.messages()).toMatch(/AcpFileChanged.*mine/s));
});

test('20,000 lines with one changed: in a moment', async () => {
  const rig = await start();
  const text = numbered(20_000);
  await rig.edit('a', text);
  await check(rig);
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    writeFileSync(rig.at('a'), text.replace('line 10000\n', `changed ${i}\n`));
    times.push(
      await rig.lua<number>(`local start = vim.uv.hrtime()
        require('acp.watch').check()
        return (vim.uv.hrtime() - start) / 1e6`),
    );
    expect(await rig.lua('return vim.fn.getline(10000)')).toBe(`changed ${i}`);
  }
  if (process.env['MEASURE']) console.log(times.map((ms) => ms.toFixed(1)).join(' '));
  expect(Math.min(...times)).toBeLessThan(500);
});
