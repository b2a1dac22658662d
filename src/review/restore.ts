/** Puts files back on disk as they were recorded. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  access,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Entry } from '../baseline/baseline';
import { replaceFile } from '../client/disk';
import { isMissing, reasonOf } from '../client/faults';
import { isInside } from '../client/roots';

export interface RestoreOptions {
  /** Real path of the folder that was recorded. Nothing outside of it is touched. */
  top: string;
  /** Relative to `top`, with `/`. */
  path: string;
  /** What shall be there; `null`: no such file. */
  entry: Entry | null;
  read: (id: string) => Promise<Buffer | null>;
}

/**
 * Makes the file at `path` be exactly `entry`. Throws with words for people, and then nothing has changed. Where one name is
 * a file on one side and a folder on the other, what shall not be there must go first.
 */
export async function restoreEntry({ top, path, entry, read }: RestoreOptions): Promise<void> {
  try {
    if (!isName(path)) throw new Error('is not the name of a file in this folder');
    const isThere = await hasFolder(top, path, entry !== null);
    if (entry === null) {
      if (isThere) await remove(top, path);
      return;
    }
    if (entry.mode === '160000') {
      throw new Error('is a submodule: only git can put its commit back (git submodule update)');
    }
    const bytes = await read(entry.id);
    if (bytes === null) throw new Error("what it held was not kept, so it can't be put back");
    await inFolder(top, path, () => inPlace(join(top, path), { bytes, mode: entry.mode }));
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  }
}

interface Content {
  bytes: Buffer;
  mode: Entry['mode'];
}

function isName(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));
}

async function statsOf(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/**
 * Whether the folder of `path` exists. Links on the way are never followed: what was recorded lay in real folders, and who
 * puts a link there, perhaps on purpose, must not choose which file is written.
 */
async function hasFolder(top: string, path: string, isNeeded: boolean): Promise<boolean> {
  const parts = path.split('/').slice(0, -1);
  for (let i = 1; i <= parts.length; i++) {
    const name = parts.slice(0, i).join('/');
    const folder = join(top, name);
    const stats = await statsOf(folder);
    if (stats?.isSymbolicLink()) {
      const target = await realpath(folder).catch(() => null);
      const leadsOut = target === null || !isInside(top, target);
      throw new Error(`${name} is a link now${leadsOut ? ` that leads out of ${top}` : ''}`);
    }
    if (stats?.isDirectory()) continue;
    if (stats && isNeeded) throw new Error(`${name} is a file now, where a folder is needed`);
    return false;
  }
  return true;
}

/** Creates the folders on the way to `path` for `work`; when it fails they go again. */
async function inFolder(top: string, path: string, work: () => Promise<void>): Promise<void> {
  const folder = dirname(join(top, path));
  const created = await mkdir(folder, { recursive: true });
  try {
    // Somebody may have been quicker than we.
    if ((await realpath(folder)) !== folder) throw new Error('a folder on its way is a link now');
    await work();
  } catch (error) {
    if (created !== undefined) await removeEmpty(folder, dirname(created));
    throw error;
  }
}

/** Makes room where a folder without files has the name of the file, and writes it. */
async function inPlace(file: string, content: Content): Promise<void> {
  const stats = await statsOf(file);
  const write = (there: Stats | null): Promise<void> =>
    content.mode === '120000' ? writeLink(file, content, there) : writeFile(file, content, there);
  if (!stats?.isDirectory()) return write(stats);
  await removeFolder(file);
  try {
    await write(null);
  } catch (error) {
    await mkdir(file, { mode: stats.mode });
    throw error;
  }
}

async function writeFile(file: string, { bytes, mode }: Content, old: Stats | null): Promise<void> {
  const isExecutable = mode === '100755';
  if (!old?.isFile()) {
    refuseOther(old);
    return replaceFile(file, bytes, null, isExecutable ? 0o777 : 0o666);
  }
  const wanted = withExecutable(old.mode & 0o7777, isExecutable);
  const isSame = old.size === bytes.length && (await readFile(file)).equals(bytes);
  if (!isSame) await refuseReadOnly(file, old);
  const isChmod = wanted !== (old.mode & 0o7777);
  if (isChmod) await chmod(file, wanted);
  if (isSame) return;
  try {
    const { uid, gid, nlink } = old;
    await replaceFile(file, bytes, { uid, gid, nlink, mode: wanted });
  } catch (error) {
    if (isChmod) await chmod(file, old.mode & 0o7777);
    throw error;
  }
}

async function writeLink(file: string, { bytes }: Content, old: Stats | null): Promise<void> {
  if (old?.isSymbolicLink()) {
    if ((await readlink(file, { encoding: 'buffer' })).equals(bytes)) return;
  } else if (old?.isFile()) {
    await refuseReadOnly(file, old);
  } else {
    refuseOther(old);
  }
  const temporary = join(dirname(file), `.acp-${randomUUID()}.tmp`);
  try {
    await symlink(bytes, temporary);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A file that may be executed by all who may read it, or by nobody; as it is where its owner may already. */
function withExecutable(mode: number, isExecutable: boolean): number {
  if (((mode & 0o100) !== 0) === isExecutable) return mode;
  return isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** A rename would pass over what a plain write respects. */
async function refuseReadOnly(file: string, stats: Stats): Promise<void> {
  if ((stats.mode & 0o222) === 0) throw new Error('is read-only');
  await access(file, constants.W_OK);
}

function refuseOther(stats: Stats | null): void {
  if (stats && !stats.isFile() && !stats.isSymbolicLink()) {
    throw new Error('something that is neither a file nor a link is in its place');
  }
}

async function remove(top: string, path: string): Promise<void> {
  const file = join(top, path);
  const stats = await statsOf(file);
  if (stats?.isDirectory()) await removeFolder(file);
  else if (stats?.isFile() || stats?.isSymbolicLink()) await unlink(file);
  else return;
  await removeEmpty(dirname(file), top);
}

/** Removes a folder in which there is nothing but folders: they are no part of what is recorded. */
async function removeFolder(folder: string): Promise<void> {
  if (await holdsFiles(folder)) {
    throw new Error('a folder of that name, with files in it, is in its place');
  }
  await removeFolders(folder);
}

async function holdsFiles(folder: string): Promise<boolean> {
  for (const item of await readdir(folder, { withFileTypes: true })) {
    if (!item.isDirectory() || (await holdsFiles(join(folder, item.name)))) return true;
  }
  return false;
}

/** Unlike `rm`, this fails should a file have come into one of them meanwhile. */
async function removeFolders(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await removeFolders(join(folder, name));
  await rmdir(folder);
}

/** Removes `folder` and those above it, below `stop`, as far as they are empty. */
async function removeEmpty(folder: string, stop: string): Promise<void> {
  for (let at = folder; at !== stop; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      // It isn't empty, or may stay: folders are no part of what is recorded.
      return;
    }
  }
}
