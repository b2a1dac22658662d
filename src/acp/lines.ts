/** Splits a stream of bytes into lines. Looks at each byte once, however long a line is and however it is cut up. */
export class LineSplitter {
  #parts: Buffer[] = [];
  readonly #onLine: (line: Buffer) => void;

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      if (end < 0) break;
      this.#emit(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  /** The last line needs no newline. */
  end(): void {
    if (this.#parts.length > 0) this.#emit(Buffer.alloc(0));
  }

  #emit(tail: Buffer): void {
    if (this.#parts.length === 0) return this.#onLine(tail);
    const line = Buffer.concat([...this.#parts, tail]);
    this.#parts = [];
    this.#onLine(line);
  }
}
