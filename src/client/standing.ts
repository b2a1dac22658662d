/** Files as they stand: loaded buffers first, then the disk. */
import { readFile, stat } from 'node:fs/promises';
import { decode } from '../diff/encoding';
import type { Editor } from '../nvim/editor';
import { readLines, type LineRange } from './disk';
import { isMissing } from './faults';
import { MAX_TEXT } from './versions';

const WHOLE: LineRange = { first: 0, count: Infinity };
/** More is not compared. */
const MAX_COMPARED = 16 * 1024 * 1024;

/** `opaque`: there is something, but no text that could be compared. */
export type Standing =
  { kind: 'text'; text: string; loaded: boolean } | { kind: 'none' } | { kind: 'opaque' };

/** The text as agents are given it: of the loaded buffer with its unsaved changes, else of the file. */
export async function standing(editor: Editor, path: string): Promise<Standing> {
  const buffer = await editor.request('buffer.read', { path });
  if (buffer) return { kind: 'text', text: buffer.text, loaded: true };
  try {
    if ((await stat(path)).size > MAX_COMPARED) return { kind: 'opaque' };
    return { kind: 'text', text: await readLines(path, WHOLE), loaded: false };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'opaque' };
  }
}

/** The text of the file itself as a buffer would show it; null where it is missing, or no text. */
export async function textOnDisk(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MAX_COMPARED) return null;
    return decode(await readFile(path))?.text ?? null;
  } catch {
    // Whoever writes it is told why that can't be done.
    return null;
  }
}

/** Tells whether a file was written since: its time, and the file itself. */
export async function stampOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : '';
}

/** Reads for one session's agent: a part, and beside it the whole that it belongs to. */
export class Reader {
  readonly #editor: Editor;
  /** Paths whose text is too large to be read whole for every part. */
  readonly #large = new Set<string>();

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  /** `whole` is null where it is too large to be kept. Throws for what is missing, or no text. */
  async read(path: string, range: LineRange): Promise<{ part: string; whole: string | null }> {
    const whole = this.#large.has(path) ? null : await this.#whole(path);
    if (whole !== null) return { part: lines(whole, range), whole };
    const buffer = await this.#editor.request('buffer.read', { path, ...asked(range) });
    return { part: buffer ? buffer.text : await readLines(path, range), whole: null };
  }

  async #whole(path: string): Promise<string | null> {
    const buffer = await this.#editor.request('buffer.read', { path });
    if (!buffer) {
      const stats = await stat(path);
      if (!stats.isFile() || stats.size > MAX_TEXT) return null;
      // A part of what is no text as a whole may be one.
      return readLines(path, WHOLE).catch(() => null);
    }
    if (Buffer.byteLength(buffer.text) <= MAX_TEXT) return buffer.text;
    this.#large.add(path);
    return null;
  }
}

/** The range as the editor takes it: without what goes without saying. */
function asked({ first, count }: LineRange): { line?: number; limit?: number } {
  return { ...(first > 0 && { line: first + 1 }), ...(count < Infinity && { limit: count }) };
}

/** The lines of `range` with their line ends. */
function lines(text: string, { first, count }: LineRange): string {
  if (first === 0 && count === Infinity) return text;
  const newline = text.includes('\n') ? '\n' : '\r';
  const from = behind(text, 0, first, newline);
  return text.slice(from, behind(text, from, count, newline));
}

/** The place behind the next `count` line ends. */
function behind(text: string, start: number, count: number, newline: string): number {
  if (count === Infinity) return text.length;
  let at = start;
  for (let n = 0; n < count; n++) {
    const found = text.indexOf(newline, at);
    if (found < 0) return text.length;
    at = found + 1;
  }
  return at;
}
