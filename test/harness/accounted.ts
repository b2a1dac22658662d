import { object } from '../../src/acp/coerce';
import { extendedNotification, extendedRequest } from '../../src/acp/extensions';
import { QUIET_META, QUIET_NOTIFICATIONS, QUIET_REQUESTS } from '../../src/acp/extensions/quiet';
import { updateEvents } from '../../src/acp/v1';

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

/** Why what an agent sent would be lost; null: it is shown or applied, quiet for a reason, or a response. */
export function loss(frame: { id?: unknown; method?: string; params?: unknown }): string | null {
  const { id, method, params } = frame;
  if (method === undefined) return null;
  if (method === 'session/update') {
    const { update, _meta } = object(params) ?? {};
    return lossOfUpdate(update, _meta);
  }
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
  const call = rest.toolCallId;
  if (typeof call === 'string' && Object.keys(QUIET_CALLS).some((start) => call.startsWith(start)))
    return null;
  const keys = Object.entries(object(_meta) ?? {}).flatMap(([key, inner]) => {
    const inside = object(inner);
    return inside ? Object.keys(inside).map((name) => `${key}.${name}`) : [key];
  });
  const lost = keys.filter((key) => !(key in QUIET_META));
  if (lost.length > 0) return `_meta ${lost.join(', ')} of ${String(sessionUpdate)}`;
  const says = Object.keys(rest).length > 0;
  return says || keys.length === 0 ? `empty ${JSON.stringify(value)}` : null;
}
