import { rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BufferRig } from './buffers-fixture';

const start = (): Promise<BufferRig> => BufferRig.start();

describe('which buffer', () => {
  test('a file that no buffer holds gives nil, and so does one that is listed but not loaded', async () => {
    const rig = await start();
    rig.make('a', 'text\n');
    expect(await rig.read('a')).toBeNull();
    await rig.lua('vim.fn.bufadd(...)', rig.at('a'));
    expect(await rig.read('a')).toBeNull();
  });

  test('a hidden one counts, a changed one gives its unsaved text', async () => {
    const rig = await start();
    await rig.edit('a', 'text\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'unsaved' }) vim.cmd('hide enew')");
    expect(await rig.read('a')).toBe('unsaved\n');
  });

  test('one that was opened through a link, to the file or to a folder, is found by the real path', async () => {
    const rig = await start();
    rig.make('dir/a', 'one\n');
    rig.make('dir/b', 'two\n');
    symlinkSync('dir/a', rig.at('link'));
    symlinkSync('dir', rig.at('dirlink'));
    await rig.edit('link');
    await rig.edit('dirlink/b');
    expect(await rig.read('dir/a')).toBe('one\n');
    expect(await rig.read('dir/b')).toBe('two\n');
  });

  test('one whose file does not exist yet, also below a linked folder and behind a dangling link', async () => {
    const rig = await start();
    rig.make('dir/a', '');
    symlinkSync('dir', rig.at('dirlink'));
    symlinkSync('dir/later', rig.at('dangling'));
    await rig.edit('dirlink/new');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'unsaved' })");
    await rig.edit('dangling');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'later' })");
    expect(await rig.read('dir/new')).toBe('unsaved\n');
    expect(await rig.read('dir/later')).toBe('later\n');
  });

  test('a name with signs that are patterns to Vim', async () => {
    const rig = await start();
    await rig.edit('a*[b] {c},$d.txt', 'odd\n');
    rig.make('a', '');
    expect(await rig.read('a*[b] {c},$d.txt')).toBe('odd\n');
    expect(await rig.read('a')).toBeNull();
  });

  test("a buffer that is no file's text, though it has the name, is none", async () => {
    const rig = await start();
    await rig.edit('a', 'text\n');
    await rig.lua("vim.bo.buftype = 'nofile'");
    expect(await rig.read('a')).toBeNull();
  });
});

describe('what text', () => {
  test.each([
    ['a line end at the end', 'a\nb\n'],
    ['none', 'a\nb'],
    ['CRLF', 'a\r\nb\r\n'],
    ['CRLF and none at the end', 'a\r\nb'],
    ['CRLF and LF', 'a\r\nb\n'],
    ['an empty file', ''],
    ['one empty line', '\n'],
    ['empty lines', '\n\n\n'],
    ['NUL bytes', 'a\0b\n'],
  ])('what is on disk: %s', async (_, content) => {
    const rig = await start();
    await rig.edit('a', content);
    expect(await rig.read('a')).toBe(content);
  });

  test("what 'fixendofline' will have given the file when it was saved", async () => {
    const rig = await start();
    await rig.edit('a', 'a\nb');
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe('a\nb\n');
    expect(await rig.read('a')).toBe('a\nb\n');
  });

  test('in UTF-8 whatever the file is in, without a byte order mark', async () => {
    const rig = await start();
    await rig.edit('latin1', 'caf\xe9\n');
    await rig.edit('bom', '\xef\xbb\xbfa\n');
    await rig.edit('utf16', '\xff\xfea\x00\n\x00');
    expect(await rig.read('latin1')).toBe('café\n');
    expect(await rig.read('bom')).toBe('a\n');
    expect(await rig.read('utf16')).toBe('a\n');
  });

  test('U+FFFD for bytes that are no UTF-8 and that Neovim keeps as they are', async () => {
    const rig = await start();
    rig.make('a', 'a\xff\xe2\x82b\xc3\xa9\n\xed\xa0\x80\n');
    await rig.lua(
      "vim.cmd('edit ++enc=utf-8 ++bad=keep ' .. vim.fn.fnameescape(...))",
      rig.at('a'),
    );
    expect(await rig.read('a')).toBe('a\uFFFD\uFFFD\uFFFDbé\n\uFFFD\uFFFD\uFFFD\n');
  });

  test('line and limit', async () => {
    const rig = await start();
    await rig.edit('a', '1\n2\n3\n4');
    const read = (line?: number, limit?: number) =>
      rig.read('a', { ...(line && { line }), ...(limit && { limit }) });
    expect(await read(2)).toBe('2\n3\n4');
    expect(await read(2, 2)).toBe('2\n3\n');
    expect(await read(undefined, 1)).toBe('1\n');
    expect(await read(4, 1)).toBe('4');
    expect(await read(4, 4_000_000_000)).toBe('4');
    expect(await read(5)).toBe('');
    expect(await read(4_000_000_000, 4_000_000_000)).toBe('');
  });
});

describe('a file that others have changed', () => {
  test("an unmodified buffer is read anew first, whatever 'autoread' says", async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    rig.make('a', 'a new text\n');
    expect(await rig.read('a')).toBe('a new text\n');
    expect(await rig.lines()).toEqual(['a new text']);
    await rig.lua('vim.bo.autoread = false');
    rig.make('a', 'the newest\n');
    expect(await rig.read('a')).toBe('the newest\n');
    expect(await rig.lua('return vim.bo.autoread')).toBe(false);
  });

  test("a modified one keeps the user's text, and nobody is asked", async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'a new text\n');
    expect(await rig.read('a')).toBe('mine\n');
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });

  test('no question either while events are ignored', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua(
      "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' }) vim.o.eventignore = 'all'",
    );
    rig.make('a', 'a new text\n');
    expect(await rig.read('a')).toBe('mine\n');
    expect(await rig.lua('return vim.o.eventignore')).toBe('all');
  });

  test('one that was deleted, and one that appeared after its buffer, ask nothing either', async () => {
    const rig = await start();
    await rig.edit('a', 'kept\n');
    rmSync(rig.at('a'));
    expect(await rig.read('a')).toBe('kept\n');
    await rig.edit('new');
    rig.make('new', 'by others\n');
    expect(await rig.read('new')).toBe('by others\n');
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });
});

test('one of 300 loaded buffers is found in a moment, and none as well', async () => {
  const rig = await start();
  await rig.edit('a', 'text\n');
  const slowest = await rig.lua<number>(
    `vim.o.swapfile = false
     local dir = ...
     for i = 1, 300 do
       vim.fn.bufload(vim.fn.bufadd(dir .. '/' .. i))
     end
     local start = vim.uv.hrtime()
     for i = 1, 10 do
       require('acp.buffers').read({ path = dir .. '/a' })
       require('acp.buffers').read({ path = dir .. '/none' })
     end
     return (vim.uv.hrtime() - start) / 1e6 / 20`,
    rig.nvim.dir,
  );
  expect(slowest).toBeLessThan(50);
});
