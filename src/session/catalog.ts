/**
 * The list of sessions: those that agents have, those that are stored here, and those that are open, each once. Also what
 * can be done with one without opening it.
 */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentInfo } from '../acp/capabilities';
import { compact, label } from '../acp/coerce';
import { ConnectionLost, errorCode, errorText } from '../acp/connection';
import type { Agent } from '../agent/agent';
import { realPath } from '../client/roots';
import type { AgentSpec, SessionRow } from '../nvim/protocol';
import type { Store, StoredSummary } from '../store/store';
import { askForList, type AgentList } from './catalog-ask';
import { rowOf, titleOf, type Known, type OpenSession } from './catalog-row';
import { endNotice } from './failure';

export type { OpenSession } from './catalog-row';

export interface CatalogOptions {
  store: Pick<Store, 'list' | 'rename' | 'remove'>;
  pool: { get(spec: AgentSpec, cwd: string): Agent };
  /** The sessions that are open in this Neovim. */
  sessions: () => OpenSession[];
  now: () => number;
  onFault: (where: string, error: unknown) => void;
  /** Time that an agent has for its answer, its start included. */
  limitMs?: number;
}

/** A session that can be opened. */
export interface Entry {
  key?: string;
  agent: string;
  agentSession?: string;
  cwd: string;
  title?: string;
  /** When it was last used: here, or elsewhere as far as its agent has told. */
  updated?: number;
}

