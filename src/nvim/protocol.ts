/**
 * The door between Lua and the sidecar: every method of both directions, with its parameters.
 *
 * Lua → sidecar are notifications, sidecar → Lua are requests (the reasons stand in ARCHITECTURE.md, "The door").
 * `params` is always one map. `session` is our own id, made by Lua; an agent's session id never crosses.
 * The Lua half of this list is the handler table of `lua/acp/rpc.lua` and the classes of `lua/acp/types.lua`;
 * a test holds the three together.
 */
import type { Op } from '../render/ops';
import type { FileDiff } from '../review/file-diff';

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
  /** The user's choice. Where nothing was chosen, nothing is sent and the question stays open. */
  'question.answer': { session: string; question: string; option: string };
  'mode.set': { session: string; mode: string };
  'view.resize': { session: string; columns: number };
  /** `expanded` absent: the other state than now. No `block`: all blocks. */
  'block.fold': { session: string; block?: string; expanded?: boolean };
  /** Answered by `detail.show`. */
  'block.inspect': { session: string; block: string };
  /** Answered by `diff.show`, or by a notice where the block has no diff. */
  'block.diff': { session: string; block: string };
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
  /** Writes through the loaded buffer and saves it; `null` where none is loaded, then the sidecar writes the file. */
  'buffer.write': [{ path: string; text: string }, { ok: true } | { error: string } | null];
  /** A message for the user. */
  notify: [{ level: 'info' | 'warn' | 'error'; message: string }, null];
  /** The prompt could not be sent; its text goes back to where it was typed. */
  'prompt.restore': [{ session: string; text: string }, null];
}

export type ToSidecarMethod = keyof ToSidecar;
export type ToEditorMethod = keyof ToEditor;
