/** The tool calls of a transcript: which card is whose, what changes on it, and the questions that it holds. */
import { isDeepStrictEqual } from 'node:util';
import { capped, cappedText } from '../acp/cap';
import { object } from '../acp/coerce';
import type { PermissionOption, ToolCallPatch } from '../acp/events';
import type { Blocks, Draft } from './blocks';
import type { ToolBlock, ToolContent, ToolStatus } from './model';
import { isSameCall } from './same-call';
import type { TerminalCards } from './terminal-cards';
import { isFinal } from './turn-summary';

/** How the id of a card begins that no call is known for, only a question: its agent won't tell any more of it. */
const OURS = 'question:';

/** Characters of each text in what a tool itself gave: the most of it is in the output, too. */
const RESPONSE_CAP = 16 * 1024;

export class ToolCalls {
  readonly #blocks: Blocks;
  readonly #terminals: TerminalCards;
  /** Tool call id → its block, and the turn and the time that it was first seen in. */
  readonly #calls = new Map<string, { block: string; turn: number; since: number }>();
  /** Blocks of calls without a final status. */
  readonly #unfinished = new Set<string>();
  /** Blocks of calls of which nothing is known but a question. */
  readonly #onlyAsked = new Set<string>();
  #turn = 0;

  constructor(blocks: Blocks, terminals: TerminalCards) {
    this.#blocks = blocks;
    this.#terminals = terminals;
  }

  turnStarted(): void {
    this.#turn++;
  }

  /** The calls that were first seen in the present turn. */
  ofTurn(): ToolBlock[] {
    return [...this.#calls.values()]
      .filter(({ turn }) => turn === this.#turn)
      .flatMap(({ block }) => this.#blocks.get(block, 'tool') ?? []);
  }

  /** The card of a call. */
  get(toolCallId: string): ToolBlock | undefined {
    const known = this.#calls.get(toolCallId);
    return known && this.#blocks.get(known.block, 'tool');
  }

  /** Takes what was said of a call. `fresh`: it may be the first word of it. */
  apply(patch: ToolCallPatch, fresh: boolean, now: number): ToolBlock {
    if (fresh && !this.#calls.has(patch.id)) this.#claim(patch);
    return this.#apply(patch, fresh, now);
  }

  /** A call that was asked about before it is told of, under another id, has that card. */
  #claim(patch: ToolCallPatch): void {
    const asked = this.#alike(patch, ({ id, rejected }) => this.#onlyAsked.has(id) && !rejected);
    const known = asked && this.#calls.get(asked.toolCallId);
    if (!known) return;
    this.#calls.delete(asked.toolCallId);
    this.#calls.set(patch.id, known);
    asked.toolCallId = patch.id;
  }

  /** The oldest card without an end of which the same was said. */
  #alike(
    said: Omit<ToolCallPatch, 'id'>,
    wanted: (tool: ToolBlock) => boolean,
  ): ToolBlock | undefined {
    for (const id of this.#unfinished) {
      const tool = this.#blocks.get(id, 'tool');
      if (tool && wanted(tool) && isSameCall(said, tool)) return tool;
    }
    return undefined;
  }

  #apply(patch: ToolCallPatch, fresh: boolean, now: number): ToolBlock {
    const known = this.#calls.get(patch.id);
    if (known) this.#onlyAsked.delete(known.block);
    let tool = known && this.#blocks.get(known.block, 'tool');
    if (tool && fresh && isFinal(tool.status) && known!.turn < this.#turn) {
      tool = undefined; // An id used again in a later turn is another call.
    }
    tool ??= this.#add(patch.id, now);
    if (patch.title !== undefined) tool.title = patch.title;
    if (patch.kind !== undefined) tool.toolKind = patch.kind;
    if (patch.locations !== undefined) tool.locations = patch.locations;
    if (patch.rawInput !== undefined) tool.rawInput = patch.rawInput;
    if (patch.rawOutput !== undefined) tool.rawOutput = patch.rawOutput;
    if (patch.response !== undefined) tool.response = capped(patch.response, RESPONSE_CAP);
    if (patch.append !== undefined) tool.content = withMore(tool.content, patch.append);
    if (patch.content !== undefined) {
      tool.content = tool.asked ? withAsked(patch.content, tool.content) : patch.content;
      this.#terminals.uses(tool);
    }
    if (patch.status !== undefined) tool.status = patch.status;
    if (isFinal(tool.status)) {
      // Some agents call a call pending until its end: it ran from its first word on, but if it waited for an answer.
      tool.startedAt ??= tool.asked ? now : (known?.since ?? now);
      tool.endedAt ??= now;
      this.#unfinished.delete(tool.id);
    } else {
      if (tool.status !== 'pending') tool.startedAt ??= now;
      tool.endedAt = null;
      this.#unfinished.add(tool.id);
    }
    this.#blocks.touch(tool.id);
    return tool;
  }

  /** Marks those that have no final status, of whatever turn: the agent won't tell any more, or shall not. */
  settle(status: 'cancelled' | 'ended', now: number): void {
    for (const id of this.#unfinished) {
      const tool = this.#blocks.get(id, 'tool');
      if (!tool) continue;
      tool.status = tool.answer !== null && tool.rejected ? 'cancelled' : status;
      tool.endedAt ??= now;
      this.#blocks.touch(id);
    }
    this.#unfinished.clear();
  }

  /** The call that a permission request is about; it may be the first word of it. */
  ofQuestion(question: string, patch: ToolCallPatch | null, now: number): ToolBlock {
    // Some agents put a running call back to `pending` in the request; the question itself says that it waits.
    const { id: named, ...fields } = patch ?? { id: `${OURS}${question}` };
    delete fields.status;
    const alike = this.#calls.has(named) ? undefined : this.#alike(fields, ({ asked }) => !asked);
    const id = alike?.toolCallId ?? named;
    const known = this.#calls.get(id);
    const before = known && this.#blocks.get(known.block, 'tool');
    const told = before?.rawInput;
    const tool = this.#apply({ id, ...fields }, true, now);
    if (tool !== before) this.#onlyAsked.add(tool.id);
    if (tool === before && isShortOf(tool.rawInput, told)) tool.rawInput = told;
    return tool;
  }

  /**
   * Puts a question on the card of its call; gives the card that holds it. `pieces`: the change that it is about, where
   * the call doesn't carry it itself.
   */
  asked(
    question: string,
    tool: ToolBlock,
    options: PermissionOption[],
    now: number,
    pieces: Omit<Extract<ToolContent, { type: 'diff' }>, 'type'>[] = [],
  ): ToolBlock {
    // One card holds one question: another about the same call gets a card of its own.
    const card = tool.question ? this.#addLike(tool, `${OURS}${question}`, now) : tool;
    card.question = { id: question, options };
    card.asked = true;
    card.answer = null;
    card.content = [
      ...card.content,
      ...pieces.map((piece) => ({ type: 'diff' as const, ...piece })),
    ];
    this.#blocks.touch(card.id);
    return card;
  }

  /** Puts lines on a card, of what is asked for or of what was answered; they take the place of those before. */
  asks(block: string, lines: string[]): void {
    const tool = this.#blocks.get(block, 'tool');
    if (!tool) return;
    tool.asks = lines;
    this.#blocks.touch(block);
  }

  /**
   * `option` null: it was cancelled. What was allowed runs from now on: some agents leave it `pending` until its end,
   * others call it running while they wait for the answer. `inTurn`: else a question that stands for itself is done by that.
   */
  answered(block: string, option: PermissionOption | null, now: number, inTurn: boolean): void {
    const tool = this.#blocks.get(block, 'tool');
    if (!tool?.question) return;
    tool.question = null;
    tool.answer = option?.name ?? 'cancelled';
    tool.rejected = option === null || option.kind.startsWith('reject');
    if (!isFinal(tool.status)) {
      const runs = !tool.rejected && !tool.toolCallId.startsWith(OURS);
      if (runs && tool.status === 'pending') tool.status = 'in_progress';
      tool.startedAt = runs ? now : null;
      if (!inTurn && runs && this.#onlyAsked.has(block)) this.#end(tool, 'completed', now);
    }
    this.#blocks.touch(block);
  }

  #end(tool: ToolBlock, status: ToolStatus, now: number): void {
    tool.status = status;
    tool.endedAt = now;
    this.#unfinished.delete(tool.id);
  }

  #addLike(tool: ToolBlock, toolCallId: string, now: number): ToolBlock {
    const { title, toolKind, content, locations, rawInput } = tool;
    const card = this.#add(toolCallId, now);
    Object.assign(card, { title, toolKind, content, locations, rawInput });
    this.#terminals.uses(card);
    return card;
  }

