/** What changed, for the end of a turn and for events: paths and line numbers. */
import type { Edit } from '../diff/edits';
import type { AgentChange } from './ledger';
import { compareLines, countLines, type PendingFile } from './pending';
import type { Tree } from './tree';

/** Lines that changed, 1-based; without lines on a side, the line before. */
export interface ChangedHunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

export interface ChangedFiles {
  files: { path: string; hunks: ChangedHunk[] }[];
  added: number;
  removed: number;
}

function changedHunk({ oldFrom, oldTo, newFrom, newTo }: Edit): ChangedHunk {
  const [oldCount, newCount] = [oldTo - oldFrom, newTo - newFrom];
  return {
    oldStart: oldCount > 0 ? oldFrom + 1 : oldFrom,
    oldCount,
    newStart: newCount > 0 ? newFrom + 1 : newFrom,
    newCount,
  };
}

export function changedFiles(files: readonly Pick<PendingFile, 'path' | 'hunks'>[]): ChangedFiles {
  return {
    files: files.map(({ path, hunks }) => ({ path, hunks: hunks.map(changedHunk) })),
    ...countLines(files.flatMap(({ hunks }) => hunks)),
  };
}

/** The same for what the agent did just now. */
export async function changedBy(tree: Tree, changes: AgentChange[]): Promise<ChangedFiles> {
  const files = changes.map(async ({ path, from, before, after }) => {
    const old = await tree.read(from ?? path, before);
    return { path, hunks: compareLines(old, await tree.read(path, after)).hunks };
  });
  return changedFiles(await Promise.all(files));
}
