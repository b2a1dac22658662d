import type { Decoration, Fact, Fence, Link, Mark } from './ops';
import { byteLength } from '../text';

/** A piece of a line: text alone, or with its highlight group. */
export type Piece = string | readonly [text: string, group: string];

/** A line with what belongs to it; columns in bytes. */
export interface StyledLine {
  text: string;
  spans: [from: number, to: number, group: string][];
  link?: Omit<Link, 'row'>;
}

/** Lines and decoration of a block, written from top to bottom: all lists are in the order of their rows. */
export class Page {
  readonly lines: string[] = [];
  readonly marks: Mark[] = [];
  readonly facts: Fact[] = [];
  readonly links: Link[] = [];

  /** Adds a line and returns its row. */
  line(...pieces: Piece[]): number {
    const row = this.lines.length;
    let text = '';
    let column = 0;
    for (const piece of pieces) {
      const [part, group] = typeof piece === 'string' ? [piece, null] : piece;
      const end = column + byteLength(part);
      if (group !== null && end > column) this.marks.push([row, column, end, group]);
      text += part;
      column = end;
    }
    this.lines.push(text);
    return row;
  }

  /** Adds a styled line behind `indent` spaces. */
  styled(line: StyledLine, indent: number): number {
    const row = this.lines.length;
    this.lines.push(line.text && ' '.repeat(indent) + line.text);
    for (const [from, to, group] of line.spans) {
      if (to > from) this.marks.push([row, from + indent, to + indent, group]);
    }
    if (line.link) this.links.push({ row, ...line.link });
    return row;
  }
}

/** Decoration with its rows moved down, and without what is empty. */
export function decoration(
  parts: { marks: Mark[]; facts?: Fact[]; fences?: Fence[]; links?: Link[] },
  down: number,
): Decoration {
  const moved: Decoration = {
    marks: parts.marks.map(([row, from, to, group]) => [row + down, from, to, group]),
  };
  if (parts.facts?.length)
    moved.facts = parts.facts.map((fact) => ({ ...fact, row: fact.row + down }));
  if (parts.fences?.length) {
    moved.fences = parts.fences.map((fence) => ({
      ...fence,
      first: fence.first + down,
      last: fence.last + down,
    }));
  }
  if (parts.links?.length)
    moved.links = parts.links.map((link) => ({ ...link, row: link.row + down }));
  return moved;
}
