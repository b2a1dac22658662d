/**
 * A command that floods, or a tool that shows a clock, would fill the disk: what has cost a lot while it runs is written now
 * and then only, and in the end.
 */
import type { Block, TerminalState } from '../session/model';
import { isFinal } from '../session/turn-summary';

/** Characters that it may cost before. */
const PATIENCE = 1024 * 1024;
const NOW_AND_THEN_MS = 30_000;

type Subject = Block | TerminalState;

export class Patience {
  readonly #now: () => number;
  readonly #costs = new Map<string, { spent: number; at: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether it is too early to write it again. */
  waits(subject: Subject): boolean {
    if (this.#costs.size === 0) return false;
    const cost = this.#costs.get(key(subject));
    if (!cost || cost.spent < PATIENCE) return false;
    if (!isOver(subject)) return this.#now() < cost.at + NOW_AND_THEN_MS;
    this.#costs.delete(key(subject));
    return false;
  }

  spend(subject: Subject, length: number): void {
    if (isOver(subject)) return;
    const spent = this.#costs.get(key(subject))?.spent ?? 0;
    this.#costs.set(key(subject), { spent: spent + length, at: this.#now() });
  }

  /** What still changes has to be written whatever it costs: a turn is over. */
  forget(): void {
    this.#costs.clear();
  }
}

function key(subject: Subject): string {
  return 'kind' in subject ? subject.id : `terminal ${subject.id}`;
}

function isOver(subject: Subject): boolean {
  if (!('kind' in subject)) return subject.exit !== null;
  return subject.kind === 'tool' && isFinal(subject.status);
}
