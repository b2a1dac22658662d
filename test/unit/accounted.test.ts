/** No frame of a recorded session is lost: each says something that is shown or applied, or is quiet for a reason. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { object } from '../../src/acp/coerce';
import { extendedNotification, extendedRequest } from '../../src/acp/extensions';
import { QUIET_META, QUIET_NOTIFICATIONS, QUIET_REQUESTS } from '../../src/acp/extensions/quiet';
import { updateEvents } from '../../src/acp/v1';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

/** Methods of ACP that agents call, and that `acp/connection.ts` takes. */
const TAKEN =
  /^(session\/(update|request_permission)|fs\/(read|write)_text_file|terminal\/\w+|elicitation\/(create|complete)|\$\/cancel_request)$/;

/** Tool calls, by how their ids begin, whose later updates say nothing new, and why. */
const QUIET_CALLS: Record<string, string> = {
  'subagent-completed-': 'announced and completed at once, as the word that a subagent is done',
};

/** Updates that may come to nothing, and why. */
const QUIET_UPDATES: Record<string, string> = {
  session_message:
    'what agents tell only each other’s models, or what stands in the subagent’s own words',
};

interface Frame {
  id?: number | string;
  method?: string;
  params?: { update?: unknown; _meta?: unknown };
}

/** Why a frame would be lost; null: it is not. */
function loss({ id, method, params }: Frame): string | null {
  if (method === undefined) return null;
  if (method === 'session/update') return lossOfUpdate(params?.update, params?._meta);
  if (TAKEN.test(method)) return null;
  if (id === undefined) {
    const known = extendedNotification(method, params) ?? QUIET_NOTIFICATIONS[method];
    return known ? null : `notification ${method}`;
  }
  return (extendedRequest(method, params) ?? QUIET_REQUESTS[method]) ? null : `request ${method}`;
}

function lossOfUpdate(value: unknown, meta: unknown): string | null {
  const events = updateEvents(structuredClone(value), meta);
  const unknown = events.find(({ type }) => type === 'unknown');
  if (unknown) return `update ${JSON.stringify(unknown)}`;
  if (events.length > 0 || QUIET_UPDATES[String(object(value)?.sessionUpdate)]) return null;
  const { sessionUpdate, _meta, ...rest } = object(value)!;
  const call = String(rest.toolCallId ?? '');
  if (Object.keys(QUIET_CALLS).some((start) => call.startsWith(start))) return null;
  const keys = Object.entries(object(_meta) ?? {}).flatMap(([key, inner]) => {
    const inside = object(inner);
    return inside ? Object.keys(inside).map((name) => `${key}.${name}`) : [key];
  });
  const lost = keys.filter((key) => !(key in QUIET_META));
  if (lost.length > 0) return `_meta ${lost.join(', ')} of ${String(sessionUpdate)}`;
  const says = Object.keys(rest).length > 0;
  return says || keys.length === 0 ? `empty ${JSON.stringify(value)}` : null;
}

describe.each(readdirSync(LOGS))('frames of %s', (agent) => {
  it('are all accounted for', () => {
    const lost = new Set<string>();
    for (const name of readdirSync(join(LOGS, agent))) {
      for (const line of readFileSync(join(LOGS, agent, name), 'utf8').split('\n')) {
        if (!line.includes('"dir":"a2c"')) continue;
        const { frame } = JSON.parse(line) as { frame?: Frame };
        const why = frame ? loss(frame) : 'no JSON';
        if (why !== null) lost.add(`${name}: ${why}`);
      }
    }
    expect([...lost].slice(0, 20)).toEqual([]);
  });
});
