import { sanitize, unmask } from '../text';

/** The longest line that is sent to the editor, in UTF-16 units: longer ones are cut. */
const MAX_LINE = 5000;

/** Says that a text ends without a newline, where the other side has one. */
export const NO_NEWLINE = ' ⟨no newline at end of file⟩';

/** One line of a file as it may be shown: nothing in it is hidden, and its length is bounded. */
export function shown(line: string): string {
  return unmask(sanitize(line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} …` : line));
}

/** A text as diffs compare it: no byte order mark, lines ending in `\n`. */
export function normalise(text: string): string {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return bare.includes('\r') ? bare.replace(/\r\n/g, '\n') : bare;
}

/** The lines of a text; its final newline ends the last one and starts none. */
export function bareLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines of both texts. When only one of them ends with a newline, the other's last line says so. */
export function comparedLines(before: string, after: string): [before: string[], after: string[]] {
  const sides: [string[], string[]] = [bareLines(before), bareLines(after)];
  if (before !== '' && after !== '' && before.endsWith('\n') !== after.endsWith('\n')) {
    const bare = before.endsWith('\n') ? sides[1] : sides[0];
    bare[bare.length - 1] += NO_NEWLINE;
  }
  return sides;
}
