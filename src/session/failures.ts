/** Why the agent could not go on, and what can be done: a block for each failure, and its actions until a turn begins. */
import type { AgentEvent, FailureAction } from '../acp/events';
import type { Blocks } from './blocks';
import type { NoticeBlock, TurnBlock } from './model';

type Told = Extract<AgentEvent, { type: 'failure' }>;

/** What is told of a failure: by the agent, or by us of a turn that came to nothing. */
export type Failure = Omit<Told, 'type' | 'id' | 'revision'>;

export class Failures {
  readonly #blocks: Blocks;
  /** The agent's id → its block, and how often it was told anew, since the turn began. */
  readonly #known = new Map<string, { block: string; revision: number }>();
  /** What can be done when no turn runs, by block. */
  readonly #offers = new Map<string, FailureAction[]>();
  #running = false;

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  /** A failure that the agent tells of: in the place of what it said of it before. */
  apply({ id, revision, severity, title, detail, actions }: Told, now: number): void {
    const known = this.#known.get(id);
    if (known && revision < known.revision) return;
    const told = { severity, title, detail };
    const block = (known && this.#blocks.get(known.block, 'notice')) ?? this.#add(told, now);
    Object.assign(block, told);
    this.#known.set(id, { block: block.id, revision });
    this.#offer(block, actions);
  }

  /** A failure that nobody will tell more of. */
  add({ severity, title, detail, actions }: Failure, now: number): void {
    this.#offer(this.#add({ severity, title, detail }, now), actions);
  }

  /** A turn ended in a way about which something can be done. */
  offer(turn: TurnBlock, actions: FailureAction[]): void {
    this.#offer(turn, actions);
  }

  /** A new turn begins: what was to be done about former ones has no object any more. */
  turnStarted(): void {
    this.#running = true;
    // What fails again is told where that happens.
    this.#known.clear();
    for (const id of [...this.#offers.keys()]) this.done(id);
  }

  turnEnded(): void {
    this.#running = false;
    for (const [id, actions] of this.#offers) this.#show(id, actions);
  }

  /** One of its actions was taken. */
  done(id: string): void {
    this.#offers.delete(id);
    this.#show(id, []);
  }

  #add(told: Pick<NoticeBlock, 'severity' | 'title' | 'detail'>, now: number): NoticeBlock {
    return this.#blocks.add<NoticeBlock>({ kind: 'notice', ...told }, now);
  }

  #offer(block: NoticeBlock | TurnBlock, actions: FailureAction[]): void {
    this.#blocks.touch(block.id);
    if (actions.length > 0) this.#offers.set(block.id, actions);
    else this.#offers.delete(block.id);
    if (!this.#running) this.#show(block.id, actions);
  }

  #show(id: string, actions: FailureAction[]): void {
    const block = this.#blocks.get(id, 'notice') ?? this.#blocks.get(id, 'turn');
    if (!block || (actions.length === 0 && !block.actions?.length)) return;
    block.actions = actions;
    this.#blocks.touch(id);
  }
}
