/** What becomes of a session when its agent is had, lost, or has forgotten it. */
import { sessionEndNotice, type Words } from './failure';
import type { Link, OpenTarget } from './link';
import type { Had } from './opening';
import type { ClientPort } from './port';
import type { Session } from './session';
import type { SettingsSetter } from './settings-setter';
import type { Turns } from './turns';
import type { Voice } from './voice';

export interface LifecycleOptions {
  session: Session;
  link: Link;
  port: ClientPort;
  setter: SettingsSetter;
  turns: Turns;
  voice: Voice;
}

export class Lifecycle {
  readonly #options: LifecycleOptions;
  /** The agent has said that its session has ended; what it has yet to say of the running turn is waited for. */
  #ending: Words | null = null;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** The agent has a session, and nothing was sent to it yet. */
  async opened(target: OpenTarget, { how, sessionId, why }: Had): Promise<void> {
    const { session, link, setter, voice } = this.#options;
    session.keeping.recorder?.bind(sessionId);
    session.reducer.agentAnew();
    switch (how) {
      case 'replayed':
        session.reducer.replayed(session.context.now());
        break;
      case 'whole':
        voice.remembers(link.name);
        break;
      case 'silent':
        voice.silent(link.name, session.transcript.order.length > 0, why);
        break;
      case 'behind':
        voice.behind(link.name, why);
        break;
      case 'replaced':
        if (this.#said()) voice.forgotten(link.name, why);
        break;
      case 'new':
      case 'resumed':
        break;
      default:
        how satisfies never;
    }
    session.login.opened();
    await setter.prepare(target);
  }

  /** The agent is given what has changed beside the conversation. */
  async reopen(): Promise<void> {
    const { link, voice } = this.#options;
    const why = await link.reopen();
    if (why === null) return;
    const title = `${link.name} could not open this session with its new folders or MCP servers`;
    voice.warn({ title, detail: `${why}\nIt goes on as it was; :AcpRestart tries again.` });
  }

  /** The agent does not have it any more, and what we hold can be read. */
  forgotten(why: Words): void {
    const { turns, voice } = this.#options;
    voice.warn(why);
    turns.takeBack();
  }

  /** The agent's process has ended. `cancelled`: by the user's will. */
  lost(how: 'lost' | 'cancelled'): void {
    const { session, setter, port, turns } = this.#options;
    this.#ending = null;
    setter.lost();
    port.agentGone();
    turns.lost(how);
    session.reducer.agentAnew();
  }

  /** The agent's session has ended, and its process goes on. */
  sessionEnded(code: number | null, signal: string | null): void {
    const { session, link, turns } = this.#options;
    if (!link.target || this.#ending) return;
    this.#ending = sessionEndNotice(link.name, code, signal);
    if (turns.state === 'idle') return this.#leave();
    setTimeout(() => this.#leave(), session.context.config.cancelTimeoutMs).unref();
  }

  turnEnded(): void {
    this.#leave();
  }

  #leave(): void {
    const { session, link, turns } = this.#options;
    const why = this.#ending;
    if (!why) return;
    link.sessionEnded();
    this.lost('lost');
    const { now } = session.context;
    session.reducer.failed({ severity: 'warning', ...why, actions: ['reopen'] }, now());
    turns.takeBack();
    session.changed();
  }

  /** It was ended as nothing needed it. */
  rested(): void {
    const { session, turns } = this.#options;
    this.lost('lost');
    // Something may have been sent at the very moment.
    if (turns.waiting.length > 0 && !turns.held) session.open();
    session.changed();
  }

  /** There is no session. */
  failed(why: Words): void {
    const { session, turns, voice } = this.#options;
    voice.fault(why);
    turns.takeBack();
    session.changed();
  }

  /** Whether the agent was sent anything yet. */
  #said(): boolean {
    const { order, blocks } = this.#options.session.transcript;
    return order.some((id) => {
      const block = blocks.get(id);
      return block?.kind === 'user' && !block.queued;
    });
  }
}
