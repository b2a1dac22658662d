/** Open questions. Each is answered exactly once: by the user, or `cancelled`. */
import type { PermissionOption } from '../acp/events';
import type { FileDiff } from '../diff/file-diff';
import type { FormValue, Question } from '../nvim/protocol';

export type Outcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };

/** What the user chose, and said beside it. */
export interface Answer {
  option: PermissionOption;
  /** Why. */
  words?: string;
  /** What the file shall get instead of what was proposed. */
  text?: string;
  /** What was filled in, of a `form`. */
  values?: Record<string, FormValue>;
}

export interface Ask {
  id: string;
  /** Block of the card that holds it. */
  block: string;
  options: PermissionOption[];
  /** In place of what the card says. */
  title?: string;
  diff: FileDiff[];
  editable: true | string;
  /** What is asked for beside or in place of leave. */
  more?: Partial<Pick<Question, 'detail' | 'form' | 'url' | 'plan'>>;
  /** Whether an agent waits for the answer: then it ends with the turn, or with the agent. */
  waits: boolean;
  /** The agent goes on meanwhile. */
  meanwhile?: boolean;
}

interface Open {
  ask: Ask;
  resolve: (answer: Answer | null) => void;
}

export interface QuestionEvents {
  /** `option` null: cancelled. */
  onAnswered(ask: Ask, option: PermissionOption | null): void;
}

export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #events: QuestionEvents;
  #count = 0;
  #cancels = 0;

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  /** How many an agent waits for. */
  get waiting(): number {
    return this.open.filter(({ waits, meanwhile }) => waits && !meanwhile).length;
  }

  /** How often all were cancelled: tells whether that has happened since. */
  get cancels(): number {
    return this.#cancels;
  }

  /** Oldest first. */
  get open(): Ask[] {
    return [...this.#open.values()].map(({ ask }) => ask);
  }

  get(id: string): Ask | undefined {
    return this.#open.get(id)?.ask;
  }

  newId(): string {
    return `q${++this.#count}`;
  }

  /** Waits for the answer; null where there is none. `withdrawn`: whoever asks takes the question back. */
  ask(ask: Ask, withdrawn?: AbortSignal): Promise<Answer | null> {
    return new Promise((resolve) => {
      this.#open.set(ask.id, { ask, resolve });
      const withdraw = (): void => void this.#settle(ask.id, null);
      if (withdrawn?.aborted) withdraw();
      else withdrawn?.addEventListener('abort', withdraw, { once: true });
    });
  }

  /**
   * The user's choice. False where the question is no longer open, has no such option, or can't take a changed `text`:
   * then it stays as it is.
   */
  answer(
    id: string,
    optionId: string,
    { words, text, values }: Omit<Answer, 'option'> = {},
  ): boolean {
    const ask = this.get(id);
    const option = ask?.options.find((candidate) => candidate.id === optionId);
    if (!ask || !option || (text !== undefined && ask.editable !== true)) return false;
    return this.#settle(id, {
      option,
      ...(words?.trim() && { words: words.trim() }),
      ...(text !== undefined && { text }),
      ...(values !== undefined && { values }),
    });
  }

  /** It has no object any more; `how` it came so stands on its card. */
  withdraw(id: string, how: string): void {
    this.#settle(id, null, { id: '', name: how, kind: 'settled' });
  }

  /** Nobody waits for the agent's questions any more. */
  cancelAll(): void {
    this.#cancels++;
    for (const { id, waits } of this.open) if (waits) this.#settle(id, null);
  }

  /** Nobody waits for these any more. */
  cancel(which: (ask: Ask) => boolean): void {
    for (const ask of this.open) if (which(ask)) this.#settle(ask.id, null);
  }

  /** The chat is gone, and all questions with it. */
  dispose(): void {
    this.cancelAll();
    for (const { id } of this.open) this.#settle(id, null);
  }

  #settle(id: string, answer: Answer | null, shown = answer?.option ?? null): boolean {
    const question = this.#open.get(id);
    if (!question) return false;
    this.#open.delete(id);
    question.resolve(answer);
    this.#events.onAnswered(question.ask, shown);
    return true;
  }
}
