/**
 * All paths of a listing, side by side in one block of memory: hundreds of thousands of strings would take several times
 * as much, and a search through bytes is several times as fast.
 */

/** A piece of a listing: names that each end in NUL, below `prefix` (empty, or ending in a slash). */
export interface Listed {
  prefix: string;
  names: Buffer;
  /** Names that begin so are listed elsewhere. */
  except?: string;
}

const SLASH = 47;

/** The longest path that any system takes. */
const LONGEST = 4096;

/** Entries after which others have their turn. */
const AT_A_TIME = 20_000;

/** Lower case for ASCII. */
const SMALL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

const NON_ASCII = 1 << 30;

/** What kinds of bytes there are, a bit each: most paths lack one of those that are asked for. */
const KIND = Int32Array.from({ length: 256 }, (_, byte) => {
  const small = SMALL[byte]!;
  if (small >= 97 && small <= 122) return 1 << (small - 97);
  if (byte >= 48 && byte <= 57) return 1 << 26;
  if (byte === 46) return 1 << 27;
  if (byte === 45 || byte === 95) return 1 << 28;
  if (byte === SLASH) return 1 << 29;
  return byte >= 128 ? NON_ASCII : 1 << 31;
});

export function kindsOf(bytes: Uint8Array): number {
  return bytes.reduce((kinds, byte) => kinds | KIND[byte]!, 0);
}

/** Small letters, in as many bytes: where a letter's small form has another length, only ASCII is made small. */
export function fold(bytes: Buffer): Buffer {
  const small = Buffer.from(bytes.toString().toLowerCase());
  return small.length === bytes.length ? small : Buffer.from(bytes.map((byte) => SMALL[byte]!));
}

export class PathTable {
  /** How many paths there are. Those of folders end in a slash. */
  count = 0;
  bytes: Buffer;
  /** The same in small letters. */
  folded: Buffer;
  starts = new Uint32Array(1024);
  lengths = new Uint16Array(1024);
  /** Where the last part of each path begins, counted from its start. */
  bases = new Uint16Array(1024);
  kinds = new Int32Array(1024);
  /** Each folder, with a slash at its end. */
  readonly folders = new Set<string>();
  #end = 0;
  /** Where the folder of the path that was added last ends, when it is another than that of the one before. */
  #newFolder = 0;

  private constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
    this.folded = Buffer.allocUnsafe(size);
  }

  /** Others have their turn meanwhile. */
  static async of(pieces: readonly Listed[]): Promise<PathTable> {
    const table = new PathTable(pieces.reduce((size, { names }) => size + names.length, 1024));
    for (const piece of pieces) await table.#addAll(piece);
    for (const folder of table.folders) {
      const name = Buffer.from(folder);
      table.#add(Buffer.alloc(0), name, 0, name.length);
    }
    return table;
  }

  path(index: number): string {
    const start = this.starts[index]!;
    return this.bytes.toString('utf8', start, start + this.lengths[index]!);
  }

  async #addAll({ prefix, names, except }: Listed): Promise<void> {
    const before = Buffer.from(prefix);
    const left = except === undefined ? null : Buffer.from(except);
    let seen = 0;
    for (let at = 0, end = names.indexOf(0); end !== -1; at = end + 1, end = names.indexOf(0, at)) {
      if (++seen % AT_A_TIME === 0) await new Promise((done) => setImmediate(done));
      if (left?.equals(names.subarray(at, at + left.length))) continue;
      if (names[end - 1] === SLASH) this.#addFolders(prefix + names.toString('utf8', at, end));
      else if (this.#add(before, names, at, end) && this.#newFolder > 0) {
        const start = this.starts[this.count - 1]!;
        this.#addFolders(this.bytes.toString('utf8', start, start + this.#newFolder));
      }
    }
    this.#addFolders(prefix);
  }

  /** `folder` and all that it lies in. An absolute one is of another root: what that lies in is nobody's. */
  #addFolders(folder: string): void {
    if (folder.startsWith('/')) return;
    for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 2) + 1) {
      const path = folder.slice(0, at);
      if (this.folders.has(path)) return;
      this.folders.add(path);
    }
  }

  /** False: it is the same as the last one, or cannot be written in a line of text. */
  #add(before: Buffer, names: Buffer, from: number, end: number): boolean {
    const length = before.length + end - from;
    if (end === from || length > LONGEST) return false;
    this.#makeRoom(length);
    const { bytes, folded, count } = this;
    const start = this.#end;
    const last = count > 0 ? this.starts[count - 1]! : 0;
    let kinds = 0;
    let base = 0;
    /** How much of it is as in the last one. */
    let same = count > 0 ? 0 : -1;
    for (let i = 0; i < length; i++) {
      const byte = i < before.length ? before[i]! : names[from + i - before.length]!;
      if (byte < 32 || byte === 127) return false;
      bytes[start + i] = byte;
      folded[start + i] = SMALL[byte]!;
      kinds |= KIND[byte]!;
      if (byte === SLASH && i < length - 1) base = i + 1;
      if (same === i && last + i < start && bytes[last + i] === byte) same++;
    }
    // A file with conflicts stands in git's index several times.
    if (same === length && this.lengths[count - 1] === length) return false;
    if ((kinds & NON_ASCII) !== 0) fold(bytes.subarray(start, start + length)).copy(folded, start);
    this.#newFolder = same >= base && this.bases[count - 1] === base ? 0 : base;
    this.starts[count] = start;
    this.lengths[count] = length;
    this.bases[count] = base;
    this.kinds[count] = kinds;
    this.count++;
    this.#end += length;
    return true;
  }

  #makeRoom(length: number): void {
    if (this.#end + length > this.bytes.length) {
      const more = Buffer.allocUnsafe(this.bytes.length * 2 + length);
      const moreFolded = Buffer.allocUnsafe(more.length);
      this.bytes.copy(more, 0, 0, this.#end);
      this.folded.copy(moreFolded, 0, 0, this.#end);
      this.bytes = more;
      this.folded = moreFolded;
    }
    if (this.count < this.starts.length) return;
    const size = this.starts.length * 2;
    const { starts, lengths, bases, kinds } = this;
    (this.starts = new Uint32Array(size)).set(starts);
    (this.lengths = new Uint16Array(size)).set(lengths);
    (this.bases = new Uint16Array(size)).set(bases);
    (this.kinds = new Int32Array(size)).set(kinds);
  }
}
