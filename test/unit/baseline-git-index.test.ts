import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGitBaseline } from '../../src/baseline/git';
import { formatIndex, parseIndex } from '../../src/baseline/git-index-file';
import { content, everything, repository, summary, Tree } from './baseline-git-tree';

const FILES = {
  'a.txt': 'a\n',
  'dir/b.txt': 'b\n',
  'dir/sub/c.txt': 'c\n',
  '.gitignore': 'ignored*\n',
};

/** The tree that git itself would make of all files of `tree`, in a repository of its own. */
function treeOf(tree: Tree): string {
  const env = { ...process.env, GIT_INDEX_FILE: join(tree.stateDir, 'index of a test') };
  const options = { cwd: tree.top, encoding: 'utf8', env } as const;
  execFileSync('git', ['add', '-A'], options);
  const all = execFileSync('git', ['write-tree'], options).trim();
  rmSync(env.GIT_INDEX_FILE);
  return all;
}

/** The user's index, in whatever state, must not change what is recorded, nor be changed. */
async function expectWhole(tree: Tree): Promise<void> {
  const wanted = treeOf(tree);
  const git = everything(tree.path('.git'));
  const baseline = await tree.open();
  expect(await baseline.take()).toBe(wanted);
  tree.write({ 'a.txt': 'changed\n' });
  expect(summary(await baseline.changes(wanted, await baseline.take()))).toEqual(['M a.txt']);
  expect(everything(tree.path('.git'))).toEqual(git);
}

test.each(['2', '4'])('an index of version %s is used', async (version) => {
  const tree = repository(FILES);
  tree.write({ ['dir/long'.padEnd(300, '/x')]: 'deep\n' });
  tree.git('add', '.');
  tree.git('update-index', '--index-version', version);
  const index = parseIndex(readFileSync(tree.path('.git/index')), 'sha1');
  expect(index?.entries.map(({ name }) => name.toString())).toEqual(
    tree.git('ls-files', '-z').split('\0').slice(0, -1),
  );
  await expectWhole(tree);
});

test('files that did not change since git has read them are not read again', async () => {
  const tree = repository(FILES);
  // Older than the index, so that git need not look at it.
  utimesSync(tree.path('a.txt'), 1, 1);
  tree.git('update-index', '--refresh');
  chmodSync(tree.path('a.txt'), 0);
  tree.git('update-index', '--refresh');
  const baseline = await tree.open();
  const entry = await baseline.entry(await baseline.take(), 'a.txt');
  const own = everything(tree.stateDir);
  const object = `${entry?.id.slice(0, 2)}/${entry?.id.slice(2)}`;
  expect(Object.keys(own).filter((name) => name.endsWith(object))).toEqual([]);
  expect((await baseline.read(entry?.id ?? ''))?.toString()).toBe('a\n');
});

test('an index that git has split is used', async () => {
  const tree = repository(FILES);
  tree.git('update-index', '--split-index');
  tree.write({ 'dir/new.txt': 'new\n' });
  tree.git('add', '.');
  expect(parseIndex(readFileSync(tree.path('.git/index')), 'sha1')?.base).toMatch(/^[0-9a-f]{40}$/);
  await expectWhole(tree);
});

test('of a sparse checkout what is on disk is recorded', async () => {
  const tree = repository(FILES);
  tree.git('sparse-checkout', 'init', '--cone', '--sparse-index');
  expect(readFileSync(tree.path('.git/index')).includes('sdir')).toBe(true);
  await expectWhole(tree);
  const baseline = await tree.open();
  expect(await baseline.entry(await baseline.take(), 'dir/b.txt')).toBeNull();
});

test('files that git was told to assume unchanged or to skip are looked at', async () => {
  const tree = repository(FILES);
  tree.git('update-index', '--assume-unchanged', 'a.txt');
  tree.git('update-index', '--skip-worktree', 'dir/b.txt');
  const baseline = await tree.open();
  const before = await baseline.take();
  tree.write({ 'a.txt': 'A\n', 'dir/b.txt': 'B\n' });
  const changes = await baseline.changes(before, await baseline.take());
  expect(summary(changes)).toEqual(['M a.txt', 'M dir/b.txt']);
});

