import { StringDecoder } from 'node:string_decoder';

/** A longer line is not kept: strings have an end, and nothing that an agent has to say is that long. */
const LONGEST = 256 * 1024 * 1024;

/**
 * Splits a stream of UTF-8 into lines. Looks at each byte once, however long a line is and however it is cut up: whole
 * reads are decoded, not lines. Bytes that are no UTF-8 become U+FFFD.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** The last line needs no newline. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#parts.length > 0) this.#emit('');
  }

  #take(text: string): void {
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end < 0) break;
      this.#emit(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#keep(start === 0 ? text : text.slice(start));
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= LONGEST) this.#parts.push(part);
  }

  #emit(tail: string): void {
    if (this.#parts.length === 0) return this.#onLine(tail);
    const line = this.#parts.join('') + tail;
    this.#parts = [];
    this.#length = 0;
    this.#onLine(line);
  }
}
