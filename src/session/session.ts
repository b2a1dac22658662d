/**
 * One conversation with one agent, as Neovim sees it: it takes what the user does and what the agent says, and keeps
 * the transcript. What a turn is stands in `turns.ts`, what the agent may ask in `port.ts`.
 */
import type { AgentInfo } from '../acp/capabilities';
import { errorCode, errorText, isAgentError } from '../acp/connection';
import type { AgentEvent } from '../acp/events';
import { updateEvents } from '../acp/v1';
import type { Agent, AgentEnd } from '../agent/agent';
import type { AgentPool } from '../agent/pool';
import type { Editor } from '../nvim/editor';
import type { AgentSpec, Attachment, SidecarConfig, Status } from '../nvim/protocol';
import type { Flush } from '../render/flush';
import { TranscriptView } from '../render/view';
import { blockDetail } from './detail';
import { endNotice, openFailure } from './failure';
import { newTranscript, type Transcript } from './model';
import { ClientPort } from './port';
import { Reducer } from './reduce';
import { Screen } from './screen';
import { Settings } from './settings';
import { Turns } from './turns';

/** What sessions share. */
export interface SessionContext {
  editor: Editor;
  pool: AgentPool;
  flush: Flush;
  config: SidecarConfig;
  now: () => number;
  /** Something went wrong that no person waits for. */
  onFault: (where: string, error: unknown) => void;
}

/** `closed`: no agent session; the next prompt opens one. */
type Life =
  | { state: 'closed' }
  | { state: 'opening'; agent: Agent }
  | { state: 'open'; agent: Agent; info: AgentInfo; sessionId: string };

