/** What lists and views show. */

/** A session in the list: one that is open here, was here, or that an agent has. */
export interface SessionRow {
  /** Names it in `session.open` and others, as long as the sidecar runs; a `key` for good. */
  id: string;
  agent: string;
  cwd: string;
  title: string;
  /** When something was last said in it, milliseconds since the epoch; absent where nobody knows. */
  updated?: number;
  /** `open`: here, as `session`; `busy`: in another Neovim; `saved`: can be opened; `gone`: its agent does not have it any more. */
  state: 'open' | 'busy' | 'saved' | 'gone';
  session?: string;
  /** Whether we hold its transcript. */
  stored: boolean;
  /** Whether a text or queue waits in it. */
  draft: boolean;
  /** It ended in the middle of a turn, as Neovim or the sidecar did. */
  interrupted: boolean;
  /** What can be done with it, `open` aside. */
  can: ('fork' | 'rename' | 'delete')[];
  /** Lines of Markdown: how it began and what was said last. */
  preview: string[];
}

/** A terminal that is looked at. */
export interface TerminalView {
  session: string;
  terminal: string;
  /** Its card; absent: none shows it. */
  block?: string;
  title: string;
  /** Where the command runs. Absent: the agent does not say. */
  cwd?: string;
  /** The terminals of its card, where there are several: in their order, this one among them. */
  all: string[];
  data: string;
  /** Its beginning is not kept. */
  truncated: boolean;
  /** How many lines there are by now, of `data` and of what follows. */
  lines: number;
  canStop: boolean;
  /** How it ended, in words; absent: it runs. */
  end?: string;
}
