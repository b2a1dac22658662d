/** An index of our own, which follows the files of a working tree. */
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, lstat, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../client/faults';
import { isIgnored } from './git-dir';
import type { GitDir } from './git-dir';
import type { Limits } from './git-limits';
import { adoptIndex, leaveIndex, ownIndex } from './git-place';
import { Hidden } from './git-hidden';
import { git, GitError, names } from './git-run';
import { peculiar, seed } from './git-seed';

const MB = 1024 * 1024;
/** A new file that is larger is not recorded: such are data and builds that nobody told git to ignore. */
const LARGEST_NEW = 10 * MB;
/** A file that has become larger stays as it was recorded. */
const LARGEST = 100 * MB;
/** Files that are taken in at once. What is in stays in when a record is given up. */
const PORTION = 4000;
const MANY = 200;

const SUBMODULE = '160000';

const NOT_UTF8 = 'Files whose names are not UTF-8 are not recorded';
const IGNORED = 'Files that git knows although they are ignored are not recorded';
const SUBMODULES = 'Submodules are not entered';
const NESTED = 'Repositories within this one are not recorded';
const SPECIAL = 'Neither files nor links, not recorded';
const UNREADABLE = 'Could not be read, not recorded';
const HIDDEN = 'There before, but ignored or not recorded for other reasons: left alone';
const LARGE_NEW = `New and larger than ${LARGEST_NEW / MB} MB, not recorded`;
const LARGE = `Larger than ${LARGEST / MB} MB, changes are not recorded`;

/** A file that looks as if it were not as the index has it. */
interface Suspect {
  path: string;
  kind: 'known' | 'new' | 'submodule';
}

export class PrivateIndex {
  readonly #dir: GitDir;
  /** Nobody else uses it. */
  readonly #path: string;
  /** The tree that it holds, as long as it is as it was. */
  #tree: string | null = null;
  /** Folders with a repository of their own. */
  #nested: string[] = [];
  /** The user's index, when it was last read: its state, the submodules in it, and the ignored files that are not in ours. */
  #theirs = { state: '', submodules: [] as string[], hidden: [] as string[] };
  readonly #hidden = new Hidden();
  /** When many files were taken in. Until it is written a second later, git reads such files again at each look. */
  #unsettled = 0;

  private constructor(dir: GitDir) {
    this.#dir = dir;
    this.#path = ownIndex(dir.path);
  }

