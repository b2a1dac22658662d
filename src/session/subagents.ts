/**
 * Subagents: what they do stands under the card that started them, or under a block of their own where their agent tells of
 * none. Several work at once, and each has a conversation of its own: a last message, an open thought, its tool calls.
 */
import type { AgentEvent, SubagentPatch } from '../acp/events';
import { oneLine } from '../text';
import type { Blocks } from './blocks';
import type { LetterBlock, Subagent, SubagentBlock, ToolBlock, Transcript } from './model';
import { above } from './nesting';
import type { Reducer } from './reduce';

/** What stands for a subagent. */
type Holder = ToolBlock | SubagentBlock;

interface Lane {
  holder: string;
  reducer: Reducer;
  blocks: Blocks;
  /** Its agent tells how it stands: it may go on when the turn is over. */
  told: boolean;
  /** Id of a message between agents → its block. */
  letters: Map<string, string>;
}

/** Who says something: the id of a subagent; null: the agent itself. */
export type Teller = string | null;

export interface SubagentsOptions {
  transcript: Transcript;
  /** The user's conversation. */
  main: Reducer;
  blocks: Blocks;
  /** Makes a reducer for a conversation of its own. */
  reducer: (blocks: Blocks) => Reducer;
}

type Letter = Extract<AgentEvent, { type: 'letter' }>;

export class Subagents {
  readonly #options: SubagentsOptions;
  /** By the id of the subagent, or of the call that started it. */
  readonly #lanes = new Map<string, Lane>();
  /** What stood for one when the session was kept, by the same ids. */
  readonly #kept = new Map<string, string>();

  constructor(options: SubagentsOptions) {
    this.#options = options;
    const { order, blocks } = options.transcript;
    for (const block of order.flatMap((id) => blocks.get(id) ?? [])) {
      if (block.kind !== 'tool' && block.kind !== 'subagent') continue;
      for (const id of [callOf(block), block.subagent?.id]) {
        if (id !== undefined) this.#kept.set(id, block.id);
      }
    }
  }

  /** What a subagent says or does. */
  apply(id: string, event: AgentEvent, now: number): void {
    const lane = this.#lane(id, null, now);
    if (event.type === 'subagent') return this.tell(event.patch, id, now);
    if (event.type === 'letter') return this.letter(event, id, now);
    if (event.type === 'title') {
      if (event.title !== null) this.tell({ id, title: event.title }, null, now);
      return;
    }
    // The user says nothing to it: that is what it was told to do.
    if (event.type === 'chunk' && event.role === 'user' && event.content.type === 'text') {
      const { messageId, content } = event;
      const told = { messageId: messageId ?? 'prompt', to: id, append: content.text };
      return this.letter({ type: 'letter', ...told }, null, now);
    }
    lane.reducer.apply(event, now);
  }

  /** What is told of a subagent. */
  tell(patch: SubagentPatch, teller: Teller, now: number): void {
    const lane = this.#lane(patch.id, teller, now, patch.call);
    const holder = this.#holder(lane);
    if (!holder) return;
    const { kind } = holder;
    const known = holder.subagent ?? newSubagent(patch.id);
    const { error = known.error, cancel = known.cancel } = patch;
    // The call is known by its own id alone until its session is told of.
    const id = patch.id === callOf(holder) ? known.id : patch.id;
    // Another object: what was written of the block is a shallow copy.
    holder.subagent = { ...known, id, error, cancel };
    if (kind === 'subagent') {
      if (patch.title !== undefined) holder.title = patch.title;
      if (patch.description !== undefined) holder.description = patch.description;
    }
    if (patch.state !== undefined) {
      lane.told = patch.id !== callOf(holder);
      this.#stands(lane, holder, patch.state, now);
    }
    lane.blocks.touch(holder.id);
  }

