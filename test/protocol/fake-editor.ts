/** A Neovim that only listens: it keeps the transcript that the operations make, and has the buffers that a test gives it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { VERSION } from '../../src/acp/capabilities';
import type { Editor } from '../../src/nvim/editor';
import type {
  AgentSpec,
  Attachment,
  Frame,
  Question,
  Status,
  ToEditor,
  ToEditorMethod,
} from '../../src/nvim/protocol';
import type { Op } from '../../src/render/ops';
import type { McpWanted } from '../../src/acp/mcp';
import { Sessions } from '../../src/session/sessions';
import { eventually, tempDir, whenDone } from '../harness';

export const BUNDLE = resolve(import.meta.dirname, '../../rplugin/node/acp/index.js');

type Decided = ToEditor['mcp.decide'][0];

export class FakeEditor implements Editor {
  readonly calls: { method: ToEditorMethod; params: unknown }[] = [];
  readonly faults: string[] = [];
  readonly status: Partial<Status> = {};
  /** Texts that went back to the prompt. */
  readonly restored: string[] = [];
  readonly opened: Question[] = [];
  readonly closed: string[] = [];
  /** Is told of each call, at the moment when it comes. */
  onCall: (method: ToEditorMethod) => void = () => {};
  /** The servers that hold when the user has decided about a file. */
  onDecide: (decided: Decided) => McpWanted = () => ({ servers: [], left: [], asks: [] });
  /** How an agent whose options are functions is started now. */
  onSpec: () => ToEditor['agent.spec'][1] = () => ({ error: 'there is no such agent' });
  /** Loaded buffers: real path → text. What differs from the file is unsaved. */
  readonly buffers = new Map<string, string>();
  readonly #blocks = new Map<string, { kind: string; lines: string[] }>();
  #order: string[] = [];

  async request<M extends ToEditorMethod>(
    method: M,
    params: ToEditor[M][0],
  ): Promise<ToEditor[M][1]> {
    this.calls.push({ method, params });
    this.onCall(method);
    if (method === 'frame') this.#take((params as { frames: Frame[] }).frames);
    if (method === 'question.opened') this.opened.push((params as { question: Question }).question);
    if (method === 'question.closed') this.closed.push((params as { question: string }).question);
    if (method === 'prompt.restore') this.restored.push((params as { text: string }).text);
    if (method === 'mcp.decide') return this.onDecide(params as Decided);
    if (method === 'agent.spec') return this.onSpec();
    return this.#ofBuffers(method, params as { path: string; text: string }) as ToEditor[M][1];
  }

  /** What was sent by calls of that method. */
  sent<M extends ToEditorMethod>(method: M): ToEditor[M][0][] {
    return this.calls.flatMap((call) =>
      call.method === method ? [call.params as ToEditor[M][0]] : [],
    );
  }

  #ofBuffers(method: ToEditorMethod, { path, text }: { path: string; text: string }): unknown {
    if (method === 'buffers.unsaved') {
      const saved = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
      const unsaved = [...this.buffers].filter(([file, held]) => held !== saved(file));
      return unsaved.map(([file, held]) => ({ path: file, text: held }));
    }
    const held = this.buffers.get(path);
    if (held === undefined) return null;
    if (method === 'buffer.read') return { text: held };
    if (method !== 'buffer.write' && method !== 'buffer.resolve') return null;
    this.buffers.set(path, text);
    if (method === 'buffer.write') writeFileSync(path, text);
    return { ok: true };
  }

  /** What the transcript's buffer would hold. */
  get text(): string {
    return this.#order.map((id) => this.#blocks.get(id)!.lines.join('\n')).join('\n');
  }

  kinds(): string[] {
    return this.#order.map((id) => this.#blocks.get(id)!.kind);
  }

  /** Ids of the blocks of a kind, in order. */
  blocks(kind: string): string[] {
    return this.#order.filter((id) => this.#blocks.get(id)!.kind === kind);
  }

  idOf(kind: string): string {
    return this.#order.findLast((id) => this.#blocks.get(id)!.kind === kind)!;
  }

  messages(): string[] {
    return this.calls
      .filter(({ method }) => method === 'notify')
      .map(({ params }) => (params as { message: string }).message);
  }

  #take(frames: Frame[]): void {
    for (const { ops = [], status = {}, cleared = [] } of frames) {
      for (const op of ops) this.#apply(op);
      Object.assign(this.status, status);
      for (const field of cleared) delete this.status[field];
    }
  }

  #apply(op: Op): void {
    switch (op.op) {
      case 'put':
        if (!this.#blocks.has(op.id)) {
          const place = op.after === undefined ? 0 : this.#order.indexOf(op.after) + 1;
          if (op.after !== undefined && place === 0) throw new Error(`no block ${op.after}`);
          this.#order.splice(place, 0, op.id);
        }
        this.#blocks.set(op.id, { kind: op.kind, lines: [...op.lines] });
        break;
      case 'append': {
        const { lines } = this.#blocks.get(op.id)!;
        const [first, ...more] = op.text.split('\n');
        lines.push(lines.pop()! + first!, ...more);
        break;
      }
      case 'del':
        this.#blocks.delete(op.id);
        this.#order = this.#order.filter((id) => id !== op.id);
        break;
    }
  }
}

