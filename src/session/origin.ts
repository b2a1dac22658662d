/** Where a session comes from: it is new, stored here, known to its agent, or begins like another. */
import { reasonOf } from '../client/faults';
import type { Attachment, Draft } from '../nvim/protocol';
import type { Former } from './opening';
import type { Catalog } from './catalog';
import type { Journal } from '../store/journal';
import { SessionBusy, type Store } from '../store/store';
import type { StoredSession } from '../store/replay';

/** An agent's session that was used so much later than we last saw it went on elsewhere. */
const ELSEWHERE_MS = 60_000;

const OPEN_HERE = 'This session is open here already, in another chat';
const OPEN_ELSEWHERE = 'This session is open in another Neovim: it can only be read here';

const NOTHING: Draft = { text: '', attachments: [] };

export interface Origin {
  cwd: string;
  /** Null: what is said in it is not kept, as another process keeps it. */
  journal: Journal | null;
  stored: StoredSession | null;
  /** The agent's session. */
  former: Former | null;
  /** What stands in the prompt at first. */
  draft: Draft | null;
  /** Why it can only be read, in words for people. */
  fault: string | null;
}

export interface OriginOptions {
  store: Store;
  catalog: Catalog;
  /** Writes what is not written yet of a session that is open here. */
  flush: (key: string) => void;
  onFault: (error: unknown) => void;
}

export interface OriginParams {
  agent: string;
  cwd: string;
  from: string;
  fork: boolean;
  /** The fork ends before this block, a prompt. */
  before?: string;
}

export function newOrigin(store: Store, { agent, cwd }: { agent: string; cwd: string }): Origin {
  const journal = store.create({ agent, cwd });
  return { cwd, journal, stored: null, former: null, draft: null, fault: null };
}

/** The origin of a session that was there before. What can't be opened can be read, if anything of it can. */
export async function originOf(params: OriginParams, options: OriginOptions): Promise<Origin> {
  try {
    return await found(params, options);
  } catch (error) {
    const { store, onFault } = options;
    onFault(error);
    const stored = await store.read(params.from).catch(() => null);
    return readOnly(params.cwd, stored, `This session can’t be opened: ${reasonOf(error)}`);
  }
}

async function found(params: OriginParams, options: OriginOptions): Promise<Origin> {
  const { store, catalog, flush } = options;
  const { agent, from, fork } = params;
  const entry = await catalog.find(from);
  if (!entry) {
    const fault = 'This session is not known any more: :AcpSessions lists those that are';
    return { ...newOrigin(store, params), fault };
  }
  // Agents compare folders letter by letter: in the notation in which the session began.
  const { key, agentSession, title, cwd } = entry;
  if (!fork && catalog.isOpen(entry)) {
    const stored = key === undefined ? null : await store.read(key);
    return readOnly(cwd, stored, OPEN_HERE);
  }
  if (key === undefined) {
    const journal = store.create({ agent, cwd, ...(title !== undefined && { title }) });
    const former =
      agentSession === undefined ? null : { sessionId: agentSession, held: false, fork };
    return { cwd, journal, stored: null, former, draft: null, fault: null };
  }
  if (fork) {
    flush(key);
    const whole = await store.read(key);
    const journal = store.create({ agent, cwd, ...(title !== undefined && { title }) });
    const former = formerOf(whole, entry.updated, true);
    const { before } = params;
    const cut = before === undefined || !whole ? null : cutBefore(whole, before);
    if (!cut) return { cwd, journal, stored: forked(whole), former, draft: null, fault: null };
    const { stored, draft, at } = cut;
    // Nothing was said before the first prompt: it begins anew.
    return {
      cwd,
      journal,
      stored,
      former: stored && former && { ...former, at },
      draft,
      fault: null,
    };
  }
  try {
    const { journal, stored } = await store.open(key);
    const former = formerOf(stored, entry.updated, false);
    return { cwd, journal, stored, former, draft: stored.draft, fault: null };
  } catch (error) {
    if (!(error instanceof SessionBusy)) throw error;
    const fault = error.pid === process.pid ? OPEN_HERE : OPEN_ELSEWHERE;
    return readOnly(cwd, await store.read(key), fault);
  }
}

function readOnly(cwd: string, stored: StoredSession | null, fault: string): Origin {
  return { cwd, journal: null, stored, former: null, draft: null, fault };
}

/** A session as another begins: what waits in it stays there. */
function forked(stored: StoredSession | null): StoredSession | null {
  return stored && { ...stored, queue: [], draft: NOTHING, interrupted: false };
}

/**
 * A session up to a prompt, and that prompt. `at`: the agent's last message before it; null where it gave it no id. Nothing
 * is left of a session that begins with that prompt.
 */
function cutBefore(
  whole: StoredSession,
  before: string,
): { stored: StoredSession | null; draft: Draft; at: string | null } | null {
  const place = whole.blocks.findIndex(({ id }) => id === before);
  const prompt = whole.blocks[place];
  if (prompt?.kind !== 'user') return null;
  const blocks = whole.blocks.slice(0, place);
  const said = blocks.findLast((block) => block.kind === 'message');
  const attachments = prompt.attachments.flatMap(({ path, line }): Attachment[] =>
    path === undefined || line !== undefined ? [] : [{ type: 'file', path }],
  );
  const begun = blocks.some(({ kind }) => kind === 'user');
  return {
    stored: begun ? forked({ ...whole, blocks }) : null,
    draft: { text: prompt.text, attachments },
    at: said?.messageId ?? null,
  };
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
