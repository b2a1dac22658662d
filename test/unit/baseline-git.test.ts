import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGitBaseline } from '../../src/baseline/git';
import { tempDir } from '../harness';
import { content, repository, summary, Tree } from './baseline-git-tree';

test('files changed, added, deleted, renamed and made executable are told apart', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  const tree = repository({ 'a.txt': 'a\n', 'gone.txt': 'gone\n', 'old.txt': lines, 'run.sh': '' });
  const baseline = await tree.open();
  const before = await baseline.take();

  tree.write({ 'a.txt': 'b\n', 'dir/new.txt': 'new\n' });
  rmSync(tree.path('gone.txt'));
  renameSync(tree.path('old.txt'), tree.path('renamed.txt'));
  chmodSync(tree.path('run.sh'), 0o755);

  const changes = await baseline.changes(before, await baseline.take());
  expect(summary(changes)).toEqual([
    'M a.txt',
    'A dir/new.txt',
    'D gone.txt',
    'R old.txt -> renamed.txt',
    'M run.sh 100644 -> 100755',
  ]);
  const [{ before: old, after } = { before: null, after: null }] = changes;
  expect((await baseline.read(old?.id ?? ''))?.toString()).toBe('a\n');
  expect((await baseline.read(after?.id ?? ''))?.toString()).toBe('b\n');
  expect(await baseline.entry(before, 'a.txt')).toEqual(old);
  expect(await baseline.entry(before, 'dir/new.txt')).toBeNull();
});

test('a tree that did not change is the same record', async () => {
  const tree = repository({ 'a.txt': 'a\n' });
  const baseline = await tree.open();
  expect(await baseline.take()).toBe(await baseline.take());
});

test('unsaved text counts in the place of what is on disk', async () => {
  const tree = repository({ 'a.txt': 'a\n' });
  const baseline = await tree.open();
  const saved = await baseline.take();
  const unsaved = await baseline.take(new Map([[tree.path('a.txt'), Buffer.from('typed\n')]]));
  const [change] = await baseline.changes(saved, unsaved);
  expect((await baseline.read(change?.after?.id ?? ''))?.toString()).toBe('typed\n');
  expect(change?.after?.id).toBe(await baseline.write(Buffer.from('typed\n')));
  expect(await baseline.take()).toBe(saved);
});

test('unsaved text of files that are ignored, beyond a limit or elsewhere is left out, that of new ones not', async () => {
  const tree = repository({ '.gitignore': 'ignored*\n', 'run.sh': '' });
  chmodSync(tree.path('run.sh'), 0o755);
  tree.write({ ignored: 'x' });
  symlinkSync('run.sh', tree.path('link'));
  mkdirSync(tree.path('nested'));
  execFileSync('git', ['init', '-q'], { cwd: tree.path('nested') });
  const baseline = await tree.open();
  const saved = await baseline.take();
  const left = ['ignored', 'ignored-too', 'nested/x', '.git/x', 'link', '../elsewhere', 'run.sh/x'];
  const paths = [...left, 'run.sh', 'new/file', 'run.sh.new', 'new.txt'];
  const unsaved = new Map(paths.map((path) => [join(tree.top, path), Buffer.from('typed')]));
  const changes = await baseline.changes(saved, await baseline.take(unsaved));
  expect(summary(changes)).toEqual(['A new.txt', 'A new/file', 'M run.sh', 'A run.sh.new']);
  expect(changes[2]?.after?.mode).toBe('100755');
});

test('unsaved text gives the record that it will give when it is saved', async () => {
  const tree = repository({ 'a.b': '1', 'a/b': '2', a0: '3', 'ä/ö': '4', 'deep/er/x': '5' });
  const baseline = await tree.open();
  await baseline.take();
  const paths = ['a.b', 'a/b', 'a-b', 'a/c', 'b', 'deep/er/y/z', 'ä/ö', 'ä.ü', 'new/er/x'];
  const files = Object.fromEntries(paths.map((path) => [path, `typed in ${path}`]));
  const unsaved = paths.map((path) => [tree.path(path), Buffer.from(files[path]!)] as const);
  const record = await baseline.take(new Map(unsaved));
  tree.write(files);
  expect(await baseline.take()).toBe(record);
});

test('unsaved text counts in a repository without any file', async () => {
  const tree = new Tree();
  tree.git('init', '-q');
  const baseline = await tree.open();
  const record = await baseline.take(new Map([[tree.path('a'), Buffer.from('typed')]]));
  expect(await content(baseline, record, 'a')).toBe('typed');
});

