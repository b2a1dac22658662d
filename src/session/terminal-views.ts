/** Terminals that the user looks at whole, and those that run. */
import type { Terminals } from '../client/terminals';
import type { RunningTerminal, TerminalView, ToEditor } from '../nvim/protocol';
import { Drawing } from '../render/drawing';
import { oneLine } from '../text';
import type { TerminalState } from './model';
import type { Session } from './session';
import { isFinal } from './turn-summary';

/** Characters that Neovim gets at a time: while it draws them, nobody can type. */
const SLICE = 32 * 1024;
/** Between two of them, where there is less to tell. */
const PACE_MS = 16;
/** Output that begins in the middle of a line begins with the next one, where that is so near. */
const LONGEST_LINE = 4096;

/** What Neovim has of a terminal. */
interface View {
  /** How far, as a place in its log. */
  at: number;
  drawing: Drawing;
  /** How it ended, as Neovim was told. */
  end: string | null;
  /** It is being told something. */
  busy: boolean;
}

export class TerminalViews {
  readonly #session: Session;
  readonly #ours: () => Pick<Terminals, 'runs' | 'stop'>;
  readonly #views = new Map<string, View>();
  /** Since when a command runs, milliseconds since the epoch. */
  readonly #since = new Map<string, number>();

  /** `ours`: the commands that we run for the agent. */
  constructor(session: Session, ours: () => Pick<Terminals, 'runs' | 'stop'>) {
    this.#session = session;
    this.#ours = ours;
  }

  /** Commands that run, the oldest first. */
  get running(): RunningTerminal[] {
    const { endless } = this.#session.reducer.terminals;
    for (const id of this.#since.keys()) if (!endless.has(id)) this.#since.delete(id);
    return [...endless].flatMap((id) => {
      const state = this.#terminals.get(id);
      if (!state || !this.#runs(state)) return [];
      const since = this.#since.get(id) ?? this.#session.context.now();
      this.#since.set(id, since);
      const card = this.#terminals.cards(id).at(-1);
      return [
        {
          id,
          ...(card && { block: card.id }),
          title: this.#title(state),
          since,
          canStop: this.#ours().runs(id),
        },
      ];
    });
  }

  /** Whether a block has a terminal with something to see; then it is shown. */
  openOf(block: string): boolean {
    const tool = this.#session.transcript.blocks.get(block);
    // A question is decided by its details.
    if (tool?.kind !== 'tool' || tool.question) return false;
    const states = this.#terminals.of(tool);
    const state =
      states.find((it) => this.#runs(it)) ?? states.findLast(({ output }) => output !== '');
    if (state) this.open(state.id);
    return state !== undefined;
  }

  /** Shows all of a terminal's output, and what comes until it is closed. */
  open(terminal: string): void {
    const state = this.#terminals.get(terminal);
    if (!state) return this.#say('there is no such terminal any more');
    const log = this.#terminals.log(state);
    const head = log.read(log.start, LONGEST_LINE);
    const at = log.start + (log.lost ? head.indexOf('\n') + 1 : 0);
    const view: View = { at, drawing: new Drawing(), end: null, busy: false };
    this.#views.set(terminal, view);
    const { data, end } = this.#next(state, view);
    this.#tell(terminal, view, 'terminal.show', { ...this.#about(state), data, ...end });
  }

  /** Nobody looks at it any more. */
  close(terminal: string): void {
    this.#views.delete(terminal);
  }

  /** Ends the command, where that is ours to do. */
  stop(terminal: string): void {
    const state = this.#terminals.get(terminal);
    if (this.#ours().stop(terminal)) return;
    if (!state || !this.#runs(state)) return this.#say('this command does not run any more');
    this.#say('the agent runs this command itself: cancel the turn to stop it');
  }

  /** Something has changed, maybe a terminal. Cheap: called for every chunk. */
  changed(): void {
    for (const terminal of this.#views.keys()) this.#follow(terminal);
  }

  /** Nothing is shown any more. */
  end(): void {
    this.#views.clear();
  }

  get #terminals() {
    return this.#session.reducer.terminals;
  }

  #follow(terminal: string): void {
    const view = this.#views.get(terminal);
    const state = this.#terminals.get(terminal);
    if (!view || view.busy || !state) return;
    const told = view.at >= this.#terminals.log(state).end && view.end === this.#ending(state);
    if (told) return;
    const { data, end } = this.#next(state, view);
    const { id: session } = this.#session;
    this.#tell(terminal, view, 'terminal.data', { session, terminal, data, ...end });
  }

  /** What Neovim has to be told next. */
  #next(state: TerminalState, view: View): { data: string; end: { end?: string } } {
    const log = this.#terminals.log(state);
    const left = log.start > view.at;
    const text = log.read(view.at, SLICE);
    view.at = Math.max(view.at, log.start) + text.length;
    const data = view.drawing.push(left ? `\n[a part is not kept]\n${text}` : text);
    view.end = this.#ending(state);
    return { data, end: view.end === null ? {} : { end: view.end } };
  }

  #tell<M extends 'terminal.show' | 'terminal.data'>(
    terminal: string,
    view: View,
    method: M,
    params: ToEditor[M][0],
  ): void {
    const { context } = this.#session;
    view.busy = true;
    const { at } = view;
    context.editor
      .request(method, params)
      .then(() => {
        const state = this.#terminals.get(terminal);
        const more = state && this.#terminals.log(state).end - at >= SLICE;
        if (more) this.#goOn(terminal, view);
        else setTimeout(() => this.#goOn(terminal, view), PACE_MS).unref();
      })
      .catch((error: unknown) => {
        if (this.#views.get(terminal) === view) this.#views.delete(terminal);
        context.onFault(method, error);
      });
  }

  #goOn(terminal: string, view: View): void {
    view.busy = false;
    if (this.#views.get(terminal) === view) this.#follow(terminal);
  }

  #about(state: TerminalState): Omit<TerminalView, 'data' | 'end'> {
    const { id: terminal, cwd } = state;
    const log = this.#terminals.log(state);
    const card = this.#terminals.cards(terminal).at(-1);
    const all = card ? this.#terminals.of(card).map(({ id }) => id) : [];
    return {
      session: this.#session.id,
      terminal,
      ...(card && { block: card.id }),
      title: this.#title(state),
      ...(cwd !== null && { cwd }),
      all: all.length > 1 ? all : [],
      truncated: log.lost,
      lines: log.lines,
      canStop: this.#ours().runs(terminal),
    };
  }

  #title({ id, command }: TerminalState): string {
    const card = this.#terminals.cards(id).at(-1);
    return oneLine(command ?? card?.title ?? '') || 'command';
  }

  /** What the agent runs itself runs as long as its call does, as far as anybody knows. */
  #runs({ id, exit }: TerminalState): boolean {
    if (exit) return false;
    return this.#ours().runs(id) || this.#terminals.cards(id).some((card) => !isFinal(card.status));
  }

  /** How it ended, in words; null while it runs. */
  #ending(state: TerminalState): string | null {
    const { exit } = state;
    if (!exit) return this.#runs(state) ? null : 'end unknown';
    if (exit.signal) return `ended by ${oneLine(exit.signal)}`;
    return exit.exitCode === null ? 'end unknown' : `exit ${exit.exitCode}`;
  }

  #say(message: string): void {
    const { context } = this.#session;
    context.editor
      .request('notify', { level: 'warn', message })
      .catch((error: unknown) => context.onFault('notify', error));
  }
}
