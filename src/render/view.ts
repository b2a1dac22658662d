import type { Block, Transcript } from '../session/model';
import { above, endOf } from '../session/nesting';
import { render, type RenderContext, type Rendered } from './blocks';
import { Follower, type Budget } from './growth';
import { ICONS } from './icons';
import { Indent } from './indent';
import type { AppendOp, Op, PutOp } from './ops';
import { decoration, Page } from './page';
import { gapBetween, newSlot, SlotList, type Slot } from './slots';
import { Split } from './split';
import { byteLength } from '../text';

export interface ViewOptions {
  columns: number;
  toolRows: number;
  icons: 'unicode' | 'nerd' | 'ascii';
}

/** What stands deeper is shifted no further. */
const DEEPEST = 8;

const DEFAULT_BUDGET: Budget = { bytes: 32 * 1024, lines: 500 };
/** Kinds that are fitted to the width. */
const SIZED: ReadonlySet<string> = new Set(['tool', 'turn', 'subagent', 'letter']);
/** Of a text that takes the place of one on screen. */
const REPLACED: Budget = { bytes: 256 * 1024, lines: 4000 };
/** Place of a block that is gone: it leaves when what took its place is there. */
const GONE = Number.MAX_SAFE_INTEGER;
/** Blocks whose operation is longer than this are sent again even if nothing about them changed. */
const LONGEST_REMEMBERED = 16 * 1024;

/** Keeps Neovim's picture of a transcript: told what changed, it gives the operations that bring the picture up to date. */
export class TranscriptView {
  readonly #transcript: Transcript;
  readonly #options: ViewOptions;
  #context: RenderContext;
  readonly #slots = new Map<string, Slot>();
  readonly #list: SlotList;
  /** Blocks to look at: `touched` ones changed, of the others there is more to send. */
  readonly #dirty = new Map<string, 'touched' | 'more'>();
  /** The dirty blocks, last on screen first; `null`: to be sorted anew. */
  #queue: string[] | null = null;
  #removed: string[] = [];
  #ops: Op[] = [];
  #left: Budget = DEFAULT_BUDGET;

