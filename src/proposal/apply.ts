/** What a file becomes by a change, when that is certain. */
import { applyHunks } from './apply-patch';
import type { Change, Replacement } from './input';
import type { Piece } from './pieces';
import { only } from './place';

/** The text of a file after `change`, where `file` is its text before (`null`: there is none); `null`: not certain. */
export function applied(change: Change, file: string | null): string | null {
  switch (change.type) {
    case 'text':
      return change.text;
    case 'replace':
      return replaced(change, file);
    case 'insert':
      return file === null ? null : inserted(file, change.line, change.text);
    case 'patch':
      // Not all patches say that the file is new.
      if (change.patch.action === 'add' && file !== null) return null;
      return applyHunks(file ?? '', change.patch);
    case 'delete':
      return file === null ? null : '';
    case 'move':
      return file;
    case 'unsure':
      return null;
  }
}

/** The texts that a change says, for where it can't be placed. */
export function piecesOf(change: Change): Piece[] {
  switch (change.type) {
    case 'text':
      return [{ oldText: null, newText: change.text }];
    case 'replace':
    case 'unsure':
      return change.items;
    case 'insert':
      return [{ oldText: '', newText: `${change.text}\n` }];
    case 'patch':
      return change.patch.hunks.map(({ before, after, newline }) => ({
        oldText: joined(before, newline[0]),
        newText: joined(after, newline[1]),
      }));
    case 'delete':
    case 'move':
      return [];
  }
}

function joined(lines: string[], newline: boolean): string {
  return lines.length === 0 ? '' : lines.join('\n') + (newline ? '\n' : '');
}

function replaced(
  { items, original, dropsLine }: Extract<Change, { type: 'replace' }>,
  file: string | null,
): string | null {
  if (original && file !== null && items.some(({ oldText }) => only(file, oldText) === null)) {
    return null;
  }
  let text = file;
  for (const item of items) {
    // Without an old text a file is created.
    if (item.oldText === '') text = text === null || text === '' ? item.newText : null;
    else if (text !== null) text = replaceOne(text, item, dropsLine);
    if (text === null) return null;
  }
  return text;
}

function replaceOne(
  text: string,
  { oldText, newText, times }: Replacement,
  dropsLine: boolean,
): string | null {
  if (oldText === newText) return null;
  const parts = text.split(oldText);
  const count = parts.length - 1;
  if (times === 'all' ? count === 0 : count !== times) return null;
  // Occurrences that overlap are more than one to some.
  if (times === 1 && only(text, oldText) === null) return null;
  if (dropsLine && newText === '' && !oldText.endsWith('\n') && text.includes(`${oldText}\n`)) {
    return times === 'all' ? text.replaceAll(`${oldText}\n`, '') : text.replace(`${oldText}\n`, '');
  }
  return parts.join(newText);
}

/** `text` with lines behind line `line`; `null` where there is no such line, or it has no end to begin behind. */
function inserted(text: string, line: number, added: string): string | null {
  const lines = text.split('\n');
  if (line >= lines.length) return null;
  lines.splice(line, 0, added);
  return lines.join('\n');
}
