import path from 'node:path';
import { normalise } from '../diff/text';

/** A diff as an agent gives it. `oldText` null: a new file, or the agent did not say. */
export interface DiffContent {
  path: string;
  oldText: string | null;
  newText: string;
}

/** What an agent says about an edit of one file: a whole file or, more often, a piece of one. */
export interface Piece {
  oldText: string | null;
  newText: string;
}

/** Diff contents by the file that they are about, absolute, in the order of their first mention. */
export function piecesByFile(contents: DiffContent[], cwd: string): Map<string, Piece[]> {
  const files = new Map<string, Piece[]>();
  for (const { path: name, oldText, newText } of contents) {
    const file = path.resolve(cwd, name);
    const piece = {
      oldText: oldText === null ? null : normalise(oldText),
      newText: normalise(newText),
    };
    files.set(file, [...(files.get(file) ?? []), piece]);
  }
  return files;
}
