/** Sidecar → Lua: what is shown, asked and read. */
import type { LoginMethod } from '../acp/login';
import type { McpWanted } from '../acp/mcp';
import type { FileDiff } from '../diff/file-diff';
import type { ChangedHunk } from '../review/changed';
import type { ReviewView, UndoPlan } from '../review/view';
import type { AgentSpec } from './config';
import type { Attachment, Draft } from './draft';
import type { Question } from './question';
import type { SessionRow, TerminalView } from './rows';
import type { Frame } from './status';
import type { ReviewOf } from './to-sidecar';

/** Sidecar → Lua, as requests: `[params, result]`. */
export interface ToEditor {
  /** Everything that changed on screen since the last frame. Its answer is the back-pressure. */
  frame: [{ frames: Frame[] }, null];
  /** A question was asked. Lua decides whether it opens now (`permission.open`). */
  'question.opened': [{ session: string; question: Question; diff?: FileDiff[] }, null];
  /** It needs no answer any more: it was answered, withdrawn, or the turn or the agent ended. */
  'question.closed': [{ session: string; question: string }, null];
  /** What is wrong with a form, one a field; it is still open. `sent`: it could not be sent for that. */
  'form.faults': [
    {
      session: string;
      question: string;
      sent: boolean;
      faults: { field: string; words: string }[];
    },
    null,
  ];
  /**
   * The ways to log in. `reason`: why that is asked, in the agent's words; absent: the user wants it. `held`: how many prompts
   * go on afterwards.
   */
  'login.choose': [
    { session: string; agent: string; reason?: string; methods: LoginMethod[]; held: number },
    null,
  ];
  /**
   * A program to be run in a terminal of Neovim's, to log in; `login.ended` answers. `foreign`: it is named by the agent, and
   * is not its own program as the user has configured that: it is shown before it runs.
   */
  'login.terminal': [
    {
      session: string;
      method: string;
      name: string;
      command: string;
      args: string[];
      env: Record<string, string>;
      cwd: string;
      foreign?: true;
    },
    null,
  ];
  /** A login takes its time (`running`), or is over. */
  'login.state': [{ session: string; name: string; state: 'running' | 'done' | 'failed' }, null];
  /** The output of a terminal, as a terminal takes it: nothing in it does anything but draw. The rest comes by `terminal.data`. */
  'terminal.show': [TerminalView, null];
  /** More of it; with `end` its last word: how it ended, in words. */
  'terminal.data': [{ session: string; terminal: string; data: string; end?: string }, null];
  'diff.show': [{ session: string; block: string; question?: string; files: FileDiff[] }, null];
  'detail.show': [{ session: string; title: string; lines: string[]; filetype: string }, null];
  /** How the agent of that name is started in `cwd`, as things stand now. For specs that are `live`. */
  'agent.spec': [{ name: string; cwd: string }, { agent: AgentSpec } | { error: string }];
  /** The text of a loaded buffer, unsaved changes included; `null` where none is loaded for `path` (absolute, real). */
  'buffer.read': [{ path: string; line?: number; limit?: number }, { text: string } | null];
  /**
   * Writes through the loaded buffer and saves it; `null` where none is loaded, then the sidecar writes the file. `was`: what
   * `text` was made from; where the buffer holds something else by now, nothing is written, and that is answered.
   */
  'buffer.write': [
    { path: string; text: string; was?: string },
    { ok: true } | { error: string } | { stale: true } | null,
  ];
  /** Loaded buffers of files below `roots` (absolute, real) with unsaved changes, and their texts. */
  'buffers.unsaved': [{ roots: string[] }, { path: string; text: string }[]];
  /** An agent may have changed files: buffers are read anew where theirs were, conflicts are told by `buffer.conflict`. */
  'buffers.check': [Record<string, never>, null];
  /**
   * Ends a conflict. The buffer then knows its file; `text` is what it holds, unsaved unless it is the file's own (`theirs`).
   * `null` where no buffer is loaded any more. `was` as for `buffer.write`.
   */
  'buffer.resolve': [
    { path: string; text: string; was?: string },
    { ok: true } | { error: string } | { stale: true } | null,
  ];
  /** A file without a buffer was changed by the agent: for `User AcpFileChanged`. 1-based; without lines, the line before. */
  'file.changed': [
    {
      session: string;
      path: string;
      hunks: ChangedHunk[];
    },
    null,
  ];
  'turn.started': [{ session: string }, null];
  /** `files`: absolute paths of what changed on disk. */
  'turn.ended': [{ session: string; stopReason: string; files: string[] }, null];
  'review.show': [{ review: ReviewView }, null];
  'review.text': [{ title: string; lines: string[] }, null];
  'undo.ask': [{ of: ReviewOf; redo: boolean; plan: UndoPlan }, null];
  /** A message for the user. */
  notify: [{ level: 'info' | 'warn' | 'error'; message: string }, null];
  /** A prompt is kept, and so are those before: the one of that `at`, in the session of that key. */
  'prompt.taken': [{ session: string; at: number; key: string }, null];
  /** Prompts could not be sent; they go back to where they were typed, before what stands there. */
  'prompt.restore': [{ session: string; text: string; attachments?: Attachment[] }, null];
  /** The session was opened again, and this stood in its prompt. */
  'draft.restore': [{ session: string; draft: Draft }, null];
  /** `notes`: what could not be listed, and why. */
  'sessions.show': [{ id: number; rows: SessionRow[]; notes: string[] }, null];
  /** What the user says of a file that names MCP servers; `show`: they want to see it first. What holds now is answered. */
  'mcp.decide': [
    { session: string; path: string; digest: string; choice: 'allow' | 'refuse' | 'show' },
    McpWanted,
  ];
  /** The whole transcript. */
  'session.markdown': [{ session: string; id: number; title: string; lines: string[] }, null];
  /**
   * Relative to the folder of the session, absolute outside of it; folders end in `/`; best first. `more`: there are others
   * that match.
   */
  'files.found': [{ session: string; id: number; paths: string[]; more: boolean }, null];
}

export type ToEditorMethod = keyof ToEditor;