  /** What one agent says to another: once, under the one that it is about, however many sessions tell of it. */
  letter({ messageId, from, to, text, append }: Letter, teller: Teller, now: number): void {
    const sender = from ?? teller;
    const known = [to, from].find((id) => id !== undefined && this.#lanes.has(id));
    const id = known ?? teller;
    const lane = id === null ? null : this.#lane(id, null, now);
    const holder = lane && this.#holder(lane);
    // Between agents that are not shown, there is nobody under whom it could stand.
    if (!lane || !holder) return;
    const receives = sender !== id;
    const written = lane.letters.get(messageId);
    const block = written === undefined ? undefined : lane.blocks.get(written, 'letter');
    if (block) {
      block.text = (text ?? block.text) + (append ?? '');
      lane.blocks.touch(block.id);
      return;
    }
    const words = (text ?? '') + (append ?? '');
    if (words.trim() === '' || (!receives && isSaid(lane.blocks, words))) return;
    const other = receives ? sender : (to ?? null);
    const added = lane.blocks.add<LetterBlock>(
      {
        kind: 'letter',
        messageId,
        with: this.#name(other),
        received: receives,
        text: words,
        expanded: false,
      },
      now,
    );
    lane.letters.set(messageId, added.id);
  }

  turnStarted(): void {
    for (const { reducer } of this.#all()) reducer.nextTurn();
  }

  /** The tool calls that were first seen in the present turn. */
  toolsOfTurn(): ToolBlock[] {
    return this.#all().flatMap(({ reducer }) => reducer.toolsOfTurn());
  }

  /**
   * What they do has no end that anybody tells. `all`: also of those that go on by themselves, as their agent has
   * said; else these stay as they are.
   */
  settle(how: 'cancelled' | 'ended', now: number, all: boolean): void {
    for (const lane of this.#all()) {
      const holder = this.#holder(lane);
      const active = isActive(holder?.subagent?.state);
      if (active && lane.told && !all) continue;
      lane.reducer.settle(how, now);
      if (holder && active) {
        this.#stands(lane, holder, !lane.told && how === 'cancelled' ? how : 'unknown', now);
        lane.blocks.touch(holder.id);
      }
    }
  }

  /** Whether one goes on by itself. */
  get running(): boolean {
    return this.#all().some((lane) => isActive(this.#holder(lane)?.subagent?.state));
  }

  /** Whose tool call that is, where it is not the agent's own: that of the first known of `ids`, else of who knows the call. */
  ofCall(call: string | undefined, ids: readonly string[]): Reducer | null {
    for (const id of ids) {
      if (this.#lanes.has(id) || this.#card(id)) return this.#lane(id, null, 0).reducer;
    }
    if (call === undefined || this.#options.main.ownCall(call)) return null;
    return this.#all().find(({ reducer }) => reducer.ownCall(call))?.reducer ?? null;
  }

  /** The conversation that a block stands in, where it is a subagent's. */
  ofBlock({ parent }: { parent?: string }): Reducer | null {
    return this.#all().find(({ holder }) => holder === parent)?.reducer ?? null;
  }

  /** All lanes once: one may be known by two ids. */
  #all(): Lane[] {
    return [...new Set(this.#lanes.values())];
  }

  #holder({ holder }: Pick<Lane, 'holder'>): Holder | undefined {
    const block = this.#options.transcript.blocks.get(holder);
    return block?.kind === 'tool' || block?.kind === 'subagent' ? block : undefined;
  }

  /** `teller`: who tells of it, and under whom it stands where nothing else stands for it. */
  #lane(id: string, teller: Teller, now: number, call = id): Lane {
    const known = this.#lanes.get(id) ?? this.#lanes.get(call);
    if (known && this.#holder(known)) {
      this.#lanes.set(id, known);
      return known;
    }
    const { blocks, reducer } = this.#options;
    const home = teller === null ? blocks : this.#lane(teller, null, now).blocks;
    const holder = this.#card(call) ?? this.#stored(id, call) ?? addTo(home, id, now);
    const inside = blocks.under(holder.id);
    const lane = {
      holder: holder.id,
      reducer: reducer(inside),
      blocks: inside,
      told: false,
      letters: new Map<string, string>(),
    };
    this.#lanes.set(id, lane);
    if (call !== id) this.#lanes.set(call, lane);
    return lane;
  }

  /** The card of a call, whoever made it. */
  #card(call: string): ToolBlock | undefined {
    const own = this.#options.main.ownCall(call);
    if (own) return own;
    for (const { reducer } of this.#all()) {
      const card = reducer.ownCall(call);
      if (card) return card;
    }
    return undefined;
  }

  #stored(id: string, call: string): Holder | undefined {
    const holder = this.#kept.get(id) ?? this.#kept.get(call);
    return holder === undefined ? undefined : this.#holder({ holder });
  }

  #stands(lane: Lane, holder: Holder, state: Subagent['state'], now: number): void {
    const { state: was, error, ...rest } = holder.subagent!;
    holder.subagent = { ...rest, state, error: state === 'failed' ? error : null };
    if (holder.kind === 'subagent') {
      // It may be told to go on.
      if (isActive(state) && !isActive(was)) holder.startedAt = now;
      holder.endedAt = isActive(state) ? null : (holder.endedAt ?? now);
    }
    if (!isActive(state)) lane.reducer.settle(state === 'cancelled' ? state : 'ended', now);
  }

  #name(id: Teller): string {
    const lane = id === null ? undefined : this.#lanes.get(id);
    const holder = lane && this.#holder(lane);
    return holder ? oneLine(holder.title) || 'subagent' : 'agent';
  }
}

/** What arrived for the session of a subagent is said by it, whatever else stands there. */
export function saidBy(events: AgentEvent[], subagent: string | undefined): AgentEvent[] {
  return subagent === undefined ? events : events.map((event) => ({ ...event, subagent }));
}

/** Whether an event may be of the whole session: settings of a subagent are its own, accounts and their limits are not. */
export function isOfSession({ type, subagent }: AgentEvent): boolean {
  return subagent === undefined || type === 'limit' || type === 'account';
}

/** Names of the subagents that a block is of, the outermost first. */
export function ownersOf(transcript: Transcript, block: ToolBlock): string[] {
  return [...above(transcript, block)]
    .flatMap((it) => (it.kind === 'tool' || it.kind === 'subagent' ? [it.title] : []))
    .map((title) => oneLine(title) || 'subagent')
    .reverse();
}

export function isActive(state: Subagent['state'] | undefined): boolean {
  return state === 'running' || state === 'waiting';
}

function callOf(holder: Holder): string | undefined {
  return holder.kind === 'tool' ? holder.toolCallId : undefined;
}

function newSubagent(id: string): Subagent {
  return { id, state: 'unknown', error: null, cancel: false };
}

function addTo(blocks: Blocks, id: string, now: number): SubagentBlock {
  return blocks.add<SubagentBlock>(
    {
      kind: 'subagent',
      subagent: { ...newSubagent(id), state: 'running' },
      title: '',
      description: '',
      startedAt: now,
      endedAt: null,
      expanded: false,
    },
    now,
  );
}

/** Whether its last message says that: many tell in the end what they have just said. */
function isSaid(blocks: Blocks, words: string): boolean {
  const last = blocks.last();
  return last?.kind === 'message' && last.text.toString().trim() === words.trim();
}
