/** What the agent says, in whichever way, on its way to where it belongs: the conversation, the settings, the facts. */
import type { AgentEvent, ToolCallPatch } from '../acp/events';
import { updateEvents } from '../acp/v1';
import type { Facts } from './facts';
import type { Lifecycle } from './lifecycle';
import type { Link } from './link';
import type { ClientPort } from './port';
import type { Session } from './session';
import { isOfSession, saidBy } from './subagents';
import type { Turns } from './turns';

export interface HearingOptions {
  session: Session;
  facts: Facts;
  lifecycle: Lifecycle;
  link: Link;
  port: ClientPort;
  turns: Turns;
}

export class Hearing {
  readonly #options: HearingOptions;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** A `session/update`. `subagent`: whose session it was sent to. Never throws. */
  update(update: unknown, meta?: unknown, subagent?: string): void {
    if (subagent === undefined) this.#options.turns.heard();
    this.#hear(() => saidBy(updateEvents(update, meta), subagent), update);
  }

  /** What was told in another way. Never throws. */
  events(events: readonly AgentEvent[]): void {
    this.#hear(() => events, events);
  }

  #hear(events: () => readonly AgentEvent[], told: unknown): void {
    const { session } = this.#options;
    const now = session.context.now();
    try {
      for (const event of events()) this.#apply(event, now);
    } catch (error) {
      session.context.onFault('what the agent told', error);
      session.reducer.apply({ type: 'unknown', label: 'update', payload: told }, now);
    }
    session.changed();
  }

  #apply(event: AgentEvent, now: number): void {
    const { session, facts, lifecycle, link } = this.#options;
    if (isOfSession(event)) {
      if (event.type === 'title') return session.rename(event.title ?? session.title);
      if (event.type === 'account') return session.login.told(event.account);
      if (session.settings.apply(event) || facts.apply(event)) return;
    }
    if (event.type === 'subagent') link.adopt(event.patch.id);
    link.hear();
    const { telling } = link;
    if (telling === 'again') return;
    if (event.type === 'session_ended' && telling === 'live') {
      return lifecycle.sessionEnded(event.code, event.signal);
    }
    session.reducer.apply(event, now);
    // What is told of former calls changes nothing now.
    if (event.type === 'tool_call' && telling === 'live') {
      this.#toolCall(event.patch, event.subagent);
    }
  }

  #toolCall(patch: ToolCallPatch, subagent: string | undefined): void {
    const { session, port } = this.#options;
    port.toolCalled(patch);
    const tool = session.reducer.toolCall(patch.id, subagent);
    if (tool) session.changes.toolCall(tool, patch);
  }
}
