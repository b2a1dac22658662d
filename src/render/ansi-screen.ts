/** What a terminal would show of an output: rows that can be written over, as far up as they are at hand. */
import { byteLength } from '../text';
import { groupsOf } from './ansi-style';
import type { StyledLine } from './page';

/** Characters of one line that are kept. */
export const LONGEST_LINE = 4000;
/** Rows of a screen that programs may expect. */
const MOST_ROWS = 500;

class Row {
  readonly chars: string[] = [];
  readonly styles: number[] = [];
  cut = false;

  /** Fills up to a column with blanks. */
  reach(column: number): void {
    for (let i = this.chars.length; i < column; i++) {
      this.chars.push(' ');
      this.styles.push(0);
    }
  }

  blank(from: number, to: number): void {
    this.chars.fill(' ', from, to);
    this.styles.fill(0, from, to);
  }

  end(column: number): void {
    this.chars.length = Math.min(this.chars.length, column);
    this.styles.length = this.chars.length;
  }

  line(): StyledLine {
    const spans: StyledLine['spans'] = [];
    let text = '';
    let column = 0;
    for (let i = 0; i < this.chars.length;) {
      const style = this.styles[i]!;
      let end = i + 1;
      while (end < this.chars.length && this.styles[end] === style) end++;
      const run = this.chars.slice(i, end).join('');
      const to = column + byteLength(run);
      for (const group of groupsOf(style)) spans.push([column, to, group]);
      text += run;
      column = to;
      i = end;
    }
    return { text: this.cut ? `${text}…` : text, spans };
  }
}

export class Screen {
  style = 0;
  readonly #rows = [new Row()];
  #row = 0;
  #column = 0;
  /** Where the screen begins that the program has cleared; null: it never has. */
  #top: number | null = null;

  lines(): StyledLine[] {
    return this.#rows.map((row) => row.line());
  }

  write(text: string): void {
    const row = this.#here;
    for (const char of text) {
      if (this.#column >= LONGEST_LINE) {
        row.cut = true;
        return;
      }
      row.chars[this.#column] = char;
      row.styles[this.#column++] = this.style;
    }
  }

  newline(): void {
    if (++this.#row === this.#rows.length) this.#rows.push(new Row());
    this.#column = 0;
  }

  /** To a column of the row. */
  move(column: number): void {
    this.#column = Math.min(Math.max(column, 0), LONGEST_LINE);
    this.#here.reach(this.#column);
  }

  moveBy(columns: number): void {
    this.move(this.#column + columns);
  }

  /** Up, or down as far as there are rows; the column stays. */
  climb(rows: number): void {
    this.#row = Math.min(Math.max(this.#row + rows, this.#top ?? 0), this.#rows.length - 1);
    this.move(this.#column);
  }

  /** To a row and a column of the screen, where it is known where that begins. */
  place(row: number, column: number): void {
    if (this.#top === null) return;
    this.#row = this.#top + Math.min(Math.max(row, 0), MOST_ROWS);
    while (this.#rows.length <= this.#row) this.#rows.push(new Row());
    this.move(column);
  }

  /** Erases to the end of the row, from its beginning, or all of it. */
  erase(what: string): void {
    const row = this.#here;
    if (what === '1' || what === '2') {
      row.blank(0, what === '2' ? row.chars.length : Math.min(this.#column, row.chars.length));
    }
    if (what !== '1') row.end(this.#column);
  }

  /** Erases to the end of the screen, from its beginning, or all of it. */
  eraseScreen(what: string): void {
    if (what === '' || what === '0') {
      this.#rows.length = this.#row + 1;
      this.erase('0');
    } else if (what === '1') {
      for (let i = this.#top ?? 0; i < this.#row; i++) this.#rows[i] = new Row();
      this.erase('1');
    } else if (what === '2') {
      // What stands there is scrolled out the first time, and then it is the same screen, drawn anew.
      const used = this.#rows.at(-1)!.chars.length > 0;
      this.#top ??= used ? this.#rows.length : this.#rows.length - 1;
      const below = this.#row - this.#top;
      this.#rows.length = this.#top;
      this.#row = this.#top + Math.max(below, 0);
      while (this.#rows.length <= this.#row) this.#rows.push(new Row());
      this.move(this.#column);
    }
  }

  get #here(): Row {
    return this.#rows[this.#row]!;
  }
}
