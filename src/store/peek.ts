/** A look at a journal that doesn't read all of it: sessions are many and long. */
import { open, type FileHandle } from 'node:fs/promises';
import { parseLine, readHead, replayFile } from './replay';
import { readSummary } from './fields';
import type { Head, Summary } from './records';
import { summaryOf } from './summary';

const NEWLINE = 0x0a;
/** The first line is in so much of the beginning; the last summary, as a rule, in so much of the end. */
const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 64 * 1024;
/** How the line of a summary begins: in a line there is no other line break. */
const SUMMARY = Buffer.from('\n{"k":"summary"');

export interface Peek {
  head: Head;
  summary: Summary;
}

/** Null where it is no journal, or gone. */
export async function peek(path: string): Promise<Peek | null> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await file.stat();
    const tail = await part(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
    const start = size > TAIL_BYTES ? await part(file, 0, HEAD_BYTES) : tail;
    const head = headIn(start);
    const last = summaryIn(tail);
    if (!head || !last) return whole(path, mtimeMs);
    return { head, summary: last.ends ? last.summary : { ...last.summary, updated: mtimeMs } };
  } finally {
    await file.close();
  }
}

async function part(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function headIn(bytes: Buffer): Head | null {
  const end = bytes.indexOf(NEWLINE);
  return end < 0 ? null : readHead(parseLine(bytes.toString('utf8', 0, end))?.[0]);
}

/** `ends`: nothing stands behind it. */
function summaryIn(bytes: Buffer): { summary: Summary; ends: boolean } | null {
  let at = bytes.lastIndexOf(SUMMARY);
  while (at >= 0) {
    const end = bytes.indexOf(NEWLINE, at + 1);
    const record = end < 0 ? null : parseLine(bytes.toString('utf8', at + 1, end));
    const summary = record && readSummary(record[0]);
    if (summary) return { summary, ends: bytes.indexOf(NEWLINE, end + 1) < 0 };
    if (at === 0) return null;
    at = bytes.lastIndexOf(SUMMARY, at - 1);
  }
  return null;
}

async function whole(path: string, written: number): Promise<Peek | null> {
  const replay = await replayFile(path);
  const stored = replay.session('', written);
  return replay.head && stored && { head: replay.head, summary: summaryOf(stored) };
}
