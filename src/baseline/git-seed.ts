/** What the user's own index is good for: it knows, for files that did not change since, the name of their content. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '../client/faults';
import type { GitDir } from './git-dir';
import { formatIndex, parseIndex } from './git-index-file';
import type { IndexEntry } from './git-index-file';
import { git, GitError, names, plainEnv } from './git-run';

const SUBMODULE = 0o160000;
const NUL = Buffer.alloc(1);

/**
 * Makes an index of our own at `path` from the user's, so that not all files need to be read. Where theirs can't be used
 * there will be none, and they are.
 */
export async function seed(dir: GitDir, path: string): Promise<void> {
  const index = await userIndex(dir);
  if (index === null) return;
  try {
    const raw = await rawEntries(dir, index.entries);
    await writeFile(path, formatIndex(raw, dir.repository.hash));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return;
  }
  // Not later than theirs: files that are no older than their index are compared by content.
  await utimes(path, index.time, index.time);
}

/** What git has in the user's index that can't be told from the files. */
export interface Peculiar {
  /** Files that are in it although they are ignored. */
  ignored: string[];
  submodules: string[];
}

export async function peculiar(dir: GitDir): Promise<Peculiar> {
  const index = await userIndex(dir);
  if (index === null) return { ignored: [], submodules: [] };
  const submodules = index.entries.filter(({ mode }) => mode === SUBMODULE);
  const path = temporary(dir);
  try {
    await writeFile(path, formatIndex(index.entries, dir.repository.hash));
    const args = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'];
    const out = await git(args, { cwd: dir.top, env: { ...dir.writing, GIT_INDEX_FILE: path } });
    return {
      ignored: names(out).filter((name) => name !== null),
      submodules: submodules.map(({ name }) => name.toString()),
    };
  } finally {
    await rm(path, { force: true });
  }
}

interface UserIndex {
  entries: IndexEntry[];
  /** When it was written, in whole seconds. */
  time: number;
}

/** Null where there is none that can be read. */
async function userIndex(dir: GitDir): Promise<UserIndex | null> {
  const { index, hash } = dir.repository;
  try {
    const { bytes, time } = await readIndex(index);
    const parsed = parseIndex(bytes, hash);
    if (parsed === null) return null;
    if (parsed.base === null) return { entries: parsed.entries, time };
    const whole = parseIndex(await unsplit(dir, bytes, parsed.base), hash);
    return whole && { entries: whole.entries, time };
  } catch (error) {
    // Not yet made, just being replaced, or broken.
    if (isMissing(error) || error instanceof RangeError || error instanceof GitError) return null;
    throw error;
  }
}

/** The index `bytes` together with its shared index `base`. In copies: git touches a shared index that it reads. */
async function unsplit(dir: GitDir, bytes: Buffer, base: string): Promise<Buffer> {
  const path = temporary(dir);
  const shared = `sharedindex.${base}`;
  try {
    await writeFile(path, bytes);
    await copyFile(join(dirname(dir.repository.index), shared), `${path}.shared`);
    await rename(`${path}.shared`, join(dir.path, shared));
    const env = { ...dir.writing, GIT_INDEX_FILE: path };
    await git(['update-index', '--no-split-index', '--force-write-index'], { cwd: dir.top, env });
    return (await readIndex(path)).bytes;
  } finally {
    for (const suffix of ['', '.lock', '.shared']) await rm(path + suffix, { force: true });
  }
}

/** A name that goes with this process. */
function temporary(dir: GitDir): string {
  return join(dir.path, `${process.pid}.${randomUUID()}`);
}

async function readIndex(path: string): Promise<{ bytes: Buffer; time: number }> {
  // A pipe would let us wait.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { mtimeMs } = await handle.stat();
    return { bytes: await handle.readFile(), time: Math.floor(mtimeMs / 1000) };
  } finally {
    await handle.close();
  }
}

/** The entries whose content is, byte for byte, that of the file: neither made of it by a filter, nor with other line ends. */
async function rawEntries(dir: GitDir, all: IndexEntry[]): Promise<IndexEntry[]> {
  const entries = all.filter(({ settled }) => settled);
  const files = entries.filter(({ mode }) => mode !== SUBMODULE);
  const [sizes, filtered] = await Promise.all([blobSizes(dir, files), filteredNames(dir, files)]);
  let at = 0;
  return entries.filter(({ mode, size, name }) => {
    if (mode === SUBMODULE) return true;
    // Line ends and `$Id$` never change without the size.
    return sizes[at++] === size && !filtered.has(name.toString());
  });
}

async function blobSizes(dir: GitDir, entries: IndexEntry[]): Promise<(number | null)[]> {
  const input = entries.map(({ id }) => `${id.toString('hex')}\n`).join('');
  const args = ['cat-file', '--buffer', '--batch-check=%(objectsize)'];
  const out = await git(args, { cwd: dir.top, env: dir.reading, input });
  const lines = out.toString().split('\n').slice(0, -1);
  // Of one that is missing, the line says so.
  return lines.map((line) => (/^\d+$/.test(line) ? Number(line) % 2 ** 32 : null));
}

/** Names of files whose content git converts in ways that may keep its size. */
async function filteredNames(dir: GitDir, entries: IndexEntry[]): Promise<Set<string>> {
  const env = {
    ...plainEnv(),
    GIT_DIR: dir.repository.gitDir,
    GIT_WORK_TREE: dir.repository.top,
    // Attributes are read from files; the index needs not be looked at.
    GIT_INDEX_FILE: temporary(dir),
  };
  const input = Buffer.concat(entries.flatMap(({ name }) => [name, NUL]));
  const attributes = ['filter', 'working-tree-encoding'];
  // The only command that is run on theirs and would start what they have configured.
  const args = ['-c', 'core.fsmonitor=', 'check-attr', '-z', '--stdin', ...attributes];
  const out = await git(args, { cwd: dir.repository.top, env, input });
  const fields = out.toString().split('\0');
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2];
    if (value !== 'unspecified' && value !== 'unset') filtered.add(fields[at]!);
  }
  return filtered;
}
