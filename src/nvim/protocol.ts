/**
 * The door between Lua and the sidecar: every method of both directions, with its parameters.
 *
 * Lua → sidecar are notifications, sidecar → Lua are requests (the reasons stand in ARCHITECTURE.md, "The door").
 * `params` is always one map. `session` is our own id, made by Lua; an agent's session id never crosses.
 * The Lua half of this list is the handler table of `lua/acp/rpc.lua` and the classes of `lua/acp/types.lua`;
 * a test holds the three together.
 */
import type { FileDiff } from '../diff/file-diff';
import type { Op } from '../render/ops';
import type { ChangedHunk } from '../review/changed';
import type { ReviewScope, ReviewView, UndoPlan } from '../review/view';

/** How to start an agent, as the configuration says. Environment entries override the inherited environment. */
export interface AgentSpec {
  name: string;
  title?: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Folders outside the session's own that the agent may read and write through us. Absolute. */
  roots?: string[];
  /** The command line that installs the program, shown when it is missing. */
  install?: string;
}

/** Options that the sidecar needs; the rest of the configuration stays in Lua. */
export interface SidecarConfig {
  /** Version of the Lua side; the sidecar warns when its own is another. */
  version: string;
  /** `stdpath('state')/acp`. */
  stateDir: string;
  wire: { enabled: boolean; maxBytes: number; maxFiles: number };
  /** Time that an agent has to end a cancelled turn before the prompt is free again, in milliseconds. */
  cancelTimeoutMs: number;
  /** Screen rows of a tool's content that are shown before it is folded. */
  toolRows: number;
  icons: 'unicode' | 'nerd' | 'ascii';
  /** `ask`: a write of an agent's through us is a question, unless the user has just allowed this very change. */
  writes: 'allow' | 'ask';
}

/** Something that the user sends along with a prompt. */
export type Attachment =
  | {
      type: 'text';
      /** Absolute path; absent for an unnamed buffer. */
      path?: string;
      /** 1-based, inclusive; absent for a whole file. */
      startLine?: number;
      endLine?: number;
      text: string;
      /** Neovim's filetype. */
      filetype?: string;
    }
  | { type: 'file'; path: string };

/** Lua → sidecar, as notifications. */
export interface ToSidecar {
  /** First message on the channel. */
  start: { config: SidecarConfig };
  /** Opens a session: starts the agent when it isn't running. `columns`: text width of the chat window. */
  'session.open': { session: string; agent: AgentSpec; cwd: string; columns: number };
  'session.close': { session: string };
  /** The agent's process was asked to be started anew; the session is resumed when the agent can. */
  'session.restart': { session: string };
  'prompt.send': { session: string; text: string; attachments?: Attachment[] };
  'prompt.cancel': { session: string };
  /**
   * The user's choice. Where nothing was chosen, nothing is sent and the question stays open. `words`: why, in the user's
   * own; `text`: the whole text that the file shall get instead of the proposed one, lines ending in `\n`, for questions
   * that are `editable`.
   */
  'question.answer': {
    session: string;
    question: string;
    option: string;
    words?: string;
    text?: string;
  };
  'mode.set': { session: string; mode: string };
  'view.resize': { session: string; columns: number };
  /** `expanded` absent: the other state than now. No `block`: all blocks. */
  'block.fold': { session: string; block?: string; expanded?: boolean };
  /** Answered by `detail.show`. */
  'block.inspect': { session: string; block: string };
  /** Answered by `diff.show`, or by a notice where the block has no diff. */
  'block.diff': { session: string; block: string };
  /**
   * The user saved a buffer (not we for an agent). `path` absolute and real. `before`: the text of the file until then, absent
   * where the buffer had never seen it (it was changed on disk meanwhile). Texts as `buffer.read` gives them.
   */
  'buffer.saved': { path: string; before?: string; text: string };
  /** A file was changed on disk while its buffer has unsaved changes; `text` is the buffer's. Asked about on a card. */
  'buffer.conflict': { path: string; text: string };
  /** Answered by `review.show`, or by a notice where there is nothing to review. Without a session: the last one of `cwd`. */
  'review.open': ReviewOf & { scope: ReviewScope };
  /**
   * Decides what was changed: all, one file (`path`, absolute), or in it the hunk at `line` (1-based, of the file as it
   * stands); `line` 0 means what is not lines: mode, name. `text`: that line as the user sees it; where another stands there by
   * now, nothing is decided. Answered by `review.show`.
   */
  'review.decide': ReviewOf & {
    scope: ReviewScope;
    action: 'keep' | 'reject';
    path?: string;
    line?: number;
    text?: string;
  };
  /** The same as a plain diff. Answered by `review.text`. */
  'review.diff': ReviewOf & { scope: ReviewScope };
  /** Takes the last turn back, or with `redo` takes that back. Answered by `undo.ask`; then again with the plan's id. */
  'review.undo': ReviewOf & { redo?: boolean; confirmed?: string };
  /** Sends the rejected hunks to the agent as the next prompt. */
  'review.resend': { session: string; why: string };
  /** Forgets the baseline: nothing is left to review or to undo. */
  'review.drop': ReviewOf;
}

