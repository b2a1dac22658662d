import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isMissing } from '../client/faults';
import { isInside, realPath } from '../client/roots';
import type { Baseline, Change, Entry } from './baseline';
import { look, readSeen } from './folder-file';
import { FOLDER_LIMITS, limitLines, type FolderLimits, type Shortfalls } from './folder-limits';
import { changesBetween, FolderRecord, type Row } from './folder-record';
import { Sights } from './folder-sights';
import { FolderStore, idOf } from './folder-store';
import { takeRecord, type Known } from './folder-take';
import { placeOf } from './place';

export interface FolderBaselineOptions {
  root: string;
  stateDir: string;
  /** Others than usual. */
  limits?: Partial<FolderLimits>;
}

/** Records that stay in memory: those that are compared. */
const RECORDS = 3;

/**
 * Records a folder that git doesn't know. All files are recorded with a hash, small ones with their content; others keep theirs
 * as soon as a tool call names them. `folder-limits.ts` says how far that goes.
 */
export async function openFolderBaseline(options: FolderBaselineOptions): Promise<Baseline> {
  const top = await realpath(options.root);
  const place = placeOf(options.stateDir, top);
  const store = await FolderStore.open(place);
  const own = relative(top, await realpath(options.stateDir));
  const limits = { ...FOLDER_LIMITS, ...options.limits };
  const sights = await Sights.open(join(place, 'sights'));
  return new FolderBaseline({ top, own, store, limits, sights });
}

interface Parts {
  top: string;
  /** Our own files, relative to `top`. */
  own: string;
  store: FolderStore;
  limits: FolderLimits;
  sights: Sights;
}

class FolderBaseline implements Baseline {
  readonly top: string;
  readonly #parts: Parts;
  /** Files that are recorded wherever they are. */
  readonly #named: Set<string>;
  #known = new Map<string, Known>();
  #shortfalls: Shortfalls | null = null;
  /** Those used last are at the end. */
  readonly #records = new Map<string, FolderRecord>();
  #last: string | null = null;
  #sighting: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.top = parts.top;
    this.#parts = parts;
    this.#named = new Set(parts.sights.paths());
  }

  get limits(): readonly string[] {
    return this.#shortfalls ? limitLines(this.#shortfalls, this.#parts.limits) : [];
  }

  async take(unsaved: ReadonlyMap<string, Buffer> = new Map()): Promise<string> {
    const own = new Map<string, Buffer>();
    for (const [path, bytes] of unsaved) {
      const name = this.#nameOf(path);
      if (name !== null) own.set(name, bytes);
    }
    // Where the text is saved later, the file must be found in the records to come.
    for (const name of own.keys()) this.#named.add(name);
    const { store } = this.#parts;
    const taken = await takeRecord({
      ...this.#parts,
      known: this.#known,
      last: this.#last === null ? null : await this.#record(this.#last),
      also: this.#named,
      unsaved: own,
    });
    const snapshot = await store.put(taken.record.serialise());
    await store.touch();
    this.#known = taken.known;
    this.#shortfalls = taken.shortfalls;
    await this.#record(snapshot);
    this.#last = snapshot;
    return snapshot;
  }

  async changes(from: string, to: string): Promise<Change[]> {
    return changesBetween(await this.#record(from), await this.#record(to));
  }

  async entry(snapshot: string, path: string): Promise<Entry | null> {
    return (await this.#record(snapshot)).entry(path);
  }

  async entries(snapshot: string, paths: readonly string[]): Promise<Map<string, Entry>> {
    const record = await this.#record(snapshot);
    const found = paths.map((path) => [path, record.entry(path)] as const);
    return new Map(found.filter((pair): pair is [string, Entry] => pair[1] !== null));
  }

  read(id: string): Promise<Buffer | null> {
    return this.#parts.store.get(id);
  }

  write(bytes: Buffer): Promise<string> {
    return this.#parts.store.put(bytes);
  }

  /** One after the other: the first that is seen counts. */
  sight(path: string): Promise<void> {
    const sight = this.#sighting.then(() => this.#sight(path));
    this.#sighting = sight.catch(() => {});
    return sight;
  }

  async close(): Promise<void> {
    await this.#sighting;
    this.#records.clear();
    this.#known.clear();
  }

  async #sight(path: string): Promise<void> {
    if (this.#last === null || path.includes('\0')) return;
    // What can't be resolved can't be changed either.
    const real = await realPath(path).catch(() => null);
    const name = real === null ? null : this.#nameOf(real);
    if (real === null || name === null) return;
    const row = (await this.#record(this.#last)).at(name);
    const isKnown = row === null || (row?.id != null && this.#parts.store.has(row.id));
    const found = isKnown ? row : await this.#learn(real, row);
    if (found === undefined) return;
    this.#shortfalls?.unkept.delete(name);
    this.#shortfalls?.unread.delete(name);
    this.#named.add(name);
    // Earlier records may know less than the last.
    await this.#parts.sights.add(name, found);
    for (const record of this.#records.values()) this.#parts.sights.complete(record);
  }

  /**
   * Keeps the content of the file at `real`, of which `row` is recorded, and gives its row; `undefined` where it can't be
   * known, or is not what was recorded: then it is changed already.
   */
  async #learn(real: string, row: Row | undefined): Promise<Row | null | undefined> {
    const { store, limits } = this.#parts;
    const seen = await look(real).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (seen === undefined) return row ? undefined : null;
    if (seen === null || seen.size > limits.maxFileSize) return undefined;
    if (row && row.id === null && row.version !== seen.version) return undefined;
    const bytes = await readSeen(real, seen).catch(() => null);
    if (bytes === null) return undefined;
    if (row && row.id !== null && row.id !== idOf(bytes)) return undefined;
    const id = await store.put(bytes);
    return { mode: row?.mode ?? seen.mode, version: seen.version, id };
  }

  async #record(snapshot: string): Promise<FolderRecord> {
    const record = this.#records.get(snapshot) ?? (await this.#load(snapshot));
    this.#records.delete(snapshot);
    this.#records.set(snapshot, record);
    for (const name of this.#records.keys()) {
      if (this.#records.size <= RECORDS) break;
      this.#records.delete(name);
    }
    return record;
  }

  async #load(snapshot: string): Promise<FolderRecord> {
    const bytes = await this.#parts.store.get(snapshot);
    if (bytes === null) throw new Error(`${this.top}: the recorded state ${snapshot} is gone`);
    const record = FolderRecord.parse(bytes);
    this.#parts.sights.complete(record);
    return record;
  }

  /** The name of an absolute path in the records; `null` for what is outside. */
  #nameOf(path: string): string | null {
    if (path === this.top || !isInside(this.top, path)) return null;
    return relative(this.top, path).split(sep).join('/');
  }
}