  #add(toolCallId: string, now: number): ToolBlock {
    const tool = this.#blocks.add(newTool(toolCallId), now);
    this.#calls.set(toolCallId, { block: tool.id, turn: this.#turn, since: now });
    this.#unfinished.add(tool.id);
    return tool;
  }
}

/** Output that came in pieces. */
function withMore(content: ToolContent[], text: string): ToolContent[] {
  const last = content.at(-1);
  if (last?.type !== 'text') return [...content, { type: 'text', text: cappedText(text) }];
  return [...content.slice(0, -1), { type: 'text', text: cappedText(last.text + text) }];
}

/** What an agent says in the end may be words alone: the change that the user was asked about stays to be seen. */
function withAsked(content: ToolContent[], before: ToolContent[]): ToolContent[] {
  const isDiff = ({ type }: ToolContent): boolean => type === 'diff';
  return content.some(isDiff) ? content : [...content, ...before.filter(isDiff)];
}

/** What is left of a text that was cut: its beginning. */
const CUT = /^(.*\S)\s*(?:…|\.\.\.|\[truncated\])$/s;

/**
 * Whether a question tells less of the input than the call did: some agents leave fields out, or cut long texts. What
 * differs in any other way is another input.
 */
function isShortOf(asked: unknown, told: unknown): boolean {
  const fields = object(asked);
  const known = object(told);
  if (!fields || !known) return false;
  return Object.entries(fields).every(([name, value]) => {
    const before = known[name];
    if (isDeepStrictEqual(value, before)) return true;
    const start = typeof value === 'string' ? CUT.exec(value)?.[1] : undefined;
    return start !== undefined && typeof before === 'string' && before.startsWith(start);
  });
}

function newTool(toolCallId: string): Draft<ToolBlock> {
  return {
    kind: 'tool',
    toolCallId,
    title: '',
    toolKind: '',
    status: 'pending',
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
  };
}
