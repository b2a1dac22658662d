import { Blocks } from '../session/blocks';
import { settleCompaction } from '../session/compaction';
import {
  newTranscript,
  type Block,
  type Subagent,
  type ToolBlock,
  type Transcript,
} from '../session/model';
import { nest } from '../session/nesting';
import { isActive } from '../session/subagents';
import { isFinal, summarize } from '../session/turn-summary';
import type { StoredSession } from './replay';

/**
 * A transcript that goes on from what was stored. What was open is closed: its agent won't tell any more. Blocks share
 * their texts with the stored ones and are copies otherwise.
 */
export function transcriptOf(stored: StoredSession): Transcript {
  const transcript = newTranscript(stored.cwd);
  const { blocks, order, index, terminals } = transcript;
  const queue = new Set(stored.queue.map(({ block }) => block));
  for (const { ...block } of stored.blocks) {
    if (block.kind === 'user') {
      // A session that begins like another has not what waits there.
      if (block.queued && !block.steered && !queue.has(block.id)) continue;
      block.queued = queue.has(block.id);
    }
    close(block, stored.updated);
    index.set(block.id, order.push(block.id) - 1);
    blocks.set(block.id, block);
  }
  nest(transcript);
  for (const { ...terminal } of stored.terminals) {
    terminal.exit ??= { exitCode: null, signal: null };
    terminals.set(terminal.id, terminal);
  }
  if (stored.interrupted) lose(transcript, stored.updated);
  return transcript;
}

/** The tool calls since the last prompt that began a turn. */
function toolsOfTurn(blocks: readonly Block[]): ToolBlock[] {
  const start = blocks.findLastIndex((it) => it.kind === 'user' && !it.queued && !it.steered);
  return blocks.slice(start + 1).filter((it) => it.kind === 'tool');
}

/** The last line of a turn that never ended. */
function lose(transcript: Transcript, updated: number): void {
  const blocks = transcript.order.map((id) => transcript.blocks.get(id)!);
  const prompt = blocks.findLast((it) => it.kind === 'user' && !it.queued && !it.steered);
  new Blocks(transcript).add(
    {
      kind: 'turn',
      stopReason: 'interrupted',
      startedAt: (prompt?.kind === 'user' && prompt.time) || updated,
      endedAt: updated,
      ...summarize(toolsOfTurn(blocks)),
      measured: false,
    },
    updated,
  );
}

function close(block: Block, now: number): void {
  switch (block.kind) {
    case 'message':
      block.done = true;
      if (block.draft === 'live') block.draft = 'left';
      return;
    case 'thought':
      block.endedAt ??= now;
      return;
    case 'tool':
      return closeTool(block, now);
    case 'compaction':
      return settleCompaction(block, now);
    case 'subagent':
      block.endedAt ??= now;
      return closeSubagent(block);
    case 'letter':
    case 'user':
    case 'plan':
    case 'notice':
    case 'turn':
    case 'unknown':
      return;
    default:
      block satisfies never;
  }
}

/** How it stands now is not known before its agent tells. */
function closeSubagent(holder: { subagent?: Subagent }): void {
  if (!isActive(holder.subagent?.state)) return;
  holder.subagent = { ...holder.subagent!, state: 'unknown' };
}

/** As if its question were cancelled, and then its agent gone. */
function closeTool(tool: ToolBlock, now: number): void {
  closeSubagent(tool);
  const open = !isFinal(tool.status);
  if (tool.question) {
    tool.question = null;
    tool.answer = 'cancelled';
    tool.rejected = true;
    if (open) tool.startedAt = null;
  }
  if (!open) return;
  tool.status = tool.answer !== null && tool.rejected ? 'cancelled' : 'ended';
  tool.endedAt ??= now;
}
