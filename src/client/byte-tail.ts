/** The last bytes of a stream of text, in a ring: no push copies what is already there, and memory has a bound. */
export class ByteTail {
  readonly #limit: number;
  #ring = Buffer.alloc(0);
  #start = 0;
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether something was dropped. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Appends UTF-8. */
  push(bytes: Buffer): void {
    if (this.#length + bytes.length > this.#limit) this.#truncated = true;
    const tail = bytes.length > this.#limit ? bytes.subarray(bytes.length - this.#limit) : bytes;
    this.#grow(Math.min(this.#length + tail.length, this.#limit));
    const size = this.#ring.length;
    const overflow = Math.max(0, this.#length + tail.length - size);
    const at = size === 0 ? 0 : (this.#start + this.#length) % size;
    const first = Math.min(tail.length, size - at);
    tail.copy(this.#ring, at, 0, first);
    tail.copy(this.#ring, 0, first);
    this.#start = size === 0 ? 0 : (this.#start + overflow) % size;
    this.#length += tail.length - overflow;
  }

  /** The text, from the first whole character. */
  toString(): string {
    const bytes = this.#bytes();
    let from = 0;
    if (this.#truncated) while ((bytes[from] ?? 0) >> 6 === 0b10) from++;
    return bytes.toString('utf8', from);
  }

  #bytes(): Buffer {
    const end = this.#start + this.#length;
    const size = this.#ring.length;
    if (end <= size) return this.#ring.subarray(this.#start, end);
    return Buffer.concat([this.#ring.subarray(this.#start), this.#ring.subarray(0, end - size)]);
  }

  /** Makes room for `needed` bytes, at least twice the present room, so that growing costs little in sum. */
  #grow(needed: number): void {
    if (needed <= this.#ring.length) return;
    const ring = Buffer.alloc(Math.min(this.#limit, Math.max(needed, 2 * this.#ring.length, 4096)));
    this.#bytes().copy(ring);
    this.#ring = ring;
    this.#start = 0;
  }
}
