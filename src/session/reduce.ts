/**
 * Events → model. No clock, no I/O: the time comes with the event. Total: whatever an agent tells ends as a block,
 * as a field of a block, or as nothing to see, never as an exception.
 */
import type { AgentEvent, Content } from '../acp/events';
import { Blocks, type Draft } from './blocks';
import type {
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
import { ToolCalls } from './tool-calls';
import { summarize } from './turn-summary';

/** What JSON-RPC puts before the words of an agent's error. */
const PREFIX = /^Internal error: /;
const UNFINISHED = 'The agent could not finish the turn.';

export class Reducer {
  readonly #transcript: Transcript;
  readonly #blocks: Blocks;
  readonly #terminals: TerminalCards;
  readonly #tools: ToolCalls;
  /** Plan id → its block, in this turn. */
  readonly #plans = new Map<string, string>();
  #turnStart = 0;
  /** The last line of the turn that has ended, until the next begins. */
  #turnLine: string | null = null;
  /** Text of the running prompt that the agent may echo. */
  #echo = '';

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#blocks = new Blocks(transcript);
    this.#terminals = new TerminalCards(transcript);
    this.#tools = new ToolCalls(this.#blocks, this.#terminals);
  }

  /** Ids of the blocks that were changed or added since the last call. */
  take(): Set<string> {
    return this.#blocks.take();
  }

  /** Whether what arrives now belongs to a turn that the user has already left. */
  set late(late: boolean) {
    this.#blocks.late = late;
  }

  /** Applies what the agent said. `now`: milliseconds since the epoch. */
  apply(event: AgentEvent, now: number): void {
    switch (event.type) {
      case 'chunk':
        return this.#chunk(event.role, event.messageId, event.content, now);
      case 'tool_call':
        this.#tools.apply(event.patch, event.announced, now);
        this.#recount();
        return;
      case 'plan':
        return this.#plan(event.planId, event.entries, now);
      case 'terminal':
        return this.#blocks.touch(...this.#terminals.apply(event));
      case 'notice': {
        const { severity, title, detail } = event;
        this.notice(severity, title, detail, now);
        return;
      }
      case 'draft':
      case 'final':
      case 'plan_text':
      case 'plan_file':
      case 'plan_removed':
      case 'subagent':
      case 'compaction':
      case 'failure':
      case 'session_ended':
        return this.#unknown(event.type, event, now);
      case 'unknown':
        return this.#unknown(event.label, event.payload, now);
      case 'commands':
      case 'config':
      case 'mode':
      case 'title':
      case 'usage':
      case 'limit':
      case 'goal':
      case 'suggestions':
      case 'account':
        // Settings, not conversation: `settings.ts` takes them.
        return;
      default:
        event satisfies never;
    }
  }

  /** The agent has told a former conversation to its end. */
  replayed(now: number): void {
    this.#blocks.closeOpen(now);
    this.settleTools('ended', now);
  }

  /** What the user sends. `id`: of a prompt that was removed and is wanted again. */
  user(
    text: string,
    attachments: UserBlock['attachments'],
    now: number,
    queued: boolean,
    id?: string,
  ): string {
    return this.#blocks.add({ kind: 'user', text, attachments, time: now, queued }, now, id).id;
  }

  /** Whether there is a prompt that was sent at that time. */
  wasSent(at: number): boolean {
    const { blocks } = this.#transcript;
    return [...blocks.values()].some((block) => block.kind === 'user' && block.time === at);
  }

  /** All prompts that wait, in their order. */
  waiting(ids: readonly string[]): void {
    this.#blocks.wait(ids);
  }

  /** A prompt that waits was changed: its text, or whether the agent is asked to take it into its turn. */
  prompt(id: string, changed: Partial<Pick<UserBlock, 'text' | 'steered'>>): void {
    const block = this.#blocks.get(id, 'user');
    if (!block) return;
    Object.assign(block, changed);
    this.#blocks.touch(id);
  }

  /** The agent took a prompt without a turn of ours: into the running one where it is `steered`, else into one of its own. */
  promptTaken(id: string, steered: boolean, now: number): void {
    const block = this.#blocks.get(id, 'user');
    if (!block) return;
    block.steered = steered;
    this.#echo += `\n${block.text}`;
    this.#blocks.join(block, now);
  }

  /** Takes a block out, such as a queued prompt that went back to where it was typed. */
  remove(id: string): void {
    this.#blocks.remove(id);
  }

  /** A turn begins with the prompt of block `id`. */
  turnStarted(id: string | null, now: number): void {
    this.#tools.turnStarted();
    this.#turnLine = null;
    this.#turnStart = now;
    this.#plans.clear();
    const block = id === null ? undefined : this.#blocks.get(id, 'user');
    this.#echo = block?.text ?? '';
    if (block?.queued) this.#blocks.join(block, now);
  }

  /** The turn is over: what is still open is closed, and its last line is written. */
  turnEnded(stopReason: string, now: number): void {
    this.#blocks.closeOpen(now);
    this.settleTools(stopReason === 'cancelled' ? 'cancelled' : 'ended', now);
    this.#echo = '';
    const turn: Draft<TurnBlock> = {
      kind: 'turn',
      stopReason,
      startedAt: this.#turnStart,
      endedAt: now,
      ...summarize(this.#tools.ofTurn()),
      measured: false,
    };
    this.#turnLine = this.#blocks.add(turn, now).id;
  }

  /** Some agents tell how a call ended when its turn is already over. */
  #recount(): void {
    const turn = this.#turnLine === null ? undefined : this.#blocks.get(this.#turnLine, 'turn');
    if (!turn) return;
    const { tools, unasked, ...said } = summarize(this.#tools.ofTurn());
    Object.assign(turn, { tools, unasked }, turn.measured ? {} : said);
    this.#blocks.touch(turn.id);
  }

  /** Marks the tool calls that have no final status: the agent won't tell any more, or shall not. */
  settleTools(...how: Parameters<ToolCalls['settle']>): void {
    this.#tools.settle(...how);
  }

  /** The last line of the turn that has ended, until the next begins. */
  get turnLine(): string | null {
    return this.#turnLine;
  }

  /** What a turn really changed on disk, whoever said what. */
  turnChanged(id: string, changed: Pick<TurnBlock, 'files' | 'added' | 'removed'>): void {
    const turn = this.#blocks.get(id, 'turn');
    if (!turn) return;
    Object.assign(turn, changed, { measured: true });
    this.#blocks.touch(id);
  }

  /** The card of a tool call. */
  toolCall(toolCallId: string): ToolBlock | undefined {
    return this.#tools.get(toolCallId);
  }

  /** The tool call that a permission request is about. */
  toolOfQuestion(...about: Parameters<ToolCalls['ofQuestion']>): ToolBlock {
    return this.#tools.ofQuestion(...about);
  }

  /** A permission question: the card of its tool call holds it. Gives the card. */
  questionAsked(...question: Parameters<ToolCalls['asked']>): ToolBlock {
    return this.#tools.asked(...question);
  }

  questionAnswered(...answer: Parameters<ToolCalls['answered']>): void {
    this.#tools.answered(...answer);
  }

  /** The agent ended the turn with an error. Some have already said it, as a message: it isn't said twice. */
  turnFailed(error: string, now: number): void {
    const last = this.#blocks.last();
    const said =
      last?.kind === 'message' && last.text.toString().includes(error.replace(PREFIX, ''));
    if (said) this.notice('error', UNFINISHED, '', now);
    else this.notice('error', error, UNFINISHED, now);
  }

  notice(severity: NoticeBlock['severity'], title: string, detail: string, now: number): void {
    this.#blocks.add({ kind: 'notice', severity, title, detail }, now);
  }

  /** Folds or unfolds a block, if it can be. */
  fold(id: string, expanded?: boolean): void {
    const block = this.#transcript.blocks.get(id);
    if (!block || !('expanded' in block)) return;
    block.expanded = expanded ?? !block.expanded;
    this.#blocks.touch(id);
  }

  /** A client terminal has new output or ended. */
  terminalChanged(state: Parameters<TerminalCards['set']>[0]): void {
    this.#blocks.touch(...this.#terminals.set(state));
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
    const last = this.#blocks.last();
    if (last?.kind === kind && continues(last, messageId)) {
      last.text.push(text);
      this.#blocks.touch(last.id);
      return;
    }
    // Empty lines in front of a message mean nothing, and some agents open with them alone.
    const start = text.replace(/^\s*\n/, '');
    if (start === '') return;
    const log = new TextLog(start);
    if (kind === 'message') {
      this.#blocks.add({ kind, messageId, text: log, done: false }, now);
    } else {
      const thought = { kind, messageId, text: log, startedAt: now, endedAt: null } as const;
      this.#blocks.add({ ...thought, expanded: false }, now);
    }
  }

  #userChunk(text: string, now: number): void {
    const echoed = text.trim();
    if (echoed === '' || this.#echo.includes(echoed)) return;
    const last = this.#blocks.last();
    if (last?.kind === 'user' && last.time === null) {
      last.text += text;
      this.#blocks.touch(last.id);
      return;
    }
    this.#blocks.add({ kind: 'user', text, attachments: [], time: null, queued: false }, now);
  }

  #plan(
    planId: string,
    entries: { content: string; priority: string; status: string }[],
    now: number,
  ) {
    const known = this.#plans.get(planId);
    const plan = known === undefined ? undefined : this.#blocks.get(known, 'plan');
    if (plan) {
      plan.entries = entries;
      this.#blocks.touch(plan.id);
    } else if (entries.length > 0) {
      this.#plans.set(planId, this.#blocks.add({ kind: 'plan', planId, entries }, now).id);
    }
  }

  #unknown(label: string, payload: unknown, now: number): void {
    const last = this.#blocks.last();
    if (last?.kind === 'unknown' && last.label === label) {
      last.payload = payload;
      this.#blocks.touch(last.id);
    } else {
      this.#blocks.add({ kind: 'unknown', label, payload, expanded: false }, now);
    }
  }
}

function continues(block: MessageBlock | ThoughtBlock, messageId: string | null): boolean {
  const open = block.kind === 'message' ? !block.done : block.endedAt === null;
  return open && (block.messageId === messageId || block.messageId === null || messageId === null);
}
