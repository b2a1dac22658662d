import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGitBaseline } from '../../src/baseline/git';
import { tempDir } from '../harness';
import { content, everything, repository, summary, Tree } from './baseline-git-tree';

/** Makes all that git could run by itself leave a file behind. */
function boobyTrap(tree: Tree): () => void {
  const trace = join(tempDir(), 'trace');
  const script = join(tempDir(), 'script');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`);
  chmodSync(script, 0o755);
  const hooks = tempDir();
  for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'fsmonitor']) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >> '${trace}'\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  tree.git('config', 'core.hooksPath', hooks);
  tree.git('config', 'core.fsmonitor', script);
  for (const name of ['lfs', 'other']) {
    tree.git('config', `filter.${name}.clean`, `${script} clean`);
    tree.git('config', `filter.${name}.smudge`, `${script} smudge`);
    tree.git('config', `filter.${name}.process`, `${script} process`);
    tree.git('config', `filter.${name}.required`, 'true');
  }
  tree.git('config', 'diff.external', script);
  tree.git('config', 'diff.odd.textconv', script);
  tree.git('config', 'core.alternateRefsCommand', script);
  return () => expect(existsSync(trace) ? readFileSync(trace, 'utf8') : '').toBe('');
}

/** Uses a baseline in all ways, with changes of `touched`; nothing but that file may differ afterwards. */
async function expectUntouched(tree: Tree, touched: string, root = tree.top): Promise<void> {
  const ended = boobyTrap(tree);
  const before = everything(tree.top);
  const baseline = await tree.open(root);
  const record = await baseline.take();
  const typed = new Map([[join(baseline.top, 'never saved'), Buffer.from('typed')]]);
  expect(summary(await baseline.changes(record, await baseline.take(typed)))).toEqual([
    'A never saved',
  ]);
  expect(everything(tree.top)).toEqual(before);

  writeFileSync(join(baseline.top, touched), 'touched by an agent\n');
  const files = everything(tree.top);
  const after = await baseline.take();
  const changes = await baseline.changes(record, after);
  expect(changes.map(({ path }) => path)).toEqual([touched]);
  for (const side of [changes[0]?.before, changes[0]?.after])
    if (side) expect(await baseline.read(side.id)).not.toBeNull();
  expect(await content(baseline, after, touched)).toBe('touched by an agent\n');
  await baseline.write(Buffer.from('more'));
  await baseline.sight(join(baseline.top, touched));
  await baseline.close();
  expect(everything(tree.top)).toEqual(files);
  ended();
}

const FILES = { 'a.txt': 'a\n', 'b/c.txt': 'c\n', '.gitignore': 'ignored\n' };

test('a repository with a stash, staged, unstaged, untracked and ignored files is untouched', async () => {
  const tree = repository(FILES);
  tree.write({ 'a.txt': 'stashed\n' });
  tree.git('stash', '-q');
  tree.write({ 'a.txt': 'staged\n', untracked: 'u', ignored: 'i' });
  tree.git('add', 'a.txt');
  tree.write({ 'a.txt': 'unstaged\n' });
  await expectUntouched(tree, 'a.txt');
});

test('packed and loose objects of the repository are not even touched', async () => {
  const tree = repository(FILES);
  tree.git('gc', '-q');
  // Content and trees that the repository has, at places where its index doesn't know them.
  tree.write({ 'copy/c.txt': 'c\n', 'copy of a': 'a\n' });
  await expectUntouched(tree, 'copy of a');
});

test('a repository without a commit is untouched', async () => {
  const tree = new Tree();
  tree.git('init', '-q');
  tree.write(FILES);
  await expectUntouched(tree, 'a.txt');
});

test('a repository in the middle of a rebase with conflicts is untouched', async () => {
  const tree = repository(FILES);
  tree.git('checkout', '-q', '-b', 'side');
  tree.write({ 'a.txt': 'side\n', 'b/c.txt': 'side\n' });
  tree.git('commit', '-q', '-a', '-m', 'side');
  tree.git('checkout', '-q', '-');
  tree.write({ 'a.txt': 'main\n' });
  tree.git('rm', '-q', 'b/c.txt');
  tree.git('commit', '-q', '-a', '-m', 'main');
  expect(() => tree.git('rebase', '-q', 'HEAD', 'side')).toThrow();
  expect(tree.git('ls-files', '-u')).not.toBe('');
  await expectUntouched(tree, 'a.txt');
});

test('submodules are neither entered nor touched, but a new commit of theirs is seen', async () => {
  const other = repository({ 'in.txt': 'in\n' });
  const tree = repository(FILES);
  tree.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.top, 'sub');
  tree.git('commit', '-q', '-m', 'sub');
  tree.write({ 'sub/in.txt': 'changed\n', 'sub/new.txt': 'new\n' });
  await expectUntouched(tree, 'a.txt');

  const baseline = await tree.open();
  const typed = new Map([[tree.path('sub/unsaved'), Buffer.from('typed')]]);
  const before = await baseline.take();
  expect(await baseline.take(typed)).toBe(before);
  expect(baseline.limits).toEqual(['Submodules are not entered: sub']);
  expect(await baseline.entry(before, 'sub/in.txt')).toBeNull();
  rmSync(tree.path('.git/config'));
  const sub = new Tree(tree.path('sub'));
  sub.git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-a', '-m', 'more');
  const [change] = await baseline.changes(before, await baseline.take());
  expect(change?.path).toBe('sub');
  expect(change?.after).toEqual({ mode: '160000', id: sub.git('rev-parse', 'HEAD').trim() });
  expect(await baseline.read(change?.after?.id ?? '')).toBeNull();
});

test('a submodule is recorded for a folder in it', async () => {
  const other = repository({ 'in.txt': 'in\n' });
  const tree = repository(FILES);
  tree.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.top, 'sub');
  await expectUntouched(tree, 'in.txt', tree.path('sub'));
});

test('linked worktrees are recorded each for itself', async () => {
  const tree = repository(FILES);
  tree.git('worktree', 'add', '-q', 'linked');
  const baseline = await tree.open(tree.path('linked'));
  expect(baseline.top).toBe(tree.path('linked'));
  tree.write({ 'a.txt': 'of the main one\n' });
  expect(await content(baseline, await baseline.take(), 'a.txt')).toBe('a\n');
  await expectUntouched(tree, 'a.txt', tree.path('linked'));
});

test('with core.autocrlf a change of line ends alone is seen, and nothing is converted', async () => {
  const tree = new Tree();
  tree.git('init', '-q');
  tree.git('config', 'core.autocrlf', 'true');
  tree.write({ 'crlf.txt': 'a\r\nb\r\n', 'lf.txt': 'a\nb\n', 'mixed.txt': 'a\r\nb\n' });
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'start');
  const baseline = await tree.open();
  const before = await baseline.take();
  expect(await content(baseline, before, 'crlf.txt')).toBe('a\r\nb\r\n');
  expect(await content(baseline, before, 'mixed.txt')).toBe('a\r\nb\n');
  tree.write({ 'crlf.txt': 'a\nb\n' });
  expect(summary(await baseline.changes(before, await baseline.take()))).toEqual(['M crlf.txt']);
  await expectUntouched(tree, 'lf.txt');
});

test('files that git converts are recorded as they are on disk, and no filter is run', async () => {
  const tree = new Tree();
  tree.git('init', '-q');
  const attributes =
    '*.bin filter=lfs diff=lfs merge=lfs -text\n*.same filter=other\n*.id ident\n' +
    '*.txt text eol=crlf\n*.utf16 working-tree-encoding=UTF-16LE\n';
  // The second filter keeps the size, so that nothing but its name gives it away.
  tree.git('config', 'filter.lfs.clean', 'echo pointer');
  tree.git('config', 'filter.other.clean', 'tr a-z A-Z');
  const id = '$Id: 1234$\n';
  const utf16 = Buffer.from('\u732b\u732baa', 'utf16le');
  tree.write({ '.gitattributes': attributes, 'x.bin': 'content\n', 'y.same': 'small\n' });
  tree.write({ 'z.id': id, 'a.txt': 'a\r\n', 'w.utf16': utf16 });
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'start');
  expect(tree.git('show', 'HEAD:x.bin', 'HEAD:y.same')).toBe('pointer\nSMALL\n');
  const baseline = await tree.open();
  const record = await baseline.take();
  expect(await content(baseline, record, 'x.bin')).toBe('content\n');
  expect(await content(baseline, record, 'y.same')).toBe('small\n');
  expect(await content(baseline, record, 'z.id')).toBe(id);
  expect(await content(baseline, record, 'a.txt')).toBe('a\r\n');
  expect(await content(baseline, record, 'w.utf16')).toBe(utf16.toString('latin1'));
  await expectUntouched(tree, 'x.bin');
});

test('pointers of LFS that stand in for files that were not fetched are recorded as they are', async () => {
  const tree = new Tree();
  tree.git('init', '-q');
  const pointer = (of: string): string =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${of.repeat(64)}\nsize 5000000\n`;
  tree.git('config', 'filter.lfs.clean', 'cat');
  const attributes = '*.psd filter=lfs diff=lfs merge=lfs -text\n';
  tree.write({ '.gitattributes': attributes, 'a.psd': pointer('1'), 'b.psd': pointer('2') });
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'start');
  const baseline = await tree.open();
  expect(await content(baseline, await baseline.take(), 'a.psd')).toBe(pointer('1'));
  await expectUntouched(tree, 'b.psd');
});

