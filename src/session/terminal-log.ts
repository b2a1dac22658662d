/** All output of terminals that can be looked at: of each its end, up to some megabytes, as long as there is room. */
import type { TerminalState } from './model';

/** Characters of one terminal. */
const LONGEST = 4 * 1024 * 1024;
/** Characters of all terminals of a session. */
const MOST = 16 * 1024 * 1024;
/** Pieces are put together up to this length: agents send some outputs character by character. */
const PIECE = 4096;

/** A text that grows at its end and loses its beginning. Places in it are counted from what came first of all. */
export class TerminalLog {
  readonly #limit: number;
  readonly #pieces: string[] = [];
  #start = 0;
  #end = 0;
  readonly #lost: boolean;

  /** `lost`: there was something before the first of it. */
  constructor(lost = false, limit = LONGEST) {
    this.#lost = lost;
    this.#limit = limit;
  }

  /** Whether its beginning is gone. */
  get lost(): boolean {
    return this.#lost || this.#start > 0;
  }

  /** The place of the first character that is kept. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** How many characters are kept. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** How many lines are kept. */
  get lines(): number {
    let lines = 1;
    for (const piece of this.#pieces) {
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) lines++;
    }
    return lines;
  }

  push(text: string): void {
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.#pieces[last]!.length + text.length <= PIECE) this.#pieces[last] += text;
    else this.#pieces.push(text);
    this.#end += text.length;
    while (this.#pieces.length > 1 && this.size > this.#limit) {
      this.#start += this.#pieces.shift()!.length;
    }
    // One piece that is too long by itself.
    if (this.size > this.#limit) {
      this.#pieces[0] = this.#pieces[0]!.slice(-this.#limit);
      this.#start = this.#end - this.#limit;
    }
  }

  /** Some `most` characters from `from` on, or from the first one that is kept behind it. */
  read(from: number, most: number): string {
    let at = this.#start;
    let text = '';
    for (const piece of this.#pieces) {
      const skip = Math.max(0, from - at);
      at += piece.length;
      if (skip >= piece.length) continue;
      text += piece.slice(skip, skip + most - text.length);
      if (text.length >= most) break;
    }
    return text;
  }
}

export class TerminalLogs {
  readonly #logs = new Map<string, TerminalLog>();
  /** Characters of all of them. */
  #total = 0;

  /** The log of a terminal; where there is none, what is known of it begins one. */
  of({ id, output, truncated }: TerminalState): TerminalLog {
    const known = this.#logs.get(id);
    if (known) return known;
    const log = new TerminalLog(truncated);
    if (output) log.push(output);
    this.#total += log.size;
    this.#logs.set(id, log);
    return log;
  }

  /** Adds to the output of a terminal, as it was `before`; the oldest others make room. */
  push(before: TerminalState, text: string): void {
    const log = this.of(before);
    const was = log.size;
    log.push(text);
    this.#total += log.size - was;
    for (const id of this.#logs.keys()) {
      if (this.#total <= MOST) return;
      if (id !== before.id) this.forget(id);
    }
  }

  forget(terminal: string): void {
    this.#total -= this.#logs.get(terminal)?.size ?? 0;
    this.#logs.delete(terminal);
  }
}
