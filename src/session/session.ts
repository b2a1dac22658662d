/**
 * One conversation with one agent, as Neovim sees it: it takes what the user does and what the agent says, and keeps
 * the transcript. How the agent is had and lost stands in `link.ts`, what a turn is in `turns.ts`, what the agent may
 * ask in `port.ts`.
 */
import { errorCode } from '../acp/connection';
import type { AgentEvent, ToolCallPatch } from '../acp/events';
import { updateEvents } from '../acp/v1';
import type { AgentPool } from '../agent/pool';
import type { Editor } from '../nvim/editor';
import type { AgentSpec, Attachment, SidecarConfig, Status, ToSidecar } from '../nvim/protocol';
import type { Flush } from '../render/flush';
import { TranscriptView } from '../render/view';
import { Changes } from './changes';
import type { ConflictHost, Conflicts } from './conflicts';
import { blockDetail } from './detail';
import { Facts } from './facts';
import { openFailure, type Words } from './failure';
import { Link } from './link';
import { transcriptMarkdown } from './markdown';
import { newTranscript, type Transcript } from './model';
import { ClientPort } from './port';
import { Reducer } from './reduce';
import { Screen } from './screen';
import { Settings } from './settings';
import { SettingsSetter } from './settings-setter';
import { Turns } from './turns';
import { Voice } from './voice';

/** What sessions share. */
export interface SessionContext {
  editor: Editor;
  pool: AgentPool;
  flush: Flush;
  config: SidecarConfig;
  now: () => number;
  conflicts: Conflicts;
  /** Settings that the user wants and an agent does not offer, as they were named. */
  named: Set<string>;
  /** Something went wrong that no person waits for. */
  onFault: (where: string, error: unknown) => void;
}

