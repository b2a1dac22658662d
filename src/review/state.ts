/** What a review remembers. */
import { randomUUID } from 'node:crypto';
import type { Entry } from '../baseline/baseline';
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

/** A state that stays as it is when the other changes. */
export function copyOf(state: State): State {
  const scope = <T extends Scope>(it: T): T => ({
    ...it,
    bases: new Map(it.bases),
    names: new Map(it.names),
  });
  return {
    ...state,
    seen: new Map(state.seen),
    session: state.session && scope(state.session),
    whole: state.whole && scope(state.whole),
    turn: state.turn && scope(state.turn),
    turns: state.turns.map(scope),
    redo: [...state.redo],
    patches: [...state.patches],
    former: [...state.former],
  };
}

/** Turns that can be taken back. */
const MAX_TURNS = 10;

/** A turn begins, with the tree as it stands. */
export function beginTurn(state: State, title: string): void {
  const { last, seen } = state;
  if (last === null) throw new Error('a turn begins with a record');
  const scope = (): Scope => ({
    id: randomUUID(),
    title,
    snapshots: last,
    bases: new Map([...seen].map(([path, { now }]) => [path, now])),
    names: new Map(),
  });
  state.session ??= scope();
  state.whole ??= scope();
  state.turn = scope();
  const before = state.turns.filter(({ undone }) => !undone);
  state.turns = [...before, { ...scope(), undone: false }].slice(-MAX_TURNS);
  state.redo = [];
  state.running = true;
}
