/** The change of one file, as the diff float shows it. */
export interface FileDiff {
  /** Absolute path. */
  path: string;
  /** Path relative to the session's folder, for titles. */
  name: string;
  status: 'modified' | 'new' | 'deleted' | 'renamed';
  /** The name that the file had before, as `name`, where it moves. */
  from?: string;
  /**
   * The agent gave only a piece of the file, and it stands nowhere or more than once in the file on disk:
   * line numbers are then those of the piece.
   */
  fragment: boolean;
  added: number;
  removed: number;
  hunks: DiffHunk[];
  /**
   * Lines of the whole new text, so that unchanged parts can be shown when they are unfolded; absent for a fragment, and
   * where the file is so large that not all is sent.
   */
  lines?: string[];
  /** The whole new text as it is, lines ending in `\n`; only where it may be changed by hand. */
  text?: string;
}

export interface DiffHunk {
  /** 1-based first line of the hunk, old and new side. */
  oldStart: number;
  newStart: number;
  rows: DiffRow[];
}

/** `words`: byte columns `[from, to)` of what changed within the line. */
export interface DiffRow {
  type: 'same' | 'add' | 'del';
  text: string;
  words?: [from: number, to: number][];
}
