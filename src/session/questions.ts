/** Open permission questions. Each is answered exactly once: by the user, or `cancelled`. */
import type { PermissionOption } from '../acp/events';

export type Outcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };

interface Open {
  block: string;
  options: PermissionOption[];
  resolve: (outcome: Outcome) => void;
}

export interface QuestionEvents {
  /** `option` null: cancelled. */
  onAnswered(question: string, block: string, option: PermissionOption | null): void;
}

export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #events: QuestionEvents;
  #count = 0;
  #cancels = 0;

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  get size(): number {
    return this.#open.size;
  }

  /** How often all were cancelled: tells whether that has happened since. */
  get cancels(): number {
    return this.#cancels;
  }

  /** Oldest first. */
  get open(): { id: string; block: string }[] {
    return [...this.#open].map(([id, { block }]) => ({ id, block }));
  }

  newId(): string {
    return `q${++this.#count}`;
  }

  /** Waits for the answer. `withdrawn`: the agent takes the question back. */
  ask(
    id: string,
    block: string,
    options: PermissionOption[],
    withdrawn: AbortSignal,
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#open.set(id, { block, options, resolve });
      if (withdrawn.aborted) this.#settle(id, null);
      else withdrawn.addEventListener('abort', () => this.#settle(id, null), { once: true });
    });
  }

  /** The user's choice; false where the question is no longer open or has no such option. */
  answer(id: string, optionId: string): boolean {
    const option = this.#open.get(id)?.options.find((candidate) => candidate.id === optionId);
    return option !== undefined && this.#settle(id, option);
  }

  cancelAll(): void {
    this.#cancels++;
    for (const id of [...this.#open.keys()]) this.#settle(id, null);
  }

  #settle(id: string, option: PermissionOption | null): boolean {
    const question = this.#open.get(id);
    if (!question) return false;
    this.#open.delete(id);
    question.resolve(
      option ? { outcome: 'selected', optionId: option.id } : { outcome: 'cancelled' },
    );
    this.#events.onAnswered(id, question.block, option);
    return true;
  }
}
