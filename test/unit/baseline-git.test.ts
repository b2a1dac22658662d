import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Baseline, Change } from '../../src/baseline/baseline';
import { openGitBaseline } from '../../src/baseline/git';
import { tempDir, whenDone } from '../harness';

class Tree {
  readonly top = tempDir();
  readonly stateDir = tempDir();

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
    return execFileSync('git', [...identity, ...args], { cwd: this.top, encoding: 'utf8' });
  }

  path(name: string): string {
    return join(this.top, name);
  }

  write(files: Record<string, string | Buffer>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), content);
    }
  }

  async open(root = this.top): Promise<Baseline> {
    const baseline = await openGitBaseline({ root, stateDir: this.stateDir });
    if (baseline === null) throw new Error('no baseline');
    whenDone(() => baseline.close());
    return baseline;
  }
}

/** A repository with the files committed. */
function repository(files: Record<string, string | Buffer> = {}): Tree {
  const tree = new Tree();
  tree.git('init', '-q');
  tree.write(files);
  tree.git('add', '-A');
  tree.git('commit', '-q', '--allow-empty', '-m', 'start');
  return tree;
}

/** Like `M a.txt`, `R old -> new`. */
function summary(changes: Change[]): string[] {
  return changes.map(({ path, from, before, after }) => {
    if (from !== undefined) return `R ${from} -> ${path}`;
    if (before === null) return `A ${path}`;
    if (after === null) return `D ${path}`;
    return before.mode === after.mode ? `M ${path}` : `M ${path} ${before.mode} -> ${after.mode}`;
  });
}

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
