import type { Decoration, Op } from '../../src/render/ops';
import {
  newTranscript,
  TextLog,
  type Block,
  type MessageBlock,
  type ToolBlock,
  type Transcript,
} from '../../src/session/model';

interface Shown {
  id: string;
  kind: string;
  lines: string[];
  marks: unknown[][];
  facts: { row: number }[];
  fences: unknown[];
  links: unknown[];
  foldable: boolean;
  question: string | null;
}

/** What Neovim makes of operations, as far as it can be seen. */
export class Screen {
  blocks: Shown[] = [];

  apply(ops: Op[]): this {
    for (const op of ops) this.#apply(op);
    return this;
  }

  get text(): string {
    return this.blocks.flatMap((block) => block.lines).join('\n');
  }

  /** Texts of the marks of a group, in order. */
  marked(group: string): string[] {
    return this.blocks.flatMap(({ lines, marks }) =>
      (marks as [number, number, number, string][])
        .filter((mark) => mark[3] === group)
        .map(([row, from, to]) => {
          const bytes = Buffer.from(lines[row]!);
          return bytes.subarray(from, to === -1 ? bytes.length : to).toString();
        }),
    );
  }

  facts(id: string): string[] {
    const facts = this.blocks.find((block) => block.id === id)!.facts as Decoration['facts'];
    return facts!.flatMap(({ right }) => (right ? [right.map(([text]) => text).join('')] : []));
  }

  #apply(op: Op): void {
    const at = this.blocks.findIndex((block) => block.id === op.id);
    if (op.op === 'del') {
      if (at < 0) throw new Error(`no block ${op.id} to delete`);
      this.blocks.splice(at, 1);
      return;
    }
    if (op.op === 'put') {
      const block: Shown = {
        id: op.id,
        kind: op.kind,
        lines: [...op.lines],
        marks: [],
        facts: [],
        fences: [],
        links: [],
        foldable: op.foldable ?? false,
        question: op.question ?? null,
      };
      if (at >= 0) this.blocks[at] = block;
      else this.blocks.splice(this.#behind(op.after), 0, block);
      decorate(block, op);
      return;
    }
    const block = this.blocks[at];
    if (!block) throw new Error(`no block ${op.id} to append to`);
    const last = block.lines.length - 1;
    block.marks = block.marks.filter(([row]) => row !== last);
    block.facts = block.facts.filter(({ row }) => row !== last);
    const [first, ...rest] = op.text.split('\n') as [string, ...string[]];
    block.lines[last] += first;
    block.lines = block.lines.concat(rest);
    decorate(block, op);
  }

  #behind(after: string | undefined): number {
    if (after === undefined) return 0;
    const at = this.blocks.findIndex((block) => block.id === after);
    if (at < 0) throw new Error(`no block ${after} to stand behind`);
    return at + 1;
  }
}

function decorate(block: Shown, { marks, facts, fences, links }: Decoration): void {
  for (const [row, from, to] of marks) {
    const line = block.lines[row];
    if (line === undefined) throw new Error(`mark on row ${row} of ${block.lines.length}`);
    const bytes = Buffer.byteLength(line);
    if (to !== -1 && (from >= to || to > bytes)) throw new Error(`mark ${from}-${to} on ${line}`);
  }
  block.marks.push(...marks);
  block.facts.push(...(facts ?? []));
  block.fences.push(...(fences ?? []));
  block.links.push(...(links ?? []));
}

export function transcript(...blocks: Block[]): Transcript {
  const made = newTranscript('/project');
  for (const block of blocks) add(made, block);
  return made;
}

export function add(made: Transcript, block: Block): void {
  made.index.set(block.id, made.order.length);
  made.order.push(block.id);
  made.blocks.set(block.id, block);
}

export function message(id: string, text: string, done = false): MessageBlock {
  return { id, kind: 'message', messageId: null, text: new TextLog(text), done };
}

export function tool(id: string, fields: Partial<ToolBlock> = {}): ToolBlock {
  return {
    id,
    kind: 'tool',
    toolCallId: id,
    title: '',
    toolKind: 'execute',
    status: 'completed',
    content: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    startedAt: null,
    endedAt: null,
    question: null,
    answer: null,
    asked: false,
    rejected: false,
    expanded: false,
    ...fields,
  };
}
