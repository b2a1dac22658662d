/** The file of what a review remembers: it survives a restart of Neovim. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorText } from '../acp/connection';
import { isMissing } from '../client/faults';
import { emptyState, type Scope, type State } from './state';

const VERSION = 1;
/** How a map stands in the file. */
const MAP = '$map';

function serialise(state: State): string {
  const maps = (_key: string, value: unknown): unknown =>
    value instanceof Map ? { [MAP]: [...(value as Map<string, unknown>)] } : value;
  return JSON.stringify({ version: VERSION, ...state }, maps);
}

/** Throws for what is not a state. */
function parse(text: string): State {
  const { version, ...state } = JSON.parse(text, (_key, value: unknown) => {
    const pairs = isObject(value) ? value[MAP] : undefined;
    return Array.isArray(pairs) ? new Map(pairs as [string, unknown][]) : value;
  }) as State & { version: unknown };
  if (version !== VERSION) throw new Error('it is of another version of the plugin');
  const model = emptyState();
  for (const key of Object.keys(model) as (keyof State)[]) {
    if (!alike(model[key], state[key])) throw new Error(`"${key}" is not what it should be`);
  }
  const scopes = [state.session, state.whole, state.turn, ...state.turns];
  if (!scopes.every((scope) => scope === null || isScope(scope))) {
    throw new Error('what changes are compared with is missing');
  }
  return state;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function alike(model: unknown, value: unknown): boolean {
  if (model === null) return value === null || (isObject(value) && !Array.isArray(value));
  if (Array.isArray(model)) return Array.isArray(value);
  if (model instanceof Map) return value instanceof Map;
  return typeof value === typeof model;
}

function isScope(value: unknown): value is Scope {
  return (
    isObject(value) &&
    value.bases instanceof Map &&
    value.names instanceof Map &&
    isObject(value.snapshots)
  );
}

/** The file of a review. */
export class StateFile {
  readonly path: string;
  readonly #onFault: (where: string, error: unknown) => void;
  #written = '';
  /** When the file that was loaded was last written or touched, in ms. */
  time = 0;

  constructor(path: string, onFault: (where: string, error: unknown) => void) {
    this.path = path;
    this.#onFault = onFault;
  }

  /**
   * What it holds. A file that can't be read, or that `check` throws for, is set aside, so that it is not overwritten, and told:
   * the review begins anew.
   */
  async load(check: (state: State) => Promise<void>): Promise<State> {
    try {
      const state = parse(await readFile(this.path, 'utf8'));
      this.time = (await stat(this.path)).mtimeMs;
      await check(state);
      this.#written = serialise(state);
      return state;
    } catch (error) {
      if (!isMissing(error)) await this.#setAside(error);
      return emptyState();
    }
  }

  async #setAside(error: unknown): Promise<void> {
    const aside = `${this.path}.damaged`;
    const moved = await rename(this.path, aside).then(
      () => `it is now ${aside}`,
      (failure: unknown) => `and could not be set aside: ${errorText(failure)}`,
    );
    const told = `The pending review in ${this.path} can't be read (${errorText(error)}); ${moved}`;
    const cost = "What changed until now can't be reviewed any more.";
    this.#onFault('review', new Error(`${told}. ${cost}`, { cause: error }));
  }

  /** Tells that its process lives. */
  async touch(): Promise<void> {
    const now = new Date();
    // What can't be touched can't be saved either, which is told.
    await utimes(this.path, now, now).catch(() => {});
  }

  /** Writes the state, if it has changed, so that a reader finds the old one or the new. */
  async save(state: State): Promise<void> {
    const text = serialise(state);
    if (text === this.#written) return;
    try {
      await replace(this.path, text);
      this.#written = text;
    } catch (error) {
      this.#onFault('review', error);
    }
  }
}

async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
