/**
 * A session's way to its agent: which process it lives on, under which of the agent's ids, and what happens when either
 * can't be had or is lost. The conversation goes on over restarts of the agent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentInfo } from '../acp/capabilities';
import { ConnectionLost, errorCode, errorText, isAgentError } from '../acp/connection';
import { AUTH_REQUIRED } from '../acp/login';
import type { Agent, AgentEnd } from '../agent/agent';
import type { SessionPort } from '../agent/session-port';
import type { AgentSpec } from '../nvim/protocol';
import { endNotice, notAgain, notConfigured, openFailure, type Words } from './failure';
import {
  openOn,
  type Former,
  type Given,
  type Had,
  type Opened,
  type Telling,
  type Why,
} from './opening';
import type { SessionContext } from './context';
import type { Target } from './turns';

/** Time that an agent has to close a session before its process is ended. */
const CLOSE_GRACE_MS = 1000;

/**
 * `closed`: no agent session; the next prompt opens one. `ending`: a restart waits for the old process. `asking`: Neovim is
 * asked how the agent is started now. `locked`: the agent wants a login first.
 */
type Life =
  | { state: 'closed' }
  | { state: 'locked'; agent: Agent }
  | { state: 'ending'; since: number }
  | { state: 'asking'; since: number }
  | { state: 'opening'; since: number; agent: Agent }
  | { state: 'open'; agent: Agent; info: AgentInfo; sessionId: string };

export interface LinkOptions {
  spec: AgentSpec;
  cwd: string;
  context: SessionContext;
  port: SessionPort;
  /** The agent's session that this one goes on with, or begins like. */
  former: Former | null;
  /** It can only be read. */
  readOnly: boolean;
  /** What the session has beside its folder. It may take its time: the user may have to be asked. */
  given: (info: AgentInfo, wanted: () => boolean) => Promise<Given>;
  /** The first of what was said before is told anew: what is shown of it is void. */
  onReplay: () => void;
  /** The agent is started as that says, from here on. */
  onSpec: (spec: AgentSpec) => void;
  /** There is a session, and nothing was sent to it yet. */
  onOpened: (target: OpenTarget, opened: Had) => Promise<void>;
  /** Prompts can be sent. */
  onReady: () => void;
  /** The agent is gone: nothing of what it was doing or asking goes on. `cancelled`: by the user's will. */
  onLost: (how: 'lost' | 'cancelled') => void;
  /** The agent was ended since nothing needed it: the next prompt has it again. */
  onRested: () => void;
  /** There will be a session when the user has logged in. */
  onLocked: (error: unknown) => void;
  /** There is no session, for this reason. */
  onFailed: (why: Words) => void;
  /** The agent can't have the session again: what we hold of it can only be read. */
  onForgotten: (why: Words) => void;
  onChange: () => void;
}

export type OpenTarget = Pick<Target, 'agent' | 'sessionId'>;

