/**
 * A session's way to its agent: which process it lives on, under which of the agent's ids, and what happens when either
 * can't be had or is lost. The conversation goes on over restarts of the agent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentInfo } from '../acp/capabilities';
import { ConnectionLost, isAgentError } from '../acp/connection';
import type { Agent, AgentEnd, SessionPort } from '../agent/agent';
import type { AgentSpec } from '../nvim/protocol';
import { endNotice, openFailure, type Words } from './failure';
import type { SessionContext } from './session';
import type { Target } from './turns';

/** Time that an agent has to close a session before its process is ended. */
const CLOSE_GRACE_MS = 1000;

/** `closed`: no agent session; the next prompt opens one. `ending`: a restart waits for the old process. */
type Life =
  | { state: 'closed' }
  | { state: 'ending'; since: number }
  | { state: 'opening'; since: number; agent: Agent }
  | { state: 'open'; agent: Agent; info: AgentInfo; sessionId: string };

export interface LinkOptions {
  spec: AgentSpec;
  cwd: string;
  context: SessionContext;
  port: SessionPort;
  /** There is a session, and nothing was sent to it yet. */
  onReady: (target: { agent: Agent; sessionId: string }) => Promise<void>;
  /** There is a session: prompts can be sent. */
  onOpen: () => void;
  /** The agent is gone: nothing of what it was doing or asking goes on. `cancelled`: by the user's will. */
  onLost: (how: 'lost' | 'cancelled') => void;
  /** There is no session, for this reason. */
  onFailed: (why: Words) => void;
  /** The agent has a session again, but it is another. */
  onForgotten: () => void;
  onChange: () => void;
}

export class Link {
  readonly #options: LinkOptions;
  #life: Life = { state: 'closed' };
  /** The agent's id of this session, kept over restarts. */
  #agentSession: string | null = null;
  #info: AgentInfo | null = null;
  #log: string | null = null;
  #replaying = false;
  #failed = false;
  #disposed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): 'starting' | 'open' | 'idle' | 'dead' {
    switch (this.#life.state) {
      case 'opening':
      case 'ending':
        return 'starting';
      case 'open':
        return 'open';
      case 'closed':
        return this.#failed ? 'dead' : 'idle';
    }
  }

  /** Since when it is starting. */
  get since(): number | null {
    return 'since' in this.#life ? this.#life.since : null;
  }

  /** Where prompts go. */
  get target(): Target | null {
    if (this.#life.state !== 'open') return null;
    const { agent, info, sessionId } = this.#life;
    return { agent, sessionId, takes: info.takes };
  }

  /** What the agent said of itself, last. */
  get info(): AgentInfo | null {
    return this.#info;
  }

  /** The wire log of its process. */
  get log(): string | null {
    return this.#log;
  }

  /** The agent tells what we already show. */
  get replaying(): boolean {
    return this.#replaying;
  }

  get name(): string {
    const { spec } = this.#options;
    return this.#info?.title ?? spec.title ?? spec.name;
  }

  /** Starts the agent where it isn't running, and opens a session on it where there is none. */
  open(): void {
    if (this.#life.state !== 'closed' || this.#disposed) return;
    const { spec, cwd, context, port, onChange } = this.#options;
    const agent = context.pool.get(spec, cwd);
    this.#life = { state: 'opening', since: context.now(), agent };
    this.#failed = false;
    this.#log = agent.log;
    agent.attach(port);
    void agent.ended.then((end) => this.#ended(agent, end));
    onChange();
    this.#openOn(agent).catch((error: unknown) => this.#openFailed(agent, error));
  }

  /** Starts the agent's process anew; the session is resumed where the agent can. */
  async restart(): Promise<void> {
    if (this.#life.state === 'ending') return;
    if (this.#life.state !== 'closed') {
      const { agent } = this.#life;
      this.#life = { state: 'ending', since: this.#options.context.now() };
      this.#options.onLost('cancelled');
      this.#options.onChange();
      await agent.end();
      this.#life = { state: 'closed' };
    }
    this.open();
  }

  /** The session is not wanted any more; nor is its process, unless others live on it. */
  async close(): Promise<void> {
    this.dispose();
    const life = this.#life;
    this.#life = { state: 'closed' };
    if (life.state === 'closed' || life.state === 'ending') return;
    const { agent } = life;
    agent.detach(this.#options.port);
    const closed =
      life.state === 'open' && life.info.close
        ? agent.request('session/close', { sessionId: life.sessionId }).catch(() => {})
        : undefined;
    if (!agent.idle) return;
    if (closed) await Promise.race([closed, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    if (agent.idle) await agent.end();
  }

  /** From here on nothing is opened, and the end of the agent is nobody's concern. */
  dispose(): void {
    this.#disposed = true;
  }

  async #openOn(agent: Agent): Promise<void> {
    const info = await agent.ready;
    this.#info = info;
    const { cwd, port, onForgotten, onOpen } = this.#options;
    const base = { cwd, mcpServers: [] };
    const former = this.#agentSession;
    const reopened = former === null ? null : await this.#reopen(agent, info, former, base);
    if (!this.#isOpening(agent)) return;
    const sessionId = reopened ?? (await agent.openSession('session/new', base, port));
    if (!this.#isOpening(agent)) return;
    this.#agentSession = sessionId;
    await this.#options.onReady({ agent, sessionId });
    if (!this.#isOpening(agent)) return;
    this.#life = { state: 'open', agent, info, sessionId };
    if (former !== null && !reopened) onForgotten();
    onOpen();
  }

  /** Opens the former session again; null where the agent can't. */
  async #reopen(agent: Agent, info: AgentInfo, sessionId: string, base: object) {
    for (const method of [info.resume && 'session/resume', info.load && 'session/load']) {
      if (!method) continue;
      try {
        // We hold the transcript: a replay would only say it again.
        this.#replaying = true;
        return await agent.openSession(method, { sessionId, ...base }, this.#options.port);
      } catch (error) {
        if (!isAgentError(error)) throw error;
      } finally {
        this.#replaying = false;
      }
    }
    return null;
  }

  #openFailed(agent: Agent, error: unknown): void {
    // A lost connection is told by the end of the process, with its exit code and last words.
    if (error instanceof ConnectionLost) return void agent.end();
    if (!isAgentError(error)) this.#options.context.onFault('opening a session', error);
    if (!this.#isOpening(agent)) return;
    this.#life = { state: 'closed' };
    this.#failed = true;
    // What it lacks, such as a login, it may only look for when it starts: the next try begins anew.
    agent.detach(this.#options.port);
    if (agent.idle) void agent.end();
    this.#options.onFailed(openFailure(this.name, error, this.#info));
  }

  #ended(agent: Agent, end: AgentEnd): void {
    if (!('agent' in this.#life) || this.#life.agent !== agent || this.#disposed) return;
    this.#life = { state: 'closed' };
    this.#failed = true;
    this.#options.onLost('lost');
    this.#options.onFailed(endNotice(this.#options.spec, this.#options.cwd, end));
  }

  #isOpening(agent: Agent): boolean {
    return this.#life.state === 'opening' && this.#life.agent === agent;
  }
}
