/** Where an agent may read and write through us: inside the session's folders, symlinks resolved. */
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { faultOf, isMissing } from './faults';

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * The path behind all symlinks, also of what does not exist yet: then the deepest folder that exists is resolved
 * and the rest appended. A dangling link counts as what it points to.
 */
export async function realPath(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const name = basename(path);
  if (name === '.') return realPath(parent, links);
  if (name === '..') return dirname(await realPath(parent, links));
  const folder = await realPath(parent, links);
  const target = await readlink(join(folder, name)).catch(() => null);
  if (target === null) return join(folder, name);
  if (links === MAX_LINKS) throw new Error('too many symbolic links');
  return realPath(resolve(folder, target), links + 1);
}

/** Whether `path` is `root` or lies under it; both real. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of what an agent named, or an error that tells the agent which folders are allowed. */
export async function resolveInside(path: string, roots: readonly string[]): Promise<string> {
  if (path.includes('\0')) throw refused(path, 'the path holds a NUL byte');
  if (!isAbsolute(path)) throw refused(path, 'the path must be absolute');
  const real = await realPath(path).catch((error: unknown) => {
    throw faultOf(error, path);
  });
  for (const root of roots) {
    // A root that cannot be resolved (it is gone, or not ours to see) allows nothing.
    const realRoot = await realPath(root).catch(() => null);
    if (realRoot !== null && isInside(realRoot, real)) return real;
  }
  const leads = real === path ? '' : `, which is ${real},`;
  throw refused(path, `the path${leads} is outside of the session's folders: ${roots.join(', ')}`);
}

function refused(path: string, why: string): RequestError {
  return RequestError.invalidParams({ path }, `${path}: ${why}`);
}
