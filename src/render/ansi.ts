/**
 * Output of commands as a terminal would show it, line by line: colours become spans, `\r`, backspace and
 * erase-in-line rewrite the line, other well-formed sequences are dropped, and what is left of control bytes is text.
 */
import type { StyledLine } from './page';
import { byteLength, caret } from '../text';

/** Characters of one line that are kept. */
const LONGEST_LINE = 4000;

const CONTROL = /[\p{Cc}\p{Cs}]/gu;
const CSI = /([0-?]*)[ -/]*([@-~])/y;
const CSI_CUT = /[0-?]*[ -/]*$/y;

/** A style is a number: 0 to 16 the colour (0: none), then a bit for each attribute. */
const ATTRIBUTES = [
  { on: 1, off: 22, bit: 32, group: 'AcpAnsiBold' },
  { on: 2, off: 22, bit: 64, group: 'AcpAnsiDim' },
  { on: 3, off: 23, bit: 128, group: 'AcpAnsiItalic' },
  { on: 4, off: 24, bit: 256, group: 'AcpAnsiUnderline' },
] as const;
const COLOURS = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

function groupsOf(style: number): string[] {
  const colour = style & 31;
  const groups = ATTRIBUTES.filter(({ bit }) => style & bit).map(({ group }) => group as string);
  if (colour === 0) groups.unshift('AcpToolOutput');
  else groups.unshift(`AcpAnsi${colour > 8 ? 'Bright' : ''}${COLOURS[(colour - 1) % 8]}`);
  return groups;
}

/** The nearest of the 16 colours, 1-based. */
function nearest(red: number, green: number, blue: number): number {
  const max = Math.max(red, green, blue);
  const min = Math.min(red, green, blue);
  if (max - min < 48) return max < 48 ? 1 : max < 140 ? 9 : max < 220 ? 8 : 16;
  const middle = min + 0.6 * (max - min);
  const hue = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0);
  return 1 + hue + (max > 210 ? 8 : 0);
}

function indexed(index: number): number {
  if (index < 16) return index + 1;
  if (index >= 232) return nearest(...grey(8 + 10 * (index - 232)));
  const cube = index - 16;
  const level = (n: number): number => (n === 0 ? 0 : 55 + 40 * n);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function grey(level: number): [number, number, number] {
  return [level, level, level];
}

/** Applies the parameters of a "select graphic rendition" sequence to a style. */
function rendition(style: number, parameters: string): number {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 0) style = 0;
    else if (code === 39) style &= ~31;
    else if (code >= 30 && code <= 37) style = (style & ~31) | (code - 29);
    else if (code >= 90 && code <= 97) style = (style & ~31) | (code - 81);
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i);
      if (code === 38 && colour > 0) style = (style & ~31) | colour;
      i += used;
    } else {
      for (const { on, off, bit } of ATTRIBUTES) {
        if (code === on) style |= bit;
        else if (code === off) style &= ~bit;
      }
    }
  }
  return style;
}

/** The colour of `38;5;N` or `38;2;R;G;B`, and how many parameters belong to it. */
function extended(codes: number[], at: number): [colour: number, used: number] {
  const [mode, a = 0, b = 0, c = 0] = codes.slice(at + 1, at + 5);
  if (mode === 5) return [a >= 0 && a < 256 ? indexed(a) : 0, 2];
  return mode === 2 ? [nearest(a, b, c), 4] : [0, 0];
}

class Screen {
  readonly lines: StyledLine[] = [];
  style = 0;
  #chars: string[] = [];
  #styles: number[] = [];
  #column = 0;
  #cut = false;

  write(text: string): void {
    for (const char of text) {
      if (this.#column >= LONGEST_LINE) {
        this.#cut = true;
        return;
      }
      this.#chars[this.#column] = char;
      this.#styles[this.#column++] = this.style;
    }
  }

  move(column: number): void {
    this.#column = Math.min(Math.max(column, 0), LONGEST_LINE);
    for (let i = this.#chars.length; i < this.#column; i++) {
      this.#chars.push(' ');
      this.#styles.push(0);
    }
  }

  moveBy(columns: number): void {
    this.move(this.#column + columns);
  }

  /** Erases to the end of the line, from its beginning, or all of it. */
  erase(what: string): void {
    if (what === '1' || what === '2') {
      const end = what === '2' ? this.#chars.length : Math.min(this.#column, this.#chars.length);
      this.#chars.fill(' ', 0, end);
      this.#styles.fill(0, 0, end);
    }
    if (what !== '1') {
      this.#chars.length = Math.min(this.#chars.length, this.#column);
      this.#styles.length = this.#chars.length;
    }
  }

  newline(): void {
    const spans: StyledLine['spans'] = [];
    let text = '';
    let column = 0;
    for (let i = 0; i < this.#chars.length;) {
      const style = this.#styles[i]!;
      let end = i + 1;
      while (end < this.#chars.length && this.#styles[end] === style) end++;
      const run = this.#chars.slice(i, end).join('');
      const to = column + byteLength(run);
      for (const group of groupsOf(style)) spans.push([column, to, group]);
      text += run;
      column = to;
      i = end;
    }
    this.lines.push({ text: this.#cut ? `${text}…` : text, spans });
    this.#chars = [];
    this.#styles = [];
    this.#column = 0;
    this.#cut = false;
  }
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
  screen.newline();
  return screen.lines;
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
  } else if (final === 'K') screen.erase(parameters);
  else if (final === 'C') screen.moveBy(amount);
  else if (final === 'D') screen.moveBy(-amount);
  else if (final === 'G') screen.move(amount - 1);
  return at + whole.length;
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
