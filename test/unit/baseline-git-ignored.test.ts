/** Files that were there before, and only come to light: what is ignored is decided by files that agents change, too. */
import { execFileSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repository, summary, type Tree } from './baseline-git-tree';

const IGNORING = { '.gitignore': '/.env\nbuild/\n', 'a.txt': 'a\n' };

function project(): Tree {
  const tree = repository(IGNORING);
  tree.write({ '.env': 'SECRET=1\n', 'build/out.o': 'o\n', 'sub/x.log': 'x\n' });
  return tree;
}

test.each<[string, (tree: Tree) => void]>([
  ['.gitignore lets them show', (tree) => writeFileSync(tree.path('.gitignore'), '# nothing\n')],
  ['.gitignore is gone', (tree) => rmSync(tree.path('.gitignore'))],
  [
    'they are added all the same',
    (tree) => execFileSync('git', ['add', '-f', '.env', 'build'], { cwd: tree.top }),
  ],
])('files that were ignored are not new when %s', async (_, work) => {
  const tree = project();
  const baseline = await tree.open();
  const before = await baseline.take();
  work(tree);
  tree.write({ 'new.txt': 'new\n' });
  const once = await baseline.take();
  const isOurs = (line: string): boolean => !line.endsWith('.gitignore');
  expect(summary(await baseline.changes(before, once)).filter(isOurs)).toEqual(['A new.txt']);
  tree.write({ 'b.txt': 'b\n' });
  const twice = await baseline.take();
  expect(summary(await baseline.changes(once, twice))).toEqual(['A b.txt']);
  expect(await baseline.entry(twice, '.env')).toBeNull();
  expect(baseline.limits.join('\n')).toContain('.env');
});

test('files of another repository are not new when that is one no more', async () => {
  const tree = project();
  execFileSync('git', ['init', '-q', tree.path('sub')]);
  const baseline = await tree.open();
  const before = await baseline.take();
  rmSync(tree.path('sub/.git'), { recursive: true });
  tree.write({ 'sub/new.txt': 'new\n' });
  const after = await baseline.take();
  expect(summary(await baseline.changes(before, after))).toEqual([]);
  expect(baseline.limits.join('\n')).toContain('sub/x.log');
});

test('a file that was too large to be recorded is not new when it is cut', async () => {
  const tree = project();
  tree.write({ 'data.csv': Buffer.alloc(10 * 1024 * 1024 + 1, 'x\n') });
  const baseline = await tree.open();
  const before = await baseline.take();
  truncateSync(tree.path('data.csv'), 100);
  expect(await baseline.take()).toBe(before);
  expect(baseline.limits.join('\n')).toContain('data.csv');
});

test('what is made in a folder that is ignored no more is new', async () => {
  const tree = project();
  const baseline = await tree.open();
  writeFileSync(tree.path('.gitignore'), '/.env\n');
  const before = await baseline.take();
  tree.write({ 'build/new.txt': 'new\n' });
  expect(summary(await baseline.changes(before, await baseline.take()))).toEqual([
    'A build/new.txt',
  ]);
});
