/** What a review remembers, and its file: it survives a restart of Neovim. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Entry } from '../baseline/baseline';
import { errorText } from '../acp/connection';
import { isMissing } from '../client/faults';
import type { Snapshots } from './tree';

/** Since when changes are looked at, and what they are compared with. */
export interface Scope {
  id: string;
  title: string;
  snapshots: Snapshots;
  /** Where the base is another than what was recorded: the user changed the file too, or decided something. */
  bases: Map<string, Entry | null>;
  /** Names that files had when the scope began, by those that the agent gave them. */
  names: Map<string, string>;
}

export interface Turn extends Scope {
  undone: boolean;
}

/** A file as it was seen last, where that is newer than the last record. `disk`: without the unsaved text of its buffer. */
export interface Seen {
  now: Entry | null;
  disk: Entry | null;
}

/** A file before a rejection: when the user takes it back (`u`), the former bases come back too. */
export interface Former {
  path: string;
  entry: Entry | null;
  /** What it was compared with, by scope. */
  bases: Map<string, Entry | null>;
  /** Decisions that it counted for. */
  count: number;
  patch: string;
}

/** A file before and after a turn was taken back. */
export interface Redone {
  path: string;
  before: Entry | null;
  after: Entry | null;
}

export interface Redo {
  turn: string;
  files: Redone[];
}

/** What was rejected, to be told to the agent. */
export interface Patch {
  path: string;
  name: string;
  patch: string;
}

export interface State {
  /** Name of the agent. */
  agent: string;
  /** A turn is running: what changes is the agent's, but for what is known to be the user's. */
  running: boolean;
  /** The last record. */
  last: Snapshots | null;
  seen: Map<string, Seen>;
  session: Scope | null;
  /** The session's, as it were without the decisions to keep. */
  whole: Scope | null;
  turn: Scope | null;
  /** The last turns, without decisions to keep; the newest is at the end. */
  turns: Turn[];
  redo: Redo[];
  kept: number;
  rejected: number;
  patches: Patch[];
  former: Former[];
}

export function emptyState(): State {
  return {
    agent: '',
    running: false,
    last: null,
    seen: new Map(),
    session: null,
    whole: null,
    turn: null,
    turns: [],
    redo: [],
    kept: 0,
    rejected: 0,
    patches: [],
    former: [],
  };
}

const VERSION = 1;
/** How a map stands in the file. */
const MAP = '$map';

/** The state as it stands in its file. */
export function serialise(state: State): string {
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

/**
 * The state in `file`. One that can't be read is set aside, so that it is not overwritten, and told to `onFault`: the review
 * then begins anew.
 */
export async function loadState(
  file: string,
  onFault: (where: string, error: unknown) => void,
): Promise<State> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return emptyState();
    const aside = `${file}.damaged`;
    const moved = await rename(file, aside).then(
      () => `it is now ${aside}`,
      (failure: unknown) => `and could not be set aside: ${errorText(failure)}`,
    );
    const told = `The pending review in ${file} can't be read (${errorText(error)}); ${moved}`;
    onFault('review', new Error(`${told}. What changed until now can't be reviewed any more.`));
    return emptyState();
  }
}

/** Writes a state so that a reader finds the old one or the new. */
export async function saveState(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
