/** The ways in which an agent can be logged in, in whatever dialect it lists them. */
import { RequestError } from '@agentclientprotocol/sdk';
import { compact, label, object, objects, stringMap, strings, text, type Json } from './coerce';
import { extendedLogin } from './extensions/index';

/**
 * As Neovim is told of one. `agent`: it does so by itself when it is asked. `terminal`: a program is run in a terminal.
 * `fields`: it wants values first. `manual`: it can't be done from here, and `description` says what is to be done.
 */
export interface LoginMethod {
  id: string;
  name: string;
  description?: string;
  type: 'agent' | 'terminal' | 'fields' | 'manual';
  fields?: LoginField[];
}

export interface LoginField {
  name: string;
  title: string;
  required: boolean;
  /** Read without an echo, and never stored, logged or shown. */
  secret: boolean;
}

/** A way as the agent lists it. */
export type AuthMethod = { id: string; name: string; description?: string } & AuthWay;

/** How it goes. */
export type AuthWay =
  | { type: 'agent' }
  | { type: 'terminal'; program: LoginProgram }
  /** `meta`: what of `_meta` carries the values; those that were left empty are not among them. */
  | { type: 'fields'; fields: LoginField[]; meta: (values: Record<string, string>) => Json }
  /** The agent takes what stands in these variables of its environment. */
  | { type: 'variables'; variables: string[] }
  /** Of a kind that we don't know. */
  | { type: 'unknown'; kind: string };

/** Without a `command` it is the agent's own program, with these arguments behind those that start it. */
export interface LoginProgram {
  command?: string;
  args: string[];
  env: Record<string, string>;
}

/** Who has more ways than that has none that can be chosen from. */
const MAX_METHODS = 50;

/** The code of an error that says: log in first. */
export const AUTH_REQUIRED = -32000;

/** The ways of an `authMethods`. One without an id can't be named to the agent, and is left out. */
export function authMethods(value: unknown): AuthMethod[] {
  const methods = new Map<string, AuthMethod>();
  for (const method of objects(value)) {
    const id = text(method.id) ?? text(method.methodId);
    if (id === undefined || methods.has(id) || methods.size >= MAX_METHODS) continue;
    const name = label(method.name) ?? label(id) ?? 'a way without a name';
    methods.set(id, compact({ id, name, description: label(method.description), ...way(method) }));
  }
  return [...methods.values()];
}

/** Those of an error: some agents list them there, too. */
export function methodsOfError(error: unknown): AuthMethod[] {
  return error instanceof RequestError ? authMethods(object(error.data)?.authMethods) : [];
}

function way(method: Json): AuthWay {
  const it = namedWay(method);
  if (it.type !== 'terminal') return it;
  const { command = '', args, env } = it.program;
  // No program can be given one.
  const hasNul = [command, ...args, ...Object.entries(env).flat()].some((word) =>
    word.includes('\0'),
  );
  return hasNul ? { type: 'unknown', kind: 'a program with a NUL byte' } : it;
}

function namedWay(method: Json): AuthWay {
  const type = text(method.type);
  if (type === 'terminal') return { type, program: program(method) };
  const extended = extendedLogin(method);
  if (extended) return extended;
  if (type === undefined || type === 'agent') return { type: 'agent' };
  return { type: 'unknown', kind: label(type) ?? 'unknown' };
}

function program({ args, env }: Json): LoginProgram {
  return { args: strings(args), env: stringMap(env) };
}
