/** What is kept of a session on disk: what changed in its transcript, its queue, and what stands in its prompt. */
import type { Draft } from '../nvim/protocol';
import type { Journal } from '../store/journal';
import { Recorder } from '../store/recorder';
import type { StoredSession } from '../store/replay';
import type { Transcript } from './model';

/** The longest that something which changed is not written, in milliseconds. What is shown is always written before. */
const PACE_MS = 20;

const NOTHING: Draft = { text: '', attachments: [] };

export interface KeepingOptions {
  /** Null: nothing is written, such as where another process has the session. */
  journal: Journal | null;
  transcript: Transcript;
  stored: StoredSession | null;
  /** Tells the recorder what changed in the transcript since the last time. */
  collect: () => void;
}

export class Keeping {
  readonly #journal: Journal | null;
  readonly #recorder: Recorder | null;
  readonly #collect: () => void;
  #draft: Draft;
  #timer: NodeJS.Timeout | null = null;

  constructor({ journal, transcript, stored, collect }: KeepingOptions) {
    this.#journal = journal;
    this.#collect = collect;
    this.#recorder = journal && new Recorder({ journal, transcript });
    this.#draft = stored?.draft ?? NOTHING;
  }

  /** Names the session over restarts; null before there is anything to keep. */
  get key(): string | null {
    return this.#journal?.kept ? this.#journal.key : null;
  }

  /** What stands in the prompt. */
  get draft(): Draft {
    return this.#draft;
  }

  /** Where it is told what is kept; null: nowhere. */
  get recorder(): Recorder | null {
    return this.#recorder;
  }

  /** Written with what else has changed: a prompt that was sent, and what stays of it, are one change. */
  set draft(draft: Draft) {
    this.#draft = draft;
    this.#recorder?.draft(draft);
    this.schedule();
  }

  /**
   * Prompts that go back to where they were typed, before what stands there: written at once, as Neovim may not live to
   * tell what it made of them.
   */
  giveBack({ text, attachments }: Draft): void {
    const typed = this.#draft.text;
    this.draft = {
      text: typed.trim() === '' ? text : `${text}\n${typed}`,
      attachments: [...attachments, ...this.#draft.attachments],
    };
    this.flush();
  }

  /** Something changed: it is written soon. Cheap: called for every chunk. */
  schedule(): void {
    if (this.#timer || !this.#recorder) return;
    this.#timer = setTimeout(() => this.flush(), PACE_MS);
  }

  /** Writes what changed. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#collect();
    this.#recorder?.flush();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#collect();
    this.#recorder?.close();
  }
}
