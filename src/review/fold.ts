/** What was decided about some lines of a text, told to a base that it is compared with. */
import { edits, type Edit } from '../diff/edits';
import { append, joinLines, newlineOf, splitLines } from '../diff/lines';

/** Lines `[from, to)` of a text, 0-based, and those that were deleted there. */
export interface Decided {
  from: number;
  to: number;
  deleted: readonly string[];
}

/** Whether all of an edit is decided. A deletion at the edge of other lines is another matter. */
function inside({ newFrom, newTo }: Edit, { from, to }: Decided): boolean {
  if (newFrom === newTo && from < to) return newFrom > from && newFrom < to;
  return newFrom >= from && newTo <= to;
}

/** `lines` without one of each line of `deleted`. */
function without(lines: string[], deleted: string[]): string[] {
  const left = new Map<string, number>();
  for (const line of deleted) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

/**
 * `base` with what was decided of `text`: what differs there differs no longer. Of an edit that goes further than what was
 * decided, the rest stays.
 */
export function fold(base: string, text: string, decided: readonly Decided[]): string {
  const [old, now] = [splitLines(base), splitLines(text)];
  const out: string[] = [];
  let at = 0;
  for (const edit of edits(old, now)) {
    const { oldFrom, oldTo, newFrom, newTo } = edit;
    append(out, old.slice(at, oldFrom));
    at = oldTo;
    const touching = decided.filter(({ from, to }) => newFrom <= to && newTo >= from);
    if (touching.some((each) => inside(edit, each))) {
      append(out, now.slice(newFrom, newTo));
      continue;
    }
    const deleted = touching.flatMap((each) => each.deleted);
    append(
      out,
      deleted.length > 0 ? without(old.slice(oldFrom, oldTo), deleted) : old.slice(oldFrom, oldTo),
    );
    for (const { from, to } of touching) {
      append(out, now.slice(Math.max(from, newFrom), Math.min(to, newTo)));
    }
  }
  append(out, old.slice(at));
  return joinLines(out, newlineOf(base || text));
}
