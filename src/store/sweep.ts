/** Retention: what is too old goes, and of what is too much the oldest. */
import { rmSync } from 'node:fs';
import { rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissing } from '../client/faults';
import { lockOf } from './journal';
import { clearLock, releaseLock, takeLock } from './lock';
import { namesIn, type Places } from './places';
import type { StoreOptions } from './store';

export async function sweep(places: Places, options: StoreOptions): Promise<void> {
  const { limits, now, onFault } = options;
  const attempt = async (work: () => unknown): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isMissing(error)) onFault('store', error);
      return false;
    }
  };
  const files: { path: string; size: number; used: number }[] = [];
  for (const { path } of await places.list()) {
    await attempt(async () => {
      const { size, mtimeMs } = await stat(path);
      files.push({ path, size, used: mtimeMs });
    });
  }
  files.sort((a, b) => a.used - b.used);
  let total = files.reduce((sum, { size }) => sum + size, 0);
  const oldest = now() - limits.maxAgeMs;
  for (const { path, size, used } of files) {
    if (used >= oldest && total <= limits.maxBytes) break;
    await attempt(() => {
      if (removeUnused(path)) total -= size;
    });
  }
  for (const folder of await places.folders()) await attempt(() => tidy(folder));
}

/** False where somebody has it open. */
function removeUnused(path: string): boolean {
  const lock = lockOf(path);
  if (takeLock(lock) !== null) return false;
  try {
    rmSync(path, { force: true });
  } finally {
    releaseLock(lock);
  }
  return true;
}

/** Locks of processes that are no more, and the folder when nothing is left in it. */
async function tidy(folder: string): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names) clearLock(join(folder, name));
  if (names.length > 0 && (await namesIn(folder)).length > 0) return;
  await rmdir(folder).catch((error: unknown) => {
    // Somebody has just begun a session in it.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  });
}
