/** Blocks under others are shifted to the right, with a bar before each line. */
import { byteLength } from '../text';
import type { Decoration, Mark } from './ops';
import { Page } from './page';

const GROUP = 'AcpSubagentBar';

export class Indent {
  /** Columns that it takes. */
  readonly columns: number;
  readonly #text: string;
  /** On a line that holds nothing else. */
  readonly blank: string;

  constructor(depth: number, bar: string) {
    this.#text = `${bar} `.repeat(depth);
    this.blank = this.#text.trimEnd();
    this.columns = 2 * depth;
  }

  lines(lines: readonly string[]): string[] {
    return lines.map((line) => (line === '' ? this.blank : this.#text + line));
  }

  page(page: Page): Page {
    const shifted = new Page();
    shifted.lines.push(...this.lines(page.lines));
    const { marks, facts = [] } = this.decoration({ marks: page.marks, facts: page.facts });
    shifted.marks.push(...this.barred(0, page.lines, marks));
    shifted.facts.push(...facts);
    shifted.links.push(...page.links);
    return shifted;
  }

  /** Text that goes on behind the last line, with a bar before each new one. */
  growth(text: string): string {
    const [first = '', ...more] = text.split('\n');
    return [first, ...this.lines(more)].join('\n');
  }

  /** Marks of lines from a row on with those of their bars, in the order of their rows. */
  barred(row: number, lines: readonly unknown[], marks: readonly Mark[] = []): Mark[] {
    const end = byteLength(this.blank);
    const bars = lines.map((_, i): Mark => [row + i, 0, end, GROUP]);
    return [...bars, ...marks].sort(([one], [other]) => one - other);
  }

  decoration({ marks, facts, fences, ...rest }: Decoration): Decoration {
    const by = byteLength(this.#text);
    return {
      ...rest,
      marks: marks.map(([row, from, to, group]): Mark => {
        return to === -1 ? [row, from, to, group] : [row, from + by, to + by, group];
      }),
      ...(facts && {
        facts: facts.map((fact) => (fact.spin ? { ...fact, col: (fact.col ?? 0) + by } : fact)),
      }),
      ...(fences && { fences: fences.map((fence) => ({ ...fence, indent: fence.indent + by })) }),
    };
  }
}
