/** What becomes of a session when its agent is had, lost, or has forgotten it. */
import { errorCode } from '../acp/connection';
import { openFailure, type Words } from './failure';
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

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** The agent has a session, and nothing was sent to it yet. */
  async opened(target: OpenTarget, { how, sessionId, why }: Had): Promise<void> {
    const { session, link, setter, voice } = this.#options;
    session.keeping.recorder?.bind(sessionId);
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
    await setter.prepare(target);
  }

  /** The agent does not have it any more, and what we hold can be read. */
  forgotten(why: Words): void {
    const { turns, voice } = this.#options;
    voice.warn(why);
    turns.takeBack();
  }

  /** The agent's process has ended. `cancelled`: by the user's will. */
  lost(how: 'lost' | 'cancelled'): void {
    const { setter, port, turns } = this.#options;
    setter.lost();
    port.agentGone();
    turns.lost(how);
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

  /** An agent may want a login only when it is asked something. */
  explain(error: unknown): boolean {
    if (errorCode(error) !== -32000) return false;
    const { link, voice } = this.#options;
    voice.fault(openFailure(link.name, error, link.info));
    return true;
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
