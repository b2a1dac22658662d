/**
 * The door between Lua and the sidecar: every method of both directions, with its parameters.
 *
 * Lua → sidecar are notifications, sidecar → Lua are requests (the reasons stand in ARCHITECTURE.md, "The door").
 * `params` is always one map. `session` is our own id, made by Lua; an agent's session id never crosses.
 * The Lua half of this list is the handler table of `lua/acp/rpc.lua` and the classes of `lua/acp/types.lua`;
 * a test holds the three together.
 */
import type { Form } from '../acp/elicitation';
import type { Account, Goal } from '../acp/events';
import type { LoginMethod } from '../acp/login';
import type { McpWanted } from '../acp/mcp';
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
  /** Where its process runs; absent: in the folder of the session that starts it. */
  cwd?: string;
  /** What it shall not see of our capabilities, by their names in `initialize`: `terminal`, `fs.writeTextFile`, `elicitation`. */
  withhold?: string[];
  /** Keys for `_meta` of our capabilities and of `session/new`, `load`, `resume`, `fork`; `null` takes one of ours away. */
  meta?: { client?: Record<string, unknown>; session?: Record<string, unknown> };
  /** Stands before its command, to reach it where it lives; `{cwd}` in it is the folder, by its name there. */
  wrap?: string[];
  /** What `wrap` starts hands its arguments to a shell: they are quoted for it. */
  wrapShell?: boolean;
  /** Folders that it knows by other names, as in a container: absolute. Of two with the same name, the first counts. */
  paths?: { here: string; there: string }[];
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
  /** Time after which the process of an agent that does nothing is ended, in milliseconds; 0: never. */
  idleTimeoutMs: number;
  /** What is kept of former sessions: for how long since they were last used, and how much of all together. */
  sessions: { maxAgeMs: number; maxBytes: number };
  /** The most of one attachment that is embedded in a prompt, in bytes; what is larger goes as a link. */
  embedBytes: number;
}

/** Something that the user sends along with a prompt. `name`: what it is called on screen, where it is no path. */
export type Attachment = TextAttachment | FileAttachment | MediaAttachment | Conversation;

/** A piece of the editor: lines of a buffer, diagnostics, a diff, output of a terminal. */
export interface TextAttachment {
  type: 'text';
  /** Absolute path; absent for an unnamed buffer and for what is no file. */
  path?: string;
  /** 1-based, inclusive; absent for a whole file. */
  startLine?: number;
  endLine?: number;
  text: string;
  /** Neovim's filetype. */
  filetype?: string;
  name?: string;
}

/** A file, read when the prompt is sent: the text of its buffer where one is loaded. */
export interface FileAttachment {
  type: 'file';
  /** Absolute. */
  path: string;
}

/** An image or audio file, read when the prompt is sent. */
export interface MediaAttachment {
  type: 'media';
  /** Absolute. */
  path: string;
  /** `image/png`, `audio/wav`. */
  mime: string;
  name: string;
}

/** What was said in this session until now, as Markdown. */
export interface Conversation {
  type: 'conversation';
}

