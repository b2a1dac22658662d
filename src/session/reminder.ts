/** Reminds of what was left unfinished in a folder, when a chat is opened there. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Store, StoredSummary } from '../store/store';

/** Who starts Neovim anew at once meets the sidecar of the former one, which still writes. */
const PAUSE_MS = 500;
const PAUSES = 6;

export interface ReminderOptions {
  store: Pick<Store, 'list'>;
  /** Whether it is open in this Neovim. */
  isOpen: (key: string) => boolean;
  pauseMs?: number;
}

export class Reminder {
  readonly #options: ReminderOptions;
  readonly #reminded = new Set<string>();

  constructor(options: ReminderOptions) {
    this.#options = options;
  }

  /** What is to be said in a new session there, the first time; null: nothing is unfinished. */
  async of(cwd: string): Promise<string | null> {
    if (this.#reminded.has(cwd)) return null;
    this.#reminded.add(cwd);
    let last = await this.#last(cwd);
    for (let n = 0; last?.busy && n < PAUSES; n++) {
      await delay(this.#options.pauseMs ?? PAUSE_MS, undefined, { ref: false });
      last = await this.#last(cwd);
    }
    if (!last || last.busy || !(last.running || last.draft)) return null;
    const middle = last.running ? 'ended in the middle' : 'has a draft';
    const draft = last.running && last.draft ? ', with a draft' : '';
    return `The last session here ${middle}${draft}: :AcpSessions`;
  }

  /** What came before the last one was left behind by the user's own will. */
  async #last(cwd: string): Promise<StoredSummary | undefined> {
    const { store, isOpen } = this.#options;
    return (await store.list(cwd)).find(({ key }) => !isOpen(key));
  }
}
