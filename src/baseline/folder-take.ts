import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '../client/faults';
import { forEach, look, readSeen, type Seen } from './folder-file';
import type { FolderLimits, Shortfalls } from './folder-limits';
import { FolderRecord, type Row } from './folder-record';
import { idOf, type Batch, type FolderStore } from './folder-store';
import { Walk } from './folder-walk';

/** The content that a version of a file has. */
export interface Known {
  precise: string;
  id: string;
}

export interface TakeOptions {
  top: string;
  /** Folder of our own files, relative to `top`, if it is in there. */
  own: string;
  store: FolderStore;
  limits: FolderLimits;
  /** What was read before, by path. */
  known: ReadonlyMap<string, Known>;
  /** The record before. */
  last: FolderRecord | null;
  /** Files that are looked at wherever they are, and kept. */
  also: ReadonlySet<string>;
  /** Text that counts in the place of files, by path. */
  unsaved: ReadonlyMap<string, Buffer>;
}

export interface Taken {
  record: FolderRecord;
  known: Map<string, Known>;
  shortfalls: Shortfalls;
}

/** A file system that hangs costs this much time beside that of the record. */
const GRACE_MS = 1000;
/** Times of files may be this coarse: a file that changes again so soon may look the same. */
const COARSE_MS = 2000;
const SMALL_AT_ONCE = 16;
const LARGE_AT_ONCE = 2;

/** Records a folder as it stands. */
export async function takeRecord(options: TakeOptions): Promise<Taken> {
  const take = new Take(options);
  await take.run();
  return take.result();
}

class Take {
  readonly #options: TakeOptions;
  readonly #deadline: number;
  readonly #walk: Walk;
  readonly #rows = new Map<string, Row | null>();
  readonly #known = new Map<string, Known>();
  readonly #large = new Set<string>();
  readonly #unkept = new Set<string>();
  readonly #batch: Batch;
  #kept = 0;
  #keptNews = 0;

  constructor(options: TakeOptions) {
    const { top, own, store, limits } = options;
    this.#options = options;
    this.#batch = store.batch();
    this.#deadline = Date.now() + limits.maxMs;
    this.#walk = new Walk({ top, own, maxFiles: limits.maxFiles, deadline: this.#deadline });
  }

  async run(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#walk.late = true;
        resolve();
      }, this.#options.limits.maxMs + GRACE_MS);
    });
    await Promise.race([this.#look(), over]);
    clearTimeout(timer);
    await this.#addUnsaved();
    await this.#batch.end();
  }

  result(): Taken {
    const rows = new Map(this.#rows);
    const unread = new Set<string>();
    for (const [path, { mode, version }] of this.#walk.files) {
      if (rows.has(path)) continue;
      rows.set(path, { mode, version, id: null });
      if (!this.#large.has(path)) unread.add(path);
    }
    return {
      record: new FolderRecord(rows, this.#walk.unknown),
      known: this.#known,
      shortfalls: { walk: this.#walk, large: this.#large, unread, unkept: this.#unkept },
    };
  }

  async #look(): Promise<void> {
    await this.#walk.run();
    await forEach([...this.#options.also], SMALL_AT_ONCE, (path) => this.#lookAlso(path));
    const isLarge = ({ size }: Seen): boolean => size > this.#options.limits.keepFileSize;
    const files = [...this.#walk.files];
    const small = files.filter(([, seen]) => !isLarge(seen));
    const large = files.filter(([, seen]) => isLarge(seen));
    await forEach(small, SMALL_AT_ONCE, (file) => this.#read(file));
    await forEach(large, LARGE_AT_ONCE, (file) => this.#read(file));
  }

  async #lookAlso(path: string): Promise<void> {
    const { files, unknown, refused } = this.#walk;
    if (files.has(path)) return;
    const file = join(this.#options.top, path);
    try {
      // Behind a link is another file.
      const isThere = (await realpath(dirname(file))) === dirname(file);
      const seen = isThere ? await look(file) : null;
      if (seen) files.set(path, seen);
      else this.#rows.set(path, null);
    } catch (error) {
      if (isMissing(error)) this.#rows.set(path, null);
      else refused.push(path);
      return;
    }
    unknown.delete(path);
  }

  /** Learns the content of a file: its hash, and where there is room for it, itself. */
  async #read([path, seen]: [string, Seen]): Promise<void> {
    const { top, store, limits, also } = this.#options;
    const before = this.#options.known.get(path);
    const known = before?.precise === seen.precise ? before : null;
    const fits = seen.size <= limits.keepFileSize && this.#kept + seen.size <= limits.keepSize;
    if (fits) this.#kept += seen.size;
    let keep = fits || also.has(path);

    let id = known?.id ?? null;
    if (known) this.#known.set(path, known);
    if (seen.size > limits.maxFileSize) {
      this.#large.add(path);
    } else if (Date.now() <= this.#deadline && (id === null || (keep && !store.has(id)))) {
      const begun = Date.now();
      const bytes = await readSeen(join(top, path), seen).catch(() => null);
      if (bytes === null) return;
      id = idOf(bytes);
      if (seen.changed < begun - COARSE_MS) this.#known.set(path, { precise: seen.precise, id });
      keep ||= this.#isNews(path, id, seen.size);
      if (keep) await this.#batch.put(bytes, id);
    }
    if (id === null) return;
    this.#rows.set(path, { mode: seen.mode, version: seen.version, id });
    if (!keep && !store.has(id)) this.#unkept.add(path);
  }

  /** Whether there was another content before, or none: what was made of a file must be known to take that back. */
  #isNews(path: string, id: string, size: number): boolean {
    const { last, limits } = this.#options;
    const row = last?.at(path);
    if (row === undefined || row?.id === id || this.#keptNews + size > limits.keepSize)
      return false;
    this.#keptNews += size;
    return true;
  }

  async #addUnsaved(): Promise<void> {
    for (const [path, bytes] of this.#options.unsaved) {
      const id = idOf(bytes);
      await this.#batch.put(bytes, id);
      const mode = this.#walk.files.get(path)?.mode === '100755' ? '100755' : '100644';
      this.#rows.set(path, { mode, version: '', id });
      this.#unkept.delete(path);
    }
  }
}
