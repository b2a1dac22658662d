/** Agents of each shape, while the user has the file in two windows, types in it, or saves it; and commands they run. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness';
import { Bench } from './edits';
import { ORDERS, SHAPES } from './shapes';
import { change, CHANGED, lines, TEXT, type Cell } from './shapes/cell';

const CELLS: Record<string, Cell> = {
  windows: { files: { 'windows.txt': TEXT }, acts: [change('windows.txt')] },
  typed: { files: { 'typed.txt': TEXT }, acts: [change('typed.txt')] },
  saved: { files: { 'saved.txt': TEXT }, acts: [{ ...change('saved.txt'), saved: true }] },
  command: {
    files: { 'shown.txt': TEXT, 'closed.txt': TEXT },
    acts: [
      {
        run: `for f in shown closed; do sed s/^two/TWO/ $f.txt > .t; cat .t > $f.txt; done; rm .t`,
      },
    ],
  },
};

const MINE = TEXT.replace('seven', 'SEVEN');
const BOTH = CHANGED.replace('seven', 'SEVEN');
const HUNKS = [{ line: 2, count: 1, deleted: ['two'] }];

describe.each([...SHAPES, ...ORDERS])('$name’s edit', (shape) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start(shape, CELLS, { git: true });
  });
  afterEach(() => bench.leave());

  const disk = (name: string): string => bench.disk(name)!.bytes.toString();
  const holds = (name: string, text: string): Promise<void> =>
    eventually(async () => {
      expect(disk(name)).toBe(text);
      expect(await bench.buffer(name)).toMatchObject({ lines: lines(text), modified: false });
    });
  /** What the user types over a line far from the agent's. */
  const typeSeven = (): Promise<unknown> =>
    bench.nvim.lua(`vim.cmd.normal({ '7GccSEVEN', bang = true })`);

  it('of a file in two windows moves neither, and is one step to be undone', async () => {
    await bench.prepare('windows');
    await bench.nvim.command('normal! 1G');
    await bench.nvim.command('split | normal! 8G');
    await bench.prompt('windows');
    await bench.allowAll();
    await holds('windows.txt', CHANGED);
    const cursors = await bench.nvim.lua(
      `return vim.tbl_map(function(win)
        return vim.api.nvim_win_get_cursor(win)[1]
      end, vim.fn.win_findbuf(vim.fn.bufnr('windows.txt')))`,
    );
    expect((cursors as number[]).toSorted()).toEqual([1, 8]);
    expect(await bench.nvim.lua('return vim.fn.undotree().seq_last')).toBe(1);
    expect(await bench.review()).toMatchObject([{ name: 'windows.txt', hunks: HUNKS }]);
    await bench.rejectAll();
    await holds('windows.txt', TEXT);
    await bench.quiet();
    // That can be taken back as well.
    await bench.nvim.command('silent normal! u');
    expect(await bench.buffer('windows.txt')).toMatchObject({ lines: lines(CHANGED) });
  });

  it('meets what the user has typed: both are kept, and only the edit is listed', async () => {
    const merges = /OpenCode|Gemini/.test(shape.name);
    await bench.begin('typed');
    await bench.asked();
    await typeSeven();
    await bench.allow();
    await bench.over();
    if (!merges) {
      const { title, files } = await bench.asked();
      expect(title).toBe('typed.txt was changed on disk, and you have unsaved changes');
      expect(files).toMatchObject([
        {
          name: 'typed.txt: − yours, + on disk',
          rows: ['-two', '+TWO', '-SEVEN', '+seven'],
        },
      ]);
      expect(disk('typed.txt')).toBe(CHANGED);
      expect(await bench.buffer('typed.txt')).toMatchObject({ lines: lines(MINE), modified: true });
      await bench.choose(/^Merge/);
      await eventually(async () =>
        expect(await bench.buffer('typed.txt')).toMatchObject({ lines: lines(BOTH) }),
      );
      await bench.nvim.command('silent write');
    }
    await holds('typed.txt', BOTH);
    expect(await bench.review()).toMatchObject([{ name: 'typed.txt', hunks: HUNKS }]);
    await bench.rejectAll();
    await holds('typed.txt', MINE);
    await bench.quiet(/^acp: answered “Merge|typed\.txt was changed on disk, and you have unsaved/);
  });

  it('meets what the user has saved: both are kept, or the agent has to read again', async () => {
    const refuses = shape.name === 'Claude';
    await bench.begin('saved');
    await bench.asked();
    await typeSeven();
    await bench.nvim.command('silent write');
    await bench.allow();
    await bench.over();
    await holds('saved.txt', refuses ? MINE : BOTH);
    expect(await bench.review()).toMatchObject(
      refuses ? [] : [{ name: 'saved.txt', hunks: HUNKS }],
    );
    if (!refuses) await bench.rejectAll();
    await holds('saved.txt', MINE);
    await bench.quiet();
  });

  it('made by a command that names no file is listed, and taken back', async () => {
    await bench.begin('command', ['shown.txt']);
    const asked = await bench.allowAll();
    expect(asked.flatMap(({ files }) => files)).toEqual([]);
    await holds('shown.txt', CHANGED);
    expect(disk('closed.txt')).toBe(CHANGED);
    expect(await bench.review()).toMatchObject([
      { name: 'closed.txt', hunks: HUNKS },
      { name: 'shown.txt', hunks: HUNKS },
    ]);
    await bench.rejectAll();
    await holds('shown.txt', TEXT);
    expect(disk('closed.txt')).toBe(TEXT);
    await bench.quiet();
  });
});
