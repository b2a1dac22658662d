import { chmodSync, rmSync, utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { BufferRig, numbered } from './buffers-fixture';

/** Stands in for the sidecar: what Lua tells it comes to the test's channel. */
const INIT = `
  vim.o.swapfile = false
  package.loaded['acp.sidecar'] = {
    channel = function() return 1 end,
    running = function() return true end,
    bundle = function() return '/nowhere/index.js' end,
  }
  _G.changes = {}
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpFileChanged',
    callback = function(args) table.insert(_G.changes, args.data) end,
  })`;

/** A buffer with `mine` in place of line 2, over a file that was changed behind it. */
async function conflicted(theirs: string, mine = 'mine'): Promise<BufferRig> {
  const rig = await BufferRig.start(INIT);
  await rig.edit('a', numbered(3));
  await check(rig);
  await rig.lua('vim.api.nvim_buf_set_lines(0, 1, 2, true, { ... })', mine);
  rig.make('a', theirs);
  await check(rig);
  return rig;
}

const THEIRS = 'theirs\nline 2\nline 3\n';

const check = (rig: BufferRig): Promise<unknown> =>
  rig.lua("return require('acp.rpc').call('buffers.check', {})");

const resolve = (rig: BufferRig, text: string): Promise<unknown> =>
  rig.lua("return require('acp.rpc').call('buffer.resolve', ...)", { path: rig.at('a'), text });

const told = (rig: BufferRig): unknown[] =>
  rig.nvim.received('buffer.conflict').map(([params]) => params);

const modified = (rig: BufferRig): Promise<boolean> => rig.lua('return vim.bo.modified');

/** Nobody is asked anything. */
async function unasked(rig: BufferRig): Promise<void> {
  expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  expect(await rig.nvim.messages()).not.toMatch(/\bW1\d:|WARNING|\bE\d+:/);
}

describe('a modified buffer whose file was changed', () => {
  test('is left as it is, and the sidecar is told once for each change', async () => {
    const rig = await conflicted(THEIRS);
    await check(rig);
    expect(await rig.lines()).toEqual(['line 1', 'mine', 'line 3']);
    expect(told(rig)).toEqual([{ path: rig.at('a'), text: 'line 1\nmine\nline 3\n' }]);
    await rig.lua("vim.api.nvim_buf_set_lines(0, 2, 3, true, { 'more' })");
    rig.make('a', 'newer\n');
    await check(rig);
    expect(told(rig)[1]).toEqual({ path: rig.at('a'), text: 'line 1\nmine\nmore\n' });
    expect(told(rig)).toHaveLength(2);
    expect(await rig.lua('return _G.changes')).toEqual([]);
    await rig.nvim.command('checktime');
    await unasked(rig);
  });

  test('is not one when the file was written again as it was, or got another mode: :w just writes', async () => {
    const rig = await conflicted(numbered(3));
    chmodSync(rig.at('a'), 0o755);
    await check(rig);
    utimesSync(rig.at('a'), 1, 1);
    await check(rig);
    expect(told(rig)).toEqual([]);
    await rig.nvim.command('checktime | silent write');
    expect(rig.disk('a')).toBe('line 1\nmine\nline 3\n');
    await rig.nvim.command('silent undo');
    expect(await modified(rig)).toBe(true);
    await unasked(rig);
  });

  test('is not one when the file got the very text: it is saved', async () => {
    const rig = await conflicted('line 1\nmine\nline 3\n');
    expect(told(rig)).toEqual([]);
    expect(await modified(rig)).toBe(false);
    await rig.nvim.command('silent undo');
    expect(await modified(rig)).toBe(true);
  });

  test(':w writes nothing and says so, :wq stays, :w! writes mine', async () => {
    const rig = await conflicted(THEIRS);
    await rig.nvim.command('write');
    await eventually(async () =>
      expect(await rig.nvim.messages()).toContain('a was changed on disk: :AcpPermission decides'),
    );
    expect(await modified(rig)).toBe(true);
    await rig.lua("pcall(vim.cmd, 'split | set nohidden | xit')");
    expect(await rig.lua('return #vim.api.nvim_list_wins()')).toBe(2);
    expect(rig.disk('a')).toBe(THEIRS);
    await rig.nvim.command('silent write!');
    expect(rig.disk('a')).toBe('line 1\nmine\nline 3\n');
    expect(await modified(rig)).toBe(false);
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'later' })");
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe('later\nmine\nline 3\n');
    await unasked(rig);
  });

  test(':w! runs autocommands, and one that fails leaves it undecided', async () => {
    const rig = await conflicted(THEIRS);
    await rig.lua(`vim.api.nvim_create_autocmd('BufWritePre', {
      group = vim.api.nvim_create_augroup('t', {}), callback = function() error('no way') end })`);
    await expect(rig.nvim.command('silent write!')).rejects.toThrow('no way');
    expect(rig.disk('a')).toBe(THEIRS);
    await rig.lua("vim.api.nvim_clear_autocmds({ group = 't' })");
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe(THEIRS);
    await rig.nvim.command('silent write!');
    expect(rig.disk('a')).toContain('mine');
  });

  test('can be written under another name', async () => {
    const rig = await conflicted(THEIRS);
    await rig.lua("vim.cmd('silent write ' .. ...)", rig.at('copy'));
    expect(rig.disk('copy')).toBe('line 1\nmine\nline 3\n');
    expect([rig.disk('a'), await modified(rig)]).toEqual([THEIRS, true]);
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe(THEIRS);
  });

  test(':e! takes theirs, and the question is withdrawn', async () => {
    const rig = await conflicted(THEIRS);
    await rig.nvim.command('silent edit!');
    expect(told(rig)[1]).toEqual({ path: rig.at('a'), text: THEIRS });
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'later' })");
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe('later\nline 2\nline 3\n');
    await unasked(rig);
  });

  test('is read anew when its own changes are undone, and the question is withdrawn', async () => {
    const rig = await conflicted(THEIRS);
    await rig.nvim.command('silent undo');
    await check(rig);
    expect(await rig.lines()).toEqual(['theirs', 'line 2', 'line 3']);
    expect(told(rig)[1]).toEqual({ path: rig.at('a'), text: THEIRS });
    expect(await rig.lua('return #_G.changes')).toBe(1);
    await rig.nvim.command('silent write');
    await unasked(rig);
  });

  test('that is given up by :bdelete! leaves no question', async () => {
    const rig = await conflicted(THEIRS);
    await rig.nvim.command('bdelete!');
    expect(told(rig)[1]).toEqual({ path: rig.at('a'), text: THEIRS });
    await rig.edit('a');
    expect(await rig.lines()).toEqual(['theirs', 'line 2', 'line 3']);
  });

  test('in a file that appeared after it was opened', async () => {
    const rig = await BufferRig.start(INIT);
    await rig.edit('a');
    await check(rig);
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'theirs\n');
    await check(rig);
    expect(told(rig)).toEqual([{ path: rig.at('a'), text: 'mine\n' }]);
    expect(await resolve(rig, 'mine\ntheirs\n')).toEqual({ ok: true });
    expect(await rig.lines()).toEqual(['mine', 'theirs']);
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe('mine\ntheirs\n');
    await rig.nvim.command('silent undo');
    expect(await rig.lines()).toEqual(['mine']);
    await unasked(rig);
  });
});

