/** Files as a folder's record sees them. */
import { close, constants, fstat, lstat, open, read, readlink, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import type { Row } from './folder-record';

/** A file or link, without its content. */
export interface Seen {
  mode: Row['mode'];
  size: number;
  version: string;
  /** Differs also where somebody set back the time of the file. */
  precise: string;
  /** When it last changed in any way, in ms. */
  changed: number;
}

// A third of the cost of `node:fs/promises`, which counts for thousands of files.
const fs = {
  close: promisify(close),
  fstat: promisify(fstat),
  lstat: promisify(lstat),
  open: promisify(open),
  read: promisify(read),
  readlink: promisify(readlink),
};

/** Opening a pipe that was put in the place of a file must not wait, nor lead elsewhere. */
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function seenOf(stats: BigIntStats): Seen | null {
  const { size, mtimeNs, ctimeNs, ino } = stats;
  if (!stats.isFile() && !stats.isSymbolicLink()) return null;
  const version = `${size}-${mtimeNs}-${ino}`;
  const mode = stats.isFile() ? (stats.mode & 0o100n ? '100755' : '100644') : '120000';
  const changed = Number(mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1e6;
  return { mode, size: Number(size), version, precise: `${version}-${ctimeNs}`, changed };
}

/** The file or link at `path`; `null` for what is neither. */
export async function look(path: string): Promise<Seen | null> {
  return seenOf(await fs.lstat(path, { bigint: true }));
}

/** The content that `seen` had; `null` when the file is another by now. */
export async function readSeen(path: string, seen: Seen): Promise<Buffer | null> {
  if (seen.mode === '120000') return fs.readlink(path, { encoding: 'buffer' });
  const file = await fs.open(path, OPEN);
  try {
    const bytes = Buffer.allocUnsafe(seen.size);
    let size = 0;
    while (size < seen.size) {
      const { bytesRead } = await fs.read(file, bytes, size, seen.size - size, size);
      if (bytesRead === 0) return null;
      size += bytesRead;
    }
    const now = seenOf(await fs.fstat(file, { bigint: true }));
    return now?.precise === seen.precise ? bytes : null;
  } finally {
    await fs.close(file);
  }
}

/** Runs `work` for all of `items`, `width` of them at a time. */
export async function forEach<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
