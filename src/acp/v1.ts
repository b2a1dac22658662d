import { capped, cappedText } from './cap';
import { array, compact, label, number, object, objects, string, text, type Json } from './coerce';
import { letter, subagentUpdate } from './subagents';
import { content, toolContent } from './content';
import type { AgentEvent, Cost, PermissionOption, ToolCallPatch } from './events';
import {
  extendedLetter,
  extendedToolCall,
  extendedUpdate,
  isPlan,
  refined,
} from './extensions/index';
import { configOptions, slashCommands } from './settings';

/**
 * A `session/update` of ACP v1 as events. Total: an update that isn't known, or lacks what it can't do without,
 * becomes an `unknown` event; one that holds nothing but `_meta` says nothing but what a dialect knows in it. `meta`: of the
 * notification around it.
 */
export function updateEvents(value: unknown, meta?: unknown): AgentEvent[] {
  const update = object(value);
  if (!update) return [{ type: 'unknown', label: 'update without content', payload: value }];
  const kind = text(update.sessionUpdate);
  if (kind === undefined) {
    const says = Object.keys(update).some((key) => key !== '_meta');
    const events: AgentEvent[] = says
      ? [{ type: 'unknown', label: 'update without a kind', payload: update }]
      : [];
    return refined(events, update, meta);
  }
  const events = knownUpdate(kind, update) ?? extendedUpdate(kind, update);
  return refined(
    events ?? [{ type: 'unknown', label: kind, payload: capped(update) }],
    update,
    meta,
  );
}

function knownUpdate(kind: string, update: Json): AgentEvent[] | undefined {
  switch (kind) {
    case 'user_message_chunk':
      return chunk('user', update);
    case 'agent_message_chunk':
      return chunk('agent', update);
    case 'agent_thought_chunk':
      return chunk('thought', update);
    case 'tool_call':
    case 'tool_call_update': {
      const patch = toolCallPatch(update);
      if (!patch) return undefined;
      return extendedToolCall({ type: 'tool_call', patch, announced: kind === 'tool_call' });
    }
    case 'plan':
      return [{ type: 'plan', planId: '', entries: planEntries(update.entries) }];
    case 'plan_update': {
      const event = planUpdate(object(update.plan) ?? {});
      return event && [event];
    }
    case 'plan_removed':
      return [{ type: 'plan_removed', planId: string(update.planId) ?? '' }];
    case 'available_commands_update':
      return [{ type: 'commands', commands: slashCommands(update.availableCommands) }];
    case 'current_mode_update': {
      const modeId = string(update.currentModeId) ?? string(update.modeId);
      return modeId === undefined ? undefined : [{ type: 'mode', modeId }];
    }
    case 'config_option_update':
      if (!Array.isArray(update.configOptions)) return undefined;
      return [{ type: 'config', options: configOptions(update.configOptions) }];
    case 'session_info_update':
      return 'title' in update ? [{ type: 'title', title: label(update.title) ?? null }] : [];
    case 'usage_update':
      return [
        compact({
          type: 'usage' as const,
          used: count(update.used),
          size: count(update.size),
          cost: cost(update.cost),
        }),
      ];
    case 'subagent_update':
      return subagentUpdate(update);
    case 'session_message':
    case 'session_message_chunk':
      return letter(update)?.flatMap(extendedLetter);
    case 'notice':
      return [
        {
          type: 'notice',
          severity: severity(update.severity),
          title: text(update.title) ?? 'notice of the agent',
          detail: string(update.description) ?? '',
        },
      ];
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return compaction(update);
    default:
      return undefined;
  }
}

/** Its id is needed; `null` takes a value away. */
function compaction(update: Json): AgentEvent[] | undefined {
  const id = text(update.compactionId);
  if (id === undefined) return undefined;
  const isChunk = update.sessionUpdate === 'compaction_summary_chunk';
  return [
    compact({
      type: 'compaction' as const,
      id,
      status: isChunk ? undefined : text(update.status),
      summary: isChunk ? undefined : summaryText(update.summary),
      append: isChunk ? words(update.content) : undefined,
      error: update.error === null ? null : string(update.error),
    }),
  ];
}

