/** An agent's text beside one that the user changed since the agent saw it. */
import type { RequestError } from '@agentclientprotocol/sdk';
import { edits } from '../diff/edits';
import { joinLines, newlineOf, splitLines } from '../diff/lines';
import { merge, type Conflict, type MergeLabels } from '../diff/merge';
import { count } from '../text';
import { fault } from './faults';

const BOM = '\uFEFF';
/** More are not named in an error. */
const MAX_NAMED = 5;

/** Whether both hold the same, apart from the byte order mark and the line ends that a write keeps by itself. */
export function same(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

/** Without byte order mark, lines ending in `\n`: as diffs show a text, and as the user changes it. */
export function plain(text: string): string {
  return bare(text).replaceAll('\r\n', '\n');
}

/** What the user made of `plain(text)`, with the byte order mark of `text` and the line ends of the lines that stayed. */
export function inShapeOf(text: string, changed: string): string {
  const old = splitLines(bare(text));
  const lines = splitLines(changed);
  const newline = newlineOf(text);
  const out: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of edits(old.map(plain), lines)) {
    out.push(...old.slice(at, oldFrom));
    out.push(...lines.slice(newFrom, newTo).map((line) => line.replace(/\r?\n$/, newline)));
    at = oldTo;
  }
  const whole = [...out, ...old.slice(at)].join('');
  return text.startsWith(BOM) ? BOM + whole : whole;
}

/** Without a byte order mark, as buffers and files are read. */
export function bare(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** `text` with the line ends of `ours` where it says nothing of its own, as it will stand in the file. */
function inStyleOf(ours: string, text: string): string {
  const crlf = !text.includes('\r') && ours.includes('\r\n') && !/(^|[^\r])\n/.test(ours);
  return crlf ? text.replaceAll('\n', '\r\n') : text;
}

/**
 * What is to be written: `theirs` with what was changed from `base`, which the agent saw, to `ours`, which stands there
 * now. `conflicts` are lines of `ours` that both sides changed.
 */
export function combine(
  base: string,
  ours: string,
  theirs: string,
): { text: string; conflicts: Conflict[] } {
  if (same(ours, base) || same(ours, theirs)) return { text: theirs, conflicts: [] };
  if (same(theirs, base)) return { text: ours, conflicts: [] };
  const merged = merge(inStyleOf(ours, bare(base)), ours, inStyleOf(ours, bare(theirs)));
  return theirs.startsWith(BOM) ? { ...merged, text: BOM + merged.text } : merged;
}

/**
 * The texts of user and disk as one, with both sides marked where they differ in other ways than from `base`; wherever they
 * differ when that is null.
 */
export function mergeMarked(
  base: string | null,
  ours: string,
  disk: string,
  labels: Required<MergeLabels>,
): string {
  const theirs = inStyleOf(ours, disk);
  if (base !== null) return merge(inStyleOf(ours, base), ours, theirs, labels).text;
  const newline = newlineOf(ours || theirs);
  const [left, right] = [splitLines(ours), splitLines(theirs)];
  const side = (lines: string[]): string[] =>
    lines.map((line) => (line.endsWith('\n') ? line : line + newline));
  const out: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of edits(left, right)) {
    out.push(...left.slice(at, oldFrom), `<<<<<<< ${labels.ours}${newline}`);
    out.push(...side(left.slice(oldFrom, oldTo)), `=======${newline}`);
    out.push(...side(right.slice(newFrom, newTo)), `>>>>>>> ${labels.theirs}${newline}`);
    at = oldTo;
  }
  return joinLines([...out, ...left.slice(at)], newline);
}

/** The answer to an agent whose change touches what the user changed. */
export function refusal(path: string, conflicts: readonly Conflict[]): RequestError {
  const named = conflicts.slice(0, MAX_NAMED).map(where);
  if (conflicts.length > MAX_NAMED) named.push(count(conflicts.length - MAX_NAMED, 'more place'));
  return fault(
    path,
    `nothing was written: since you read the file, the user has changed what you change too (${named.join(', ')}). ` +
      'Read the file again and make your change to what it holds now',
  );
}

function where({ line, count: lines }: Conflict): string {
  if (lines === 0) return `before line ${line}`;
  return lines === 1 ? `line ${line}` : `lines ${line}-${line + lines - 1}`;
}
