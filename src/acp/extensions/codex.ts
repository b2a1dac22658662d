/**
 * codex-acp's forms. `_meta.codex` of a property: `isSecret`; `isOther`, a choice that means none of them; and `role:
 * "user_note"` with `questionId`, the text that goes with that. `_meta.codex` of the request: `delivery: "async"`, the agent
 * goes on meanwhile, and `autoResolutionMs`, after which it does so without an answer.
 *
 * `_meta.codex.error` of a `session_info_update`: what went wrong in a turn, and whether it tries again.
 *
 * A plan that is to be approved is a permission request of a call `plan-review:…`.
 */
import { label, number, object, string, text, type Json } from '../coerce';
import type { Form, FormField } from '../elicitation';
import { count } from '../../text';
import type { Extension } from './extension';
import { joined } from './own-words';

export const codex: Extension = {
  refine(events, meta) {
    const error = object(object(meta.codex)?.error);
    const title = label(error?.message);
    // What it does not try again it says as a message, too.
    if (!error || title === undefined || error.willRetry !== true) return events;
    const id = `codex ${text(error.turnId) ?? ''}`;
    const detail = string(error.additionalDetails) ?? '';
    const told = { id, revision: 0, severity: 'warning', title, detail } as const;
    return [...events, { type: 'failure', ...told, actions: [] }];
  },

  isPlan: ({ toolCallId }) => text(toolCallId)?.startsWith('plan-review:') ?? false,

  form(form, { _meta, requestedSchema }) {
    const properties = object(object(requestedSchema)?.properties) ?? {};
    const about = (name: string): Json => {
      const property = Object.hasOwn(properties, name) ? object(properties[name]) : undefined;
      return object(object(property?._meta)?.codex) ?? {};
    };
    const secrets = form.fields.map((field): FormField => {
      const secret = field.type === 'text' && about(field.name).isSecret === true;
      return secret ? { ...field, secret } : field;
    });
    const fields = joined(secrets, (note, field) => {
      const { questionId, role } = about(note.name);
      if (role !== 'user_note' || questionId !== field.name) return false;
      // The choice that stands for the note is the last one; the agent adds it itself.
      return about(field.name).isOther === true ? { with: field.choices.at(-1)!.value } : {};
    });
    const message = form.message === 'Codex needs your input to continue.' ? '' : form.message;
    return { ...form, message, ...pace(form, object(object(_meta)?.codex)), fields };
  },
};

function pace(form: Form, about: Json | undefined): Partial<Form> {
  const wait = number(about?.autoResolutionMs) ?? 0;
  const meanwhile = string(about?.delivery) === 'async';
  const note =
    wait > 0 ? `It goes on by itself after ${count(Math.ceil(wait / 1000), 'second')}.` : '';
  const description = [form.description ?? '', note].filter(Boolean).join('\n');
  return { ...(meanwhile && { meanwhile }), ...(description && { description }) };
}
