/**
 * Records a working tree as git trees, without touching the repository that it belongs to: through an index and objects of
 * our own (`git-dir.ts`). A record costs what has changed, and a look at the times of all files.
 */
import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { isInside } from '../client/roots';
import type { Baseline, Change, Entry } from './baseline';
import { findRepository, GitDir, isIgnored } from './git-dir';
import { PrivateIndex } from './git-index';
import { Limits } from './git-limits';
import { Objects } from './git-objects';
import { git, GitError, names } from './git-run';
import { peculiar } from './git-seed';
import { treeWith } from './git-tree';
import type { TreeStore } from './git-tree';

/** A record that takes longer is given up. The first may have all files to read. */
const FIRST_MS = 30_000;
const LONGEST_MS = 10_000;

/** Paths that one command line takes. */
const MOST_PATHS = 400;

const MODES: ReadonlySet<string> = new Set<Entry['mode']>(['100644', '100755', '120000', '160000']);
const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Records through git what `root` belongs to; null where that is no repository that git can work with, or ignored by one. */
export async function openGitBaseline(options: {
  root: string;
  stateDir: string;
}): Promise<Baseline | null> {
  const repository = await findRepository(options.root);
  if (repository === null) return null;
  const dir = await GitDir.open(repository, options.stateDir);
  const path = pathIn(repository.top, await realpath(options.root));
  if (path !== '' && (await isIgnored(dir, path))) {
    const { ignored } = await peculiar(dir);
    if (!ignored.some((it) => it.startsWith(`${path}/`))) return null;
  }
  return new GitBaseline(dir, await PrivateIndex.open(dir));
}

class GitBaseline implements Baseline {
  readonly #dir: GitDir;
  readonly #index: PrivateIndex;
  readonly #objects: Objects;
  #limits = new Limits();
  #isFirst = true;
  /** Ends when the record that was asked for last is made. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dir: GitDir, index: PrivateIndex) {
    this.#dir = dir;
    this.#index = index;
    this.#objects = new Objects(dir);
  }

  get top(): string {
    return this.#dir.top;
  }

  get limits(): readonly string[] {
    return this.#limits.lines();
  }

  take(unsaved: ReadonlyMap<string, Buffer> = new Map()): Promise<string> {
    const record = this.#last.then(() => this.#record(unsaved));
    this.#last = record.catch(() => undefined);
    return record;
  }

  async #record(unsaved: ReadonlyMap<string, Buffer>): Promise<string> {
    const longest = this.#isFirst ? FIRST_MS : LONGEST_MS;
    const signal = AbortSignal.timeout(longest);
    const limits = new Limits();
    try {
      const tree = await this.#index.update(limits, signal);
      this.#limits = limits;
      this.#isFirst = false;
      return await this.#withUnsaved(tree, unsaved, signal);
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted) {
        throw new Error(`${this.top} could not be recorded: ${message}`, { cause: error });
      }
      throw new Error(
        `${this.top} could not be recorded within ${longest / 1000} seconds. ` +
          'Does it hold many files that git should ignore?',
        { cause: error },
      );
    }
  }

  async #withUnsaved(
    tree: string,
    unsaved: ReadonlyMap<string, Buffer>,
    signal: AbortSignal,
  ): Promise<string> {
    const contents = new Map<string, string>();
    for (const [file, bytes] of unsaved) {
      if (isInside(this.top, file)) contents.set(pathIn(this.top, file), await this.write(bytes));
    }
    const store: TreeStore = {
      readTree: async (id) => {
        const bytes = await this.#objects.read(id, 'tree');
        if (bytes === null) throw new Error(`the folder ${id} is missing`);
        return bytes;
      },
      writeTree: (bytes) => this.#write(bytes, 'tree'),
      isNew: (path) => this.#index.isNew(path, signal),
    };
    return (await treeWith(store, tree, contents)) ?? tree;
  }

  async changes(from: string, to: string): Promise<Change[]> {
    const trees = [checked(from), checked(to)];
    if (from === to) return [];
    const diff = (renames: string): Promise<Buffer> =>
      this.#read([
        ...['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-ext-diff'],
        ...['--ignore-submodules=none', '--no-rename-empty', renames, ...trees],
      ]);
    // Where content is missing, similar files can't be found; the same ones can.
    const out = await diff('-M').catch((error: unknown) => {
      if (error instanceof GitError) return diff('-M100%');
      throw error;
    });
    return parseChanges(names(out));
  }

  async entry(snapshot: string, path: string): Promise<Entry | null> {
    return (await this.entries(snapshot, [path])).get(path) ?? null;
  }

  async entries(snapshot: string, paths: readonly string[]): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>();
    const list = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', checked(snapshot), '--'];
    for (let at = 0; at < paths.length; at += MOST_PATHS) {
      const out = await this.#read([...list, ...paths.slice(at, at + MOST_PATHS)]);
      for (const line of names(out)) {
        const [mode = '', , id = ''] = (line ?? '').split('\t', 1).join().split(' ');
        const entry = entryOf(mode, id);
        if (line != null && entry) found.set(line.slice(line.indexOf('\t') + 1), entry);
      }
    }
    return found;
  }

  async read(id: string): Promise<Buffer | null> {
    return OBJECT.test(id) ? this.#objects.read(id, 'blob') : null;
  }

  write(bytes: Buffer): Promise<string> {
    return this.#write(bytes, 'blob');
  }

  /** Each record keeps all content. */
  async sight(): Promise<void> {}

  async close(): Promise<void> {
    await this.#last;
    this.#objects.close();
    await this.#index.close();
  }

  async #write(bytes: Buffer, type: 'blob' | 'tree'): Promise<string> {
    const args = ['hash-object', '-w', '-t', type, '--stdin'];
    const out = await git(args, { cwd: this.top, env: this.#dir.writing, input: bytes });
    return out.toString().trim();
  }

  #read(args: string[]): Promise<Buffer> {
    return git(args, { cwd: this.top, env: this.#dir.reading });
  }
}

/** As git writes it. */
function pathIn(top: string, file: string): string {
  return relative(top, file).split(sep).join('/');
}

function checked(snapshot: string): string {
  if (OBJECT.test(snapshot)) return snapshot;
  throw new Error(`"${snapshot}" is not the name of a record`);
}

function entryOf(mode: string, id: string): Entry | null {
  return MODES.has(mode) ? { mode: mode as Entry['mode'], id } : null;
}

/** Of `:MODE MODE ID ID STATUS`, path and, for a rename, the new path. */
function parseChanges(fields: (string | null)[]): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < fields.length;) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (fields[at++] ?? '')
      .slice(1)
      .split(' ');
    const from = fields[at++];
    const path = status.startsWith('R') ? fields[at++] : from;
    // Names that are not UTF-8 are no part of a record.
    if (path == null || from == null) continue;
    const change = { path, before: entryOf(oldMode, oldId), after: entryOf(newMode, newId) };
    changes.push(path === from ? change : { ...change, from });
  }
  return changes;
}