  static async open(dir: GitDir): Promise<PrivateIndex> {
    const index = new PrivateIndex(dir);
    if (!(await adoptIndex(dir.path, index.#path))) await index.#seed();
    return index;
  }

  async close(): Promise<void> {
    await leaveIndex(this.#dir.path, this.#path);
  }

  /** Takes in what has changed on disk, and gives the tree. `limits` gets what was left out. */
  async update(limits: Limits, signal: AbortSignal): Promise<string> {
    // Of a git that was killed.
    await rm(`${this.#path}.lock`, { force: true });
    try {
      return await this.#update(limits, signal);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      // An index that was not written to its end, when the machine went down.
      await this.#seed();
      return this.#update(limits, signal);
    }
  }

  async #update(limits: Limits, signal: AbortSignal): Promise<string> {
    const { gone, suspects } = await this.#look(limits, signal);
    await this.#change(['--force-remove'], gone, limits, signal);
    for (let at = 0; at < suspects.length; at += PORTION) {
      const portion = suspects.slice(at, at + PORTION);
      const fit = await Promise.all(portion.map((it) => this.#isFit(it, limits)));
      portion.forEach(({ path, kind }, index) => {
        if (!fit[index] && kind === 'new') this.#hidden.add(path);
      });
      const paths = portion.filter((_, index) => fit[index]).map(({ path }) => path);
      await this.#change(['--add', '--replace', '--remove'], paths, limits, signal);
    }
    if (this.#tree !== null) await this.#settle(signal);
    return (this.#tree ??= await this.#writeTree(signal));
  }

  async #seed(): Promise<void> {
    await rm(this.#path, { force: true });
    this.#tree = null;
    this.#theirs.state = '';
    this.#unsettled = 1;
    await seed(this.#dir, this.#path);
  }

  async #settle(signal: AbortSignal): Promise<void> {
    if (this.#unsettled === 0 || Date.now() - this.#unsettled < 1000) return;
    this.#unsettled = 0;
    await this.#write(['update-index', '--force-write-index'], signal);
  }

  /** Whether a file at `path`, which the tree doesn't have, would be one more of it. */
  async isNew(path: string, signal: AbortSignal): Promise<boolean> {
    if (this.#nested.some((folder) => path.startsWith(folder))) return false;
    if (/(^|\/)\.git(\/|$)/i.test(path)) return false;
    const stats = await lstat(join(this.#dir.top, path)).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (stats !== null) return false;
    try {
      return !(await isIgnored(this.#dir, path, signal));
    } catch (error) {
      // No path that git could have.
      if (error instanceof GitError) return false;
      throw error;
    }
  }

  /** What differs from the index, as far as times and sizes tell. */
  async #look(
    limits: Limits,
    signal: AbortSignal,
  ): Promise<{ gone: string[]; suspects: Suspect[] }> {
    const list = ['ls-files', '-z', '--others', '--exclude-standard'];
    const [changed, others, ignored, tracked] = await Promise.all([
      this.#read(['diff-files', '--raw', '-z', '--ignore-submodules=dirty'], signal),
      this.#read(list, signal),
      this.#read([...list, '--ignored', '--directory'], signal),
      this.#trackedButIgnored(limits),
    ]);
    const gone: string[] = [];
    const suspects: Suspect[] = [];
    const raw = names(changed);
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [mode, , , , status] = raw[at]!.slice(1).split(' ');
      const path = raw[at + 1];
      if (path == null) limits.add(NOT_UTF8);
      else if (status === 'D') gone.push(path);
      else suspects.push({ path, kind: mode === SUBMODULE ? 'submodule' : 'known' });
    }
    this.#nested = [];
    for (const path of names(others)) {
      if (path === null) limits.add(NOT_UTF8);
      else if (path.endsWith('/')) {
        this.#nested.push(path);
        limits.add(NESTED, path);
      } else if (this.#hidden.has(path)) limits.add(HIDDEN, path);
      else suspects.push({ path, kind: 'new' });
    }
    for (const path of tracked) suspects.push({ path, kind: 'known' });
    this.#hidden.next([...names(ignored), ...this.#nested]);
    return { gone, suspects };
  }

  /** Files that the user's index has although they are ignored, where it is not as it was at the last look. */
  async #trackedButIgnored(limits: Limits): Promise<string[]> {
    const state = await stat(this.#dir.repository.index).then(
      (it) => `${it.mtimeMs} ${it.ctimeMs} ${it.size} ${it.ino}`,
      () => '',
    );
    let ignored: string[] = [];
    try {
      if (state !== this.#theirs.state) {
        const { submodules, ...theirs } = await peculiar(this.#dir);
        const hidden = theirs.ignored.filter((path) => this.#hidden.has(path));
        this.#theirs = { state, submodules, hidden };
        ignored = theirs.ignored.filter((path) => !this.#hidden.has(path));
      }
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      limits.add(IGNORED);
    }
    for (const path of this.#theirs.submodules) limits.add(SUBMODULES, path);
    for (const path of this.#theirs.hidden) limits.add(HIDDEN, path);
    return ignored;
  }

  /** Whether the file can be recorded. What is no more is: as that. */
  async #isFit({ path, kind }: Suspect, limits: Limits): Promise<boolean> {
    const file = join(this.#dir.top, path);
    let stats: Stats;
    try {
      stats = await lstat(file);
    } catch (error) {
      if (isMissing(error)) return kind !== 'new';
      limits.add(UNREADABLE, path);
      return false;
    }
    if (stats.isSymbolicLink() || kind === 'submodule') return true;
    if (stats.isDirectory()) return false;
    if (!stats.isFile()) limits.add(SPECIAL, path);
    else if (stats.size > (kind === 'new' ? LARGEST_NEW : LARGEST)) {
      limits.add(kind === 'new' ? LARGE_NEW : LARGE, path);
    } else if ((stats.mode & 0o004) === 0 && !(await isReadable(file))) {
      limits.add(UNREADABLE, path);
    } else return true;
    return false;
  }

  /** Halves what fails, until what can't be done is left out alone: files change and go while we look. */
  async #change(
    args: string[],
    paths: string[],
    limits: Limits,
    signal: AbortSignal,
  ): Promise<void> {
    if (paths.length === 0) return;
    this.#tree = null;
    if (paths.length > MANY) this.#unsettled = Date.now();
    const input = paths.map((path) => `${path}\0`).join('');
    try {
      await this.#write(['update-index', '-z', ...args, '--stdin'], signal, input);
    } catch (error) {
      if (!(error instanceof GitError) || !/unable to process path/i.test(error.message))
        throw error;
      if (/unable to (write|create)|no space left/i.test(error.message)) throw error;
      if (paths.length === 1) return limits.add(UNREADABLE, paths[0]);
      const half = paths.length >> 1;
      await this.#change(args, paths.slice(0, half), limits, signal);
      await this.#change(args, paths.slice(half), limits, signal);
    }
  }

  async #writeTree(signal: AbortSignal): Promise<string> {
    // Content that only the user's objects hold is missing from where we write.
    const out = await this.#write(['write-tree', '--missing-ok'], signal);
    return out.toString().trim();
  }

  #read(args: string[], signal: AbortSignal): Promise<Buffer> {
    const env = { ...this.#dir.reading, GIT_INDEX_FILE: this.#path };
    return git(args, { cwd: this.#dir.top, env, signal });
  }

  #write(args: string[], signal: AbortSignal, input = ''): Promise<Buffer> {
    const env = { ...this.#dir.writing, GIT_INDEX_FILE: this.#path };
    return git(args, { cwd: this.#dir.top, env, input, signal });
  }
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}
