import type {
  AgentContext,
  ClientCapabilities,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  PlanEntry,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { setImmediate as nextTick, setTimeout as delay } from 'node:timers/promises';
import type { Prompt } from './prompt';
import type { DemoSession, ModeId } from './session';

/** Time between two chunks, in milliseconds: about the pace of a fast model. */
const CHUNK_MS = 18;
/** Nominal context window: enough to see the figure grow. */
const CONTEXT_TOKENS = 32_000;

export interface TurnContext {
  session: DemoSession;
  client: AgentContext;
  capabilities: ClientCapabilities;
  prompt: Prompt;
  /** Aborted by `session/cancel`, `$/cancel_request` and the end of the connection. */
  signal: AbortSignal;
  /** Factor on every pause; 0: none. */
  pace: number;
  exit: (code: number) => Promise<void>;
}

/** One turn: how the agent speaks, waits and asks. Everything throws as soon as the turn is cancelled. */
export class Turn {
  readonly session: DemoSession;
  readonly capabilities: ClientCapabilities;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
  readonly exit: (code: number) => Promise<void>;
  readonly #context: TurnContext;
  readonly #client: AgentContext;
  readonly #pace: number;

  constructor(context: TurnContext) {
    this.#context = context;
    this.session = context.session;
    this.capabilities = context.capabilities;
    this.prompt = context.prompt;
    this.signal = context.signal;
    this.exit = context.exit;
    this.#client = context.client;
    this.#pace = context.pace;
  }

  /** A turn of another session within this one: it ends with this one, or when `signal` says so. */
  of(session: DemoSession, signal: AbortSignal): Turn {
    const both = AbortSignal.any([this.signal, signal]);
    return new Turn({ ...this.#context, session, signal: both });
  }

  /** Streams Markdown as a message of its own. */
  async say(markdown: string): Promise<void> {
    await this.#stream('agent_message_chunk', markdown, CHUNK_MS);
  }

  async think(text: string): Promise<void> {
    await this.#stream('agent_thought_chunk', text, CHUNK_MS * 1.5);
  }

  /** Streams chunks of a message as they are given, with `pauseMs` (not scaled) between them. */
  async stream(chunks: Iterable<string>, pauseMs: number): Promise<void> {
    const messageId = this.session.nextMessageId();
    for (const text of chunks) {
      await this.update({
        sessionUpdate: 'agent_message_chunk',
        messageId,
        content: { type: 'text', text },
      });
      await this.#rest(pauseMs);
    }
  }

  async pause(ms: number): Promise<void> {
    await this.#rest(ms * this.#pace);
  }

  /** Sends an update and keeps it, or `kept` in its place, for a later load. */
  async update(update: SessionUpdate, kept = update): Promise<void> {
    this.signal.throwIfAborted();
    this.session.remember(kept);
    await this.send(update);
  }

  /** Sends an update even when the turn is cancelled; it is not kept. */
  async send(update: SessionUpdate): Promise<void> {
    await this.#client.notify('session/update', { sessionId: this.session.id, update });
  }

  /** A request to the client which the end of the turn withdraws. */
  async request<M extends ClientRequestMethod>(
    method: M,
    params: ClientRequestParamsByMethod[M],
  ): Promise<ClientRequestResponsesByMethod[M]> {
    this.signal.throwIfAborted();
    return this.#client.request(method, params, {
      cancellationSignal: this.signal,
      stopWaitingOnCancel: true,
    });
  }

  /** A request which is waited for whatever happens: its answer is needed to clean up. */
  async insist<M extends ClientRequestMethod>(
    method: M,
    params: ClientRequestParamsByMethod[M],
  ): Promise<ClientRequestResponsesByMethod[M]> {
    return this.#client.request(method, params);
  }

  /** Tells that what a page was opened for is done. */
  async complete(elicitationId: string): Promise<void> {
    await this.#client.notify('elicitation/complete', { elicitationId });
  }

  async setMode(mode: ModeId): Promise<void> {
    await setMode(this.session, mode, this.#client);
  }

  async usage(): Promise<void> {
    const used = Math.min(Math.ceil(this.session.record.characters / 4), CONTEXT_TOKENS);
    await this.send({ sessionUpdate: 'usage_update', used, size: CONTEXT_TOKENS });
  }

  async #stream(
    sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
    markdown: string,
    pauseMs: number,
  ): Promise<void> {
    const messageId = this.session.nextMessageId();
    for (const text of chunksOf(markdown)) {
      await this.update({ sessionUpdate, messageId, content: { type: 'text', text } });
      await this.pause(pauseMs);
    }
  }

  async #rest(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    if (ms > 0) await delay(ms, undefined, { signal: this.signal });
    else await nextTick();
    this.signal.throwIfAborted();
  }
}

/** Goes on in another mode, and tells the client. */
export async function setMode(
  session: DemoSession,
  mode: ModeId,
  client: AgentContext,
): Promise<void> {
  session.record.mode = mode;
  const tell = (update: SessionUpdate): Promise<void> =>
    client.notify('session/update', { sessionId: session.id, update });
  await tell({ sessionUpdate: 'current_mode_update', currentModeId: mode });
  await tell({ sessionUpdate: 'config_option_update', configOptions: session.configOptions() });
}

/** A plan that is shown and kept up to date. */
export class Plan {
  readonly #turn: Turn;
  readonly #entries: PlanEntry[];

  constructor(turn: Turn, steps: string[]) {
    this.#turn = turn;
    this.#entries = steps.map((content) => ({ content, priority: 'medium', status: 'pending' }));
  }

  async show(): Promise<void> {
    const entries = this.#entries.map((entry) => ({ ...entry }));
    await this.#turn.update({ sessionUpdate: 'plan', entries });
  }

  /** Begins the next step; what was in progress is done. Returns its text, or null at the end. */
  async next(): Promise<string | null> {
    const current = this.#entries.find(({ status }) => status === 'in_progress');
    if (current) current.status = 'completed';
    const entry = this.#entries.find(({ status }) => status === 'pending');
    if (entry) entry.status = 'in_progress';
    await this.show();
    return entry?.content ?? null;
  }
}

/** Pieces as a model streams them: a word or part of one, with the white space before it. */
export function chunksOf(text: string): string[] {
  return text.match(/\s*\S{1,7}|\s+$/g) ?? [];
}
