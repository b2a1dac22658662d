import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Baseline } from '../src/baseline/baseline';
import { openGitBaseline } from '../src/baseline/git';
import { tempDir } from '../test/harness';
import { median } from './measure';
import type { Row } from './table';

const FILES = 50_000;
const FOLDERS = 2000;
const RECORDS = 7;
const CHANGED = 20;

const fileOf = (index: number): string => {
  const folder = index % FOLDERS;
  return join(`d${folder % 40}`, `e${folder}`, `f${index}.txt`);
};

/** A repository of that many files, all committed. */
function bigRepository(): string {
  const top = tempDir();
  for (let index = 0; index < FILES; index++) {
    const file = join(top, fileOf(index));
    if (index < FOLDERS) mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `line of file ${index}\n`.repeat(20));
  }
  const git = (...args: string[]): void => void execFileSync('git', ['-C', top, ...args]);
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '-m', 'all');
  git('-c', 'gc.auto=0', 'repack', '-q', '-a', '-d');
  return top;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Opens a baseline and makes its first record; milliseconds of both. */
async function opened(root: string, stateDir: string): Promise<[Baseline, number]> {
  let baseline: Baseline | null = null;
  const took = await timed(async () => {
    baseline = await openGitBaseline({ root, stateDir });
    await baseline?.take();
  });
  if (baseline === null) throw new Error('git is missing');
  return [baseline, took];
}

/** What it costs to record a tree of 50,000 files for the first time, and then at each turn. */
export async function baseline(add: (row: Row, value: number) => void): Promise<void> {
  const top = bigRepository();
  const states = [tempDir(), tempDir()] as const;
  const several = async (work: (n: number) => Promise<number>): Promise<number> => {
    const all: number[] = [];
    for (let n = 0; n < RECORDS; n++) all.push(await work(n));
    return median(all);
  };
  const [known, first] = await opened(top, states[0]);
  add('baselineFirst', first);
  add('baseline', await several(() => timed(() => known.take())));

  const before = await known.take();
  const changed = async (n: number): Promise<number> => {
    for (let file = 0; file < CHANGED; file++)
      appendFileSync(join(top, fileOf(n * CHANGED + file)), 'more\n');
    return timed(() => known.take());
  };
  add('baselineChanged', await several(changed));
  expect(await known.changes(before, await known.take())).toHaveLength(RECORDS * CHANGED);

  const typed = new Map([[join(top, fileOf(0)), Buffer.from('typed')]]);
  add('baselineUnsaved', await several(() => timed(() => known.take(typed))));
  await known.close();

  rmSync(join(top, '.git/index'));
  const [alone, without] = await opened(top, states[1]);
  add('baselineAlone', without);
  await alone.close();
  // Too many files for the end of a test.
  for (const dir of [top, ...states]) rmSync(dir, { recursive: true });
}