describe('a decision', () => {
  test.each([
    ['mine', 'line 1\nmine\nline 3\n', true],
    ['theirs', THEIRS, false],
    ['both', 'theirs\nmine\nline 3\n', true],
    ['marked', '<<<<<<< mine\nline 1\n=======\ntheirs\n>>>>>>> theirs\nmine\nline 3\n', true],
    ['nothing', '', true],
  ])('%s: the buffer has it as one undo step, and :w asks nothing', async (_, text, unsaved) => {
    const rig = await conflicted(THEIRS);
    expect(await resolve(rig, text)).toEqual({ ok: true });
    expect(await rig.read('a')).toBe(text);
    expect(await modified(rig)).toBe(unsaved);
    await rig.nvim.command('checktime');
    await rig.nvim.command('silent undo');
    if (text !== 'line 1\nmine\nline 3\n') {
      expect(await rig.lines()).toEqual(['line 1', 'mine', 'line 3']);
      expect(await modified(rig)).toBe(true);
      await rig.nvim.command('silent redo');
    } else {
      await rig.nvim.command('silent redo');
    }
    expect(await modified(rig)).toBe(unsaved);
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe(text);
    await check(rig);
    expect(told(rig)).toHaveLength(1);
    await unasked(rig);
  });

  test('tells others once what changed in the buffer', async () => {
    const rig = await conflicted(THEIRS);
    await resolve(rig, 'theirs\nmine\nline 3\n');
    expect(await rig.lua('return vim.tbl_map(function(c) return c.hunks end, _G.changes)')).toEqual(
      [[{ old_start: 1, old_count: 1, new_start: 1, new_count: 1 }]],
    );
  });

  test('leaves cursors on their lines, whoever wrote these', async () => {
    const rig = await BufferRig.start(INIT);
    await rig.edit('a', numbered(100));
    await check(rig);
    await rig.lua("vim.api.nvim_buf_set_lines(0, 49, 50, true, { 'mine 1', 'mine 2', 'mine 3' })");
    await rig.lua("vim.cmd('normal! 51G3|zz') vim.cmd('split') vim.cmd('normal! 90Gzt')");
    const theirs = 'a\nb\n' + numbered(100);
    rig.make('a', theirs);
    await check(rig);
    const places = () =>
      rig.lua(`return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function()
          return { vim.fn.getline('.'), vim.fn.col('.'), vim.fn.getline('w0') }
        end)
      end, vim.api.nvim_list_wins())`);
    const before = await places();
    await resolve(rig, theirs.replace('line 50\n', 'mine 1\nmine 2\nmine 3\n'));
    expect(await places()).toEqual(before);
  });

  test('about a buffer that is gone, can not be changed, or whose file is gone', async () => {
    const rig = await conflicted(THEIRS);
    rmSync(rig.at('a'));
    expect(await resolve(rig, 'kept\n')).toEqual({ ok: true });
    expect([await rig.lines(), await modified(rig)]).toEqual([['kept'], true]);
    await rig.nvim.command('silent write');
    expect(rig.disk('a')).toBe('kept\n');
    await rig.lua('vim.bo.modifiable = false');
    expect(await resolve(rig, 'x\n')).toMatchObject({
      error: expect.stringContaining('modifiable') as string,
    });
    await rig.nvim.command('bdelete');
    expect(await resolve(rig, 'x\n')).toBeNull();
  });
});
