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

async function opened(root: string): Promise<Baseline> {
  const baseline = await openGitBaseline({ root, stateDir: tempDir() });
  if (baseline === null) throw new Error('git is missing');
  return baseline;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What it costs to record a tree of 50,000 files, from opening to the name of the record, and again. */
export async function baseline(add: (row: Row, value: number) => void): Promise<void> {
  const top = bigRepository();
  const first = async (row: Row): Promise<Baseline> => {
    let it: Baseline | undefined;
    const took = await timed(async () => {
      it = await opened(top);
      await it.take();
    });
    add(row, took);
    return it!;
  };
  const warm = await first('baselineFirst');
  const several = async (work: (n: number) => Promise<unknown>): Promise<number> => {
    const all: number[] = [];
    for (let n = 0; n < RECORDS; n++) all.push(await work(n).then(Number));
    return median(all);
  };
  add('baseline', await several(() => timed(() => warm.take())));

  const before = await warm.take();
  const changed = async (n: number): Promise<number> => {
    for (let file = 0; file < 20; file++)
      appendFileSync(join(top, fileOf(n * 20 + file)), 'more\n');
    return timed(() => warm.take());
  };
  add('baselineChanged', await several(changed));
  expect(await warm.changes(before, await warm.take())).toHaveLength(RECORDS * 20);

  const text = new Map([[join(top, fileOf(0)), Buffer.from('typed')]]);
  add('baselineUnsaved', await several(() => timed(() => warm.take(text))));
  await warm.close();

  rmSync(join(top, '.git/index'));
  await (await first('baselineAlone')).close();
  rmSync(top, { recursive: true });
}
