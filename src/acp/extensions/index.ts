/** All dialects that we understand. What comes of them are events and questions; nothing else knows a vendor's name. */
import { object, type Json } from '../coerce';
import type { Form } from '../elicitation';
import type { AgentEvent } from '../events';
import type { AuthWay } from '../login';
import { air } from './air';
import { airSubagents } from './air-subagents';
import { apiKey } from './api-key';
import { authStatus } from './auth-status';
import { claude } from './claude';
import { claudePty } from './claude-pty';
import { codex } from './codex';
import { codexSubagents } from './codex-subagents';
import { copilot } from './copilot';
import { cursor } from './cursor';
import { displayTerminal } from './display-terminal';
import { envVar } from './env-var';
import type { Asked, Extension, LetterEvent, Notified, ToolCallEvent } from './extension';
import { gateway } from './gateway';
import { pi } from './pi';
import { promptSuggestions } from './prompt-suggestions';
import { quiet } from './quiet';
import { qwen } from './qwen';
import { terminalAuth } from './terminal-auth';
import { todoLists } from './todo-lists';

// What agents can do, and are known to do.
export { accountOf } from './auth-status';
export { formerRequests } from './codex-auth';
export { takesMissingAsEmpty } from './gemini';
export { steers } from './steering';

const EXTENSIONS: readonly Extension[] = [
  displayTerminal,
  claude,
  claudePty,
  codex,
  cursor,
  terminalAuth,
  todoLists,
  gateway,
  apiKey,
  envVar,
  authStatus,
  air,
  airSubagents,
  codexSubagents,
  copilot,
  promptSuggestions,
  pi,
  qwen,
  quiet,
];

const NOTHING: Json = {};

/** What all dialects add to `clientCapabilities`. */
export function extendedCapabilities(): Json {
  return EXTENSIONS.reduce((all, { capabilities = {} }) => merged(all, capabilities), NOTHING);
}

/** The events of an update whose kind ACP doesn't have. */
export function extendedUpdate(kind: string, update: Json): AgentEvent[] | undefined {
  return first((extension) => extension.update?.(kind, update));
}

/** The events of a tool call, where it tells of something else. */
export function extendedToolCall(event: ToolCallEvent): AgentEvent[] {
  let events: AgentEvent[] = [event];
  for (const extension of EXTENSIONS) {
    events = events.flatMap((it) =>
      it.type === 'tool_call' ? (extension.toolCall?.(it) ?? [it]) : [it],
    );
  }
  return events;
}

/** What comes of a message between agents. */
export function extendedLetter(event: LetterEvent): AgentEvent[] {
  return first((extension) => extension.letter?.(event)) ?? [event];
}

/** The events of an update, with what its `_meta` and that of its notification say. */
export function refined(events: AgentEvent[], update: Json, outer: unknown): AgentEvent[] {
  const inside = object(update._meta);
  const around = object(outer);
  if (!inside && !around) return events;
  return EXTENSIONS.reduce((all, extension) => {
    return extension.refine?.(all, inside ?? NOTHING, around ?? NOTHING) ?? all;
  }, events);
}

/** Whether a chunk stands for itself: others like it say something of their own, and are not joined with it. */
export function isWhole(update: Json, outer: unknown): boolean {
  const inside = object(update._meta);
  const around = object(outer);
  if (!inside && !around) return false;
  return EXTENSIONS.some((extension) => extension.whole?.(inside ?? NOTHING, around ?? NOTHING));
}

/** How a way to log in goes that ACP doesn't have; undefined: nobody knows it. */
export function extendedLogin(method: Json): AuthWay | undefined {
  return first((extension) => extension.login?.(method));
}

/** A form, with what else its request says. */
export function extendedForm(form: Form, params: Json): Form {
  return EXTENSIONS.reduce((all, extension) => extension.form?.(all, params) ?? all, form);
}

/** Whether a permission request is about a plan, as far as dialects know. `call`: its `toolCall`. */
export function isPlan(call: Json): boolean {
  return EXTENSIONS.some((extension) => extension.isPlan?.(call));
}

/** What a notification tells that isn't ACP's; undefined: nobody knows it. */
export function extendedNotification(method: string, params: unknown): Notified | undefined {
  return first((extension) => extension.notification?.(method, object(params) ?? NOTHING));
}

/** What a request wants that isn't ACP's; undefined: nobody knows it. */
export function extendedRequest(method: string, params: unknown): Asked | undefined {
  return first((extension) => extension.request?.(method, object(params) ?? NOTHING));
}

/** Objects are merged, key by key; whatever else is replaced. */
export function merged(one: Json, other: Json): Json {
  const all: Json = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const into = object(all[key]);
    const more = object(value);
    all[key] = into && more ? merged(into, more) : value;
  }
  return all;
}

function first<T>(find: (extension: Extension) => T | undefined): T | undefined {
  for (const extension of EXTENSIONS) {
    const found = find(extension);
    if (found !== undefined) return found;
  }
  return undefined;
}
