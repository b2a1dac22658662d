/** A running agent: its process, its connection, and which of our sessions live on it. */
import { agentInfo, initializeParams, type AgentInfo } from '../acp/capabilities';
import { object } from '../acp/coerce';
import { Connection, emptyIfMissing, methodNotFound, type ClientHandlers } from '../acp/connection';
import { elicitationRefused } from '../acp/elicitation-request';
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
import { Routes } from './routes';
import type { SessionPort } from './session-port';

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
  readonly #routes = new Routes({ asking: () => this.authentication.asking });
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
          this.#routes.update(params);
        },
        onRequest: (id, params) => this.#routes.requests.sent(id, params),
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
      users: this.#routes.users,
    });
    this.ready.then((info) => this.authentication.look(info)).catch(() => {});
  }

  get running(): boolean {
    return this.#process.running;
  }
  /** Whether no session lives on it, or is about to. */
  get idle(): boolean {
    return this.#routes.users.size === 0;
  }

  /** It is being ended because nothing needs it: what lives on it starts it again when it must. */
  get resting(): boolean {
    return this.#resting;
  }
  /** Since when it does nothing that somebody waits for, in milliseconds since the epoch; null: it is needed. */
  get restfulSince(): number | null {
    const users = [...this.#routes.users];
    const again = this.#info !== null && (this.#info.resume || this.#info.load);
    const restful = users.length === 0 || (again && users.every(({ resting }) => resting));
    return restful && !this.#routes.opening ? this.#activeAt : null;
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
    if (port) this.#routes.requests.begin(params, port);
    try {
      return await this.#connection.request(method, params, cancelled);
    } finally {
      this.#routes.requests.end(params);
      this.#activeAt = Date.now();
    }
  }
  notify(method: string, params: object): Promise<void> {
    this.#activeAt = Date.now();
    return this.#connection.notify(method, params);
  }

  /** A session is going to live here. */
  attach(port: SessionPort): void {
    this.#routes.attach(port);
    this.authentication.greet(port);
  }

  /** It does no more: nothing that still comes reaches it. */
  detach(port: SessionPort): void {
    this.#routes.detach(port);
  }

  /**
   * Sends `session/new`, `load`, `resume` or `fork` and gives the session to `port` in the same breath: a request of
   * the agent may stand right behind the response.
   */
  openSession(
    method: string,
    params: { sessionId?: string } & object,
    port: SessionPort,
  ): Promise<string> {
    // A fork leaves the other session to whom it belongs.
    const own = method === 'session/fork' ? undefined : params.sessionId;
    const sent = withMeta(params, this.spec.meta?.session);
    const send = () => this.request(method, sent, undefined, port);
    return this.#routes.open({ method, own, port, send });
  }

  /** A session of a subagent's was told of: what is said and asked in it is of the session that it was told in. */
  adopt(sessionId: string, port: SessionPort): void {
    this.#routes.adopt(sessionId, port);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  /** A notification that isn't an update. What nobody knows stands in the wire log. */
  #told(method: string, params: unknown): void {
    const elicitation = object(params)?.elicitationId;
    if (method === 'elicitation/complete' && typeof elicitation === 'string') {
      for (const port of this.#routes.users) port.completed(elicitation);
    }
    const told = extendedNotification(method, params);
    if (!told) return;
    const { sessionId, toolCallId, events } = told;
    if (sessionId !== undefined) this.#routes.tell(sessionId, events);
    else if (toolCallId !== undefined) this.#routes.ofCall(toolCallId)?.onEvents(events);
    else this.authentication.tell(events);
  }

  #handlers(): ClientHandlers {
    const to = async (params: { sessionId: string }) =>
      (await this.#routes.ofRequest(params)).handlers;
    return {
      requestPermission: async (request, withdrawn) => {
        return (await to(request)).requestPermission(request, withdrawn);
      },
      readTextFile: async (params) => {
        const reading = (await to(params)).readTextFile(params);
        return this.#info?.missingIsEmpty ? reading.catch(emptyIfMissing) : reading;
      },
      writeTextFile: async (params, withdrawn) => {
        return (await to(params)).writeTextFile(params, withdrawn);
      },
      createTerminal: async (params) => (await to(params)).createTerminal(params),
      terminalOutput: async (params) => (await to(params)).terminalOutput(params),
      waitForTerminalExit: async (params) => (await to(params)).waitForTerminalExit(params),
      killTerminal: async (params) => (await to(params)).killTerminal(params),
      releaseTerminal: async (params) => (await to(params)).releaseTerminal(params),
      elicit: async (asked, withdrawn) => {
        const refused = elicitationRefused(asked, this.spec.withhold);
        if (refused) throw refused;
        return (await this.#routes.ofElicitation(asked)).handlers.elicit(asked, withdrawn);
      },
      otherRequest: async (method, params, withdrawn) => {
        const asked = extendedRequest(method, params);
        if (!asked) throw methodNotFound(method);
        return (await this.#routes.ofAsked(asked)).extended(asked, withdrawn);
      },
      otherNotification: (method, params) => this.#told(method, params),
    };
  }
}
