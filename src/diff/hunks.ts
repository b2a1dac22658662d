import path from 'node:path';
import { edits } from './edits';
import type { DiffHunk, DiffRow, FileDiff } from './file-diff';
import { comparedLines, shown, bareLines } from './text';
import { markWords } from './words';

/** Unchanged lines around a change. */
const CONTEXT = 3;
/** Time for the words of one comparison; later changes show lines only. */
const WORDS_MS = 100;
/** Rows, and unchanged lines, of one file that are sent; a last row tells how many more rows there are. */
const MAX_ROWS = 50_000;

/** Two texts of a file. `whole`: they are the file's, not only those of pieces. */
export interface Sides {
  before: string;
  after: string;
  whole: boolean;
}

export interface DiffOptions {
  /** Folder of the session, for names. */
  cwd: string;
  /** Gives `FileDiff.text` too, where the whole new text is known. */
  withText?: boolean;
}

const rowOf =
  (type: DiffRow['type']) =>
  (text: string): DiffRow => ({ type, text: shown(text) });

/** Hunks of what changed between two lists of lines, with three lines of context. */
function hunksOf(before: string[], after: string[]): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  const all = edits(before, after);
  const deadline = Date.now() + WORDS_MS;
  all.forEach((edit, i) => {
    const previous = all[i - 1];
    const next = all[i + 1];
    let hunk = hunks.at(-1);
    if (!hunk || !previous || edit.newFrom - previous.newTo > 2 * CONTEXT) {
      const context = Math.min(CONTEXT, edit.newFrom);
      const newStart = edit.newFrom - context + 1;
      const rows = after.slice(newStart - 1, edit.newFrom).map(rowOf('same'));
      hunk = { oldStart: edit.oldFrom - context + 1, newStart, rows };
      hunks.push(hunk);
    }
    const deleted = before.slice(edit.oldFrom, edit.oldTo).map(rowOf('del'));
    const added = after.slice(edit.newFrom, edit.newTo).map(rowOf('add'));
    if (Date.now() < deadline) markWords(deleted, added);
    const joined = next !== undefined && next.newFrom - edit.newTo <= 2 * CONTEXT;
    const end = joined ? next.newFrom : edit.newTo + CONTEXT;
    const behind = after.slice(edit.newTo, end).map(rowOf('same'));
    for (const row of [...deleted, ...added, ...behind]) hunk.rows.push(row);
  });
  return hunks;
}

/** Drops the rows beyond the limit and says so. */
function bounded(hunks: DiffHunk[]): DiffHunk[] {
  let left = MAX_ROWS;
  const kept: DiffHunk[] = [];
  for (const [i, hunk] of hunks.entries()) {
    if (hunk.rows.length <= left) {
      kept.push(hunk);
      left -= hunk.rows.length;
      continue;
    }
    const dropped = hunks.slice(i).reduce((sum, { rows }) => sum + rows.length, 0) - left;
    const rows = hunk.rows.slice(0, left);
    rows.push({ type: 'same', text: `… ${dropped} more lines of this diff are not shown` });
    kept.push({ ...hunk, rows });
    break;
  }
  return kept;
}

function statusOf({ before, after, whole }: Sides): FileDiff['status'] {
  if (!whole || (before !== '' && after !== '')) return 'modified';
  return before === '' ? 'new' : 'deleted';
}

/** A path as titles show it: relative to the session's folder where it is inside. */
export function nameOf(file: string, cwd: string): string {
  const inside = path.relative(cwd, file);
  return shown(inside.startsWith('..') || inside === '' ? file : inside);
}

/** The diff of one file: of its two texts, or of pieces of them. */
export function fileDiff(file: string, sides: Sides[], options: DiffOptions): FileDiff {
  const hunks = sides.flatMap(({ before, after }) => hunksOf(...comparedLines(before, after)));
  const count = (type: DiffRow['type']) =>
    hunks.reduce((sum, { rows }) => sum + rows.filter((row) => row.type === type).length, 0);
  const first = sides[0]!;
  const diff: FileDiff = {
    path: file,
    name: nameOf(file, options.cwd),
    status: statusOf(first),
    fragment: !first.whole,
    added: count('add'),
    removed: count('del'),
    hunks: bounded(hunks),
  };
  const all = diff.hunks.length === hunks.length && diff.hunks.at(-1) === hunks.at(-1);
  const lines = first.whole && all ? bareLines(first.after) : [];
  if (first.whole && all && lines.length <= MAX_ROWS) diff.lines = lines.map(shown);
  if (first.whole && options.withText) diff.text = first.after;
  return diff;
}