test('bytes are kept as they are', async () => {
  const all = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
  const tree = repository({ 'a.bin': 'x' });
  const baseline = await tree.open();
  tree.write({ 'a.bin': all });
  const record = await baseline.take();
  const entry = await baseline.entry(record, 'a.bin');
  expect(await baseline.read(entry?.id ?? '')).toEqual(all);
  expect(await baseline.read('0'.repeat(40))).toBeNull();
  expect(await baseline.read('HEAD')).toBeNull();
  // A tree is no content of a file.
  expect(await baseline.read(record)).toBeNull();
});

test('much content is read at once', async () => {
  const tree = repository();
  const baseline = await tree.open();
  const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(index * 100_000, index));
  const ids = await Promise.all(contents.map((it) => baseline.write(it)));
  const read = await Promise.all(ids.map((id) => baseline.read(id)));
  expect(contents.map((it, index) => read[index]?.equals(it))).toEqual(contents.map(() => true));
});

test('links are recorded as links, and what takes the place of a file as what it is', async () => {
  const tree = repository({ 'dir/a': 'a', file: 'x', 'to-link': 'y', target: 't' });
  symlinkSync('target', tree.path('link'));
  const baseline = await tree.open();
  const before = await baseline.take();
  expect(await baseline.entry(before, 'link')).toMatchObject({ mode: '120000' });
  expect(await content(baseline, before, 'link')).toBe('target');

  unlinkSync(tree.path('link'));
  symlinkSync('elsewhere', tree.path('link'));
  unlinkSync(tree.path('file'));
  tree.write({ 'file/in/it': 'x' });
  unlinkSync(tree.path('to-link'));
  symlinkSync('target', tree.path('to-link'));
  // A folder that becomes a link to another with the same names.
  renameSync(tree.path('dir'), tree.path('moved'));
  symlinkSync('moved', tree.path('dir'));
  expect(summary(await baseline.changes(before, await baseline.take())).sort()).toEqual([
    'A dir',
    'M link',
    'M to-link 100644 -> 120000',
    'R dir/a -> moved/a',
    'R file -> file/in/it',
  ]);
});

test('file names may hold anything', async () => {
  const odd = ['-n', 'a\nb', '"quoted"', 'ä/ö 猫', ' ', ':(top)x', '*', 'a\\b', '--stdin', 'x\ty'];
  const tree = repository({ '-n': '1' });
  const baseline = await tree.open();
  const before = await baseline.take();
  tree.write(Object.fromEntries(odd.map((name, index) => [name, `content ${index}`])));
  const after = await baseline.take();
  expect(summary(await baseline.changes(before, after)).sort()).toEqual(
    odd.map((name) => `${name === '-n' ? 'M' : 'A'} ${name}`).sort(),
  );
  for (const [index, name] of odd.entries())
    expect(await content(baseline, after, name)).toBe(`content ${index}`);
  const typed = new Map(odd.map((name) => [tree.path(name), Buffer.from('typed')]));
  const unsaved = await baseline.take(typed);
  for (const name of odd) expect(await content(baseline, unsaved, name)).toBe('typed');
});

test('a file whose name is not UTF-8 is left out, and that is said', async () => {
  const tree = repository();
  const baseline = await tree.open();
  const before = await baseline.take();
  execFileSync('sh', ['-c', String.raw`touch "$(printf 'a\377')" b`], { cwd: tree.top });
  expect(summary(await baseline.changes(before, await baseline.take()))).toEqual(['A b']);
  expect(baseline.limits).toEqual(['Files whose names are not UTF-8 are not recorded']);
});

test('what can not be recorded is left out, and named', async () => {
  const tree = repository({ 'a.txt': 'a', pipe: 'x', dir: 'x' });
  const baseline = await tree.open();
  const before = await baseline.take();
  tree.write({ 'a.txt': 'b', 'huge.bin': '' });
  truncateSync(tree.path('huge.bin'), 11 * 1024 * 1024);
  unlinkSync(tree.path('pipe'));
  execFileSync('mkfifo', [tree.path('pipe'), tree.path('new-pipe')]);
  mkdirSync(tree.path('nested'));
  execFileSync('git', ['init', '-q'], { cwd: tree.path('nested') });
  tree.write({ 'nested/x': 'x' });
  const after = await baseline.take();
  expect(summary(await baseline.changes(before, after))).toContain('M a.txt');
  expect(await baseline.entry(after, 'huge.bin')).toBeNull();
  expect(await baseline.entry(after, 'nested/x')).toBeNull();
  expect([...baseline.limits].sort()).toEqual([
    'Neither files nor links, not recorded: pipe',
    'New and larger than 10 MB, not recorded: huge.bin',
    'Repositories within this one are not recorded: nested/',
  ]);
  unlinkSync(tree.path('huge.bin'));
  await baseline.take();
  expect(baseline.limits).not.toContain('New and larger than 10 MB, not recorded: huge.bin');
});

