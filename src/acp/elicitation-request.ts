/**
 * `elicitation/create`. Total: a property that is not as it should be is named as one that we don't know, and takes no other
 * with it.
 */
import { RequestError } from '@agentclientprotocol/sdk';
import { oneLine, sanitize } from '../text';
import { cappedText } from './cap';
import { array, compact, label, number, object, objects, string, text, type Json } from './coerce';
import {
  choiceOf,
  distinct,
  tooLarge,
  type Form,
  type FormChoice,
  type FormField,
} from './elicitation';
import { extendedForm } from './extensions/index';
import { page, type Page } from './page-address';

/** What `elicitation/create` asks, and of which session: by its id, or by a request that it has sent. */
export interface Elicitation {
  sessionId?: string;
  requestId?: string | number;
  toolCallId?: string;
  ask: { type: 'form'; form: Form } | { type: 'url'; id: string; message: string; page: Page };
}

/** Whether an answer to it would hold something that is not to be kept. */
export function hasSecrets({ ask }: Elicitation): boolean {
  return (
    ask.type === 'form' &&
    ask.form.fields.some(
      (field) => ('secret' in field && field.secret) || ('other' in field && field.other?.secret),
    )
  );
}

/** Why it can't be asked in the mode that it has: we did not say that we can. `withheld`: capabilities by their names. */
export function elicitationRefused(
  { ask }: Elicitation,
  withheld: readonly string[] = [],
): RequestError | undefined {
  return withheld.includes(`elicitation.${ask.type}`) ? notAdvertised(ask.type) : undefined;
}

function notAdvertised(mode: unknown): RequestError {
  return RequestError.invalidParams({ mode }, `elicitation of mode ${String(mode)} is not offered`);
}

/** Throws an error for the agent where it can't be asked at all. */
export function elicitation(value: unknown): Elicitation {
  const params = object(value) ?? {};
  const { requestId } = params;
  return compact({
    sessionId: text(params.sessionId),
    requestId: typeof requestId === 'number' ? requestId : text(requestId),
    toolCallId: text(params.toolCallId),
    ask: askOf(params),
  });
}

function askOf(params: Json): Elicitation['ask'] {
  const message = words(params.message) ?? '';
  const { mode } = params;
  if (mode === 'form') return { type: 'form', form: formOf(message, params) };
  if (mode !== 'url') {
    throw notAdvertised(mode);
  }
  const address = text(params.url);
  if (address === undefined) throw RequestError.invalidParams({}, 'there is no url to be opened');
  return { type: 'url', id: text(params.elicitationId) ?? '', message, page: page(address) };
}

function formOf(message: string, params: Json): Form {
  const schema = object(params.requestedSchema) ?? {};
  const required = new Set(array(schema.required));
  const properties = Object.entries(object(schema.properties) ?? {});
  refuse(tooLarge({ fields: properties.length }));
  const form: Form = compact({
    message,
    title: label(schema.title),
    description: words(schema.description),
    fields: properties.map(([name, property]) => fieldOf(name, property, required.has(name))),
  });
  refuse(tooLarge({ choices: form.fields.reduce((all, field) => all + choicesIn(field), 0) }));
  return extendedForm(form, params);
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw RequestError.invalidParams({}, why);
}

function choicesIn(field: FormField): number {
  return 'choices' in field ? field.choices.length : 0;
}

function fieldOf(name: string, value: unknown, required: boolean): FormField {
  const property = object(value) ?? {};
  const about = compact({
    name,
    // A name that is not what it looks like is shown as what it is.
    title: label(property.title) ?? (oneLine(name) === name ? undefined : label(name)),
    description: words(property.description, LONGEST_OF_FIELD),
    required,
  });
  const kind = property.type;
  const known = typeof kind === 'string' ? typed(kind, property) : undefined;
  return { ...about, ...(known ?? { type: 'unknown', kind: label(kind) ?? 'none' }) };
}

/** What is special to a type; undefined where nothing can be made of it. */
function typed(kind: string, property: Json) {
  switch (kind) {
    case 'string':
      return 'enum' in property || 'oneOf' in property ? choice(property) : textField(property);
    case 'number':
    case 'integer':
      return compact({
        type: kind,
        default: number(property.default),
        minimum: number(property.minimum),
        maximum: number(property.maximum),
      } as const);
    case 'boolean':
      return compact({
        type: 'boolean',
        default: typeof property.default === 'boolean' ? property.default : undefined,
      } as const);
    case 'array':
      return severalOf(property);
    default:
      return undefined;
  }
}

const LONGEST_PATTERN = 2000;
const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

function textField(property: Json) {
  return compact({
    type: 'text',
    default: string(property.default),
    minLength: number(property.minLength),
    maxLength: number(property.maxLength),
    pattern: patternOf(property.pattern),
    format: FORMATS.find((format) => format === property.format),
  } as const);
}

/** One that nobody can read is left to the agent. */
function patternOf(value: unknown): string | undefined {
  const pattern = text(value);
  return pattern !== undefined && pattern.length <= LONGEST_PATTERN ? pattern : undefined;
}

function choice(property: Json) {
  const choices = choicesOf(property.oneOf ?? undefined, property.enum);
  const wanted = string(property.default);
  if (choices.length === 0) return undefined;
  return compact({
    type: 'choice',
    choices,
    default: choices.some(({ value }) => value === wanted) ? wanted : undefined,
  } as const);
}

function severalOf(property: Json) {
  const items = object(property.items);
  const choices = choicesOf(items?.anyOf ?? items?.oneOf ?? undefined, items?.enum);
  if (choices.length === 0) return undefined;
  const values = new Set<unknown>(choices.map(({ value }) => value));
  const wanted = array(property.default)?.filter((it) => values.has(it));
  return compact({
    type: 'choices',
    choices,
    default: wanted as string[] | undefined,
    minItems: number(property.minItems),
    maxItems: number(property.maxItems),
  } as const);
}

function choicesOf(titled: unknown, plain: unknown): FormChoice[] {
  const choices = objects(titled).flatMap((it) => {
    const value = string(it.const);
    return value === undefined ? [] : [choiceOf(value, it.title, it.description)];
  });
  if (choices.length === 0) {
    choices.push(
      ...(array(plain) ?? []).filter((it) => typeof it === 'string').map((it) => choiceOf(it)),
    );
  }
  return distinct(choices);
}

/** Characters of what is said about a form. */
const LONGEST = 16 * 1024;
/** The same of a field: all of them are drawn anew as somebody types. */
const LONGEST_OF_FIELD = 2048;

/** Lines of harmless text. */
function words(value: unknown, most = LONGEST): string | undefined {
  return typeof value === 'string' ? text(sanitize(cappedText(value, most)).trim()) : undefined;
}
