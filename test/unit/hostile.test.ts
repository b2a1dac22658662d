/** Agents that mean harm, or are broken beyond what anybody has seen: what is read of them is total, bounded and quick. */
import { describe, expect, it } from 'vitest';
import { checkForm } from '../../src/acp/form-check';
import { elicitation, type Elicitation } from '../../src/acp/elicitation-request';
import type { Form } from '../../src/acp/elicitation';
import { extendedNotification, extendedRequest } from '../../src/acp/extensions/index';
import { page } from '../../src/acp/page-address';
import { updateEvents } from '../../src/acp/v1';

const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

function formOf(params: object): Form {
  const { ask }: Elicitation = elicitation({ mode: 'form', message: 'm', ...params });
  if (ask.type !== 'form') throw new Error('no form');
  return ask.form;
}

const ofFields = (properties: object): Form => formOf({ requestedSchema: { properties } });

describe('a word that all objects know', () => {
  it.each(INHERITED)('%s is no state of a subagent, an account or a limit', (word) => {
    const events = [
      ...updateEvents({
        sessionUpdate: 'subagent_state_update',
        subagentSessionId: 's',
        state: word,
      }),
      ...updateEvents({ sessionUpdate: 'async_task_state_update', asyncTaskId: 's', state: word }),
      ...updateEvents({
        sessionUpdate: 'tool_call',
        toolCallId: 't',
        rawInput: { agentThreadId: 'a', activityKind: word },
      }),
      ...updateEvents({
        sessionUpdate: 'usage_update',
        _meta: { '_claude/rateLimit': { rateLimitType: word, status: word } },
      }),
      ...(extendedNotification('auth/status_update', { state: word })?.events ?? []),
    ];
    expect(events.length).toBeGreaterThan(4);
    expect(events).toEqual(JSON.parse(JSON.stringify(events)));
    expect(JSON.stringify(events)).toContain('"unknown"');
  });
});
