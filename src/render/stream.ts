import type { Fence, Mark } from './ops';
import { byteLength, sanitize } from '../text';

/** Lines longer than this are shown without marks, so that the end of a long line costs no more than its length. */
const LONGEST_MARKED = 4000;

/** The line that is being written. */
export interface GrowingLine {
  row: number;
  /** Its beginning, when the line is `long`. */
  text: string;
  bytes: number;
  long: boolean;
}

/** Decorates lines from top to bottom. `mark` must not change anything: an unfinished line is marked again and again. */
export interface Decorator {
  mark(line: GrowingLine): Mark[];
  /** The line is complete. */
  end(line: GrowingLine): Fence | null;
  /** What a text that ends here leaves open. Changes nothing: more may come nevertheless. */
  open(line: GrowingLine, ended: boolean): Fence | null;
}

/** What a push adds: `text` goes to the end, `marks` begin with those of the line that was the last one. */
export interface Growth {
  text: string;
  marks: Mark[];
  fences: Fence[];
}

/**
 * Turns chunks of text into text to append, at the cost of the chunk: pushing in pieces gives what pushing the whole
 * gives, wherever the pieces are cut. Line breaks are held back until more text comes, so that none dangles.
 */
export class TextStream {
  readonly #decorator: Decorator;
  /** Half of a surrogate pair or of a `\r\n`. */
  #carry = '';
  #breaks = 0;
  #started = false;
  #line: GrowingLine = { row: 0, text: '', bytes: 0, long: false };
  #marks: Mark[] = [];
  #lineEnded = false;
  #closed = false;

  constructor(decorator: Decorator) {
    this.#decorator = decorator;
  }

  /** Its end has shown as more than an end: what comes after it must be written with all that came before. */
  get closed(): boolean {
    return this.#closed;
  }

  /** With `last`, the text is complete: nothing is held back of a character, an open fence closes. */
  push(chunk: string, last = false): Growth {
    let text = this.#carry + chunk;
    this.#carry = '';
    const end = text.charCodeAt(text.length - 1);
    if (end === 0x0d || (end >= 0xd800 && end <= 0xdbff)) {
      if (last) this.#closed = true;
      else this.#carry = text.slice(-1);
      if (!last || end === 0x0d) text = text.slice(0, -1);
    }
    const growth = this.#grow(sanitize(text));
    const fence = last && this.#decorator.open(this.#line, this.#lineEnded);
    if (fence) {
      this.#closed = true;
      growth.fences.push(fence);
    }
    return growth;
  }

  #grow(clean: string): Growth {
    const text = this.#started ? clean : clean.replace(/^\n+/, '');
    const growth: Growth = { text: '', marks: this.#marks, fences: [] };
    if (!text) return growth;
    this.#started = true;

    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--;
    if (end > 0) {
      growth.text = '\n'.repeat(this.#breaks) + text.slice(0, end);
      this.#breaks = 0;
      growth.marks = this.#write(growth.text, growth.fences);
    }
    this.#breaks += text.length - end;
    if (this.#breaks > 0) this.#endLine(growth.fences);
    return growth;
  }

  #write(text: string, fences: Fence[]): Mark[] {
    const marks: Mark[] = [];
    for (let at = 0; ;) {
      const next = text.indexOf('\n', at);
      this.#extend(text.slice(at, next < 0 ? text.length : next));
      for (const mark of this.#marks) marks.push(mark);
      if (next < 0) return marks;
      this.#endLine(fences);
      this.#line = { row: this.#line.row + 1, text: '', bytes: 0, long: false };
      this.#marks = [];
      this.#lineEnded = false;
      at = next + 1;
    }
  }

  #extend(text: string): void {
    if (!text) return;
    const line = this.#line;
    line.bytes += byteLength(text);
    if (!line.long) {
      line.long = line.text.length + text.length > LONGEST_MARKED;
      line.text += line.long ? text.slice(0, LONGEST_MARKED - line.text.length) : text;
    }
    this.#marks = this.#decorator.mark(line);
  }

  #endLine(fences: Fence[]): void {
    if (this.#lineEnded) return;
    this.#lineEnded = true;
    const fence = this.#decorator.end(this.#line);
    if (fence) fences.push(fence);
  }
}

/** The same group on all of the text. */
export class Dimmed implements Decorator {
  readonly #group: string;

  constructor(group: string) {
    this.#group = group;
  }
  mark(line: GrowingLine): Mark[] {
    return [[line.row, 0, line.bytes, this.#group]];
  }
  end(): null {
    return null;
  }
  open(): null {
    return null;
  }
}