export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly reducer: Reducer;
  readonly settings = new Settings();
  readonly changes: Changes;
  readonly context: SessionContext;
  readonly transcript: Transcript;
  readonly #spec: AgentSpec;
  readonly #view: TranscriptView;
  readonly #screen: Screen;
  readonly #port: ClientPort;
  readonly #link: Link;
  readonly #turns: Turns;
  readonly #setter: SettingsSetter;
  readonly #facts = new Facts();
  readonly #voice = new Voice(this);
  readonly #leaveFlush: () => void;

  constructor(params: ToSidecar['session.open'], context: SessionContext) {
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
    const roots = params.agent.roots ?? [];
    this.changes = new Changes({ session: this, agent: params.agent.name, roots });
    this.#turns = new Turns({
      session: this,
      voice: this.#voice,
      cancelTimeoutMs: context.config.cancelTimeoutMs,
      target: () => this.#link.target,
      agent: () => this.#link.name,
      explain: (error) => this.#explain(error),
      prepare: (prompt) => this.#turnStarted(prompt),
      onEnded: (stopReason) => this.#turnEnded(stopReason),
      cancelQuestions: () => this.#port.questions.cancelAll(),
    });
    this.#port = new ClientPort({
      session: this,
      roots,
      agent: () => this.#link.name,
      accepting: () => this.#turns.state !== 'cancelling',
      baseText: (path) => this.changes.recorded(path),
      onWrote: (path, written) => {
        context.conflicts.settled(path, 'written');
        this.changes.wrote(path, written);
      },
      onWords: (words) => this.send(words, []),
    });
    this.#setter = new SettingsSetter({
      settings: this.settings,
      defaults: params.settings ?? {},
      name: params.agent.name,
      named: context.named,
      tell: (level, message) => this.#voice.tell(level, message),
      onChange: () => this.changed(),
    });
    this.#link = new Link({
      spec: params.agent,
      cwd: params.cwd,
      context,
      port: this.#port,
      onReady: (target) => this.#setter.prepare(target),
      onOpen: () => this.#runNext(),
      onLost: (how) => this.#lost(how),
      onFailed: (why) => this.#failed(why),
      onForgotten: () => this.#voice.forgotten(this.#link.name),
      onChange: () => this.changed(),
    });
    this.#leaveFlush = context.flush.add(this.#screen);
  }

  /** The folders that it works in, absolute; its own first. */
  get roots(): readonly string[] {
    return this.#port.roots;
  }

  /** Starts the agent and opens a session on it. */
  open(): void {
    this.#link.open();
  }

  /** Sends a prompt, now or when it is its turn. */
  send(text: string, attachments: Attachment[], how?: ToSidecar['prompt.send']['how']): void {
    this.#turns.send(text, attachments, how);
    this.open();
    this.#runNext();
  }

  /** The prompts that wait, as the user has edited them. */
  setQueue(entries: ToSidecar['queue.set']['entries']): void {
    this.#turns.setQueue(entries);
    if (this.#turns.waiting.length > 0) this.open();
  }

  /** Gives Neovim the whole transcript as Markdown. */
  async export(id: number): Promise<void> {
    await this.context.editor.request('session.markdown', {
      session: this.id,
      id,
      title: this.#facts.title ?? `Conversation with ${this.#link.name}`,
      lines: transcriptMarkdown(this.transcript).split('\n'),
    });
  }

  cancel(): void {
    this.#turns.cancel();
  }

  answer(question: string, option: string, more: { words?: string; text?: string }): void {
    this.#port.answer(question, option, more);
  }

  /** The user saved a buffer; `before` is the text of the file until then, where the buffer had seen it. */
  async saved(path: string, before: string | undefined, text: string): Promise<void> {
    this.#port.saved(path, text);
    await this.changes.saved(path, before, text);
  }

  async setConfig(option: string, value: string | boolean): Promise<void> {
    const { target } = this.#link;
    if (target) {
      await this.#setter.set(target, option, value).catch(() => {}); // The agent's end is told.
    } else {
      this.#setter.wish(option, value);
      this.open();
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
    if (files.length === 0) return this.#voice.tell('info', 'there is no diff here');
    const question = block?.kind === 'tool' ? block.question?.id : undefined;
    await this.context.editor.request('diff.show', {
      session: this.id,
      block: id,
      files,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Where conflicts about files of this session are asked. */
  get host(): ConflictHost {
    return { port: this.#port, working: this.#turns.state === 'working' };
  }

  /** Starts the agent's process anew; the session is resumed where the agent can. */
  async restart(): Promise<void> {
    await this.#link.restart();
  }

  /** The chat is gone: nothing of this session is wanted any more. */
  async close(): Promise<void> {
    this.#turns.leave();
    await Promise.all([this.#link.close(), this.end()]);
    await this.changes.close();
  }

  /** Neovim has gone. `changes` are yet to be closed, when the agent has ended. */
  async end(): Promise<void> {
    this.#link.dispose();
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
    this.#turns.heard();
    try {
      for (const event of updateEvents(update)) this.#apply(event, now);
    } catch (error) {
      this.context.onFault('session/update', error);
      this.reducer.apply({ type: 'unknown', label: 'update', payload: update }, now);
    }
    this.changed();
  }

  #apply(event: AgentEvent, now: number): void {
    if (this.settings.apply(event) || this.#facts.apply(event) || this.#link.replaying) return;
    this.reducer.apply(event, now);
    if (event.type === 'tool_call') this.#toolCall(event.patch);
  }

  #toolCall(patch: ToolCallPatch): void {
    this.#port.toolCalled(patch);
    const tool = this.reducer.toolCall(patch.id);
    if (tool) this.changes.toolCall(tool, patch);
  }

  #turnStarted(prompt: string): Promise<void> {
    this.#port.turnStarted();
    return this.changes.turnStarted(prompt);
  }

  #turnEnded(stopReason: string): void {
    this.#port.turnEnded();
    void this.changes.turnEnded(stopReason, this.reducer.turnLine);
  }

  #runNext(): void {
    this.#turns.run();
    this.changed();
  }

  #lost(how: 'lost' | 'cancelled'): void {
    this.#setter.lost();
    this.#port.agentGone();
    this.#turns.lost(how);
  }

  #failed(why: Words): void {
    this.#voice.fault(why);
    this.#turns.takeBack();
    this.changed();
  }

  /** An agent may want a login only when it is asked something. */
  #explain(error: unknown): boolean {
    if (errorCode(error) !== -32000) return false;
    this.#voice.fault(openFailure(this.#link.name, error, this.#link.info));
    return true;
  }

  #status(): Status {
    const turn = this.#turns.state;
    const waiting = this.#port.questions.waiting > 0;
    const { state: link, info, log } = this.#link;
    const open = turn === 'working' && waiting ? 'waiting' : turn;
    return {
      agent: this.#spec.name,
      title: this.#facts.title,
      state: link === 'open' ? open : link,
      since: this.#link.since ?? this.#turns.since,
      key: null,
      mode: this.settings.mode,
      model: this.settings.model,
      config: this.settings.options,
      usage: this.#facts.usage,
      limits: this.#facts.limits,
      commands: this.#facts.commands,
      questions: this.#port.openQuestions(),
      queue: this.#turns.list(),
      held: this.#turns.held,
      cwd: this.cwd,
      log,
      takes: info?.takes ?? { image: false, audio: false, embedded: false, steering: false },
      can: {
        fork: info?.fork ?? false,
        close: info?.close ?? false,
        delete: info?.delete ?? false,
        rename: info?.rename ?? false,
      },
      location: this.changes.location,
      review: this.changes.pending,
    };
  }
}