test('what the environment says to git is not heard', async () => {
  const tree = repository(FILES);
  const other = repository({ 'other.txt': 'x' });
  const misleading = {
    GIT_DIR: join(other.top, '.git'),
    GIT_WORK_TREE: other.top,
    GIT_INDEX_FILE: join(other.top, 'index'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: '/bin/false',
    GIT_OBJECT_DIRECTORY: join(other.top, 'objects'),
  };
  Object.assign(process.env, misleading);
  let baseline;
  try {
    baseline = await tree.open();
    const record = await baseline.take();
    expect(baseline.top).toBe(tree.top);
    expect(await content(baseline, record, 'a.txt')).toBe('a\n');
  } finally {
    for (const key of Object.keys(misleading)) delete process.env[key];
  }
  expect(Object.keys(everything(other.top))).not.toContain('objects');
});

test('a repository that git finds dubious is left alone', async () => {
  if (process.getuid?.() !== 0) return;
  const tree = repository(FILES);
  execFileSync('chown', ['-R', '12345', tree.top]);
  const { openGitBaseline } = await import('../../src/baseline/git');
  const status = spawnSync('git', ['status'], { cwd: tree.top });
  const baseline = await openGitBaseline({ root: tree.top, stateDir: tree.stateDir });
  await baseline?.close();
  expect(baseline === null).toBe(status.status !== 0);
});

test('a folder that only the settings of a project name is not recorded', async () => {
  const home = tempDir();
  const tree = new Tree(join(home, 'project'));
  tree.write({ 'a.txt': 'a\n', '../secret': 'secret\n' });
  tree.git('init', '-q');
  tree.git('config', 'core.worktree', home);
  expect(await openGitBaseline({ root: tree.top, stateDir: tree.stateDir })).toBeNull();
});

test('pipes in the place of files that git reads hold nothing up for ever', async () => {
  const tree = repository({ 'a.txt': 'a\n' });
  rmSync(tree.path('.git/info/exclude'), { force: true });
  mkdirSync(tree.path('.git/info'), { recursive: true });
  execFileSync('mkfifo', [tree.path('.git/info/exclude')]);
  rmSync(tree.path('.git/index'));
  execFileSync('mkfifo', [tree.path('.git/index')]);
  const baseline = await tree.open();
  expect(await content(baseline, await baseline.take(), 'a.txt')).toBe('a\n');
});
