/**
 * Older drafts of subagents. `subagent_spawned` and `subagent_state_update` are those of JetBrains AIR
 * (`nativeSubagentSessions`), `async_task_spawned`, `async_task_progress` and `async_task_state_update` its background tasks:
 * we don't ask for either, and agents send them none the less.
 */
import { compact, label, lookUp, object, text, type Json } from '../coerce';
import type { AgentEvent, SubagentPatch } from '../events';
import type { Extension } from './extension';

type State = NonNullable<SubagentPatch['state']>;

const STATES: Record<string, State> = {
  pending: 'running',
  running: 'running',
  in_progress: 'running',
  started: 'running',
  waiting: 'waiting',
  requires_action: 'waiting',
  idle: 'idle',
  completed: 'completed',
  finished: 'completed',
  failed: 'failed',
  error: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  interrupted: 'cancelled',
  stopped: 'cancelled',
  killed: 'cancelled',
};

export const airSubagents: Extension = {
  update(kind, update) {
    switch (kind) {
      case 'subagent_spawned':
        return told(update.subagentSessionId, {
          title: label(update.name),
          description: label(update.task),
          state: 'running',
          cancel: 'cancel' in (object(update.capabilities) ?? {}),
        });
      case 'subagent_state_update':
        return told(update.subagentSessionId, stateOf(update));
      case 'async_task_spawned':
        return told(update.asyncTaskId, {
          call: text(update.toolCallId),
          title: label(update.name),
          description: label(update.description),
          state: 'running',
        });
      case 'async_task_progress':
        return told(update.asyncTaskId, { description: label(update.description) });
      case 'async_task_state_update':
        return told(update.asyncTaskId, stateOf(update));
      default:
        return undefined;
    }
  },
};

type Fields = { [K in keyof Omit<SubagentPatch, 'id'>]: SubagentPatch[K] | undefined };

function told(id: unknown, fields: Fields): AgentEvent[] | undefined {
  const named = text(id);
  if (named === undefined) return undefined;
  return [{ type: 'subagent', patch: compact({ id: named, ...fields }) }];
}

function stateOf(update: Json): Fields {
  const state = lookUp(STATES, update.state) ?? 'unknown';
  return { state, ...(state === 'failed' && { error: text(update.summary) ?? 'it failed' }) };
}
