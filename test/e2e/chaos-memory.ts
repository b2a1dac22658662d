/** What the person at work remembers of the session, and what must be true of what is left of it. */

/** What was typed that short before a kill may not have been kept yet; twice it may stand there never. */
export const YOUNG_MS = 300;

/** All that can be seen of the session. */
export interface Sight {
  transcript: string;
  prompt: string;
  queue: string[];
  state: string;
}

/** A word of the user's. */
interface Word {
  /** When it was seen in the prompt. */
  typedAt: number;
  /** Whether it was seen among what was sent: from then on it stays, however short before a kill that was. */
  sent: boolean;
  /** The word that the user has written in its place: one of them is there. */
  instead?: string;
  /** When it was seen that it is not there any more. */
  goneAt: number;
}

export class Memory {
  readonly #words = new Map<string, Word>();
  /** Pieces of the agent's that were on screen before a kill. */
  readonly #seen = new Set<string>();

  /** The user types a word. */
  begins(word: string): void {
    this.#words.set(word, { typedAt: Infinity, sent: false, goneAt: Infinity });
  }

  /** It is seen in the prompt. */
  typed(word: string): void {
    this.#words.get(word)!.typedAt = Date.now();
  }

  knows(word: string): boolean {
    return this.#words.has(word);
  }

  /** The user writes `now` in place of others. */
  replaces(was: string[], now: string): void {
    this.begins(now);
    for (const word of was) this.#words.get(word)!.instead = now;
  }

  /** It could not be written. */
  keeps(was: string[], now: string): void {
    for (const word of was) delete this.#words.get(word)?.instead;
    this.#words.delete(now);
  }

  /** It is seen that they are not there any more. */
  gone(words: string[]): void {
    for (const word of words) this.#words.get(word)!.goneAt = Date.now();
  }

  /** What stands there shall do so after the kill. */
  remember({ transcript }: Sight): void {
    for (const piece of piecesOf(transcript)) this.#seen.add(piece);
    for (const word of wordsOf(transcript)) {
      const known = this.#words.get(word);
      if (known) known.sent = true;
    }
  }

  /** What was too young to be kept is no concern of what comes later. */
  forget({ transcript, prompt }: Sight): void {
    const shown = wordsOf(`${transcript} ${prompt}`);
    const lost = [...this.#words.keys()].filter((word) => !this.#isThere(word, shown));
    for (const word of lost) this.#words.delete(word);
  }

  /** Whether there is a session to be found after a kill at that time. */
  isKept(at: number): boolean {
    const words = [...this.#words.values()];
    return words.some(({ sent, typedAt }) => sent || isOld(typedAt, at));
  }

  /** What is wrong after a kill `at` that time. `messages`: what the agent says that it has said. */
  faults({ transcript, prompt, queue }: Sight, messages: string[], at: number): string[] {
    const shown = [...wordsOf(transcript), ...wordsOf(prompt)];
    const faults = [...this.#words].flatMap(([word, known]) =>
      this.#wordFaults(word, known, shown, at),
    );
    for (const word of queue.flatMap(wordsOf)) {
      if (!wordsOf(transcript).includes(word)) faults.push(`${word} waits, and is not shown`);
    }
    faults.push(...this.#pieceFaults(piecesOf(transcript), messages.flatMap(piecesOf)));
    return faults;
  }

  #wordFaults(
    word: string,
    { typedAt, sent, goneAt }: Word,
    shown: string[],
    at: number,
  ): string[] {
    const faults: string[] = [];
    const count = countOf(shown, word);
    if (count > 1) faults.push(`${word} is there ${count} times`);
    if (count > 0 && at - goneAt > YOUNG_MS) faults.push(`${word} was changed, and is back`);
    const isKept = sent || isOld(typedAt, at);
    if (isKept && !this.#isThere(word, shown)) faults.push(`${word} is missing`);
    return faults;
  }

  #pieceFaults(pieces: string[], said: string[]): string[] {
    const faults: string[] = [];
    for (const piece of this.#seen) {
      if (!pieces.includes(piece)) faults.push(`${piece} was there, and is missing`);
    }
    for (const piece of new Set(pieces)) {
      if (countOf(pieces, piece) > 1) faults.push(`${piece} is there more than once`);
      if (!said.includes(piece)) faults.push(`${piece} was never said`);
    }
    const order = said.filter((piece) => pieces.includes(piece));
    if (faults.length === 0 && order.join() !== pieces.join()) {
      faults.push(`the agent’s words are out of order: ${pieces.join()}`);
    }
    return faults;
  }

  /** Whether the word is there, or what was written in its place. */
  #isThere(word: string, shown: string[]): boolean {
    const { instead } = this.#words.get(word) ?? {};
    return shown.includes(word) || (instead !== undefined && this.#isThere(instead, shown));
  }
}

/** Whether what was seen to be typed then had its time until the kill, or was typed after it. */
function isOld(typedAt: number, at: number): boolean {
  return typedAt < at - YOUNG_MS || (typedAt > at && typedAt !== Infinity);
}

export const wordsOf = (text: string): string[] => text.match(/\bd\d+\./g) ?? [];
const piecesOf = (text: string): string[] => text.match(/\bm\d+b?#\d+\b/g) ?? [];

export function countOf<T>(items: readonly T[], wanted: T): number {
  return items.filter((item) => item === wanted).length;
}
