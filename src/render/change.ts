import { diffArrays } from 'diff';
import type { ToolContent } from '../session/model';
import type { StyledLine } from './page';
import { byteLength, sanitize } from '../text';

type Diff = Extract<ToolContent, { type: 'diff' }>;

/** What a diff changes, as a card shows it: the changed lines alone. */
export interface Change {
  added: number;
  removed: number;
  hunks: number;
  rows: ChangeRow[];
  /** Unchanged lines before the first and behind the last change. */
  around: number;
}

interface ChangeRow {
  sign: '-' | '+';
  text: string;
  /** 1-based, within the text that the agent gave: of the old one for `-`, of the new one for `+`. */
  line: number;
  /** The line of the new text that `gf` goes to. */
  target: number;
  /** The first row of a hunk. */
  first: boolean;
}

/** Edits of more lines than this are shown as one replacement: exact is not worth seconds there. */
const MOST_EDITS = 1000;
/** Agents send at most a few lines around a piece: with more of them the text is the whole file. */
const WHOLE_FILE = 20;

/** Changes with no more lines than this between them are one hunk: their lines of context touch, as in the float. */
const JOINED = 6;

const changes = new WeakMap<Diff, Change>();

/** Computed once for each diff: the content of a tool call is replaced, never changed. */
export function changeOf(diff: Diff): Change {
  let change = changes.get(diff);
  if (!change) changes.set(diff, (change = compute(diff.oldText ?? '', diff.newText)));
  return change;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function compute(oldText: string, newText: string): Change {
  const windows = oldText.includes('\r\n') && newText.includes('\r\n');
  const before = linesOf(windows ? oldText.replaceAll('\r\n', '\n') : oldText);
  const after = linesOf(windows ? newText.replaceAll('\r\n', '\n') : newText);
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;

  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  const parts = diffArrays(old, now, { maxEditLength: MOST_EDITS }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  const change: Change = { added: 0, removed: 0, hunks: 0, rows: [], around: head + tail };
  let [oldLine, newLine] = [head + 1, head + 1];
  let first = true;
  let between = 0;
  for (const { value, added, removed } of parts) {
    if (value.length === 0) continue;
    if (!added && !removed) {
      oldLine += value.length;
      newLine += value.length;
      between = value.length;
      first = true;
      continue;
    }
    if (first && (change.hunks === 0 || between > JOINED)) change.hunks++;
    for (const text of value) {
      const line = added ? newLine : oldLine;
      change.rows.push({ sign: added ? '+' : '-', text, line, target: newLine, first });
      first = false;
      if (added) newLine++;
      else oldLine++;
    }
    if (added) change.added += value.length;
    else change.removed += value.length;
  }
  return change;
}

/**
 * Lines to add to the numbers of a diff to get those of the file; `null` where nobody can know. Agents send whole
 * files or pieces and don't say which; `line` is where the agent says that the change, or its piece, begins.
 */
function offsetOf(diff: Diff, change: Change, line: number | undefined): number | null {
  const first = change.rows[0]?.line;
  if (diff.oldText === null || change.around > WHOLE_FILE || first === line) return 0;
  return line === undefined ? null : line - 1;
}

/** The changed lines with their numbers, where these are known. */
export function changeLines(diff: Diff, line: number | undefined): StyledLine[] {
  const change = changeOf(diff);
  const offset = offsetOf(diff, change, line);
  const last = Math.max(
    0,
    ...change.rows.slice(-MOST_EDITS).map((row) => row.line + (offset ?? 0)),
  );
  const digits = offset === null ? 0 : String(last).length;
  return change.rows.map((row) => {
    const number = offset === null ? '' : `${String(row.line + offset).padStart(digits)} `;
    const text = `${number}${row.sign} ${sanitize(row.text)}`;
    const group = row.sign === '+' ? 'AcpDiffAdd' : 'AcpDiffDelete';
    const spans: StyledLine['spans'] = [[number.length, byteLength(text), group]];
    if (number) spans.unshift([0, digits, 'AcpDiffLineNr']);
    const target = offset === null ? {} : { line: row.target + offset };
    return { text, spans, link: { path: diff.path, ...target } };
  });
}
