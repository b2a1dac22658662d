/**
 * Blocks under blocks. The transcript is one flat list all the same: what a subagent did stands behind the block that it
 * was started by, in one piece, and each of its blocks names that as its `parent`.
 */
import type { Block, Transcript } from './model';

/** The blocks that a block stands under, the nearest first. */
export function* above({ blocks }: Transcript, block: Block | undefined): Generator<Block> {
  let parent = block?.parent;
  while (parent !== undefined) {
    const it = blocks.get(parent);
    if (!it) return;
    yield it;
    parent = it.parent;
  }
}

/** How many blocks it stands under. */
export function depthOf(transcript: Transcript, block: Block): number {
  return [...above(transcript, block)].length;
}

/** Where what stands under a block ends: the place of the next one that does not. */
export function endOf(transcript: Transcript, id: string): number {
  let last = id;
  for (let next; (next = transcript.nested.get(last)); last = next.last);
  return transcript.index.get(last)! + 1;
}

/** The block at a place, or the one above it that stands directly under `parent` (null: under none). */
export function memberAt(
  transcript: Transcript,
  place: number,
  parent: string | null,
): Block | undefined {
  const id = transcript.order[place];
  const block = id === undefined ? undefined : transcript.blocks.get(id);
  if (block === undefined || (block.parent ?? null) === parent) return block;
  for (const it of above(transcript, block)) if ((it.parent ?? null) === parent) return it;
  return undefined;
}

/** A block has got its place in the list. */
export function placed(transcript: Transcript, block: Block): void {
  const { nested } = transcript;
  if (block.parent === undefined) return;
  const siblings = nested.get(block.parent);
  if (!siblings) nested.set(block.parent, { last: block.id, tools: 0 });
  else if (isBehind(transcript, block.id, siblings.last)) siblings.last = block.id;
  count(transcript, block, 1);
}

function isBehind({ index }: Transcript, one: string, other: string): boolean {
  return (index.get(one) ?? 0) > (index.get(other) ?? -1);
}

/** A block is about to lose its place, and all under it has. */
export function leaving(transcript: Transcript, block: Block): void {
  const { nested, index } = transcript;
  nested.delete(block.id);
  const siblings = block.parent === undefined ? undefined : nested.get(block.parent);
  if (!siblings) return;
  count(transcript, block, -1);
  if (siblings.last !== block.id) return;
  const before = memberAt(transcript, index.get(block.id)! - 1, block.parent!);
  if (before) siblings.last = before.id;
  else nested.delete(block.parent!);
}

function count(transcript: Transcript, block: Block, by: 1 | -1): void {
  if (block.kind !== 'tool') return;
  for (const { id } of above(transcript, block)) {
    const siblings = transcript.nested.get(id);
    if (siblings) siblings.tools += by;
  }
}

/** Finds out what stands under what in a list that was read. A block that does not stand where it says stands under none. */
export function nest(transcript: Transcript): void {
  transcript.nested.clear();
  const open: string[] = [];
  for (const id of transcript.order) {
    const block = transcript.blocks.get(id)!;
    while (open.length > 0 && open.at(-1) !== block.parent) open.pop();
    if (open.length === 0) delete block.parent;
    open.push(id);
    placed(transcript, block);
  }
}
