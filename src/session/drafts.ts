/**
 * What an agent says as a draft first: each turn of its own has drafts, and in the end the text that takes their place.
 * Tool calls may stand between the drafts of a turn; the text is then put where its parts were drafted.
 */
import type { Content } from '../acp/events';
import type { Blocks } from './blocks';
import { TextLog, type MessageBlock } from './model';

/** What was said in a turn. */
interface Said {
  /** The blocks that hold it, in their order. */
  blocks: string[];
  final: boolean;
}

export class Drafts {
  readonly #blocks: Blocks;
  /** By the agent's own number; by the negative of ours where it gives none. */
  readonly #turns = new Map<number, Said>();
  /** Of the turn that runs, or was the last. */
  #count = 1;

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  turnStarted(): void {
    this.#count++;
  }

  /** A piece of a draft. One that comes when the final text is there says nothing new. */
  draft(turn: number | null, content: Content, now: number): void {
    const said = this.#said(turn);
    const text = textOf(content);
    if (said.final || text === '') return;
    const last = this.#blocks.last();
    if (last?.kind === 'message' && !last.done && last.id === said.blocks.at(-1)) {
      last.text.push(text);
      this.#blocks.touch(last.id);
      return;
    }
    const start = text.replace(/^\s*\n/, '');
    if (start === '') return;
    said.blocks.push(this.#add(null, start, now, 'live').id);
  }

  /** All that the agent says in a turn, in place of what it has drafted. */
  final(turn: number | null, messageId: string | null, content: Content, now: number): void {
    const said = this.#said(turn);
    const drafts = said.blocks.flatMap((id) => this.#blocks.get(id, 'message') ?? []);
    const text = textOf(content);
    said.final = true;
    if (drafts.length === 0) {
      said.blocks = text.trim() === '' ? [] : [this.#add(messageId, text, now, null).id];
      return;
    }
    const parts = placed(
      text,
      drafts.map((draft) => draft.text.toString()),
    );
    said.blocks = [];
    drafts.forEach((block, i) => {
      const part = parts[i]!;
      if (part.trim() === '') {
        this.#blocks.remove(block.id);
      } else {
        Object.assign(block, { messageId, text: new TextLog(part), done: true, draft: null });
        said.blocks.push(block.id);
      }
      this.#blocks.touch(block.id);
    });
  }

  /** What has stayed a draft may stay one for ever: it is all that is known. */
  turnEnded(): void {
    for (const { blocks, final } of this.#turns.values()) {
      for (const id of final ? [] : blocks) {
        const block = this.#blocks.get(id, 'message');
        if (block?.draft !== 'live') continue;
        block.draft = 'left';
        this.#blocks.touch(id);
      }
    }
  }

  /** The agent counts its turns anew. */
  forget(): void {
    this.turnEnded();
    this.#turns.clear();
  }

  #said(turn: number | null): Said {
    const key = turn ?? -this.#count;
    const known = this.#turns.get(key);
    if (known) return known;
    const said: Said = { blocks: [], final: false };
    this.#turns.set(key, said);
    return said;
  }

  #add(messageId: string | null, text: string, now: number, draft: 'live' | null): MessageBlock {
    const log = new TextLog(text);
    const block = { kind: 'message', messageId, text: log, done: draft === null, draft } as const;
    return this.#blocks.add<MessageBlock>(block, now);
  }
}

function textOf(content: Content): string {
  return content.type === 'text' ? content.text : content.label;
}

/** Parts of a text, one for each draft: what the draft said, where the text goes on like it; else all stands in the last. */
function placed(text: string, drafts: string[]): string[] {
  const cuts = [0];
  for (const draft of drafts.slice(0, -1)) {
    const end = endOf(draft, text, cuts.at(-1)!);
    if (end === null) return [...drafts.slice(0, -1).map(() => ''), text];
    cuts.push(end);
  }
  return cuts.map((from, i) => text.slice(from, cuts[i + 1]));
}

const WORDS = /[\p{L}\p{N}]/gu;
const SIGNS = /^[^\p{L}\p{N}\s]*/u;
const LAST_SIGNS = /([^\p{L}\p{N}\s]*)\s*$/u;

/**
 * Where in a text, behind `from`, that ends which a draft says; null: it says something else. Only letters and digits
 * count: a draft that was read off a screen lacks marks and has other line breaks.
 */
function endOf(draft: string, text: string, from: number): number | null {
  const sign = new RegExp(WORDS);
  sign.lastIndex = from;
  for (const [drafted] of draft.matchAll(WORDS)) {
    if (sign.exec(text)?.[0] !== drafted) return null;
  }
  const end = sign.lastIndex;
  const signs = SIGNS.exec(text.slice(end))![0];
  const last = LAST_SIGNS.exec(draft)![1]!;
  // `**so**.` was drafted as `so.`: marks that close stand before the last sign, marks that open what follows behind it.
  if (signs.includes(last)) return end + signs.indexOf(last) + last.length;
  return end;
}
