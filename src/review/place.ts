/** What an agent says about an edit: a whole file or, more often, a piece of one. */
export interface Piece {
  oldText: string | null;
  newText: string;
}

/** Two texts of a file. `whole`: they are the file's, not only the piece's. */
export interface Sides {
  before: string;
  after: string;
  whole: boolean;
}

/** Where `piece` stands in `text`, when it stands there exactly once. */
function only(text: string, piece: string): number | null {
  if (piece === '') return null;
  const at = text.indexOf(piece);
  return at < 0 || text.indexOf(piece, at + 1) >= 0 ? null : at;
}

/** `text` with the only occurrence of `from` replaced by `to`; `null` when there isn't exactly one. */
function replaceOnly(text: string, from: string, to: string): string | null {
  if (from === text) return to;
  const at = only(text, from);
  if (at !== null) return text.slice(0, at) + to + text.slice(at + from.length);
  // Agents end their last line with a newline also where the file doesn't.
  if (!from.endsWith('\n') || !to.endsWith('\n') || text.endsWith('\n')) return null;
  const bare = from.slice(0, -1);
  if (!text.endsWith(bare) || only(text, bare) === null) return null;
  return text.slice(0, text.length - bare.length) + to.slice(0, -1);
}

/** The file after `pieces`, when it is not yet changed. */
function forwards(file: string, pieces: Piece[]): string | null {
  let text: string | null = file;
  for (const { oldText, newText } of pieces) {
    text = oldText ? replaceOnly(text, oldText, newText) : newText;
    if (text === null) return null;
  }
  return text;
}

/** The file before `pieces`, when it is changed already. */
function backwards(file: string, pieces: Piece[]): string | null {
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

/**
 * Finds the two texts of a file from the pieces of an edit, in their order, and from the file as it stands (`null`: there
 * is none). The edit may be about to be made or made already. What can't be placed is given back as pieces.
 */
export function place(file: string | null, pieces: Piece[]): Sides[] {
  const first = pieces[0];
  if (!first) return [];
  if (file === null) {
    if (!first.oldText) {
      const after = forwards('', pieces);
      if (after !== null) return [{ before: '', after, whole: true }];
    } else if (pieces.length === 1 && first.newText === '') {
      return [{ before: first.oldText, after: '', whole: true }];
    }
  } else {
    const before = backwards(file, pieces);
    if (before !== null && pieces.some((piece) => applied(file, piece))) {
      return [{ before, after: file, whole: true }];
    }
    const after = forwards(file, pieces);
    if (after !== null) return [{ before: file, after, whole: true }];
    if (before !== null) return [{ before, after: file, whole: true }];
  }
  return pieces.map(({ oldText, newText }) => ({
    before: oldText ?? '',
    after: newText,
    whole: false,
  }));
}
