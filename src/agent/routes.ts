/** Which of our sessions gets what an agent says and asks: by the ids that the agent has given its own. */
import { object, string, text } from '../acp/coerce';
import { invalidAnswer, unknownSession } from '../acp/connection';
import type { Elicitation } from '../acp/elicitation-request';
import type { AgentEvent } from '../acp/events';
import type { Asked } from '../acp/extensions/extension';
import { ofCall, only, Requests } from './requests';
import type { SessionPort } from './session-port';

/**
 * Updates kept while a session opens, for ids that aren't known: some agents speak before `session/new` is answered, or tell
 * a whole conversation before `session/fork` is.
 */
const EARLY_UPDATES = 100_000;
/** The same while none opens: a subagent may speak before its agent has told of it. */
const EARLY_OF_SUBAGENTS = 1000;

/** An update that nobody could take yet. */
interface Early {
  update: unknown;
  meta: unknown;
}

/** A session that opens by the answer to `method`; `own`: the id that the agent has known it by. */
interface Opening {
  method: string;
  own: string | undefined;
  port: SessionPort;
  send: () => Promise<Record<string, unknown>>;
}

export class Routes {
  /** Our requests that are not answered yet. */
  readonly requests = new Requests<SessionPort>();
  readonly #users = new Set<SessionPort>();
  readonly #ports = new Map<string, SessionPort>();
  /** Ids of sessions that nobody listens to any more: what still comes from them is nobody else's. */
  readonly #left = new Set<string>();
  /** Sessions that an agent has started for its subagents, and told a port of. */
  readonly #adopted = new Map<string, SessionPort>();
  readonly #opening = new Set<{ port: SessionPort; opened: Promise<unknown> }>();
  readonly #early = new Map<string, Early[]>();
  #earlyCount = 0;
  readonly #asking: () => SessionPort | null;

  /** `asking`: the session that logs in just now; what the agent asks outside of any session is asked there. */
  constructor({ asking }: { asking: () => SessionPort | null }) {
    this.#asking = asking;
  }

  /** The sessions that live here. */
  get users(): ReadonlySet<SessionPort> {
    return this.#users;
  }
  /** Whether a session is about to open. */
  get opening(): boolean {
    return this.#opening.size > 0;
  }

  attach(port: SessionPort): void {
    this.#users.add(port);
  }

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

  /** Gives the session that the answer names to `port`, in the same breath. Gives its id. */
  async open({ method, own, port, send }: Opening): Promise<string> {
    // One that is open is opened once more: where that fails, it goes on as it was.
    const open = own !== undefined && this.#ports.get(own) === port;
    if (own !== undefined) {
      this.#mustBeFree(own, port);
      this.#bind(own, port);
    }
    const opened = send().then((result) => {
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

  /** Hands an update over. One for a session that nobody tells of stands in the wire log. */
  update(params: unknown): void {
    const message = object(params);
    if (!message) return;
    const sessionId = string(message.sessionId) ?? '';
    const port = this.#ports.get(sessionId);
    if (port) return port.onUpdate(message.update, message._meta);
    const parent = this.#adopted.get(sessionId);
    if (parent) return parent.onUpdate(message.update, message._meta, sessionId);
    const room = this.opening ? EARLY_UPDATES : EARLY_OF_SUBAGENTS;
    if (this.#left.has(sessionId) || this.#earlyCount >= room) return;
    const early = this.#early.get(sessionId) ?? [];
    early.push({ update: message.update, meta: message._meta });
    this.#early.set(sessionId, early);
    this.#earlyCount++;
  }

  /** Hands over what is told of a session, or of that of a subagent. */
  tell(sessionId: string, events: readonly AgentEvent[]): void {
    const told = events.map((event) => ({ ...event, subagent: sessionId }));
    this.#ports.get(sessionId)?.onEvents(events);
    this.#adopted.get(sessionId)?.onEvents(told);
  }

  /** The session that a tool call is of. */
  ofCall(toolCallId: string): SessionPort | undefined {
    return ofCall([...this.#users], toolCallId);
  }

  /**
   * A request names its session. A name that we don't know is that of the only session that opens (some agents ask
   * before they have answered `session/new`, and wait), else a wrong one for the only session there is.
   */
  async ofRequest(params: unknown): Promise<SessionPort> {
    const id = string(object(params)?.sessionId) ?? '';
    const known =
      this.#ports.get(id) ?? this.#adopted.get(id) ?? (id === '' ? this.#asking() : null);
    if (known) return known;
    if (this.#left.has(id)) throw unknownSession(id);
    if (this.#opening.size > 1) {
      await Promise.allSettled([...this.#opening].map(({ opened }) => opened));
    }
    const port = this.#ports.get(id) ?? this.#onlyOpening() ?? only([...this.#ports.values()]);
    if (!port) throw unknownSession(id);
    return port;
  }

  /** The session that a request of a dialect is for. */
  async ofAsked({ sessionId, toolCallId }: Asked): Promise<SessionPort> {
    const port = toolCallId === undefined ? undefined : this.ofCall(toolCallId);
    return sessionId === undefined && port ? port : this.ofRequest({ sessionId });
  }

  /**
   * A question about a request of ours goes to the session that has made it, where we know it; else to the one that opens, or
   * that was here last: better there than unseen.
   */
  async ofElicitation({ sessionId, requestId }: Elicitation): Promise<SessionPort> {
    if (sessionId !== undefined) return this.ofRequest({ sessionId });
    const port =
      this.requests.portOf(requestId) ??
      this.#asking() ??
      this.#onlyOpening() ??
      [...this.#users].at(-1);
    if (!port) throw unknownSession('');
    return port;
  }

  #onlyOpening(): SessionPort | undefined {
    return only([...this.#opening].map(({ port }) => port));
  }

  /** Gives the updates and requests of an agent session to `port`, those that came early first. */
  #bind(sessionId: string, port: SessionPort): void {
    this.#left.delete(sessionId);
    this.#adopted.delete(sessionId);
    this.#ports.set(sessionId, port);
    for (const { update, meta } of this.#takeEarly(sessionId)) port.onUpdate(update, meta);
  }

  #unbind(sessionId: string): void {
    this.#ports.delete(sessionId);
    this.#left.add(sessionId);
  }

  #takeEarly(sessionId: string): Early[] {
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
}
