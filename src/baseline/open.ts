import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../client/faults';
import type { Baseline } from './baseline';
import { openFolderBaseline } from './folder';
import { openGitBaseline } from './git';

/** Where to record: `root` is the folder of a session, `stateDir` where the plugin keeps files of its own. */
export interface BaselineOptions {
  root: string;
  stateDir: string;
}

/** What records the tree that `root` belongs to: through git where it is in a repository, else file by file. */
export async function openBaseline(options: BaselineOptions): Promise<Baseline> {
  return (await openGitBaseline(options)) ?? openFolderBaseline(options);
}

/** Which baselines are dropped. */
export interface RetireOptions {
  stateDir: string;
  /** Names (`nameOf`) of those that are still needed. */
  keep: readonly string[];
  /** Those that were not written to for longer go. */
  maxAgeMs: number;
}

/** Drops the baselines that nobody needs any more and nobody has used for a while. */
export async function retire({ stateDir, keep, maxAgeMs }: RetireOptions): Promise<void> {
  const all = join(stateDir, 'baseline');
  const names = await readdir(all).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  await Promise.all(
    names.map(async (name) => {
      const place = join(all, name);
      if (keep.includes(name) || Date.now() - (await lastUse(place)) <= maxAgeMs) return;
      await rm(place, { recursive: true, force: true });
    }),
  );
}

/** When something directly within `place` was last changed, in ms; now, where something comes and goes just now. */
async function lastUse(place: string): Promise<number> {
  try {
    const stats = await lstat(place);
    const names = stats.isDirectory() ? await readdir(place) : [];
    const times = names.map(async (name) => (await lstat(join(place, name))).mtimeMs);
    return Math.max(stats.mtimeMs, ...(await Promise.all(times)));
  } catch (error) {
    if (isMissing(error)) return Date.now();
    throw error;
  }
}
