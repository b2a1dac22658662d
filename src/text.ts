/**
 * What came from outside becomes harmless text: no control bytes, no lone surrogates, and, where a person decides
 * by what stands there, no characters that turn the reading order.
 */

const CONTROL = /[^\P{Cc}\t\n]|\p{Cs}/u;
const CONTROLS = new RegExp(CONTROL, 'gu');
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function codePoint(char: string): string {
  return `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A control character as it is written in Vim: `^[` for escape. */
export function caret(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return '^?';
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : codePoint(char);
}

/** Text of several lines: `\r\n` becomes `\n`, tabs stay, all other control characters become visible. */
export function sanitize(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, caret);
}

/** Replaces the characters that reorder what is read, so that a command is what it looks like. */
export function unmask(text: string): string {
  return text.replace(BIDI, codePoint);
}

/** Longest title or command that is worked on; what is shown is cut to the window. */
const LONGEST_TITLE = 2000;

/** Titles, paths and commands: one line, nothing hidden. `newline` stands for a line break. */
export function oneLine(text: string, newline = ' '): string {
  const whole = text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;
  return unmask(sanitize(whole))
    .trim()
    .replace(/\s*\n\s*/g, newline);
}

const PIECE = 1000;

/**
 * What somebody decides by, in lines that can be shown: nothing is left out, hidden, or put behind so many blanks that it is
 * not seen.
 */
export function inFull(text: string): string[] {
  const shown = unmask(sanitize(text))
    .trim()
    .replace(/\s{40,}/g, (blanks) => ` <${blanks.length} blanks> `)
    .replace(/\s*\n\s*/g, ' ');
  return shown.match(new RegExp(`.{1,${PIECE}}`, 'gsu')) ?? [''];
}

/** Lines of a text that stands on its own, without the empty ones around it. */
export function toLines(text: string): string[] {
  return sanitize(text)
    .replace(/^\n+|\n+$/g, '')
    .split('\n');
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** Translates UTF-16 indices of `text`, which holds no lone surrogate, to byte columns. */
export function byteColumns(text: string): (index: number) => number {
  if (byteLength(text) === text.length) return (index) => index;
  const columns = new Uint32Array(text.length + 1);
  for (let i = 0, column = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Each half of a surrogate pair counts two of the four bytes.
    column += code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3;
    columns[i + 1] = column;
  }
  return (index) => columns[index]!;
}

/** `1 line`, `2 lines`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** A word of a command as one would type it into a shell, so that its end can be seen. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
