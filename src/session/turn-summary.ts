import { changeOf } from '../render/change';
import { CONFLICT, QUESTION, type ToolBlock, type TurnBlock } from './model';

/** Whether nothing more is to be expected of a tool call. */
export function isFinal(status: string): boolean {
  return status !== 'pending' && status !== 'in_progress' && status !== 'paused';
}

/** What a turn's tools did: how many, how many without a question, and what they said they changed. */
export function summarize(
  tools: ToolBlock[],
): Pick<TurnBlock, 'tools' | 'unasked' | 'files' | 'added' | 'removed'> {
  const ran = tools.filter(
    ({ status, toolKind }) => status !== 'cancelled' && ![CONFLICT, QUESTION].includes(toolKind),
  );
  const files = new Set<string>();
  let added = 0;
  let removed = 0;
  for (const tool of ran) {
    if (tool.status !== 'completed') continue;
    for (const item of tool.content) {
      if (item.type !== 'diff') continue;
      files.add(item.path);
      const change = changeOf(item);
      added += change.added;
      removed += change.removed;
    }
  }
  const unasked = ran.filter((tool) => !tool.asked).length;
  return { tools: ran.length, unasked, files: files.size, added, removed };
}
