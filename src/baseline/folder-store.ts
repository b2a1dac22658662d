import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from '../client/faults';

/** Content is written in packs of about this size: a file for each would take most of the time. */
const PACK_SIZE = 4 * 1024 * 1024;
/** Digits at the start of a pack that give the length of its table. */
const HEAD = 8;

/** Where content is. */
interface Spot {
  pack: string;
  start: number;
  size: number;
}

/** The name of content. */
export function idOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Content by the name of its hash, in files that only their owner can read. Nothing is ever changed, only added: processes may
 * share a store. A pack is the length of its table, the table (names and sizes, as JSON), and the contents.
 */
export class FolderStore {
  readonly #folder: string;
  readonly #spots = new Map<string, Spot>();
  readonly #packs = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(place: string): Promise<FolderStore> {
    const folder = join(place, 'objects');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const store = new FolderStore(folder);
    await store.#learn();
    return store;
  }

  has(id: string): boolean {
    return this.#spots.has(id);
  }

  /** Keeps `bytes` and gives their name. */
  async put(bytes: Buffer): Promise<string> {
    const batch = this.batch();
    const id = idOf(bytes);
    await batch.put(bytes, id);
    await batch.end();
    return id;
  }

  /** For many contents at once. */
  batch(): Batch {
    return new Batch(this, (contents) => this.#write(contents));
  }

  /** What is kept under a name; `null` where nothing is, or not what the name says. */
  async get(id: string): Promise<Buffer | null> {
    // Another process may have added it.
    if (!this.#spots.has(id)) await this.#learn();
    const spot = this.#spots.get(id);
    if (!spot) return null;
    try {
      const bytes = await readPart(join(this.#folder, spot.pack), spot.start, spot.size);
      return idOf(bytes) === id ? bytes : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Shows that it is in use. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.#folder, now, now);
  }

  async #write(contents: ReadonlyMap<string, Buffer>): Promise<void> {
    const sizes = [...contents].map(([id, bytes]) => [id, bytes.length] as const);
    const table = Buffer.from(JSON.stringify(sizes));
    const head = Buffer.from(table.length.toString(16).padStart(HEAD, '0'));
    const pack = randomUUID();
    await writePrivate(
      join(this.#folder, pack),
      Buffer.concat([head, table, ...contents.values()]),
    );
    this.#add(pack, HEAD + table.length, sizes);
  }

  #add(pack: string, start: number, sizes: Iterable<readonly [id: string, size: number]>): void {
    let at = start;
    for (const [id, size] of sizes) {
      this.#spots.set(id, { pack, start: at, size });
      at += size;
    }
    this.#packs.add(pack);
  }

  /** Reads the tables of packs that are new to us. */
  async #learn(): Promise<void> {
    for (const pack of await readdir(this.#folder)) {
      if (this.#packs.has(pack) || pack.startsWith('.')) continue;
      const path = join(this.#folder, pack);
      const length = parseInt((await readPart(path, 0, HEAD)).toString(), 16);
      const table = (await readPart(path, HEAD, length)).toString();
      this.#add(pack, HEAD + length, JSON.parse(table) as [string, number][]);
    }
  }
}

/** Contents that are written together. They are kept when `end` has come back. */
export class Batch {
  readonly #store: FolderStore;
  readonly #write: (contents: ReadonlyMap<string, Buffer>) => Promise<void>;
  #contents = new Map<string, Buffer>();
  #size = 0;

  constructor(store: FolderStore, write: (contents: ReadonlyMap<string, Buffer>) => Promise<void>) {
    this.#store = store;
    this.#write = write;
  }

  /** Keeps `bytes`, whose name is `id`. */
  async put(bytes: Buffer, id: string): Promise<void> {
    if (this.#store.has(id) || this.#contents.has(id)) return;
    this.#contents.set(id, bytes);
    this.#size += bytes.length;
    if (this.#size >= PACK_SIZE) await this.end();
  }

  async end(): Promise<void> {
    if (this.#contents.size === 0) return;
    const contents = this.#contents;
    this.#contents = new Map();
    this.#size = 0;
    await this.#write(contents);
  }
}

async function readPart(path: string, start: number, size: number): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size), 0, size, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes a file that only its owner can read, whole or not at all; with its folder where that is missing. */
async function writePrivate(path: string, bytes: Buffer): Promise<void> {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
  const write = (): Promise<void> => writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' });
  try {
    await write().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await write();
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
