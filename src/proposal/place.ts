import type { Sides } from '../diff/hunks';
import type { Piece } from './pieces';

/** Whether the file is as it was before the edit (it is a question), as the edit made it, or either. */
export type Stage = 'before' | 'after' | 'unknown';

/** Where `piece` stands in `text`, when it stands there exactly once. */
export function only(text: string, piece: string): number | null {
  if (piece === '') return null;
  const at = text.indexOf(piece);
  return at < 0 || text.indexOf(piece, at + 1) >= 0 ? null : at;
}

/** `text` with the only occurrence of `from` replaced by `to`; `null` when there isn't exactly one. */
function replaceOnly(text: string, from: string, to: string): string | null {
  if (from === text) return to;
  const at = only(text, from);
  if (at !== null) return text.slice(0, at) + to + text.slice(at + from.length);
  // Agents that think in lines end the last one with a newline, also where the file doesn't.
  if (!from.endsWith('\n') || text.endsWith('\n')) return null;
  const bare = from.slice(0, -1);
  if (!text.endsWith(bare) || only(text, bare) === null) return null;
  return text.slice(0, text.length - bare.length) + to;
}

/**
 * `text` with pieces that stand in it in their order replaced, as hunks are; `null` unless there is exactly one way for
 * them to stand: then the first places that they fit in are also the last ones.
 */
function replaceInOrder(text: string, pieces: [from: string, to: string][]): string | null {
  const first: number[] = [];
  let end = 0;
  for (const [from] of pieces) {
    const at = from === '' ? -1 : text.indexOf(from, end);
    if (at < 0) return null;
    first.push(at);
    end = at + from.length;
  }
  let start = text.length;
  for (const [i, [from]] of [...pieces.entries()].reverse()) {
    const room = start - from.length;
    if (room < 0 || text.lastIndexOf(from, room) !== first[i]) return null;
    start = first[i]!;
  }
  let result = '';
  let done = 0;
  pieces.forEach(([from, to], i) => {
    result += text.slice(done, first[i]) + to;
    done = first[i]! + from.length;
  });
  return result + text.slice(done);
}

/** The file after `pieces`, when it is not yet changed. */
function forwards(file: string, pieces: Piece[]): string | null {
  const pairs = pieces.map(({ oldText, newText }): [string, string] => [oldText ?? '', newText]);
  const ordered = pairs.length > 1 ? replaceInOrder(file, pairs) : null;
  if (ordered !== null) return ordered;
  let text: string | null = file;
  for (const { oldText, newText } of pieces) {
    // An empty old text says that there is nothing yet; none at all, that the new text is the file's.
    if (oldText === '' && text !== '') return null;
    text = oldText ? replaceOnly(text, oldText, newText) : newText;
    if (text === null) return null;
  }
  return text;
}

/** The file before `pieces`, when it is changed already. */
function backwards(file: string, pieces: Piece[]): string | null {
  const pairs = pieces.map(({ oldText, newText }): [string, string] => [newText, oldText ?? '']);
  const hunks = pieces.length > 1 && pieces.every(({ oldText }) => oldText);
  const ordered = hunks ? replaceInOrder(file, pairs) : null;
  if (ordered !== null) return ordered;
  let text: string | null = file;
  for (const { oldText, newText } of pieces.toReversed()) {
    if (!oldText && newText !== text) return null;
    text = replaceOnly(text, newText, oldText ?? '');
    if (text === null) return null;
  }
  return text;
}

/**
 * Whether a piece was applied already. Where the old text is a part of the new one, such as `f()` of `f() + 1`, both are
 * found in the changed file: it is changed when the new text stands there around the old.
 */
function applied(file: string, { oldText, newText }: Piece): boolean {
  if (newText === file) return true;
  if (!oldText || !newText.includes(oldText)) return false;
  const old = only(file, oldText);
  const at = only(file, newText);
  return (
    at !== null && (old === null || (old >= at && old + oldText.length <= at + newText.length))
  );
}

/** The file's two texts where there is no file. */
function withoutFile(pieces: Piece[], stage: Stage): Sides | null {
  const first = pieces[0]!;
  if (!first.oldText) {
    const after = stage === 'after' ? null : forwards('', pieces);
    return after === null ? null : { before: '', after, whole: true };
  }
  const deleted = pieces.length === 1 && first.newText === '' && stage !== 'before';
  return deleted ? { before: first.oldText, after: '', whole: true } : null;
}

function withFile(file: string, pieces: Piece[], stage: Stage): Sides | null {
  const before = stage === 'before' ? null : backwards(file, pieces);
  const made: Sides | null = before === null ? null : { before, after: file, whole: true };
  if (made && (stage === 'after' || pieces.some((piece) => applied(file, piece)))) return made;
  const after = stage === 'after' ? null : forwards(file, pieces);
  return after === null ? made : { before: file, after, whole: true };
}

/**
 * Finds the two texts of a file from the pieces of an edit, in their order, and from the file as it stands (`null`: there
 * is none). What can't be placed is given back as pieces.
 */
export function place(file: string | null, pieces: Piece[], stage: Stage = 'unknown'): Sides[] {
  if (pieces.length === 0) return [];
  const sides = file === null ? withoutFile(pieces, stage) : withFile(file, pieces, stage);
  return sides ? [sides] : fragments(pieces);
}

export function fragments(pieces: Piece[]): Sides[] {
  return pieces.map(({ oldText, newText }) => ({
    before: oldText ?? '',
    after: newText,
    whole: false,
  }));
}
