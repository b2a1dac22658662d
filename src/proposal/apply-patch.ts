/** Puts the hunks of a patch into the text of a file, exactly or not at all. */
import type { FilePatch, Hunk } from './patch';

/**
 * Where hunks stand in `lines`, in their order: at the lines that they name, else where there is exactly one way for
 * them to stand. `null`: nowhere, or nobody can tell.
 */
function locate(lines: string[], hunks: Hunk[]): number[] | null {
  const numbers = hunks.map(({ at }) => at);
  const said = numbers.filter((at) => at !== undefined);
  if (said.length === hunks.length) {
    const ends = hunks.map(({ before }, i) => said[i]! + before.length);
    const fit = hunks.every(
      ({ before }, i) => said[i]! >= (ends[i - 1] ?? 0) && standsAt(lines, before, said[i]!),
    );
    if (fit) return said;
  }
  return onlyWay(lines, hunks);
}

function onlyWay(lines: string[], hunks: Hunk[]): number[] | null {
  const first: number[] = [];
  let end = 0;
  for (const { before, anchors, atEnd } of hunks) {
    // Agents don't agree where lines go that replace nothing.
    if (before.length === 0) return null;
    let from = end;
    for (const anchor of anchors) {
      const at = lines.indexOf(anchor, from);
      if (at < 0 || lines.indexOf(anchor, at + 1) >= 0) return null;
      from = at + 1;
    }
    const at = atEnd ? Math.max(from, lines.length - before.length) : indexOf(lines, before, from);
    if (at < 0 || !standsAt(lines, before, at)) return null;
    first.push(at);
    end = at + before.length;
  }
  let start = lines.length;
  for (const [i, { before, anchors }] of [...hunks.entries()].reverse()) {
    // The first place behind its anchors is meant.
    const fixed = anchors.length > 0;
    if (!fixed && lastIndexOf(lines, before, start - before.length) !== first[i]) return null;
    start = first[i]!;
  }
  return first;
}

function standsAt(lines: string[], part: string[], at: number): boolean {
  return at + part.length <= lines.length && part.every((line, i) => lines[at + i] === line);
}

function indexOf(lines: string[], part: string[], from: number): number {
  let at = lines.indexOf(part[0]!, from);
  while (at >= 0 && !standsAt(lines, part, at)) at = lines.indexOf(part[0]!, at + 1);
  return at;
}

function lastIndexOf(lines: string[], part: string[], from: number): number {
  if (from < 0) return -1;
  let at = lines.lastIndexOf(part[0]!, from);
  while (at > 0 && !standsAt(lines, part, at)) at = lines.lastIndexOf(part[0]!, at - 1);
  return at >= 0 && standsAt(lines, part, at) ? at : -1;
}

/** `text` after the hunks; `null` where they don't stand in it, or what becomes of its last newline isn't known. */
export function applyHunks(text: string, { format, hunks }: FilePatch): string | null {
  const lines = text.split('\n');
  const newline = lines.at(-1) === '';
  if (newline) lines.pop();
  const bare = text !== '' && !newline;
  // Some programs add the missing newline, others don't.
  if (bare && format === 'apply_patch') return null;
  const places = locate(lines, hunks);
  if (!places) return null;
  let ends = !bare;
  const result: string[] = [];
  let done = 0;
  for (const [i, hunk] of hunks.entries()) {
    const at = places[i]!;
    const end = at + hunk.before.length;
    // Lines that replace nothing are where the patch says only if that is the one place there is.
    if (hunk.before.length === 0 && lines.length > 0) return null;
    const last = end === lines.length;
    if (hunk.before.length > 0 && hunk.newline[0] !== (last ? !bare : true)) return null;
    if (last) ends = hunk.newline[1];
    for (; done < at; done++) result.push(lines[done]!);
    for (const line of hunk.after) result.push(line);
    done = end;
  }
  for (; done < lines.length; done++) result.push(lines[done]!);
  return result.length === 0 ? '' : result.join('\n') + (ends ? '\n' : '');
}
