/** A running agent: its process, its connection, and which of our sessions live on it. */
import { agentInfo, initializeParams, type AgentInfo } from '../acp/capabilities';
import { object, string, text } from '../acp/coerce';
import {
  Connection,
  invalidAnswer,
  methodNotFound,
  unknownSession,
  type ClientHandlers,
} from '../acp/connection';
import type { AgentEvent } from '../acp/events';
import { elicitationRefused, type Elicitation } from '../acp/elicitation-request';
import type { Asked } from '../acp/extensions/extension';
import { extendedNotification, extendedRequest } from '../acp/extensions/index';
import { PathMap } from '../acp/path-map';
import type { WireRecorder } from '../acp/stream';
import { Translation } from '../acp/translation';
import { withholding, withMeta } from '../acp/withhold';
import type { AgentSpec } from '../nvim/protocol';
import { withoutSecrets } from '../wire/redact';
import { Authentication } from './authentication';
import { commandLine } from './launch';
import { AgentProcess, type Exit } from './process';
import { ofCall, only, Requests } from './requests';

/** A session's side of the connection: what arrives for its agent session id. */
export interface SessionPort {
  /** What `session/new`, `load` or `resume` answered; updates that came early follow. */
  onOpened(result: Record<string, unknown>): void;
  /** `meta`: of the notification around the update; `subagent`: the session of a subagent's that it is of. */
  onUpdate(update: unknown, meta: unknown, subagent?: string): void;
  /** What was told in another way than by an update. */
  onEvents(events: readonly AgentEvent[]): void;
  /** Somebody has logged in at the agent; see `Authentication.done`. */
  onLogin(how: 'here' | 'anew'): void;
  /** Nothing of it goes on: no turn, no question, no command. */
  readonly resting: boolean;
  /** Whether it has a call of that id. */
  knows(toolCallId: string): boolean;
  /** The agent is done with a page that the user was to open. */
  completed(elicitationId: string): void;
  /** A request of a dialect. */
  extended(asked: Asked, withdrawn: AbortSignal): Promise<unknown>;
  readonly handlers: Omit<ClientHandlers, 'otherRequest' | 'otherNotification'>;
}

export interface AgentOptions {
  spec: AgentSpec;
  cwd: string;
  wire: WireRecorder & {
    readonly path: string | null;
    event(data: object): void;
    /** From here on this stands nowhere in the log. */
    hide(secret: string): void;
    close(): Promise<void>;
  };
}

/** How an agent's process ended, and the last it wrote to stderr. */
export interface AgentEnd extends Exit {
  stderr: string[];
}

/**
 * Updates kept while a session opens, for ids that aren't known: some agents speak before `session/new` is answered, or tell
 * a whole conversation before `session/fork` is.
 */
const EARLY_UPDATES = 100_000;
/** The same while none opens: a subagent may speak before its agent has told of it. */
const EARLY_OF_SUBAGENTS = 1000;

export class Agent {
  readonly spec: AgentSpec;
  /** Path of its wire log. */
  readonly log: string | null;
  /** Settles with the answer to `initialize`. */
  readonly ready: Promise<AgentInfo>;
  /** Settles when the process has ended and its last words are read; never rejects. */
  readonly ended: Promise<AgentEnd>;
  readonly authentication: Authentication;
  /** Keeps a secret out of the wire log, whoever says it, and out of the agent's last words. */
  readonly hide: (secret: string) => void;
  readonly #process: AgentProcess;
  readonly #connection: Connection;
  readonly #users = new Set<SessionPort>();
  readonly #ports = new Map<string, SessionPort>();
  /** Ids of sessions that nobody listens to any more: what still comes from them is nobody else's. */
  readonly #left = new Set<string>();
  /** Sessions that an agent has started for its subagents, and told a port of. */
  readonly #adopted = new Map<string, SessionPort>();
  readonly #early = new Map<string, { update: unknown; meta: unknown }[]>();
  readonly #requests = new Requests<SessionPort>();
  readonly #opening = new Set<{ port: SessionPort; opened: Promise<unknown> }>();
  #earlyCount = 0;
  #info: AgentInfo | null = null;
  #resting = false;
  #activeAt = Date.now();
  /** Lines on its stdout that were no message. */
  #noise = 0;

