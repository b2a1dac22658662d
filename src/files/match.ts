/** How well a path answers what was typed: its letters in their order, as people abbreviate names. */
import { fold, kindsOf, type PathTable } from './table';

/** What a match is worth; the numbers of the well-known fuzzy finders, roughly. */
const LETTER = 16;
const SAME_CASE = 1;
const NEXT_TO_LAST = 5;
const WORD = 8;
const HUMP = 7;
const PART = 10;
const BASE = 14;
const GAP = 3;
const GAP_MORE = 1;
/** The whole name, the name but for its ending, all letters within the name. */
const WHOLE = 60;
const STEM = 40;
const IN_BASE = 12;
/** Length counts where all else is the same, and a little more. */
const SCALE = 16;

const SLASH = 47;
const DOT = 46;

interface Term {
  letters: Buffer;
  typed: Buffer;
}

/** A path as bytes: `end` without the slash of a folder, `base` where its last part begins. */
interface Place {
  folded: Uint8Array;
  bytes: Uint8Array;
  start: number;
  end: number;
  base: number;
}

function isUpper(byte: number): boolean {
  return byte >= 65 && byte <= 90;
}

function isLower(byte: number): boolean {
  return byte >= 97 && byte <= 122;
}

/** What was typed. Blanks part terms that must all be there. */
export class Query {
  /** The kinds of bytes that a path must have. */
  readonly kinds: number;
  readonly #terms: Term[];
  /** Where each letter of a term was found. */
  #at = new Uint32Array(64);

