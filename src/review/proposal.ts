/** What a tool call would do to files, or has done: the diffs that a person judges it by. */
import type { ToolBlock } from '../session/model';
import type { FileDiff } from './file-diff';
import { fileDiffs, type DiffContent, type DiffOptions } from './hunks';

/** What is known of a tool call. */
export type ProposedCall = Pick<
  ToolBlock,
  'toolKind' | 'title' | 'status' | 'content' | 'locations' | 'rawInput' | 'question' | 'rejected'
>;

export interface Proposal {
  /** One for each file, in the order of their first mention. None: what the call would do isn't known. */
  files: FileDiff[];
  /** Its hunks, for the card of a call that carries no diff of its own. */
  pieces: DiffContent[];
}

/** The changes that a tool call would make to files as they stand, or has made. Never rejects for what an agent says. */
export async function proposedDiffs(call: ProposedCall, options: DiffOptions): Promise<Proposal> {
  const contents = call.content.filter((item) => item.type === 'diff');
  return { files: await fileDiffs(contents, options), pieces: [] };
}
