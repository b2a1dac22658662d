/** Where a session comes from: it is new, stored here, known to its agent, or begins like another. */
import type { Former } from './opening';
import type { Catalog } from './catalog';
import type { Journal } from '../store/journal';
import { SessionBusy, type Store } from '../store/store';
import type { StoredSession } from '../store/replay';

/** An agent's session that was used so much later than we last saw it went on elsewhere. */
const ELSEWHERE_MS = 60_000;

export interface Origin {
  cwd: string;
  /** Null: what is said in it is not kept, as another process keeps it. */
  journal: Journal | null;
  stored: StoredSession | null;
  /** The agent's session. */
  former: Former | null;
  /** Why it can only be read, in words for people. */
  fault: string | null;
}

export interface OriginOptions {
  store: Store;
  catalog: Catalog;
  /** Writes what is not written yet of a session that is open here. */
  flush: (key: string) => void;
}

export interface OriginParams {
  agent: string;
  cwd: string;
  from: string;
  fork: boolean;
}

export function newOrigin(store: Store, { agent, cwd }: { agent: string; cwd: string }): Origin {
  return { cwd, journal: store.create({ agent, cwd }), stored: null, former: null, fault: null };
}

/** The origin of a session that was there before. */
export async function originOf(params: OriginParams, options: OriginOptions): Promise<Origin> {
  const { store, catalog, flush } = options;
  const { agent, from, fork } = params;
  const entry = await catalog.find(from);
  if (!entry) {
    const fault = 'This session is not known any more: :AcpSessions lists those that are';
    return { ...newOrigin(store, params), fault };
  }
  // Agents compare folders letter by letter: in the notation in which the session began.
  const { key, agentSession, title, cwd } = entry;
  if (key === undefined) {
    const journal = store.create({ agent, cwd, ...(title !== undefined && { title }) });
    const former =
      agentSession === undefined ? null : { sessionId: agentSession, held: false, fork };
    return { cwd, journal, stored: null, former, fault: null };
  }
  if (fork) {
    flush(key);
    const stored = await store.read(key);
    const journal = store.create({ agent, cwd, ...(title !== undefined && { title }) });
    return { cwd, journal, stored, former: formerOf(stored, entry.updated, true), fault: null };
  }
  try {
    const { journal, stored } = await store.open(key);
    return { cwd, journal, stored, former: formerOf(stored, entry.updated, false), fault: null };
  } catch (error) {
    if (!(error instanceof SessionBusy)) throw error;
    const stored = await store.read(key);
    const fault = 'This session is open in another Neovim: it can only be read here';
    return { cwd, journal: null, stored, former: null, fault };
  }
}

function formerOf(
  stored: StoredSession | null,
  updated: number | undefined,
  fork: boolean,
): Former | null {
  if (!stored || stored.agentSession === null) return null;
  return {
    sessionId: stored.agentSession,
    held: stored.blocks.length > 0,
    outdated: updated !== undefined && updated > stored.updated + ELSEWHERE_MS,
    fork,
  };
}
