import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { eventually } from './eventually';
import type { Nvim, Version } from './nvim';
import type { Attrs, Cell } from './screen';

const FOLDER = resolve(import.meta.dirname, '../screens');
const UPDATE = process.env['UPDATE_SCREENS'] === '1';
const SETTLED_MS = 300;
/** The version whose screen is `NAME.txt`; another has `NAME.VERSION.txt` only where it differs. */
const BASE: Version = '0.10';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

export interface ScreenOptions {
  /** What differs from run to run: each match is overwritten in place, so that the columns stay. One character is repeated. */
  replace?: [pattern: RegExp, by: string][];
  timeout?: number;
}

function fileOf(name: string, version: Version): string {
  return join(FOLDER, version === BASE ? `${name}.txt` : `${name}.${version}.txt`);
}

function mask(cells: Cell[], replace: [RegExp, string][]): Cell[] {
  let masked = cells;
  for (const [pattern, by] of replace) {
    const text = masked.map((cell) => cell.text).join('');
    for (const match of text.matchAll(new RegExp(pattern, `${pattern.flags.replace('g', '')}g`))) {
      let at = 0;
      masked = masked.map((cell) => {
        const index = at - match.index;
        at += cell.text.length;
        if (cell.text === '' || index < 0 || index >= match[0].length) return cell;
        return { ...cell, text: by.length === 1 ? by : (by[index] ?? ' ') };
      });
    }
  }
  return masked;
}

function describeAttrs(attrs: Attrs): string {
  return Object.entries(attrs)
    .map(([name, value]) => (value === true ? name : `${name}=${String(value)}`))
    .join(' ');
}

/** The screen as a golden file: rows of text, below them a letter for the look of each cell, and what the letters mean. */
export function snapshot(nvim: Nvim, { replace = [] }: ScreenOptions = {}): string {
  const rows = nvim.grid.cells().map((row) => mask(row, replace));
  const legend = new Map<string, string>();
  const letter = (attrs: Attrs): string => {
    const look = describeAttrs(attrs);
    if (look === '') return ' ';
    const known = legend.get(look) ?? LETTERS[legend.size] ?? '~';
    legend.set(look, known);
    return known;
  };
  const text = rows.map((row) =>
    row
      .map((cell) => cell.text)
      .join('')
      .trimEnd(),
  );
  const looks = rows.map((row) =>
    row
      .map((cell) => letter(cell.attrs))
      .join('')
      .trimEnd(),
  );
  const { row, col } = nvim.cursor;
  return [
    `=== ${rows[0]?.length ?? 0}x${rows.length}, cursor ${row + 1},${col + 1}, ${nvim.mode}`,
    ...text,
    '=== attributes',
    ...looks,
    '=== legend',
    ...[...legend].map(([look, name]) => `${name} ${look}`),
    '',
  ].join('\n');
}

async function settled(take: () => string): Promise<string> {
  let last = take();
  let since = Date.now();
  return eventually(
    () => {
      const now = take();
      if (now !== last) [last, since] = [now, Date.now()];
      if (Date.now() - since < SETTLED_MS) throw new Error('the screen does not settle');
      return last;
    },
    { timeout: 10_000 },
  );
}

/** Writes the golden file; run for the base version first, then for the other (`make screens`). */
async function update(nvim: Nvim, name: string, options: ScreenOptions): Promise<void> {
  const screen = await settled(() => snapshot(nvim, options));
  mkdirSync(FOLDER, { recursive: true });
  const base = fileOf(name, BASE);
  const own = fileOf(name, nvim.version);
  if (own !== base && existsSync(base) && readFileSync(base, 'utf8') === screen)
    rmSync(own, { force: true });
  else writeFileSync(own, screen);
}

/** Waits until the screen, with its colours, is as `test/screens/NAME.txt` says. `UPDATE_SCREENS=1` writes that file. */
export async function expectScreen(
  nvim: Nvim,
  name: string,
  options: ScreenOptions = {},
): Promise<void> {
  if (UPDATE) return update(nvim, name, options);
  const own = fileOf(name, nvim.version);
  const expected = readFileSync(existsSync(own) ? own : fileOf(name, BASE), 'utf8');
  await eventually(() => expect(snapshot(nvim, options)).toBe(expected), options);
}
