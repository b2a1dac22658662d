/**
 * The review of one session: who changed what since the session and the last turn began; keeping, rejecting and taking back.
 *
 * For each scope a file has a *base*: the text without the agent's changes but with the user's. What differs from it is pending.
 * Keeping moves the base, rejecting moves the file.
 */
import type { Baseline } from '../baseline/baseline';
import { shown } from '../diff/text';
import type { Editor } from '../nvim/editor';
import { Bases } from './bases';
import { changedBy, changedFiles, type ChangedFiles } from './changed';
import { decide, type Choice } from './decisions';
import type { FileEvent } from './file-event';
import { Ledger } from './ledger';
import { countLines, PendingFiles, type PendingFile } from './pending';
import { nameFrom, reviewFile } from './report';
import { beginTurn, emptyState, type Patch, type Scope, type State } from './state';
import { StateFile } from './state-file';
import { Tree } from './tree';
import { carryOut, planOf, type UndoParts } from './undo';
import { unified } from './unified';
import type { ReviewScope, ReviewView, UndoPlan } from './view';

export interface ReviewOptions {
  /** Of folders that are not in one another. They are closed by who opened them. */
  baselines: readonly Baseline[];
  /** Where the state is kept. */
  file: string;
  cwd: string;
  /** Name of the agent; empty: the one that the state names. */
  agent: string;
  /** Our id of the session, while it is open. */
  session: string | null;
  editor: Editor;
  onFault: (where: string, error: unknown) => void;
}

/** While a turn runs, the file of the state tells that often that its process lives, … */
const PULSE_MS = 5000;
/** … which an agent outlives by no more than this. */
const AFTERLIFE_MS = 5000;

export class Review {
  readonly #options: ReviewOptions;
  readonly #file: StateFile;
  readonly #parts: UndoParts;
  /** A turn was running of which the end was not seen: what it left behind is the agent's. */
  #interrupted: boolean;
  #pulse: NodeJS.Timeout | undefined;
  #counts: { files: number; added: number; removed: number } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** A look that has not begun yet. */
  #next: Promise<void> | null = null;

  private constructor(options: ReviewOptions, tree: Tree, file: StateFile, state: State) {
    const { editor, cwd } = options;
    this.#options = options;
    this.#file = file;
    const bases = new Bases(tree, state);
    const ledger = new Ledger({ tree, state, bases, editor });
    const pending = new PendingFiles({ tree, state, bases, ledger });
    this.#parts = { tree, state, bases, ledger, pending, editor, cwd };
    this.#interrupted = state.running;
    if (state.running) ledger.until = file.time + PULSE_MS + AFTERLIFE_MS;
  }

  /** Opens the review with what it remembers from before Neovim was restarted. */
  static async open(options: ReviewOptions): Promise<Review> {
    const tree = new Tree(options.baselines);
    const file = new StateFile(options.file, options.onFault);
    const state = await file.load(async ({ session, last }) => {
      if (session && last) await tree.changes(session.snapshots, last);
    });
    state.agent = options.agent || state.agent;
    const review = new Review(options, tree, file, state);
    await review.#run(() => review.#count());
    return review;
  }

  /** Where the state is kept. */
  get file(): string {
    return this.#file.path;
  }

  /** Whether there is a turn to be reviewed or taken back. */
  get begun(): boolean {
    return this.#parts.state.session !== null;
  }

