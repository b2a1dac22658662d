/** What Neovim asks of reviews: of a session that is open, or of the last one of a folder. */
import { setTimeout } from 'node:timers/promises';
import { errorText } from '../acp/connection';
import type { ReviewOf, ToSidecar } from '../nvim/protocol';
import type { Review } from '../review/review';
import { openReview, storedReviews } from '../review/stored';
import type { SessionContext } from './context';
import type { Session } from './session';

/** How long a review is waited for that another process has open, and how often it is looked for. */
const PATIENCE_MS = 3000;
const AGAIN_MS = 100;

export interface ReviewsOptions {
  context: () => SessionContext;
  session: (id: string) => Session | undefined;
  /** The last one that is open in a folder and has had a turn. */
  sessionIn: (cwd: string) => Session | undefined;
  /** Whether a session that is open has this review. */
  isOpen: (file: string) => boolean;
}

export class Reviews {
  readonly #options: ReviewsOptions;
  /** Reviews of former sessions, by file; each is opened once, however often it is asked for meanwhile. */
  readonly #former = new Map<string, Promise<Review>>();

  constructor(options: ReviewsOptions) {
    this.#options = options;
  }

  async open({ scope, ...of }: ToSidecar['review.open']): Promise<void> {
    const review = await this.#find(of);
    const view = await review?.show(scope);
    if (!view || view.files.length === 0) {
      for (const limit of view?.limits ?? []) await this.#say('warn', limit);
      if (!view) return this.#say('info', 'there is nothing to review');
    }
    await this.#show(of, view);
  }

  async decide(params: ToSidecar['review.decide']): Promise<void> {
    const { scope, action, path, line, text, ...of } = params;
    const review = await this.#find(of);
    if (!review) return this.#say('info', 'there is nothing to review');
    try {
      await review.decide(scope, action, {
        ...(path === undefined ? {} : { path }),
        ...(line === undefined ? {} : { line }),
        ...(text === undefined ? {} : { text }),
      });
    } catch (error) {
      await this.#say('error', errorText(error));
    }
    await this.#show(of, await review.show(scope));
  }

  async diff({ scope, ...of }: ToSidecar['review.diff']): Promise<void> {
    const lines = (await (await this.#find(of))?.diff(scope)) ?? [];
    if (lines.length === 0) return this.#say('info', 'nothing was changed that is not decided');
    const title = scope === 'turn' ? 'the last turn' : 'the session';
    await this.#editor.request('review.text', { title: `changes of ${title}`, lines });
  }

  async undo({ redo = false, confirmed, ...of }: ToSidecar['review.undo']): Promise<void> {
    const review = await this.#find(of);
    const nothing = redo ? 'no undo to take back' : 'no turn to take back';
    try {
      if (!review) return await this.#say('info', nothing);
      if (confirmed === undefined) {
        const plan = await review.undoPlan(redo);
        if (!plan) return await this.#say('info', nothing);
        return await this.#editor.request('undo.ask', { of, redo, plan }).then(() => {});
      }
      await review.undo(confirmed);
      await this.#say('info', redo ? 'the undo was taken back' : 'the turn was taken back');
    } catch (error) {
      await this.#say('error', errorText(error));
    }
    this.#session(of)?.changed();
  }

  async resend({ session: id, why }: ToSidecar['review.resend']): Promise<void> {
    const session = this.#options.session(id);
    const review = await this.#find({ session: id, cwd: session?.cwd ?? '' });
    const rejected = (await review?.takeRejected()) ?? [];
    if (!session || rejected.length === 0) return this.#say('info', 'no hunk was rejected');
    session.send({ text: rejectedPrompt(rejected, why) });
  }

  /** Forgets what was recorded of the session, and of the former ones of its folder, which would come to light then. */
  async drop(of: ReviewOf): Promise<void> {
    const dropped = new Set<Review>();
    let review = await this.#find(of);
    // One whose turn is running has begun anew.
    while (review?.begun && !dropped.has(review)) {
      dropped.add(review);
      await review.drop();
      review = await this.#find(of);
    }
    this.#session(of)?.changed();
    const words =
      dropped.size > 0
        ? 'the record is dropped: nothing is left to review or to undo'
        : 'there is no record to drop';
    await this.#say('info', words);
  }

  async close(): Promise<void> {
    const closed = [...this.#former.values()].map((review) =>
      review.then(
        (opened) => opened.close(),
        () => undefined, // Who asked for it has told that it couldn't be opened.
      ),
    );
    await Promise.all(closed);
  }

  /** The review of the session; where that has had no turn yet, the last one of its folder that has something left. */
  async #find(of: ReviewOf): Promise<Review | null> {
    const own = await this.#session(of)?.changes.review;
    if (own?.begun) return own;
    for (const file of await this.#stored(of.cwd)) {
      const review = await this.#open(file, of.cwd);
      if (review.begun) return review;
    }
    return own ?? null;
  }

  #open(file: string, cwd: string): Promise<Review> {
    const known = this.#former.get(file);
    if (known) return known;
    const { config, editor, onFault } = this.#options.context();
    const stored = { roots: [cwd], cwd, agent: '', session: null, file };
    const review = openReview({ ...stored, stateDir: config.stateDir, editor, onFault });
    this.#former.set(file, review);
    // One that can't be opened is tried again.
    review.catch(() => this.#former.delete(file));
    return review;
  }

  /**
   * Files of the reviews of former sessions, the latest first. A sidecar lives on for as long as its agents take to end: who
   * starts Neovim anew at once waits for that.
   */
  async #stored(cwd: string): Promise<string[]> {
    const { stateDir } = this.#options.context().config;
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const all = await storedReviews(stateDir, cwd);
      const former = all.filter(({ file }) => !this.#options.isOpen(file));
      if (!former[0]?.taken || Date.now() >= end) {
        return former.flatMap(({ file, taken }) => (taken ? [] : file));
      }
      await setTimeout(AGAIN_MS);
    }
  }

  async #show(of: ReviewOf, review: Awaited<ReturnType<Review['show']>>): Promise<void> {
    await this.#editor.request('review.show', { review });
    this.#session(of)?.changed();
  }

  #session({ session, cwd }: ReviewOf): Session | undefined {
    const { session: named, sessionIn } = this.#options;
    return session === undefined ? sessionIn(cwd) : named(session);
  }

  get #editor(): SessionContext['editor'] {
    return this.#options.context().editor;
  }

  async #say(level: 'info' | 'warn' | 'error', message: string): Promise<void> {
    await this.#editor.request('notify', { level, message });
  }
}

/** What the agent is told of its rejected changes. */
function rejectedPrompt(rejected: { patch: string }[], why: string): string {
  const patches = rejected.map(({ patch }) => patch.replace(/\n$/, '')).join('\n');
  const fence = '`'.repeat(
    Math.max(3, ...[...patches.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return [
    'I rejected these changes of yours; the files are without them again.',
    ...(why.trim() === '' ? [] : [why.trim()]),
    `${fence}diff\n${patches}\n${fence}`,
  ].join('\n\n');
}
