/** Width of text in terminal cells, near enough to Neovim's to count screen rows. */

/** First and last code points of East Asian wide characters and of the emoji that are two cells wide. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];
const PLAIN = /^[ -~]*$/;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

function charWidth(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (ZERO.test(char)) return 0;
  for (const [first, last] of WIDE) {
    if (code < first) break;
    if (code <= last) return 2;
  }
  return EMOJI.test(char) ? 2 : 1;
}

/** Where `text` has filled `limit` cells: the index behind the last character that fits, and the cells up to there. */
function measure(text: string, limit: number): { index: number; width: number } {
  let index = 0;
  let width = 0;
  for (const char of text) {
    const cells = char === '\t' ? 8 - (width % 8) : charWidth(char);
    if (width + cells > limit) break;
    width += cells;
    index += char.length;
  }
  return { index, width };
}

/** Cells that `text` takes when it starts at column 0; a tab goes to the next multiple of eight. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : measure(text, Infinity).width;
}

/** The beginning of `text` that fits into `cells`, ended by `ellipsis` when it is not the whole. */
export function fit(text: string, cells: number, ellipsis: string): string {
  // No character is narrower than nothing: a text of a few cells can still be long, but not honestly.
  const head = text.length > 4 * cells + 64 ? text.slice(0, 4 * cells + 64) : text;
  if (head === text && displayWidth(text) <= cells) return text;
  const room = Math.max(0, cells - displayWidth(ellipsis));
  return head.slice(0, measure(head, room).index) + ellipsis;
}
