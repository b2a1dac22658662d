import {
  client,
  RequestError,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationResponse,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { demoAgent, type DemoHost } from '../../src/demo/agent';

export const EVERYTHING: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
};

type Answer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

/** Chooses an option by its id. */
export function choose(optionId: string): Answer {
  return () => ({ outcome: { outcome: 'selected', optionId } });
}

interface Terminal {
  process: ChildProcess;
  output: string;
  exit: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** A small ACP client with real files and processes, connected to the demo agent in this process. */
export class DemoClient {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Methods that the agent called, in order. */
  readonly called: string[] = [];
  readonly terminals = new Map<string, Terminal>();
  answer: Answer = choose('once');
  /** Forms and pages that were asked, and the ids of those pages that are done. */
  readonly elicited: Record<string, unknown>[] = [];
  readonly completed: string[] = [];
  fill: () => CreateElicitationResponse = () => ({ action: 'cancel' });
  sessionId = '';
  readonly #connection: ClientConnection;

  private constructor(host: DemoHost) {
    this.#connection = client()
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
      })
      .onRequest('session/request_permission', ({ params }) => {
        this.asked.push(params);
        return this.answer(params);
      })
      .onRequest('elicitation/create', ({ params }) => {
        this.elicited.push(params);
        return this.fill();
      })
      .onNotification('elicitation/complete', ({ params }) => {
        this.completed.push(params.elicitationId);
      })
      .onRequest('fs/read_text_file', ({ params: { path, line, limit } }) => {
        this.called.push('fs/read_text_file');
        let text;
        try {
          text = readFileSync(path, 'utf8');
        } catch {
          throw RequestError.resourceNotFound(path);
        }
        const from = (line ?? 1) - 1;
        return {
          content: text
            .split('\n')
            .slice(from, limit == null ? undefined : from + limit)
            .join('\n'),
        };
      })
      .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
        this.called.push('fs/write_text_file');
        writeFileSync(path, content);
        return {};
      })
      .onRequest('terminal/create', ({ params: { command, args = [], cwd } }) => {
        const child = spawn(command, args, { cwd: cwd ?? undefined });
        const terminal: Terminal = {
          process: child,
          output: '',
          exit: new Promise((resolve) =>
            child.once('close', (exitCode, signal) => resolve({ exitCode, signal })),
          ),
        };
        child.on('error', () => undefined);
        child.stdout.on('data', (data: Buffer) => (terminal.output += data.toString()));
        const terminalId = `terminal-${this.terminals.size + 1}`;
        this.terminals.set(terminalId, terminal);
        return { terminalId };
      })
      .onRequest('terminal/wait_for_exit', ({ params }) => this.#terminal(params.terminalId).exit)
      .onRequest('terminal/output', ({ params }) => ({
        output: this.#terminal(params.terminalId).output,
        truncated: false,
      }))
      .onRequest('terminal/release', ({ params }) => {
        this.called.push('terminal/release');
        this.#terminal(params.terminalId).process.kill();
        return {};
      })
      .connect(demoAgent({ pace: 0, ...host }));
  }

  static async connect(
    host: DemoHost,
    clientCapabilities: ClientCapabilities = EVERYTHING,
  ): Promise<DemoClient> {
    const demo = new DemoClient(host);
    await demo.#connection.agent.request('initialize', { protocolVersion: 1, clientCapabilities });
    return demo;
  }

  async open(cwd: string): Promise<NewSessionResponse> {
    const session = await this.agent.request('session/new', { cwd, mcpServers: [] });
    this.sessionId = session.sessionId;
    return session;
  }

  get agent() {
    return this.#connection.agent;
  }

  async prompt(prompt: string | ContentBlock[]): Promise<PromptResponse> {
    return this.agent.request('session/prompt', {
      sessionId: this.sessionId,
      prompt: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
    });
  }

  async cancel(): Promise<void> {
    await this.agent.notify('session/cancel', { sessionId: this.sessionId });
  }

  async setMode(modeId: string): Promise<void> {
    await this.agent.request('session/set_mode', { sessionId: this.sessionId, modeId });
  }

  /** All updates of a kind. */
  of<K extends SessionUpdate['sessionUpdate']>(
    kind: K,
  ): Extract<SessionUpdate, { sessionUpdate: K }>[] {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: K }> =>
        update.sessionUpdate === kind,
    );
  }

  /** All that the agent said. */
  get said(): string {
    return this.of('agent_message_chunk')
      .map(({ content }) => (content.type === 'text' ? content.text : ''))
      .join('');
  }

  /** The statuses of all tool calls, in the order in which they came. */
  get statuses(): string[] {
    return [...this.updates].flatMap((update) =>
      'toolCallId' in update && update.status ? [update.status] : [],
    );
  }

  close(): void {
    this.#connection.close();
  }

  #terminal(id: string): Terminal {
    const terminal = this.terminals.get(id);
    if (!terminal) throw RequestError.resourceNotFound(id);
    return terminal;
  }
}
