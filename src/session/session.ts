/**
 * One conversation with one agent, as Neovim sees it: it takes what the user does and what the agent says, and keeps
 * the transcript. How the agent is had and lost stands in `link.ts`, what a turn is in `turns.ts`, what the agent may
 * ask in `port.ts`.
 */
import type { AgentEvent } from '../acp/events';
import type { AgentSpec, Draft, ToSidecar } from '../nvim/protocol';
import { transcriptOf } from '../store/transcript';
import type { Actions } from './actions';
import type { OpenSession } from './catalog';
import type { Changes } from './changes';
import type { ConflictHost } from './conflicts';
import type { SessionContext } from './context';
import type { Equipment } from './equipment';
import type { Facts } from './facts';
import type { Hearing } from './hearing';
import type { Keeping } from './keeping';
import type { Link } from './link';
import type { Login } from './login';
import { newTranscript, type Transcript } from './model';
import type { Origin } from './origin';
import { partsOf, type Opening } from './parts';
import type { ClientPort } from './port';
import type { Answer } from './questions';
import { Reducer } from './reduce';
import { Settings } from './settings';
import type { SettingsSetter } from './settings-setter';
import type { Showing } from './showing';
import { cancelSubagent } from './subagent-cancel';
import type { TerminalViews } from './terminal-views';
import type { Turns } from './turns';
import type { Voice } from './voice';

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
  readonly #voice: Voice;
  readonly #facts: Facts;
  readonly #actions: Actions;
  readonly #hearing: Hearing;
  readonly #runNext: () => void;
  #title: string | null;
  #hint: string | null = null;

  constructor(opening: Opening, origin: Origin, context: SessionContext) {
    const { cwd, stored } = origin;
    this.id = opening.session;
    this.cwd = cwd;
    this.context = context;
    this.spec = opening.agent;
    this.#origin = origin;
    this.#title = stored?.title ?? null;
    this.transcript = stored ? transcriptOf(stored) : newTranscript(cwd);
    this.reducer = new Reducer(this.transcript);
    const parts = partsOf(this, opening, origin);
    this.changes = parts.changes;
    this.equipment = parts.equipment;
    this.keeping = parts.keeping;
    this.login = parts.login;
    this.showing = parts.showing;
    this.terminalViews = parts.terminalViews;
    this.#actions = parts.actions;
    this.#facts = parts.facts;
    this.#hearing = parts.hearing;
    this.#link = parts.link;
    this.#port = parts.port;
    this.#setter = parts.setter;
    this.#turns = parts.turns;
    this.#voice = parts.voice;
    this.#runNext = parts.runNext;
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
  onUpdate(...said: Parameters<Hearing['update']>): void {
    this.#hearing.update(...said);
  }

  /** What it told in another way. Never throws. */
  onEvents(events: readonly AgentEvent[]): void {
    this.#hearing.events(events);
  }
}
