import type { Block, Transcript, UserBlock } from './model';
import { above, endOf, leaving, memberAt, placed } from './nesting';

/** A new block without what every block gets. */
export type Draft<B extends Block> = B extends Block ? Omit<B, 'id' | 'late' | 'parent'> : never;

/** What all that write to a transcript share. */
interface Shared {
  late: boolean;
  changed: Set<string>;
  lastId: number;
}

/**
 * The blocks of a transcript: the only one that adds and removes them, and that knows which have changed. What is added
 * stands in a conversation: the user's, or that of a subagent, under the block that it was started by.
 */
export class Blocks {
  readonly #transcript: Transcript;
  readonly #parent: string | null;
  readonly #shared: Shared;

  constructor(transcript: Transcript, within: { parent: string; shared: Shared } | null = null) {
    this.#transcript = transcript;
    this.#parent = within?.parent ?? null;
    this.#shared = within?.shared ?? { late: false, changed: new Set(), lastId: 0 };
    if (within) return;
    // Those of a transcript from the store keep their ids.
    for (const id of transcript.order) {
      this.#shared.lastId = Math.max(this.#shared.lastId, Number(id.slice(1)) || 0);
    }
  }

  /** The conversation under a block. */
  under(parent: string): Blocks {
    return new Blocks(this.#transcript, { parent, shared: this.#shared });
  }

  /** Whether what is added now belongs to a turn that the user has already left. */
  get late(): boolean {
    return this.#shared.late;
  }

  set late(late: boolean) {
    this.#shared.late = late;
  }

  /** Ids of the blocks that were changed or added since the last call. */
  take(): Set<string> {
    const { changed } = this.#shared;
    this.#shared.changed = new Set();
    return changed;
  }

  /** Blocks have changed; those that they stand under say something of them. */
  touch(...ids: string[]): void {
    const { changed } = this.#shared;
    for (const id of ids) {
      changed.add(id);
      for (const it of above(this.#transcript, this.#transcript.blocks.get(id))) changed.add(it.id);
    }
  }

  /** The block of that id, if it is of that kind. */
  get<K extends Block['kind']>(id: string, kind: K): Extract<Block, { kind: K }> | undefined {
    const block = this.#transcript.blocks.get(id);
    return block?.kind === kind ? (block as Extract<Block, { kind: K }>) : undefined;
  }

  /** The last block of the conversation. */
  last(): Block | undefined {
    return memberAt(this.#transcript, this.#end() - 1, this.#parent);
  }

  /** Adds a block at the end of the conversation; a prompt that waits stands behind it. `id`: of one that was taken out. */
  add<B extends Block>(draft: Draft<B>, now: number, id = `b${++this.#shared.lastId}`): B {
    const queued = draft.kind === 'user' && draft.queued;
    if (!queued) this.closeOpen(now);
    const block = {
      ...draft,
      id,
      ...(this.#parent !== null && { parent: this.#parent }),
      ...(this.late && { late: true }),
    } as unknown as B;
    this.#transcript.blocks.set(id, block);
    this.#insert(queued ? this.#transcript.order.length : this.#end(), id);
    placed(this.#transcript, block);
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
    const { blocks } = this.#transcript;
    const block = blocks.get(id);
    if (!block) return;
    leaving(this.#transcript, block);
    blocks.delete(id);
    this.#takeOut(id);
    this.#shared.changed.delete(id);
    if (block.parent !== undefined && blocks.has(block.parent)) this.touch(block.parent);
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

  /** Where the conversation ends; that of the user where the prompts that wait begin. */
  #end(): number {
    if (this.#parent !== null) return endOf(this.#transcript, this.#parent);
    const { order, blocks } = this.#transcript;
    let end = order.length;
    for (; end > 0; end--) {
      const block = blocks.get(order[end - 1]!);
      if (block?.kind !== 'user' || !block.queued) break;
    }
    return end;
  }
}
