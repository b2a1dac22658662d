/** The baselines of a session as one: by absolute paths, and by content. */
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Baseline, Entry } from '../baseline/baseline';
import { isMissing } from '../client/faults';
import { isInside } from '../client/roots';
import { bytesOf, contentOf, equal, NONE, type Content } from './content';
import { restoreEntry } from './restore';

/** A record of each baseline, by its top. */
export type Snapshots = Record<string, string>;

/** `Change` with absolute paths. */
export interface TreeChange {
  path: string;
  from?: string;
  before: Entry | null;
  after: Entry | null;
}

/** Records, and comparisons of two, that are remembered: those of all scopes, and some more. */
const REMEMBERED = 40;
/** Larger files are not taken up as they stand on disk: more than any baseline records. */
const MAX_FILE = 128 * 1024 * 1024;
/** The clocks of file systems go in steps. */
const GRAIN_MS = 20;

export class Tree {
  readonly #baselines: Baseline[];
  readonly #changes = new Map<string, Promise<TreeChange[]>>();
  readonly #renames = new WeakMap<TreeChange[], ReadonlyMap<string, string>>();
  readonly #entries = new Map<string, Map<string, Entry | null>>();

  constructor(baselines: readonly Baseline[]) {
    this.#baselines = [...baselines];
  }

  /** Further ones, not in one another nor in those that are there; gives how they stand. */
  async add(baselines: readonly Baseline[]): Promise<Snapshots> {
    const taken = baselines.map(async (each) => [each.top, await each.take()] as const);
    const snapshots = Object.fromEntries(await Promise.all(taken));
    this.#baselines.push(...baselines);
    this.#changes.clear();
    return snapshots;
  }

  get tops(): string[] {
    return this.#baselines.map(({ top }) => top);
  }

  get limits(): string[] {
    return this.#baselines.flatMap(({ limits }) => [...limits]);
  }

  /** The baseline that holds `path`; null for what is in none. */
  at(path: string): Baseline | null {
    return this.#baselines.find(({ top }) => path !== top && isInside(top, path)) ?? null;
  }

  /** A tool call names a file: see `Baseline.sight`. What was known of the records may be more now. */
  async sight(path: string): Promise<void> {
    await this.at(path)?.sight(path);
    this.#changes.clear();
    this.#entries.clear();
  }

  async take(): Promise<Snapshots> {
    const taken = this.#baselines.map(async (each) => [each.top, await each.take()] as const);
    return Object.fromEntries(await Promise.all(taken));
  }

