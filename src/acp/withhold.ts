/**
 * What the configuration changes in what an agent sees of us: what it shall not know that we can (some then use better
 * tools of their own), and vendor keys more or less.
 */
import { methodNotFound, type ClientHandlers } from './connection';
import { object, type Json } from './coerce';

/** Each request by its handler: its method, and the capability that it needs. */
const NEEDS = {
  readTextFile: ['fs/read_text_file', 'fs.readTextFile'],
  writeTextFile: ['fs/write_text_file', 'fs.writeTextFile'],
  createTerminal: ['terminal/create', 'terminal'],
  terminalOutput: ['terminal/output', 'terminal'],
  waitForTerminalExit: ['terminal/wait_for_exit', 'terminal'],
  killTerminal: ['terminal/kill', 'terminal'],
  releaseTerminal: ['terminal/release', 'terminal'],
  elicit: ['elicitation/create', 'elicitation'],
} as const;

/** Capabilities without those that are named, such as `terminal` or `fs.writeTextFile`. */
export function withoutThose(capabilities: Json, names: readonly string[] = []): Json {
  return names.reduce((all, name) => without(all, name.split('.')), capabilities);
}

function without(capabilities: Json, [name, ...rest]: string[]): Json {
  if (name === undefined || !Object.hasOwn(capabilities, name)) return capabilities;
  const { [name]: value, ...others } = capabilities;
  const inner = rest.length > 0 ? object(value) : undefined;
  if (rest.length > 0 && !inner) return capabilities;
  return inner ? { ...others, [name]: without(inner, rest) } : others;
}

/** Params with keys of the user's in their `_meta`, put over ours; `null` takes one of ours away. */
export function withMeta<T extends object>(params: T, keys: Json | undefined): T {
  if (!keys) return params;
  const { _meta: ours, ...others } = params as Json;
  const meta = overlaid(object(ours) ?? {}, keys);
  return (Object.keys(meta).length > 0 ? { ...others, _meta: meta } : others) as T;
}

function overlaid(one: Json, over: Json): Json {
  const all = new Map(Object.entries(one));
  for (const [key, value] of Object.entries(over)) {
    const more = object(value);
    if (value === null) all.delete(key);
    else all.set(key, more ? overlaid(object(all.get(key)) ?? {}, more) : value);
  }
  return Object.fromEntries(all);
}

/** Handlers that answer what needs one of those as a client does that never heard of it. */
export function withholding(
  handlers: ClientHandlers,
  names: readonly string[] = [],
): ClientHandlers {
  if (names.length === 0) return handlers;
  const isWithheld = (capability: string): boolean =>
    names.some((name) => capability === name || capability.startsWith(`${name}.`));
  const refused = Object.entries(NEEDS)
    .filter(([, [, capability]]) => isWithheld(capability))
    .map(([handler, [method]]) => [
      handler,
      async () => {
        throw methodNotFound(method);
      },
    ]);
  return { ...handlers, ...(Object.fromEntries(refused) as Partial<ClientHandlers>) };
}
