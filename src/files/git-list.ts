/** The files of a repository as git tells them, with those of repositories inside. Nothing of the user's is run or written. */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../client/faults';
import { git, GitError, plainEnv } from '../baseline/git-run';
import type { Listed } from './table';

/** Settings by which git would run programs. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Repositories within each other that are followed. */
const DEEPEST = 5;

/** A walk through a working tree that takes longer is given up. */
const LONGEST_MS = 60_000;

/** Whether `folder` belongs to a repository whose files git lists. They are handed over as they come. */
export async function listGit(
  folder: string,
  prefix: string,
  onListed: (piece: Listed) => void,
): Promise<boolean> {
  return list(folder, prefix, onListed, new Set());
}

async function list(
  folder: string,
  prefix: string,
  onListed: (piece: Listed) => void,
  above: ReadonlySet<string>,
): Promise<boolean> {
  const options = { cwd: folder, env: plainEnv(), signal: AbortSignal.timeout(LONGEST_MS) };
  try {
    const real = await realpath(folder);
    if (above.has(real) || above.size === DEEPEST) return false;
    const inside: string[] = [];
    let size = 0;
    const take = (names: Buffer, staged: boolean): void => {
      size += names.length;
      if (names.length > 0) onListed({ prefix, names, staged });
      inside.push(...(staged ? submodules(names) : repositories(names)));
    };
    const args = [...QUIET, 'ls-files', '-z'];
    await Promise.all([
      git([...args, '--stage'], options).then((out) => take(out, true)),
      git([...args, '--others', '--exclude-standard'], options).then((out) => take(out, false)),
    ]);
    const within = new Set([...above, real]);
    for (const name of inside) {
      const path = join(folder, name);
      // Without this git would find the repository around it.
      if (await exists(join(path, '.git'))) await list(path, `${prefix}${name}/`, onListed, within);
    }
    // An ignored folder, to be looked at all the same.
    return size > 0;
  } catch (error) {
    if (error instanceof GitError || isMissing(error)) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Entries of an index that are commits of another repository. */
function submodules(names: Buffer): string[] {
  const found: string[] = [];
  for (let at = next(names, 0); at !== -1; at = next(names, at + 1)) {
    const from = names.indexOf('\t', at) + 1;
    found.push(names.toString('utf8', from, names.indexOf(0, from)));
  }
  return found;
}

/** Where the next entry with the mode of a submodule begins. */
function next(names: Buffer, from: number): number {
  if (from === 0 && names.subarray(0, 7).equals(Buffer.from('160000 '))) return 0;
  const at = names.indexOf('\x00160000 ', Math.max(0, from - 1));
  return at === -1 ? -1 : at + 1;
}

/** Folders that git doesn't look into, as they hold a repository. */
function repositories(names: Buffer): string[] {
  const found: string[] = [];
  for (let at = names.indexOf('/\0'); at !== -1; at = names.indexOf('/\0', at + 1)) {
    const from = at === 0 ? 0 : names.lastIndexOf(0, at - 1) + 1;
    found.push(names.toString('utf8', from, at));
  }
  return found;
}
