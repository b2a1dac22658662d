/**
 * Events → model. No clock, no I/O: the time comes with the event. Total: whatever an agent tells ends as a block,
 * as a field of a block, or as nothing to see, never as an exception.
 */
import type { AgentEvent, Content, PermissionOption, ToolCallPatch } from '../acp/events';
import type {
  Block,
  MessageBlock,
  NoticeBlock,
  ThoughtBlock,
  ToolBlock,
  Transcript,
  TurnBlock,
  UserBlock,
} from './model';
import { TextLog } from './model';
import { TerminalCards } from './terminal-cards';
import { isFinal, summarize } from './turn-summary';

/** A new block without what every block gets. */
type Draft<B extends Block> = B extends Block ? Omit<B, 'id' | 'late'> : never;

export class Reducer {
  readonly #transcript: Transcript;
  readonly #terminals: TerminalCards;
  /** Tool call id → its block and the turn that it was first seen in. */
  readonly #tools = new Map<string, { block: string; turn: number }>();
  /** Plan id → its block, in this turn. */
  readonly #plans = new Map<string, string>();
  #changed = new Set<string>();
  #count = 0;
  #turn = 0;
  #turnStart = 0;
  /** Text of the running prompt that the agent may echo. */
  #echo = '';
  #late = false;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#terminals = new TerminalCards(transcript);
  }

  /** Ids of the blocks that were changed or added since the last call. */
  take(): Set<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Whether what arrives now belongs to a turn that the user has already left. */
  set late(late: boolean) {
    this.#late = late;
  }

  /** Applies what the agent said. `now`: milliseconds since the epoch. */
  apply(event: AgentEvent, now: number): void {
    switch (event.type) {
      case 'chunk':
        return this.#chunk(event.role, event.messageId, event.content, now);
      case 'tool_call':
        return this.#toolCall(event.patch, event.announced, now);
      case 'plan':
        return this.#plan(event.planId, event.entries, now);
      case 'terminal':
        return this.#touch(...this.#terminals.apply(event));
      case 'notice': {
        const { severity, title, detail } = event;
        this.notice(severity, title, detail, now);
        return;
      }
      case 'unknown':
        return this.#unknown(event.label, event.payload, now);
      case 'commands':
      case 'config':
      case 'mode':
      case 'title':
      case 'usage':
        // Settings, not conversation: `settings.ts` takes them.
        return;
      default:
        event satisfies never;
    }
  }

  /** What the user sends. */
  user(text: string, attachments: UserBlock['attachments'], now: number, queued: boolean): string {
    return this.#add({ kind: 'user', text, attachments, time: now, queued }, now).id;
  }

  /** Takes a block out, such as a queued prompt that went back to where it was typed. */
  remove(id: string): void {
    const { blocks, order, index } = this.#transcript;
    const place = index.get(id);
    if (place === undefined) return;
    blocks.delete(id);
    index.delete(id);
    order.splice(place, 1);
    for (let i = place; i < order.length; i++) index.set(order[i]!, i);
    this.#changed.delete(id);
  }

  /** A turn begins with the prompt of block `id`. */
  turnStarted(id: string | null, now: number): void {
    this.#turn++;
    this.#turnStart = now;
    this.#plans.clear();
    const block = id === null ? undefined : this.#block(id, 'user');
    this.#echo = block?.text ?? '';
    if (block?.queued) {
      block.queued = false;
      block.time = now;
      this.#touch(block.id);
    }
  }

  /** The turn is over: what is still open is closed, and its last line is written. */
  turnEnded(stopReason: string, now: number): void {
    this.#closeOpen(now);
    this.settleTools(stopReason === 'cancelled' ? 'cancelled' : 'ended', now);
    this.#echo = '';
    const tools = this.#toolsOf(this.#turn);
    const turn: Draft<TurnBlock> = {
      kind: 'turn',
      stopReason,
      startedAt: this.#turnStart,
      endedAt: now,
      ...summarize(tools),
    };
    this.#add(turn, now);
  }

  /** Marks the tool calls that have no final status: the agent won't tell any more, or shall not. */
  settleTools(status: 'cancelled' | 'ended', now: number): void {
    for (const tool of this.#toolsOf(this.#turn)) {
      if (isFinal(tool.status)) continue;
      tool.status = tool.answer !== null && tool.rejected ? 'cancelled' : status;
      tool.endedAt ??= now;
      this.#touch(tool.id);
    }
  }

  notice(severity: NoticeBlock['severity'], title: string, detail: string, now: number): void {
    this.#add({ kind: 'notice', severity, title, detail }, now);
  }

  /** The tool call that a permission request is about; it may be the first word of it. */
  toolOfQuestion(question: string, patch: ToolCallPatch | null, now: number): ToolBlock {
    // Some agents put a running call back to `pending` in the request; the question itself says that it waits.
    const { id, ...fields } = patch ?? { id: `question:${question}` };
    delete fields.status;
    this.#toolCall({ id, ...fields }, false, now);
    return this.#tool(id)!;
  }

  /** A permission question: the card of its tool call holds it. */
  questionAsked(question: string, tool: ToolBlock, options: PermissionOption[]): void {
    tool.question = { id: question, options };
    tool.asked = true;
    tool.answer = null;
    this.#touch(tool.id);
  }

  /** `option` null: it was cancelled. */
  questionAnswered(block: string, option: PermissionOption | null): void {
    const tool = this.#block(block, 'tool');
    if (!tool?.question) return;
    tool.question = null;
    tool.answer = option?.name ?? 'cancelled';
    tool.rejected = option === null || option.kind.startsWith('reject');
    this.#touch(block);
  }

  /** Folds or unfolds; gives false where there is nothing to fold. */
  fold(id: string, expanded?: boolean): boolean {
    const block = this.#transcript.blocks.get(id);
    if (!block || !('expanded' in block)) return false;
    block.expanded = expanded ?? !block.expanded;
    this.#touch(id);
    return true;
  }

  /** A client terminal has new output or ended. */
  terminalChanged(state: Parameters<TerminalCards['set']>[0]): void {
    this.#touch(...this.#terminals.set(state));
  }

  #chunk(role: 'user' | 'agent' | 'thought', messageId: string | null, what: Content, now: number) {
    if (what.type === 'other') {
      if (!what.known) return this.#unknown(what.label, what.payload, now);
      if (role === 'user') return;
      return this.#text(role, messageId, what.label, now);
    }
    if (what.text === '') return;
    if (role === 'user') return this.#userChunk(what.text, now);
    this.#text(role, messageId, what.text, now);
  }

  #text(role: 'agent' | 'thought', messageId: string | null, text: string, now: number): void {
    const kind = role === 'agent' ? 'message' : 'thought';
    const last = this.#last();
    if (last?.kind === kind && continues(last, messageId)) {
      last.text.push(text);
      this.#touch(last.id);
      return;
    }
    // Empty lines in front of a message mean nothing, and some agents open with them alone.
    const start = text.replace(/^\s*\n/, '');
    if (start === '') return;
    const log = new TextLog(start);
    if (kind === 'message') {
      this.#add({ kind, messageId, text: log, done: false }, now);
    } else {
      const thought = { kind, messageId, text: log, startedAt: now, endedAt: null } as const;
      this.#add({ ...thought, expanded: false }, now);
    }
  }

  #userChunk(text: string, now: number): void {
    const echoed = text.trim();
    if (echoed === '' || this.#echo.includes(echoed)) return;
    const last = this.#last();
    if (last?.kind === 'user' && last.time === null) {
      last.text += text;
      this.#touch(last.id);
      return;
    }
    this.#add({ kind: 'user', text, attachments: [], time: null, queued: false }, now);
  }

  #toolCall(patch: ToolCallPatch, announced: boolean, now: number): void {
    let tool = this.#tool(patch.id);
    if (tool && announced && isFinal(tool.status) && this.#tools.get(patch.id)!.turn < this.#turn) {
      tool = undefined; // An id used again in a later turn is another call.
    }
    if (!tool) {
      tool = this.#add(newTool(patch.id), now);
      this.#tools.set(patch.id, { block: tool.id, turn: this.#turn });
    }
    if (patch.title !== undefined) tool.title = patch.title;
    if (patch.kind !== undefined) tool.toolKind = patch.kind;
    if (patch.locations !== undefined) tool.locations = patch.locations;
    if (patch.rawInput !== undefined) tool.rawInput = patch.rawInput;
    if (patch.rawOutput !== undefined) tool.rawOutput = patch.rawOutput;
    if (patch.content !== undefined) {
      tool.content = patch.content;
      this.#terminals.uses(tool);
    }
    if (patch.status !== undefined) tool.status = patch.status;
    if (tool.status !== 'pending') tool.startedAt ??= now;
    if (!isFinal(tool.status)) tool.endedAt = null;
    else tool.endedAt ??= now;
    this.#touch(tool.id);
  }

  #plan(
    planId: string,
    entries: { content: string; priority: string; status: string }[],
    now: number,
  ) {
    const known = this.#plans.get(planId);
    const plan = known === undefined ? undefined : this.#block(known, 'plan');
    if (plan) {
      plan.entries = entries;
      this.#touch(plan.id);
    } else if (entries.length > 0) {
      this.#plans.set(planId, this.#add({ kind: 'plan', planId, entries }, now).id);
    }
  }

  #unknown(label: string, payload: unknown, now: number): void {
    const last = this.#last();
    if (last?.kind === 'unknown' && last.label === label) {
      last.payload = payload;
      this.#touch(last.id);
    } else {
      this.#add({ kind: 'unknown', label, payload, expanded: false }, now);
    }
  }

  #add<B extends Block>(draft: Draft<B>, now: number): B {
    this.#closeOpen(now);
    const id = `b${++this.#count}`;
    const block = { ...draft, id, ...(this.#late ? { late: true } : {}) } as unknown as B;
    const { blocks, order, index } = this.#transcript;
    blocks.set(id, block);
    index.set(id, order.length);
    order.push(id);
    this.#touch(id);
    return block;
  }

  /** A message or thought ends when something else begins. */
  #closeOpen(now: number): void {
    const last = this.#last();
    if (last?.kind === 'message' && !last.done) {
      last.done = true;
      this.#touch(last.id);
    } else if (last?.kind === 'thought' && last.endedAt === null) {
      last.endedAt = now;
      this.#touch(last.id);
    }
  }

  #last(): Block | undefined {
    const id = this.#transcript.order.at(-1);
    return id === undefined ? undefined : this.#transcript.blocks.get(id);
  }

  #tool(toolCallId: string): ToolBlock | undefined {
    const known = this.#tools.get(toolCallId);
    return known && this.#block(known.block, 'tool');
  }

  #toolsOf(turn: number): ToolBlock[] {
    return [...this.#tools.values()]
      .filter((tool) => tool.turn === turn)
      .flatMap((tool) => this.#block(tool.block, 'tool') ?? []);
  }

  #block<K extends Block['kind']>(id: string, kind: K): Extract<Block, { kind: K }> | undefined {
    const block = this.#transcript.blocks.get(id);
    return block?.kind === kind ? (block as Extract<Block, { kind: K }>) : undefined;
  }

  #touch(...ids: string[]): void {
    for (const id of ids) this.#changed.add(id);
  }
}

function continues(block: MessageBlock | ThoughtBlock, messageId: string | null): boolean {
  const open = block.kind === 'message' ? !block.done : block.endedAt === null;
  return open && (block.messageId === messageId || block.messageId === null || messageId === null);
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
