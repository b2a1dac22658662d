import type { Frame } from '../nvim/protocol';

/** One session's part of a flush. */
export interface Source {
  /** What changed since the last time; `null` when nothing did. */
  collect(): Frame | null;
  /** There is more than the last `collect` returned. */
  readonly pending: boolean;
}

export interface FlushOptions {
  /** Resolves when Neovim has taken the frames: until then none are built. */
  send: (frames: Frame[]) => Promise<void>;
  /** A frame could not be built or sent. Later ones are tried nevertheless. */
  onError?: (error: unknown) => void;
  now?: () => number;
  /** Calls back after `ms`, with 0 once all that has been read already is handled. */
  setTimer?: (callback: () => void, ms: number) => void;
}

/** Time between the beginnings of two flushes, in milliseconds: a frame of a screen at 60 Hz. */
const INTERVAL = 16;
/** The same while there is more than fits into one flush: half as much, twice as often, so that keys never wait long. */
const BACKLOG_INTERVAL = 8;

/**
 * Paces what goes to Neovim. The first change after a pause goes at once; in a flood one flush is in flight at a time,
 * and the next one begins 16 ms after it at the earliest. What gathers meanwhile goes along.
 */
export class Flush {
  readonly #sources = new Set<Source>();
  readonly #options: Required<FlushOptions>;
  #scheduled = false;
  #inFlight = false;
  #wanted = false;
  /** Who waits for the next flush that begins. */
  #waiting: (() => void)[] = [];
  #startedAt = -Infinity;

  constructor(options: FlushOptions) {
    this.#options = {
      onError: () => {},
      now: () => performance.now(),
      setTimer: defaultTimer,
      ...options,
    };
  }

  /** Adds a source; returns the function that removes it. */
  add(source: Source): () => void {
    this.#sources.add(source);
    return () => this.#sources.delete(source);
  }

  /** Something changed. Cheap: called for every chunk. */
  schedule(): void {
    this.#wanted = true;
    this.#startIn(INTERVAL);
  }

  #startIn(interval: number): void {
    if (this.#inFlight || this.#scheduled) return;
    const wait = Math.max(0, this.#startedAt + interval - this.#options.now());
    this.#scheduled = true;
    this.#options.setTimer(() => {
      this.#scheduled = false;
      void this.#run();
    }, wait);
  }

  /** Schedules a flush; resolves when one that began after this call has been taken. */
  taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.schedule();
    });
  }

  async #run(): Promise<void> {
    this.#wanted = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#startedAt = this.#options.now();
    const { frames, more } = this.#collect();
    if (frames.length > 0) {
      this.#inFlight = true;
      try {
        await this.#options.send(frames);
      } catch (error) {
        this.#options.onError(error);
      }
      this.#inFlight = false;
    }
    for (const resolve of waiting) resolve();
    if (more) this.#startIn(BACKLOG_INTERVAL);
    else if (this.#wanted) this.#startIn(INTERVAL);
  }

  #collect(): { frames: Frame[]; more: boolean } {
    const frames: Frame[] = [];
    let more = false;
    for (const source of this.#sources) {
      try {
        const frame = source.collect();
        if (frame) frames.push(frame);
        more ||= source.pending;
      } catch (error) {
        // Not counted as pending: a source that cannot be rendered is tried again when it changes, not for ever.
        this.#options.onError(error);
      }
    }
    return { frames, more };
  }
}

function defaultTimer(callback: () => void, ms: number): void {
  if (ms <= 0) setImmediate(callback);
  else setTimeout(callback, ms);
}
