import { ansiLines, rewritesLines } from './ansi';
import type { Icons } from './icons';
import type { StyledLine } from './page';
import { byteLength, count } from '../text';
import { displayWidth, fit } from './width';

/** A part of a card's content, of which as many lines are made as are shown. */
export interface Section {
  total: number;
  /** There was more before it, which is not kept. */
  dropped?: boolean;
  /** Which end is shown when it is too long: the errors of a command are at its end. */
  side: 'head' | 'tail';
  /** At most `n` lines from that end. */
  take(n: number): StyledLine[];
}

/** Characters of an output that are looked at to fill a folded card, and of one that is written over for any. */
const LOOK = 64 * 1024;
/** Lines of one section of an expanded card. */
export const MOST_LINES = 2000;

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The last `n` lines of `text`, looking at `limit` characters at most. */
function lastLines(text: string, n: number, limit: number): string {
  const floor = Math.max(0, text.length - limit);
  let at = text.length;
  while (n > 0 && at > floor) {
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return text;
    n--;
  }
  return text.slice(Math.max(at + 1, floor));
}

function firstLines(text: string, n: number, limit: number): string {
  let at = -1;
  while (n > 0 && at < limit) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.slice(0, limit);
    n--;
  }
  return text.slice(0, Math.min(at, limit));
}

/** `text` without blank lines around it; sequences that only reset colours at its end are blank as well. */
function trim(text: string): string {
  let rest = text.replaceAll('\r\n', '\n').replace(/^(?:[ \t]*\n)+/, '');
  for (;;) {
    rest = rest.trimEnd();
    const end = rest.slice(-16);
    const at = end.lastIndexOf('\u001b[');
    if (at < 0 || !/^[\d;?]*[A-Za-z]$/.test(end.slice(at + 2))) return rest;
    rest = rest.slice(0, at - end.length);
  }
}

/** Text of a command or of a tool; `null` when there is none. */
export function textSection(text: string, side: 'head' | 'tail'): Section | null {
  const trimmed = trim(text);
  if (!trimmed) return null;
  if (rewritesLines(trimmed)) return drawnSection(trimmed, side);
  return {
    total: countLines(trimmed),
    side,
    take: (n) => {
      const limit = n < MOST_LINES ? LOOK : Infinity;
      const piece = (side === 'tail' ? lastLines : firstLines)(trimmed, n, limit);
      return ansiLines(piece);
    },
  };
}

/** Text that is written over as it comes: what is there in the end. */
function drawnSection(text: string, side: 'head' | 'tail'): Section {
  const drawn = text.slice(-LOOK);
  const lines = ansiLines(drawn);
  while (lines.length > 1 && lines.at(-1)!.text.trim() === '') lines.pop();
  return {
    total: countLines(text.slice(0, text.length - drawn.length)) - 1 + lines.length,
    side,
    take: (n) => (side === 'tail' ? lines.slice(-n) : lines.slice(0, n)),
  };
}

/** Lines that are there already. */
export function lineSection(lines: StyledLine[]): Section | null {
  if (lines.length === 0) return null;
  return { total: lines.length, side: 'head', take: (n) => lines.slice(0, n) };
}

function cut(line: StyledLine, cells: number, icons: Icons): StyledLine {
  const text = fit(line.text, cells, icons.ellipsis);
  if (text === line.text) return line;
  const bytes = byteLength(text);
  const spans = line.spans
    .filter(([from]) => from < bytes)
    .map(([from, to, group]): StyledLine['spans'][0] => [from, Math.min(to, bytes), group]);
  return { ...line, text, spans };
}

export interface Clipped {
  lines: StyledLine[];
  /** Lines that are left out. */
  more: number;
  /** Screen rows that `lines` take. */
  rows: number;
  /** Something is not shown. */
  cut: boolean;
}

/** As much of a section as fits into `rows` screen rows of `cells` columns. A single line too many is shown as well. */
export function clip(section: Section, rows: number, cells: number, icons: Icons): Clipped {
  const tail = section.side === 'tail';
  const lines = section.take(rows + 1);
  if (tail) lines.reverse();
  const room = lines.length === section.total ? rows + 1 : rows;
  const whole = lines.reduce((sum, line) => sum + rowsOf(line.text, cells), 0);
  const shown: Clipped = { lines: [], more: 0, rows: 0, cut: false };
  const limit = whole <= room ? room : rows;
  for (const line of lines) {
    const left = limit - shown.rows;
    if (left <= 0) break;
    const fitted = cut(line, left * cells, icons);
    shown.lines.push(fitted);
    shown.rows += rowsOf(fitted.text, cells);
    shown.cut ||= fitted !== line;
  }
  if (tail) shown.lines.reverse();
  shown.more = section.total - shown.lines.length;
  shown.cut ||= shown.more > 0;
  return shown;
}

function rowsOf(text: string, cells: number): number {
  return Math.max(1, Math.ceil(displayWidth(text) / cells));
}

/** `… 41 more lines`; `dropped`: and others that are not kept. */
export function moreLines(more: number, icons: Icons, dropped = false): StyledLine {
  const counted = dropped ? `${more}+ more lines` : count(more, 'more line');
  const text = `${icons.ellipsis} ${more > 0 ? counted : 'earlier output was not kept'}`;
  return { text, spans: [[0, byteLength(text), 'AcpToolFact']] };
}