/** Lua → sidecar, as notifications. */
export interface ToSidecar {
  /** First message on the channel. */
  start: { config: SidecarConfig };
  /**
   * Opens a session: starts the agent when it isn't running. `columns`: text width of the chat window. `settings`: what
   * the user wants a new session set to (config option ids, or `mode`, `model`, `effort`). `from`: a `key` or row of
   * `sessions.show`: that session is opened, or with `fork` one that begins like it; the transcript's buffer is empty then.
   * `before`: a prompt's block in it: the fork ends before that, and `draft.restore` gives the prompt. `dirs`: further
   * folders, absolute. The agent gets what of them and of the servers it can take.
   */
  'session.open': {
    session: string;
    agent: AgentSpec;
    cwd: string;
    columns: number;
    settings?: Record<string, string | boolean>;
    from?: string;
    fork?: boolean;
    before?: string;
    mcp?: McpWanted;
    dirs?: string[];
  };
  /** All further folders of the session, absolute; the agent gets them where it takes any. */
  'session.dirs': { session: string; dirs: string[] };
  /** The MCP servers of the session are others now, such as when the user has changed their mind about a file. */
  'session.mcp': { session: string; mcp: McpWanted };
  /** The chat is gone. The session stays in the store; on the agent's side it is closed where the agent can. */
  'session.close': { session: string };
  /** Answered by `sessions.show`. `all`: of every folder. `agents`: those to be asked for their own lists. */
  'sessions.list': { id: number; cwd: string; all: boolean; agents: AgentSpec[] };
  /** `row`: of `sessions.show`, or a `key`. Titles are the agent's own where it takes one, else ours alone. */
  'sessions.rename': { row: string; agent: AgentSpec; title: string };
  /** Deletes it here, and at the agent where that can be done; what could not is told. */
  'sessions.delete': { row: string; agent: AgentSpec };
  /** Answered by `session.markdown`. */
  'session.export': { session: string; id: number };
  /**
   * The agent's process was asked to be started anew, from now on as `agent` says; the session is resumed when the agent can,
   * with those servers.
   */
  'session.restart': { session: string; agent?: AgentSpec; mcp?: McpWanted };
  /**
   * `how`: what becomes of it while a turn runs (absent: `queue`). `now` cancels that turn; `steer` puts it into the turn, where
   * the agent can. `draft`: what stays in the prompt, in the same breath, so that no crash leaves a text twice. `anew`: in a
   * session that is `saved` only, a new one of the agent's begins. `at`: when it was sent, milliseconds since the epoch, no
   * two alike; `prompt.taken` answers. Until then Neovim holds it, and sends it to the next sidecar when this one ends; one that
   * the session has already is not taken twice.
   */
  'prompt.send': {
    session: string;
    text: string;
    attachments?: Attachment[];
    how?: 'queue' | 'now' | 'steer';
    draft?: Draft;
    anew?: boolean;
    at?: number;
  };
  'prompt.cancel': { session: string };
  /** What stands in the prompt: kept over crashes. */
  'draft.save': { session: string; draft: Draft };
  /** The prompts that shall wait, in their order; those with no `id` are new, those that are not named go. */
  'queue.set': { session: string; entries: { id?: string; text: string }[] };
  /** All that waits goes back to the prompt. */
  'queue.clear': { session: string };
  /** Answered by `files.found`: paths under the session's folders that match. */
  'files.find': { session: string; id: number; query: string; limit: number };
  /**
   * The user's choice. Where nothing was chosen, nothing is sent and the question stays open. `words`: why, in the user's
   * own; `text`: the whole text that the file shall get instead of the proposed one, lines ending in `\n`, for questions
   * that are `editable`; `values`: what was filled in, for those with a `form`, numbers as they were typed.
   */
  'question.answer': {
    session: string;
    question: string;
    option: string;
    words?: string;
    text?: string;
    values?: Record<string, FormValue>;
  };
  /** What is being filled in: `form.faults` says what is wrong with it. */
  'form.check': { session: string; question: string; values: Record<string, FormValue> };
  /** Answered by `login.choose`. `session` names the agent. */
  'login.open': { session: string };
  /** Logs in by that method. `values`: of its fields; they are sent in one call, and kept nowhere. */
  'login.start': { session: string; method: string; values?: Record<string, string> };
  /** The user gives it up: chose nothing, or does not want to wait any longer. What was held goes back to the prompt. */
  'login.cancel': { session: string };
  /** The program of `login.terminal` has ended; `code` absent: it could not be started. */
  'login.ended': { session: string; method: string; code?: number };
  'login.out': { session: string };
  /** Answered by `terminal.show`; from then on `terminal.data` brings what comes. */
  'terminal.open': { session: string; terminal: string };
  /** Nobody looks at it any more. */
  'terminal.close': { session: string; terminal: string };
  'terminal.stop': { session: string; terminal: string };
  /** Cancels the subagent of that block. */
  'subagent.cancel': { session: string; block: string };
  /** Does what a block offers: one of its `actions`. */
  'block.act': { session: string; block: string; action: string };
  /** `option`: the id of an entry of `Status.config`. */
  'config.set': { session: string; option: string; value: string | boolean };
  'view.resize': { session: string; columns: number };
  /** `expanded` absent: the other state than now. No `block`: all blocks. */
  'block.fold': { session: string; block?: string; expanded?: boolean };
  /** Answered by `detail.show`; by `terminal.show` where the block has a terminal, but for its `details`. */
  'block.inspect': { session: string; block: string; details?: boolean };
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

/** What stands in a prompt and is not sent. */
export interface Draft {
  text: string;
  attachments: Attachment[];
  /**
   * How many of the texts that the sidecar gave back, by `prompt.restore` and `draft.restore`, Neovim had put there: those
   * after that are in addition, and no crash loses what was on its way.
   */
  returned?: number;
}

/** What the session is doing. `dead`: the agent's process has ended. `saved`: the agent does not know it any more. */
export type SessionState =
  'starting' | 'idle' | 'working' | 'waiting' | 'cancelling' | 'dead' | 'saved';

/** A setting of a session, as the agent offers it; legacy modes and models are such ones too. */
export interface ConfigOption {
  id: string;
  name: string;
  description?: string;
  /** `mode`, `model`, `thought_level`, `model_config` or whatever the agent says. */
  category?: string;
  type: 'select' | 'boolean';
  value: string | boolean;
  /** Of a `select`, in the agent's order. */
  choices?: ConfigChoice[];
}

export interface ConfigChoice {
  value: string;
  name: string;
  description?: string;
  group?: string;
}

/** A prompt that waits for the present turn to end. */
export interface QueuedPrompt {
  id: string;
  text: string;
  /** How many go along. */
  attachments: number;
}

/** A limit of the agent's service. */
export interface RateLimit {
  /** Which one, in words: `5 hours`, `week`. */
  name: string;
  /** Share that is used, 0 to 1, where it is told. */
  used?: number;
  /** Milliseconds since the epoch. */
  resets?: number;
  state: 'ok' | 'near' | 'reached';
}

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

/** What was filled in. */
export type FormValue = string | number | boolean | string[];

/** A command that runs, or still does when its turn is over. */
export interface RunningTerminal {
  id: string;
  /** Its card; absent: none shows it. */
  block?: string;
  /** The command line, or the title of its card. */
  title: string;
  /** Milliseconds since the epoch. */
  since: number;
  /** Whether it can be stopped by itself. */
  canStop: boolean;
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

/** An open question: of leave, or for something to be filled in, opened or approved. */
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
  /** To be filled in. The options are then `accept`, `decline` and `cancel`; without `accept`, it can't be. */
  form?: Form;
  /** A page that the agent wants to be opened; the same options. `warning`: what is odd about the address, in lines. */
  url?: { url: string; host: string; message: string; warning?: string };
  /** The plan that is to be approved, in Markdown. */
  plan?: string[];
}

/** All that the winbar, completion and statusline show. Patches replace whole fields. */
export interface Status {
  agent: string;
  title: string | null;
  state: SessionState;
  /** Start of the present turn, or of the agent that is starting, milliseconds since the epoch. */
  since: number | null;
  /** Its key in the store: names it over restarts. Null before anything is worth to be kept. */
  key: string | null;
  /** The value of the option of category `mode`. */
  mode: string | null;
  /** Name of the model. */
  model: string | null;
  /** The agent's last complete list. */
  config: ConfigOption[];
  usage: { used: number; size: number; cost?: { amount: number; currency: string } } | null;
  limits: RateLimit[];
  /** Who is logged in at the agent, where it tells. */
  account: Account | null;
  /** The ways to log in, as far as they are known, and whether it can be logged out. */
  login: { methods: { id: string; name: string }[]; out: boolean };
  goal: Goal | null;
  /** Prompts that the agent proposes. */
  suggestions: string[];
  /** Commands that run. */
  terminals: RunningTerminal[];
  /** Folders beside `cwd` that the session has. */
  dirs: string[];
  commands: { name: string; description: string; hint?: string }[];
  questions: Question[];
  /** Prompts that wait for the present turn to end. */
  queue: QueuedPrompt[];
  /** They were found after a crash, and wait until the user sends something. */
  held: boolean;
  cwd: string;
  /** The wire log of this agent's process. */
  log: string | null;
  /** Content that the agent takes beyond text and links. */
  takes: { image: boolean; audio: boolean; embedded: boolean; steering: boolean };
  /** What the agent can do with sessions. */
  can: { fork: boolean; close: boolean; delete: boolean; rename: boolean };
  /** Where the agent works, in this turn. */
  location: { path: string; line?: number } | null;
  /** What is yet to be reviewed of the whole session; null: nothing. */
  review: { files: number; added: number; removed: number } | null;
  /** Stands in the transcript while it is empty. */
  hint: string | null;
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

export type ToSidecarMethod = keyof ToSidecar;
export type ToEditorMethod = keyof ToEditor;
