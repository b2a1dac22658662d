/** How what is typed finds paths, and in which order. */
import { expect, test } from 'vitest';
import { Search } from '../../src/files/search';
import { PathTable } from '../../src/files/table';

async function searchIn(paths: string[]): Promise<Search> {
  const names = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  return new Search(await PathTable.of([{ prefix: '', names }]));
}

const found = (search: Search, text: string, limit = 100): string[] =>
  search.find(text, limit).hits.map(({ path }) => path);

async function order(text: string, paths: string[]): Promise<string[]> {
  const among = new Set(paths);
  return found(await searchIn(paths), text).filter((path) => among.has(path));
}

test.each([
  ['the name before the folder', 'main', ['src/main.py', 'main/src/other.py']],
  ['the whole name before a part', 'index', ['web/index.ts', 'web/index_of_all.ts']],
  ['what stands together before what is scattered', 'user', ['a/user.go', 'a/unusedserver.go']],
  ['beginnings of words before letters within', 'fb', ['a/foo_bar.ts', 'a/offbeat.ts']],
  ['humps are beginnings', 'fb', ['a/fooBar.ts', 'a/offbeat.ts']],
  ['the beginning of a name before its middle', 'test', ['a/test_x.py', 'a/latest.py']],
  ['the shorter of equals', 'core', ['core/x.ts', 'core/xylophone.ts']],
  ['the same case before another', 'README', ['README', 'readme']],
  ['folders typed with the name', 'ui/pro', ['lua/ui/prompt.lua', 'lua/u/i/prose.lua']],
  ['what is in the folder that is typed', 'src/', ['src/a.ts', 'lib/src/a.ts']],
])('%s', async (_, text, paths) => {
  expect(await order(text, paths)).toEqual(paths);
  expect(await order(text, [...paths].reverse())).toEqual(paths);
});

test('letters are found in their order, in any case, over folders; others are not', async () => {
  const search = await searchIn(['lua/acp/ui/Prompt.lua', 'src/session/prompt.ts', 'Makefile']);
  expect(found(search, 'uipr')).toEqual(['lua/acp/ui/Prompt.lua']);
  expect(found(search, 'PROMPT')).toHaveLength(2);
  expect(found(search, 'tpmorp')).toEqual([]);
  expect(found(search, 'prompt.tss')).toEqual([]);
});

test('blanks part terms that must all be there, in any order', async () => {
  const search = await searchIn(['src/user/model.ts', 'src/order/model.ts', 'src/user/view.ts']);
  expect(found(search, 'model user')).toEqual(['src/user/model.ts']);
});

test('letters that are no ASCII are found in any case', async () => {
  const search = await searchIn(['docs/ÜBERSICHT.md', 'docs/Модель.md', 'docs/İ.md']);
  expect(found(search, 'übersicht')).toEqual(['docs/ÜBERSICHT.md']);
  expect(found(search, 'модель')).toEqual(['docs/Модель.md']);
  expect(found(search, 'İ')).toEqual(['docs/İ.md']);
});

test('folders are found as well, with a slash', async () => {
  const search = await searchIn(['src/render/markdown.ts']);
  expect(found(search, 'rend')[0]).toBe('src/render/');
  expect(found(search, '').sort()).toEqual(['src/', 'src/render/', 'src/render/markdown.ts']);
});

test('nothing typed: what lies near comes first, hidden files last', async () => {
  const paths = ['a/b/c.ts', '.github/x.yml', 'main.ts', 'a/z.ts'];
  expect(await order('', paths)).toEqual(['main.ts', 'a/z.ts', 'a/b/c.ts', '.github/x.yml']);
});

test('typing on finds the same as typing at once, and so does going back', async () => {
  const paths = Array.from({ length: 500 }, (_, i) => `src/m${i % 7}/file${i}_${i * 31}.ts`);
  const typed = await searchIn(paths);
  for (const text of ['', 's', 'sr', 'src', 'src1', 'src12', 'sr', 'fi', 'f', 'fi1', 'fi1 s']) {
    expect(found(typed, text)).toEqual(found(await searchIn(paths), text));
  }
});

test('names that no line of text can hold are left out, doubles are listed once', async () => {
  const search = await searchIn(['a\nb', 'esc\x1b', 'x', 'x', 'del\x7f']);
  expect(found(search, '')).toEqual(['x']);
});

test('names of any length and number', async () => {
  const long = `${'d/'.repeat(300)}${'n'.repeat(200)}.ts`;
  const many = Array.from({ length: 5000 }, (_, i) => `f${i}`);
  const search = await searchIn([long, ...many, `${'x'.repeat(5000)}`]);
  expect(found(search, 'n.ts')).toEqual([long]);
  expect(search.find('f', 10).count).toBe(5000);
  expect(found(search, 'q'.repeat(300))).toEqual([]);
});
