/** Asking an agent for its list of sessions: all pages, within bounds. */
import { setTimeout as delay } from 'node:timers/promises';
import { isAbsolute } from 'node:path';
import type { AgentInfo } from '../acp/capabilities';
import { compact, label, objects, string, text, type Json } from '../acp/coerce';
import { ConnectionLost, errorText } from '../acp/connection';
import type { Agent } from '../agent/agent';
import { endNotice } from './failure';

/** Whoever has more than that does not look for a session in a list. */
const MAX_PAGES = 100;
const MAX_ROWS = 10_000;

/** A session as its agent lists it. */
export interface Listed {
  agentSession: string;
  /** In the agent's own notation. */
  cwd: string;
  title?: string;
  updated?: number;
}

/** What came of asking. */
export interface AgentList {
  /** What the agent can do; null where it could not be asked. */
  info: AgentInfo | null;
  rows: Listed[];
  /** All ids that it named, those too that are not to be shown. */
  ids: Set<string>;
  /** Whether nothing is missing: an id that is not named does not exist. */
  complete: boolean;
  /** What is missing, and why. */
  note?: string;
}

export interface AskOptions {
  /** Folder in which the agent was started. */
  cwd: string;
  /** Notations of the folder whose sessions are wanted; null: those of all folders. */
  folders: string[] | null;
  /** Time for all of it, the start of the agent included. */
  limitMs: number;
}

/** Asks for all pages. Never throws: what went wrong is the note. */
export async function askForList(agent: Agent, options: AskOptions): Promise<AgentList> {
  const name = agent.spec.title ?? agent.spec.name;
  const list: AgentList = { info: null, rows: [], ids: new Set(), complete: false };
  const late = new AbortController();
  const timeout = delay(options.limitMs, undefined, { ref: false }).then(() => {
    late.abort();
    const rest = list.rows.length > 0 ? ': its list is not complete' : '';
    return `${name} did not list its sessions within ${options.limitMs / 1000} seconds${rest}`;
  });
  const asking = ask(agent, name, list, options, late.signal).catch((error: unknown) =>
    failure(agent, name, options.cwd, error),
  );
  const note = await Promise.race([asking, timeout]);
  // A copy: an answer that comes too late changes nothing.
  return compact({ ...list, rows: [...list.rows], ids: new Set(list.ids), note });
}

/** Fills `list`; gives the note, if there is one. */
async function ask(
  agent: Agent,
  name: string,
  list: AgentList,
  { folders }: AskOptions,
  late: AbortSignal,
): Promise<string | undefined> {
  list.info = await agent.ready;
  if (!list.info.list) return undefined;
  for (const folder of folders ?? [undefined]) {
    const note = await askForFolder(agent, name, list, folder, late);
    if (note !== undefined) return note;
  }
  list.complete = true;
  return undefined;
}

async function askForFolder(
  agent: Agent,
  name: string,
  list: AgentList,
  folder: string | undefined,
  late: AbortSignal,
): Promise<string | undefined> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && list.rows.length < MAX_ROWS; page++) {
    const answer = await agent.request('session/list', compact({ cwd: folder, cursor }));
    if (late.aborted) return undefined;
    take(list, objects(answer.sessions), folder);
    cursor = text(answer.nextCursor);
    if (cursor === undefined) return undefined;
    if (cursors.has(cursor)) return `${name} lists the same sessions over and over`;
    cursors.add(cursor);
  }
  return `${name} has more sessions than are shown`;
}

function take(list: AgentList, sessions: Json[], folder: string | undefined): void {
  for (const session of sessions) {
    const agentSession = text(session.sessionId);
    if (agentSession === undefined || list.ids.has(agentSession)) continue;
    list.ids.add(agentSession);
    const cwd = folderOf(session.cwd) ?? folder;
    // Archived: its user has put it away.
    if (cwd === undefined || session.archived === true || list.rows.length >= MAX_ROWS) continue;
    const title = label(session.title);
    list.rows.push(compact({ agentSession, cwd, title, updated: time(session.updatedAt) }));
  }
}

/** A folder that can be one: it is shown, and an agent is started in it. */
function folderOf(value: unknown): string | undefined {
  const path = string(value);
  return path && isAbsolute(path) && !/\p{Cc}/u.test(path) ? path : undefined;
}

function time(value: unknown): number | undefined {
  const ms = Date.parse(string(value) ?? '');
  return ms > 0 ? ms : undefined;
}

async function failure(agent: Agent, name: string, cwd: string, error: unknown): Promise<string> {
  if (error instanceof ConnectionLost) return endNotice(agent.spec, cwd, await agent.ended).title;
  return `${name} could not list its sessions: ${errorText(error)}`;
}
