/** Pending changes as a unified diff, with the headers of git. */
import type { Edit } from '../diff/edits';
import { endOf } from '../diff/lines';
import type { Content } from './content';
import type { PendingFile } from './pending';

const CONTEXT = 3;

/** Hunks whose context touches stand together. */
function grouped(hunks: readonly Edit[]): Edit[][] {
  const groups: Edit[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.oldFrom - last.oldTo <= 2 * CONTEXT) groups.at(-1)!.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

/** Line numbers of a range as git writes them. */
function range(from: number, count: number): string {
  const start = count === 0 ? from : from + 1;
  return count === 1 ? `${start}` : `${start},${count}`;
}

function rows(sign: string, lines: string[]): string[] {
  return lines.flatMap((line) => {
    const text = sign + (line.endsWith('\n') ? line.slice(0, -1) : line);
    return endOf(line) === '' ? [text, '\\ No newline at end of file'] : [text];
  });
}

/** The hunks of two texts, each with the unchanged lines around it. */
function hunkLines(oldLines: string[], newLines: string[], hunks: readonly Edit[]): string[] {
  return grouped(hunks).flatMap((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const before = Math.min(CONTEXT, first.oldFrom);
    const after = Math.min(CONTEXT, oldLines.length - last.oldTo);
    const [oldStart, newStart] = [first.oldFrom - before, first.newFrom - before];
    const body: string[][] = [];
    let at = oldStart;
    for (const { oldFrom, oldTo, newFrom, newTo } of group) {
      body.push(
        rows(' ', oldLines.slice(at, oldFrom)),
        rows('-', oldLines.slice(oldFrom, oldTo)),
        rows('+', newLines.slice(newFrom, newTo)),
      );
      at = oldTo;
    }
    body.push(rows(' ', oldLines.slice(at, at + after)));
    const old = range(oldStart, last.oldTo + after - oldStart);
    const now = range(newStart, last.newTo + after - newStart);
    return [`@@ -${old} +${now} @@`, ...body.flat()];
  });
}

function modeOf(content: Content): string {
  switch (content.kind) {
    case 'none':
      return '000000';
    case 'link':
      return '120000';
    case 'locked':
      return content.entry.mode;
    case 'text':
    case 'binary':
      return content.mode;
  }
}

/** One file; `hunks`: only these of it. */
export function unified(
  file: PendingFile,
  nameOf: (path: string) => string,
  hunks: readonly Edit[] = file.hunks,
): string[] {
  const { before, after } = file;
  const [from, to] = [nameOf(file.from ?? file.path), nameOf(file.path)];
  const lines = [`diff --git a/${from} b/${to}`];
  const [oldMode, newMode] = [modeOf(before), modeOf(after)];
  if (before.kind === 'none') lines.push(`new file mode ${newMode}`);
  else if (after.kind === 'none') lines.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (file.from !== undefined) lines.push(`rename from ${from}`, `rename to ${to}`);
  const names = [
    before.kind === 'none' ? '/dev/null' : `a/${from}`,
    after.kind === 'none' ? '/dev/null' : `b/${to}`,
  ];
  if (hunks.length > 0) {
    lines.push(`--- ${names[0]}`, `+++ ${names[1]}`);
    for (const line of hunkLines(file.oldLines, file.newLines, hunks)) lines.push(line);
  } else if (differsUnseen(file)) {
    lines.push(`Binary files ${names[0]} and ${names[1]} differ`);
  }
  return lines;
}

/** Whether a difference can't be shown as lines. */
function differsUnseen({ before, after, base, now }: PendingFile): boolean {
  const plain = [before, after].every(({ kind }) => kind === 'text' || kind === 'none');
  return !plain && base?.id !== now?.id;
}
