/**
 * Cursor. Requests that name no session, only a tool call: `cursor/ask_question`, `cursor/create_plan`, and, as requests or as
 * notifications, `cursor/update_todos`, `cursor/task`, `cursor/generate_image`.
 */
import { sanitize } from '../../text';
import { compact, label, number, objects, string, text, type Json } from '../coerce';
import { choiceOf, distinct, tooLarge, type FormField } from '../elicitation';
import type { AgentEvent } from '../events';
import type { Asked, Extension, GivenAnswer } from './extension';

export const cursor: Extension = {
  capabilities: { _meta: { parameterizedModelPicker: true } },

  notification(method, params) {
    const events = told(method, params);
    return events && compact({ toolCallId: text(params.toolCallId), events });
  },

  request(method, params) {
    const events = told(method, params);
    const asked: Omit<Asked, 'events'> | undefined = events
      ? { answer: () => ({ outcome: { outcome: 'completed' } }) }
      : method === 'cursor/ask_question'
        ? question(params)
        : method === 'cursor/create_plan'
          ? plan(params)
          : undefined;
    if (!asked) return undefined;
    const toolCallId = text(params.toolCallId);
    return { events: events ?? todosOf(params), ...asked, ...(toolCallId && { toolCallId }) };
  },
};

function question(params: Json): Omit<Asked, 'events'> {
  const questions = objects(params.questions);
  const title = label(params.title);
  const choices = questions.reduce((all, { options }) => all + objects(options).length, 0);
  const reason = tooLarge({ fields: questions.length, choices });
  if (reason !== undefined) return { answer: () => ({ outcome: { outcome: 'skipped', reason } }) };
  // Their ids are the agent's; two may be alike, or missing.
  const fields = questions.map((it, i) => fieldOf(String(i), it));
  const answers = (values: Extract<GivenAnswer, { action: 'accept' }>['values']) =>
    questions.map(({ id }, i) => {
      const value = values[String(i)];
      const chosen = Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
      return { questionId: string(id) ?? '', selectedOptionIds: chosen };
    });
  return {
    question: { type: 'form', form: { message: title ?? '', fields } },
    answer: (given) => {
      if (given?.action === 'accept') {
        return { outcome: { outcome: 'answered', answers: answers(given.values) } };
      }
      const reason = given?.words;
      return { outcome: given ? { outcome: 'skipped', ...(reason && { reason }) } : CANCELLED };
    },
  };
}

const CANCELLED = { outcome: 'cancelled' };

function fieldOf(name: string, { prompt, options, allowMultiple }: Json): FormField {
  const choices = objects(options).flatMap((option) => {
    const id = string(option.id);
    return id === undefined ? [] : [choiceOf(id, option.label)];
  });
  const about = compact({ name, title: label(prompt), required: allowMultiple !== true });
  if (choices.length === 0)
    return { ...about, type: 'unknown', kind: 'a question without options' };
  return {
    ...about,
    type: allowMultiple === true ? 'choices' : 'choice',
    choices: distinct(choices),
  };
}

function plan(params: Json): Omit<Asked, 'events'> {
  const title = label(params.name) ?? 'Plan';
  const parts = [text(params.overview), text(params.plan), ...objects(params.phases).map(phase)];
  return {
    question: { type: 'plan', title, plan: sanitize(parts.filter(Boolean).join('\n\n')) },
    answer: (given) => {
      if (given?.action === 'accept') return { outcome: { outcome: 'accepted' } };
      const reason = given?.words;
      return { outcome: given ? { outcome: 'rejected', ...(reason && { reason }) } : CANCELLED };
    },
  };
}

function phase({ name, todos }: Json): string {
  const lines = objects(todos).map(({ content, status }) => {
    return `- [${status === 'completed' ? 'x' : ' '}] ${label(content) ?? ''}`;
  });
  return [`## ${label(name) ?? 'Phase'}`, '', ...lines].join('\n');
}

/** The tasks of a plan, beside it. */
function todosOf({ todos }: Json): AgentEvent[] {
  return objects(todos).length > 0 ? [todoEvent(todos, false)] : [];
}

function todoEvent(todos: unknown, merge: boolean): AgentEvent {
  const entries = objects(todos).map((todo) =>
    compact({
      id: text(todo.id),
      content: string(todo.content) ?? '',
      priority: '',
      status: string(todo.status) ?? 'pending',
    }),
  );
  return { type: 'plan', planId: 'cursor', entries, ...(merge && { merge }) };
}

/** What is only told. */
function told(method: string, params: Json): AgentEvent[] | undefined {
  const id = text(params.toolCallId);
  switch (method) {
    case 'cursor/update_todos':
      return [todoEvent(params.todos, params.merge === true)];
    case 'cursor/task':
      return task(id, params);
    case 'cursor/generate_image':
      return [image(id, params)];
    default:
      return undefined;
  }
}

function task(call: string | undefined, params: Json): AgentEvent[] {
  const title = label(params.description) ?? label(params.subagentType) ?? 'Task';
  const description = text(params.prompt);
  const state = number(params.durationMs) === undefined ? 'running' : 'completed';
  const id = text(params.agentId) ?? call ?? title;
  const patch = compact({ id, call, title, description, state } as const);
  const told: AgentEvent[] = call === undefined ? [] : [named(call, title, description)];
  return [...told, { type: 'subagent', patch }];
}

/** What a task is called, on the card of its call. */
function named(id: string, title: string, prompt: string | undefined): AgentEvent {
  const rawInput = prompt === undefined ? undefined : { prompt };
  return { type: 'tool_call', patch: compact({ id, title, rawInput }), announced: false };
}

function image(id: string | undefined, params: Json): AgentEvent {
  const path = text(params.filePath);
  const description = text(params.description) ?? '';
  if (id === undefined) {
    return {
      type: 'notice',
      severity: 'info',
      title: 'an image was made',
      detail: path ?? description,
    };
  }
  const content = description === '' ? undefined : [{ type: 'text' as const, text: description }];
  const patch = compact({ id, content, locations: path === undefined ? undefined : [{ path }] });
  return { type: 'tool_call', patch, announced: false };
}
