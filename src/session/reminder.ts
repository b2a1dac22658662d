/** Reminds of what was left unfinished in a folder, when a chat is opened there. */
import type { Store } from '../store/store';

export interface ReminderOptions {
  store: Pick<Store, 'list'>;
  /** Whether it is open in this Neovim. */
  isOpen: (key: string) => boolean;
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
    const { store, isOpen } = this.#options;
    // What came before the last one was left behind by the user's own will.
    const last = (await store.list(cwd)).find(({ key }) => !isOpen(key));
    if (!last || last.busy || !(last.running || last.draft)) return null;
    const middle = last.running ? 'ended in the middle' : 'has a draft';
    const draft = last.running && last.draft ? ', with a draft' : '';
    return `The last session here ${middle}${draft}: :AcpSessions`;
  }
}