export class Link {
  readonly #options: LinkOptions;
  #life: Life = { state: 'closed' };
  #former: Former | null;
  #info: AgentInfo | null = null;
  /** Neovim has said how the agent is started now. */
  #asked: Promise<void> | null = null;
  /** What the agent was last started with. */
  #started: AgentSpec | null = null;
  #log: string | null = null;
  #telling: Telling = 'live';
  /** Nothing was told yet of what is to take the place of what we hold. */
  #replayDue = false;
  /** What the agent has told since its process was had. */
  #heard = 0;
  #failed = false;
  #forgotten = false;
  #disposed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#former = options.former;
    this.#forgotten = options.readOnly;
  }

  get state(): 'starting' | 'open' | 'idle' | 'dead' | 'saved' {
    switch (this.#life.state) {
      case 'opening':
      case 'ending':
      case 'asking':
        return 'starting';
      case 'open':
        return 'open';
      case 'locked':
        return 'idle';
      case 'closed':
        if (this.#forgotten) return 'saved';
        return this.#failed ? 'dead' : 'idle';
    }
  }

  /** Since when it is starting. */
  get since(): number | null {
    return 'since' in this.#life ? this.#life.since : null;
  }

  /** Where prompts go. */
  get target(): Target | null {
    // One that is about to end takes nothing any more.
    if (this.#life.state !== 'open' || this.#life.agent.resting) return null;
    const { agent, info, sessionId } = this.#life;
    return { agent, sessionId, takes: info.takes };
  }

  /** What the agent said of itself, last. */
  get info(): AgentInfo | null {
    return this.#info;
  }

  /** The process that it lives on, or is about to. */
  get agent(): Agent | null {
    return 'agent' in this.#life ? this.#life.agent : null;
  }

  /** The process of its agent, which is started where it doesn't run; null: it can't be had, and why was told. */
  async process(): Promise<Agent | null> {
    if (!this.agent) this.open();
    await this.#asked;
    return this.agent;
  }

  /** The agent wants a login before it gives a session. */
  get locked(): boolean {
    return this.#life.state === 'locked';
  }

  /** The wire log of its process. */
  get log(): string | null {
    return this.#log;
  }

  /** The agent's id of the session, kept over restarts. */
  get agentSession(): string | null {
    return this.#former && !this.#former.fork ? this.#former.sessionId : null;
  }

  /** What was said before is yet to be told, and comes first. */
  get replays(): boolean {
    return this.state === 'starting' && this.#former !== null && !this.#former.held;
  }

  /** What the agent tells now. */
  get telling(): Telling {
    return this.#telling;
  }

  get name(): string {
    const { spec } = this.#options;
    return this.#info?.title ?? spec.title ?? spec.name;
  }

  /** Starts the agent where it isn't running, and opens a session on it where there is none. */
  open(): void {
    // The user may have logged in elsewhere, which some look for only when they start.
    if (this.#life.state === 'locked') this.#leave(this.#life.agent);
    if (this.#life.state !== 'closed' || this.#disposed || this.#forgotten) return;
    const { spec } = this.#options;
    if (spec.live && spec === this.#started) this.#ask(spec);
    else this.#start(spec);
  }

  #start(spec: AgentSpec): void {
    const { cwd, context, port, onChange } = this.#options;
    this.#started = spec;
    const agent = context.pool.get(spec, cwd);
    this.#begin(agent);
    this.#failed = false;
    this.#log = agent.log;
    agent.attach(port);
    void agent.ended.then((end) => this.#ended(agent, end));
    onChange();
  }

  /** What its functions gave when it was started before may be of no use any more. */
  #ask({ name }: AgentSpec): void {
    const { cwd, context, onSpec, onFailed, onChange } = this.#options;
    const life = (this.#life = { state: 'asking', since: context.now() });
    onChange();
    const wanted = (): boolean => this.#life === life && !this.#disposed;
    const failed = (error: unknown) => {
      if (wanted()) context.onFault('how the agent is started', error);
      return { error: errorText(error) };
    };
    const asked = context.editor.request('agent.spec', { name, cwd }).catch(failed);
    this.#asked = asked.then((made) => {
      if (!wanted()) return;
      this.#life = { state: 'closed' };
      if ('agent' in made) {
        onSpec(made.agent);
        return this.#start(made.agent);
      }
      this.#failed = true;
      onFailed(notConfigured(this.name, made.error));
    });
  }

  /** The user has logged in: a session is opened on the process that knows it. */
  unlock(): void {
    if (this.#life.state !== 'locked') return;
    this.#begin(this.#life.agent);
    this.#options.onChange();
  }

  #begin(agent: Agent): void {
    this.#life = { state: 'opening', since: this.#options.context.now(), agent };
    this.#openOn(agent).catch((error: unknown) => this.#openFailed(agent, error));
  }

  /** The agent has told something of the conversation. */
  hear(): void {
    this.#heard++;
    if (!this.#replayDue) return;
    this.#replayDue = false;
    this.#options.onReplay();
  }

  /** The next `open` begins a new session of the agent's, whatever there was. */
  anew(): void {
    this.#former = null;
    this.#forgotten = false;
  }

  /** Starts the agent's process anew; the session is resumed where the agent can. */
  restart(): Promise<void> {
    return this.#anew((agent) => agent.end());
  }

  /** The same, but others that live on the process keep it as long as they need it. */
  renew(): Promise<void> {
    return this.#anew(async (agent) => {
      agent.detach(this.#options.port);
      if (agent.idle) await agent.rest();
    });
  }

  async #anew(end: (agent: Agent) => Promise<void>): Promise<void> {
    if (this.#life.state === 'ending') return;
    if ('agent' in this.#life) {
      const { agent } = this.#life;
      this.#life = { state: 'ending', since: this.#options.context.now() };
      this.#options.onLost('cancelled');
      this.#options.onChange();
      await end(agent);
      this.#life = { state: 'closed' };
    }
    this.#forgotten = false;
    this.open();
  }

  /** The agent has told of a session of a subagent's: what is said and asked there is said and asked here. */
  adopt(sessionId: string): void {
    if ('agent' in this.#life) this.#life.agent.adopt(sessionId, this.#options.port);
  }

  /** The agent's session has ended, and its process goes on: only `session/load` has the session again. */
  sessionEnded(): void {
    if (this.#life.state !== 'open') return;
    if (this.#former) this.#former = { ...this.#former, ended: true };
    this.#failed = true;
    this.#leave(this.#life.agent);
    this.#options.onChange();
  }

  /** The session is not wanted any more; nor is its process, unless others live on it. */
  async close(): Promise<void> {
    this.dispose();
    const life = this.#life;
    this.#life = { state: 'closed' };
    if (!('agent' in life)) return;
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
    const { onOpened, onReady } = this.#options;
    const opened = await this.#opened(agent, info, this.#former);
    if (!opened || !this.#isOpening(agent)) return;
    if (opened.how === 'forgotten') return this.#forget(agent, opened.why);
    const { sessionId } = opened;
    this.#former = { sessionId, held: true, live: true };
    await onOpened({ agent, sessionId }, opened);
    if (!this.#isOpening(agent)) return;
    this.#life = { state: 'open', agent, info, sessionId };
    onReady();
  }

  /** Null: it is not wanted any more. */
  async #opened(agent: Agent, info: AgentInfo, former: Former | null): Promise<Opened | null> {
    const { cwd, port, given } = this.#options;
    const wanted = (): boolean => this.#isOpening(agent);
    const extras = await given(info, wanted);
    if (!wanted()) return null;
    return openOn({
      agent,
      info,
      port,
      cwd,
      given: extras,
      former,
      telling: (telling) => {
        this.#telling = telling;
        this.#replayDue = telling === 'former';
      },
      heard: () => this.#heard,
      wanted,
    });
  }

  /**
   * Opens the session once more on the same process, with what it is given now. Where that fails the agent goes on as it
   * was; gives why.
   */
  async reopen(): Promise<string | null> {
    if (this.#life.state !== 'open') return null;
    const { agent, info, sessionId } = this.#life;
    const { context, onOpened, onReady, onChange } = this.#options;
    this.#life = { state: 'opening', since: context.now(), agent };
    onChange();
    let why: string | null = null;
    try {
      // Not `live`: it shall not be replaced by another.
      const opened = await this.#opened(agent, info, { sessionId, held: true });
      if (opened?.how === 'forgotten') why = opened.why?.words ?? 'it can’t open it again';
      else if (opened) await onOpened({ agent, sessionId }, { how: 'resumed', sessionId });
    } catch (error) {
      if (error instanceof ConnectionLost) return null; // The end of the process is told.
      why = errorText(error);
    }
    if (!this.#isOpening(agent)) return null;
    this.#life = { state: 'open', agent, info, sessionId };
    onReady();
    return why;
  }

  #forget(agent: Agent, why: Why | null): void {
    this.#leave(agent);
    const { fork = false, held = false } = this.#former ?? {};
    const words = notAgain(this.name, why, { fork, held });
    this.#forgotten = held;
    this.#failed = !held;
    if (held) this.#options.onForgotten(words);
    else this.#options.onFailed(words);
    this.#options.onChange();
  }

  #openFailed(agent: Agent, error: unknown): void {
    // A lost connection is told by the end of the process, with its exit code and last words.
    if (error instanceof ConnectionLost) return void agent.end();
    if (!isAgentError(error)) this.#options.context.onFault('opening a session', error);
    if (!this.#isOpening(agent)) return;
    if (errorCode(error) === AUTH_REQUIRED) {
      this.#life = { state: 'locked', agent };
      this.#options.onLocked(error);
      return this.#options.onChange();
    }
    this.#failed = true;
    this.#leave(agent);
    const { spec, cwd, onFailed } = this.#options;
    onFailed(openFailure(this.name, spec, cwd, error));
  }

  /** What it lacks, such as a login, it may only look for when it starts: the next try begins anew. */
  #leave(agent: Agent): void {
    this.#life = { state: 'closed' };
    agent.detach(this.#options.port);
    if (agent.idle) void agent.rest();
  }

  #ended(agent: Agent, end: AgentEnd): void {
    if (!('agent' in this.#life) || this.#life.agent !== agent || this.#disposed) return;
    this.#life = { state: 'closed' };
    if (agent.resting) return this.#options.onRested();
    this.#failed = true;
    this.#options.onLost('lost');
    this.#options.onFailed(endNotice(this.#options.spec, this.#options.cwd, end));
  }

  #isOpening(agent: Agent): boolean {
    return this.#life.state === 'opening' && this.#life.agent === agent;
  }
}
