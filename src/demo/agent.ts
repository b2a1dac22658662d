import {
  agent,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type PromptRequest,
  type PromptResponse,
} from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { VERSION } from '../acp/capabilities';
import { COMMANDS, play } from './commands';
import { readPrompt } from './prompt';
import { DemoSession, isMode, type ModeId, type SessionRecord } from './session';
import { defaultStateDir, SessionStore } from './store';
import { setMode, Turn } from './turn';

/** What the agent takes from its process; tests give their own. */
export interface DemoHost {
  /** Factor on every pause: 1 is the pace of a model, 0 streams without pauses. */
  pace?: number;
  /** Folder of the stored sessions. */
  stateDir?: string;
  exit?: (code: number) => void;
}

/**
 * Serves ACP on two streams until the client closes them.
 *
 * The demo agent has no language model: it plays a script, and says so. But what it does, it does for real:
 * it reads and writes through the client, asks for permission, runs programs, and can be cancelled anywhere.
 */
export async function runDemoAgent(
  input: Readable,
  output: Writable,
  host: DemoHost = {},
): Promise<void> {
  const readable = Readable.toWeb(input) as ReadableStream<Uint8Array>;
  await demoAgent(host).connect(ndJsonStream(Writable.toWeb(output), readable)).closed;
}

/** The agent as an app of the SDK, for a client in the same process. */
export function demoAgent(host: DemoHost = {}): AgentApp {
  const demo = new DemoAgent(host);
  // A cancel in the same read as its prompt must come second: handlers start in this order.
  return agent({ name: 'acp-demo-agent' })
    .onRequest('session/prompt', ({ params, client, signal }) =>
      demo.prompt(params, client, signal),
    )
    .onRequest('initialize', ({ params }) => {
      demo.capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'acp-demo-agent', title: 'Demo agent', version: VERSION },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true, image: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      };
    })
    .onRequest('session/new', ({ params, client }) => {
      const session = demo.create(params.cwd);
      announce(session, client);
      return { sessionId: session.id, ...setup(session) };
    })
    .onRequest('session/load', async ({ params: { sessionId }, client }) => {
      const session = await demo.restore(sessionId);
      for (const update of session.record.history) {
        await client.notify('session/update', { sessionId, update });
      }
      announce(session, client);
      return setup(session);
    })
    .onRequest('session/resume', async ({ params, client }) => {
      const session = await demo.restore(params.sessionId);
      announce(session, client);
      return setup(session);
    })
    .onRequest('session/list', async ({ params }) => ({
      sessions: (await demo.store.list())
        .filter(({ cwd }) => !params.cwd || params.cwd === cwd)
        .map(({ sessionId, cwd, title, updatedAt }) => ({ sessionId, cwd, title, updatedAt })),
    }))
    .onRequest('session/close', ({ params }) => {
      demo.close(params.sessionId);
      return {};
    })
    .onRequest('session/delete', async ({ params }) => {
      demo.close(params.sessionId);
      await demo.store.remove(params.sessionId);
      return {};
    })
    .onRequest('session/set_mode', async ({ params: { sessionId, modeId }, client }) => {
      await setMode(demo.session(sessionId), modeOf(modeId), client);
      return {};
    })
    .onRequest('session/set_config_option', async ({ params, client }) => {
      const session = demo.session(params.sessionId);
      if (params.configId === 'mode') await setMode(session, modeOf(params.value), client);
      else if (params.configId !== 'model' || params.value !== 'none') {
        throw RequestError.invalidParams({ configId: params.configId, value: params.value });
      }
      return { configOptions: session.configOptions() };
    })
    .onNotification('session/cancel', ({ params }) => demo.cancel(params.sessionId));
}

/** The sessions of one connection. */
class DemoAgent {
  capabilities: ClientCapabilities = {};
  readonly store: SessionStore;
  readonly #sessions = new Map<string, DemoSession>();
  readonly #pace: number;
  readonly #exit: (code: number) => void;

  constructor(host: DemoHost) {
    this.store = new SessionStore(host.stateDir ?? defaultStateDir());
    this.#pace = host.pace ?? paceOf(process.env.ACP_DEMO_PACE);
    this.#exit = host.exit ?? ((code) => process.exit(code));
  }

