/** Logging in at a session's agent, and out: which ways there are, the one that was chosen, and what waits for it. */
import type { Status, ToSidecar } from '../nvim/protocol';
import type { Session } from './session';

export interface LoginOptions {
  session: Session;
}

export class Login {
  readonly #options: LoginOptions;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** As Neovim is told of it. */
  get status(): Pick<Status, 'account' | 'login'> {
    return { account: null, login: { in: false, out: false } };
  }

  /** The user wants to log in: tells the ways. */
  open(): void {
    this.#unable();
  }

  /** Logs in by one of them. */
  start(_how: Omit<ToSidecar['login.start'], 'session'>): void {
    this.#unable();
  }

  /** The user gives it up. */
  cancel(): void {
    this.#unable();
  }

  /** The program that was run for it has ended. */
  ended(_how: Omit<ToSidecar['login.ended'], 'session'>): void {
    this.#unable();
  }

  out(): void {
    this.#unable();
  }

  #unable(): void {
    const { context } = this.#options.session;
    const message = 'log in with the agent’s own program in a terminal';
    context.editor
      .request('notify', { level: 'warn', message })
      .catch((error: unknown) => context.onFault('notify', error));
  }
}
