/** One connection to one agent: the SDK's client over our tapped stream. */
import {
  client,
  methods,
  RequestError,
  type ClientConnection,
  type CreateTerminalRequest,
  type ReadTextFileRequest,
  type TerminalOutputRequest,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { object } from './coerce';
import { hasSecrets, elicitation, type Elicitation } from './elicitation-request';
import { tappedStream, type TapOptions } from './stream';
import { permissionRequest, type PermissionRequest } from './v1';

/** What an agent may ask of us. Each call is answered with its result, or with the error that it throws. */
export interface ClientHandlers {
  requestPermission(
    request: PermissionRequest,
    withdrawn: AbortSignal,
  ): Promise<{ outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }>;
  elicit(request: Elicitation, withdrawn: AbortSignal): Promise<object>;
  readTextFile(params: ReadTextFileRequest): Promise<{ content: string }>;
  writeTextFile(params: WriteTextFileRequest, withdrawn?: AbortSignal): Promise<object>;
  createTerminal(params: CreateTerminalRequest): Promise<{ terminalId: string }>;
  terminalOutput(params: TerminalOutputRequest): Promise<{
    output: string;
    truncated: boolean;
    exitStatus?: { exitCode: number | null; signal: string | null } | null;
  }>;
  waitForTerminalExit(
    params: TerminalOutputRequest,
  ): Promise<{ exitCode: number | null; signal: string | null }>;
  killTerminal(params: TerminalOutputRequest): Promise<object>;
  releaseTerminal(params: TerminalOutputRequest): Promise<object>;
  /** A request that nobody else takes; throws `RequestError.methodNotFound` for what isn't known. */
  otherRequest(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown>;
  otherNotification(method: string, params: unknown): void;
}

const RESOURCE_NOT_FOUND = -32002;

/** There will be no answer: the agent's end of the connection is gone. */
export class ConnectionLost extends Error {}

export class Connection {
  readonly #connection: ClientConnection;
  /** Requests of the agent’s whose answers are secret. */
  readonly #secret = new Set<unknown>();

  constructor(tap: TapOptions, handlers: ClientHandlers) {
    const { session, fs, terminal, elicitation: form } = methods.client;
    const create: string = form.create;
    this.#connection = client({ name: 'acp-sidecar.nvim' })
      // Taken as it comes: the SDK's own parser refuses a request with one unknown option kind.
      .onRequest(session.requestPermission as string, permissionRequest, async (context) => {
        return { outcome: await handlers.requestPermission(context.params, context.signal) };
      })
      // Likewise: with one odd property, a whole form.
      .onRequest(create, asIs, async ({ params, signal, requestId }) => {
        const asked = elicitation(params);
        if (hasSecrets(asked)) this.#secret.add(requestId);
        return handlers.elicit(asked, signal);
      })
      .onRequest(fs.readTextFile, ({ params }) => handlers.readTextFile(params))
      .onRequest(fs.writeTextFile, ({ params, signal }) => handlers.writeTextFile(params, signal))
      .onRequest(terminal.create, ({ params }) => handlers.createTerminal(params))
      .onRequest(terminal.output, ({ params }) => handlers.terminalOutput(params))
      .onRequest(terminal.waitForExit, ({ params }) => handlers.waitForTerminalExit(params))
      .onRequest(terminal.kill, ({ params }) => handlers.killTerminal(params))
      .onRequest(terminal.release, ({ params }) => handlers.releaseTerminal(params))
      .onRequest('*', ({ method, params, signal }) => {
        return handlers.otherRequest(method, params, signal);
      })
      .onNotification('*', ({ method, params }) => handlers.otherNotification(method, params))
      .connect(tappedStream({ ...tap, isSecret: (id) => this.#secret.delete(id) }));
  }

  /**
   * Sends a request; rejects with the agent's `RequestError`, or with `ConnectionLost`. `cancelled`: it is not waited for
   * any longer, and the agent is told so.
   */
  async request(
    method: string,
    params: object,
    cancelled?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const options = cancelled && { cancellationSignal: cancelled, stopWaitingOnCancel: true };
    try {
      const result: unknown = await this.#connection.agent.request(method, params, options);
      return object(result) ?? {};
    } catch (error) {
      throw isAgentError(error) ? error : new ConnectionLost(errorText(error));
    }
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#connection.agent.notify(method, params);
  }

  /** Settles when the agent's stdout has ended or the connection was closed. */
  get closed(): Promise<void> {
    return this.#connection.closed.catch(() => {});
  }

  close(): void {
    this.#connection.close();
  }
}

function asIs(params: unknown): unknown {
  return params;
}

export function methodNotFound(method: string): RequestError {
  return RequestError.methodNotFound(method);
}

export function unknownSession(id: string): RequestError {
  return RequestError.invalidParams({ sessionId: id }, `no session ${id || '(none)'} is open here`);
}

/** The answer to an agent that takes a missing file for an empty one. */
export function emptyIfMissing(error: unknown): { content: string } {
  if (errorCode(error) === RESOURCE_NOT_FOUND) return { content: '' };
  throw error;
}

/** The agent answered, but with nothing that can be used. */
export function invalidAnswer(why: string): RequestError {
  return new RequestError(-32603, why);
}

/** Words for people from whatever a request failed with. */
export function errorText(error: unknown): string {
  if (error instanceof RequestError || error instanceof Error) {
    const data: unknown = 'data' in error ? error.data : undefined;
    const details = object(data)?.details ?? object(data)?.message ?? data;
    const more = typeof details === 'string' && details !== '' ? details : undefined;
    if (error.message === '') return more ?? `error ${errorCode(error) ?? 'without a word'}`;
    return more && !error.message.includes(more) ? `${error.message}: ${more}` : error.message;
  }
  return String(error);
}

/** Whether the agent answered with an error. */
export function isAgentError(error: unknown): boolean {
  return error instanceof RequestError;
}

export function errorCode(error: unknown): number | undefined {
  return error instanceof RequestError ? error.code : undefined;
}