export interface Chat {
  editor: FakeEditor;
  sessions: Sessions;
  cwd: string;
  stateDir: string;
  send: (text: string, attachments?: Attachment[], how?: 'queue' | 'now' | 'steer') => void;
  cancel: () => void;
  answer: (question: string, option: string, more?: { words?: string; text?: string }) => void;
  tell: (method: string, params?: object) => void;
}

export interface ChatOptions {
  cancelTimeoutMs?: number;
  cwd?: string;
  version?: string;
  writes?: 'allow' | 'ask';
  stateDir?: string;
  idleTimeoutMs?: number;
  embedBytes?: number;
  /** Of `session.open`. */
  settings?: Record<string, string | boolean>;
  from?: string;
  fork?: boolean;
  before?: string;
  mcp?: McpWanted;
  dirs?: string[];
}

/** Opens a session on `agent`, as Lua would. */
export function openChat(agent: AgentSpec, options: ChatOptions = {}): Chat {
  const {
    cancelTimeoutMs = 3000,
    cwd = tempDir(),
    version = VERSION,
    writes = 'allow',
    stateDir = tempDir(),
    idleTimeoutMs = 0,
    embedBytes = 256 * 1024,
    settings,
    from,
    fork,
    before,
    mcp,
    dirs,
  } = options;
  const editor = new FakeEditor();
  const sessions = new Sessions(editor, (where, error) => {
    editor.faults.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`);
  });
  whenDone(() => sessions.end());
  sessions.handle('start', {
    config: {
      version,
      stateDir,
      wire: { enabled: true, maxBytes: 1e7, maxFiles: 5 },
      cancelTimeoutMs,
      toolRows: 6,
      writes,
      icons: 'unicode',
      idleTimeoutMs,
      sessions: { maxAgeMs: 1e10, maxBytes: 1e9 },
      embedBytes,
    },
  });
  const tell = (method: string, params = {}) =>
    sessions.handle(method, { session: 's1', ...params });
  // As the door does: only the fields of an AgentSpec.
  const { name, command, args, env, roots, install, wrap, wrapShell, withhold, meta, paths } =
    agent;
  const started = { name, command, args, env, install, cwd: agent.cwd, wrap, wrapShell };
  const spec = { ...started, roots, withhold, meta, paths, live: agent.live };
  const open = { agent: JSON.parse(JSON.stringify(spec)) as AgentSpec, cwd, columns: 80 };
  tell('session.open', {
    ...open,
    ...(settings && { settings }),
    ...(from !== undefined && { from }),
    ...(fork !== undefined && { fork }),
    ...(before !== undefined && { before }),
    ...(mcp && { mcp }),
    ...(dirs && { dirs }),
  });
  return {
    editor,
    sessions,
    cwd,
    stateDir,
    tell,
    send: (text, attachments, how) => tell('prompt.send', { text, attachments, how }),
    cancel: () => tell('prompt.cancel'),
    answer: (question, option, more) => tell('question.answer', { question, option, ...more }),
  };
}

/** The sessions of the chat's folder, as they are listed for the first time. */
export async function listed({ editor, sessions, cwd }: Chat, agent: AgentSpec) {
  sessions.handle('sessions.list', { id: 1, cwd, all: false, agents: [agent] });
  return eventually(() => {
    expect(editor.sent('sessions.show')).toHaveLength(1);
    return editor.sent('sessions.show')[0]!.rows;
  });
}

/** A `session/update` with a piece of the agent's message. */
export function chunk(text: string): { update: Record<string, unknown> } {
  return {
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  };
}
