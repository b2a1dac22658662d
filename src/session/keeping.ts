/** What is kept of a session on disk: what changed in its transcript, its queue, and what stands in its prompt. */
import type { Draft } from '../nvim/protocol';
import type { Journal } from '../store/journal';
import { Recorder } from '../store/recorder';
import type { Transcript } from './model';

/** The longest that something which changed is not written, in milliseconds. What is shown is always written before. */
const PACE_MS = 20;

const NOTHING: Draft = { text: '', attachments: [] };

export interface KeepingOptions {
  /** Null: nothing is written, such as where another process has the session. */
  journal: Journal | null;
  transcript: Transcript;
  /** Tells the recorder what changed in the transcript since the last time. */
  collect: () => void;
}

export class Keeping {
  readonly #transcript: Transcript;
  #journal: Journal | null;
  #recorder: Recorder | null;
  readonly #collect: () => void;
  /** What Neovim says that stands in the prompt. */
  #told = NOTHING;
  /** What was given back and does not stand there yet, as far as we know, the first one last. `nth`: of all. */
  #given: { nth: number; draft: Draft }[] = [];
  #givenCount = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ journal, transcript, collect }: KeepingOptions) {
    this.#transcript = transcript;
    this.#journal = journal;
    this.#collect = collect;
    this.#recorder = journal && new Recorder({ journal, transcript });
  }

  /** Names the session over restarts; null before there is anything to keep. */
  get key(): string | null {
    return this.#journal?.kept ? this.#journal.key : null;
  }

  /** Where it is told what is kept; null: nowhere. */
  get recorder(): Recorder | null {
    return this.#recorder;
  }

  /** From here on all is written that was not: what is there, and what comes. */
  begin(create: () => Journal): void {
    if (this.#journal) return;
    this.#journal = create();
    this.#recorder = new Recorder({ journal: this.#journal, transcript: this.#transcript });
  }

  /** What stands in the prompt. Written with what else has changed: a prompt that was sent, and what stays, are one change. */
  draft(told: Draft): void {
    this.#told = told;
    this.#given = this.#given.filter(({ nth }) => nth > (told.returned ?? 0));
    this.#draft();
  }

  /**
   * Something goes back to the prompt, before what stands there: written at once, as Neovim may not live to tell what it
   * made of it.
   */
  giveBack(draft: Draft): void {
    this.#given.unshift({ nth: ++this.#givenCount, draft });
    this.#draft();
    this.flush();
  }

  #draft(): void {
    const all = [...this.#given.map(({ draft }) => draft), this.#told];
    const texts = all.map(({ text }) => text).filter((text) => text.trim() !== '');
    const attachments = all.flatMap((draft) => draft.attachments);
    this.#recorder?.draft({ text: texts.join('\n'), attachments });
    this.schedule();
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
