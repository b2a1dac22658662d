import { chmodSync, lstatSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { BufferRig, numbered } from './buffers-fixture';

const start = (): Promise<BufferRig> => BufferRig.start();

describe('writing', () => {
  test('changes buffer and file, and leaves the buffer unmodified', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    expect(await rig.write('a', 'line 1\nnew\nline 3\n')).toEqual({ ok: true });
    expect(await rig.lines()).toEqual(['line 1', 'new', 'line 3']);
    expect(rig.disk('a')).toBe('line 1\nnew\nline 3\n');
    expect(await rig.lua('return vim.bo.modified')).toBe(false);
    expect(await rig.nvim.messages()).toBe('');
  });

  test('does nothing where the buffer holds something else by now than the text was made from', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    expect(await rig.write('a', 'agent\n', 'older\n')).toEqual({ stale: true });
    await rig.nvim.input('Atyped<Esc>');
    expect(await rig.write('a', 'agent\n', 'old\n')).toEqual({ stale: true });
    expect(await rig.lines()).toEqual(['oldtyped']);
    expect(rig.disk('a')).toBe('old\n');
    expect(await rig.write('a', 'agent\n', 'oldtyped\n')).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('agent\n');
  });

  test.each([
    ['CRLF', 'one\r\ntwo\r\n', 'edit', 'one\r\ntwo\r\n'],
    ['no final newline', 'one\ntwo', 'edit', 'one\ntwo'],
    ['a byte order mark', '\xef\xbb\xbfone\n', 'edit', 'one\n'],
    ['nothing', '', 'edit', ''],
    ['one empty line', '\n', 'edit', '\n'],
    ['text that Neovim takes for something else', '\xc3\xa9\n', 'edit ++enc=latin1', 'é\n'],
  ])('knows what a file with %s was', async (_, bytes, edit, was) => {
    const rig = await start();
    rig.make('a', bytes);
    await rig.nvim.command(`${edit} ${rig.at('a')}`);
    expect(await rig.write('a', `${was}more\n`, was)).toEqual({ ok: true });
  });

  test('is nil where no buffer is loaded, and touches nothing', async () => {
    const rig = await start();
    rig.make('a', 'old\n');
    expect(await rig.write('a', 'new\n')).toBeNull();
    expect(rig.disk('a')).toBe('old\n');
  });

  test('works in a hidden buffer, through a link, and in a new one whose folder does not exist', async () => {
    const rig = await start();
    rig.make('a', 'old\n');
    symlinkSync('a', rig.at('link'));
    await rig.edit('link');
    await rig.edit('none/such/new');
    await rig.nvim.command('enew');
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
    expect(await rig.write('none/such/new', 'created\n')).toEqual({ ok: true });
    expect([rig.disk('a'), rig.disk('none/such/new')]).toEqual(['new\n', 'created\n']);
    expect(lstatSync(rig.at('link')).isSymbolicLink()).toBe(true);
  });

  test('the same text neither writes nor runs autocommands; unsaved, or deleted, it is saved', async () => {
    const rig = await start();
    await rig.edit('a', 'text\n');
    await rig.lua(
      "vim.g.writes = 0 vim.api.nvim_create_autocmd('BufWritePre', { callback = function() vim.g.writes = vim.g.writes + 1 end })",
    );
    const before = statSync(rig.at('a')).mtimeMs;
    expect(await rig.write('a', 'text\n')).toEqual({ ok: true });
    expect(await rig.lua('return vim.g.writes')).toBe(0);
    expect(statSync(rig.at('a')).mtimeMs).toBe(before);
    rmSync(rig.at('a'));
    expect(await rig.write('a', 'text\n')).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('text\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'unsaved' })");
    expect(await rig.write('a', 'unsaved\n')).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('unsaved\n');
  });

  test("runs the user's autocommands, and a formatter's changes are saved and belong to the same undo step", async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
      vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'formatted' })
    end })`);
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('new\nformatted\n');
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['old']);
  });
});

describe('bytes', () => {
  test.each([
    // [on disk, the agent's text in UTF-8, on disk afterwards]
    ['a\nb\n', 'a\nc', 'a\nc'],
    ['a\nb', 'a\nc', 'a\nc'],
    ['a\nb', 'a\nc\n', 'a\nc\n'],
    ['a\nb\n', '', ''],
    ['', 'a\n', 'a\n'],
    ['', '\n', '\n'],
    ['\n', '', ''],
    ['a\n', '\n', '\n'],
    ['a\n', '\n\n', '\n\n'],
    ['a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['a\r\nb\r\n', 'a\r\nc\r\n', 'a\r\nc\r\n'],
    ['a\r\nb\r\n', 'a\r\nc', 'a\r\nc'],
    ['a\r\nb\n', 'a\r\nc\n', 'a\r\nc\n'],
    ['a\nb\n', 'a\r\nb\n', 'a\r\nb\n'],
    ['\xef\xbb\xbfa\n', 'b\n', '\xef\xbb\xbfb\n'],
    ['\xef\xbb\xbfa\n', '\uFEFFb\n', '\xef\xbb\xbfb\n'],
    ['a\n', '\uFEFFb\n', '\xef\xbb\xbfb\n'],
    ['caf\xe9\n', 'café crème\n', 'caf\xe9 cr\xe8me\n'],
    ['caf\xe9\r\n', 'thé', 'th\xe9'],
    ['\xff\xfea\x00\n\x00', 'b\n', '\xff\xfeb\x00\n\x00'],
    ['a\0b\n', 'a\0c\n', 'a\0c\n'],
    ['h\xc3\xa9\n', 'hè\n', 'h\xc3\xa8\n'],
    ['\xf0\x9f\x98\x80\n', '😁\n', '\xf0\x9f\x98\x81\n'],
  ])('over %j, %j becomes %j', async (old, text, expected) => {
    const rig = await start();
    await rig.edit('a', old);
    expect(await rig.write('a', text)).toEqual({ ok: true });
    expect(rig.disk('a')).toBe(expected);
    expect(await rig.lua('return vim.bo.modified')).toBe(false);
  });

  test("'fixendofline' stays as the user has it", async () => {
    const rig = await start();
    await rig.edit('a', 'a\n');
    await rig.write('a', 'b');
    expect(await rig.lua('return { vim.bo.fixendofline, vim.bo.endofline }')).toEqual([
      true,
      false,
    ]);
    expect(await rig.read('a')).toBe('b');
  });

  test('lines whose bytes are no UTF-8 keep them, where the agent left the line alone', async () => {
    const rig = await start();
    rig.make('a', 'caf\xe9\nother\n');
    await rig.lua("vim.cmd('edit ++enc=utf-8 ++bad=keep ' .. ...)", rig.at('a'));
    const text = await rig.read('a');
    expect(await rig.write('a', text!.replace('other', 'changed'))).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('caf\xe9\nchanged\n');
  });
});

describe('what stays where it was', () => {
  const inserted = (text: string): string => 'new 1\nnew 2\n' + text.replace('line 80\n', '');

  test('cursor and view of every window, also when lines come and go above', async () => {
    const rig = await start();
    await rig.edit('a', numbered(200));
    await rig.lua(`vim.cmd('normal! 90G5|zt') vim.cmd('split') vim.cmd('normal! 150G$zb') vim.cmd('tab split')
      vim.cmd('normal! 30Gzz') vim.cmd('tab split') vim.cmd('normal! 120G3|zt')`);
    const views = () =>
      rig.lua<[number, number, number, string][]>(`return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function()
          local view = vim.fn.winsaveview()
          return { view.lnum, view.col, view.topline, vim.fn.getline('w0') }
        end)
      end, vim.fn.win_findbuf(vim.api.nvim_get_current_buf()))`);
    const before = await views();
    await rig.write('a', inserted(numbered(200)));
    const after = await views();
    for (const [i, [lnum, col, topline, top]] of before.entries()) {
      const shift = (line: number): number => line + (line > 80 ? 1 : 2);
      expect(after[i]).toEqual([shift(lnum), col, shift(topline), top]);
    }
  });

  test('the cursor within a changed line, behind the change', async () => {
    const rig = await start();
    await rig.edit('a', 'local value = old_name + cursor\n');
    await rig.lua("vim.fn.search('cursor') vim.cmd('split') vim.fn.search('=')");
    await rig.write('a', 'local value = a_new_and_longer_name + cursor\n');
    expect(
      await rig.lua(`return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function() return vim.fn.expand('<cWORD>') end)
      end, vim.api.nvim_list_wins())`),
    ).toEqual(['=', 'cursor']);
  });

  test('the lines of cursors and views when all lines change', async () => {
    const rig = await start();
    await rig.edit('a', numbered(500));
    await rig.lua("vim.cmd('normal! 400Gzt') vim.cmd('split') vim.cmd('normal! 300Gzb')");
    const lines = () =>
      rig.lua(`return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function() return { vim.fn.line('.'), vim.fn.line('w0') } end)
      end, vim.api.nvim_list_wins())`);
    const before = await lines();
    await rig.write('a', numbered(500).replaceAll('line', 'row'));
    expect(await lines()).toEqual(before);
  });

  test('marks and extmarks, also within a changed line', async () => {
    const rig = await start();
    await rig.edit('a', numbered(100));
    const ns = await rig.lua<number>(
      `vim.cmd('90mark m')
       local ns = vim.api.nvim_create_namespace('test')
       vim.api.nvim_buf_set_extmark(0, ns, 89, 5, { id = 1 })
       vim.api.nvim_buf_set_extmark(0, ns, 49, 0, { id = 2 })
       vim.api.nvim_buf_set_extmark(0, ns, 49, 7, { id = 3 })
       return ns`,
    );
    const text = inserted(numbered(100)).replace('line 50\n', 'line (50)\n');
    await rig.write('a', text);
    expect(await rig.lua("return vim.api.nvim_buf_get_mark(0, 'm')[1]")).toBe(91);
    expect(await rig.lua('return vim.api.nvim_buf_get_extmarks(0, ..., 0, -1, {})', ns)).toEqual([
      [2, 51, 0],
      [3, 51, 9],
      [1, 90, 5],
    ]);
  });

  test('manual folds, closed ones closed', async () => {
    const rig = await start();
    await rig.edit('a', numbered(100));
    await rig.nvim.command('setlocal foldmethod=manual | 20,30fold | 90,95fold');
    await rig.write('a', inserted(numbered(100)).replace('line 25\n', 'changed\n'));
    const folds = await rig.lua(
      'return { vim.fn.foldclosed(22), vim.fn.foldclosedend(22), vim.fn.foldclosed(91), vim.fn.foldclosedend(91) }',
    );
    expect(folds).toEqual([22, 32, 91, 96]);
  });

  test('only what differs is changed', async () => {
    const rig = await start();
    await rig.edit('a', numbered(100));
    await rig.lua(`_G.changes = {}
      vim.api.nvim_buf_attach(0, false, { on_lines = function(_, _, _, first, last, new)
        table.insert(_G.changes, { first, last, new })
      end })`);
    await rig.write('a', numbered(100).replace('line 7\n', 'seven\n').replace('line 70\n', ''));
    expect(await rig.lua('return _G.changes')).toEqual([
      [69, 70, 69],
      [6, 7, 7],
    ]);
  });
});

describe('undo', () => {
  test('one step takes back what the agent wrote and nothing else', async () => {
    const rig = await start();
    await rig.edit('a', numbered(50));
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })");
    const mine = numbered(50).replace('line 1\n', 'mine\n');
    await rig.write('a', mine.replace('line 10\n', 'ten\n').replace('line 40\n', 'x\ny\n'));
    await rig.nvim.command('silent undo');
    expect((await rig.lines()).join('\n') + '\n').toBe(mine);
    await rig.nvim.command('silent undo');
    expect((await rig.lines())[0]).toBe('line 1');
  });

  test('who is inserting goes on where he was, and his text before and after are steps of their own', async () => {
    const rig = await start();
    await rig.edit('a', numbered(5));
    const typed = (text: string) =>
      eventually(async () => expect(await rig.lines()).toContain(text));
    await rig.nvim.input('3Gobefore');
    await typed('before');
    expect(await rig.write('a', 'new\n' + numbered(3) + 'before\nline 4\nchanged\n')).toEqual({
      ok: true,
    });
    await rig.nvim.input(' after');
    await typed('before after');
    await rig.nvim.input('<Esc>');
    const undone = async (): Promise<string[]> => {
      await rig.nvim.command('silent undo');
      return rig.lines();
    };
    const five = numbered(5).trimEnd().split('\n');
    const withBefore = [...five.slice(0, 3), 'before', ...five.slice(3)];
    await eventually(async () => expect(rig.nvim.mode).toBe('normal'));
    expect(await undone()).toEqual(['new', ...withBefore.slice(0, 5), 'changed']);
    expect(await undone()).toEqual(withBefore);
    expect(await undone()).toEqual(five);
  });
});

test.each([
  ['a command line', ':echo 1', 'c'],
  ['insert mode in another buffer', 'ihello', 'i'],
  ['visual mode', 'v', 'v'],
])('who is in %s stays there', async (_, keys, mode) => {
  const rig = await start();
  await rig.edit('a', numbered(3));
  await rig.edit('b', numbered(3));
  const now = () => rig.lua<string>('return vim.api.nvim_get_mode().mode');
  await rig.nvim.input(keys);
  await eventually(async () => expect(await now()).toBe(mode));
  expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
  expect(rig.disk('a')).toBe('new\n');
  expect(await now()).toBe(mode);
  expect(await rig.lua('return vim.fn.getcmdline()')).toBe(keys.startsWith(':') ? 'echo 1' : '');
  expect(await rig.lua('return vim.api.nvim_get_current_line()')).toMatch(/^(hello)?line 1$/);
});

/** The reason for which a write is refused; `null` when it isn't. */
async function refusal(rig: BufferRig, name: string, text: string): Promise<string | null> {
  const result = await rig.write(name, text);
  return result && 'error' in result ? result.error : null;
}

describe('refused, with the plain reason and without a question', () => {
  const untouched = async (rig: BufferRig, lines: string[], modified = false): Promise<void> => {
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
    expect(await rig.lines()).toEqual(lines);
    expect(await rig.lua('return vim.bo.modified')).toBe(modified);
  };

  test("'readonly', 'nomodifiable' and a read-only file", async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua('vim.bo.readonly = true');
    expect(await refusal(rig, 'a', 'new\n')).toContain('read-only');
    await rig.lua('vim.bo.readonly = false vim.bo.modifiable = false');
    expect(await refusal(rig, 'a', 'new\n')).toContain('modifiable');
    await rig.lua('vim.bo.modifiable = true');
    chmodSync(rig.at('a'), 0o444);
    expect(await refusal(rig, 'a', 'new\n')).toContain('read-only');
    await untouched(rig, ['old']);
    expect(rig.disk('a')).toBe('old\n');
  });

  test('a file that others changed while the buffer has changes too, however often it is tried', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'by others\n');
    for (let i = 0; i < 2; i++) {
      expect(await refusal(rig, 'a', 'new\n')).toContain('changed on disk');
    }
    await untouched(rig, ['mine'], true);
    expect(rig.disk('a')).toBe('by others\n');
    await rig.nvim.command('silent edit!');
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
  });

  test('a file that others made while its buffer was filled', async () => {
    const rig = await start();
    await rig.edit('a');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'by others\n');
    expect(await refusal(rig, 'a', 'new\n')).toContain('changed on disk');
    await untouched(rig, ['mine'], true);
    expect(rig.disk('a')).toBe('by others\n');
  });

  test("text that the file's encoding lacks", async () => {
    const rig = await start();
    await rig.edit('a', 'caf\xe9\n');
    expect(await refusal(rig, 'a', '→\n')).toContain('latin1');
    await untouched(rig, ['café']);
    expect(rig.disk('a')).toBe('caf\xe9\n');
  });

  test('a failing autocommand, in Lua and in Vim script: the change is taken back', async () => {
    const rig = await start();
    await rig.edit('a', numbered(3));
    const lines = await rig.lines();
    await rig.lua(
      "vim.api.nvim_create_autocmd('BufWritePre', { group = vim.api.nvim_create_augroup('t', {}), callback = function() error('no way') end })",
    );
    expect(await refusal(rig, 'a', 'new\n')).toMatch(/^BufWritePre: .*no way$/);
    await untouched(rig, lines);
    await rig.nvim.command("autocmd! t | autocmd t BufWritePre * throw 'not so'");
    expect(await refusal(rig, 'a', 'new')).toContain('not so');
    await untouched(rig, lines);
    expect(rig.disk('a')).toBe(numbered(3));
    expect(await rig.lua('return { vim.bo.endofline, vim.bo.fixendofline }')).toEqual([true, true]);
  });

  test('a folder that cannot be', async () => {
    const rig = await start();
    await rig.edit('file/below');
    rig.make('file', '');
    expect(await refusal(rig, 'file/below', 'x\n')).toMatch(/E\d+/);
  });
});

describe('not refused', () => {
  test('a file that others changed while the buffer has no changes: it is read anew first', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    rig.make('a', 'by others\n');
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['by others']);
  });

  test('what the agent has already written to disk itself', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.edit('new');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    await rig.lua(
      "vim.fn.bufload('a') vim.api.nvim_buf_set_lines(vim.fn.bufnr('a'), 0, -1, true, { 'mine' })",
    );
    rig.make('a', 'new\n');
    rig.make('new', 'new\n');
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
    expect(await rig.write('new', 'new\n')).toEqual({ ok: true });
    expect(await rig.lines()).toEqual(['new']);
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });

  test('an autocommand that fails after the file was written: the user is told', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua(
      "vim.api.nvim_create_autocmd('BufWritePost', { callback = function() error('late') end })",
    );
    expect(await rig.write('a', 'new\n')).toEqual({ ok: true });
    expect(rig.disk('a')).toBe('new\n');
    await eventually(async () => expect(await rig.nvim.messages()).toContain('late'));
  });
});

test('20,000 lines: a small change and a whole rewrite are fast', async () => {
  const rig = await start();
  const text = numbered(20_000);
  await rig.edit('a', text);
  const times: number[] = [];
  for (const next of [
    text.replace('line 10000\n', 'changed\n'),
    text.replaceAll('line', 'row'),
    text.replaceAll(/line (\d*[02468])\n/g, 'even $1\n'),
  ]) {
    const start = performance.now();
    expect(await rig.write('a', next)).toEqual({ ok: true });
    times.push(performance.now() - start);
    expect(rig.disk('a')).toBe(next);
  }
  expect(Math.max(...times)).toBeLessThan(3000);
});
