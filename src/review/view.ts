/** The review as the editor shows it. */

/** What is looked at: what changed since the last turn began, or since the session began. */
export type ReviewScope = 'turn' | 'session';

export interface ReviewView {
  /** The session that it belongs to, while that is open. */
  session: string | null;
  cwd: string;
  scope: ReviewScope;
  /** Name of the agent. */
  agent: string;
  /** Only what is not yet decided, by name. */
  files: ReviewFile[];
  /** Decided so far. */
  kept: number;
  rejected: number;
  /** What could not be recorded and is missing here, for people. */
  limits: string[];
}

export interface ReviewFile {
  /** Absolute. */
  path: string;
  /** Relative to `cwd`, for people. */
  name: string;
  change: 'modified' | 'added' | 'deleted' | 'renamed';
  /** Former name of a renamed file. */
  from?: string;
  /** What changed beside lines, in words: `mode 644 → 755`, `binary, 12 KB → 14 KB`, `renamed from a.py`. */
  note?: string;
  /** Why it can't be rejected, in words. */
  locked?: string;
  added: number;
  removed: number;
  hunks: ReviewHunk[];
}

export interface ReviewHunk {
  /** 1-based first line of what was added; without any, the line before which the deleted ones stood (after the last: lines + 1). */
  line: number;
  /** Lines that were added. */
  count: number;
  /** Lines that were deleted, fit to be shown. */
  deleted: string[];
}

/** What undoing would do. */
export interface UndoPlan {
  /** To confirm exactly this. */
  id: string;
  /** One line: the prompt of the turn that is taken back. */
  title: string;
  /** One line each: `restores src/a.py (+3 −9)`, `deletes new.txt`. */
  steps: string[];
}
