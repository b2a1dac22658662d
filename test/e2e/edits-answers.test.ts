/** Agents of each shape: edits that are allowed, rejected and changed by hand, of files that come, go and change. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { Bench } from './edits';
import { SHAPES } from './shapes';
import { change, CHANGED, lines, TEXT, type Cell } from './shapes/cell';

const CELLS: Record<string, Cell> = {
  allow: { files: { 'allow.txt': TEXT }, acts: [change('allow.txt')] },
  reject: { files: { 'reject.txt': TEXT }, acts: [change('reject.txt')] },
  byHand: { files: { 'hand.txt': TEXT }, acts: [change('hand.txt')] },
  two: {
    files: { 'first.txt': TEXT, 'second.txt': TEXT },
    acts: [change('first.txt'), change('second.txt')],
  },
  hunks: {
    files: { 'hunks.txt': TEXT },
    acts: [change('hunks.txt'), { edit: 'hunks.txt', from: 'seven', to: 'SEVEN' }],
  },
  create: { files: {}, acts: [{ create: 'new.txt', text: TEXT }] },
  remove: { files: { 'gone.txt': TEXT }, acts: [{ remove: 'gone.txt' }] },
  rename: { files: { 'old.txt': TEXT }, acts: [{ rename: 'old.txt', to: 'moved.txt' }] },
};

/** Said once it is sure that the file doesn't come back. */
const DELETED = /^acp: deleted on disk, still in a buffer: /;
const HUNKS = [{ line: 2, count: 1, deleted: ['two'] }];
const modified = (bench: Bench, name: string) => ({
  path: bench.path(name),
  name,
  change: 'modified',
  added: 1,
  removed: 1,
  hunks: HUNKS,
});
const asText = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 });
const saved = (text: string) => ({ lines: lines(text), modified: false });

