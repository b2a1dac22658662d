/**
 * AIR, a convention of JetBrains' that claude-agent-acp and codex-acp follow: `_meta.jetbrains.air` of a
 * `session_info_update` and of the answer to a prompt. `sessionFailure`: why the session can't go on, as told last of that `id`.
 * `contentDelta` of a `plan_update`: what its text has grown by.
 * `goal`: what the agent works towards over several turns, null where there is none any more. We don't declare it (it
 * changes how much else is told), and understand it where it comes all the same.
 */
import { array, label, number, object, string, text, type Json } from '../coerce';
import type { AgentEvent, FailureAction } from '../events';
import type { Extension } from './extension';

export const air: Extension = {
  refine(events, meta) {
    const said = object(object(meta.jetbrains)?.air);
    if (!said) return events;
    const all = events.map((event) => grown(event, string(said.contentDelta)));
    return [...all, ...failure(object(said.sessionFailure)), ...goal(said)];
  },
};

function grown(event: AgentEvent, delta: string | undefined): AgentEvent {
  if (event.type !== 'plan_text' || delta === undefined) return event;
  return { ...event, text: delta, append: true };
}

const ACTIONS: readonly FailureAction[] = ['retry', 'login', 'new_session'];

function failure(said: Json | undefined): AgentEvent[] {
  const title = label(said?.title) ?? label(said?.details);
  if (!said || title === undefined) return [];
  const details = [string(said.details), string(said.reason)].filter((it) => it && it !== title);
  const { severity } = said;
  return [
    {
      type: 'failure',
      id: text(said.id) ?? title,
      revision: number(said.revision) ?? 0,
      severity: severity === 'info' || severity === 'warning' ? severity : 'error',
      title,
      detail: [...new Set(details)].join('\n'),
      actions: ACTIONS.filter((action) => array(said.actions)?.includes(action)),
    },
  ];
}

function goal(said: Json): AgentEvent[] {
  if (said.goal === null) return [{ type: 'goal', goal: null }];
  const told = object(said.goal);
  const objective = label(told?.objective);
  if (!told || objective === undefined) return [];
  const reason = label(told.lastReason);
  const status = label(told.status) ?? 'active';
  return [{ type: 'goal', goal: { objective, status, ...(reason !== undefined && { reason }) } }];
}
