/**
 * The turns of a session: one prompt at a time, the others queue. A turn is over when the agent answers its prompt,
 * when its process ends, or when it doesn't end in time after a cancel.
 */
import { text as nonEmpty } from '../acp/coerce';
import { errorText, isAgentError } from '../acp/connection';
import type { Agent } from '../agent/agent';
import type { Attachment, QueuedPrompt } from '../nvim/protocol';
import { attachmentLabels, promptContent } from './prompt';
import type { Session } from './session';

interface Queued {
  block: string;
  text: string;
  attachments: Attachment[];
}

interface Turn {
  prompt: Queued;
  since: number;
  /** The agent was sent the prompt: before, the working tree is recorded. */
  sent: boolean;
  /** The agent has said something since. */
  heard: boolean;
  cancelTimer: NodeJS.Timeout | null;
}

export interface Target {
  agent: Agent;
  sessionId: string;
  embedded: boolean;
}

export interface TurnsOptions {
  session: Session;
  cancelTimeoutMs: number;
  /** Where prompts go; null while there is no session of the agent's. */
  target: () => Target | null;
  cancelQuestions: () => void;
  /** Does what has to be done before the agent gets a prompt. Never fails. */
  prepare: (prompt: string) => Promise<void>;
  onEnded: (stopReason: string) => void;
  /** May say why a prompt failed, instead of the usual notice. */
  explain: (error: unknown) => boolean;
  /** Prompts that could not be sent go back to where they were typed. */
  restore: (texts: string[]) => void;
}

export class Turns {
  readonly #options: TurnsOptions;
  #queue: Queued[] = [];
  #turn: Turn | null = null;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get state(): 'idle' | 'working' | 'cancelling' {
    if (!this.#turn) return 'idle';
    return this.#turn.cancelTimer ? 'cancelling' : 'working';
  }

  /** Start of the running turn, milliseconds since the epoch. */
  get since(): number | null {
    return this.#turn?.since ?? null;
  }

  /** The prompts that wait, the next one first. */
  get waiting(): QueuedPrompt[] {
    return this.#queue.map(({ block, text, attachments }) => {
      return { id: block, text, attachments: attachments.length };
    });
  }

  queue(text: string, attachments: Attachment[]): void {
    const { session } = this.#options;
    const labels = attachmentLabels(attachments, session.cwd);
    const waits = this.#turn !== null || this.#queue.length > 0;
    const block = session.reducer.user(text, labels, session.context.now(), waits);
    this.#queue.push({ block, text, attachments });
  }

  /** Runs the next prompt, if none runs and there is an agent for it. */
  run(): void {
    const { session } = this.#options;
    const target = this.#options.target();
    const prompt = this.#turn || !target ? undefined : this.#queue.shift();
    if (!prompt || !target) return;
    const now = session.context.now();
    const turn: Turn = { prompt, since: now, sent: false, heard: false, cancelTimer: null };
    this.#turn = turn;
    session.reducer.late = false;
    session.reducer.turnStarted(prompt.block, now);
    session.changed();
    this.#options
      .prepare(prompt.text)
      .then(() => this.#send(turn))
      .catch((error: unknown) => this.#fail(turn, error));
  }

  async #send(turn: Turn): Promise<void> {
    const target = this.#options.target();
    // Meanwhile it may have been cancelled, or the agent lost: then the prompt waits again.
    if (this.#turn !== turn || !target) return;
    const { agent, sessionId, embedded } = target;
    const { text, attachments } = turn.prompt;
    const { cwd } = this.#options.session;
    const prompt = promptContent(text, attachments, { embedded, cwd });
    turn.sent = true;
    const result = await agent.request('session/prompt', { sessionId, prompt });
    this.#finish(turn, nonEmpty(result.stopReason) ?? 'end_turn');
  }

  /** The agent says something. */
  heard(): void {
    if (this.#turn) this.#turn.heard = true;
  }

  /** Asks the agent to end the turn; prompts that wait go back to where they were typed. */
  cancel(): void {
    this.takeBack();
    const turn = this.#turn;
    const { session, cancelTimeoutMs, cancelQuestions } = this.#options;
    const target = this.#options.target();
    // Some ask outside of any turn; and who wants to be rid of a question has no other key.
    if (!turn) cancelQuestions();
    if (!turn || turn.cancelTimer || !target) return session.changed();
    if (!turn.sent) return this.#finish(turn, 'cancelled');
    turn.cancelTimer = setTimeout(() => this.#abandon(turn), cancelTimeoutMs);
    cancelQuestions();
    session.reducer.settleTools('cancelled', session.context.now());
    target.agent
      .notify('session/cancel', { sessionId: target.sessionId })
      .catch((error: unknown) => session.context.onFault('session/cancel', error));
    session.changed();
  }

  /** The chat is gone. */
  leave(): void {
    const target = this.#options.target();
    const turn = this.#turn;
    if (!turn) return;
    if (turn.cancelTimer) clearTimeout(turn.cancelTimer);
    this.#turn = null;
    this.#queue = [];
    target?.agent
      .notify('session/cancel', { sessionId: target.sessionId })
      .catch((error: unknown) => this.#options.session.context.onFault('session/cancel', error));
  }

  /**
   * The agent's process has ended, or is being ended: nothing more comes. A prompt that it may never have read waits
   * again: some agents end after each turn, with the next prompt on its way.
   */
  lost(stopReason: 'lost' | 'cancelled'): void {
    const { reducer, context } = this.#options.session;
    const turn = this.#turn;
    if (turn && !turn.heard && !turn.cancelTimer && stopReason === 'lost') {
      this.#turn = null;
      this.#queue.unshift(turn.prompt);
    }
    if (this.#turn) this.#end(this.#turn, stopReason);
    else reducer.settleTools('ended', context.now());
    reducer.late = false;
  }

  /** Gives all queued prompts back. */
  takeBack(): void {
    const { session, restore } = this.#options;
    const prompts = this.#queue;
    this.#queue = [];
    for (const { block } of prompts) session.removeBlock(block);
    restore(prompts.map(({ text }) => text));
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
    const { session, restore, explain } = this.#options;
    // A lost connection is told by the end of the process.
    if (!isAgentError(error) || this.#turn !== turn) return;
    if (explain(error)) {
      session.removeBlock(turn.prompt.block);
      restore([turn.prompt.text]);
    } else if (turn.cancelTimer === null) {
      session.reducer.turnFailed(errorText(error), session.context.now());
    }
    this.#finish(turn, turn.cancelTimer ? 'cancelled' : 'error');
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
    // What was typed meanwhile has waited long enough.
    this.run();
    session.changed();
  }

  #end(turn: Turn, stopReason: string): void {
    const { session } = this.#options;
    if (turn.cancelTimer) clearTimeout(turn.cancelTimer);
    this.#turn = null;
    session.reducer.turnEnded(stopReason, session.context.now());
    this.#options.onEnded(stopReason);
  }
}
