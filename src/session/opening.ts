/**
 * How a session of the agent's is had: a new one, or one that was there before, by the best that the agent can do. What
 * it can't is never faked: then the session is `forgotten`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentInfo } from '../acp/capabilities';
import { forkAt } from '../acp/extensions/fork-at';
import { errorCode, errorText, isAgentError } from '../acp/connection';
import { AUTH_REQUIRED } from '../acp/login';
import type { Agent } from '../agent/agent';
import type { SessionPort } from '../agent/session-port';

/** A replay that goes on behind the answer to `session/load` is over after such a pause. Who never pauses does not replay. */
const PAUSE_MS = 50;
const MAX_PAUSES = 200;

/** A session that the agent had. */
export interface Former {
  sessionId: string;
  /** We hold its transcript, as far as it goes: a replay would only say it again. */
  held: boolean;
  /** The agent's session was used elsewhere since: what we hold is not all. */
  outdated?: boolean;
  /** Another session shall begin like it. */
  fork?: boolean;
  /** That other one ends behind this message of the agent's; null: what we hold ends somewhere before the end. */
  at?: string | null;
  /** It was open in this Neovim: when it is lost, the conversation goes on with a new one. */
  live?: boolean;
  /** It has ended at the agent, which has it again by `session/load`. */
  ended?: boolean;
}

/** A session that can be used. */
export interface Had {
  /**
   * `new`: there was none before. `resumed`: the agent goes on, and what we hold is all. `replayed`: the agent has told it anew.
   * `silent`: the agent goes on, but has not told what was said. `behind`: nor what was said elsewhere since we held it.
   * `whole`: it remembers more than we show. `replaced`: the agent has forgotten it, and this is another.
   */
  how: 'new' | 'resumed' | 'replayed' | 'silent' | 'behind' | 'whole' | 'replaced';
  sessionId: string;
  /** Why it was not had by a better way. */
  why?: Why | null;
}

/** In the agent's words; `forgotten`: it says that there is no such session. */
export interface Why {
  forgotten: boolean;
  words: string;
}

/** `why` is null where the agent has no way to open sessions again. */
export type Opened = Had | { how: 'forgotten'; why: Why | null };

/** `again`: what we hold already, and show. `former`: what was said before, and is not here. */
export type Telling = 'live' | 'again' | 'former';

/** What a session has beside its folder. */
export interface Given {
  mcpServers: object[];
  additionalDirectories?: string[];
}

export interface OpeningOptions {
  agent: Agent;
  info: AgentInfo;
  port: SessionPort;
  cwd: string;
  given: Given;
  former: Former | null;
  /** Tells what the agent is going to tell. */
  telling: (telling: Telling) => void;
  /** How many updates have come until now. */
  heard: () => number;
  /** Whether the session is still wanted. */
  wanted: () => boolean;
}

/** Opens a session. Null: it is not wanted any more. Throws what keeps any session from being opened, such as a login. */
export async function openOn(options: OpeningOptions): Promise<Opened | null> {
  const { former, agent, port, wanted } = options;
  if (!former) return { how: 'new', sessionId: await begin(options) };
  if (former.fork) return fork(options, former);
  const again = await reopen(options, former);
  if (!wanted()) return null;
  if (again.how !== 'forgotten' || !former.live) return again;
  const sessionId = await agent.openSession('session/new', base(options), port);
  return { how: 'replaced', sessionId, why: again.why };
}

/** The same for each way: nothing of it is restored by the agent. */
const base = ({ cwd, given }: Pick<OpeningOptions, 'cwd' | 'given'>) => ({ cwd, ...given });

function begin(options: OpeningOptions): Promise<string> {
  return options.agent.openSession('session/new', base(options), options.port);
}

async function fork(options: OpeningOptions, former: Former): Promise<Opened> {
  const { held, at } = former;
  const { info, telling, heard } = options;
  if (!info.fork) return { how: 'forgotten', why: null };
  try {
    // Some tell the whole conversation again under the new id.
    telling(held ? 'again' : 'former');
    const before = heard();
    const cut = typeof at === 'string' ? await cutFork(options, former, at) : null;
    const sessionId = cut ?? (await callFork(options, former));
    if (held) return { how: at === undefined || cut !== null ? 'resumed' : 'whole', sessionId };
    return { how: heard() > before ? 'replayed' : 'silent', sessionId };
  } catch (error) {
    return { how: 'forgotten', why: reason(error) };
  } finally {
    telling('live');
  }
}

function callFork(options: OpeningOptions, { sessionId }: Former, meta?: object): Promise<string> {
  const params = { sessionId, ...base(options), ...(meta && { _meta: meta }) };
  return options.agent.openSession('session/fork', params, options.port);
}

/** A fork that ends behind a message; null where the agent can't, or does not know that message. */
async function cutFork(
  options: OpeningOptions,
  former: Former,
  at: string,
): Promise<string | null> {
  const meta = forkAt(options.info, at);
  if (!meta) return null;
  try {
    return await callFork(options, former, meta);
  } catch (error) {
    reason(error);
    return null;
  }
}

/** Opens the former session again, by what serves best first. */
async function reopen(options: OpeningOptions, former: Former): Promise<Opened> {
  const { info } = options;
  const { held, outdated = false, ended = false } = former;
  const resume = info.resume && (() => call(options, former, 'session/resume', true));
  const load = info.load && (() => call(options, former, 'session/load', held && !outdated));
  const ways = held && !outdated && !ended ? [resume, load] : [load, resume];
  let why: Why | null = null;
  for (const way of ways) {
    if (!way) continue;
    try {
      return { ...(await way()), why };
    } catch (error) {
      const said = reason(error);
      if (!why || said.forgotten) why = said;
    }
    if (!options.wanted()) break;
  }
  return { how: 'forgotten', why };
}

async function call(
  { agent, port, telling, heard, cwd, given }: OpeningOptions,
  { sessionId, held, outdated = false }: Former,
  method: 'session/resume' | 'session/load',
  quiet: boolean,
): Promise<Had> {
  try {
    telling(quiet ? 'again' : 'former');
    const before = heard();
    const params = { sessionId, ...base({ cwd, given }) };
    const id = await agent.openSession(method, params, port);
    if (method === 'session/load') await silence(heard);
    // Some load what they have forgotten, as if it were there.
    const told = method === 'session/resume' || heard() > before;
    const blind = held ? !told : quiet;
    const how = quiet ? (outdated ? 'behind' : 'resumed') : 'replayed';
    return { how: blind ? 'silent' : how, sessionId: id };
  } finally {
    telling('live');
  }
}

/** Some answer before they have told all: then it is over when nothing more comes. */
async function silence(heard: () => number): Promise<void> {
  for (let before = -1, n = 0; before !== heard() && n < MAX_PAUSES; n++) {
    before = heard();
    await delay(PAUSE_MS, undefined, { ref: false });
  }
}

/** The agent's words; what is no answer of its own, or a login, concerns any session and is thrown. */
function reason(error: unknown): Why {
  if (!isAgentError(error) || errorCode(error) === AUTH_REQUIRED) throw error;
  return { forgotten: errorCode(error) === -32002, words: errorText(error) };
}
