import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startNvim, type Nvim } from '../harness';

const FILES = [
  'plain.txt',
  'a|b.txt',
  '100%.md',
  '#x',
  'with space.txt',
  "it's.txt",
  'a(1).txt',
  '$HOME.txt',
  '[id].tsx',
  'a:b.txt',
  'src/x.txt',
];

let nvim: Nvim;
beforeAll(async () => {
  nvim = await startNvim();
  mkdirSync(join(nvim.dir, 'src'));
  for (const name of FILES) writeFileSync(join(nvim.dir, name), '');
});

/** What is named where the `^` stands in `line`, as `path:line:column`. */
async function named(line: string, there?: string): Promise<string> {
  const col = Buffer.from(line.slice(0, line.indexOf('^'))).length;
  const text = line.replace('^', '').replaceAll('DIR', nvim.dir);
  const shift = line.slice(0, line.indexOf('^')).includes('DIR') ? nvim.dir.length - 3 : 0;
  const found = await nvim.lua<{ path: string; line?: number; col?: number } | null>(
    `return require('acp.ui.open').named(...)`,
    text,
    col + shift,
    nvim.dir,
    there === undefined ? [] : [{ here: nvim.dir, there }],
  );
  if (!found) return '';
  const path = found.path.replace(`${nvim.dir}/`, '');
  return [path, found.line, found.col].filter((part) => part !== undefined).join(':');
}

describe('the path under the cursor', () => {
  test.each([
    ['see pl^ain.txt.', 'plain.txt'],
    ['a|^b.txt', 'a|b.txt'],
    ['100^%.md:3', '100%.md:3'],
    ['^#x:3', '#x:3'],
    ["it^'s.txt", "it's.txt"],
    ['a(^1).txt', 'a(1).txt'],
    ['$^HOME.txt', '$HOME.txt'],
    ['[i^d].tsx', '[id].tsx'],
    ['a:^b.txt:4', 'a:b.txt:4'],
    ['日本 pl^ain.txt', 'plain.txt'],
    ['`with ^space.txt` here', 'with space.txt'],
    ['"with ^space.txt:4"', 'with space.txt:4'],
    ['(pl^ain.txt:12:3)', 'plain.txt:12:3'],
    ['pl^ain.txt:3-9', 'plain.txt:3'],
    ['pl^ain.txt:L12', 'plain.txt:12'],
    ['pl^ain.txt#L5-L8', 'plain.txt:5'],
    ['pl^ain.txt(12,3): error', 'plain.txt:12:3'],
    ['file://DIR/pl^ain.txt:7', 'plain.txt:7'],
    ['file://DIR/with%20^space.txt', 'with space.txt'],
    ['**pl^ain.txt**', 'plain.txt'],
    ['[plain.txt](pl^ain.txt:9)', 'plain.txt:9'],
    ['--file=pl^ain.txt', 'plain.txt'],
    ['+++ b/src/^x.txt', 'src/x.txt'],
    ['@pl^ain.txt:3', 'plain.txt:3'],
    ['nothing ^there.txt', ''],
    ['a ^. b', ''],
  ])('%s', async (line, expected) => {
    expect(await named(line)).toBe(expected);
  });

  test.each([
    ['in /work/src/^x.txt, line', '/work', 'src/x.txt'],
    ['/work/pl^ain.txt:12:3', '/work', 'plain.txt:12:3'],
    ['file:///work/with%20^space.txt', '/work/', 'with space.txt'],
    ['/pl^ain.txt', '/', 'plain.txt'],
    ['DIR/pl^ain.txt', '/work', 'plain.txt'],
    ['pl^ain.txt', '/work', 'plain.txt'],
    ['/work-2/pl^ain.txt', '/work', ''],
    ['/work/nothing ^there.txt', '/work', ''],
  ])('%s, where the folder is %s to who wrote that', async (line, there, expected) => {
    expect(await named(line, there)).toBe(expected);
  });
});