  /** The text that a file had on disk when the turn began; null where it had none, or none that is text. */
  recorded(path: string): Promise<string | null> {
    return this.#run(async () => {
      const { turn, last } = this.#parts.state;
      const snapshots = turn?.snapshots ?? last;
      const entry =
        snapshots && this.#parts.tree.at(path) && (await this.#parts.tree.entry(snapshots, path));
      const content = await this.#parts.tree.read(path, entry);
      return content.kind === 'text' ? content.text : null;
    });
  }

  /** Looks at the tree once, so that the first turn need not wait for a look at all of it. */
  warm(): Promise<void> {
    return this.#run(async () => void (await this.#parts.tree.take()));
  }

  /**
   * The session has further folders from now on: `open` gives the baselines of those that `tops` do not hold. What was
   * changed there before is nobody's.
   */
  adopt(open: (tops: readonly string[]) => Promise<Baseline[]>): Promise<void> {
    return this.#run(async () => {
      const { tree, state } = this.#parts;
      const baselines = await open(tree.tops);
      if (baselines.length === 0) return;
      const taken = await tree.add(baselines);
      for (const scope of [state.session, state.turn]) {
        if (scope) scope.snapshots = { ...scope.snapshots, ...taken };
      }
      if (state.last) state.last = { ...state.last, ...taken };
    });
  }

  /** A prompt is about to be sent: what changes from now on is the agent's, until the turn ends. */
  turnStarted(title: string): Promise<void> {
    return this.#run(async () => {
      await this.#look();
      this.#parts.state.running = false;
      beginTurn(this.#parts.state, title);
      clearInterval(this.#pulse);
      this.#pulse = setInterval(() => void this.#file.touch(), PULSE_MS).unref();
    });
  }

  /** The turn is over; gives what it changed and what is not decided yet. */
  turnEnded(): Promise<ChangedFiles> {
    return this.#run(async () => {
      const { ledger } = this.#parts;
      try {
        await ledger.look();
        // What was saved while that look was under way is the user's.
        if (ledger.waits) await ledger.look();
      } catch (error) {
        // The next look ends the turn.
        this.#interrupted = true;
        ledger.until = Date.now();
        throw error;
      }
      this.#endTurn();
      const { turn } = this.#parts.state;
      return changedFiles(turn ? await this.#parts.pending.of(turn) : []);
    });
  }

  /** What the agent changed since the last look. */
  touched(): Promise<ChangedFiles> {
    return this.#run(async () => changedBy(this.#parts.tree, await this.#look()));
  }

  /** The user saved a buffer; `before` is the text of the file until then, where the buffer had seen it. */
  saved(path: string, before: string | undefined, text: string): Promise<void> {
    return this.#note({ type: 'saved', path, text, ...(before !== undefined && { before }) });
  }

  /**
   * The agent wrote `after` through the editor or the client, over `before`. `disk`: the text of the file until then, where it is
   * known: from it the user's unsaved edits are told apart from what the agent changed by itself.
   */
  wrote(path: string, before: string, after: string, disk?: string): Promise<void> {
    return this.#note({ type: 'wrote', path, before, after, ...(disk !== undefined && { disk }) });
  }

  /** A conflict was resolved: the buffer held `mine` and holds `after` now. */
  resolved(path: string, mine: string, after: string): Promise<void> {
    return this.#note({ type: 'resolved', path, mine, after });
  }

  /** A tool call names a file that it may be about to change. */
  sight(path: string): Promise<void> {
    return this.#run(() => this.#parts.tree.sight(path));
  }

  /** What is pending, as the tree stands now. */
  show(scope: ReviewScope): Promise<ReviewView> {
    return this.#run(async () => {
      await this.#look();
      return this.#view(scope);
    });
  }

  /**
   * Keeps or rejects what is pending in `scope`: all, one file, or in it the hunk at `line` (0: what is not lines). Gives what is
   * left. What fails is thrown as one error, after all else is done.
   */
  decide(scope: ReviewScope, action: 'keep' | 'reject', choice: Choice = {}): Promise<ReviewView> {
    return this.#run(async () => {
      await this.#look();
      const of = this.#scope(scope);
      if (!of) throw new Error('There is nothing to review');
      await decide(this.#parts, of, action, choice);
      // Buffers of files that were put back on disk take them over.
      if (action === 'reject') await this.#options.editor.request('buffers.check', {});
      return this.#view(scope);
    });
  }

  /** What is pending as a plain diff, fit to be shown. */
  diff(scope: ReviewScope): Promise<string[]> {
    return this.#run(async () => {
      await this.#look();
      const name = (path: string): string => nameFrom(this.#options.cwd, path);
      return (await this.#files(scope)).flatMap((file) => unified(file, name).map(shown));
    });
  }

  /** What was rejected and not yet taken by `takeRejected`. */
  rejected(): Patch[] {
    return [...this.#parts.state.patches];
  }

  takeRejected(): Promise<Patch[]> {
    return this.#run(() => Promise.resolve(this.#parts.state.patches.splice(0)));
  }

  /** What taking back the last turn would do, or with `redo` taking that back; null where there is nothing. */
  undoPlan(redo: boolean): Promise<UndoPlan | null> {
    return this.#run(async () => {
      await this.#look();
      this.#refuseWhileRunning();
      return planOf(this.#parts, redo);
    });
  }

  /** Does what the plan says that the user has seen. Throws when it would do something else by now, and for what fails. */
  undo(planId: string): Promise<void> {
    return this.#run(async () => {
      await this.#look();
      this.#refuseWhileRunning();
      const failed = await carryOut(this.#parts, planId);
      await this.#options.editor.request('buffers.check', {});
      if (failed.length > 0) throw new Error(failed.join('\n'));
    });
  }

  /** What is to be reviewed of the session, as of the last look; null: nothing. */
  pending(): { files: number; added: number; removed: number } | null {
    return this.#counts;
  }

  /** Forgets what was recorded: nothing is left to review or to undo. A turn that runs is looked at from now on. */
  drop(): Promise<void> {
    return this.#run(async () => {
      const { agent, running, turn, last, seen } = this.#parts.state;
      Object.assign(this.#parts.state, emptyState(), { agent });
      this.#parts.pending.forget();
      if (!running) return;
      Object.assign(this.#parts.state, { last, seen });
      await this.#look();
      beginTurn(this.#parts.state, turn?.title ?? '');
    });
  }

  /**
   * Ends when all is done that was asked for, and with it a turn that runs: what changes from now on is not the agent's. What is
   * pending stays, for the next time.
   */
  close(): Promise<void> {
    return this.#run(async () => {
      clearInterval(this.#pulse);
      if (!this.#parts.state.running) return;
      const { ledger } = this.#parts;
      try {
        // Neovim may have gone, and all unsaved text with it.
        await ledger.look().catch(() => ledger.look([]));
        this.#endTurn();
      } catch (error) {
        this.#options.onFault('review', error);
      }
    });
  }

  /** One after the other. Then the state is saved and counted. */
  #run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      try {
        return await work();
      } finally {
        await this.#count().catch((error: unknown) => this.#options.onFault('review', error));
        await this.#file.save(this.#parts.state);
      }
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #note(event: FileEvent): Promise<void> {
    if (!this.#parts.state.session || !this.#parts.tree.at(event.path)) return Promise.resolve();
    this.#parts.ledger.post(event);
    this.#next ??= this.#run(async () => {
      this.#next = null;
      await this.#look();
    });
    return this.#next;
  }

  async #look() {
    const changes = await this.#parts.ledger.look();
    if (this.#interrupted) this.#endTurn();
    return changes;
  }

  #endTurn(): void {
    clearInterval(this.#pulse);
    this.#interrupted = false;
    this.#parts.ledger.until = Infinity;
    this.#parts.state.running = false;
  }

  #scope(scope: ReviewScope): Scope | null {
    return scope === 'turn' ? this.#parts.state.turn : this.#parts.state.session;
  }

  async #files(scope: ReviewScope): Promise<PendingFile[]> {
    const of = this.#scope(scope);
    return of ? this.#parts.pending.of(of) : [];
  }

  async #view(scope: ReviewScope): Promise<ReviewView> {
    const { session, cwd } = this.#options;
    const { agent, kept, rejected } = this.#parts.state;
    const files = (await this.#files(scope)).map((file) => reviewFile(file, cwd));
    return { session, cwd, scope, agent, files, kept, rejected, limits: this.#parts.tree.limits };
  }

  #refuseWhileRunning(): void {
    if (this.#parts.state.running) {
      throw new Error('The agent is still working: wait for the end of its turn, or cancel it');
    }
  }

  async #count(): Promise<void> {
    const files = await this.#files('session');
    const { added, removed } = countLines(files.flatMap(({ hunks }) => hunks));
    this.#counts = files.length > 0 ? { files: files.length, added, removed } : null;
  }
}
