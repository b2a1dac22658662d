/**
 * codex-acp for clients without `subagents`: tool calls tell of them, with `agentThreadId`, `agentPath` and `activityKind`
 * (`started`, `completed` …) as their input. The call that starts one stands for it; a later one, whose id begins with
 * `subagent-`, says how it stands, often when the turn is over.
 */
import { compact, label, lookUp, object, text } from '../coerce';
import type { AgentEvent, SubagentPatch } from '../events';
import type { Extension } from './extension';

const STATES: Record<string, NonNullable<SubagentPatch['state']>> = {
  started: 'running',
  completed: 'completed',
  failed: 'failed',
  errored: 'failed',
  interrupted: 'cancelled',
  cancelled: 'cancelled',
};

const NEWS = /^subagent-\w+-/;

export const codexSubagents: Extension = {
  toolCall(event) {
    const { id, rawInput } = event.patch;
    const input = object(rawInput);
    const thread = text(input?.agentThreadId);
    const activity = text(input?.activityKind);
    const isNews = NEWS.test(id);
    if (thread === undefined || activity === undefined) return isNews ? [] : [event];
    const told: AgentEvent = {
      type: 'subagent',
      patch: compact({
        id: thread,
        call: isNews ? undefined : id,
        title: label(text(input?.agentPath)?.split('/').at(-1)),
        state: lookUp(STATES, activity),
      }),
    };
    return isNews ? [told] : [event, told];
  },
};
