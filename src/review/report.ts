/** What is pending, as the editor shows it. */
import { relative } from 'node:path';
import { isInside } from '../client/roots';
import type { Edit } from '../diff/edits';
import { bare, endOf } from '../diff/lines';
import { NO_NEWLINE, shown } from '../diff/text';
import { oneLine } from '../text';
import { MAX_TEXT, type Content } from './content';
import { countLines, type PendingFile } from './pending';
import type { ReviewFile, ReviewHunk } from './view';

/** Deleted lines of a file that are sent. */
const MAX_DELETED = 5000;

/** Path for people. */
export function nameFrom(cwd: string, path: string): string {
  return oneLine(path !== cwd && isInside(cwd, path) ? relative(cwd, path) : path);
}

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB'];
  let size = bytes / 1024;
  while (size >= 1000 && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[0]}`;
}

/** What a content is, in the terms of a note; null for text, of which the lines tell. */
function kindOf(content: Content): string | null {
  switch (content.kind) {
    case 'binary':
      return sizeOf(content.bytes.length);
    case 'link':
      return oneLine(content.target.toString());
    case 'text':
      return content.text === '' ? 'empty' : null;
    case 'none':
    case 'locked':
      return null;
  }
}

function contentNote(before: Content, after: Content): string | null {
  const [one, other] = [before, after].map(kindOf);
  const sides = (word: string): string =>
    one !== null && other !== null && one !== other
      ? `${word}, ${one} → ${other}`
      : `${word}, ${other ?? one}`;
  const kinds = [before.kind, after.kind];
  if (kinds.includes('locked')) return null;
  if (after.kind === 'link' && before.kind !== 'link' && before.kind !== 'none') {
    return `became a symbolic link, ${other}`;
  }
  if (before.kind === 'link' && after.kind !== 'link' && after.kind !== 'none') {
    return `was a symbolic link, ${one}`;
  }
  if (kinds.includes('link')) return sides('symbolic link');
  const isLarge = [before, after].some((it) => it.kind === 'binary' && it.bytes.length > MAX_TEXT);
  if (kinds.includes('binary')) return sides(isLarge ? 'too large for lines' : 'binary');
  if (before.kind === 'none' || after.kind === 'none') return other ?? one ?? null;
  return null;
}

const modeOf = (content: Content): string | null =>
  'mode' in content ? content.mode.slice(3) : null;

const encodingOf = (content: Content): string | null =>
  content.kind === 'text'
    ? `${content.encoding}${content.bom ? ' with a byte order mark' : ''}`
    : null;

/** What changed beside lines. */
function noteOf({ before, after, from }: PendingFile, cwd: string): string | null {
  const notes = [from === undefined ? null : `renamed from ${nameFrom(cwd, from)}`];
  const [oldMode, newMode] = [modeOf(before), modeOf(after)];
  if (oldMode && newMode && oldMode !== newMode) notes.push(`mode ${oldMode} → ${newMode}`);
  if (before.kind === 'none' && newMode === '755') notes.push('executable');
  notes.push(contentNote(before, after));
  const [old, now] = [encodingOf(before), encodingOf(after)];
  if (old && now && old !== now) notes.push(`encoding ${old} → ${now}`);
  const said = notes.filter((note) => note !== null);
  return said.length > 0 ? said.join(', ') : null;
}

/** Whether something changed that is not lines: name, mode, encoding, or a file without lines as a whole. */
export function hasRest(file: PendingFile): boolean {
  const { before, after, from, hunks } = file;
  if (from !== undefined || hunks.length === 0) return true;
  return (
    before.kind === 'text' &&
    after.kind === 'text' &&
    (before.mode !== after.mode || encodingOf(before) !== encodingOf(after))
  );
}

/** Why a change can't be rejected. */
export function lockOf({ before, after }: PendingFile): string | null {
  if (before.kind === 'locked') return before.why;
  return after.kind === 'locked' ? after.why : null;
}

function hunkOf(
  file: PendingFile,
  { oldFrom, oldTo, newFrom, newTo }: Edit,
  limit: number,
): ReviewHunk {
  const { oldLines, newLines } = file;
  const added = newLines.slice(newFrom, newTo);
  const lines = oldLines.slice(oldFrom, Math.min(oldTo, oldFrom + limit)).map((line) => {
    const text = shown(bare(line)) + (line.endsWith('\r\n') && crlfMatters(file) ? '^M' : '');
    // Else it would look as if the line were replaced by itself.
    const isBare = endOf(line) === '' && added.some((each) => bare(each) === line && each !== line);
    return isBare ? text + NO_NEWLINE : text;
  });
  const more = oldTo - oldFrom - lines.length;
  if (more > 0) lines.push(`… ${more} more deleted lines are not shown`);
  return { line: newFrom + 1, count: newTo - newFrom, deleted: lines };
}

/** Whether the line ends of the file are not the same as they were. */
function crlfMatters({ oldLines, newLines }: PendingFile): boolean {
  const crlf = (lines: string[]) => lines.some((line) => line.endsWith('\r\n'));
  return newLines.length > 0 && crlf(oldLines) !== crlf(newLines);
}

function changeOf({ before, after, from }: PendingFile): ReviewFile['change'] {
  if (from !== undefined) return 'renamed';
  if (before.kind === 'none') return 'added';
  return after.kind === 'none' ? 'deleted' : 'modified';
}

export function reviewFile(file: PendingFile, cwd: string): ReviewFile {
  const note = noteOf(file, cwd);
  const locked = lockOf(file);
  let left = MAX_DELETED;
  const hunks = file.hunks.map((edit) => {
    const hunk = hunkOf(file, edit, left);
    left -= Math.min(left, edit.oldTo - edit.oldFrom);
    return hunk;
  });
  return {
    path: file.path,
    name: nameFrom(cwd, file.path),
    change: changeOf(file),
    ...(file.from !== undefined && { from: file.from }),
    ...(note !== null && { note }),
    ...(locked !== null && { locked }),
    ...countLines(file.hunks),
    hunks,
  };
}
