/**
 * What became of a block, terminal or draft since it was last written, as records. What was written is remembered as a
 * shallow copy: it shares its texts and contents with what it is a copy of, so that it costs next to nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { TextLog, type Block, type TerminalState, type ToolContent } from '../session/model';
import type { JournalRecord, PlainBlock } from './records';

/** What can be done about a block has no object any more when it is read back. */
export const TRANSIENT = 'actions';

/** A block as it was written. */
export interface Written {
  copy: Block;
  /** How many chunks of its text. */
  chunks: number;
}

export function written(block: Block): Written {
  return { copy: { ...block }, chunks: 'text' in block ? sizeOf(block.text) : 0 };
}

function sizeOf(text: string | TextLog | undefined): number {
  return text instanceof TextLog ? text.size : 0;
}

export function plain(block: Block): PlainBlock {
  const kept = { ...block };
  if (TRANSIENT in kept) delete kept[TRANSIENT];
  return 'text' in kept && kept.text instanceof TextLog
    ? ({ ...kept, text: kept.text.toString() } as PlainBlock)
    : (kept as PlainBlock);
}

export function blockChanges({ copy, chunks }: Written, block: Block): JournalRecord[] {
  if (copy.kind !== block.kind) return [{ k: 'block', block: plain(block) }];
  const { id } = block;
  const before = copy as unknown as Record<string, unknown>;
  const grown: JournalRecord[] = [];
  const set: Record<string, unknown> = {};
  for (const [name, now] of Object.entries(block) as [string, unknown][]) {
    const was = before[name];
    if (name === TRANSIENT) continue;
    if (now instanceof TextLog) {
      if (now !== was) set[name] = now.toString();
      else if (now.size > chunks) grown.push({ k: 'text', id, text: now.since(chunks) });
    } else if (now === was) {
      continue;
    } else if (name === 'text') {
      const more = growth(was, now);
      if (more === null) set[name] = now;
      else grown.push({ k: 'text', id, text: more });
    } else if (block.kind === 'tool' && name === 'content') {
      grown.push(...contentChanges(id, was as ToolContent[], block.content));
    } else if (!isDeepStrictEqual(was, now)) {
      set[name] = now;
    }
  }
  return Object.keys(set).length === 0 ? grown : [...grown, { k: 'set', id, set }];
}

/** Some agents send the whole output of a command again each time that it has grown. */
function contentChanges(id: string, before: ToolContent[], now: ToolContent[]): JournalRecord[] {
  let from = 0;
  while (from < before.length && isDeepStrictEqual(before[from], now[from])) from++;
  if (from === before.length && from === now.length) return [];
  const was = before[from];
  const is = now[from];
  const last = from === before.length - 1 && from === now.length - 1;
  const more =
    last && was?.type === 'text' && is?.type === 'text' ? growth(was.text, is.text) : null;
  return more === null
    ? [{ k: 'content', id, from, items: now.slice(from) }]
    : [{ k: 'text', id, text: more, at: from }];
}

/** What `now` has more than `was` at its end; null where it is another text. */
function growth(was: unknown, now: unknown): string | null {
  if (typeof was !== 'string' || typeof now !== 'string') return null;
  return now.startsWith(was) ? now.slice(was.length) : null;
}

/** `was` null: nothing of it was written. */
export function terminalChanges(was: TerminalState | null, now: TerminalState): JournalRecord[] {
  if (!was) return [{ k: 'terminal', terminal: now }];
  const { id, output, ...fields } = now;
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields) as [keyof typeof fields, unknown][]) {
    if (!isDeepStrictEqual(was[name], value)) set[name] = value;
  }
  const moved = outputChange(was.output, output);
  if (!moved) return [{ k: 'terminal', terminal: now }];
  const { cut, text } = moved;
  const record = {
    ...(cut > 0 && { cut }),
    ...(text !== '' && { text }),
    ...(Object.keys(set).length > 0 && { set }),
  };
  return Object.keys(record).length === 0 ? [] : [{ k: 'output', id, ...record }];
}

/** Characters by which the place is found where a tail that was cut at its front goes on. */
const PROBE = 64;
/** Places that are tried: in an output that repeats itself there are many. */
const TRIES = 16;

/** The output is a tail: it grows at its end and is cut at its front. Null where `now` has too little of `was`. */
function outputChange(was: string, now: string): { cut: number; text: string } | null {
  if (now.startsWith(was)) return { cut: 0, text: now.slice(was.length) };
  const probe = now.slice(0, PROBE);
  let cut = was.indexOf(probe, 1);
  for (let tries = 0; cut > 0 && tries < TRIES; tries++) {
    if (now.startsWith(was.slice(cut))) return { cut, text: now.slice(was.length - cut) };
    cut = was.indexOf(probe, cut + 1);
  }
  return null;
}

/** The one edit that makes `now` of `was`; null where they are the same. */
export function textEdit(was: string, now: string): (JournalRecord & { k: 'draft' }) | null {
  if (was === now) return null;
  const shorter = Math.min(was.length, now.length);
  let at = 0;
  while (at < shorter && was.charCodeAt(at) === now.charCodeAt(at)) at++;
  let end = 0;
  while (
    end < shorter - at &&
    was.charCodeAt(was.length - 1 - end) === now.charCodeAt(now.length - 1 - end)
  ) {
    end++;
  }
  const del = was.length - at - end;
  const ins = now.slice(at, now.length - end);
  return { k: 'draft', at, ...(del > 0 && { del }), ...(ins !== '' && { ins }) };
}
