/** The prompts that wait: each is a block behind the conversation, and can be changed until its turn begins. */
import type { Attachment, QueuedPrompt } from '../nvim/protocol';
import { attachmentLabels } from './prompt';
import type { Session } from './session';
import type { Voice } from './voice';

/** What the user typed, and what goes along with it. */
export interface Typed {
  text: string;
  attachments: Attachment[];
  /** When it was sent, milliseconds since the epoch. */
  at?: number;
}

export interface Prompt extends Typed {
  /** Its block. */
  readonly id: string;
  /** The agent is asked to take it into the turn that runs. `unwanted`: the user has cancelled that turn meanwhile. */
  steering: 'asked' | 'unwanted' | null;
}

/** A prompt that waited when the sidecar ended. */
export interface Stored extends Typed {
  block: string;
}

/** An entry of the list that the user has edited. */
export interface Entry {
  id?: string;
  text: string;
}

export class Queue {
  readonly #session: Session;
  readonly #voice: Voice;
  #prompts: Prompt[] = [];
  /** Those that Neovim knows of: only these can be left out. */
  readonly #told = new Set<string>();
  /** When it knows of them. */
  readonly #known = new Map<string, Promise<void>>();
  /** What was in the queue: the texts of those that went, and those that the user took out and may want again. */
  readonly #went = new Map<string, string>();
  readonly #takenOut = new Map<string, Prompt>();

  constructor(session: Session, voice: Voice) {
    this.#session = session;
    this.#voice = voice;
  }

  /** Those that wait, the next one first. */
  get prompts(): readonly Prompt[] {
    return this.#prompts;
  }

  /** As Neovim is told of them. */
  list(): QueuedPrompt[] {
    return this.#prompts.map(({ id, text, attachments }) => {
      return { id, text, attachments: attachments.length };
    });
  }

  /** Those of a former life, before all others. */
  restore(stored: readonly Stored[]): void {
    const prompts = stored.map(({ block, text, attachments }) => {
      return this.#entered({ id: block, text, attachments, steering: null });
    });
    this.#prompts.unshift(...prompts);
    this.#show();
  }

  /** `waits`: it can't run at once. */
  add(typed: Typed, { first = false, waits = true } = {}): Prompt {
    const prompt = this.#made(typed, waits);
    if (first) this.#prompts.unshift(prompt);
    else this.#prompts.push(prompt);
    if (first) this.#show();
    return prompt;
  }

  /** Takes the next one out: its turn begins. */
  next(): Prompt | undefined {
    const prompt = this.#prompts.find(({ steering }) => steering === null);
    if (prompt) this.take(prompt);
    return prompt;
  }

  /** It waits again, before all others. */
  putBack(prompt: Prompt): void {
    this.#went.delete(prompt.id);
    this.#entered(prompt);
    this.#prompts.unshift(prompt);
    this.#show();
  }

  has(prompt: Prompt): boolean {
    return this.#prompts.includes(prompt);
  }

  /** It waits no more: it was sent, or goes back to where it was typed. */
  take(prompt: Prompt): void {
    this.#prompts = this.#prompts.filter((other) => other !== prompt);
    this.#went.set(prompt.id, prompt.text);
  }

  /** These go back to where they were typed, whether they wait or not. */
  giveBack(prompts: readonly Prompt[]): void {
    for (const prompt of prompts) {
      this.take(prompt);
      this.#session.removeBlock(prompt.id);
    }
    this.#voice.restore(prompts);
  }

  /**
   * The queue as the user wants it: changed, reordered, with some taken out and others new. What the agent is being asked
   * to take, and what Neovim could not know of, stays. Gives the changed texts of those that wait no more: they can't be
   * sent, and shall not be lost.
   */
  set(entries: readonly Entry[]): string[] {
    const late: string[] = [];
    const listed = new Set<Prompt>();
    for (const { id, text } of entries) {
      const went = id === undefined ? undefined : this.#went.get(id);
      if (went !== undefined) {
        if (went.trim() !== text.trim()) late.push(text);
        continue;
      }
      const prompt = this.#named(id, listed) ?? this.#new(text);
      if (!prompt || prompt.steering) continue;
      this.#change(prompt, text);
      if (prompt.text.trim() !== '' || prompt.attachments.length > 0) listed.add(prompt);
    }
    const others = this.#prompts.filter((prompt) => !listed.has(prompt));
    const steered = others.filter(({ steering }) => steering);
    const later = others.filter(({ id, steering }) => !steering && !this.#told.has(id));
    this.#prompts = [...steered, ...listed, ...later];
    for (const prompt of others) if (!this.has(prompt)) this.#takeOut(prompt);
    this.#show();
    return late;
  }

  /** The prompt of that id, if it waits or did until the user took it out, and was not named before. */
  #named(id: string | undefined, listed: Set<Prompt>): Prompt | undefined {
    const waiting = this.#prompts.find((prompt) => prompt.id === id);
    if (waiting) return listed.has(waiting) ? undefined : waiting;
    const former = id === undefined ? undefined : this.#takenOut.get(id);
    if (!former) return undefined;
    this.#takenOut.delete(former.id);
    return this.#made(former, true, former.id);
  }

  #new(text: string): Prompt | undefined {
    return text.trim() === '' ? undefined : this.#made({ text, attachments: [] }, true);
  }

  #made({ text, attachments, at }: Typed, waits: boolean, former?: string): Prompt {
    const { reducer, cwd, context } = this.#session;
    const labels = attachmentLabels(attachments, cwd);
    const id = reducer.user(text, labels, at ?? context.now(), waits, former);
    return this.#entered({ id, text, attachments, steering: null });
  }

  #entered(prompt: Prompt): Prompt {
    this.#session.keeping.recorder?.queued(prompt.id, prompt.attachments);
    // One that is back again Neovim has last seen at work.
    const known = this.#session.context.flush.taken();
    this.#known.set(prompt.id, known);
    this.#told.delete(prompt.id);
    void known.then(() => this.#known.get(prompt.id) === known && this.#told.add(prompt.id));
    return prompt;
  }

  #change(prompt: Prompt, text: string): void {
    if (prompt.text === text) return;
    prompt.text = text;
    this.#session.reducer.prompt(prompt.id, { text });
  }

  #takeOut(prompt: Prompt): void {
    this.#takenOut.set(prompt.id, prompt);
    this.#session.removeBlock(prompt.id);
  }

  /** The blocks on screen stand in the order of the queue. */
  #show(): void {
    this.#session.reducer.waiting(this.#prompts.map(({ id }) => id));
  }
}
