/**
 * Output of commands as a terminal would show it, line by line: colours become spans, `\r`, backspace, moves of the cursor and
 * erasing rewrite what is there, other well-formed sequences are dropped, and what is left of control bytes is text.
 */
import { caret } from '../text';
import { LONGEST_LINE, Screen } from './ansi-screen';
import { rendition } from './ansi-style';
import type { StyledLine } from './page';

const CONTROL = /[\p{Cc}\p{Cs}]/gu;
const CSI = /([0-?]*)[ -/]*([@-~])/y;
const CSI_CUT = /[0-?]*[ -/]*$/y;
/** Moves to other rows, and what erases them. */
// eslint-disable-next-line no-control-regex
const CLIMBS = /\u001b\[[\d;]*[ABEFHJf]/;

/** Whether more of a text than its present line may be written over: its lines can't be counted then. */
export function rewritesLines(text: string): boolean {
  return CLIMBS.test(text);
}

/** Lines of `text`. */
export function ansiLines(text: string): StyledLine[] {
  const screen = new Screen();
  for (let at = 0; at < text.length;) {
    CONTROL.lastIndex = at;
    const match = CONTROL.exec(text);
    const stop = match?.index ?? text.length;
    if (stop > at) screen.write(text.slice(at, stop));
    at = match ? control(text, stop, match[0], screen) : stop;
  }
  return screen.lines();
}

/** Does what the control character at `at` says and returns the index behind it and what belongs to it. */
function control(text: string, at: number, char: string, screen: Screen): number {
  switch (char) {
    case '\n':
      screen.newline();
      break;
    case '\r':
      screen.move(0);
      break;
    case '\b':
      screen.moveBy(-1);
      break;
    case '\t':
      screen.write(char);
      break;
    case '\u0007':
      break;
    case '\u001b':
      return escape(text, at + 1, screen);
    default:
      screen.write(caret(char));
  }
  return at + 1;
}

function escape(text: string, at: number, screen: Screen): number {
  const next = text[at];
  if (next === '[') return controlSequence(text, at + 1, screen);
  if (next !== undefined && ']PX^_'.includes(next)) return controlString(text, at + 1);
  if (next !== undefined && '()*+'.includes(next)) return at + 2;
  if (next !== undefined && '=>78McDEH\\'.includes(next)) return at + 1;
  // The sequence was cut: the rest is still to come, or was cut off.
  if (next === undefined) return at;
  screen.write('^[');
  return at;
}

function controlSequence(text: string, at: number, screen: Screen): number {
  CSI.lastIndex = at;
  const match = CSI.exec(text);
  if (!match) {
    CSI_CUT.lastIndex = at;
    if (CSI_CUT.test(text)) return text.length;
    screen.write('^[[');
    return at;
  }
  const [whole, parameters, final] = match as unknown as [string, string, string];
  const amount = Math.min(Number.parseInt(parameters, 10) || 1, LONGEST_LINE);
  if (final === 'm' && /^[\d;:]*$/.test(parameters)) {
    screen.style = rendition(screen.style, parameters);
  } else {
    draw(final, parameters, amount, screen);
  }
  return at + whole.length;
}

function draw(final: string, parameters: string, amount: number, screen: Screen): void {
  switch (final) {
    case 'A':
      return screen.climb(-amount);
    case 'B':
      return screen.climb(amount);
    case 'C':
      return screen.moveBy(amount);
    case 'D':
      return screen.moveBy(-amount);
    case 'E':
    case 'F':
      screen.climb(final === 'E' ? amount : -amount);
      return screen.move(0);
    case 'G':
      return screen.move(amount - 1);
    case 'H':
    case 'f': {
      const [row, column] = parameters.split(';').map((n) => Number.parseInt(n, 10) || 1);
      return screen.place(row! - 1, (column ?? 1) - 1);
    }
    case 'J':
      return screen.eraseScreen(parameters);
    case 'K':
      return screen.erase(parameters);
  }
}

/** A string such as a window title or a link's address: to its terminator, but never beyond the line. */
function controlString(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    const char = text[i];
    if (char === '\u0007') return i + 1;
    if (char === '\u001b') return text[i + 1] === '\\' ? i + 2 : i;
    if (char === '\n') return i;
  }
  return text.length;
}
