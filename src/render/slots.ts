import type { Transcript } from '../session/model';
import type { Follower } from './growth';
import type { Split } from './split';

/** What is known of a block: in a list of all that are on screen, in screen order. */
export interface Slot {
  readonly id: string;
  shown: boolean;
  prev: Slot | null;
  next: Slot | null;
  /** A blank line stands before it. */
  gap: boolean;
  quiet: boolean;
  /** The block that it stands under. */
  parent: string | null;
  /** Whether what stands under it was last shown. */
  open: boolean | null;
  /** What it was last called by what stands under it. */
  title: string | null;
  /** Lines on screen. */
  rows: number;
  /** What was last sent, to send nothing twice. */
  sent: string | null;
  follower: Follower | null;
  /** What stands above the growing text: when it changes, the block is sent anew. */
  head: string;
  /** The follower was started anew, and what is on screen is not from it. */
  stale: boolean;
  split: Split | null;
}

/** The blocks on screen as a list, so that one can be added or taken out without a look at the others. */
export class SlotList {
  readonly #transcript: Transcript;
  readonly #slots: Map<string, Slot>;
  #tail: Slot | null = null;

  constructor(transcript: Transcript, slots: Map<string, Slot>) {
    this.#transcript = transcript;
    this.#slots = slots;
  }

  /** The block on screen behind which `slot` stands or is to stand. */
  before(slot: Slot): Slot | null {
    if (slot.shown) return slot.prev;
    const { order, index } = this.#transcript;
    const place = index.get(slot.id) ?? order.length;
    if (!this.#tail || (index.get(this.#tail.id) ?? -1) < place) return this.#tail;
    for (let i = place - 1; i >= 0; i--) {
      const other = this.#slots.get(order[i]!);
      if (other?.shown) return other;
    }
    return null;
  }

  /** It moved within the conversation since it was put on screen. */
  misplaced(slot: Slot): boolean {
    const place = (other: Slot | null): number | undefined =>
      other ? this.#transcript.index.get(other.id) : undefined;
    const here = place(slot) ?? 0;
    return slot.shown && ((place(slot.prev) ?? -1) > here || (place(slot.next) ?? Infinity) < here);
  }

  insert(slot: Slot, prev: Slot | null): void {
    slot.shown = true;
    slot.prev = prev;
    slot.next = prev ? prev.next : this.#first();
    if (prev) prev.next = slot;
    if (slot.next) slot.next.prev = slot;
    else this.#tail = slot;
  }

  /** Takes a block out and forgets what was sent of it. */
  remove(slot: Slot): void {
    if (slot.prev) slot.prev.next = slot.next;
    if (slot.next) slot.next.prev = slot.prev;
    else this.#tail = slot.prev;
    Object.assign(slot, newSlot(slot.id));
  }

  /** Looked for from behind: only needed when a block comes before all others. */
  #first(): Slot | null {
    let slot = this.#tail;
    while (slot?.prev) slot = slot.prev;
    return slot;
  }
}

export function newSlot(id: string): Slot {
  return {
    id,
    shown: false,
    prev: null,
    next: null,
    gap: false,
    quiet: false,
    parent: null,
    open: null,
    title: null,
    rows: 0,
    sent: null,
    follower: null,
    head: '',
    stale: false,
    split: null,
  };
}

/** Blocks stand apart, but for a run of quiet ones, and the first one under another. */
export function gapBetween(
  prev: Slot | null,
  { quiet, parent }: Pick<Slot, 'quiet' | 'parent'>,
): boolean {
  return prev !== null && !(prev.quiet && quiet) && prev.id !== parent;
}
