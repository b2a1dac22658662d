import { oneLine } from '../text';

/**
 * Reading what came from outside. An agent may leave out, null or misspell anything: each helper gives the value when
 * it has the right type, else nothing, and never throws.
 */
export type Json = Record<string, unknown>;

export function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

export function array(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A name that people see, such as a mode's: one line of harmless text. */
export function label(value: unknown): string | undefined {
  return typeof value === 'string' ? text(oneLine(value)) : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The objects among the items; bad items are dropped, not the list. */
export function objects(value: unknown): Json[] {
  return (array(value) ?? []).map(object).filter((item) => item !== undefined);
}

/** Drops the fields that are undefined, as `exactOptionalPropertyTypes` wants it. */
export function compact<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (value[key] === undefined) delete value[key];
  }
  return value as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The strings among the items. */
export function strings(value: unknown): string[] {
  return (array(value) ?? []).filter((item) => typeof item === 'string');
}

/** The entries whose values are strings, such as of an environment. */
export function stringMap(value: unknown): Record<string, string> {
  const entries = Object.entries(object(value) ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** What a table has for a word from outside; what all objects have, such as `constructor`, is none of it. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: unknown): T | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined;
}