const LIMIT_MS = 8000;
const NOT_FOUND = -32002;

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #limitMs: number;
  /** Sessions without a key by the handles that stand for them, and the other way round. */
  readonly #entries = new Map<string, Entry>();
  readonly #handles = new Map<string, string>();
  /** What agents said of those with a key when they were last asked. */
  readonly #told = new Map<string, { gone: boolean; updated: number | undefined }>();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#limitMs = options.limitMs ?? LIMIT_MS;
  }

  /** The sessions of a folder, or of `all` folders, newest first. `agents` are asked for theirs, started if need be. */
  async list(of: {
    cwd: string;
    all: boolean;
    agents: AgentSpec[];
  }): Promise<{ rows: SessionRow[]; notes: string[] }> {
    const real = realPaths();
    const folder = await real(of.cwd);
    const { stored, note } = await this.#stored(of.all ? undefined : folder);
    const lists = await this.#ask(of, folder, stored);
    const all = await this.#join(lists, stored, real);
    const wanted = all.filter((known) => of.all || known.folder === folder);
    const rows = wanted.map((known) => this.#row(known, lists.get(known.agent)));
    rows.sort((a, b) => (b.updated ?? 0) - (a.updated ?? 0));
    const notes = [note, ...[...lists.values()].map((list) => list.note)];
    return { rows, notes: notes.filter((it) => it !== undefined) };
  }

  /** What a row or a key stands for; nothing if it was deleted meanwhile. */
  async find(row: string): Promise<Entry | undefined> {
    const known = this.#entries.get(row);
    const stored = (await this.#options.store.list()).find((it) =>
      known ? it.agent === known.agent && it.agentSession === known.agentSession : it.key === row,
    );
    return stored ? this.#entryOf(stored) : known;
  }

  /** Whether it is open in this Neovim. */
  isOpen(entry: Entry): boolean {
    return this.#openAs(entry) !== undefined;
  }

  /** Gives it a title, here and at the agent where it takes one. Gives what the user is to be told. */
  async rename(row: string, spec: AgentSpec, title: string): Promise<string[]> {
    const entry = await this.find(row);
    const line = label(title);
    if (!entry) return [UNKNOWN];
    if (line === undefined) return ['a session needs a title that can be read'];
    const { key, agentSession } = entry;
    const open = this.#openAs(entry);
    const fault = await failing('it could not be renamed', async () => {
      if (open) open.rename(line);
      else if (key !== undefined) await this.#options.store.rename(key, line);
    });
    if (fault) return fault;
    if (agentSession === undefined) return [];
    return this.#atAgent(entry, spec, async (agent, info) => {
      if (info.rename) {
        await agent.request('session/set_title', { sessionId: agentSession, title: line });
      } else if (key === undefined && !open) {
        return `${nameOf(spec)} takes no titles, and the session was never opened here`;
      }
      return undefined;
    });
  }

  /** Deletes it, here and at the agent. Gives what the user is to be told. */
  async remove(row: string, spec: AgentSpec): Promise<string[]> {
    const entry = await this.find(row);
    if (!entry) return [UNKNOWN];
    const { key, agentSession } = entry;
    if (this.isOpen(entry)) return ['the session is open here: close it first'];
    const fault = await failing('it could not be deleted', async () => {
      if (key !== undefined) await this.#options.store.remove(key);
    });
    if (fault) return fault;
    if (agentSession === undefined) return [];
    return this.#atAgent(entry, spec, async (agent, info) => {
      if (!info.delete) return `${nameOf(spec)} can’t delete sessions: what it keeps itself stays`;
      await agent.request('session/delete', { sessionId: agentSession });
      return undefined;
    });
  }

  #openAs({ key, agent, agentSession }: Entry): OpenSession | undefined {
    return this.#options
      .sessions()
      .find((it) =>
        key !== undefined && it.key === key
          ? true
          : agentSession !== undefined && it.agent === agent && it.agentSession === agentSession,
      );
  }

  /** Does something with a session of an agent's. What goes wrong becomes words. */
  async #atAgent(
    entry: Entry,
    spec: AgentSpec,
    act: (agent: Agent, info: AgentInfo) => Promise<string | undefined>,
  ): Promise<string[]> {
    if (this.#told.get(entry.key ?? '')?.gone) return [];
    const agent = this.#options.pool.get(spec, entry.cwd);
    const late = delay(this.#limitMs, 'late' as const, { ref: false });
    try {
      const note = await Promise.race([late, agent.ready.then((info) => act(agent, info))]);
      if (note === 'late') {
        return [`${nameOf(spec)} did not answer within ${this.#limitMs / 1000} seconds`];
      }
      return note === undefined ? [] : [note];
    } catch (error) {
      if (errorCode(error) === NOT_FOUND) return [];
      if (error instanceof ConnectionLost) {
        return [endNotice(spec, entry.cwd, await agent.ended).title];
      }
      return [`${nameOf(spec)} could not do it: ${errorText(error)}`];
    }
  }

  async #stored(folder?: string): Promise<{ stored: StoredSummary[]; note?: string }> {
    try {
      return { stored: await this.#options.store.list(folder) };
    } catch (error) {
      this.#options.onFault('stored sessions', error);
      return { stored: [], note: `what is stored here can’t be read: ${errorText(error)}` };
    }
  }

  /** The lists of agents by their names. */
  async #ask(
    { cwd, all, agents }: { cwd: string; all: boolean; agents: AgentSpec[] },
    folder: string,
    stored: StoredSummary[],
  ): Promise<Map<string, AgentList>> {
    const lists = agents.map(async (spec): Promise<[string, AgentList]> => {
      // Agents compare folders letter by letter: each notation in which one of ours was opened is asked for.
      const ours = stored.filter(({ agent }) => agent === spec.name).map((it) => it.cwd);
      const folders = all ? null : [...new Set([cwd, folder, ...ours])];
      const agent = this.#options.pool.get(spec, cwd);
      return [spec.name, await askForList(agent, { cwd, folders, limitMs: this.#limitMs })];
    });
    return new Map(await Promise.all(lists));
  }

  /** All that is known, each session once. */
  async #join(
    lists: Map<string, AgentList>,
    stored: StoredSummary[],
    real: (path: string) => Promise<string>,
  ): Promise<Known[]> {
    const all: Known[] = [];
    const byName = new Map<string, Known[]>();
    const add = (known: Known) => {
      all.push(known);
      const same = byName.get(identity(known));
      if (same) same.push(known);
      else byName.set(identity(known), [known]);
    };
    for (const it of stored) {
      const { agent, agentSession } = it;
      add({ agent, agentSession, folder: await real(it.cwd), stored: it });
    }
    for (const [agent, { rows }] of lists) {
      for (const listed of rows) {
        const known = { agent, agentSession: listed.agentSession, folder: await real(listed.cwd) };
        const same = byName.get(identity(known));
        if (same) for (const it of same) it.listed = listed;
        else add({ ...known, listed });
      }
    }
    for (const open of this.#options.sessions()) {
      const { agent, agentSession, key } = open;
      const known = { agent, agentSession, folder: await real(open.cwd) };
      const same =
        all.find(({ stored: it }) => key !== null && it?.key === key) ??
        (agentSession === null ? undefined : byName.get(identity(known))?.[0]);
      if (same) same.open = open;
      else add({ ...known, open });
    }
    return all;
  }

  #entryOf(stored: StoredSummary): Entry {
    const { key, agent, cwd } = stored;
    return compact({
      key,
      agent,
      agentSession: stored.agentSession ?? undefined,
      cwd,
      title: label(stored.title),
      updated: Math.max(stored.updated, this.#told.get(key)?.updated ?? 0),
    });
  }

  #row(known: Known, list: AgentList | undefined): SessionRow {
    const { stored, listed, open, agentSession } = known;
    const info = list?.info ?? null;
    const gone = agentSession !== null && list?.complete === true && !list.ids.has(agentSession);
    if (stored && list?.complete) {
      this.#told.set(stored.key, { gone: gone && !open, updated: listed?.updated });
    }
    const id = stored?.key ?? open?.key ?? this.#handle(known, info);
    return rowOf(known, { id, info, gone, now: this.#options.now() });
  }

  /** Stands for a session that has no key, for as long as we run. */
  #handle(known: Known, info: AgentInfo | null): string {
    const { agent, agentSession, listed, open } = known;
    const name = agentSession === null ? JSON.stringify([open?.id]) : identity(known);
    const handle = this.#handles.get(name) ?? `row-${this.#handles.size + 1}`;
    this.#handles.set(name, handle);
    this.#entries.set(
      handle,
      compact({
        agent,
        agentSession: agentSession ?? undefined,
        // The agent's own notation: it may know the session by that alone.
        cwd: listed?.cwd ?? known.folder,
        title: titleOf(known, info),
        updated: listed?.updated,
      }),
    );
    return handle;
  }
}

const UNKNOWN = 'there is no such session any more: list them anew';

/** Does something with what is kept here; gives what the user is to be told when that fails. */
async function failing(what: string, act: () => Promise<void>): Promise<string[] | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return [`${what}: ${errorText(error)}`];
  }
}

function nameOf({ title, name }: AgentSpec): string {
  return title ?? name;
}

/** A session is what its agent calls by this id in this folder. */
function identity({ agent, agentSession, folder }: Known): string {
  return JSON.stringify([agent, agentSession, folder]);
}

/** Real paths, each looked up once; what does not exist is taken as it is written. */
function realPaths(): (path: string) => Promise<string> {
  const found = new Map<string, Promise<string>>();
  return (path) => {
    const real = found.get(path) ?? realPath(path).catch(() => resolve(path));
    found.set(path, real);
    return real;
  };
}