function summaryText(value: unknown): string | null | undefined {
  if (value === null) return null;
  const texts = array(value)?.map(words);
  return texts?.filter(Boolean).join('\n\n');
}

/** A block of content as text: of what is none, its label. */
function words(value: unknown): string {
  const it = content(value);
  return it.type === 'text' ? cappedText(it.text) : it.label;
}

/** What an answer to a prompt tells beside its stop reason. */
export function answerEvents(result: Json): AgentEvent[] {
  return refined([], result, undefined);
}

function chunk(role: 'user' | 'agent' | 'thought', update: Json): AgentEvent[] | undefined {
  if (update.content == null) return undefined;
  const messageId = text(update.messageId) ?? null;
  return [{ type: 'chunk', role, messageId, content: content(update.content) }];
}

/** The fields of a `ToolCall` or `ToolCallUpdate`; `null` is unchanged, as is absence. */
function toolCallPatch(call: Json): ToolCallPatch | undefined {
  const id = text(call.toolCallId);
  if (id === undefined) return undefined;
  return compact({
    id,
    title: text(call.title) ?? text(call.name),
    kind: text(call.kind),
    status: text(call.status),
    content: Array.isArray(call.content) ? toolContent(call.content) : undefined,
    locations: Array.isArray(call.locations) ? locations(call.locations) : undefined,
    rawInput: call.rawInput ?? undefined,
    rawOutput: capped(call.rawOutput) ?? undefined,
  });
}

function locations(value: unknown): { path: string; line?: number }[] {
  return objects(value).flatMap((location) => {
    const path = text(location.path);
    if (path === undefined) return [];
    const line = number(location.line);
    return [line !== undefined && line > 0 ? { path, line: Math.floor(line) } : { path }];
  });
}

function planUpdate({ type, planId: id, ...plan }: Json): AgentEvent | undefined {
  const planId = string(id) ?? '';
  const uri = text(plan.uri);
  switch (type) {
    case 'items':
      return { type: 'plan', planId, entries: planEntries(plan.entries) };
    case 'markdown':
      return { type: 'plan_text', planId, text: string(plan.content) ?? '' };
    case 'file':
      return uri === undefined ? undefined : { type: 'plan_file', planId, uri };
    default:
      return undefined;
  }
}

function planEntries(value: unknown) {
  return objects(value).map((entry) => ({
    content: string(entry.content) ?? '',
    priority: string(entry.priority) ?? 'medium',
    status: string(entry.status) ?? 'pending',
  }));
}

function count(value: unknown): number | undefined {
  const amount = number(value);
  const isOne = amount !== undefined && amount >= 0 && amount <= Number.MAX_SAFE_INTEGER;
  return isOne ? amount : undefined;
}

/** `null` is a value here: the cost is not known any more. */
function cost(value: unknown): Cost | null | undefined {
  if (value === null) return null;
  const amount = count(object(value)?.amount);
  if (amount === undefined) return undefined;
  return { amount, currency: label(object(value)?.currency) ?? '' };
}

function severity(value: unknown): 'info' | 'warning' | 'error' {
  return value === 'error' ? 'error' : value === 'warning' ? 'warning' : 'info';
}

/** What a `session/request_permission` asks, and of which subagent, where it says so itself. Options keep the agent's order; one without an id can't be answered and is left out. */
export interface PermissionRequest {
  sessionId: string;
  subagent?: string;
  patch: ToolCallPatch | null;
  /** Its dialect says that it is about a plan. */
  isPlan: boolean;
  options: PermissionOption[];
}

export function permissionRequest(value: unknown): PermissionRequest {
  const params = object(value) ?? {};
  const call = object(params.toolCall) ?? {};
  const patch = toolCallPatch(call) ?? null;
  const about: AgentEvent[] = patch ? [{ type: 'tool_call', patch, announced: false }] : [];
  const subagent = refined(about, call, params._meta)[0]?.subagent;
  return {
    sessionId: string(params.sessionId) ?? '',
    ...(subagent !== undefined && { subagent }),
    patch,
    isPlan: isPlan(call),
    options: objects(params.options).flatMap((option) => {
      const id = string(option.optionId);
      if (id === undefined) return [];
      return [{ id, name: label(option.name) ?? label(id) ?? '', kind: label(option.kind) ?? '' }];
    }),
  };
}
