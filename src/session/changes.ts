/**
 * What the turns of a session change on disk: recorded for the review, told to the editor, counted for a turn's last line.
 * A fault here never holds a turn back: it is told once, and the turn goes on without a record.
 */
import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorText } from '../acp/connection';
import type { ToolCallPatch } from '../acp/events';
import type { Written } from '../client/files';
import type { ChangedFiles } from '../review/changed';
import type { Review } from '../review/review';
import { openBaselines, openReview } from '../review/stored';
import { pathsOf } from '../render/subject';
import type { ToolBlock } from './model';
import type { Session } from './session';
import { isFinal } from './turn-summary';

/** Tool kinds that change nothing. */
const HARMLESS = ['read', 'search', 'think', 'fetch', 'switch_mode'];

/** The longest that a prompt waits for the record. */
const PATIENCE_MS = 5000;

export interface ChangesOptions {
  session: Session;
  agent: string;
  /** Extra folders of the configuration. */
  roots: string[];
}

export class Changes {
  readonly #session: Session;
  readonly #review: Promise<Review | null>;
  #opened: Review | null = null;
  #told = false;
  /** Paths that were looked at in this turn before they may change. */
  readonly #sighted = new Map<string, Promise<void>>();
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #location: { path: string; line?: number } | null = null;