export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly reducer: Reducer;
  readonly settings = new Settings();
  readonly context: SessionContext;
  readonly transcript: Transcript;
  readonly #spec: AgentSpec;
  readonly #view: TranscriptView;
  readonly #screen: Screen;
  readonly #port: ClientPort;
  readonly #turns: Turns;
  readonly #leaveFlush: () => void;
  #life: Life = { state: 'closed' };
  /** The agent's id of this session, kept over restarts. */
  #agentSession: string | null = null;
  #info: AgentInfo | null = null;
  #log: string | null = null;
  #title: string | null = null;
  #usage: { used: number; size: number } | null = null;
  #commands: Status['commands'] = [];
  /** A replay of what we already show. */
  #replaying = false;
  #failed = false;
  #closed = false;

  constructor(
    params: { session: string; agent: AgentSpec; cwd: string; columns: number },
    context: SessionContext,
  ) {
    this.id = params.session;
    this.cwd = params.cwd;
    this.context = context;
    this.#spec = params.agent;
    this.transcript = newTranscript(params.cwd);
    this.reducer = new Reducer(this.transcript);
    const { toolRows, icons } = context.config;
    this.#view = new TranscriptView(this.transcript, { columns: params.columns, toolRows, icons });
    this.#screen = new Screen({
      session: this.id,
      reducer: this.reducer,
      view: this.#view,
      status: () => this.#status(),
    });
    this.#turns = new Turns({
      session: this,
      cancelTimeoutMs: context.config.cancelTimeoutMs,
      cancelQuestions: () => this.#port.questions.cancelAll(),
      restore: (texts) => this.#restore(texts),
    });
    this.#port = new ClientPort({
      session: this,
      roots: params.agent.roots ?? [],
      accepting: () => this.#turns.state !== 'cancelling',
    });
    this.#leaveFlush = context.flush.add(this.#screen);
  }

  /** Starts the agent and opens a session on it. */
  open(): void {
    if (this.#life.state !== 'closed' || this.#closed) return;
    const agent = this.context.pool.get(this.#spec, this.cwd);
    this.#life = { state: 'opening', agent };
    this.#failed = false;
    this.#log = agent.log;
    void agent.ended.then((end) => this.#agentEnded(agent, end));
    this.changed();
    this.#openOn(agent).catch((error: unknown) => this.#openFailed(agent, error));
  }

  /** Sends a prompt, now or when it is its turn. */
  send(text: string, attachments: Attachment[]): void {
    this.#turns.queue(text, attachments);
    this.open();
    this.#runNext();
  }

  cancel(): void {
    this.#turns.cancel(this.#life.state === 'open' ? this.#life : null);
  }

  answer(question: string, option: string): void {
    this.#port.questions.answer(question, option);
  }

  async setMode(mode: string): Promise<void> {
    if (this.#life.state !== 'open') return this.#tell('warn', 'the agent is not running yet');
    const { agent, sessionId } = this.#life;
    const request = this.settings.request(mode);
    if (!request) return this.#tell('warn', `${this.#spec.name} has no mode ‘${mode}’`);
    try {
      const result = await agent.request(request.method, { sessionId, ...request.params });
      this.settings.modeSet(mode, result);
      this.changed();
    } catch (error) {
      this.#tell('error', `${this.#spec.name} refused mode ‘${mode}’: ${errorText(error)}`);
    }
  }

  resize(columns: number): void {
    this.#view.resize(columns);
    this.changed();
  }

  fold(block: string | undefined, expanded: boolean | undefined): void {
    const blocks = block === undefined ? this.transcript.order : [block];
    for (const id of blocks) this.reducer.fold(id, expanded);
    this.changed();
  }

  async inspect(id: string): Promise<void> {
    const block = this.transcript.blocks.get(id);
    if (!block) return;
    await this.context.editor.request('detail.show', {
      session: this.id,
      ...blockDetail(block, this.transcript),
    });
  }

  async showDiff(id: string): Promise<void> {
    const block = this.transcript.blocks.get(id);
    const files = block?.kind === 'tool' ? await this.#port.diffs(block) : [];
    if (files.length === 0) return this.#tell('info', 'there is no diff here');
    const question = block?.kind === 'tool' ? block.question?.id : undefined;
    await this.context.editor.request('diff.show', {
      session: this.id,
      block: id,
      files,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Starts the agent's process anew; the session is resumed where the agent can. */
  async restart(): Promise<void> {
    if (this.#life.state !== 'closed') await this.#life.agent.end();
    this.open();
  }

  /** The chat is gone: nothing of this session is wanted any more. */
  async close(): Promise<void> {
    await this.end();
    if (this.#life.state !== 'open') return;
    const { agent, info, sessionId } = this.#life;
    this.#turns.cancel(this.#life);
    agent.unbind(sessionId);
    if (info.close) await agent.request('session/close', { sessionId }).catch(() => {});
    if (agent.idle) await agent.end();
  }

  /** Neovim has gone. */
  async end(): Promise<void> {
    this.#closed = true;
    this.#leaveFlush();
    await this.#port.dispose();
  }

  /** Something changed that a frame should show. */
  changed(): void {
    this.context.flush.schedule();
  }

  /** Takes a block off the screen. */
  removeBlock(id: string): void {
    this.reducer.remove(id);
    this.#view.remove(id);
  }

  /** What the agent said. Never throws. */
  onUpdate(update: unknown): void {
    const now = this.context.now();
    try {
      for (const event of updateEvents(update)) this.#apply(event, now);
    } catch (error) {
      this.context.onFault('session/update', error);
      this.reducer.apply({ type: 'unknown', label: 'update', payload: update }, now);
    }
    this.changed();
  }

  #apply(event: AgentEvent, now: number): void {
    if (this.settings.apply(event)) return;
    switch (event.type) {
      case 'commands':
        this.#commands = event.commands;
        return;
      case 'title':
        this.#title = event.title;
        return;
      case 'usage': {
        const size = event.size ?? this.#usage?.size;
        const used = event.used ?? this.#usage?.used ?? 0;
        this.#usage = size ? { used, size } : null;
        return;
      }
      default:
        if (!this.#replaying) this.reducer.apply(event, now);
    }
  }

  async #openOn(agent: Agent): Promise<void> {
    const info = await agent.ready;
    this.#info = info;
    const base = { cwd: this.cwd, mcpServers: [] };
    const former = this.#agentSession;
    const reopened = former === null ? null : await this.#reopen(agent, info, former, base);
    const opened = reopened ?? (await agent.openSession('session/new', base, this.#port));
    if (this.#life.state !== 'opening' || this.#life.agent !== agent) return;
    if (former !== null && !reopened) {
      const title = `${this.#name} does not remember the conversation above`;
      this.reducer.notice('warning', title, 'A new session has begun.', this.context.now());
    }
    this.settings.opened(opened.result);
    this.#agentSession = opened.sessionId;
    this.#life = { state: 'open', agent, info, sessionId: opened.sessionId };
    this.changed();
    this.#runNext();
  }

  /** Opens the former session again; null where the agent can't. */
  async #reopen(agent: Agent, info: AgentInfo, sessionId: string, base: object) {
    for (const method of [info.resume && 'session/resume', info.load && 'session/load']) {
      if (!method) continue;
      try {
        // We hold the transcript: a replay would only say it again.
        this.#replaying = true;
        return await agent.openSession(method, { sessionId, ...base }, this.#port);
      } catch (error) {
        if (!isAgentError(error)) throw error;
      } finally {
        this.#replaying = false;
      }
    }
    return null;
  }

  #openFailed(agent: Agent, error: unknown): void {
    // A lost connection is told by the end of the process, with its exit code and last words.
    if (!isAgentError(error)) return void agent.end();
    if (this.#life.state === 'closed' || this.#life.agent !== agent) return;
    this.#life = { state: 'closed' };
    this.#failed = true;
    const { title, detail } = openFailure(this.#name, error, this.#info);
    this.reducer.notice('error', title, detail, this.context.now());
    this.#turns.takeBack();
    this.changed();
  }

  #agentEnded(agent: Agent, end: AgentEnd): void {
    if (this.#life.state === 'closed' || this.#life.agent !== agent || this.#closed) return;
    this.#life = { state: 'closed' };
    this.#failed = true;
    this.#port.agentGone();
    this.#turns.lost();
    const { title, detail } = endNotice(this.#spec, this.cwd, end);
    this.reducer.notice('error', title, detail, this.context.now());
    this.#turns.takeBack();
    this.changed();
  }

  #runNext(): void {
    if (this.#life.state !== 'open') return this.changed();
    const { agent, info, sessionId } = this.#life;
    this.#turns.run({ agent, sessionId, embedded: info.takes.embedded }, (error) => {
      if (errorCode(error) !== -32000) return false;
      const { title, detail } = openFailure(this.#name, error, this.#info);
      this.reducer.notice('error', title, detail, this.context.now());
      return true;
    });
    this.changed();
  }

  #restore(texts: string[]): void {
    if (texts.length === 0) return;
    this.context.editor
      .request('prompt.restore', { session: this.id, text: texts.join('\n\n') })
      .catch((error: unknown) => this.context.onFault('prompt.restore', error));
  }

  #tell(level: 'info' | 'warn' | 'error', message: string): void {
    this.context.editor
      .request('notify', { level, message })
      .catch((error: unknown) => this.context.onFault('notify', error));
  }

  get #name(): string {
    return this.#info?.title ?? this.#spec.title ?? this.#spec.name;
  }

  #status(): Status {
    const turn = this.#turns.state;
    const waiting = this.#port.questions.size > 0;
    const state =
      this.#life.state === 'opening'
        ? 'starting'
        : this.#life.state === 'closed'
          ? this.#failed
            ? 'dead'
            : 'idle'
          : turn === 'working' && waiting
            ? 'waiting'
            : turn;
    return {
      agent: this.#spec.name,
      title: this.#title,
      state,
      since: this.#turns.since,
      mode: this.settings.mode,
      modes: this.settings.modes,
      model: this.settings.model,
      usage: this.#usage,
      commands: this.#commands,
      questions: this.#port.openQuestions(),
      queued: this.#turns.queued,
      cwd: this.cwd,
      log: this.#log,
      takes: this.#info?.takes ?? { image: false, audio: false, embedded: false },
    };
  }
}
