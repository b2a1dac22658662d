import type { Block, Transcript, UserBlock } from './model';

/** A new block without what every block gets. */
export type Draft<B extends Block> = B extends Block ? Omit<B, 'id' | 'late'> : never;

/** The blocks of a transcript: the only one that adds and removes them, and that knows which have changed. */
export class Blocks {
  /** Whether what is added now belongs to a turn that the user has already left. */
  late = false;
  readonly #transcript: Transcript;
  #changed = new Set<string>();
  #lastId = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    // Those of a transcript from the store keep their ids.
    for (const id of transcript.order) {
      this.#lastId = Math.max(this.#lastId, Number(id.slice(1)) || 0);
    }
  }

  /** Ids of the blocks that were changed or added since the last call. */
  take(): Set<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  touch(...ids: string[]): void {
    for (const id of ids) this.#changed.add(id);
  }

  /** The block of that id, if it is of that kind. */
  get<K extends Block['kind']>(id: string, kind: K): Extract<Block, { kind: K }> | undefined {
    const block = this.#transcript.blocks.get(id);
    return block?.kind === kind ? (block as Extract<Block, { kind: K }>) : undefined;
  }

  /** The last block of the conversation. */
  last(): Block | undefined {
    const id = this.#transcript.order[this.#end() - 1];
    return id === undefined ? undefined : this.#transcript.blocks.get(id);
  }

  /** Adds a block at the end of the conversation; a prompt that waits stands behind it. `id`: of one that was taken out. */
  add<B extends Block>(draft: Draft<B>, now: number, id = `b${++this.#lastId}`): B {
    const queued = draft.kind === 'user' && draft.queued;
    if (!queued) this.closeOpen(now);
    const block = { ...draft, id, ...(this.late ? { late: true } : {}) } as unknown as B;
    this.#transcript.blocks.set(id, block);
    this.#insert(queued ? this.#transcript.order.length : this.#end(), id);
    this.touch(id);
    return block;
  }

  /** The prompts that wait, in their order: they stand behind the conversation. */
  wait(ids: readonly string[]): void {
    for (const id of ids) {
      const block = this.get(id, 'user');
      if (!block) continue;
      this.#takeOut(id);
      this.#insert(this.#transcript.order.length, id);
      block.queued = true;
      this.touch(id);
    }
  }

  /** A prompt that waited becomes the last of the conversation. */
  join(block: UserBlock, now: number): void {
    this.closeOpen(now);
    this.#takeOut(block.id);
    this.#insert(this.#end(), block.id);
    block.queued = false;
    block.time = now;
    this.touch(block.id);
  }

  remove(id: string): void {
    if (!this.#transcript.blocks.delete(id)) return;
    this.#takeOut(id);
    this.#changed.delete(id);
  }

  /** A message or thought ends when something else begins. */
  closeOpen(now: number): void {
    const last = this.last();
    if (last?.kind === 'message' && !last.done) {
      last.done = true;
      this.touch(last.id);
    } else if (last?.kind === 'thought' && last.endedAt === null) {
      last.endedAt = now;
      this.touch(last.id);
    }
  }

  #insert(place: number, id: string): void {
    this.#transcript.order.splice(place, 0, id);
    this.#count(place);
  }

  #takeOut(id: string): void {
    const { order, index } = this.#transcript;
    const place = index.get(id)!;
    index.delete(id);
    order.splice(place, 1);
    this.#count(place);
  }

  /** Places change from `first` on. */
  #count(first: number): void {
    const { order, index } = this.#transcript;
    for (let i = first; i < order.length; i++) index.set(order[i]!, i);
  }

  /** Where the conversation ends and the prompts that wait begin. */
  #end(): number {
    const { order, blocks } = this.#transcript;
    let end = order.length;
    for (; end > 0; end--) {
      const block = blocks.get(order[end - 1]!);
      if (block?.kind !== 'user' || !block.queued) break;
    }
    return end;
  }
}
