/** Whatever a review does to files, the user's repository stays byte for byte as it was. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGitBaseline } from '../../src/baseline/git';
import { tempDir } from '../harness';
import { everything, Tree } from './baseline-git-tree';
import { lines, reviewOf, type Bench } from './review-fixture';

const abc = lines('a', 'b', 'c');

/** A review in a repository with a stash, staged, unstaged, untracked and ignored files. */
async function inRepository(): Promise<Bench> {
  const files = {
    'a.txt': abc,
    'gone.txt': abc,
    'moved.txt': lines('m', 'n'),
    '.gitignore': '*.o\n',
  };
  const bench = await reviewOf(files, async (top) => {
    const tree = new Tree(top);
    tree.git('init', '-q');
    tree.git('add', '-A');
    tree.git('commit', '-q', '-m', 'start');
    tree.write({ 'a.txt': 'stashed\n' });
    tree.git('stash', '-q');
    tree.write({ 'a.txt': lines('a', 'staged', 'c') });
    tree.git('add', 'a.txt');
    tree.write({ 'a.txt': lines('a', 'unstaged', 'c'), 'untracked.txt': 'u\n', 'x.o': 'ignored' });
    const stateDir = realpathSync(tempDir());
    return (await openGitBaseline({ root: top, stateDir }))!;
  });
  bench.editor.open(bench.at('a.txt'));
  return bench;
}

const work = (bench: Bench): ReturnType<Bench['turn']> =>
  bench.turn(() => {
    bench.put('a.txt', lines('a', 'agent', 'c', 'more'));
    bench.put('new/file.txt', 'new\n');
    bench.put('untracked.txt', 'agent\n');
    bench.put('moved/to.txt', lines('m', 'n'));
    bench.remove('moved.txt');
    bench.remove('gone.txt');
  });

test.each<[string, (bench: Bench) => Promise<unknown>]>([
  ['keeping', ({ review }) => review.decide('session', 'keep')],
  ['rejecting', ({ review }) => review.decide('session', 'reject')],
  [
    'rejecting a hunk',
    (bench) => bench.review.decide('session', 'reject', { path: bench.at('a.txt'), line: 2 }),
  ],
  [
    'undo, and taking it back',
    async ({ review }) => {
      for (const redo of [false, true]) await review.undo((await review.undoPlan(redo))!.id);
    },
  ],
  ['dropping', ({ review }) => review.drop()],
])('%s leaves the repository alone', async (_, act) => {
  const bench = await inRepository();
  const git = (): unknown => everything(join(bench.top, '.git'));
  const before = git();
  await work(bench);
  expect((await bench.review.show('session')).files).toHaveLength(5);
  await act(bench);
  expect(git()).toEqual(before);
  expect(bench.text('x.o')).toBe('ignored');
  expect(bench.faults).toEqual([]);
});

test('rejecting gives the working tree back, staged or not, tracked or not', async () => {
  const bench = await inRepository();
  const tree = (): unknown =>
    ['a.txt', 'gone.txt', 'moved.txt', 'untracked.txt', 'new/file.txt', 'moved/to.txt', 'x.o'].map(
      (name) => bench.text(name),
    );
  const before = tree();
  await work(bench);
  await bench.review.decide('session', 'reject');
  expect(tree()).toEqual(before);
});