  constructor(transcript: Transcript, options: ViewOptions) {
    this.#transcript = transcript;
    this.#list = new SlotList(transcript, this.#slots);
    this.#options = options;
    this.#context = {
      columns: options.columns,
      toolRows: options.toolRows,
      icons: ICONS[options.icons],
      cwd: transcript.cwd,
      terminals: transcript.terminals,
      transcript,
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
      if (kind !== undefined && SIZED.has(kind)) this.touch(id);
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
    const place = (id: string): number => this.#transcript.index.get(id) ?? GONE;
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
    if (this.#list.misplaced(slot)) this.#hide(slot);
    if (slot.split && this.#dirty.get(id) === 'more') {
      this.#emit(slot.split.next(this.#left), slot);
      this.#continue(slot);
      return true;
    }
    const rendered = this.#render(block);
    slot.parent = block.parent ?? null;
    this.#lookBelow(slot, block);
    return rendered.text
      ? this.#grow(slot, block.kind, rendered, rendered.text)
      : this.#replace(slot, block.kind, rendered);
  }

  /** A block as it is to be seen; what stands under a folded one is not, unless it asks something. */
  #render(block: Block): Rendered {
    const { icons, columns } = this.#context;
    let depth = 0;
    let folded = false;
    for (const it of above(this.#transcript, block)) {
      depth++;
      folded ||= !('expanded' in it && it.expanded);
    }
    if (depth === 0) return safely(block, this.#context);
    if (folded && !(block.kind === 'tool' && block.question)) return { page: new Page() };
    const indent = new Indent(Math.min(depth, DEEPEST), icons.nested);
    const context = { ...this.#context, columns: columns - indent.columns };
    const rendered = safely(block, context);
    // What can't be folded folds what it stands under.
    const foldable = rendered.foldable === true || !('expanded' in block);
    return { ...rendered, page: indent.page(rendered.page), indent, foldable };
  }

  /** What stands under a block is looked at when that is folded or unfolded, or called otherwise: questions name it. */
  #lookBelow(slot: Slot, block: Block): void {
    const open = 'expanded' in block && block.expanded;
    const title = 'title' in block ? block.title : null;
    const turned = slot.open !== null && slot.open !== open;
    const renamed = slot.open !== null && slot.title !== title;
    if ((turned || renamed) && this.#transcript.nested.has(block.id)) {
      const { order, index, blocks } = this.#transcript;
      const below = order.slice(index.get(block.id)! + 1, endOf(this.#transcript, block.id));
      const asks = (id: string): boolean => {
        const it = blocks.get(id);
        return it?.kind === 'tool' && it.question !== null;
      };
      this.touch(...(turned ? below : below.filter(asks)));
    }
    slot.open = open;
    slot.title = title;
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
    const prev = this.#list.before(slot);
    const quiet = rendered.quiet === true;
    const gap = gapBetween(prev, { quiet, parent: slot.parent });
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
    const prev = this.#list.before(slot);
    const gap = gapBetween(prev, { quiet: false, parent: slot.parent });
    const head = JSON.stringify([gap, rendered.page]);
    let follower = slot.follower;
    const goesOn =
      follower?.log === text.log &&
      follower.style === text.style &&
      (!slot.shown || slot.head === head) &&
      (!follower.closed || (follower.exhausted && text.ended));
    if (!follower || !goesOn) {
      follower = slot.follower = new Follower(text);
      slot.stale = true;
    }
    slot.head = head;
    const growth = follower.next(this.#room(slot), text.ended);
    const down = (gap ? 1 : 0) + rendered.page.lines.length;
    if (follower.exhausted) this.#settled(slot.id);
    else this.#dirty.set(slot.id, 'more');

    const { indent } = rendered;
    const plain = decoration(growth, down);
    const grown = indent ? indent.decoration(plain) : plain;
    if (slot.shown && !slot.stale) {
      if (!growth.text && !grown.fences) return true;
      const text = indent ? indent.growth(growth.text) : growth.text;
      if (indent) grown.marks = indent.barred(slot.rows - 1, text.split('\n'), grown.marks);
      const facts = decoration(rendered.page, gap ? 1 : 0).facts ?? [];
      const again = facts.filter((fact) => fact.row === slot.rows - 1);
      const op: Op = { op: 'append', id: slot.id, text, ...grown };
      this.#emit(again.length > 0 ? { ...op, facts: again } : op, slot);
    } else if (growth.text) {
      const op = putOp(slot.id, kind, rendered, gap);
      const lines = growth.text.split('\n');
      const marks = indent?.barred(op.lines.length, lines, grown.marks) ?? grown.marks;
      op.lines = op.lines.concat(indent ? indent.lines(lines) : lines);
      op.marks = op.marks.concat(marks);
      if (grown.fences) op.fences = grown.fences;
      if (!slot.shown && prev) op.after = prev.id;
      this.#emit(op, slot);
      this.#link(slot, prev, gap, false);
    } else if (follower.exhausted) this.#hide(slot);
    return true;
  }

  /** A text that takes the place of another does so at once: in pieces, the screen would shrink and grow again. */
  #room({ shown, stale }: Slot): Budget {
    if (!shown || !stale) return this.#left;
    const { bytes, lines } = this.#left;
    return { bytes: Math.max(bytes, REPLACED.bytes), lines: Math.max(lines, REPLACED.lines) };
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

  #link(slot: Slot, prev: Slot | null, gap: boolean, quiet: boolean): void {
    slot.gap = gap;
    slot.quiet = quiet;
    slot.stale = false;
    if (!slot.shown) this.#list.insert(slot, prev);
    this.#checkGap(slot.next);
  }

  #hide(slot: Slot): void {
    if (!slot.shown) return;
    this.#ops.push({ op: 'del', id: slot.id });
    this.#unlink(slot);
  }

  #unlink(slot: Slot): void {
    const { next } = slot;
    this.#list.remove(slot);
    this.#checkGap(next);
  }

  /** Blocks stand apart or together with the one before them: when that changes, so does their first line. */
  #checkGap(slot: Slot | null): void {
    if (slot && slot.gap !== gapBetween(slot.prev, slot)) this.touch(slot.id);
  }
}

/** A block that cannot be drawn says so; it never keeps the others from the screen. */
function safely(block: Block, context: RenderContext): Rendered {
  try {
    return render(block, context);
  } catch (error) {
    const label = `${block.kind}: cannot be shown (${String(error)})`;
    return render(
      { id: block.id, kind: 'unknown', label, payload: null, expanded: false },
      context,
    );
  }
}

function putOp(
  id: string,
  kind: string,
  { page, foldable, question, actions, indent }: Rendered,
  gap: boolean,
): PutOp {
  const { marks, ...rest } = decoration(page, gap ? 1 : 0);
  return {
    op: 'put',
    id,
    kind,
    lines: gap ? [indent?.blank ?? '', ...page.lines] : [...page.lines],
    marks: gap && indent ? [...indent.barred(0, ['']), ...marks] : marks,
    ...rest,
    ...(foldable && { foldable }),
    ...(question !== undefined && { question }),
    ...(actions && { actions }),
  };
}