test('files that are to be added, and those with conflicts, are recorded as they are on disk', async () => {
  const tree = repository(FILES);
  tree.write({ intended: 'i\n' });
  tree.git('add', '-N', 'intended');
  const stages = ['1', '2', '3'].map((stage) => {
    const id = tree.git('hash-object', '-w', 'dir/b.txt').trim();
    return `100644 ${id} ${stage}\tdir/b.txt\n`;
  });
  execFileSync('git', ['update-index', '--index-info'], {
    cwd: tree.top,
    input: `0 ${'0'.repeat(40)}\tdir/b.txt\n${stages.join('')}`,
  });
  expect(tree.git('ls-files', '-u')).not.toBe('');
  await expectWhole(tree);
});

test.each(['core.untrackedCache', 'feature.manyFiles'])(
  '%s of the user is no harm',
  async (key) => {
    const tree = repository(FILES);
    tree.git('config', key, 'true');
    tree.git('update-index', '--force-write-index');
    tree.git('status');
    await expectWhole(tree);
  },
);

test('a repository of sha256 is recorded', async () => {
  const tree = new Tree();
  tree.git('init', '-q', '--object-format=sha256');
  tree.write(FILES);
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'start');
  await expectWhole(tree);
});

test('a repository whose index is missing, empty or broken is recorded', async () => {
  for (const index of [null, '', 'DIRC\0\0\0\x02\0\0\xff\xff', 'nonsense'.repeat(50)]) {
    const tree = repository(FILES);
    const wanted = treeOf(tree);
    if (index === null) rmSync(tree.path('.git/index'));
    else writeFileSync(tree.path('.git/index'), index, 'latin1');
    const baseline = await tree.open();
    expect(await baseline.take()).toBe(wanted);
  }
});

test('an index of ours that was not written to its end is made anew', async () => {
  const tree = repository(FILES);
  const wanted = treeOf(tree);
  const first = await openGitBaseline({ root: tree.top, stateDir: tree.stateDir });
  await first?.take();
  await first?.close();
  const spare = Object.keys(everything(tree.stateDir)).find((it) => it.endsWith('spare.index'))!;
  writeFileSync(
    join(tree.stateDir, spare),
    readFileSync(join(tree.stateDir, spare)).subarray(0, 99),
  );
  const second = await tree.open();
  expect(await second.take()).toBe(wanted);
});

test('ignored files are left alone, but not those that git knows all the same', async () => {
  const tree = repository(FILES);
  tree.write({ ignored: 'i', 'ignored but known': 'k' });
  tree.git('add', '-f', 'ignored but known');
  const baseline = await tree.open();
  const before = await baseline.take();
  expect(await content(baseline, before, 'ignored but known')).toBe('k');
  expect(await baseline.entry(before, 'ignored')).toBeNull();
  tree.write({ ignored: 'I', 'ignored but known': 'K', 'ignored, known later': 'l' });
  tree.git('add', '-f', 'ignored, known later');
  expect(summary(await baseline.changes(before, await baseline.take()))).toEqual([
    'M ignored but known',
    'A ignored, known later',
  ]);
});

test('what the user ignores by other means than .gitignore is ignored', async () => {
  const tree = repository(FILES);
  tree.write({ '.git/info/exclude': 'by-exclude\n' });
  writeFileSync(join(tree.stateDir, 'global'), 'by-settings\n');
  tree.git('config', 'core.excludesFile', join(tree.stateDir, 'global'));
  const wanted = treeOf(tree);
  tree.write({ 'by-exclude': 'x', 'by-settings': 'x' });
  const baseline = await tree.open();
  expect(await baseline.take()).toBe(wanted);
});

test('a folder that the repository around it ignores has no baseline of git', async () => {
  const tree = repository(FILES);
  tree.write({ 'ignored/x': 'x' });
  const options = { root: tree.path('ignored'), stateDir: tree.stateDir };
  expect(await openGitBaseline(options)).toBeNull();
  tree.git('add', '-f', 'ignored/x');
  const baseline = await tree.open(options.root);
  expect(await content(baseline, await baseline.take(), 'ignored/x')).toBe('x');
});

test('an index that is made of another one is read by git as that', () => {
  const tree = repository(FILES);
  const file = tree.path('.git/index');
  const listed = tree.git('ls-files', '--stage', '--debug');
  const index = parseIndex(readFileSync(file), 'sha1');
  writeFileSync(file, formatIndex(index?.entries ?? [], 'sha1'));
  expect(tree.git('ls-files', '--stage', '--debug')).toBe(listed);
  expect(tree.git('status', '--porcelain')).toBe('');
});