  constructor({ spec, cwd, wire }: AgentOptions) {
    this.spec = spec;
    this.log = wire.path;
    const secrets = new Set<string>();
    this.hide = (secret) => {
      secrets.add(secret);
      wire.hide(secret);
    };
    this.#process = new AgentProcess(spec, cwd);
    wire.event({ spawn: commandLine(spec, cwd), pid: this.#process.pid ?? null });
    this.#connection = new Connection(
      {
        stdin: this.#process.stdin,
        stdout: this.#process.stdout,
        wire,
        onUpdate: (params) => {
          this.#activeAt = Date.now();
          this.#route(params);
        },
        onRequest: (id, params) => this.#requests.sent(id, params),
        onNoise: () => void this.#noise++,
        translation: spec.paths && new Translation(new PathMap(spec.paths)),
      },
      withholding(this.#handlers(), spec.withhold),
    );
    this.ended = this.#process.exited.then(async (exit) => {
      // Frames that were written before the end still count; a grandchild may hold the pipe open for ever.
      await Promise.race([this.#connection.closed, new Promise((done) => setTimeout(done, 300))]);
      const { spawnError, ...how } = exit;
      wire.event({
        exit: how.code,
        signal: how.signal,
        error: spawnError?.code ?? null,
        noise: this.#noise,
      });
      await wire.close();
      this.#connection.close();
      const stderr = this.#process.stderrTail();
      return { ...exit, stderr: stderr.map((line) => withoutSecrets(line, secrets)) };
    });
    // An agent that closes its output is no agent any more, even if its process goes on.
    void this.#connection.closed.then(() => this.#process.end());
    this.ready = this.request('initialize', initializeParams(spec)).then((result) => {
      return (this.#info = agentInfo(result));
    });
    this.authentication = new Authentication({
      request: (method, params, cancelled) => this.request(method, params, cancelled),
      users: this.#users,
    });
    this.ready.then((info) => this.authentication.look(info)).catch(() => {});
  }

  get running(): boolean {
    return this.#process.running;
  }
  /** Whether no session lives on it, or is about to. */
  get idle(): boolean {
    return this.#users.size === 0;
  }

  /** It is being ended because nothing needs it: what lives on it starts it again when it must. */
  get resting(): boolean {
    return this.#resting;
  }
  /** Since when it does nothing that somebody waits for, in milliseconds since the epoch; null: it is needed. */
  get restfulSince(): number | null {
    const users = [...this.#users];
    const again = this.#info !== null && (this.#info.resume || this.#info.load);
    const restful = users.length === 0 || (again && users.every(({ resting }) => resting));
    return restful && this.#opening.size === 0 ? this.#activeAt : null;
  }

  /** Ends it for as long as nothing needs it. */
  rest(): Promise<void> {
    this.#resting = true;
    return this.end();
  }

  /** `port`: the session whose request it is; what the agent asks about it goes there. */
  async request(
    method: string,
    params: object,
    cancelled?: AbortSignal,
    port?: SessionPort,
  ): Promise<Record<string, unknown>> {
    this.#activeAt = Date.now();
    if (port) this.#requests.begin(params, port);
    try {
      return await this.#connection.request(method, params, cancelled);
    } finally {
      this.#requests.end(params);
      this.#activeAt = Date.now();
    }
  }
  notify(method: string, params: object): Promise<void> {
    this.#activeAt = Date.now();
    return this.#connection.notify(method, params);
  }

  /** A session is going to live here. */
  attach(port: SessionPort): void {
    this.#users.add(port);
    this.authentication.greet(port);
  }

  /** It does no more: nothing that still comes reaches it. */
  detach(port: SessionPort): void {
    this.#users.delete(port);
    for (const [sessionId, other] of this.#ports) {
      if (other === port) this.#unbind(sessionId);
    }
    for (const [sessionId, other] of this.#adopted) {
      if (other !== port) continue;
      this.#adopted.delete(sessionId);
      this.#left.add(sessionId);
    }
  }

  /**
   * Sends `session/new`, `load`, `resume` or `fork` and gives the session to `port` in the same breath: a request of
   * the agent may stand right behind the response.
   */
  async openSession(
    method: string,
    params: { sessionId?: string } & object,
    port: SessionPort,
  ): Promise<string> {
    // A fork leaves the other session to whom it belongs.
    const own = method === 'session/fork' ? undefined : params.sessionId;
    // One that is open is opened once more: where that fails, it goes on as it was.
    const open = own !== undefined && this.#ports.get(own) === port;
    if (own !== undefined) {
      this.#mustBeFree(own, port);
      this.#bind(own, port);
    }
    const opened = this.request(
      method,
      withMeta(params, this.spec.meta?.session),
      undefined,
      port,
    ).then((result) => {
      const sessionId = text(result.sessionId) ?? own;
      if (sessionId === undefined) throw invalidAnswer(`the answer to ${method} names no session`);
      this.#mustBeFree(sessionId, port);
      if (this.#users.has(port)) {
        port.onOpened(result);
        this.#bind(sessionId, port);
      } else {
        this.#left.add(sessionId);
      }
      return sessionId;
    });
    const opening = { port, opened };
    this.#opening.add(opening);
    try {
      return await opened;
    } catch (error) {
      if (own !== undefined && !open) this.#unbind(own);
      throw error;
    } finally {
      this.#opening.delete(opening);
      if (this.#opening.size === 0) {
        this.#early.clear();
        this.#earlyCount = 0;
      }
    }
  }

  /** A session of a subagent's was told of: what is said and asked in it is of the session that it was told in. */
  adopt(sessionId: string, port: SessionPort): void {
    if (this.#ports.has(sessionId) || this.#adopted.get(sessionId) === port) return;
    this.#left.delete(sessionId);
    this.#adopted.set(sessionId, port);
    for (const { update, meta } of this.#takeEarly(sessionId)) {
      port.onUpdate(update, meta, sessionId);
    }
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  /** Gives the updates and requests of an agent session to `port`, those that came early first. */
  #bind(sessionId: string, port: SessionPort): void {
    this.#left.delete(sessionId);
    this.#adopted.delete(sessionId);
    this.#ports.set(sessionId, port);
    for (const { update, meta } of this.#takeEarly(sessionId)) port.onUpdate(update, meta);
  }

  #takeEarly(sessionId: string): { update: unknown; meta: unknown }[] {
    const early = this.#early.get(sessionId) ?? [];
    this.#early.delete(sessionId);
    this.#earlyCount -= early.length;
    return early;
  }

  /** What is said in a session must never come up in another. */
  #mustBeFree(sessionId: string, port: SessionPort): void {
    const owner = this.#ports.get(sessionId) ?? port;
    if (owner !== port) throw invalidAnswer('it has named a session that is open here already');
  }

  #unbind(sessionId: string): void {
    this.#ports.delete(sessionId);
    this.#left.add(sessionId);
  }

  /** Hands an update over. One for a session that nobody tells of stands in the wire log. */
  #route(params: unknown): void {
    const message = object(params);
    if (!message) return;
    const sessionId = string(message.sessionId) ?? '';
    const port = this.#ports.get(sessionId);
    if (port) return port.onUpdate(message.update, message._meta);
    const parent = this.#adopted.get(sessionId);
    if (parent) return parent.onUpdate(message.update, message._meta, sessionId);
    const room = this.#opening.size > 0 ? EARLY_UPDATES : EARLY_OF_SUBAGENTS;
    if (this.#left.has(sessionId) || this.#earlyCount >= room) return;
    const early = this.#early.get(sessionId) ?? [];
    early.push({ update: message.update, meta: message._meta });
    this.#early.set(sessionId, early);
    this.#earlyCount++;
  }

  /**
   * A request names its session. A name that we don't know is that of the only session that opens (some agents ask
   * before they have answered `session/new`, and wait), else a wrong one for the only session there is.
   */
  async #portFor(params: unknown): Promise<SessionPort> {
    const id = string(object(params)?.sessionId) ?? '';
    const known =
      this.#ports.get(id) ??
      this.#adopted.get(id) ??
      (id === '' ? this.authentication.asking : null);
    if (known) return known;
    if (this.#left.has(id)) throw unknownSession(id);
    if (this.#opening.size > 1) {
      await Promise.allSettled([...this.#opening].map(({ opened }) => opened));
    }
    const opening = [...this.#opening].map(({ port }) => port);
    const port = this.#ports.get(id) ?? only(opening) ?? only([...this.#ports.values()]);
    if (!port) throw unknownSession(id);
    return port;
  }

  async #portOf({ sessionId, toolCallId }: Asked): Promise<SessionPort> {
    const port = toolCallId === undefined ? undefined : ofCall([...this.#users], toolCallId);
    return sessionId === undefined && port ? port : this.#portFor({ sessionId });
  }

  /**
   * A question about a request of ours goes to the session that has made it, where we know it; else to the one that opens, or
   * that was here last: better there than unseen.
   */
  async #elicit(asked: Elicitation, withdrawn: AbortSignal): Promise<object> {
    const refused = elicitationRefused(asked, this.spec.withhold);
    if (refused) throw refused;
    const { sessionId, requestId } = asked;
    const opening = [...this.#opening].map(({ port }) => port);
    const port =
      sessionId !== undefined
        ? await this.#portFor({ sessionId })
        : (this.#requests.portOf(requestId) ??
          this.authentication.asking ??
          only(opening) ??
          [...this.#users].at(-1));
    if (!port) throw unknownSession('');
    return port.handlers.elicit(asked, withdrawn);
  }

  /** What is told of a session, or of that of a subagent. */
  #tell(sessionId: string, events: readonly AgentEvent[]): void {
    const told = events.map((event) => ({ ...event, subagent: sessionId }));
    this.#ports.get(sessionId)?.onEvents(events);
    this.#adopted.get(sessionId)?.onEvents(told);
  }

  /** A notification that isn't an update. What nobody knows stands in the wire log. */
  #told(method: string, params: unknown): void {
    const elicitation = object(params)?.elicitationId;
    if (method === 'elicitation/complete' && typeof elicitation === 'string') {
      for (const port of this.#users) port.completed(elicitation);
    }
    const told = extendedNotification(method, params);
    if (!told) return;
    const { sessionId, toolCallId, events } = told;
    if (sessionId !== undefined) this.#tell(sessionId, events);
    else if (toolCallId !== undefined) ofCall([...this.#users], toolCallId)?.onEvents(events);
    else this.authentication.tell(events);
  }

  #handlers(): ClientHandlers {
    const to = async (params: { sessionId: string }) => (await this.#portFor(params)).handlers;
    return {
      requestPermission: async (request, withdrawn) => {
        return (await to(request)).requestPermission(request, withdrawn);
      },
      readTextFile: async (params) => (await to(params)).readTextFile(params),
      writeTextFile: async (params, withdrawn) => {
        return (await to(params)).writeTextFile(params, withdrawn);
      },
      createTerminal: async (params) => (await to(params)).createTerminal(params),
      terminalOutput: async (params) => (await to(params)).terminalOutput(params),
      waitForTerminalExit: async (params) => (await to(params)).waitForTerminalExit(params),
      killTerminal: async (params) => (await to(params)).killTerminal(params),
      releaseTerminal: async (params) => (await to(params)).releaseTerminal(params),
      elicit: (request, withdrawn) => this.#elicit(request, withdrawn),
      otherRequest: async (method, params, withdrawn) => {
        const asked = extendedRequest(method, params);
        if (!asked) throw methodNotFound(method);
        return (await this.#portOf(asked)).extended(asked, withdrawn);
      },
      otherNotification: (method, params) => this.#told(method, params),
    };
  }
}
