/**
 * claude-agent-acp. `_meta.claudeCode` of a tool call: `toolResponse`, what the tool itself gave, in an update of its own;
 * `parentToolUseId`, the call that started the subagent whose work it is, which stands at texts too.
 *
 * `_meta["_claude/rateLimit"]` of a `usage_update`, limits of a subscription: which one, how much of it is used (a fraction),
 * when it begins anew (seconds since the epoch), and whether requests are still taken. With `unifiedWindows` there may be
 * others beside it.
 */
import { capped } from '../cap';
import { compact, label, number, object, text, type Json } from '../coerce';
import type { AgentEvent, Limit } from '../events';
import type { Extension } from './extension';

export const claude: Extension = {
  refine(events, meta) {
    const about = object(meta.claudeCode);
    const subagent = text(about?.parentToolUseId);
    const response = about?.toolResponse ?? undefined;
    if (response !== undefined) {
      for (const event of events) {
        if (event.type === 'tool_call') event.patch.response = capped(response);
      }
    }
    const all = [...events, ...claudeLimits(meta)];
    return subagent === undefined ? all : all.map((event) => ({ ...event, subagent }));
  },
};

const NAMES: Record<string, string> = {
  five_hour: '5 hours',
  seven_day: 'week',
  seven_day_opus: 'week of Opus',
  seven_day_sonnet: 'week of Sonnet',
  overage: 'extra usage',
};

const STATES: Record<string, Limit['state']> = { allowed_warning: 'near', rejected: 'reached' };

export function claudeLimits(meta: Readonly<Json>): AgentEvent[] {
  const info = object(meta['_claude/rateLimit']);
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
