/**
 * Where reviews are kept: `<state>/review/<folder>/<time>-<process>-<random>.json`, one for each session that had a turn.
 * A file is its process's while that lives.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Baseline } from '../baseline/baseline';
import { openBaseline, retire } from '../baseline/open';
import { nameOf } from '../baseline/place';
import { isInside, realPath } from '../client/roots';
import { Review, type ReviewOptions } from './review';

/** Reviews that nobody has looked at for so long are forgotten, with what was recorded for them. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

export interface OpenOptions extends Omit<ReviewOptions, 'baselines' | 'file'> {
  /** `stdpath('state')/acp`. */
  stateDir: string;
  /** Folders that are recorded; what lies in another is recorded with it. */
  roots: string[];
}

function folderOf(stateDir: string, cwd: string): string {
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  return join(stateDir, 'review', hash);
}

/**
 * The baselines of folders, each once: those inside another's are left to it. `tops`: of those that are open; a folder that
 * holds one of them is left out.
 */
export async function openBaselines(
  roots: readonly string[],
  stateDir: string,
  tops: readonly string[] = [],
): Promise<Baseline[]> {
  const real: string[] = [];
  for (const root of roots) {
    const path = await realPath(root).catch(() => null);
    if (path !== null && !real.includes(path)) real.push(path);
  }
  real.sort((a, b) => a.length - b.length);
  const baselines: Baseline[] = [];
  for (const root of real) {
    const open = [...tops, ...baselines.map(({ top }) => top)];
    if (open.some((top) => isInside(top, root)) || tops.some((top) => isInside(root, top)))
      continue;
    baselines.push(await openBaseline({ root, stateDir }));
  }
  return baselines;
}

/** Begins a review, or with `file` goes on with one. */
export async function openReview(options: OpenOptions & { file?: string }): Promise<Review> {
  const { stateDir, roots, cwd } = options;
  const baselines = await openBaselines(roots, stateDir);
  const time = String(Date.now()).padStart(15, '0');
  const name = `${time}-${process.pid}-${randomUUID().slice(0, 8)}.json`;
  const file = options.file ?? join(folderOf(stateDir, cwd), name);
  return Review.open({ ...options, baselines, file });
}

export interface StoredReview {
  file: string;
  /** Whether another process has it open. */
  taken: boolean;
}

/** The reviews of a folder, the latest first. */
export async function storedReviews(stateDir: string, cwd: string): Promise<StoredReview[]> {
  const folder = folderOf(stateDir, cwd);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .map((name) => ({ file: join(folder, name), taken: isForeign(name) }));
}

/** Whether the review is one of another process that lives. */
function isForeign(name: string): boolean {
  const owner = Number(name.split('-')[1]);
  if (!owner || owner === process.pid) return false;
  try {
    process.kill(owner, 0);
    return true;
  } catch {
    // Nobody's, or another user's, who got the number since: no process of ours is there.
    return false;
  }
}

/** Removes the reviews that are too old, and the baselines that none of the others needs. */
export async function forgetOld(stateDir: string): Promise<void> {
  const root = join(stateDir, 'review');
  const now = Date.now();
  const tops = new Set<string>();
  for (const folder of await readdir(root).catch(() => [])) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      const file = join(root, folder, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > MAX_AGE_MS) await rm(file, { force: true });
      else for (const top of await topsOf(file)) tops.add(top);
    }
  }
  await retire({ stateDir, keep: [...tops].map(nameOf), maxAgeMs: MAX_AGE_MS });
}

/** Folders that a review is about. One that can't be read is about none. */
async function topsOf(file: string): Promise<string[]> {
  const state = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as { session?: { snapshots?: object } | null })
    .catch(() => null);
  return Object.keys(state?.session?.snapshots ?? {});
}
