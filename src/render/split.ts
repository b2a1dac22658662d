import type { Budget } from './growth';
import type { AppendOp, PutOp } from './ops';

/** Sends a large block in parts: a `put` with its first rows, then `append`s. */
export class Split {
  readonly #op: PutOp;
  #row = 0;
  /** How many of each list have been sent; the lists are in the order of their rows. */
  #sent = { marks: 0, facts: 0, links: 0 };

  constructor(op: PutOp) {
    this.#op = op;
  }

  get done(): boolean {
    return this.#row >= this.#op.lines.length;
  }

  first(budget: Budget): PutOp {
    const { id, kind, lines, foldable, question, actions } = this.#op;
    return {
      op: 'put',
      id,
      kind,
      lines: lines.slice(0, this.#end(budget)),
      ...this.#decoration(),
      ...(foldable && { foldable }),
      ...(actions && { actions }),
      ...(question !== undefined && { question }),
    };
  }

  next(budget: Budget): AppendOp {
    const from = this.#row;
    const text = `\n${this.#op.lines.slice(from, this.#end(budget)).join('\n')}`;
    const part = this.#decoration();
    // The marks and facts of what was the last line are replaced: they go along again.
    const marks = this.#op.marks.filter((mark) => mark[0] === from - 1);
    const facts = (this.#op.facts ?? []).filter((fact) => fact.row === from - 1);
    const append: AppendOp = { op: 'append', id: this.#op.id, text, ...part };
    append.marks = marks.concat(part.marks);
    if (facts.length > 0) append.facts = facts.concat(part.facts ?? []);
    return append;
  }

  /** Goes on by as many rows as the budget allows, at least one. */
  #end({ bytes, lines }: Budget): number {
    const all = this.#op.lines;
    const limit = Math.min(all.length, this.#row + Math.max(1, lines));
    let size = 0;
    do size += all[this.#row++]!.length;
    while (this.#row < limit && size + all[this.#row]!.length <= bytes);
    return this.#row;
  }

  #decoration(): Pick<PutOp, 'marks' | 'facts' | 'links'> {
    const facts = this.#take('facts');
    const links = this.#take('links');
    return {
      marks: this.#take('marks'),
      ...(facts.length > 0 && { facts }),
      ...(links.length > 0 && { links }),
    };
  }

  #take<K extends 'marks' | 'facts' | 'links'>(key: K): NonNullable<PutOp[K]> {
    const list = (this.#op[key] ?? []) as (PutOp['marks'][0] | { row: number })[];
    const from = this.#sent[key];
    let to = from;
    const row = (item: (typeof list)[0]): number => (Array.isArray(item) ? item[0] : item.row);
    while (to < list.length && row(list[to]!) < this.#row) to++;
    this.#sent[key] = to;
    return list.slice(from, to) as NonNullable<PutOp[K]>;
  }
}
