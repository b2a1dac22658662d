/**
 * The review of one session: who changed what since the session and the last turn began; keeping, rejecting and taking back.
 *
 * For each scope a file has a *base*: the text without the agent's changes but with the user's. What differs from it is pending.
 * Keeping moves the base, rejecting moves the file.
 */
import { randomUUID } from 'node:crypto';
import type { Baseline } from '../baseline/baseline';
import type { Editor } from '../nvim/editor';
import { Bases } from './bases';
import { changedBy, changedFiles, type ChangedFiles } from './changed';
import { decide, type Choice } from './decisions';
import { Ledger, type FileEvent } from './ledger';
import { countLines, PendingFiles, type PendingFile } from './pending';
import { nameFrom, reviewFile } from './report';
import {
  emptyState,
  loadState,
  saveState,
  serialise,
  type Patch,
  type Scope,
  type State,
} from './state';
import { shown } from './text';
import { Tree } from './tree';
import { carryOut, planOf } from './undo';
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

/** Turns that can be taken back. */
const MAX_TURNS = 10;

export class Review {
  readonly #options: ReviewOptions;
  readonly #state: State;
  readonly #tree: Tree;
  readonly #bases: Bases;
  readonly #ledger: Ledger;
  readonly #pending: PendingFiles;
  /** Neovim ended while a turn was running: what it left behind is the agent's. */
  #interrupted: boolean;
  #saved: string;
  #counts: { files: number; added: number; removed: number } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** A look that has not begun yet. */
  #next: Promise<void> | null = null;

  private constructor(options: ReviewOptions, tree: Tree, state: State) {
    const { editor } = options;
    this.#options = options;
    this.#state = state;
    this.#tree = tree;
    this.#bases = new Bases(tree, state);
    this.#ledger = new Ledger({ tree, state, bases: this.#bases, editor });
    this.#pending = new PendingFiles({ tree, state, bases: this.#bases, ledger: this.#ledger });
    this.#interrupted = state.running;
    this.#saved = serialise(state);
  }

  /** Opens the review with what it remembers from before Neovim was restarted. */
  static async open(options: ReviewOptions): Promise<Review> {
    const tree = new Tree(options.baselines);
    let state = await loadState(options.file, options.onFault);
    const agent = options.agent || state.agent;
    try {
      if (state.session && state.last) await tree.changes(state.session.snapshots, state.last);
    } catch (error) {
      options.onFault('review', error);
      state = emptyState();
    }
    state.agent = agent;
    const review = new Review(options, tree, state);
    await review.#run(() => review.#count());
    return review;
  }

  /** Where the state is kept. */
  get file(): string {
    return this.#options.file;
  }

  /** Whether there is a turn to be reviewed or taken back. */
  get begun(): boolean {
    return this.#state.session !== null;
  }

