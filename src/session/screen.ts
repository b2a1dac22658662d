/** A session's part of the screen: what changed in transcript and status since the last frame. */
import type { Frame, Status } from '../nvim/protocol';
import type { TranscriptView } from '../render/view';

export interface ScreenOptions {
  session: string;
  /** Takes what changed in the transcript to the view. */
  drain: () => void;
  view: TranscriptView;
  status: () => Status;
}

export class Screen {
  readonly #options: ScreenOptions;
  /** The status as Lua has it, each field as JSON. */
  readonly #sent = new Map<string, string>();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  get pending(): boolean {
    return this.#options.view.pending;
  }

  /** The next frame, or null where nothing changed. */
  collect(): Frame | null {
    const { session, drain, view } = this.#options;
    drain();
    const ops = view.take();
    const { status, cleared } = this.#statusPatch();
    const frame: Frame = {
      session,
      ...(ops.length > 0 ? { ops } : {}),
      ...(Object.keys(status).length > 0 ? { status } : {}),
      ...(cleared.length > 0 ? { cleared } : {}),
    };
    return frame.ops || frame.status || frame.cleared ? frame : null;
  }

  #statusPatch(): { status: NonNullable<Frame['status']>; cleared: NonNullable<Frame['cleared']> } {
    const status: Record<string, unknown> = {};
    const cleared: string[] = [];
    for (const [field, value] of Object.entries(this.#options.status())) {
      const json = JSON.stringify(value);
      if (this.#sent.get(field) === json) continue;
      if (value !== null) status[field] = value;
      else if (this.#sent.has(field)) cleared.push(field);
      this.#sent.set(field, json);
    }
    return { status, cleared: cleared as NonNullable<Frame['cleared']> };
  }
}
