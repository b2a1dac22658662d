/**
 * Events → model. No clock, no I/O: the time comes with the event. Total: whatever an agent tells ends as a block,
 * as a field of a block, or as nothing to see, never as an exception.
 */
import type { AgentEvent, PermissionOption, ToolCallPatch } from '../acp/events';
import { Blocks } from './blocks';
import { Compactions } from './compaction';
import { Failures, type Failure } from './failures';
import { Drafts } from './drafts';
import type { NoticeBlock, TerminalState, ToolBlock, Transcript, UserBlock } from './model';
import { above } from './nesting';
import { Plans } from './plans';
import { Subagents } from './subagents';
import { TerminalCards } from './terminal-cards';
import { Texts } from './texts';
import { ToolCalls } from './tool-calls';
import { promptFailure, wordsOf } from './turn-failure';
import { TurnLine } from './turn-line';

/** How turns end whose agent is gone. */
const GONE = ['lost', 'interrupted'];

export class Reducer {
  readonly #transcript: Transcript;
  readonly #blocks: Blocks;
  readonly terminals: TerminalCards;
  readonly #tools: ToolCalls;
  readonly #compactions: Compactions;
  readonly #failures: Failures;
  readonly #drafts: Drafts;
  readonly #subagents: Subagents;
  readonly #plans: Plans;
  readonly #line: TurnLine;
  readonly #texts: Texts;
  #inTurn = false;

  /** `of`: the conversation of a subagent, and the one that it is part of. */
  constructor(transcript: Transcript, of?: { blocks: Blocks; main: Reducer }) {
    this.#transcript = transcript;
    this.#blocks = of?.blocks ?? new Blocks(transcript);
    this.#drafts = new Drafts(this.#blocks);
    this.#plans = new Plans(this.#blocks);
    this.terminals = of?.main.terminals ?? new TerminalCards(transcript);
    this.#tools = new ToolCalls(this.#blocks, this.terminals);
    this.#compactions = new Compactions(this.#blocks);
    this.#failures = new Failures(this.#blocks);
    this.#line = new TurnLine(this.#blocks, this.#failures, () => this.#allOfTurn());
    this.#texts = new Texts(this.#blocks, () => this.#line.heard());
    this.#subagents = of ? of.main.#subagents : this.#newSubagents();
  }

  #newSubagents(): Subagents {
    return new Subagents({
      transcript: this.#transcript,
      main: this,
      blocks: this.#blocks,
      reducer: (blocks) => new Reducer(this.#transcript, { blocks, main: this }),
    });
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
  apply({ subagent, ...event }: AgentEvent, now: number): void {
    if (subagent !== undefined) {
      this.#subagents.apply(subagent, event, now);
      if (event.type === 'tool_call') this.#line.recount();
      return;
    }
    switch (event.type) {
      case 'chunk':
        return this.#texts.chunk(event.role, event.messageId, event.content, now);
      case 'tool_call':
        this.#tools.apply(event.patch, event.announced, now);
        this.#line.recount();
        return;
      case 'plan':
      case 'plan_text':
      case 'plan_file':
      case 'plan_removed':
        return this.#plans.apply(event, now);
      case 'terminal':
        return this.#blocks.touch(...this.terminals.apply(event));
      case 'compaction':
        return this.#compactions.apply(event, now);
      case 'failure':
        return this.#failures.apply(event, now);
      case 'notice': {
        const { severity, title, detail } = event;
        this.notice(severity, title, detail, now);
        return;
      }
      case 'subagent':
        return this.#subagents.tell(event.patch, null, now);
      case 'letter':
        return this.#subagents.letter(event, null, now);
      case 'draft':
        return this.#drafts.draft(event.turn, event.content, now);
      case 'final':
        return this.#drafts.final(event.turn, event.messageId, event.content, now);
      case 'unknown':
        return this.#texts.unknown(event.label, event.payload, now);
      case 'commands':
      case 'config':
      case 'mode':
      case 'model':
      case 'title':
      case 'usage':
      case 'limit':
      case 'goal':
      case 'suggestions':
      case 'account':
      case 'session_ended':
        // No conversation: `settings.ts`, `facts.ts` and `lifecycle.ts` take them.
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
    this.#texts.promptTaken(block.text);
    this.#blocks.join(block, now);
  }

  /** Takes a block out, such as a queued prompt that went back to where it was typed. */
  remove(id: string): void {
    const tool = this.#blocks.get(id, 'tool');
    if (tool) this.terminals.forget(tool);
    this.#blocks.remove(id);
  }

  /** A turn begins with the prompt of block `id`. */
  turnStarted(id: string | null, now: number): void {
    this.nextTurn();
    this.#subagents.turnStarted();
    this.#line.turnStarted(id, now);
    this.#inTurn = true;
    const block = id === null ? undefined : this.#blocks.get(id, 'user');
    this.#texts.turnStarted(block?.text ?? '');
    if (block?.queued) this.#blocks.join(block, now);
  }

  /** What is known by an id may be another thing from here on. */
  nextTurn(): void {
    this.#tools.turnStarted();
    this.#drafts.turnStarted();
    this.#plans.turnStarted();
  }

  /** The turn is over: what is still open is closed, and its last line is written. */
  turnEnded(stopReason: string, now: number): void {
    const how = stopReason === 'cancelled' ? 'cancelled' : 'ended';
    this.settle(how, now);
    this.#subagents.settle(how, now, GONE.includes(stopReason));
    this.#texts.turnEnded();
    this.#line.turnEnded(stopReason, now);
    this.#inTurn = false;
  }

  /** Something about which the user can do something. */
  failed(failure: Failure, now: number): void {
    this.#failures.add(failure, now);
  }

  /** What a block offered was done. */
  acted(id: string): void {
    this.#failures.done(id);
  }

  /** Another agent process, or one that has the session anew: it counts its turns from the start. */
  agentAnew(): void {
    this.#drafts.forget();
  }

  /** Marks what has no end, such as tool calls: the agent won't tell any more, or shall not. */
  settleTools(...how: Parameters<ToolCalls['settle']>): void {
    this.#settleOwn(...how);
    this.#subagents.settle(...how, how[0] === 'ended');
  }

  /** Closes what is open in this conversation. */
  settle(...how: Parameters<ToolCalls['settle']>): void {
    this.#blocks.closeOpen(how[1]);
    this.#drafts.turnEnded();
    this.#settleOwn(...how);
  }

  #settleOwn(...how: Parameters<ToolCalls['settle']>): void {
    this.#tools.settle(...how);
    this.#compactions.settle(...how);
  }

  /** Whether a subagent goes on by itself. */
  get subagentRuns(): boolean {
    return this.#subagents.running;
  }

  /** The tool calls of this conversation that were first seen in the present turn. */
  toolsOfTurn(): ToolBlock[] {
    return this.#tools.ofTurn();
  }

  /** The same, and those of all subagents. */
  #allOfTurn(): ToolBlock[] {
    return [...this.toolsOfTurn(), ...this.#subagents.toolsOfTurn()];
  }

  /** The last line of the turn that has ended, until the next begins. */
  get turnLine(): string | null {
    return this.#line.id;
  }

  /** What a turn really changed on disk, whoever said what. */
  turnChanged(...changed: Parameters<TurnLine['changed']>): void {
    this.#line.changed(...changed);
  }

  /** The card of a tool call in this conversation. */
  ownCall(toolCallId: string): ToolBlock | undefined {
    return this.#tools.get(toolCallId);
  }

  /** The card of a tool call: of that subagent's, else of the agent's own or of whoever has made it. */
  toolCall(toolCallId: string, subagent?: string): ToolBlock | undefined {
    return this.#ofCall(toolCallId, subagent === undefined ? [] : [subagent]).ownCall(toolCallId);
  }

  #ofCall(toolCallId: string | undefined, subagents: readonly string[]): Reducer {
    return this.#subagents.ofCall(toolCallId, subagents) ?? this;
  }

