/** Logging in at a running agent and out, on behalf of all sessions that live on it, and who is logged in. */
import type { AgentInfo } from '../acp/capabilities';
import type { Account, AgentEvent } from '../acp/events';
import type { SessionPort } from './session-port';

export interface AuthenticationOptions {
  request: (
    method: string,
    params: object,
    cancelled?: AbortSignal,
  ) => Promise<Record<string, unknown>>;
  /** The sessions that live on the agent. */
  users: ReadonlySet<SessionPort>;
}

export class Authentication {
  readonly #options: AuthenticationOptions;
  #account: Account | null = null;
  #asking: SessionPort | null = null;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /** The session that logs in just now: what the agent asks outside of any session is asked there. */
  get asking(): SessionPort | null {
    return this.#asking;
  }

  /** Logs in. It may take minutes; `cancelled` ends the wait at once. */
  async login(
    port: SessionPort,
    params: { methodId: string; _meta?: object },
    cancelled: AbortSignal,
  ): Promise<void> {
    this.#asking = port;
    try {
      await this.#options.request('authenticate', params, cancelled);
    } finally {
      if (this.#asking === port) this.#asking = null;
    }
  }

  async logout(method: string): Promise<void> {
    await this.#options.request(method, {});
    this.tell([{ type: 'account', account: { state: 'out' } }]);
  }

  /** Asks who is logged in, where the agent takes that. Not knowing it harms nobody. */
  async look({ auth: { status } }: AgentInfo): Promise<void> {
    if (!status) return;
    const result = await this.#options.request(status.method, {}).catch(() => null);
    if (result) this.tell([{ type: 'account', account: status.account(result) }]);
  }

  /** Tells all sessions what is of the agent itself. */
  tell(events: readonly AgentEvent[]): void {
    for (const event of events) if (event.type === 'account') this.#account = event.account;
    for (const port of this.#options.users) port.onEvents(events);
  }

  /** A session that comes later knows it, too. */
  greet(port: SessionPort): void {
    if (this.#account) port.onEvents([{ type: 'account', account: this.#account }]);
  }

  /**
   * Somebody has logged in: what waits for that goes on. `anew`: not in this process, which may look for it only when it
   * starts.
   */
  done(how: 'here' | 'anew'): void {
    for (const port of [...this.#options.users]) port.onLogin(how);
  }
}
