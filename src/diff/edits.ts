import { diffArrays } from 'diff';

/** Lines `[oldFrom, oldTo)` became lines `[newFrom, newTo)`, 0-based. */
export interface Edit {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Beyond these bounds of one comparison, what differs counts as replaced. */
const MAX_EDITS = 3000;
const TIMEOUT_MS = 150;
/** Old and new lines together; more are first split at lines that occur once on both sides. */
const LARGE = 2000;

interface Sides {
  before: string[];
  after: string[];
  deadline: number;
}

/** Index of each line that occurs once between `from` and `to`; -1 for those that occur more often. */
function uniqueLines(lines: string[], from: number, to: number): Map<string, number> {
  const at = new Map<string, number>();
  for (let i = from; i < to; i++) at.set(lines[i]!, at.has(lines[i]!) ? -1 : i);
  return at;
}

/** The longest run of pairs whose second numbers increase too; the first ones do already. */
function increasing(pairs: [number, number][]): [number, number][] {
  const tails: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([, value], i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]![1] < value) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = i;
  });
  const run: [number, number][] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = previous[i]!) run.push(pairs[i]!);
  return run.reverse();
}

/** Pairs of equal lines that cut a large comparison into small ones. */
function anchors(
  { before, after }: Sides,
  { oldFrom, oldTo, newFrom, newTo }: Edit,
): [number, number][] {
  const there = uniqueLines(after, newFrom, newTo);
  const pairs: [number, number][] = [];
  for (const [line, i] of uniqueLines(before, oldFrom, oldTo)) {
    const j = i < 0 ? -1 : (there.get(line) ?? -1);
    if (j >= 0) pairs.push([i, j]);
  }
  return increasing(pairs.sort((a, b) => a[0] - b[0]));
}

/** `range` without the equal lines at both ends. */
function trim({ before, after }: Sides, range: Edit): Edit {
  let { oldFrom, oldTo, newFrom, newTo } = range;
  while (oldFrom < oldTo && newFrom < newTo && before[oldFrom] === after[newFrom]) {
    oldFrom++;
    newFrom++;
  }
  while (oldFrom < oldTo && newFrom < newTo && before[oldTo - 1] === after[newTo - 1]) {
    oldTo--;
    newTo--;
  }
  return { oldFrom, oldTo, newFrom, newTo };
}

/** Myers' algorithm, bounded. */
function compare({ before, after, deadline }: Sides, range: Edit): Edit[] {
  const parts = diffArrays(
    before.slice(range.oldFrom, range.oldTo),
    after.slice(range.newFrom, range.newTo),
    { maxEditLength: MAX_EDITS, timeout: Math.max(0, deadline - Date.now()) },
  );
  if (!parts) return [range];
  const edits: Edit[] = [];
  let oldAt = range.oldFrom;
  let newAt = range.newFrom;
  for (const { added, removed, count } of parts) {
    const edit = { oldFrom: oldAt, oldTo: oldAt, newFrom: newAt, newTo: newAt };
    if (!added) oldAt += count;
    if (!removed) newAt += count;
    if (added || removed) edits.push({ ...edit, oldTo: oldAt, newTo: newAt });
  }
  return edits;
}

function editsIn(sides: Sides, whole: Edit): Edit[] {
  const range = trim(sides, whole);
  const { oldFrom, oldTo, newFrom, newTo } = range;
  if (oldFrom === oldTo && newFrom === newTo) return [];
  if (oldFrom === oldTo || newFrom === newTo) return [range];
  const pairs = oldTo - oldFrom + newTo - newFrom > LARGE ? anchors(sides, range) : [];
  if (pairs.length === 0) return compare(sides, range);
  const edits: Edit[] = [];
  let from = { oldFrom, newFrom };
  for (const [i, j] of [...pairs, [oldTo, newTo] as const]) {
    // Nothing stands between most pairs.
    if (i > from.oldFrom || j > from.newFrom) {
      edits.push(...editsIn(sides, { ...from, oldTo: i, newTo: j }));
    }
    from = { oldFrom: i + 1, newFrom: j + 1 };
  }
  return edits;
}

/** What has to be done to make `before` into `after`, in order; edits that touch are one. */
export function edits(before: string[], after: string[]): Edit[] {
  const sides = { before, after, deadline: Date.now() + TIMEOUT_MS };
  const range = { oldFrom: 0, oldTo: before.length, newFrom: 0, newTo: after.length };
  const joined: Edit[] = [];
  for (const edit of editsIn(sides, range)) {
    const last = joined.at(-1);
    if (last && last.oldTo === edit.oldFrom && last.newTo === edit.newFrom) {
      last.oldTo = edit.oldTo;
      last.newTo = edit.newTo;
    } else {
      joined.push(edit);
    }
  }
  return joined;
}