test('a change in the same second that keeps the size is seen', async () => {
  const tree = repository({ 'a.txt': 'aaaa' });
  const baseline = await tree.open();
  let last = await baseline.take();
  for (let n = 0; n < 8; n++) {
    tree.write({ 'a.txt': `${n}${n}${n}${n}` });
    const record = await baseline.take();
    expect(record).not.toBe(last);
    expect(await content(baseline, record, 'a.txt')).toBe(`${n}${n}${n}${n}`);
    last = record;
  }
});

test('files that go and come while they are recorded do not fail the record', async () => {
  const tree = repository();
  const baseline = await tree.open();
  let going = true;
  const shell =
    'while [ -d . ]; do for i in 1 2 3 4 5 6 7 8 9; do echo $i > f$i; rm f$i; done; done';
  const { spawn } = await import('node:child_process');
  const churn = spawn('sh', ['-c', shell], { cwd: tree.top, stdio: 'ignore' });
  churn.on('exit', () => (going = false));
  try {
    tree.write({ stays: 'x' });
    for (let n = 0; n < 10; n++) {
      const record = await baseline.take();
      expect(await content(baseline, record, 'stays')).toBe('x');
    }
    expect(going).toBe(true);
  } finally {
    churn.kill();
  }
});

test('records that are asked for at once are made one after the other', async () => {
  const tree = repository({ 'a.txt': 'a' });
  const baseline = await tree.open();
  tree.write({ 'b.txt': 'b' });
  const typed = new Map([[tree.path('a.txt'), Buffer.from('typed')]]);
  const [one, two, three] = await Promise.all([
    baseline.take(),
    baseline.take(typed),
    baseline.take(),
  ]);
  expect(one).toBe(three);
  expect(await content(baseline, two, 'a.txt')).toBe('typed');
});

test('two baselines of one repository do not disturb one another', async () => {
  const tree = repository({ 'a.txt': 'a' });
  const [one, two] = await Promise.all([tree.open(), tree.open()]);
  const before = await one.take();
  expect(await two.take()).toBe(before);
  await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      tree.write({ [`new${n}`]: `${n}` });
      await Promise.all([one.take(), two.take()]);
    }),
  );
  expect(await one.take()).toBe(await two.take());
});

test('a record outlives the one who made it, and the next goes on from it', async () => {
  const tree = repository({ 'a.txt': 'a' });
  tree.write({ untracked: 'u' });
  const first = await openGitBaseline({ root: tree.top, stateDir: tree.stateDir });
  const record = (await first?.take()) ?? '';
  await first?.close();
  tree.write({ 'a.txt': 'b' });
  const second = await tree.open();
  expect(summary(await second.changes(record, await second.take()))).toEqual(['M a.txt']);
  expect(await content(second, record, 'untracked')).toBe('u');
});

test('the whole repository is recorded for a folder in it, and for one behind a link', async () => {
  const tree = repository({ 'a.txt': 'a', 'deep/er/b.txt': 'b' });
  const link = join(tempDir(), 'link');
  symlinkSync(tree.path('deep'), link);
  for (const root of [tree.path('deep/er'), link]) {
    const baseline = await tree.open(root);
    expect(baseline.top).toBe(tree.top);
    expect(await content(baseline, await baseline.take(), 'a.txt')).toBe('a');
  }
});

test('there is no baseline of git where git has none', async () => {
  const stateDir = tempDir();
  expect(await openGitBaseline({ root: tempDir(), stateDir })).toBeNull();
  expect(await openGitBaseline({ root: join(tempDir(), 'missing'), stateDir })).toBeNull();
  const bare = tempDir();
  execFileSync('git', ['init', '-q', '--bare'], { cwd: bare });
  expect(await openGitBaseline({ root: bare, stateDir })).toBeNull();
  const tree = repository();
  expect(await openGitBaseline({ root: tree.path('.git'), stateDir })).toBeNull();
});

test('our own files are not recorded when they lie within the tree', async () => {
  const tree = repository({ 'a.txt': 'a' });
  const stateDir = tree.path('state [of] acp');
  mkdirSync(stateDir);
  const baseline = await openGitBaseline({ root: tree.top, stateDir });
  const before = (await baseline?.take()) ?? '';
  tree.write({ 'a.txt': 'b' });
  const changes = await baseline?.changes(before, await baseline.take());
  expect(summary(changes ?? [])).toEqual(['M a.txt']);
  await baseline?.close();
});

test('what is no record is refused', async () => {
  const baseline = await repository().open();
  const record = await baseline.take();
  await expect(baseline.changes('--help', record)).rejects.toThrow('is not the name of a record');
  await expect(baseline.entry('HEAD', 'a')).rejects.toThrow('is not the name of a record');
});
