import type { ToolBlock, Transcript } from './model';

/** The tool calls since the last prompt was sent, the last one first. */
export function toolsOfTurn({ order, blocks }: Transcript): ToolBlock[] {
  const tools: ToolBlock[] = [];
  for (let i = order.length - 1; i >= 0; i--) {
    const block = blocks.get(order[i]!);
    if (block?.kind === 'user' && !block.queued) break;
    if (block?.kind === 'tool') tools.push(block);
  }
  return tools;
}
