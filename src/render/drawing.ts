/**
 * Output of commands, for a terminal of Neovim's: what only draws stays, all else goes. What a program prints may be
 * anything: it must not write to the clipboard, set titles, ask the terminal for answers, change how its keys and mouse
 * work, or ring.
 */
import { caret } from '../text';

/**
 * Sequences that draw: colours, moves of the cursor, erasing, inserting, scrolling. Not among them is `b`, which repeats the
 * character before: where there is none, Neovim's terminal does so for ever.
 */
const DRAWS = /^[\d;:]*[@A-HJ-MPSTXZ`adefmrsu]$/;
/** Erases what was scrolled out, too: that is to be read. */
const ERASES_ALL = /^0*3(?:[;:].*)?J$/;
const CSI = /[0-?]*[ -/]*[@-~]/y;
/** The beginning of one, at the end of what came. */
const CSI_BEGUN = /[0-?]*[ -/]*$/y;
const CONTROL = /[\p{Cc}\p{Cs}]/gu;
/** Two characters: save and restore the cursor, index, next line, reverse index, tab stop. */
const SHORT = '78DEMH';
/** A link: its parameters and its address, which is one that people open. */
const LINK = /^8;[^;\p{Cc}\p{Cs}]*;(?:(?:https?|file|mailto):[^\p{Cc}\p{Cs}\s]*)?$/u;
/** Of a sequence of more characters nothing is drawn, wherever it ends. */
const LONGEST = 4096;
const ESCAPE = '\u001b';

export class Drawing {
  /** The beginning of a sequence whose rest is yet to come. */
  #begun = '';

  /** What of `text`, and of what was left of the texts before, is to be drawn. */
  push(text: string): string {
    let all = this.#begun + text;
    this.#begun = '';
    // Half a character: the other half is yet to come.
    const half = /[\ud800-\udbff]$/.exec(all)?.[0] ?? '';
    if (half) all = all.slice(0, -1);
    let drawn = '';
    for (let at = 0; at < all.length;) {
      CONTROL.lastIndex = at;
      const match = CONTROL.exec(all);
      const stop = match?.index ?? all.length;
      drawn += all.slice(at, stop);
      if (!match) break;
      if (match[0] !== ESCAPE) {
        drawn += control(match[0]);
        at = stop + match[0].length;
        continue;
      }
      const [end, sequence] = escape(all, stop + 1);
      if (end < 0) {
        this.#begun = begun(all.slice(stop));
        break;
      }
      drawn += sequence;
      at = end;
    }
    this.#begun += half;
    return drawn;
  }
}

/** What is kept of a sequence that has begun: of one that is too long, that it is a string which says nothing. */
function begun(sequence: string): string {
  if (sequence.length <= LONGEST) return sequence;
  return `${ESCAPE}P${sequence.endsWith(ESCAPE) ? ESCAPE : ''}`;
}

function control(char: string): string {
  if ('\n\r\t\b'.includes(char)) return char;
  return char === '\u0007' ? '' : caret(char);
}

/** Where the sequence behind the escape at `at - 1` ends, and what is drawn of it; -1: its end is yet to come. */
function escape(text: string, at: number): [end: number, drawn: string] {
  const next = text[at];
  if (next === undefined) return [-1, ''];
  if (next === '[') return controlSequence(text, at + 1);
  if (']PX^_'.includes(next)) return controlString(text, at);
  if ('()*+'.includes(next)) return characterSet(text, at);
  if (SHORT.includes(next)) return [at + 1, `${ESCAPE}${next}`];
  // Others are of two characters as well, but for what is no sequence at all.
  return '=>cNOZ\\'.includes(next) ? [at + 1, ''] : [at, '^['];
}

function controlSequence(text: string, at: number): [number, string] {
  CSI.lastIndex = at;
  const sequence = CSI.exec(text)?.[0];
  if (sequence !== undefined) {
    const draws = DRAWS.test(sequence) && !ERASES_ALL.test(sequence);
    return [at + sequence.length, draws ? `${ESCAPE}[${sequence}` : ''];
  }
  CSI_BEGUN.lastIndex = at;
  return CSI_BEGUN.test(text) ? [-1, ''] : [at, '^[['];
}

/** Lines are drawn with another set of characters: `(0`, and `(B` ends it. */
function characterSet(text: string, at: number): [number, string] {
  const set = text[at + 1];
  if (set === undefined) return [-1, ''];
  if (!/[!-~]/.test(set)) return [at + 1, ''];
  return [at + 2, text[at] === '(' && '0B'.includes(set) ? `${ESCAPE}(${set}` : ''];
}

/** A string, such as a title or a link: to its terminator, but never beyond the line. */
function controlString(text: string, at: number): [number, string] {
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i];
    if (char === '\n') return [i, ''];
    if (char !== '\u0007' && char !== ESCAPE) continue;
    if (char === ESCAPE && text[i + 1] === undefined) return [-1, ''];
    const ends = char === '\u0007' || text[i + 1] === '\\';
    if (!ends) return [i, ''];
    const said = text.slice(at + 1, i);
    const link = text[at] === ']' && LINK.test(said);
    return [i + (char === ESCAPE ? 2 : 1), link ? `${ESCAPE}]${said}${ESCAPE}\\` : ''];
  }
  return [-1, ''];
}