describe.each(SHAPES)('$name’s edits', (shape) => {
  const isCodex = shape.name === 'Codex';
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start(shape, CELLS, { git: true });
  });
  afterEach(() => bench.leave());

  it('are shown, made when they are allowed, and taken back in the review', async () => {
    await bench.begin('allow');
    const { files } = await bench.asked();
    expect(files).toEqual([
      { name: 'allow.txt', status: 'modified', piece: false, rows: ['-two', '+TWO'] },
    ]);
    await bench.nvim.command('AcpPermission');
    await bench.nvim.waitForScreen(/allow\.txt ─+ hunk 1 of 1 · \+1 −1/);
    await bench.allow();
    await bench.over();
    expect(bench.disk('allow.txt')).toEqual(asText(CHANGED));
    expect(await bench.buffer('allow.txt')).toMatchObject(saved(CHANGED));
    expect(await bench.review()).toEqual([modified(bench, 'allow.txt')]);
    await bench.rejectAll();
    expect(bench.disk('allow.txt')).toEqual(asText(TEXT));
    await eventually(async () =>
      expect(await bench.buffer('allow.txt')).toMatchObject(saved(TEXT)),
    );
    await bench.quiet();
  });

  it('are not made when they are rejected', async () => {
    await bench.begin('reject');
    await bench.asked();
    await bench.reject();
    await bench.over();
    expect(bench.disk('reject.txt')).toEqual(asText(TEXT));
    expect(await bench.buffer('reject.txt')).toMatchObject(saved(TEXT));
    expect(await bench.review()).toEqual([]);
    await bench.quiet();
  });

  it('can be changed by hand where the editor writes them, else it is said why not', async () => {
    await bench.begin('byHand');
    const { editable } = await bench.asked();
    const why = "Scripted writes files by itself: it can't take a changed proposal";
    // Of one that has done both at the same time it may not be known yet; the change is kept all the same.
    if (shape.name === 'OpenCode') expect([true, why]).toContain(editable);
    else expect(editable).toBe(shape.throughUs || why);
    await bench.nvim.command('AcpPermission');
    await bench.nvim.waitForScreen(/hand\.txt ─+ hunk 1 of 1/);
    await bench.nvim.lua(
      `vim.api.nvim_set_current_win(vim.iter(vim.api.nvim_list_wins()):find(function(win)
        return vim.api.nvim_win_get_config(win).relative ~= ''
      end))`,
    );
    await bench.nvim.input('e');
    if (editable === true) {
      await bench.nvim.waitForScreen(/TWO.*/);
      await bench.nvim.input(':%s/TWO/2/<CR>:w<CR>');
      await bench.over();
      const mine = TEXT.replace('two', '2');
      const isMine = async () => {
        expect(bench.disk('hand.txt')).toEqual(asText(mine));
        expect(await bench.buffer('hand.txt')).toMatchObject(saved(mine));
      };
      // It may write over it by itself, later: then that is said, and the changed text given back.
      const isSaid = () => expect(bench.nvim.screen()).toMatch(/your changed text|was not used/);
      if (shape.name === 'OpenCode') await eventually(() => isMine().catch(isSaid));
      else await eventually(isMine);
      expect(await bench.review()).toEqual([modified(bench, 'hand.txt')]);
    } else {
      await eventually(async () => expect(await bench.nvim.messages()).toContain(editable));
      // So soon after a key it counts as not seen yet.
      await eventually(async () => {
        await bench.allow();
        expect(await bench.nvim.lua(`return require('acp').questions()`)).toBe(0);
      });
      await bench.over();
      expect(bench.disk('hand.txt')).toEqual(asText(CHANGED));
      expect(await bench.review()).toEqual([modified(bench, 'hand.txt')]);
    }
    await bench.rejectAll();
    expect(bench.disk('hand.txt')).toEqual(asText(TEXT));
  });

  it('of two files are asked for and listed each', async () => {
    await bench.begin('two', ['first.txt']);
    const asked = await bench.allowAll();
    expect(asked).toHaveLength(isCodex ? 1 : 2);
    const diff = { status: 'modified', piece: false, rows: ['-two', '+TWO'] };
    expect(asked.flatMap(({ files }) => files)).toEqual([
      { name: 'first.txt', ...diff },
      { name: 'second.txt', ...diff },
    ]);
    expect(bench.disk('first.txt')).toEqual(asText(CHANGED));
    expect(bench.disk('second.txt')).toEqual(asText(CHANGED));
    expect(await bench.review()).toEqual([
      modified(bench, 'first.txt'),
      modified(bench, 'second.txt'),
    ]);
    await bench.rejectAll();
    expect(bench.disk('first.txt')).toEqual(asText(TEXT));
    expect(bench.disk('second.txt')).toEqual(asText(TEXT));
    await eventually(async () =>
      expect(await bench.buffer('first.txt')).toMatchObject(saved(TEXT)),
    );
    await bench.quiet();
  });

  it.runIf(isCodex)('told hunk by hunk are shown as one change of the file', async () => {
    const after = CHANGED.replace('seven', 'SEVEN');
    await bench.begin('hunks');
    const [{ files } = { files: [] }] = await bench.allowAll();
    const rows = ['-two', '+TWO', '-seven', '+SEVEN'];
    expect(files).toEqual([{ name: 'hunks.txt', status: 'modified', piece: false, rows }]);
    expect(bench.disk('hunks.txt')).toEqual(asText(after));
    expect(await bench.review()).toMatchObject([
      { name: 'hunks.txt', hunks: [...HUNKS, { line: 7, count: 1, deleted: ['seven'] }] },
    ]);
    await bench.rejectAll();
    expect(bench.disk('hunks.txt')).toEqual(asText(TEXT));
    await bench.quiet();
  });

  it('of a new file show it whole, and rejecting them removes it', async () => {
    await bench.begin('create');
    const [{ files } = { files: [] }] = await bench.allowAll();
    const rows = lines(TEXT).map((line) => `+${line}`);
    expect(files).toEqual([{ name: 'new.txt', status: 'new', piece: false, rows }]);
    expect(bench.disk('new.txt')).toEqual(asText(TEXT));
    expect(await bench.review()).toMatchObject([
      { name: 'new.txt', change: 'added', added: 8, hunks: [{ line: 1, count: 8, deleted: [] }] },
    ]);
    await bench.rejectAll();
    expect(bench.disk('new.txt')).toBeNull();
    await bench.quiet();
  });

  it('that delete a file are taken back with its bytes', async () => {
    await bench.begin('remove');
    const [{ title, files } = { title: '', files: [] }] = await bench.allowAll();
    if (isCodex) {
      const rows = lines(TEXT).map((line) => `-${line}`);
      expect(files).toEqual([{ name: 'gone.txt', status: 'deleted', piece: false, rows }]);
    } else {
      expect(title).toContain("rm 'gone.txt'");
    }
    expect(bench.disk('gone.txt')).toBeNull();
    expect(await bench.review()).toMatchObject([
      { name: 'gone.txt', change: 'deleted', removed: 8, hunks: [{ deleted: lines(TEXT) }] },
    ]);
    await bench.rejectAll();
    expect(bench.disk('gone.txt')).toEqual(asText(TEXT));
    await eventually(async () => expect(await bench.buffer('gone.txt')).toMatchObject(saved(TEXT)));
    await bench.quiet(DELETED);
  });

  it('that rename a file and change a line are listed as that, and taken back', async () => {
    await bench.begin('rename');
    const [{ title, files } = { title: '', files: [] }] = await bench.allowAll();
    if (isCodex) {
      // Nothing of what it says tells of the old name.
      expect(files).toMatchObject([{ name: 'moved.txt', piece: true, rows: ['-two', '+TWO'] }]);
    } else {
      expect(title).toContain("rm 'old.txt'");
    }
    expect(bench.disk('old.txt')).toBeNull();
    expect(bench.disk('moved.txt')).toEqual(asText(CHANGED));
    expect(await bench.review()).toMatchObject([
      { name: 'moved.txt', change: 'renamed', from: bench.path('old.txt'), hunks: HUNKS },
    ]);
    await bench.rejectAll();
    expect(bench.disk('moved.txt')).toBeNull();
    expect(bench.disk('old.txt')).toEqual(asText(TEXT));
    await eventually(async () => expect(await bench.buffer('old.txt')).toMatchObject(saved(TEXT)));
    await bench.quiet(DELETED);
  });
});
