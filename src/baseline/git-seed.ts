/** What the user's own index is good for: it knows, for files that did not change since, the name of their content. */
import { randomUUID } from 'node:crypto';
import { copyFile, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '../client/faults';
import type { GitDir } from './git-dir';
import { formatIndex, parseIndex } from './git-index-file';
import type { IndexEntry, IndexFile } from './git-index-file';
import { git, GitError, names, plainEnv } from './git-run';

const SUBMODULE = 0o160000;
const NUL = Buffer.alloc(1);

/**
 * Makes an index of our own at `path` from the user's, so that not all files need to be read. Where theirs can't be used
 * there will be none, and they are.
 */
export async function seed(dir: GitDir, path: string): Promise<void> {
  const copy = await copyIndex(dir);
  if (copy === null) return;
  try {
    const index = copy.index.whole ? copy.index : await expand(dir, copy.path);
    if (index === null) return;
    const raw = await rawEntries(dir, index.entries);
    await writeFile(path, formatIndex(raw, dir.repository.hash));
    // Not later than theirs: files that are no older than their index are compared by content.
    await utimes(path, copy.time, copy.time);
  } catch (error) {
    if (!(error instanceof GitError || error instanceof RangeError)) throw error;
    await rm(path, { force: true });
  } finally {
    await copy.remove();
  }
}

/** Files that the user's index has although they are ignored. */
export async function trackedButIgnored(dir: GitDir): Promise<string[]> {
  const copy = await copyIndex(dir);
  if (copy === null) return [];
  try {
    const args = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'];
    const env = { ...dir.reading, GIT_INDEX_FILE: copy.path };
    const all = names(await git(args, { cwd: dir.top, env }));
    return [...new Set(all)].filter((name) => name !== null);
  } finally {
    await copy.remove();
  }
}

interface Copy {
  path: string;
  index: IndexFile;
  /** When the original was written, in whole seconds. */
  time: number;
  remove(): Promise<void>;
}

/** Copies the user's index to where git may do with it what it likes: even reading one can touch a shared index. */
async function copyIndex(dir: GitDir): Promise<Copy | null> {
  const path = join(dir.path, `${process.pid}.seed.${randomUUID()}`);
  try {
    const { bytes, time } = await readIndex(dir.repository.index);
    const index = parseIndex(bytes, dir.repository.hash);
    if (index === null) return null;
    await writeFile(path, bytes);
    if (index.base !== null) {
      const shared = `sharedindex.${index.base}`;
      await copyFile(join(dirname(dir.repository.index), shared), `${path}.shared`);
      await rename(`${path}.shared`, join(dir.path, shared));
    }
    const remove = async (): Promise<void> => {
      for (const suffix of ['', '.lock']) await rm(path + suffix, { force: true });
    };
    return { path, index, time, remove };
  } catch (error) {
    // No index yet, or one that is being replaced.
    if (isMissing(error) || error instanceof RangeError) return null;
    throw error;
  }
}

async function readIndex(path: string): Promise<{ bytes: Buffer; time: number }> {
  const handle = await open(path, 'r');
  try {
    const { mtimeMs } = await handle.stat();
    return { bytes: await handle.readFile(), time: Math.floor(mtimeMs / 1000) };
  } finally {
    await handle.close();
  }
}

/** Makes an index whole: with the entries of its shared index, and files in the place of folders. */
async function expand(dir: GitDir, path: string): Promise<IndexFile | null> {
  const env = { ...dir.reading, GIT_INDEX_FILE: path };
  await git(['update-index', '--no-split-index', '--force-write-index'], { cwd: dir.top, env });
  const index = parseIndex((await readIndex(path)).bytes, dir.repository.hash);
  return index?.whole ? index : null;
}

/** The entries whose content is, byte for byte, that of the file: neither made of it by a filter, nor with other line ends. */
async function rawEntries(dir: GitDir, entries: IndexEntry[]): Promise<IndexEntry[]> {
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
    GIT_INDEX_FILE: join(dir.path, `${process.pid}.none`),
  };
  const input = Buffer.concat(entries.flatMap(({ name }) => [name, NUL]));
  const args = ['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding'];
  const out = await git(args, { cwd: dir.repository.top, env, input });
  const fields = out.toString().split('\0');
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2];
    if (value !== 'unspecified' && value !== 'unset') filtered.add(fields[at]!);
  }
  return filtered;
}
