import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { HarnessAgent, RpcMessage } from './agent';
import { eventually } from './eventually';
import { whenDone } from './lifetime';

/** A client without any ACP in it: lines in, lines out. */
export class LineClient {
  readonly frames: RpcMessage[] = [];
  readonly lines: string[] = [];
  /** Settles with the exit code or the signal. */
  readonly exited: Promise<unknown>;
  readonly #child;
  #stderr = '';
  #lastId = 0;

  constructor(agent: HarnessAgent) {
    const child = spawn(agent.command, agent.args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(line);
      if (line.startsWith('{')) this.frames.push(JSON.parse(line) as RpcMessage);
    });
    child.stderr.on('data', (data: Buffer) => (this.#stderr += data.toString()));
    this.exited = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
    whenDone(() => void child.kill('SIGKILL'));
  }

  stderr(): string {
    return this.#stderr;
  }

  end(): void {
    this.#child.stdin.end();
  }

  send(message: RpcMessage): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and gives its answer. */
  async request(method: string, params: Record<string, unknown> = {}): Promise<RpcMessage> {
    const id = `client-${++this.#lastId}`;
    this.send({ id, method, params });
    return this.answerTo(id);
  }

  answerTo(id: number | string): Promise<RpcMessage> {
    return this.#found(`answer to ${id}`, (it) => it.id === id && it.method === undefined);
  }

  requestOf(method: string): Promise<RpcMessage> {
    return this.#found(method, (it) => it.method === method);
  }

  /** The updates of all sessions, or of one, in their order. */
  updates(session?: string): Record<string, unknown>[] {
    const all = this.frames.filter(({ method }) => method === 'session/update');
    const wanted = all.filter(({ params }) => !session || params!.sessionId === session);
    return wanted.map(({ params }) => params!.update as Record<string, unknown>);
  }

  #found(what: string, wanted: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    return eventually(() => {
      const found = this.frames.find(wanted);
      if (!found) throw new Error(`no ${what}`);
      return found;
    });
  }
}
