import type { Transcript } from '../session/model';
import { render, type RenderContext, type Rendered } from './blocks';
import { Follower, type Budget } from './growth';
import { ICONS } from './icons';
import type { AppendOp, Op, PutOp } from './ops';
import { decoration } from './page';
import { Split } from './split';
import { byteLength } from './text';

export interface ViewOptions {
  columns: number;
  toolRows: number;
  icons: 'unicode' | 'nerd' | 'ascii';
}

const DEFAULT_BUDGET: Budget = { bytes: 64 * 1024, lines: 1000 };
/** Blocks whose operation is longer than this are sent again even if nothing about them changed. */
const LONGEST_REMEMBERED = 16 * 1024;

/** What is known of a block: in a list of all that are on screen, in screen order. */
interface Slot {
  readonly id: string;
  shown: boolean;
  prev: Slot | null;
  next: Slot | null;
  /** A blank line stands before it. */
  gap: boolean;
  quiet: boolean;
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

/** Keeps Neovim's picture of a transcript: told what changed, it gives the operations that bring the picture up to date. */
export class TranscriptView {
  readonly #transcript: Transcript;
  readonly #options: ViewOptions;
  #context: RenderContext;
  readonly #slots = new Map<string, Slot>();
  #tail: Slot | null = null;
  /** Blocks to look at: `touched` ones changed, of the others there is more to send. */
  readonly #dirty = new Map<string, 'touched' | 'more'>();
  /** The dirty blocks, last on screen first; `null`: to be sorted anew. */
  #queue: string[] | null = null;
  #removed: string[] = [];
  #ops: Op[] = [];
  #left: Budget = DEFAULT_BUDGET;

  constructor(transcript: Transcript, options: ViewOptions) {
    this.#transcript = transcript;
    this.#options = options;
    this.#context = {
      columns: options.columns,
      toolRows: options.toolRows,
      icons: ICONS[options.icons],
      cwd: transcript.cwd,
      terminals: transcript.terminals,
    };
  }

