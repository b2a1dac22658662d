/** Three-way merge by lines, as diff3 does it: what doesn't touch is applied from both sides. */
import { edits, type Edit } from './edits';
import { append, joinLines, newlineOf, splitLines } from './lines';

export interface Merged {
  /** With both sides marked where they conflict. */
  text: string;
  conflicts: Conflict[];
}

/** Lines of ours (1-based) that theirs changed otherwise; without any, the line before which theirs stand. */
export interface Conflict {
  line: number;
  count: number;
}

/** How the sides are named in the marks. */
export interface MergeLabels {
  ours?: string;
  theirs?: string;
}

type Side = 'ours' | 'theirs';

/** Lines `[from, to)` of the base and what each side has in their place. */
interface Region {
  from: number;
  to: number;
  sides: Record<Side, Edit[]>;
}

/** Whether two edits of the same base can't be applied one beside the other. */
function touches(region: Region, edit: Edit): boolean {
  const { from, to } = region;
  if (edit.oldFrom === from && edit.oldTo === to) return true;
  return edit.oldFrom < to && edit.oldTo > from;
}

/** Edits of both sides, in the order of the base; those that touch are in one region. */
function regions(ours: Edit[], theirs: Edit[]): Region[] {
  const all = [
    ...ours.map((edit) => ({ edit, side: 'ours' as const })),
    ...theirs.map((edit) => ({ edit, side: 'theirs' as const })),
  ].sort((a, b) => a.edit.oldFrom - b.edit.oldFrom || a.edit.oldTo - b.edit.oldTo);
  const found: Region[] = [];
  for (const { edit, side } of all) {
    let region = found.at(-1);
    if (!region || !touches(region, edit)) {
      region = { from: edit.oldFrom, to: edit.oldTo, sides: { ours: [], theirs: [] } };
      found.push(region);
    }
    region.to = Math.max(region.to, edit.oldTo);
    region.sides[side].push(edit);
  }
  return found;
}

/** The lines of one side in a region: its new ones, and those of the base that it left. */
function linesIn(region: Region, side: Side, base: string[], lines: string[]): string[] {
  const result: string[] = [];
  let at = region.from;
  for (const edit of region.sides[side]) {
    append(result, base.slice(at, edit.oldFrom));
    append(result, lines.slice(edit.newFrom, edit.newTo));
    at = edit.oldTo;
  }
  append(result, base.slice(at, region.to));
  return result;
}

/** Number of equal lines at the start of both. */
function common(a: string[], b: string[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

/** What both sides have in a region, without what is the same at its start and end. */
function sidesOf(
  region: Region,
  base: string[],
  ours: string[],
  theirs: string[],
): Record<Side | 'head' | 'tail', string[]> {
  const left = linesIn(region, 'ours', base, ours);
  const right = linesIn(region, 'theirs', base, theirs);
  const head = common(left, right);
  const tail = common(left.slice(head).reverse(), right.slice(head).reverse());
  return {
    head: left.slice(0, head),
    ours: left.slice(head, left.length - tail),
    theirs: right.slice(head, right.length - tail),
    tail: left.slice(left.length - tail),
  };
}

/**
 * `ours` and `theirs`, both made from `base`, as one text. Hunks conflict when they change the same line of the base or
 * insert at the same place, and not in the same way. The text is then ours with marks; its own line ends are kept.
 */
export function merge(
  base: string,
  ours: string,
  theirs: string,
  labels: MergeLabels = {},
): Merged {
  if (ours === theirs || theirs === base) return { text: ours, conflicts: [] };
  if (ours === base) return { text: theirs, conflicts: [] };
  const newline = newlineOf(ours || theirs);
  const [old, mine, other] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const mark = (signs: string, label = '') => `${label ? `${signs} ${label}` : signs}${newline}`;
  const ended = (lines: string[]) =>
    lines.map((line) => (line.endsWith('\n') ? line : line + newline));

  const out: string[] = [];
  const conflicts: Conflict[] = [];
  const conflict = (line: number, left: string[], right: string[]): void => {
    conflicts.push({ line, count: left.length });
    out.push(mark('<<<<<<<', labels.ours ?? 'yours'));
    append(out, ended(left));
    out.push(mark('======='));
    append(out, ended(right));
    out.push(mark('>>>>>>>', labels.theirs ?? 'theirs'));
  };
  let at = 0;
  // What ours has more than the base, so far.
  let shift = 0;
  for (const region of regions(edits(old, mine), edits(old, other))) {
    const { ours: left, theirs: right, head, tail } = sidesOf(region, old, mine, other);
    append(out, old.slice(at, region.from));
    append(out, head);
    if (region.sides.theirs.length === 0) append(out, left);
    else if (region.sides.ours.length === 0) append(out, right);
    else if (left.length > 0 || right.length > 0) {
      conflict(region.from + shift + head.length + 1, left, right);
    }
    append(out, tail);
    at = region.to;
    shift += head.length + left.length + tail.length - (region.to - region.from);
  }
  append(out, old.slice(at));
  return { text: joinLines(out, newline), conflicts };
}
