/** What keeping or rejecting a change means, for the files and for what they are compared with. Pure. */
import type { Edit } from '../diff/edits';
import { append, joinLines, newlineOf } from '../diff/lines';
import { NONE, textOf, type Content } from './content';
import { fold, type Decided } from './fold';
import type { PendingFile } from './pending';
import { hasRest } from './report';

/** What is decided of a file: all, what is not lines (name, mode, encoding), or one hunk. */
export type Part = 'all' | 'rest' | Edit;

/** What shall be at a path. */
export interface Target {
  path: string;
  content: Content;
}

/** The part that stands at `line` (1-based, of the file as it stands), or 0 for what is not lines. */
export function partAt(file: PendingFile, line: number): Part | null {
  if (line === 0) return hasRest(file) ? (file.hunks.length === 0 ? 'all' : 'rest') : null;
  const hunk = file.hunks.find(({ newFrom, newTo }) =>
    newFrom === newTo ? line === newFrom + 1 : line > newFrom && line <= newTo,
  );
  if (!hunk) return null;
  return file.hunks.length === 1 && !hasRest(file) ? 'all' : hunk;
}

/** Decisions that a part counts for. */
export function countOf(file: PendingFile, part: Part): number {
  return part === 'all' ? file.hunks.length + (hasRest(file) ? 1 : 0) : 1;
}

/** The text of one side with a hunk of the other. */
function spliced(file: PendingFile, hunk: Edit, into: 'old' | 'new'): string {
  const { oldLines, newLines } = file;
  const { oldFrom, oldTo, newFrom, newTo } = hunk;
  const lines: string[] = [];
  if (into === 'old') {
    append(lines, oldLines.slice(0, oldFrom));
    append(lines, newLines.slice(newFrom, newTo));
    append(lines, oldLines.slice(oldTo));
  } else {
    append(lines, newLines.slice(0, newFrom));
    append(lines, oldLines.slice(oldFrom, oldTo));
    append(lines, newLines.slice(newTo));
  }
  const [own, other] = into === 'old' ? [oldLines, newLines] : [newLines, oldLines];
  return joinLines(lines, newlineOf(own[0] ?? other[0] ?? ''));
}

/** A content with the text of another. */
function texted(content: Content, text: string): Content {
  return content.kind === 'text' ? { ...content, text } : content;
}

/** Moves a base or a file to where it belongs: nothing is at its other name. */
function at(path: string, content: Content, elsewhere: string | undefined): Target[] {
  if (elsewhere === undefined || elsewhere === path) return [{ path, content }];
  return [
    { path: elsewhere, content: NONE },
    { path, content },
  ];
}

/** What the base becomes when a part is kept. */
export function keptBase(file: PendingFile, part: Part): Target[] {
  const { path, from, before, after } = file;
  if (part === 'all') return at(path, after, from);
  if (part === 'rest') return at(path, texted(after, textOf(before) ?? ''), from);
  if (before.kind !== 'text' || after.kind !== 'text') return at(path, after, from);
  return [{ path: from ?? path, content: texted(before, spliced(file, part, 'old')) }];
}

/** What the files become when a part is rejected. */
export function rejectedFiles(file: PendingFile, part: Part): Target[] {
  const { path, from, before, after } = file;
  if (part === 'all') return at(from ?? path, before, path);
  if (part === 'rest') return at(from ?? path, texted(before, textOf(after) ?? ''), path);
  if (before.kind !== 'text' || after.kind !== 'text') return at(from ?? path, before, path);
  return [{ path, content: texted(after, spliced(file, part, 'new')) }];
}

function decidedOf({ hunks, oldLines }: PendingFile, part: Part): Decided[] {
  const edits = part === 'all' ? hunks : part === 'rest' ? [] : [part];
  return edits.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    from: newFrom,
    to: newTo,
    deleted: oldLines.slice(oldFrom, oldTo),
  }));
}

/**
 * What the base of another scope becomes when `part` of `file` is kept. `other` is the same file there: it holds all of the
 * part (when it looks further back) or may hold more.
 */
export function keptElsewhere(other: PendingFile, file: PendingFile, part: Part): Target[] {
  const [old, now] = [textOf(other.before), textOf(other.after)];
  if (old === null || now === null || other.after.kind !== 'text') return keptBase(other, 'all');
  if (textOf(file.before) === null) return keptBase(other, 'all');
  const text = fold(old, now, decidedOf(file, part));
  const whole = typeof part === 'string';
  if (other.before.kind !== 'text') {
    return text === '' && !whole ? [] : [{ path: other.path, content: texted(other.after, text) }];
  }
  const content = whole ? texted(other.after, text) : texted(other.before, text);
  const renamed = whole && file.from !== undefined;
  return renamed
    ? at(other.path, content, other.from)
    : [{ path: other.from ?? other.path, content }];
}

/** What the base of a scope that begins later becomes when `part` of `file` was rejected: `base` is its content until then. */
export function rejectedElsewhere(base: Content, file: PendingFile, part: Part): Target[] {
  if (part === 'all') return rejectedFiles(file, part);
  const { path, from } = file;
  const old = textOf(base);
  if (part === 'rest' || old === null) {
    return at(from ?? path, texted(file.before, old ?? textOf(file.after) ?? ''), path);
  }
  const { oldFrom, oldTo, newFrom, newTo } = part;
  const decided: Decided = {
    from: newFrom,
    to: newFrom + oldTo - oldFrom,
    deleted: file.newLines.slice(newFrom, newTo),
  };
  const text = fold(old, spliced(file, part, 'new'), [decided]);
  return [{ path, content: texted(base.kind === 'text' ? base : file.after, text) }];
}
