/** Whether what was filled in is what a form asks for. */
import { createContext, Script } from 'node:vm';
import { count, oneLine } from '../text';
import { object } from './coerce';
import type { FormValue } from '../nvim/protocol';
import type { Form, FormField } from './elicitation';

export interface Checked {
  /** What the agent gets: fields that were left empty are not there. */
  values: Record<string, FormValue>;
  /** What is wrong, one a field. */
  faults: { field: string; words: string }[];
}

/** Values come as they were typed: numbers may be texts, and more than one choice may be where there is room for one. */
export function checkForm(form: Form, given: Readonly<Record<string, unknown>>): Checked {
  const values: [string, FormValue][] = [];
  const faults: Checked['faults'] = [];
  const patterns = new Patterns();
  for (const field of form.fields) {
    const fault = (words: string): void => void faults.push({ field: field.name, words });
    const own = 'other' in field && field.other ? textOf(valueOf(given, field.other.name)) : '';
    const value = read(field, valueOf(given, field.name), patterns);
    if (value instanceof Fault) fault(value.message);
    else if (value !== undefined) values.push([field.name, value]);
    else if (field.type === 'unknown' && field.required) {
      fault(`it is required, and of a kind that can’t be filled in here: ${field.kind}`);
    } else if (field.required && own === '') fault('it is required');
    if (own !== '' && 'other' in field && field.other) {
      if (field.type === 'choice' && value !== undefined && value !== field.other.with) {
        fault('either one of the choices, or something else');
      }
      if (field.other.with !== undefined && value === undefined) {
        const { with: choice } = field.other;
        values.push([field.name, field.type === 'choices' ? [choice] : choice]);
      }
      values.push([field.other.name, own]);
    }
  }
  return { values: Object.fromEntries(values), faults };
}

class Fault {
  constructor(readonly message: string) {}
}

function valueOf(given: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Undefined: it was left empty. */
function read(field: FormField, given: unknown, patterns: Patterns): FormValue | undefined | Fault {
  if (given === undefined || given === null || given === '') return undefined;
  switch (field.type) {
    case 'text':
      return typeof given === 'string'
        ? checkText(field, given, patterns)
        : new Fault('it is no text');
    case 'number':
    case 'integer':
      return checkNumber(field, given);
    case 'boolean':
      return typeof given === 'boolean' ? given : new Fault('yes or no');
    case 'choice': {
      const chosen = listOf(given);
      if (chosen.length === 0) return undefined;
      if (chosen.length > 1) return new Fault('only one can be chosen');
      const known = field.choices.some(({ value }) => value === chosen[0]);
      return known ? chosen[0] : new Fault('that is none of the choices');
    }
    case 'choices':
      return checkChoices(field, listOf(given));
    case 'unknown':
      return undefined;
  }
}

function listOf(given: unknown): string[] {
  const list = Array.isArray(given) ? given : [given];
  return list.map((item) => String(item));
}

function checkChoices(
  { choices, minItems = 0, maxItems = Infinity, required }: FormField & { type: 'choices' },
  chosen: string[],
): string[] | undefined | Fault {
  const known = new Set(choices.map(({ value }) => value));
  if (chosen.some((value) => !known.has(value))) return new Fault('that is none of the choices');
  if (chosen.length === 0 && !required) return undefined;
  if (chosen.length < minItems) return new Fault(`at least ${count(minItems, 'choice')}`);
  if (chosen.length > maxItems) return new Fault(`at most ${count(maxItems, 'choice')}`);
  return chosen.length === 0 ? undefined : chosen;
}

/** Numbers as JSON writes them, with a sign or zeros in front. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function checkNumber(
  { type, minimum = -Infinity, maximum = Infinity }: FormField & { type: 'number' | 'integer' },
  given: unknown,
): number | Fault {
  const typed = typeof given === 'number' ? String(given) : textOf(given).trim();
  const value = NUMBER.test(typed) ? Number(typed) : NaN;
  if (!Number.isFinite(value)) return new Fault('it is no number');
  if (type === 'integer' && !Number.isSafeInteger(value)) return new Fault('it is no whole number');
  if (value < minimum) return new Fault(`at least ${minimum}`);
  if (value > maximum) return new Fault(`at most ${maximum}`);
  return value;
}

function checkText(
  { minLength = 0, maxLength = Infinity, pattern, format }: FormField & { type: 'text' },
  given: string,
  patterns: Patterns,
): string | Fault {
  const length = [...given].length;
  if (length < minLength) return new Fault(`at least ${count(minLength, 'character')}`);
  if (length > maxLength)
    return new Fault(`at most ${count(maxLength, 'character')}, now ${length}`);
  if (format !== undefined && !FORMATS[format].test(given)) return new Fault(FORMATS[format].words);
  return (pattern === undefined ? undefined : patterns.fault(pattern, given)) ?? given;
}

const FORMATS = {
  email: {
    words: 'it is no e-mail address',
    test: (given: string) => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(given),
  },
  uri: {
    words: 'it is no address: https://…',
    test: (given: string) => /^[a-z][a-z\d+.-]*:\S+$/i.test(given) && URL.canParse(given),
  },
  date: { words: 'it is no date: 2026-01-31', test: isDate },
  'date-time': {
    words: 'it is no date with a time and a zone: 2026-01-31T12:00:00Z',
    test: (given: string) => {
      const [date = '', time = ''] = given.split(/[Tt ]/, 2);
      return (
        isDate(date) &&
        /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-][0-2]\d:[0-5]\d)$/i.test(time)
      );
    },
  },
};

function isDate(given: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(given)) return false;
  const date = new Date(`${given}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(given);
}

/** The expressions are the agent's: those that take for ever must not hold anything up, however many there are. */
const PATIENCE_MS = 100;
const MATCH = new Script('new RegExp(pattern, flags).test(given)');

class Patterns {
  readonly #context = createContext({});
  /** What is left for those of a form. */
  #patience = PATIENCE_MS;

  fault(pattern: string, given: string): Fault | undefined {
    const shown = oneLine(pattern);
    const began = performance.now();
    const matches = this.#matches(pattern, given);
    this.#patience -= performance.now() - began;
    if (matches === null) return new Fault(`it takes too long to see whether it matches ${shown}`);
    return matches ? undefined : new Fault(`it must match ${shown}`);
  }

  /** Null: nobody knows. What is no expression can't be asked for. */
  #matches(pattern: string, given: string): boolean | null {
    for (const flags of ['u', '']) {
      if (this.#patience < 1) return null;
      try {
        Object.assign(this.#context, { pattern, flags, given });
        const timeout = Math.floor(this.#patience);
        return MATCH.runInContext(this.#context, { timeout }) === true;
      } catch (error) {
        if (object(error)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
      }
    }
    return true;
  }
}