  create(cwd: string): DemoSession {
    return this.#add({
      sessionId: randomUUID(),
      cwd,
      title: null,
      updatedAt: new Date().toISOString(),
      mode: 'ask',
      characters: 0,
      history: [],
    });
  }

  /** A stored session. One that is open in this process goes on as it is. */
  async restore(sessionId: string): Promise<DemoSession> {
    const open = this.#sessions.get(sessionId);
    if (open) return open;
    const record = await this.store.get(sessionId);
    if (!record) throw RequestError.resourceNotFound(sessionId);
    return this.#add(record);
  }

  session(sessionId: string): DemoSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw RequestError.resourceNotFound(sessionId);
    return session;
  }

  /** A session's turn, or what one of its subagents does. */
  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.turn?.abort();
    for (const { helpers } of this.#sessions.values()) helpers.get(sessionId)?.abort();
  }

  close(sessionId: string): void {
    this.cancel(sessionId);
    this.#sessions.delete(sessionId);
  }

  async prompt(
    request: PromptRequest,
    client: AgentContext,
    withdrawn: AbortSignal,
  ): Promise<PromptResponse> {
    const session = this.session(request.sessionId);
    if (session.turn) {
      throw RequestError.invalidRequest({ reason: 'A turn is running: cancel it, or wait' });
    }
    session.turn = new AbortController();
    const prompt = readPrompt(request.prompt);
    const turn = new Turn({
      session,
      client,
      prompt,
      capabilities: this.capabilities,
      signal: AbortSignal.any([session.turn.signal, withdrawn]),
      pace: this.#pace,
      exit: async (code) => {
        await this.store.save(session.record);
        process.stderr.write('demo agent: crashed, as it was asked to\n');
        this.#exit(code);
      },
    });
    try {
      remember(session, request);
      session.file = prompt.attachments.find(({ path }) => path)?.path ?? session.file;
      await this.#title(turn);
      await play(turn);
      return { stopReason: 'end_turn' };
    } catch (error) {
      if (turn.signal.aborted) return { stopReason: 'cancelled' };
      throw error;
    } finally {
      session.turn = null;
      session.record.updatedAt = new Date().toISOString();
      await this.store.save(session.record);
      if (!withdrawn.aborted) await turn.usage();
    }
  }

  #add(record: SessionRecord): DemoSession {
    const session = new DemoSession(record);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The first prompt names the session. */
  async #title(turn: Turn): Promise<void> {
    const { record } = turn.session;
    if (record.title) return;
    record.title = turn.prompt.text.split('\n')[0]?.slice(0, 60) || 'Demo';
    // Stored at once: a session that crashes in its first turn can be resumed, too.
    await this.store.save(record);
    await turn.send({ sessionUpdate: 'session_info_update', title: record.title });
  }
}

function setup(session: DemoSession) {
  return { modes: session.modeState(), configOptions: session.configOptions() };
}

/** Tells the commands, after the answer that tells the session. */
function announce(session: DemoSession, client: AgentContext): void {
  setImmediate(() => {
    void client
      .notify('session/update', {
        sessionId: session.id,
        update: {
          sessionUpdate: 'available_commands_update',
          availableCommands: Object.entries(COMMANDS).map(([name, { description, hint }]) => ({
            name,
            description,
            ...(hint ? { input: { hint } } : {}),
          })),
        },
      })
      // The connection was closed meanwhile: nobody is left to tell.
      .catch(() => undefined);
  });
}

function modeOf(id: unknown): ModeId {
  if (!isMode(id)) throw RequestError.invalidParams({ mode: id });
  return id;
}

function remember(session: DemoSession, { prompt }: PromptRequest): void {
  const messageId = session.nextMessageId();
  for (const content of prompt) {
    session.remember({ sessionUpdate: 'user_message_chunk', messageId, content });
  }
}

function paceOf(value: string | undefined): number {
  const pace = Number(value ?? 1);
  return pace >= 0 ? pace : 1;
}
