import { inlineSpans } from './inline';
import type { Fence, Mark } from './ops';
import { TextStream, type Decorator, type GrowingLine } from './stream';
import { byteColumns } from '../text';

const FENCE = /^(\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?)(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}>/;
const LIST = /^(\s*(?:>\s?)*)([-*+]|\d{1,9}[.)])(?:\s+(\[[ xX]\](?=\s|$))?|$)/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

interface OpenFence {
  sign: string;
  length: number;
  indent: number;
  row: number;
  lang: string;
}

/**
 * Marks Markdown line by line, as much of CommonMark as can be seen in one line: enough for what agents write,
 * and the cost of a line is the length of the line. The text itself is never changed.
 */
class MarkdownLines implements Decorator {
  #fence: OpenFence | null = null;

  mark(line: GrowingLine): Mark[] {
    const { row, text, bytes } = line;
    if (line.long || !text) return [];
    if (this.#fence) return this.#closes(text) ? [[row, 0, bytes, 'AcpFence']] : [];
    if (opening(line)) return [[row, 0, bytes, 'AcpFence']];
    if (RULE.test(text)) return [[row, 0, bytes, 'AcpRule']];
    if (text.includes('|') && TABLE_RULE.test(text)) return [[row, 0, bytes, 'AcpTableBorder']];

    const column = byteColumns(text);
    const marks: Mark[] = [];
    const add = (from: number, to: number, group: string): void => {
      marks.push([row, column(from), column(to), group]);
    };
    if (HEADING.test(text)) add(0, text.length, 'AcpHeading');
    if (QUOTE.test(text)) add(0, text.length, 'AcpQuote');
    const start = markListItem(text, add);
    const table = text.trimStart().startsWith('|');
    for (const [from, to, group] of inlineSpans(text, start, table)) add(from, to, group);
    return marks;
  }

  end(line: GrowingLine): Fence | null {
    if (!this.#fence) {
      this.#fence = opening(line);
      return null;
    }
    if (line.long || !this.#closes(line.text)) return null;
    const fence = this.#upTo(line.row - 1);
    this.#fence = null;
    return fence;
  }

  open(line: GrowingLine, ended: boolean): Fence | null {
    if (!this.#fence) return null;
    const closes = !ended && !line.long && this.#closes(line.text);
    return this.#upTo(closes ? line.row - 1 : line.row);
  }

  #closes(text: string): boolean {
    const match = FENCE.exec(text);
    const fence = this.#fence!;
    return (
      match !== null &&
      match[1]!.trim() === '' &&
      match[1]!.length <= fence.indent + 3 &&
      match[2]!.startsWith(fence.sign) &&
      match[2]!.length >= fence.length &&
      match[3]!.trim() === ''
    );
  }

  /** The open fence with its content, unless it has none. */
  #upTo(last: number): Fence | null {
    const { row, lang, indent } = this.#fence!;
    return last > row ? { first: row + 1, last, lang, indent } : null;
  }
}

function opening(line: GrowingLine): OpenFence | null {
  const match = line.long ? null : FENCE.exec(line.text);
  if (!match) return null;
  const [, indent, signs, info] = match as unknown as [string, string, string, string];
  const sign = signs.charAt(0);
  if (sign === '`' && info.includes('`')) return null;
  const lang = /[^\s{}.,][^\s{},]*/.exec(info)?.[0] ?? '';
  return { sign, length: signs.length, indent: indent.length, row: line.row, lang };
}

/** Marks bullet or number and the box of a task; returns where the item's text begins. */
function markListItem(
  text: string,
  add: (from: number, to: number, group: string) => void,
): number {
  const item = LIST.exec(text);
  if (!item) return 0;
  const [whole, indent, marker, box] = item;
  add(indent!.length, indent!.length + marker!.length, 'AcpListMarker');
  if (box) {
    const group = box === '[ ]' ? 'AcpListMarker' : 'AcpPlanDone';
    add(whole.length - box.length, whole.length, group);
  }
  return whole.length;
}

/** Markdown as it arrives: marks, and each fence once when it closes. */
export class MarkdownStream extends TextStream {
  constructor() {
    super(new MarkdownLines());
  }
}
