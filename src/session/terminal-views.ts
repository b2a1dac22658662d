/** Terminals that the user looks at whole, and those that run. */
import type { RunningTerminal, ToSidecar } from '../nvim/protocol';
import type { Session } from './session';

export class TerminalViews {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Commands that run, the oldest first. */
  get running(): RunningTerminal[] {
    return [];
  }

  /** Shows all of a terminal's output, and what comes until it is closed. */
  open(_which: Omit<ToSidecar['terminal.open'], 'session'>): void {
    this.#unable();
  }

  close(_terminal: string): void {}

  stop(_terminal: string): void {
    this.#unable();
  }

  #unable(): void {
    const { context } = this.#session;
    const message = 'there is no such terminal any more';
    context.editor
      .request('notify', { level: 'warn', message })
      .catch((error: unknown) => context.onFault('notify', error));
  }
}