  /** Blocks changed, or are new. */
  touch(...ids: string[]): void {
    for (const id of ids) {
      if (!this.#dirty.has(id)) this.#queue = null;
      this.#dirty.set(id, 'touched');
    }
  }

  /** A block is gone. */
  remove(id: string): void {
    const slot = this.#slots.get(id);
    this.#slots.delete(id);
    if (this.#dirty.delete(id)) this.#queue = null;
    if (!slot?.shown) return;
    this.#removed.push(id);
    this.#unlink(slot);
  }

  /** The window has another width. */
  resize(columns: number): void {
    if (columns === this.#context.columns) return;
    this.#context = { ...this.#context, columns };
    for (const id of this.#slots.keys()) {
      const kind = this.#transcript.blocks.get(id)?.kind;
      if (kind === 'tool' || kind === 'turn') this.touch(id);
    }
  }

  /** There are operations to take. */
  get pending(): boolean {
    return this.#dirty.size > 0 || this.#removed.length > 0;
  }

  /** Operations for what changed, from top to bottom, at most about `budget`; what is left stays `pending`. */
  take(budget: Budget = DEFAULT_BUDGET): Op[] {
    this.#ops = this.#removed.map((id) => ({ op: 'del', id }));
    this.#removed = [];
    this.#left = { ...budget };
    while (this.#left.bytes > 0 && this.#left.lines > 0) {
      this.#queue ??= this.#sorted();
      const id = this.#queue.at(-1);
      if (id === undefined || !this.#update(id)) break;
    }
    return this.#ops;
  }

  /** All blocks as if nothing had been sent yet. */
  full(): PutOp[] {
    const fresh = new TranscriptView(this.#transcript, {
      ...this.#options,
      columns: this.#context.columns,
    });
    for (const id of this.#transcript.order) fresh.touch(id);
    return fresh.take({ bytes: Infinity, lines: Infinity }) as PutOp[];
  }

  #sorted(): string[] {
    const place = (id: string): number => this.#transcript.index.get(id) ?? -1;
    return [...this.#dirty.keys()].sort((a, b) => place(b) - place(a));
  }

  /** Sends what is to be sent of the first dirty block; false when there is no room for it. */
  #update(id: string): boolean {
    const block = this.#transcript.blocks.get(id);
    const slot = this.#slots.get(id) ?? newSlot(id);
    if (!block) {
      this.#settled(id);
      this.#hide(slot);
      this.#slots.delete(id);
      return true;
    }
    this.#slots.set(id, slot);
    if (this.#misplaced(slot)) this.#hide(slot);
    if (slot.split && this.#dirty.get(id) === 'more') {
      this.#emit(slot.split.next(this.#left), slot);
      this.#continue(slot);
      return true;
    }
    const rendered = render(block, this.#context);
    return rendered.text
      ? this.#grow(slot, block.kind, rendered, rendered.text)
      : this.#replace(slot, block.kind, rendered);
  }

  /** A block of which all is known. */
  #replace(slot: Slot, kind: string, rendered: Rendered): boolean {
    slot.follower = null;
    const { page } = rendered;
    if (page.lines.length === 0) {
      this.#settled(slot.id);
      this.#hide(slot);
      return true;
    }
    const prev = this.#before(slot);
    const quiet = rendered.quiet === true;
    const gap = gapBetween(prev, quiet);
    const op = putOp(slot.id, kind, rendered, gap);
    const print = JSON.stringify(op);
    if (print === slot.sent && !slot.split) {
      this.#settled(slot.id);
      return true;
    }
    if (this.#ops.length > 0 && !this.#fits(print.length, op.lines.length)) return false;

    slot.sent = print.length <= LONGEST_REMEMBERED ? print : null;
    slot.split = new Split(op);
    const first = slot.split.first(this.#left);
    if (!slot.shown && prev) first.after = prev.id;
    this.#emit(first, slot);
    this.#link(slot, prev, gap, quiet);
    this.#continue(slot);
    return true;
  }

  #fits(bytes: number, lines: number): boolean {
    return bytes <= this.#left.bytes && lines <= this.#left.lines;
  }

  #continue(slot: Slot): void {
    if (slot.split?.done === false) this.#dirty.set(slot.id, 'more');
    else {
      slot.split = null;
      this.#settled(slot.id);
    }
  }

  /** A block with a text that grows: what came is appended. */
  #grow(
    slot: Slot,
    kind: string,
    rendered: Rendered,
    text: NonNullable<Rendered['text']>,
  ): boolean {
    slot.sent = null;
    slot.split = null;
    const prev = this.#before(slot);
    const gap = gapBetween(prev, false);
    const head = JSON.stringify([gap, rendered.page]);
    let follower = slot.follower;
    const goesOn =
      follower?.log === text.log &&
      (!slot.shown || slot.head === head) &&
      (!follower.closed || (follower.exhausted && text.ended));
    if (!follower || !goesOn) {
      follower = slot.follower = new Follower(text);
      slot.stale = true;
    }
    slot.head = head;
    const growth = follower.next(this.#left, text.ended);
    const down = (gap ? 1 : 0) + rendered.page.lines.length;
    if (follower.exhausted) this.#settled(slot.id);
    else this.#dirty.set(slot.id, 'more');

    const grown = decoration(growth, down);
    if (slot.shown && !slot.stale) {
      if (!growth.text && !grown.fences) return true;
      const facts = decoration(rendered.page, gap ? 1 : 0).facts ?? [];
      const again = facts.filter((fact) => fact.row === slot.rows - 1);
      const op: Op = { op: 'append', id: slot.id, text: growth.text, ...grown };
      this.#emit(again.length > 0 ? { ...op, facts: again } : op, slot);
    } else if (growth.text) {
      const op = putOp(slot.id, kind, rendered, gap);
      op.lines = op.lines.concat(growth.text.split('\n'));
      op.marks = op.marks.concat(grown.marks);
      if (grown.fences) op.fences = grown.fences;
      if (!slot.shown && prev) op.after = prev.id;
      this.#emit(op, slot);
      this.#link(slot, prev, gap, false);
    } else if (follower.exhausted) this.#hide(slot);
    return true;
  }

  #emit(op: PutOp | AppendOp, slot: Slot): void {
    this.#ops.push(op);
    const text = op.op === 'put' ? op.lines.join('\n') : op.text;
    let breaks = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++;
    slot.rows = op.op === 'put' ? breaks + 1 : slot.rows + breaks;
    this.#left.bytes -= byteLength(text);
    this.#left.lines -= op.op === 'put' ? breaks + 1 : breaks;
  }

  #settled(id: string): void {
    this.#dirty.delete(id);
    if (this.#queue?.at(-1) === id) this.#queue.pop();
    else this.#queue = null;
  }

  /** The block on screen behind which this one stands. */
  #before(slot: Slot): Slot | null {
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
  #misplaced(slot: Slot): boolean {
    const place = (other: Slot | null): number | undefined =>
      other ? this.#transcript.index.get(other.id) : undefined;
    const here = place(slot) ?? 0;
    return slot.shown && ((place(slot.prev) ?? -1) > here || (place(slot.next) ?? Infinity) < here);
  }

  #link(slot: Slot, prev: Slot | null, gap: boolean, quiet: boolean): void {
    slot.gap = gap;
    slot.quiet = quiet;
    slot.stale = false;
    if (!slot.shown) {
      slot.shown = true;
      slot.prev = prev;
      slot.next = prev ? prev.next : this.#first();
      if (prev) prev.next = slot;
      if (slot.next) slot.next.prev = slot;
      else this.#tail = slot;
    }
    this.#checkGap(slot.next);
  }

  /** The first block on screen, looked for from behind: only needed when one comes before it. */
  #first(): Slot | null {
    let slot = this.#tail;
    while (slot?.prev) slot = slot.prev;
    return slot;
  }

  #hide(slot: Slot): void {
    if (!slot.shown) return;
    this.#ops.push({ op: 'del', id: slot.id });
    this.#unlink(slot);
  }

  #unlink(slot: Slot): void {
    if (slot.prev) slot.prev.next = slot.next;
    if (slot.next) slot.next.prev = slot.prev;
    else this.#tail = slot.prev;
    const { next } = slot;
    Object.assign(slot, newSlot(slot.id));
    this.#checkGap(next);
  }

  /** Blocks stand apart or together with the one before them: when that changes, so does their first line. */
  #checkGap(slot: Slot | null): void {
    if (slot && slot.gap !== gapBetween(slot.prev, slot.quiet)) this.touch(slot.id);
  }
}

function newSlot(id: string): Slot {
  return {
    id,
    shown: false,
    prev: null,
    next: null,
    gap: false,
    quiet: false,
    rows: 0,
    sent: null,
    follower: null,
    head: '',
    stale: false,
    split: null,
  };
}

function gapBetween(prev: Slot | null, quiet: boolean): boolean {
  return prev !== null && !(prev.quiet && quiet);
}

function putOp(
  id: string,
  kind: string,
  { page, foldable, question }: Rendered,
  gap: boolean,
): PutOp {
  return {
    op: 'put',
    id,
    kind,
    lines: gap ? ['', ...page.lines] : [...page.lines],
    ...decoration(page, gap ? 1 : 0),
    ...(foldable && { foldable }),
    ...(question !== undefined && { question }),
  };
}
