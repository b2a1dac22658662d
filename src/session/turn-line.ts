/** The last line of a turn: how it ended, how long it took, what was done in it. What comes late is counted, too. */
import type { Blocks, Draft } from './blocks';
import type { Failures } from './failures';
import type { ToolBlock, TurnBlock } from './model';
import { turnActions } from './turn-failure';
import { summarize } from './turn-summary';

export class TurnLine {
  readonly #blocks: Blocks;
  readonly #failures: Failures;
  readonly #tools: () => ToolBlock[];
  #startedAt = 0;
  /** The block of the prompt of the running turn. */
  #prompt: string | null = null;
  #id: string | null = null;

  /** `tools`: the calls of the turn, those of subagents too. */
  constructor(blocks: Blocks, failures: Failures, tools: () => ToolBlock[]) {
    this.#blocks = blocks;
    this.#failures = failures;
    this.#tools = tools;
  }

  /** The line of the turn that has ended, until the next begins. */
  get id(): string | null {
    return this.#id;
  }

  turnStarted(prompt: string | null, now: number): void {
    this.#id = null;
    this.#startedAt = now;
    this.#prompt = prompt;
    this.#failures.turnStarted();
  }

  turnEnded(stopReason: string, now: number): void {
    const silent = stopReason === 'end_turn' && this.#blocks.last()?.id === this.#prompt;
    const turn: Draft<TurnBlock> = {
      kind: 'turn',
      stopReason,
      startedAt: this.#startedAt,
      endedAt: now,
      ...summarize(this.#tools()),
      measured: false,
      ...(silent && { silent }),
    };
    const line = this.#blocks.add(turn, now);
    this.#id = line.id;
    this.#failures.turnEnded();
    this.#failures.offer(line, turnActions(stopReason, silent));
  }

  /** Some agents speak only when they have ended their turn. */
  heard(): void {
    const turn = this.#ended();
    if (!turn?.silent) return;
    turn.silent = false;
    this.#failures.done(turn.id);
    this.#blocks.touch(turn.id);
  }

  /** Some agents tell how a call ended when its turn is already over. */
  recount(): void {
    const turn = this.#ended();
    if (!turn) return;
    const { tools, unasked, ...said } = summarize(this.#tools());
    Object.assign(turn, { tools, unasked }, turn.measured ? {} : said);
    this.#blocks.touch(turn.id);
  }

  /** What a turn really changed on disk, whoever said what. */
  changed(id: string, changed: Pick<TurnBlock, 'files' | 'added' | 'removed'>): void {
    const turn = this.#blocks.get(id, 'turn');
    if (!turn) return;
    Object.assign(turn, changed, { measured: true });
    this.#blocks.touch(id);
  }

  #ended(): TurnBlock | undefined {
    return this.#id === null ? undefined : this.#blocks.get(this.#id, 'turn');
  }
}
