/** Prompts that shall go into the turn that runs. Where the agent doesn't take one, it simply waits as others do. */
import { ConnectionLost, errorText } from '../acp/connection';
import { steer } from '../acp/extensions/steering';
import type { PromptReader } from './prompt-reader';
import type { Prompt, Queue } from './queue';
import type { Session } from './session';
import type { Target } from './turns';
import type { Voice } from './voice';

export interface SteeringOptions {
  session: Session;
  voice: Voice;
  queue: Queue;
  reader: PromptReader;
  /** The agent's name, for people. */
  agent: () => string;
  /** Whether there is a turn to go into: the agent has its prompt, and nobody has cancelled it. */
  open: () => boolean;
  /** A prompt waits that did not before. */
  onWaiting: () => void;
  /** How long an agent may take for its word when its turn is over. */
  graceMs: number;
}

export class Steering {
  readonly #options: SteeringOptions;

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  /** Asks the agent to take a prompt of the queue into its turn. */
  offer(prompt: Prompt, target: Target): void {
    const { voice, agent, open } = this.#options;
    if (!target.takes.steering) {
      return voice.tell('info', `${agent()} takes no prompt into a running turn: it is queued`);
    }
    if (!open()) return;
    prompt.steering = 'asked';
    this.#ask(prompt, target)
      .catch((error: unknown) => this.#failed(prompt, error))
      .finally(() => this.#settle(prompt));
  }

  /** The turn was cancelled: what the agent does not take into it at this moment goes back to where it was typed. */
  cancel(): void {
    for (const prompt of this.#asked()) prompt.steering = 'unwanted';
  }

  /** The turn is over. An agent that says nothing of a prompt may have it or not: the user decides. */
  turnEnded(): void {
    const asked = this.#asked();
    if (asked.length > 0) setTimeout(() => this.#giveUp(asked), this.#options.graceMs).unref();
  }

  #giveUp(asked: readonly Prompt[]): void {
    const { voice, agent } = this.#options;
    const still = this.#asked().filter((prompt) => asked.includes(prompt));
    if (still.length === 0) return;
    for (const prompt of still) prompt.steering = 'unwanted';
    for (const prompt of still) this.#settle(prompt);
    const what = `${agent()} did not say whether it took the prompt into its turn`;
    voice.tell('warn', `${what}: it is where you typed it`);
  }

  /** No answers come any more. */
  end(): void {
    for (const prompt of this.#asked()) this.#settle(prompt);
  }

  #asked(): Prompt[] {
    return this.#options.queue.prompts.filter(({ steering }) => steering);
  }

  async #ask(prompt: Prompt, target: Target): Promise<void> {
    const { session, queue, reader, open } = this.#options;
    const content = await reader.read(prompt, target.takes);
    if (!prompt.steering) return;
    if ('refused' in content) return reader.refuse(prompt, content.refused);
    if (!open()) return;
    // Once the agent may have it, it waits no more: no crash shall send it a second time.
    session.reducer.prompt(prompt.id, { steered: true });
    session.changed();
    session.keeping.flush();
    const outcome = await steer(target.agent, target.sessionId, content.blocks);
    if (outcome === 'promptRequired' || !prompt.steering) return;
    queue.take(prompt);
    session.reducer.promptTaken(prompt.id, outcome === 'injected', session.context.now());
    reader.tellUnsent(content.unsent);
    session.changed();
  }

  #failed(prompt: Prompt, error: unknown): void {
    // A lost connection is told by the end of the process.
    if (error instanceof ConnectionLost || !prompt.steering) return;
    const { voice, agent } = this.#options;
    voice.tell('warn', `${agent()} did not take the prompt into its turn: ${errorText(error)}`);
  }

  /** Where the agent has not taken it, it waits. */
  #settle(prompt: Prompt): void {
    const { session, queue, onWaiting } = this.#options;
    const { steering } = prompt;
    if (!steering || !queue.has(prompt)) return;
    prompt.steering = null;
    session.reducer.prompt(prompt.id, { steered: false });
    if (steering === 'unwanted') queue.giveBack([prompt]);
    else onWaiting();
    session.changed();
  }
}
