/**
 * claude-agent-acp. `_meta.claudeCode` of a tool call: `toolResponse`, what the tool itself gave, in an update of its own;
 * `parentToolUseId`, the call that started the subagent whose work it is, which stands at texts too.
 *
 * A plan that is to be approved comes with a permission request of its tool `ExitPlanMode`.
 *
 * `nonExecutionKind` of a call that did not run. `kind` and `level` of a message: it is a notice.
 *
 * Forms of its tool for questions: a choice `question_0` with `question_0_custom`, a text for an answer of the user's own, and
 * `_meta["_claude/askUserQuestionOption"].preview` of a choice, what it would be like.
 *
 * `_meta["_claude/rateLimit"]` of a `usage_update`, limits of a subscription: which one, how much of it is used (a fraction),
 * when it begins anew (seconds since the epoch), and whether requests are still taken. With `unifiedWindows` there may be
 * others beside it.
 */
import { toLines } from '../../text';
import { capped } from '../cap';
import {
  array,
  compact,
  label,
  lookUp,
  number,
  object,
  objects,
  string,
  text,
  type Json,
} from '../coerce';
import type { FormField } from '../elicitation';
import type { AgentEvent, Limit, ToolCallPatch } from '../events';
import type { Extension } from './extension';
import { noticeOf, severityOf } from './notices';
import { joined } from './own-words';

const LAUNCHED = 'Async agent launched successfully.';

export const claude: Extension = {
  // Of versions without `subagents`: also what a subagent says, not only what it calls.
  capabilities: { _meta: { 'subagent-transcript': true } },

  form(form, { requestedSchema }) {
    const properties = object(object(requestedSchema)?.properties) ?? {};
    const fields = joined(form.fields, (note, field) => {
      return /^question_\d+$/.test(field.name) && note.name === `${field.name}_custom` ? {} : false;
    });
    // What it says above its questions tells nothing.
    const own =
      form.fields.length > 0 && form.fields.every(({ name }) => /^question_\d/.test(name));
    return {
      ...form,
      ...(own && { message: '' }),
      fields: fields.map((field) => previewed(field, properties[field.name])),
    };
  },

  // What its tool tells the model, who is asked to keep it to itself.
  letter: (event) => (event.text?.startsWith(LAUNCHED) ? [] : [event]),

  whole: (meta) => kindOf(meta) !== undefined,

  isPlan({ name, _meta }) {
    const tool = name ?? object(object(_meta)?.claudeCode)?.toolName;
    return tool === 'ExitPlanMode';
  },

  refine(told, meta) {
    const about = object(meta.claudeCode);
    const subagent = text(about?.parentToolUseId);
    const isNotice = kindOf(meta) !== undefined;
    const events = isNotice ? noticeOf(told, severityOf(text(about?.level))) : told;
    for (const event of about ? events : []) {
      if (event.type === 'tool_call') refineCall(event.patch, about!);
    }
    const all = [...events, ...launched(events, about), ...claudeLimits(meta)];
    return subagent === undefined ? all : all.map((event) => ({ ...event, subagent }));
  },
};

/** What is told of a message of the agent's that is none: `informational`, `mcpServerStatus`. */
function kindOf(meta: Json): string | undefined {
  return text(object(meta.claudeCode)?.kind);
}

/** A call ends at once where its subagent goes on in the background; without `subagents`, nobody tells the end of that. */
function launched(events: readonly AgentEvent[], about: Json | undefined): AgentEvent[] {
  if (object(about?.toolResponse)?.status !== 'async_launched') return [];
  return events.flatMap((event): AgentEvent[] => {
    if (event.type !== 'tool_call') return [];
    return [{ type: 'subagent', patch: { id: event.patch.id, state: 'running' } }];
  });
}

/** It was given up, and has not failed. */
const GIVEN_UP = ['interrupted', 'cancelled'];

function refineCall(patch: ToolCallPatch, about: Json): void {
  const response = object(about.toolResponse);
  // What was remembered is worth a line; what it was is in the details.
  if (about.toolName === 'memory_recall') patch.kind = 'recall';
  if (patch.status === 'failed' && GIVEN_UP.includes(text(about.nonExecutionKind) ?? '')) {
    patch.status = 'cancelled';
  }
  if (patch.status === 'failed' && response?.decisionReasonType !== undefined) {
    const why = [string(response.message), string(response.decisionReason)].filter(Boolean);
    patch.rawOutput ??= [...new Set(why)].join('\n');
  }
  // A beat says only that it still runs, which can be seen.
  const beat = patch.status === 'in_progress' && response?.elapsedTimeSeconds !== undefined;
  if (about.toolResponse != null && !beat) patch.response = capped(about.toolResponse);
}

function previewed(field: FormField, property: unknown): FormField {
  if (field.type !== 'choice' && field.type !== 'choices') return field;
  const { oneOf, items } = object(property) ?? {};
  const previews = new Map(
    objects(array(oneOf) ?? object(items)?.anyOf).map((option) => {
      const about = object(object(option._meta)?.['_claude/askUserQuestionOption']);
      return [string(option.const), text(about?.preview)];
    }),
  );
  const choices = field.choices.map((choice) => {
    const preview = previews.get(choice.value);
    return preview === undefined ? choice : { ...choice, preview: toLines(preview) };
  });
  return { ...field, choices };
}

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
    name: lookUp(NAMES, type) ?? label(type?.replaceAll('_', ' ')) ?? 'usage',
    state: lookUp(STATES, info.status) ?? 'ok',
    used: used === undefined ? undefined : Math.min(1, Math.max(0, used)),
    resets: resets === undefined || resets <= 0 ? undefined : Math.round(resets * 1000),
  });
}
