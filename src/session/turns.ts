/**
 * The turns of a session: one prompt at a time, the others queue. A turn is over when the agent answers its prompt,
 * when its process ends, or when it doesn't end in time after a cancel.
 */
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AgentInfo } from '../acp/capabilities';
import { text as nonEmpty } from '../acp/coerce';
import { ConnectionLost, errorCode } from '../acp/connection';
import { AUTH_REQUIRED } from '../acp/login';
import { answerEvents } from '../acp/v1';
import type { Agent } from '../agent/agent';
import type { QueuedPrompt, ToSidecar } from '../nvim/protocol';
import { PromptReader } from './prompt-reader';
import { Queue, type Entry, type Prompt, type Stored, type Typed } from './queue';
import type { Session } from './session';
import { Steering } from './steering';
import type { Voice } from './voice';

interface Turn {
  prompt: Prompt;
  since: number;
  /** What goes along with the prompt is read, the working tree is recorded, the agent has the prompt. */
  stage: 'reading' | 'recording' | 'sent';
  /** The agent has said something since. */
  heard: boolean;
  cancelTimer: NodeJS.Timeout | null;
}

export interface Target {
  agent: Agent;
  sessionId: string;
  takes: AgentInfo['takes'];
}

export interface TurnsOptions {
  session: Session;
  voice: Voice;
  cancelTimeoutMs: number;
  /** Where prompts go; null while there is no session of the agent's. */
  target: () => Target | null;
  /** What was said before is yet to be told: a prompt stands behind it. */
  replays: () => boolean;
  /** The agent's name, for people. */
  agent: () => string;
  cancelQuestions: () => void;
  /** Does what has to be done before the agent gets a prompt. Never fails. */
  prepare: (prompt: string) => Promise<void>;
  onEnded: (stopReason: string) => void;
  /** The agent wants a login: the prompt waits, and so do those behind it. */
  onRefused: (error: unknown) => void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: Queue;
  readonly #reader: PromptReader;
  readonly #steering: Steering;
  #turn: Turn | null = null;
  #last: Prompt | null = null;
  #held = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    const { session, voice, agent } = options;
    this.#queue = new Queue(session, voice);
    const queue = this.#queue;
    this.#reader = new PromptReader({ session, voice, queue, agent });
    this.#steering = new Steering({
      session,
      voice,
      queue,
      reader: this.#reader,
      agent,
      open: () => this.#turn?.stage === 'sent' && this.#turn.cancelTimer === null,
      onWaiting: () => this.run(),
      graceMs: options.cancelTimeoutMs,
    });
  }

  get state(): 'idle' | 'working' | 'cancelling' {
    if (!this.#turn) return 'idle';
    return this.#turn.cancelTimer ? 'cancelling' : 'working';
  }

  /** Start of the running turn, milliseconds since the epoch. */
  get since(): number | null {
    return this.#turn?.since ?? null;
  }

  /** The last prompt that the agent was given. */
  get last(): Typed | null {
    return this.#last;
  }

  /** The prompts that wait, the next one first. */
  get waiting(): readonly Prompt[] {
    return this.#queue.prompts;
  }

  /** The same, as Neovim is told of them. */
  list(): QueuedPrompt[] {
    return this.#queue.list();
  }

  /** Whether those that wait do so until the user sends something. */
  get held(): boolean {
    return this.#held && this.waiting.length > 0;
  }

  /** What waits is not sent before the user sends something, or sets the queue. */
  hold(): void {
    this.#held = true;
  }

  /** What waits need not do so any longer. */
  release(): void {
    this.#held = false;
    this.run();
  }

  /** What waited in a former life of this session; its blocks stand in the transcript. */
  restoreQueue(prompts: readonly Stored[]): void {
    this.#queue.restore(prompts);
  }

  /** A prompt of the user's. It runs when `run` is called and it is its turn. */
  send(typed: Typed, how: ToSidecar['prompt.send']['how']): void {
    this.#held = false;
    const turn = this.#turn;
    if (how === 'now' && turn) this.#interrupt(turn);
    const waits = turn !== null || this.waiting.length > 0 || this.#options.replays();
    const prompt = this.#queue.add(typed, { first: how === 'now', waits });
    const target = this.#options.target();
    if (how === 'steer' && turn && target) this.#steering.offer(prompt, target);
  }

  /** The queue as the user has edited it. */
  setQueue(entries: readonly Entry[]): void {
    const { session, voice } = this.#options;
    this.#held = false;
    const late = this.#queue.set(entries);
    voice.restore(late.map((text) => ({ text, attachments: [] })));
    if (late.length > 0) {
      voice.tell(
        'warn',
        'a prompt was sent before you changed it: the changed text is in the prompt',
      );
    }
    this.run();
    session.changed();
  }

  /** Runs the next prompt, if none runs and there is an agent for it. */
  run(): void {
    const { session } = this.#options;
    const target = this.#options.target();
    const prompt = this.#turn || this.#held || !target ? undefined : this.#queue.next();
    if (!prompt || !target) return;
    const since = session.context.now();
    const turn: Turn = { prompt, since, stage: 'reading', heard: false, cancelTimer: null };
    this.#turn = turn;
    session.changed();
    this.#begin(turn, target).catch((error: unknown) => this.#fail(turn, error));
  }

  async #begin(turn: Turn, target: Target): Promise<void> {
    const { session, prepare } = this.#options;
    const { prompt } = turn;
    const content = await this.#reader.read(prompt, target.takes);
    // Meanwhile it may have been cancelled, or the agent lost: then the prompt waits again.
    if (this.#turn !== turn) return;
    if ('refused' in content) {
      this.#turn = null;
      this.#reader.refuse(prompt, content.refused);
      this.run();
      return;
    }
    turn.stage = 'recording';
    session.reducer.late = false;
    session.reducer.turnStarted(prompt.id, turn.since);
    this.#reader.tellUnsent(content.unsent);
    session.changed();
    await prepare(prompt.text);
    await this.#send(turn, content.blocks);
  }

  async #send(turn: Turn, prompt: ContentBlock[]): Promise<void> {
    const target = this.#options.target();
    if (this.#turn !== turn || !target) return;
    turn.stage = 'sent';
    this.#last = turn.prompt;
    const { agent, sessionId } = target;
    // Once the agent may have it, it waits no more: no crash shall send it a second time.
    this.#options.session.keeping.flush();
    const result = await agent.request('session/prompt', { sessionId, prompt });
    if (this.#turn === turn) this.#options.session.onEvents(answerEvents(result));
    this.#finish(turn, nonEmpty(result.stopReason) ?? 'end_turn');
  }

  /** The agent says something. */
  heard(): void {
    if (this.#turn) this.#turn.heard = true;
  }

  /** Asks the agent to end the turn; prompts that wait go back to where they were typed. */
  cancel(): void {
    const { session, cancelQuestions } = this.#options;
    const turn = this.#turn;
    const waiting = this.#restful();
    this.#steering.cancel();
    if (turn?.stage === 'reading') {
      this.#turn = null;
      waiting.unshift(turn.prompt);
    }
    this.#queue.giveBack(waiting);
    if (this.#turn) this.#stop(this.#turn);
    else {
      // Some ask outside of any turn; and who wants to be rid of a question has no other key.
      cancelQuestions();
      this.#steering.end();
    }
    session.changed();
  }

  /** Ends the running turn in favour of a prompt. */
  #interrupt(turn: Turn): void {
    if (turn.stage !== 'reading') return this.#stop(turn);
    this.#turn = null;
    this.#queue.putBack(turn.prompt);
  }

  #stop(turn: Turn): void {
    const { session, cancelTimeoutMs, cancelQuestions } = this.#options;
    const target = this.#options.target();
    if (turn.cancelTimer || !target) return;
    if (turn.stage !== 'sent') return this.#end(turn, 'cancelled');
    turn.cancelTimer = setTimeout(() => this.#abandon(turn), cancelTimeoutMs);
    cancelQuestions();
    session.reducer.settleTools('cancelled', session.context.now());
    target.agent
      .notify('session/cancel', { sessionId: target.sessionId })
      .catch((error: unknown) => session.context.onFault('session/cancel', error));
  }

  /** The chat was closed, or all of Neovim is gone: then the turn was interrupted, as whoever opens the session finds. */
  leave(closed: boolean): void {
    const { session } = this.#options;
    const target = this.#options.target();
    const turn = this.#turn;
    this.#held = true;
    if (!turn) return;
    if (turn.cancelTimer) clearTimeout(turn.cancelTimer);
    this.#turn = null;
    if (turn.stage === 'reading') return;
    if (closed) {
      session.reducer.turnEnded('cancelled', session.context.now());
      session.keeping.recorder?.turn(false);
    }
    target?.agent
      .notify('session/cancel', { sessionId: target.sessionId })
      .catch((error: unknown) => session.context.onFault('session/cancel', error));
  }

  /**
   * The agent's process has ended, or is being ended: nothing more comes. A prompt that it may never have read waits
   * again: some agents end after each turn, with the next prompt on its way.
   */
  lost(stopReason: 'lost' | 'cancelled'): void {
    const { session } = this.#options;
    const { reducer, context } = session;
    const turn = this.#turn;
    const unread = turn && !turn.heard && !turn.cancelTimer && stopReason === 'lost';
    if (turn && (unread || turn.stage === 'reading')) {
      this.#turn = null;
      session.keeping.recorder?.turn(false);
      this.#queue.putBack(turn.prompt);
    }
    if (this.#turn) this.#end(this.#turn, stopReason);
    else reducer.settleTools('ended', context.now());
    reducer.late = false;
    this.#steering.end();
  }

  /** Those that wait go back to where they were typed. What the agent is being asked to take may be its own already. */
  clearQueue(): void {
    this.#queue.giveBack(this.#restful());
    this.#options.session.changed();
  }

  #restful(): Prompt[] {
    return this.waiting.filter(({ steering }) => !steering);
  }

  /** Gives all queued prompts back. */
  takeBack(): void {
    this.#queue.giveBack(this.waiting);
  }

  #finish(turn: Turn, stopReason: string): void {
    const { session } = this.#options;
    if (this.#turn === turn) {
      this.#end(turn, stopReason);
      this.run();
    } else if (!this.#turn) {
      // The answer to a turn that was given up long ago: nothing of it is to come any more.
      session.reducer.settleTools('cancelled', session.context.now());
      session.reducer.late = false;
    }
    session.changed();
  }

  #fail(turn: Turn, error: unknown): void {
    const { session } = this.#options;
    // A lost connection is told by the end of the process.
    if (error instanceof ConnectionLost || this.#turn !== turn) return;
    if (turn.cancelTimer === null && errorCode(error) === AUTH_REQUIRED) {
      return this.#refuse(turn, error);
    }
    if (turn.cancelTimer === null) {
      session.reducer.turnFailed(error, session.context.now());
    }
    this.#finish(turn, turn.cancelTimer ? 'cancelled' : 'error');
  }

  /** The agent takes nothing before somebody has logged in. Where it has said nothing else, there was no turn. */
  #refuse(turn: Turn, error: unknown): void {
    const { session, onEnded, onRefused } = this.#options;
    if (turn.heard) this.#end(turn, 'error');
    else {
      this.#turn = null;
      onEnded('error');
    }
    this.hold();
    this.#queue.putBack(turn.prompt);
    onRefused(error);
    session.changed();
  }

  /** The agent didn't end the turn in time: the prompt is free again, and what still comes is late. */
  #abandon(turn: Turn): void {
    if (this.#turn !== turn) return;
    const { session, cancelTimeoutMs } = this.#options;
    const seconds = Math.round(cancelTimeoutMs / 1000);
    session.reducer.notice(
      'warning',
      `The agent did not end the turn within ${seconds} s`,
      'You can go on; what it still sends is marked late. :AcpRestart starts it anew.',
      session.context.now(),
    );
    this.#end(turn, 'cancelled');
    session.reducer.late = true;
    this.#steering.end();
    // What was typed meanwhile has waited long enough.
    this.run();
    session.changed();
  }

  #end(turn: Turn, stopReason: string): void {
    const { session } = this.#options;
    if (turn.cancelTimer) clearTimeout(turn.cancelTimer);
    this.#turn = null;
    session.reducer.turnEnded(stopReason, session.context.now());
    this.#steering.turnEnded();
    this.#options.onEnded(stopReason);
  }
}
