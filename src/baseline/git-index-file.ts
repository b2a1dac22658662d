/** The file format of git's index, as far as another index can be made from it: `gitformat-index(5)`. */
import { createHash } from 'node:crypto';

export type HashName = 'sha1' | 'sha256';

const HASH_LENGTH = { sha1: 20, sha256: 32 };
const HEAD_LENGTH = 12;
/** Times, device, inode, mode, owner, size. */
const STAT_LENGTH = 40;
const MODE_AT = 24;
const SIZE_AT = 36;

/** Of a folder in the place of its files. */
const FOLDER = 0o40000;

const EXTENDED = 0x4000;
const STAGE = 0x3000;
const NAME_LENGTH = 0x0fff;
/** In the second flags. */
const INTENT_TO_ADD = 0x2000;

export interface IndexEntry {
  /** What `lstat` said when the content was known to be that of the file. */
  stat: Buffer;
  id: Buffer;
  name: Buffer;
  mode: number;
  /** Of the file, modulo 2^32. */
  size: number;
  /** False: there is no content yet that is to be added, or there are several that are in conflict. */
  settled: boolean;
}

export interface IndexFile {
  /** Its files, each once. Not those of folders that a sparse checkout leaves out. */
  entries: IndexEntry[];
  /** The shared index that it is a difference to. */
  base: string | null;
}

/** Reads an index; null for one of a kind that isn't known. */
export function parseIndex(bytes: Buffer, hash: HashName): IndexFile | null {
  const length = HASH_LENGTH[hash];
  if (bytes.length < HEAD_LENGTH + length || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const entries: IndexEntry[] = [];
  let at = HEAD_LENGTH;
  let previous: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const stat = bytes.subarray(at, (at += STAT_LENGTH));
    const id = bytes.subarray(at, (at += length));
    const flags = bytes.readUInt16BE(at);
    at += 2;
    let more = 0;
    if ((flags & EXTENDED) !== 0) {
      more = bytes.readUInt16BE(at);
      at += 2;
    }
    let name: Buffer;
    if (version === 4) {
      const cut = offset(bytes, at);
      const end = bytes.indexOf(0, cut.at);
      const kept = previous.subarray(0, previous.length - cut.value);
      name = Buffer.concat([kept, bytes.subarray(cut.at, end)]);
      at = end + 1;
    } else {
      const end = bytes.indexOf(0, at);
      name = bytes.subarray(at, end);
      at = start + padded(end - start);
    }
    const isAgain = name.equals(previous);
    previous = name;
    const mode = stat.readUInt32BE(MODE_AT);
    if (isAgain || mode === FOLDER) continue;
    const settled = (flags & STAGE) === 0 && (more & INTENT_TO_ADD) === 0;
    entries.push({ stat, id, name, mode, size: stat.readUInt32BE(SIZE_AT), settled });
  }
  const extensions = parseExtensions(bytes, at, length);
  const needed = [...extensions.keys()].filter((name) => !/^[A-Z]/.test(name));
  if (!needed.every((name) => name === 'link' || name === 'sdir')) return null;
  return { entries, base: extensions.get('link')?.toString('hex', 0, length) ?? null };
}

/** By name. One that begins with a small letter must be understood. */
function parseExtensions(bytes: Buffer, start: number, length: number): Map<string, Buffer> {
  const extensions = new Map<string, Buffer>();
  for (let at = start; at + 8 <= bytes.length - length;) {
    const body = at + 8;
    const end = body + bytes.readUInt32BE(at + 4);
    extensions.set(bytes.toString('latin1', at, at + 4), bytes.subarray(body, end));
    at = end;
  }
  return extensions;
}

/** An index of these entries, which are in order. */
export function formatIndex(entries: readonly IndexEntry[], hash: HashName): Buffer {
  const length = HASH_LENGTH[hash];
  const fixed = STAT_LENGTH + length + 2;
  const sizes = entries.map(({ name }) => padded(fixed + name.length));
  const end = sizes.reduce((sum, size) => sum + size, HEAD_LENGTH);
  const bytes = Buffer.alloc(end + length);
  bytes.write('DIRC', 'latin1');
  bytes.writeUInt32BE(2, 4);
  bytes.writeUInt32BE(entries.length, 8);
  let at = HEAD_LENGTH;
  entries.forEach(({ stat, id, name }, index) => {
    stat.copy(bytes, at);
    id.copy(bytes, at + STAT_LENGTH);
    bytes.writeUInt16BE(Math.min(name.length, NAME_LENGTH), at + STAT_LENGTH + length);
    name.copy(bytes, at + fixed);
    at += sizes[index]!;
  });
  createHash(hash).update(bytes.subarray(0, end)).digest().copy(bytes, end);
  return bytes;
}

/** An entry ends with one to eight NULs. */
function padded(size: number): number {
  return (size + 8) & ~7;
}

/** A number of variable length, and where it ends. */
function offset(bytes: Buffer, start: number): { value: number; at: number } {
  let at = start;
  let byte = bytes[at++]!;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes[at++]!;
    value = ((value + 1) << 7) + (byte & 0x7f);
  }
  return { value, at };
}