  constructor(text: string) {
    this.#terms = text
      .split(' ')
      .filter((term) => term !== '')
      .map((term) => Buffer.from(term))
      .map((typed) => ({ typed, letters: fold(typed) }));
    this.kinds = this.#terms.reduce((kinds, { letters }) => kinds | kindsOf(letters), 0);
    const longest = Math.max(...this.#terms.map(({ letters }) => letters.length), 0);
    if (longest > this.#at.length) this.#at = new Uint32Array(longest);
  }

  /** Higher is better; 0: it does not match. */
  score(table: PathTable, index: number): number {
    const start = table.starts[index]!;
    const length = table.lengths[index]!;
    const { bytes, folded } = table;
    let end = start + length;
    const isFolder = bytes[end - 1] === SLASH;
    if (this.#terms.length === 0) return unasked(bytes, start, end);
    const ends = this.#terms.every(({ letters }) => letters[letters.length - 1] !== SLASH);
    if (isFolder && ends) end--;
    const place = { folded, bytes, start, end, base: start + table.bases[index]! };
    let sum = 0;
    for (const term of this.#terms) {
      const score = this.#best(term, place);
      if (score === 0) return 0;
      sum += score;
    }
    return Math.max(1, sum * SCALE - Math.min(length, 255));
  }

  /** The best of three ways to find the letters: in one piece, as far behind as can be, at beginnings of words. */
  #best(term: Term, place: Place): number {
    const piece = bestPiece(term, place);
    if (piece === -1 && !this.#fromBehind(term, place)) return 0;
    const best = piece === -1 ? this.#worth(term, place) : worthOfPiece(term, place, piece);
    if (piece !== -1 && bonus(place, piece) > 0) return best;
    return this.#atWords(term, place) ? Math.max(best, this.#worth(term, place)) : best;
  }

  #fromBehind({ letters }: Term, { folded, start, end }: Place): boolean {
    let at = end - 1;
    for (let i = letters.length - 1; i >= 0; i--, at--) {
      const letter = letters[i]!;
      while (at >= start && folded[at] !== letter) at--;
      if (at < start) return false;
      this.#at[i] = at;
    }
    return true;
  }

  #atWords({ letters }: Term, place: Place): boolean {
    const { folded, end } = place;
    for (let i = 0, at = place.base; i < letters.length; i++, at++) {
      const letter = letters[i]!;
      if (i === 0 || folded[at] !== letter) {
        let word = at;
        while (word < end && !(folded[word] === letter && bonus(place, word) > 0)) word++;
        if (word < end) at = word;
        else while (at < end && folded[at] !== letter) at++;
      }
      if (at >= end) return false;
      this.#at[i] = at;
    }
    return true;
  }

  #worth({ letters, typed }: Term, place: Place): number {
    const { bytes, base } = place;
    const count = letters.length;
    let sum = 0;
    let run = 0;
    for (let i = 0; i < count; i++) {
      const at = this.#at[i]!;
      const here = bonus(place, at);
      const gap = i === 0 ? 0 : at - this.#at[i - 1]! - 1;
      if (i > 0 && gap === 0) {
        run = Math.max(run, here);
        sum += Math.max(here, run, NEXT_TO_LAST);
      } else {
        if (gap > 0) sum -= GAP + GAP_MORE * Math.min(gap - 1, 20);
        run = here;
        sum += i === 0 ? here * 2 : here;
      }
      sum += LETTER + (bytes[at] === typed[i] ? SAME_CASE : 0);
    }
    return Math.max(1, sum + (this.#at[0]! >= base ? IN_BASE : 0));
  }
}

/** The same for letters that stand together, which most paths are passed over with. */
function worthOfPiece({ letters, typed }: Term, place: Place, at: number): number {
  const { bytes, base, end } = place;
  const count = letters.length;
  const here = bonus(place, at);
  let sum = count * LETTER + 2 * here + (count - 1) * Math.max(here, NEXT_TO_LAST);
  for (let i = 0; i < count; i++) {
    if (bytes[at + i] === typed[i]) sum += SAME_CASE;
    if (i > 0 && letters[i - 1] === SLASH) sum += bonus(place, at + i);
  }
  // What ends in a slash asks for what is in a folder, not for the folder.
  if (at < base || letters[count - 1] === SLASH) return sum;
  if (at === base && base + count === end) sum += WHOLE;
  else if (at === base && bytes[base + count] === DOT) sum += STEM;
  return sum + IN_BASE;
}

/** Where the term stands in one piece, best at the beginning of something, in the last part if it can be; -1: nowhere. */
function bestPiece(term: Term, place: Place): number {
  const { start, base, end } = place;
  const within = pieceIn(term, place, base, end);
  return within !== -1
    ? within
    : pieceIn(term, place, start, Math.min(end, base + term.letters.length - 1));
}

function pieceIn({ letters }: Term, place: Place, from: number, end: number): number {
  const { folded } = place;
  const first = letters[0]!;
  const last = end - letters.length;
  let best = -1;
  let most = -1;
  for (let at = from; at <= last; at++) {
    if (folded[at] !== first) continue;
    let i = 1;
    while (i < letters.length && folded[at + i] === letters[i]) i++;
    if (i < letters.length) continue;
    const worth = bonus(place, at);
    if (worth > most) [best, most] = [at, worth];
    if (worth === BASE) break;
  }
  return best;
}

/** What it is worth that a letter begins something. */
function bonus({ bytes, start, base }: Place, at: number): number {
  if (at === base || at === start) return BASE;
  const before = bytes[at - 1]!;
  if (before === SLASH) return PART;
  const byte = bytes[at]!;
  const isWord = isLower(byte) || isUpper(byte) || (byte >= 48 && byte <= 57) || byte >= 128;
  if (!isWord) return 0;
  if (isUpper(byte) && isLower(before)) return HUMP;
  const follows =
    isLower(before) || isUpper(before) || (before >= 48 && before <= 57) || before >= 128;
  return follows ? 0 : WORD;
}

/** Nothing was typed: what lies near comes first, hidden files last. */
function unasked(bytes: Uint8Array, start: number, end: number): number {
  let score = 100_000 - Math.min(end - start, 999);
  for (let at = start; at < end; at++) {
    if (bytes[at] === SLASH && at < end - 1) score -= 2000;
    if (bytes[at] === DOT && (at === start || bytes[at - 1] === SLASH)) score -= 20_000;
  }
  return Math.max(1, score);
}
