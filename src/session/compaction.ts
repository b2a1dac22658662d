/** The agent makes room in its context: one block for each time, whatever is told of it and how often. */
import type { AgentEvent } from '../acp/events';
import type { Blocks } from './blocks';
import { TextLog, type CompactionBlock } from './model';

type Told = Extract<AgentEvent, { type: 'compaction' }>;

export class Compactions {
  readonly #blocks: Blocks;
  /** The agent's id → its block. */
  readonly #known = new Map<string, string>();

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  apply(event: Told, now: number): void {
    const block = this.#get(event.id) ?? this.#add(event.id, now);
    if (event.status !== undefined) block.status = event.status;
    if (event.summary !== undefined) block.text = new TextLog(event.summary ?? '');
    if (event.append !== undefined) block.text.push(event.append);
    if (event.error !== undefined) block.error = event.error;
    block.endedAt = isRunning(block) ? null : (block.endedAt ?? now);
    this.#blocks.touch(block.id);
  }

  /** Those that go on won't be told of any more, or shall not. */
  settle(how: 'cancelled' | 'ended', now: number): void {
    for (const id of this.#known.values()) {
      const block = this.#blocks.get(id, 'compaction');
      if (!block || !isRunning(block)) continue;
      settleCompaction(block, now, how);
      this.#blocks.touch(id);
    }
  }

  #get(compactionId: string): CompactionBlock | undefined {
    const id = this.#known.get(compactionId);
    return id === undefined ? undefined : this.#blocks.get(id, 'compaction');
  }

  #add(compactionId: string, now: number): CompactionBlock {
    const block = this.#blocks.add<CompactionBlock>(
      {
        kind: 'compaction',
        compactionId,
        status: 'in_progress',
        text: new TextLog(),
        error: null,
        startedAt: now,
        endedAt: null,
        expanded: false,
      },
      now,
    );
    this.#known.set(compactionId, block.id);
    return block;
  }
}

/** Ends one that still runs. */
export function settleCompaction(block: CompactionBlock, now: number, how = 'ended'): void {
  if (!isRunning(block)) return;
  block.status = how;
  block.endedAt = now;
}

function isRunning({ status }: CompactionBlock): boolean {
  return status === 'in_progress';
}
