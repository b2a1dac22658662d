/** Lua → sidecar: what the user does. */
import type { McpWanted } from '../acp/mcp';
import type { ReviewScope } from '../review/view';
import type { AgentSpec, SidecarConfig } from './config';
import type { Attachment, Draft } from './draft';
import type { FormValue } from './question';

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

export type ToSidecarMethod = keyof ToSidecar;
