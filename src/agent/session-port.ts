import type { ClientHandlers } from '../acp/connection';
import type { AgentEvent } from '../acp/events';
import type { Asked } from '../acp/extensions/extension';

/** A session's side of the connection: what arrives for its agent session id. */
export interface SessionPort {
  /** What `session/new`, `load` or `resume` answered; updates that came early follow. */
  onOpened(result: Record<string, unknown>): void;
  /** `meta`: of the notification around the update; `subagent`: the session of a subagent's that it is of. */
  onUpdate(update: unknown, meta: unknown, subagent?: string): void;
  /** What was told in another way than by an update. */
  onEvents(events: readonly AgentEvent[]): void;
  /** Somebody has logged in at the agent; see `Authentication.done`. */
  onLogin(how: 'here' | 'anew'): void;
  /** Nothing of it goes on: no turn, no question, no command. */
  readonly resting: boolean;
  /** Whether it has a call of that id. */
  knows(toolCallId: string): boolean;
  /** The agent is done with a page that the user was to open. */
  completed(elicitationId: string): void;
  /** A request of a dialect. */
  extended(asked: Asked, withdrawn: AbortSignal): Promise<unknown>;
  readonly handlers: Omit<ClientHandlers, 'otherRequest' | 'otherNotification'>;
}