/** Whose changes are meant. */
export interface ReviewOf {
  session?: string;
  /** Absolute. */
  cwd: string;
}

/** What the session is doing. `dead`: the agent's process has ended. */
export type SessionState = 'starting' | 'idle' | 'working' | 'waiting' | 'cancelling' | 'dead';

export interface Choice {
  id: string;
  name: string;
  description?: string;
}

/** An open permission question. */
export interface Question {
  id: string;
  /** Block of the card that holds it. */
  block: string;
  /** One line: what is asked for, such as `Edit src/main.py` or the exact command. */
  title: string;
  /** Further lines: the whole command, the paths. */
  detail: string[];
  /** In the agent's order, with the agent's own labels. `kind` is a hint for the glyph, never for meaning. */
  options: { id: string; name: string; kind: string }[];
  hasDiff: boolean;
  /** Whether the proposal may be changed by hand before it is allowed; else why not, in words for people. */
  editable: true | string;
}

/** All that the winbar, completion and statusline show. Patches replace whole fields. */
export interface Status {
  agent: string;
  title: string | null;
  state: SessionState;
  /** Start of the present turn, or of the agent that is starting, milliseconds since the epoch. */
  since: number | null;
  mode: string | null;
  modes: Choice[];
  model: string | null;
  usage: { used: number; size: number } | null;
  commands: { name: string; description: string; hint?: string }[];
  questions: Question[];
  /** Prompts that wait for the present turn to end. */
  queued: number;
  cwd: string;
  /** The wire log of this agent's process. */
  log: string | null;
  /** Content that the agent takes beyond text and links. */
  takes: { image: boolean; audio: boolean; embedded: boolean };
  /** Where the agent works, in this turn. */
  location: { path: string; line?: number } | null;
  /** What is yet to be reviewed of the whole session; null: nothing. */
  review: { files: number; added: number; removed: number } | null;
}

/** Fields of `Status` that can be absent; a patch names those that are gone. */
export type Clearable = { [K in keyof Status]: null extends Status[K] ? K : never }[keyof Status];

/** One session's part of a frame. It holds no `null` at any depth: Lua takes it as it is. */
export interface Frame {
  session: string;
  ops?: Op[];
  status?: { [K in keyof Status]?: NonNullable<Status[K]> };
  /** Fields of the status that have no value any more. */
  cleared?: Clearable[];
}

/** Sidecar → Lua, as requests: `[params, result]`. */
export interface ToEditor {
  /** Everything that changed on screen since the last frame. Its answer is the back-pressure. */
  frame: [{ frames: Frame[] }, null];
  /** A question was asked. Lua decides whether it opens now (`permission.open`). */
  'question.opened': [{ session: string; question: Question; diff?: FileDiff[] }, null];
  /** It needs no answer any more: it was answered, withdrawn, or the turn or the agent ended. */
  'question.closed': [{ session: string; question: string }, null];
  'diff.show': [{ session: string; block: string; question?: string; files: FileDiff[] }, null];
  'detail.show': [{ session: string; title: string; lines: string[]; filetype: string }, null];
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
  /** The prompt could not be sent; its text goes back to where it was typed. */
  'prompt.restore': [{ session: string; text: string }, null];
}

export type ToSidecarMethod = keyof ToSidecar;
export type ToEditorMethod = keyof ToEditor;
