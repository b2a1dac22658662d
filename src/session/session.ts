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
import type { AgentSpec, Draft, SidecarConfig, Status, ToSidecar } from '../nvim/protocol';
import type { Flush } from '../render/flush';
import { TranscriptView } from '../render/view';
import type { Store } from '../store/store';
import { transcriptOf } from '../store/transcript';
import type { Catalog, OpenSession } from './catalog';
import { Changes } from './changes';
import type { ConflictHost, Conflicts } from './conflicts';
import { blockDetail } from './detail';
import { Facts } from './facts';
import { openFailure, type Words } from './failure';
import { Keeping } from './keeping';
import { Link, type OpenTarget } from './link';
import { transcriptMarkdown } from './markdown';
import { newTranscript, type Transcript } from './model';
import type { Had } from './opening';
import type { Origin } from './origin';
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
  store: Store;
  catalog: Catalog;
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
  readonly keeping: Keeping;
  readonly #origin: Origin;
  readonly #spec: AgentSpec;
  readonly #view: TranscriptView;
  readonly #screen: Screen;
  readonly #port: ClientPort;
  readonly #link: Link;
  readonly #turns: Turns;
  readonly #setter: SettingsSetter;
  readonly #facts = new Facts();
  #title: string | null;
  readonly #voice = new Voice(this);
  readonly #leaveFlush: () => void;

  constructor(
    params: Pick<ToSidecar['session.open'], 'session' | 'agent' | 'columns' | 'settings'>,
    origin: Origin,
    context: SessionContext,
  ) {
    const { cwd, stored, journal } = origin;
    this.id = params.session;
    this.cwd = cwd;
    this.context = context;
    this.#spec = params.agent;
    this.#origin = origin;
    this.#title = stored?.title ?? null;
    this.transcript = stored ? transcriptOf(stored) : newTranscript(cwd);
    this.reducer = new Reducer(this.transcript);
    this.keeping = new Keeping({ journal, transcript: this.transcript, stored });
    const { toolRows, icons } = context.config;
    this.#view = new TranscriptView(this.transcript, { columns: params.columns, toolRows, icons });
    this.#screen = new Screen({
      session: this.id,
      // What is shown is kept, however soon this process ends.
      drain: () => {
        this.#drain();
        this.keeping.flush();
      },
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
      replays: () => this.#link.replays,
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
      onWords: (words) => this.send({ text: words }),
    });
    this.#setter = new SettingsSetter({
      settings: this.settings,
      defaults: stored?.settings ?? params.settings ?? {},
      name: params.agent.name,
      named: context.named,
      tell: (level, message) => this.#voice.tell(level, message),
      onChange: () => {
        this.keeping.recorder?.settings(this.#setter.kept);
        this.changed();
      },
    });
    this.#link = new Link({
      spec: params.agent,
      cwd,
      context,
      port: this.#port,
      former: origin.former,
      readOnly: origin.fault !== null,
      onReplay: () => this.#clear(),
      onOpened: (target, opened) => this.#opened(target, opened),
      onReady: () => this.#runNext(),
      onLost: (how) => this.#lost(how),
      onRested: () => this.#rested(),
      onFailed: (why) => this.#failed(why),
      onForgotten: (why) => this.#forgotten(why),
      onChange: () => this.changed(),
    });
    this.#begin();
    this.#leaveFlush = context.flush.add(this.#screen);
  }

  /** The folders that it works in, absolute; its own first. */
  get roots(): readonly string[] {
    return this.#port.roots;
  }

  /** What was there before is on screen first. */
  #begin(): void {
    const { stored, fault, former } = this.#origin;
    if (stored) {
      for (const id of this.transcript.order) this.#view.touch(id);
      if (former?.fork) for (const id of this.transcript.order) this.keeping.recorder?.touch(id);
      else {
        this.#turns.restoreQueue(stored.queue);
        this.#turns.hold();
      }
      this.changed();
    }
    if (fault !== null) this.reducer.notice('warning', fault, '', this.context.now());
  }

  /** Gives the prompt back what stood in it. */
  async restoreDraft(): Promise<void> {
    const { draft } = this.#origin;
    if (!draft) return;
    await this.context.editor.request('draft.restore', { session: this.id, draft });
  }

  /** Starts the agent and opens a session on it. */
  open(): void {
    this.#link.open();
  }

  /** Sends a prompt, now or when it is its turn. `draft`: what stays in the prompt. */
  send(prompt: Omit<ToSidecar['prompt.send'], 'session'>): void {
    const { text, attachments = [], how, draft, anew = false } = prompt;
    if (anew) this.#link.anew();
    if (draft) this.keeping.draft = draft;
    if (this.#link.state === 'saved') return this.#voice.restore([{ text, attachments }]);
    this.#turns.send(text, attachments, how);
    this.#drain();
    this.keeping.flush();
    this.open();
    this.#runNext();
  }

  /** What stands in the prompt. */
  saveDraft(draft: Draft): void {
    this.keeping.draft = draft;
    this.keeping.flush();
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
      title: this.title ?? `Conversation with ${this.#link.name}`,
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

  /** No turn runs or waits. */
  get resting(): boolean {
    return this.#turns.state === 'idle' && this.#turns.waiting.length === 0;
  }

  /** How it stands in the list of sessions. */
  get listed(): OpenSession {
    return {
      id: this.id,
      key: this.keeping.key,
      agent: this.#spec.name,
      agentSession: this.#link.agentSession,
      cwd: this.cwd,
      title: this.title,
      rename: (title) => this.rename(title),
    };
  }

  /** What the agent calls it, or the user. */
  get title(): string | null {
    return this.#title;
  }

  rename(title: string | null): void {
    this.#title = title;
    this.keeping.recorder?.title(title);
    this.changed();
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
    this.#drain();
    this.keeping.close();
  }

  /** Something changed that a frame should show. */
  changed(): void {
    this.context.flush.schedule();
    this.keeping.schedule();
  }

  /** Takes a block off the screen. */
  removeBlock(id: string): void {
    this.reducer.remove(id);
    this.#view.remove(id);
    this.keeping.recorder?.remove(id);
  }

  /** What changed in the transcript is to be shown, and kept. */
  #drain(): void {
    for (const id of this.reducer.take()) {
      this.#view.touch(id);
      this.keeping.recorder?.touch(id);
    }
  }

  /** The agent tells all of it anew. */
  #clear(): void {
    for (const id of [...this.transcript.order]) {
      const block = this.transcript.blocks.get(id);
      if (block?.kind !== 'user' || !block.queued) this.removeBlock(id);
    }
  }

  async #opened(target: OpenTarget, opened: Had): Promise<void> {
    const { how, sessionId } = opened;
    const { reducer, context } = this;
    this.keeping.recorder?.bind(sessionId);
    if (how === 'replayed') reducer.replayed(context.now());
    if (how === 'whole') this.#voice.remembers(this.#link.name);
    if (how === 'silent') this.#voice.silent(this.#link.name, this.transcript.order.length > 0);
    if (how === 'replaced' && this.#said()) this.#voice.forgotten(this.#link.name);
    await this.#setter.prepare(target);
  }

  /** Whether the agent was sent anything yet. */
  #said(): boolean {
    const { order, blocks } = this.transcript;
    return order.some((id) => {
      const block = blocks.get(id);
      return block?.kind === 'user' && !block.queued;
    });
  }

  #forgotten(why: string | null): void {
    const turned = this.#turns.waiting.length > 0;
    this.#voice.saved(this.#link.name, why, this.#origin.former?.fork ?? false);
    if (turned) this.#turns.takeBack();
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
    if (event.type === 'title') return this.rename(event.title ?? this.#title);
    if (this.settings.apply(event) || this.#facts.apply(event)) return;
    this.#link.hear();
    const { telling } = this.#link;
    if (telling === 'again') return;
    this.reducer.apply(event, now);
    // What is told of former calls changes nothing now.
    if (event.type === 'tool_call' && telling === 'live') this.#toolCall(event.patch);
  }

  #toolCall(patch: ToolCallPatch): void {
    this.#port.toolCalled(patch);
    const tool = this.reducer.toolCall(patch.id);
    if (tool) this.changes.toolCall(tool, patch);
  }

  #turnStarted(prompt: string): Promise<void> {
    this.#drain();
    this.keeping.recorder?.turn(true);
    this.#port.turnStarted();
    return this.changes.turnStarted(prompt);
  }

  #turnEnded(stopReason: string): void {
    this.keeping.recorder?.turn(false);
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

  #rested(): void {
    this.#lost('lost');
    // Something may have been sent at the very moment.
    if (this.#turns.waiting.length > 0 && !this.#turns.held) this.open();
    this.changed();
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
      title: this.title,
      state: link === 'open' ? open : link,
      since: this.#link.since ?? this.#turns.since,
      key: this.keeping.key,
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
