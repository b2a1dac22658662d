import { diffWordsWithSpace } from 'diff';
import type { DiffRow } from './file-diff';

/** Longer lines are not compared word by word. */
const MAX_LENGTH = 1000;
/** Deleted × added lines of a block; larger blocks are not compared. */
const MAX_PAIRS = 400;
/** Words that two lines may differ in. */
const MAX_EDITS = 60;
/** Part of the visible characters that two lines must share to be one line that changed. */
const SIMILAR = 0.4;

type Ranges = [from: number, to: number][];

interface Change {
  similarity: number;
  old: Ranges;
  new: Ranges;
}

const visibleLength = (text: string): number => text.replace(/\s+/g, '').length;

/** What changed between two lines, in byte columns; `null` when they can't be compared. */
function compare(before: string, after: string): Change | null {
  const lengths = [visibleLength(before), visibleLength(after)] as const;
  const total = lengths[0] + lengths[1];
  if (2 * Math.min(...lengths) < SIMILAR * total) return null;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return null;
  const change: Change = { similarity: 0, old: [], new: [] };
  let shared = 0;
  let oldColumn = 0;
  let newColumn = 0;
  for (const part of parts) {
    const bytes = Buffer.byteLength(part.value);
    if (part.removed) change.old.push([oldColumn, oldColumn + bytes]);
    else if (part.added) change.new.push([newColumn, newColumn + bytes]);
    else shared += visibleLength(part.value);
    if (!part.added) oldColumn += bytes;
    if (!part.removed) newColumn += bytes;
  }
  change.similarity = total === 0 ? 1 : (2 * shared) / total;
  return change;
}

/**
 * Marks the words that changed in a block of deleted lines and the added lines that replace them.
 * Each deleted line is paired with the first similar added line behind the last pair.
 */
export function markWords(deleted: DiffRow[], added: DiffRow[]): void {
  if (deleted.length * added.length > MAX_PAIRS) return;
  let next = 0;
  for (const old of deleted) {
    if (old.text.length > MAX_LENGTH) continue;
    for (let i = next; i < added.length; i++) {
      const row = added[i]!;
      if (row.text.length > MAX_LENGTH) continue;
      const change = compare(old.text, row.text);
      if (!change || change.similarity < SIMILAR) continue;
      if (change.old.length > 0) old.words = change.old;
      if (change.new.length > 0) row.words = change.new;
      next = i + 1;
      break;
    }
  }
}
