/** Where blocks stand in a transcript, told by what they stand after: only prompts ever move, and new blocks come in between. */
import type { Block, Transcript } from '../session/model';
import type { Written } from './changes';

/** Where a block stands, if that has to be said; no `after`: behind all others. Asked when it is about to be written. */
export type Placer = (block: Block) => { after?: string | null } | null;

/** For blocks that were added or changed. `moved`: those that are known may stand elsewhere now. */
export function placer(
  { order, index }: Transcript,
  written: ReadonlyMap<string, Written>,
  changed: readonly Block[],
  moved: boolean,
): Placer {
  const homeless = new Set<string>();
  for (const block of changed) {
    const before = written.get(block.id);
    if (!before || (moved && mayHaveMoved(before.copy, block))) homeless.add(block.id);
  }
  /** The last place before that one whose block has its place in the file too. */
  const before = (place: number): number => {
    let at = place - 1;
    while (at >= 0 && (homeless.has(order[at]!) || !written.has(order[at]!))) at--;
    return at;
  };
  let last = homeless.size > 0 ? before(order.length) : 0;
  return ({ id }) => {
    if (!homeless.has(id)) return null;
    const place = index.get(id)!;
    const after = place < last ? { after: order[before(place)] ?? null } : {};
    last = Math.max(last, place);
    homeless.delete(id);
    return after;
  };
}

/** Prompts stand elsewhere when they wait, when they are put in another order, and when their turn begins. */
function mayHaveMoved(before: Block, block: Block): boolean {
  if (before.kind !== 'user' || block.kind !== 'user') return false;
  return before.queued || block.queued || before.time !== block.time;
}
