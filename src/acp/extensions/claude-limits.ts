/**
 * Limits of a Claude subscription, in `_meta["_claude/rateLimit"]` of a `usage_update`: which one, how much of it is used
 * (a fraction), when it begins anew (seconds since the epoch), and whether requests are still taken. With `unifiedWindows`
 * there may be others beside it (claude-agent-acp, which hands on what its SDK says).
 */
import { compact, label, number, object, text, type Json } from '../coerce';
import type { AgentEvent, Limit } from '../events';

const NAMES: Record<string, string> = {
  five_hour: '5 hours',
  seven_day: 'week',
  seven_day_opus: 'week of Opus',
  seven_day_sonnet: 'week of Sonnet',
  overage: 'extra usage',
};

const STATES: Record<string, Limit['state']> = { allowed_warning: 'near', rejected: 'reached' };

export function claudeLimits(meta: unknown): AgentEvent[] {
  const info = object(object(meta)?.['_claude/rateLimit']);
  if (!info) return [];
  const windows = Object.entries(object(info.unifiedWindows) ?? {}).flatMap(([type, value]) => {
    const window = object(value);
    return window ? [limitOf(type, window)] : [];
  });
  const named = limitOf(text(info.rateLimitType), info);
  // The limit is used up, but what is paid for beyond it goes on.
  const pays = info.isUsingOverage === true || info.overageInUse === true;
  if (pays && named.state === 'reached') named.state = 'near';
  const limits = new Map(windows.map((limit) => [limit.name, limit]));
  limits.set(named.name, { ...limits.get(named.name), ...named });
  return [...limits.values()].map((limit) => ({ type: 'limit', limit }));
}

function limitOf(type: string | undefined, info: Json): Limit {
  const used = number(info.utilization);
  const resets = number(info.resetsAt);
  return compact({
    name: NAMES[type ?? ''] ?? label(type?.replaceAll('_', ' ')) ?? 'usage',
    state: STATES[text(info.status) ?? ''] ?? 'ok',
    used: used === undefined ? undefined : Math.min(1, Math.max(0, used)),
    resets: resets === undefined || resets <= 0 ? undefined : Math.round(resets * 1000),
  });
}
