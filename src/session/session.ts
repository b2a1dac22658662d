/**
 * One conversation with one agent, as Neovim sees it: it takes what the user does and what the agent says, and keeps
 * the transcript. How the agent is had and lost stands in `link.ts`, what a turn is in `turns.ts`, what the agent may
 * ask in `port.ts`.
 */
import type { AgentEvent, ToolCallPatch } from '../acp/events';
import { updateEvents } from '../acp/v1';
import type { AgentPool } from '../agent/pool';
import type { Editor } from '../nvim/editor';
import type { AgentSpec, Draft, SidecarConfig, Status, ToSidecar } from '../nvim/protocol';
import type { Flush } from '../render/flush';
import type { Store } from '../store/store';
import { transcriptOf } from '../store/transcript';
import type { Catalog, OpenSession } from './catalog';
import { Actions } from './actions';
import { Changes } from './changes';
import type { ConflictHost, Conflicts } from './conflicts';
import { Equipment } from './equipment';
import { Facts } from './facts';
import { Keeping } from './keeping';
import { Lifecycle } from './lifecycle';
import { Link } from './link';
import { newTranscript, type Transcript } from './model';
import type { Origin } from './origin';
import { ClientPort } from './port';
import { Reducer } from './reduce';
import { Settings } from './settings';
import { Login } from './login';
import type { Answer } from './questions';
import { SettingsSetter } from './settings-setter';
import { cancelSubagent } from './subagent-cancel';
import { isOfSession, saidBy } from './subagents';
import { TerminalViews } from './terminal-views';
import { Showing } from './showing';
import { statusOf } from './status';
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
  readonly showing: Showing;
  readonly #origin: Origin;
  /** How its agent is started, as it was configured last. */
  spec: AgentSpec;
  readonly login: Login;
  readonly terminalViews: TerminalViews;
  readonly equipment: Equipment;
  readonly #port: ClientPort;
  readonly #link: Link;
  readonly #turns: Turns;
  readonly #setter: SettingsSetter;
  readonly #facts = new Facts({
    tell: (severity, { title, detail }) => {
      // What is told of a former conversation is no news.
      if (this.#link.telling !== 'live') return;
      this.reducer.notice(severity, title, detail, this.context.now());
    },
  });
  #title: string | null;
  #hint: string | null = null;
  readonly #voice = new Voice(this);
  readonly #lifecycle: Lifecycle;
  readonly #actions = new Actions({
    session: this,
    voice: this.#voice,
    lastPrompt: () => this.#turns.last,
  });

  constructor(
    params: Omit<ToSidecar['session.open'], 'cwd' | 'from' | 'fork' | 'before'>,
    origin: Origin,
    context: SessionContext,
  ) {
    const { cwd, stored, journal } = origin;
    this.id = params.session;
    this.cwd = cwd;
    this.context = context;
    this.spec = params.agent;
    const spec = (): AgentSpec => this.spec;
    this.terminalViews = new TerminalViews(this, () => this.#port.terminals);
    this.#origin = origin;
    this.#title = stored?.title ?? null;
    this.transcript = stored ? transcriptOf(stored) : newTranscript(cwd);
    this.reducer = new Reducer(this.transcript);
    this.keeping = new Keeping({
      journal,
      transcript: this.transcript,
      collect: () => this.showing.drain(),
    });
    this.showing = new Showing({
      session: this,
      columns: params.columns,
      agent: () => this.#link.name,
      diffs: (tool) => this.#port.diffs(tool),
      status: () => this.#status(),
    });
    this.equipment = new Equipment({
      session: this,
      voice: this.#voice,
      mcp: params.mcp,
      dirs: params.dirs ?? [],
      kept: stored?.dirs ?? [],
      asking: () => this.#port.asking,
      open: () => (this.#link.state === 'open' ? this.#link.info : null),
      agent: () => this.#link.name,
      idle: () => this.#turns.state === 'idle' && this.#port.questions.waiting === 0,
      reopen: () => void this.#lifecycle.reopen(),
    });
    const roots = params.agent.roots ?? [];
    const folders = [...roots, ...this.equipment.dirs];
    this.changes = new Changes({ session: this, agent: params.agent.name, roots: folders });
    this.#turns = new Turns({
      session: this,
      voice: this.#voice,
      cancelTimeoutMs: context.config.cancelTimeoutMs,
      target: () => this.#link.target,
      replays: () => this.#link.replays,
      agent: () => this.#link.name,
      onRefused: (error) => this.login.wanted(error),
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
      get spec() {
        return spec();
      },
      cwd,
      context,
      port: this.#port,
      former: origin.former,
      given: (info, wanted) => this.equipment.given(info, wanted),
      readOnly: origin.fault !== null,
      onReplay: () => this.showing.clear(),
      onOpened: (target, opened) => this.#lifecycle.opened(target, opened),
      onReady: () => this.#runNext(),
      onLost: (how) => this.#lifecycle.lost(how),
      onRested: () => this.#lifecycle.rested(),
      onLocked: (error) => this.login.wanted(error),
      onFailed: (why) => this.#lifecycle.failed(why),
      onForgotten: (why) => this.#lifecycle.forgotten(why),
      onChange: () => this.changed(),
    });
    this.login = new Login({
      session: this,
      get spec() {
        return spec();
      },
      link: this.#link,
      port: this.#port,
      turns: this.#turns,
      voice: this.#voice,
    });
    this.#lifecycle = new Lifecycle({
      session: this,
      link: this.#link,
      port: this.#port,
      setter: this.#setter,
      turns: this.#turns,
      voice: this.#voice,
    });
    this.#begin();
  }

  /** The folders that it works in, absolute; its own first. */
  get roots(): readonly string[] {
    return this.#port.roots;
  }

  /** What was there before is on screen first. */
  #begin(): void {
    const { stored, fault, former } = this.#origin;
    if (stored) {
      this.showing.all();
      if (!former?.fork) {
        this.#turns.restoreQueue(stored.queue);
        this.#turns.hold();
      }
      this.changed();
    }
    if (fault === null) return;
    this.reducer.notice('warning', fault, '', this.context.now());
    this.changed();
  }

  /** Gives the prompt back what stood in it. */
  async restoreDraft(): Promise<void> {
    const { draft } = this.#origin;
    if (!draft) return;
    this.keeping.giveBack(draft);
    await this.context.editor.request('draft.restore', { session: this.id, draft });
  }

  /** Says something beside the conversation: where that is yet to begin, until it does. */
  remind(words: string): void {
    if (this.transcript.order.length > 0) return this.#voice.tell('info', words);
    this.#hint = words;
    this.changed();
  }

  get hint(): string | null {
    return this.transcript.order.length > 0 ? null : this.#hint;
  }

  /** Starts the agent and opens a session on it. */
  open(): void {
    // What a login is about to open is not opened anew meanwhile.
    if (!this.login.running) this.#link.open();
  }

  /** Sends a prompt, now or when it is its turn. `draft`: what stays in the prompt. */
  send(prompt: Omit<ToSidecar['prompt.send'], 'session'>): void {
    const { text, attachments = [], how, draft, anew = false, at } = prompt;
    if (at !== undefined && this.reducer.wasSent(at)) return this.#voice.taken(at);
    if (anew) this.#anew();
    if (draft) this.keeping.draft(draft);
    this.#facts.sent();
    if (this.#link.state === 'saved') this.#voice.restore([{ text, attachments }]);
    else this.#turns.send({ text, attachments, ...(at !== undefined && { at }) }, how);
    this.keeping.flush();
    if (at !== undefined) this.#voice.taken(at);
    this.open();
    this.#runNext();
  }

  /** The conversation goes on with another session of the agent's; one that could only be read is ours from here on. */
  #anew(): void {
    const { store } = this.context;
    const title = this.#title ?? undefined;
    this.keeping.begin(() => {
      return store.create({ agent: this.spec.name, cwd: this.cwd, ...(title && { title }) });
    });
    this.#link.anew();
  }

  /** What stands in the prompt. */
  saveDraft(draft: Draft): void {
    this.keeping.draft(draft);
    this.keeping.flush();
  }

  /** The prompts that wait, as the user has edited them. */
  setQueue(entries: ToSidecar['queue.set']['entries']): void {
    this.#turns.setQueue(entries);
    if (this.#turns.waiting.length > 0) this.open();
  }

  /** The same go back to where they were typed. */
  clearQueue(): void {
    this.#turns.clearQueue();
  }

  cancel(): void {
    this.#turns.cancel();
  }

  answer(question: string, option: string, more: Omit<Answer, 'option'>): void {
    this.#port.answer(question, option, more);
  }

  /** Says what is wrong with what is being filled in. */
  checkForm(question: string, values: unknown): void {
    this.#port.asking.check(question, values);
  }

  /** The user saved a buffer; `before` is the text of the file until then, where the buffer had seen it. */
  async saved(path: string, before: string | undefined, text: string): Promise<void> {
    this.#port.saved(path, text);
    await this.changes.saved(path, before, text);
  }

  async setConfig(option: string, value: string | boolean): Promise<void> {
    const { target } = this.#link;
    if (target) {
      await this.#setter.choose(target, option, value).catch(() => {}); // The agent's end is told.
    } else {
      this.#setter.wish(option, value);
      this.open();
    }
  }

  /** Cancels the subagent of a block. */
  cancelSubagent(block: string): void {
    const { questions } = this.#port;
    const { target } = this.#link;
    cancelSubagent(block, { session: this, target, questions, voice: this.#voice });
  }

  /** Does what a block offers. */
  act(block: string, action: string): void {
    this.#actions.do(block, action);
  }

  /** No turn runs or waits. */
  get resting(): boolean {
    const { state, waiting } = this.#turns;
    const goesOn = this.login.running || this.reducer.subagentRuns;
    return state === 'idle' && waiting.length === 0 && !goesOn;
  }

  /** How it stands in the list of sessions. */
  get listed(): OpenSession {
    return {
      id: this.id,
      key: this.keeping.key,
      agent: this.spec.name,
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
  async restart(spec = this.spec): Promise<void> {
    this.spec = spec;
    const { fault } = this.#origin;
    if (fault !== null && this.#link.state === 'saved') return this.#voice.tell('warn', fault);
    await this.#link.restart();
  }

  /** The chat is gone: nothing of this session is wanted any more. */
  async close(): Promise<void> {
    await Promise.all([this.#leave(true), this.#link.close()]);
    await this.changes.close();
  }

  /** Neovim has gone. `changes` are yet to be closed, when the agent has ended. */
  end(): Promise<void> {
    return this.#leave(false);
  }

  async #leave(closed: boolean): Promise<void> {
    this.#turns.leave(closed);
    this.#link.dispose();
    this.showing.end();
    this.terminalViews.end();
    // First: the session can be opened again while its commands still end.
    this.keeping.close();
    await this.#port.dispose();
  }

  /** Something changed that a frame should show. */
  changed(): void {
    this.showing.changed();
    this.terminalViews.changed();
  }

  /** Takes a block off the screen. */
  removeBlock(id: string): void {
    this.showing.remove(id);
  }

  /** What the agent said. Never throws. */
  onUpdate(update: unknown, meta?: unknown, subagent?: string): void {
    if (subagent === undefined) this.#turns.heard();
    this.#hear(() => saidBy(updateEvents(update, meta), subagent), update);
  }

  /** What it told in another way. Never throws. */
  onEvents(events: readonly AgentEvent[]): void {
    this.#hear(() => events, events);
  }

  #hear(events: () => readonly AgentEvent[], told: unknown): void {
    const now = this.context.now();
    try {
      for (const event of events()) this.#apply(event, now);
    } catch (error) {
      this.context.onFault('what the agent told', error);
      this.reducer.apply({ type: 'unknown', label: 'update', payload: told }, now);
    }
    this.changed();
  }

  #apply(event: AgentEvent, now: number): void {
    if (isOfSession(event)) {
      if (event.type === 'title') return this.rename(event.title ?? this.#title);
      if (event.type === 'account') return this.login.told(event.account);
      if (this.settings.apply(event) || this.#facts.apply(event)) return;
    }
    if (event.type === 'subagent') this.#link.adopt(event.patch.id);
    this.#link.hear();
    const { telling } = this.#link;
    if (telling === 'again') return;
    if (event.type === 'session_ended' && telling === 'live') {
      return this.#lifecycle.sessionEnded(event.code, event.signal);
    }
    this.reducer.apply(event, now);
    // What is told of former calls changes nothing now.
    if (event.type === 'tool_call' && telling === 'live') {
      this.#toolCall(event.patch, event.subagent);
    }
  }

  #toolCall(patch: ToolCallPatch, subagent: string | undefined): void {
    this.#port.toolCalled(patch);
    const tool = this.reducer.toolCall(patch.id, subagent);
    if (tool) this.changes.toolCall(tool, patch);
  }

  #turnStarted(prompt: string): Promise<void> {
    this.keeping.recorder?.turn(true);
    this.#port.turnStarted();
    this.#facts.sent();
    return this.changes.turnStarted(prompt);
  }

  #turnEnded(stopReason: string): void {
    this.keeping.recorder?.turn(false);
    this.#port.turnEnded();
    this.equipment.apply();
    this.#lifecycle.turnEnded();
    this.login.turnEnded(stopReason);
    void this.changes.turnEnded(stopReason, this.reducer.turnLine);
  }

  #runNext(): void {
    this.equipment.apply();
    this.#turns.run();
    this.changed();
  }

  #status(): Status {
    return statusOf({
      session: this,
      agent: this.spec.name,
      facts: this.#facts,
      link: this.#link,
      port: this.#port,
      turns: this.#turns,
    });
  }
}
