/** The files of a repository as git tells them, with those of repositories inside. Nothing of the user's is run or written. */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../client/faults';
import { git, GitError, plainEnv, type RunOptions } from '../baseline/git-run';
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
  return listWithin(folder, prefix, onListed, new Set());
}

async function listWithin(
  folder: string,
  prefix: string,
  onListed: (piece: Listed) => void,
  above: ReadonlySet<string>,
): Promise<boolean> {
  const options = { cwd: folder, env: plainEnv(), signal: AbortSignal.timeout(LONGEST_MS) };
  try {
    const real = await realpath(folder);
    if (above.has(real) || above.size === DEEPEST) return false;
    let size = 0;
    const list = async (...which: string[]): Promise<Buffer> => {
      const names = await git([...QUIET, 'ls-files', '-z', ...which], options);
      size += names.length;
      if (names.length > 0) onListed({ prefix, names });
      return names;
    };
    const [, others, modules] = await Promise.all([
      list('--cached'),
      list('--others', '--exclude-standard'),
      submodules(options),
    ]);
    const inside = [...modules, ...repositories(others)];
    const within = new Set([...above, real]);
    for (const name of inside) {
      const path = join(folder, name);
      // Without this git would find the repository around it.
      if (await exists(join(path, '.git')))
        await listWithin(path, `${prefix}${name}/`, onListed, within);
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

/** Folders of other repositories whose commits stand in the index. */
async function submodules(options: RunOptions): Promise<string[]> {
  // Only those that the user has fetched are of interest, and git has noted that. The index is large.
  const none = (error: unknown): Buffer => {
    if (error instanceof GitError && error.code === 1) return Buffer.alloc(0);
    throw error;
  };
  const noted = ['config', '-z', '--name-only', '--get-regexp', '^submodule\\.'];
  if ((await git(noted, options).catch(none)).length === 0) return [];
  const index = (await git([...QUIET, 'ls-files', '-z', '--stage'], options)).toString();
  return [...index.matchAll(/(?:^|\0)160000 [^\t]*\t([^\0]+)/g)].map((match) => match[1]!);
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
