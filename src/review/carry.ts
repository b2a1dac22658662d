/** What the user does to a text that holds changes of the agent's, done to the text without them. */
import { edits, type Edit } from '../diff/edits';
import { append, bare, endOf, joinLines, newlineOf, splitLines } from '../diff/lines';

/** A line that comes into the new base between two that stay, and its place in the text, to order them by. */
interface Loose {
  line: string;
  at: number;
}

/** A line that all three texts have. */
interface Kept {
  line: string;
  /** Its index in the base. */
  base: number;
  /** Lines that the user wrote before it. */
  typed: number;
}

/** Which line of `before` each of the `length` lines after `found` is; -1 where it is new. */
function pairs(found: Edit[], length: number): Int32Array {
  const paired = new Int32Array(length).fill(-1);
  let from = 0;
  let shift = 0;
  for (const { oldTo, newFrom, newTo } of found) {
    for (let i = from; i < newFrom; i++) paired[i] = i + shift;
    from = newTo;
    shift = oldTo - newTo;
  }
  for (let i = from; i < length; i++) paired[i] = i + shift;
  return paired;
}

const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/**
 * Runs of lines that the user wrote although the agent had only deleted them: they were put back (often with `u`) and
 * are in the base already. A bracket alone says nothing about where it comes from, unless nothing else was written.
 */
function restored(deleted: Loose[], typed: Loose[]): { from: number; to: number; count: number }[] {
  if (deleted.length === 0 || typed.length === 0) return [];
  const contents = (lines: Loose[]) => lines.map(({ line }) => bare(line));
  const paired = pairs(edits(contents(deleted), contents(typed)), typed.length);
  const runs: { from: number; to: number; count: number }[] = [];
  paired.forEach((from, to) => {
    const last = runs.at(-1);
    if (from < 0) return;
    if (last && last.from + last.count === from && last.to + last.count === to) last.count++;
    else runs.push({ from, to, count: 1 });
  });
  if (paired.every((from) => from >= 0)) return runs;
  return runs.filter(({ to, count }) =>
    typed.slice(to, to + count).some(({ line }) => SAYS_SOMETHING.test(line)),
  );
}

/** Lines of the base that the agent deleted and lines that the user wrote, each in their order, else in that of the text. */
function weave(deleted: Loose[], typed: Loose[]): string[] {
  const out: string[] = [];
  let i = 0;
  let j = 0;
  const upTo = (from: number, to: number): void => {
    while (i < from || j < to) {
      const first = j >= to || (i < from && deleted[i]!.at <= typed[j]!.at);
      out.push(first ? deleted[i++]!.line : typed[j++]!.line);
    }
  };
  for (const { from, to, count } of restored(deleted, typed)) {
    upTo(from, to);
    for (const { line } of typed.slice(to, to + count)) out.push(line);
    i += count;
    j += count;
  }
  upTo(deleted.length, typed.length);
  return out;
}

/** The user's part of `after`: what was written, and what of the base was left. */
function partsOf(base: string[], text: string[], after: string[], agents: Edit[], users: Edit[]) {
  const inBase = pairs(agents, text.length);
  const inText = pairs(users, after.length);
  const left = new Uint8Array(text.length);
  const typed: Loose[] = [];
  const kept: Kept[] = [];
  let user = 0;
  after.forEach((line, i) => {
    const at = inText[i]!;
    if (at < 0) {
      while (users[user]!.newTo <= i) user++;
      const { oldFrom, oldTo } = users[user]!;
      // What was only put in before a hunk of the agent's stays before what the agent deleted there.
      typed.push({ line, at: oldFrom === oldTo ? oldFrom - 0.5 : oldFrom });
      return;
    }
    left[at] = 1;
    const from = inBase[at]!;
    if (from < 0) return;
    const end = endOf(line === text[at] ? base[from]! : line);
    kept.push({ base: from, line: bare(line) + end, typed: typed.length });
  });
  const deleted = new Uint8Array(base.length);
  inBase.forEach((from, at) => {
    if (from >= 0 && left[at] === 0) deleted[from] = 1;
  });
  return { typed, kept, deleted };
}

/**
 * `base` is a text without the agent's changes, `text` the same with them, and `after` is what the user made of `text`.
 * Gives what the user would have made of `base`: what the user deleted is gone, what the user wrote is there, also where
 * it stands between lines of the agent's, and what the agent deleted stays. So what differs from `after` is the agent's.
 * Line ends count for themselves: who adds the one that a last line lacks has not written the line.
 */
export function carry(base: string, text: string, after: string): string {
  if (text === after) return base;
  if (base === text) return after;
  const [old, now, next] = [splitLines(base), splitLines(text), splitLines(after)];
  const [oldBare, nowBare, nextBare] = [old.map(bare), now.map(bare), next.map(bare)];
  const agents = edits(oldBare, nowBare);
  const { typed, kept, deleted } = partsOf(old, now, next, agents, edits(nowBare, nextBare));
  const places = new Float64Array(old.length);
  for (const { oldFrom, oldTo, newFrom } of agents) places.fill(newFrom, oldFrom, oldTo);

  const out: string[] = [];
  let from = 0;
  let written = 0;
  const upTo = (to: number, count: number): void => {
    const stays: Loose[] = [];
    for (; from < to; from++) {
      if (deleted[from] === 0) stays.push({ line: old[from]!, at: places[from]! });
    }
    append(out, weave(stays, typed.slice(written, count)));
    written = count;
  };
  for (const stop of kept) {
    upTo(stop.base, stop.typed);
    out.push(stop.line);
    from++;
  }
  upTo(old.length, typed.length);
  return joinLines(out, newlineOf(base || after));
}