  /** What differs between two records. A top that one of them lacks has no part in it. */
  async changes(from: Snapshots, to: Snapshots): Promise<TreeChange[]> {
    const all = this.#baselines.map(async (baseline) => {
      const [before, after] = [from[baseline.top], to[baseline.top]];
      if (before === undefined || after === undefined || before === after) return [];
      return this.#compare(baseline, before, after);
    });
    return (await Promise.all(all)).flat();
  }

  /**
   * Whether files have changed since they were recorded: programs that save a file empty it first, or put it aside. `since`: when
   * the record was begun, in ms.
   */
  async isOutdated(from: Snapshots, to: Snapshots, since: number): Promise<boolean> {
    for (const { path, from: former, after } of await this.changes(from, to)) {
      if (await this.#isOther(path, after, since)) return true;
      if (former !== undefined && (await this.#isOther(former, null, since))) return true;
    }
    return false;
  }

  async #isOther(path: string, entry: Entry | null, since: number): Promise<boolean> {
    const time = await this.changeTime(path);
    if (time !== 0 && time < since - GRAIN_MS) return false;
    const content = await this.read(path, entry);
    return content.kind !== 'locked' && !equal(content, await this.disk(path));
  }

  /** What `path` was called in an earlier record, where it was renamed. */
  async formerName(from: Snapshots, to: Snapshots, path: string): Promise<string | undefined> {
    const { top } = this.at(path) ?? {};
    const [before, after] = [from[top ?? ''], to[top ?? '']];
    if (before === undefined || after === undefined || before === after) return undefined;
    const changes = await this.#compare(this.#holder(path), before, after);
    let renames = this.#renames.get(changes);
    if (!renames) {
      const pairs = changes.map(({ path, from }) => [path, from] as const);
      renames = new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
      this.#renames.set(changes, renames);
    }
    return renames.get(path);
  }

  #compare(baseline: Baseline, from: string, to: string): Promise<TreeChange[]> {
    const key = `${baseline.top}\0${from}\0${to}`;
    const known = this.#changes.get(key);
    if (known) return known;
    const compared = baseline.changes(from, to).then((changes) =>
      changes.flatMap(({ path, from: former, before, after }) => {
        const absolute = inside(baseline.top, path);
        if (absolute === null) return [];
        const old = former === undefined ? null : inside(baseline.top, former);
        return [{ path: absolute, ...(old !== null && { from: old }), before, after }];
      }),
    );
    this.#changes.set(key, compared);
    compared.catch(() => this.#changes.delete(key));
    for (const old of this.#changes.keys()) {
      if (this.#changes.size <= REMEMBERED) break;
      this.#changes.delete(old);
    }
    return compared;
  }

  /** What a record holds at `path`. */
  async entry(snapshots: Snapshots, path: string): Promise<Entry | null> {
    const baseline = this.at(path);
    const snapshot = snapshots[baseline?.top ?? ''];
    if (!baseline || snapshot === undefined) return null;
    const known = this.#known(snapshot);
    let entry = known.get(path);
    if (entry === undefined) {
      entry = await baseline.entry(snapshot, this.nameOf(path));
      known.set(path, entry);
    }
    return entry;
  }

  /** Makes many entries known at once, where they will be asked for one by one. */
  async preload(snapshots: Snapshots, paths: readonly string[]): Promise<void> {
    for (const baseline of this.#baselines) {
      const snapshot = snapshots[baseline.top];
      if (snapshot === undefined) continue;
      const known = this.#known(snapshot);
      const missing = paths.filter((path) => this.at(path) === baseline && !known.has(path));
      if (missing.length === 0) continue;
      const names = missing.map((path) => this.nameOf(path));
      const entries = await baseline.entries(snapshot, names);
      missing.forEach((path, i) => known.set(path, entries.get(names[i]!) ?? null));
    }
  }

  /** What is known of a record; those that were not asked for long are forgotten. */
  #known(snapshot: string): Map<string, Entry | null> {
    const known = this.#entries.get(snapshot) ?? new Map<string, Entry | null>();
    this.#entries.delete(snapshot);
    this.#entries.set(snapshot, known);
    for (const old of this.#entries.keys()) {
      if (this.#entries.size <= REMEMBERED) break;
      this.#entries.delete(old);
    }
    return known;
  }

  /** Makes the file at `path` be exactly `entry`. Throws with words for people, and then nothing has changed. */
  async restore(path: string, entry: Entry | null): Promise<void> {
    const baseline = this.#holder(path);
    const read = (id: string): Promise<Buffer | null> => baseline.read(id);
    await restoreEntry({ top: baseline.top, path: this.nameOf(path), entry, read });
  }

  /** `path` relative to the folder that is recorded, with `/`. */
  nameOf(path: string): string {
    return relative(this.#holder(path).top, path).split(sep).join('/');
  }

  #holder(path: string): Baseline {
    const baseline = this.at(path);
    if (!baseline) throw new Error(`${path} is in none of the folders of this session`);
    return baseline;
  }

  async read(path: string, entry: Entry | null): Promise<Content> {
    const baseline = this.at(path);
    if (!baseline || !entry) return NONE;
    const bytes = entry.mode === '160000' ? null : await baseline.read(entry.id);
    return contentOf(entry, bytes);
  }

  /** Keeps a content; gives the entry by which it is found again. */
  async keep(path: string, content: Content): Promise<Entry | null> {
    if (content.kind === 'none') return null;
    if (content.kind === 'locked') return content.entry;
    const mode = content.kind === 'link' ? '120000' : content.mode;
    return { mode, id: await this.#holder(path).write(bytesOf(content)) };
  }

  /** When the file at `path` last changed in any way, in ms; 0: there is none. */
  async changeTime(path: string): Promise<number> {
    try {
      return (await lstat(path)).ctimeMs;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  }

  /** What is on disk at `path` at this moment. */
  async disk(path: string): Promise<Content> {
    try {
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) {
        return { kind: 'link', target: await readlink(path, { encoding: 'buffer' }) };
      }
      if (!stats.isFile()) return NONE;
      const mode = (stats.mode & 0o100) !== 0 ? '100755' : '100644';
      const bytes = stats.size > MAX_FILE ? null : await readFile(path);
      return contentOf({ mode, id: '' }, bytes);
    } catch (error) {
      if (isMissing(error)) return NONE;
      throw error;
    }
  }
}

/** The absolute path of one in a record; null for what would lead out of the folder. */
function inside(top: string, path: string): string | null {
  if (path === '' || path.includes('\0') || path.split('/').some((part) => part === '..')) {
    return null;
  }
  const absolute = join(top, ...path.split('/'));
  return absolute !== top && isInside(top, absolute) ? absolute : null;
}