  /** The tool call that a permission request is about. `subagents`: ids by which it may say whose it is. */
  toolOfQuestion(
    question: string,
    patch: ToolCallPatch | null,
    now: number,
    subagents: readonly string[] = [],
  ): ToolBlock {
    return this.#ofCall(patch?.id, subagents).#tools.ofQuestion(question, patch, now);
  }

  /** A permission question: the card of its tool call holds it. Gives the card. */
  questionAsked(...question: Parameters<ToolCalls['asked']>): ToolBlock {
    return (this.#subagents.ofBlock(question[1]) ?? this).#tools.asked(...question);
  }

  /** Lines of what a card asks for, or of what was answered. */
  asks(...what: Parameters<ToolCalls['asks']>): void {
    this.#tools.asks(...what);
  }

  questionAnswered(block: string, option: PermissionOption | null, now: number): void {
    this.#tools.answered(block, option, now, this.#inTurn);
  }

  /** The agent answered the prompt with an error. Some have already said it, as a message: it isn't said twice. */
  turnFailed(error: unknown, now: number): void {
    const last = this.#blocks.last();
    const said = last?.kind === 'message' && last.text.toString().includes(wordsOf(error));
    this.#failures.add(promptFailure(error, said), now);
  }

  /** The same as the one before is told but once. Gives its block. */
  notice(severity: NoticeBlock['severity'], title: string, detail: string, now: number): string {
    return this.#texts.notice(severity, title, detail, now);
  }

  /** Folds or unfolds a block; where it can't be, and its state is not given, the one that it stands under. */
  fold(id: string, expanded?: boolean): void {
    const start = this.#transcript.blocks.get(id);
    const outer = expanded === undefined ? above(this.#transcript, start) : [];
    const block = [start, ...outer].find((it) => it && 'expanded' in it);
    if (!block || !('expanded' in block)) return;
    block.expanded = expanded ?? !block.expanded;
    this.#blocks.touch(block.id);
  }

  /** A client terminal has new output or ended. */
  terminalChanged(state: TerminalState, more: string, now: number): void {
    const ended = state.exit !== null && this.#transcript.running.has(state.id);
    const cards = this.terminals.set(state, more);
    this.#blocks.touch(...cards);
    if (!ended) return;
    for (const id of cards) {
      // It went on when its call was over.
      const card = this.#blocks.get(id, 'tool');
      if (card?.endedAt != null) card.endedAt = now;
    }
  }
}