  constructor({ session, agent, roots }: ChangesOptions) {
    this.#session = session;
    const { context, cwd, id } = session;
    this.#review = openReview({
      roots: [cwd, ...roots],
      cwd,
      agent,
      session: id,
      stateDir: context.config.stateDir,
      editor: context.editor,
      onFault: context.onFault,
    }).then(
      (review) => {
        // What goes wrong now goes wrong again when a turn begins, and is told then.
        review.warm().catch(() => {});
        return (this.#opened = review);
      },
      (error: unknown) => this.#fault('nothing can be reviewed or undone', error),
    );
  }

  /** The session has further folders. */
  adopt(dirs: readonly string[]): void {
    const { stateDir } = this.#session.context.config;
    this.#review
      .then((review) => review?.adopt((tops) => openBaselines(dirs, stateDir, tops)))
      .catch((error: unknown) => this.#fault('further folders can’t be reviewed', error));
  }

  /** Null where nothing can be recorded. */
  get review(): Promise<Review | null> {
    return this.#review;
  }

  /** Where the review is kept. */
  get file(): string | null {
    return this.#opened?.file ?? null;
  }

  /** Whether there was a turn that can be reviewed. */
  get begun(): boolean {
    return this.#opened?.begun ?? false;
  }

  /** What is yet to be reviewed, as far as it was looked for. */
  get pending(): ReturnType<Review['pending']> {
    return this.#opened?.pending() ?? null;
  }

  /** Where the agent works. */
  get location(): { path: string; line?: number } | null {
    return this.#location;
  }

  /** Records the tree as it stands; the prompt is sent afterwards. */
  async turnStarted(title: string): Promise<void> {
    this.#tell('turn.started', { session: this.#session.id });
    this.#sighted.clear();
    const recorded = this.#record(title).then(() => true);
    const patience = setTimeout(PATIENCE_MS, false, { ref: false });
    if (await Promise.race([recorded, patience])) return;
    const { reducer, context } = this.#session;
    const seconds = PATIENCE_MS / 1000;
    reducer.notice(
      'warning',
      `Recording the working tree takes more than ${seconds} s: the prompt is sent meanwhile`,
      'What the agent changes until it is recorded can’t be reviewed or undone.',
      context.now(),
    );
    this.#session.changed();
  }

  async #record(title: string): Promise<void> {
    const review = await this.#review;
    await review
      ?.turnStarted(title)
      .catch((error: unknown) => this.#fault('this turn can’t be reviewed or undone', error));
  }

  /** Looks at what the turn changed, and says so in its last line `turnLine`. */
  async turnEnded(stopReason: string, turnLine: string | null): Promise<void> {
    this.#location = null;
    const { id: session } = this.#session;
    await this.#look();
    const changed = await this.#count(turnLine);
    const files = changed?.files.map(({ path }) => path) ?? [];
    this.#tell('turn.ended', { session, stopReason, files });
  }

  /** What the turn that has ended changed, for its last line. */
  async #count(turnLine: string | null): Promise<ChangedFiles | null> {
    const review = await this.#review;
    const changed = await review
      ?.turnEnded()
      .catch((error: unknown) => this.#fault('what the turn changed is not known', error));
    if (changed && turnLine !== null) {
      const { files, added, removed } = changed;
      this.#session.reducer.turnChanged(turnLine, { files: files.length, added, removed });
    }
    this.#session.changed();
    return changed ?? null;
  }

  /** The agent tells of a call: what it names is looked at before it changes, and again when it is done. */
  toolCall(tool: ToolBlock, patch: ToolCallPatch): void {
    const places = pathsOf(tool).filter(({ path }) => isAbsolute(path));
    const [place] = places;
    if (place && (patch.locations !== undefined || patch.content !== undefined)) {
      this.#location = place;
    }
    void this.sight(places.map(({ path }) => path));
    if (isFinal(tool.status) && !HARMLESS.includes(tool.toolKind)) void this.#look();
  }

  /** Files that may be about to change. Ends when all of them have been looked at. */
  async sight(paths: string[]): Promise<void> {
    for (const path of paths) {
      if (!this.#sighted.has(path)) this.#sighted.set(path, this.#sight(path));
    }
    await Promise.all(paths.flatMap((path) => this.#sighted.get(path) ?? []));
  }

  async #sight(path: string): Promise<void> {
    try {
      await (await this.#review)?.sight(path);
    } catch (error) {
      this.#session.context.onFault('first sight of a file', error);
    }
  }

  /** The agent wrote through the editor. */
  wrote(path: string, { before, disk, after }: Written): void {
    this.#review
      .then((review) => review?.wrote(path, before ?? '', after, disk ?? undefined))
      .catch((error: unknown) => this.#session.context.onFault('a write for the review', error));
  }

  /** The user saved a buffer. */
  async saved(path: string, before: string | undefined, text: string): Promise<void> {
    await (await this.#review)?.saved(path, before, text);
    this.#session.changed();
  }

  /** The buffer of a file that was changed on disk held `mine`, and now holds `after`: the user decided. */
  async resolved(path: string, mine: string, after: string): Promise<void> {
    await (await this.#review)?.resolved(path, mine, after);
    // Until now the buffer was as the user had it: the turn has changed something there after all, or it has not.
    const { turnLine } = this.#session.reducer;
    if (turnLine !== null) await this.#count(turnLine);
    this.#session.changed();
  }

  /** The text that a file had on disk when the turn began. */
  async recorded(path: string): Promise<string | null> {
    return (await (await this.#review)?.recorded(path)) ?? null;
  }

  async close(): Promise<void> {
    await (await this.#review)?.close();
  }

  /** One look at a time; what was asked for meanwhile is one more. */
  async #look(): Promise<void> {
    if (this.#looking) {
      this.#lookAgain = true;
      return this.#looking;
    }
    this.#looking = this.#lookOnce();
    await this.#looking;
    this.#looking = null;
    if (!this.#lookAgain) return;
    this.#lookAgain = false;
    await this.#look();
  }

  async #lookOnce(): Promise<void> {
    const { context, id: session } = this.#session;
    try {
      await context.editor.request('buffers.check', {});
      const touched = await (await this.#review)?.touched();
      for (const { path, hunks } of touched?.files ?? []) {
        await context.editor.request('file.changed', { session, path, hunks });
      }
    } catch (error) {
      context.onFault('looking for changed files', error);
    }
    this.#session.changed();
  }

  /** Says once what can't be had, and why. */
  #fault(what: string, error: unknown): null {
    const { context, reducer } = this.#session;
    context.onFault(what, error);
    if (!this.#told) {
      this.#told = true;
      reducer.notice(
        'warning',
        `The working tree could not be recorded: ${what}`,
        errorText(error),
        context.now(),
      );
      this.#session.changed();
    }
    return null;
  }

  #tell(...[method, params]: Tell): void {
    const { editor, onFault } = this.#session.context;
    editor.request(method, params as never).catch((error: unknown) => onFault(method, error));
  }
}

type Tell =
  | ['turn.started', { session: string }]
  | ['turn.ended', { session: string; stopReason: string; files: string[] }];
