/** Text of files on disk: read in parts, written atomically. */
import { randomUUID } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { constants, type Stats } from 'node:fs';
import { access, mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, fault, isMissing } from './faults';

/** Lines of a file: `first` is 0-based; `count` may be `Infinity`. */
export interface LineRange {
  first: number;
  count: number;
}

const BOM = '\uFEFF';
const NEWLINE = 10;
const STEP = 256 * 1024;
/** More in one answer serves no agent. */
const MAX_ANSWER = 64 * 1024 * 1024;

/**
 * The lines of `range` with their line ends, without a byte order mark. What is not UTF-8 comes as U+FFFD.
 * Reads no further than needed. Throws for what is not text.
 */
export async function readLines(path: string, range: LineRange): Promise<string> {
  // Before it is opened: the opening of a pipe would wait for its writer.
  const stats = await stat(path);
  if (stats.isDirectory()) throw fault(path, 'is a folder');
  if (!stats.isFile()) throw fault(path, 'is not a regular file');
  const handle = await open(path, 'r');
  try {
    const bytes = await readRange(handle, path, range);
    return new TextDecoder('utf-8', { ignoreBOM: range.first > 0 }).decode(bytes);
  } finally {
    await handle.close();
  }
}

async function readRange(handle: FileHandle, path: string, range: LineRange): Promise<Buffer> {
  const parts: Buffer[] = [];
  const end = range.first + range.count;
  let size = 0;
  let line = 0;
  while (line < end) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(STEP), 0, STEP);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (chunk.includes(0)) throw fault(path, 'is binary (it holds NUL bytes)');
    const from = line < range.first ? skipLines(chunk, 0, range.first - line) : { at: 0, lines: 0 };
    const to = skipLines(chunk, from.at, end - line - from.lines);
    line += from.lines + to.lines;
    if (to.at > from.at) parts.push(chunk.subarray(from.at, to.at));
    size += to.at - from.at;
    if (size > MAX_ANSWER) {
      throw fault(path, 'is too large to be read at once: ask for a part with "line" and "limit"');
    }
  }
  return Buffer.concat(parts, size);
}

/** The place behind the next `count` line ends of `chunk`, or its end, and how many were passed. */
function skipLines(chunk: Buffer, start: number, count: number): { at: number; lines: number } {
  if (count === Infinity) return { at: chunk.length, lines: 0 };
  let at = start;
  for (let lines = 0; lines < count; lines++) {
    const newline = chunk.indexOf(NEWLINE, at);
    if (newline < 0) return { at: chunk.length, lines };
    at = newline + 1;
  }
  return { at, lines: count };
}

/**
 * Replaces the file at `path` (real: a link at its end would be replaced) with `text`, creating folders. The file
 * keeps its mode, and its byte order mark and CRLF where the text has none. Readers see the old text or the new.
 */
export async function writeText(path: string, text: string): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (stats === null) {
    await mkdir(dirname(path), { recursive: true });
    return replaceFile(path, Buffer.from(text), null);
  }
  if (stats.isDirectory()) throw fault(path, 'is a folder');
  if (!stats.isFile()) throw fault(path, 'is not a regular file');
  // A rename would pass over what a plain write respects.
  if ((stats.mode & 0o222) === 0) throw fault(path, 'is read-only');
  await access(path, constants.W_OK);

  const old = stats.size > MAX_ANSWER ? Buffer.alloc(0) : await readFile(path);
  if (text.includes('\uFFFD') && !isUtf8(old)) {
    // The agent holds marks in the place of bytes that it never saw.
    throw fault(path, 'is not UTF-8, and the new text has U+FFFD where it could not be decoded');
  }
  const bytes = Buffer.from(inStyleOf(old, text));
  if (!bytes.equals(old) || stats.size > MAX_ANSWER) await replaceFile(path, bytes, stats);
}

/** `text` with the byte order mark and the CRLF of `old`, where it says nothing of its own. */
function inStyleOf(old: Buffer, text: string): string {
  const crlf = !text.includes('\r') && isCrlf(old);
  const styled = crlf ? text.replaceAll('\n', '\r\n') : text;
  const bom = old.subarray(0, 3).toString() === BOM && !text.startsWith(BOM);
  return bom ? BOM + styled : styled;
}

/** Whether all its lines end in CRLF. */
function isCrlf(bytes: Buffer): boolean {
  let newline = bytes.indexOf(NEWLINE);
  if (newline < 0) return false;
  for (; newline >= 0; newline = bytes.indexOf(NEWLINE, newline + 1)) {
    if (bytes[newline - 1] !== 13) return false;
  }
  return true;
}

/** What a file keeps when its content is replaced. */
export type Traits = Pick<Stats, 'uid' | 'gid' | 'mode' | 'nlink'>;

/**
 * Makes `bytes` the content of the file at `path`, at once where that is possible. `old`: the file that is there; it keeps its
 * owner, mode and other names. `null`: a new file, which gets `mode`, takes the place of whatever is there.
 */
export async function replaceFile(
  path: string,
  bytes: Buffer,
  old: Traits | null,
  mode = 0o666,
): Promise<void> {
  // Another name of the same file must go on being one.
  if (old !== null && old.nlink > 1) return overwrite(path, bytes);
  const temporary = join(dirname(path), `.acp-${randomUUID()}.tmp`);
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx', mode);
  } catch (error) {
    const code = codeOf(error);
    if (old !== null && (code === 'EACCES' || code === 'EPERM')) return overwrite(path, bytes);
    throw error;
  }
  try {
    let owned = true;
    try {
      await handle.writeFile(bytes);
      if (old !== null) owned = await takeOver(handle, old);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (owned) await rename(temporary, path);
    else await overwrite(path, bytes);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives the file the owner and mode of `old`; false where we may not. */
async function takeOver(handle: FileHandle, old: Traits): Promise<boolean> {
  const now = await handle.stat();
  if (now.uid !== old.uid || now.gid !== old.gid) {
    try {
      await handle.chown(old.uid, old.gid);
    } catch {
      return false;
    }
  }
  await handle.chmod(old.mode & 0o7777);
  return true;
}

/** Writes in place, where a new file could not be what the old one is. */
async function overwrite(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