  /** The text that a file had on disk when the turn began; null where it had none, or none that is text. */
  recorded(path: string): Promise<string | null> {
    return this.#run(async () => {
      const { turn, last } = this.#state;
      const snapshots = turn?.snapshots ?? last;
      const entry = snapshots && this.#tree.at(path) && (await this.#tree.entry(snapshots, path));
      const content = await this.#tree.read(path, entry);
      return content.kind === 'text' ? content.text : null;
    });
  }

  /** Looks at the tree once, so that the first turn need not wait for a look at all of it. */
  warm(): Promise<void> {
    return this.#run(async () => void (await this.#tree.take()));
  }

  /** A prompt is about to be sent: what changes from now on is the agent's, until the turn ends. */
  turnStarted(title: string): Promise<void> {
    return this.#run(async () => {
      await this.#look();
      this.#state.running = false;
      this.#begin(title);
    });
  }

  /** The turn is over; gives what it changed and what is not decided yet. */
  turnEnded(): Promise<ChangedFiles> {
    return this.#run(async () => {
      await this.#look();
      // What was saved while that look was under way is the user's.
      if (this.#ledger.waits) await this.#look();
      this.#state.running = false;
      const { turn } = this.#state;
      return changedFiles(turn ? await this.#pending.of(turn) : []);
    });
  }

  /** What the agent changed since the last look. */
  touched(): Promise<ChangedFiles> {
    return this.#run(async () => changedBy(this.#tree, await this.#look()));
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
    return this.#run(() => this.#tree.sight(path));
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
    return [...this.#state.patches];
  }

  takeRejected(): Promise<Patch[]> {
    return this.#run(() => Promise.resolve(this.#state.patches.splice(0)));
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
      const { agent, running, turn, last, seen } = this.#state;
      Object.assign(this.#state, emptyState(), { agent });
      this.#pending.forget();
      if (!running) return;
      Object.assign(this.#state, { last, seen });
      await this.#look();
      this.#begin(turn?.title ?? '');
    });
  }

  /** Ends when all is done that was asked for. What is pending stays, for the next time. */
  close(): Promise<void> {
    return this.#run(() => Promise.resolve());
  }

  get #parts() {
    const { editor, cwd } = this.#options;
    return {
      tree: this.#tree,
      state: this.#state,
      bases: this.#bases,
      ledger: this.#ledger,
      pending: this.#pending,
      editor,
      cwd,
    };
  }

  /** One after the other. Then the state is saved and counted. */
  #run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      try {
        return await work();
      } finally {
        await this.#count().catch((error: unknown) => this.#options.onFault('review', error));
        await this.#save();
      }
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #note(event: FileEvent): Promise<void> {
    if (!this.#state.session || !this.#tree.at(event.path)) return Promise.resolve();
    this.#ledger.post(event);
    this.#next ??= this.#run(async () => {
      this.#next = null;
      await this.#look();
    });
    return this.#next;
  }

  async #look() {
    const changes = await this.#ledger.look();
    if (this.#interrupted) {
      this.#interrupted = false;
      this.#state.running = false;
    }
    return changes;
  }

  /** All scopes of a turn that begins with the tree as it stands. */
  #begin(title: string): void {
    const state = this.#state;
    const scope = (): Scope => ({
      id: randomUUID(),
      title,
      snapshots: state.last!,
      bases: new Map([...state.seen].map(([path, { now }]) => [path, now])),
      names: new Map(),
    });
    state.session ??= scope();
    state.whole ??= scope();
    state.turn = scope();
    state.turns = [
      ...state.turns.filter(({ undone }) => !undone),
      { ...scope(), undone: false },
    ].slice(-MAX_TURNS);
    state.redo = [];
    state.running = true;
  }

  #scope(scope: ReviewScope): Scope | null {
    return scope === 'turn' ? this.#state.turn : this.#state.session;
  }

  async #files(scope: ReviewScope): Promise<PendingFile[]> {
    const of = this.#scope(scope);
    return of ? this.#pending.of(of) : [];
  }

  async #view(scope: ReviewScope): Promise<ReviewView> {
    const { session, cwd } = this.#options;
    const { agent, kept, rejected } = this.#state;
    const files = (await this.#files(scope)).map((file) => reviewFile(file, cwd));
    return { session, cwd, scope, agent, files, kept, rejected, limits: this.#tree.limits };
  }

  #refuseWhileRunning(): void {
    if (this.#state.running) {
      throw new Error('The agent is still working: wait for the end of its turn, or cancel it');
    }
  }

  async #count(): Promise<void> {
    const files = await this.#files('session');
    const { added, removed } = countLines(files.flatMap(({ hunks }) => hunks));
    this.#counts = files.length > 0 ? { files: files.length, added, removed } : null;
  }

  async #save(): Promise<void> {
    const text = serialise(this.#state);
    if (text === this.#saved) return;
    try {
      await saveState(this.#options.file, text);
      this.#saved = text;
    } catch (error) {
      this.#options.onFault('review', error);
    }
  }
}
