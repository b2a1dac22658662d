/**
 * The conversation as data. `reduce.ts` writes it, `render/` reads it; neither does anything else.
 *
 * The model is changed in place and the reducer tells which blocks changed: a conversation of 100,000 lines must
 * cost no more per chunk than one of ten.
 */
import type { FailureAction, SubagentPatch } from '../acp/events';

/** Text that grows: kept as the chunks that came, so that appending never copies what is there. */
export class TextLog {
  readonly #chunks: string[] = [];
  #length = 0;

  constructor(text = '') {
    if (text) this.push(text);
  }
  get length(): number {
    return this.#length;
  }
  /** Number of chunks: a reader keeps it as a cursor. */
  get size(): number {
    return this.#chunks.length;
  }
  push(text: string): void {
    if (!text) return;
    this.#chunks.push(text);
    this.#length += text.length;
  }
  /** What came since the cursor `from` (a former `size`). */
  since(from: number): string {
    return from === this.#chunks.length - 1
      ? this.#chunks[from]!
      : this.#chunks.slice(from).join('');
  }
  toString(): string {
    return this.#chunks.join('');
  }
}

interface Base {
  /** Our id, unique in the session. */
  id: string;
  /** Arrived after the turn that it belongs to had ended. */
  late?: boolean;
  /** The block that it stands under: of the subagent whose work it is. See `nesting.ts`. */
  parent?: string;
}

/** What the user sent. */
export interface UserBlock extends Base {
  kind: 'user';
  text: string;
  /** One line each: `src/a.py:3-9`. */
  attachments: { label: string; path?: string; line?: number }[];
  /** Milliseconds since the epoch; `null` in a replay. */
  time: number | null;
  /** Waits for the present turn to end. */
  queued: boolean;
  /** Went into a turn that ran; while it is `queued`, the agent is being asked to take it there. */
  steered?: boolean;
}

/** Text of the agent, in Markdown. `text` only grows; when a message is replaced it gets a new `TextLog`. */
export interface MessageBlock extends Base {
  kind: 'message';
  messageId: string | null;
  text: TextLog;
  done: boolean;
  /**
   * `live`: what the agent says in the end will take its place. `left`: that never came. `null`: it has come. Absent: the
   * agent drafts nothing.
   */
  draft?: 'live' | 'left' | null;
}

export interface ThoughtBlock extends Base {
  kind: 'thought';
  messageId: string | null;
  text: TextLog;
  startedAt: number;
  /** `null` while the agent thinks. */
  endedAt: number | null;
  expanded: boolean;
}

/** ACP's, and two of ours: `cancelled`, and `ended` for a call whose end the agent never told. */
export type ToolStatus =
  'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'ended' | (string & {});

export type ToolContent =
  | { type: 'text'; text: string }
  /** `oldText` null: a new file, or the agent did not say. */
  | { type: 'diff'; path: string; oldText: string | null; newText: string }
  | { type: 'terminal'; terminalId: string }
  /** Something without a text: an image, a link, a kind that we don't know. One line. */
  | { type: 'other'; label: string };

/** Kind of the cards of ours that ask about a file, not about what an agent is to do. */
export const CONFLICT = 'conflict';

/** … and of those that hold a question of an agent's that belongs to no call of it: to be filled in, opened or approved. */
export const QUESTION = 'question';

/** A subagent, as its agent tells of it. */
export interface Subagent {
  /** Of its session, or of the call that started it. */
  id: string;
  state: NonNullable<SubagentPatch['state']>;
  /** Why it failed. */
  error: string | null;
  /** Whether it can be cancelled by itself. */
  cancel: boolean;
}

export interface ToolQuestion {
  id: string;
  options: { id: string; name: string; kind: string }[];
}

/** A tool call, and the card of a permission request. */
export interface ToolBlock extends Base {
  kind: 'tool';
  toolCallId: string;
  title: string;
  /** ACP's tool kind (`read`, `edit`, `execute` …) or whatever the agent said. */
  toolKind: string;
  status: ToolStatus;
  content: ToolContent[];
  locations: { path: string; line?: number }[];
  rawInput: unknown;
  rawOutput: unknown;
  /** What the tool itself gave to its agent, where that was told; long texts in it are cut. */
  response?: unknown;
  startedAt: number | null;
  endedAt: number | null;
  question: ToolQuestion | null;
  /** Lines of what the user is asked to fill in or to open, and then of what was answered; absent: nothing. */
  asks?: string[];
  /** How the last question about it ended: the label of the option, or `cancelled`. */
  answer: string | null;
  /** Whether the user was asked about it. */
  asked: boolean;
  /** Whether the last answer was a rejection or a cancel. */
  rejected: boolean;
  expanded: boolean;
  /** The subagent that it has started, where more is told of that than the call says. */
  subagent?: Subagent;
}

/** A subagent that no tool call stands for. What it does stands under it. */
export interface SubagentBlock extends Base {
  kind: 'subagent';
  subagent: Subagent;
  title: string;
  description: string;
  startedAt: number;
  endedAt: number | null;
  expanded: boolean;
}

/** What agents say to each other: stands under the subagent that said it, or to which it was said. */
export interface LetterBlock extends Base {
  kind: 'letter';
  messageId: string;
  /** The name of the other one. */
  with: string;
  /** Whether the subagent got it; else it has sent it. */
  received: boolean;
  text: string;
  expanded: boolean;
}

export interface PlanEntry {
  /** Where the agent has one: it names the entry when only some are told anew. */
  id?: string;
  content: string;
  priority: string;
  status: string;
}

export interface PlanBlock extends Base {
  kind: 'plan';
  planId: string;
  entries: PlanEntry[];
  /** In words, as Markdown; empty where it is none. */
  text?: TextLog;
  /** A file that holds it. */
  uri?: string | null;
}

/** Something that happened: an error, a dead agent, a notice of the agent or of ours. */
export interface NoticeBlock extends Base {
  kind: 'notice';
  severity: 'info' | 'warning' | 'error';
  title: string;
  /** Further lines. */
  detail: string;
  /** How often it was told in a row, where that is more than once. */
  times?: number;
  /** What can be done about it now. */
  actions?: FailureAction[];
}

/** The agent makes room in its context. */
export interface CompactionBlock extends Base {
  kind: 'compaction';
  compactionId: string;
  /** `in_progress`, `completed`, `failed`, `cancelled`, `ended` where nobody told how, or what the agent says. */
  status: string;
  /** What is left of the conversation for the agent, in Markdown. */
  text: TextLog;
  error: string | null;
  startedAt: number;
  endedAt: number | null;
  expanded: boolean;
}

/** An update or content that we don't know, shown dimly. */
export interface UnknownBlock extends Base {
  kind: 'unknown';
  label: string;
  payload: unknown;
  expanded: boolean;
}

/** The last line of a turn. */
export interface TurnBlock extends Base {
  kind: 'turn';
  /** The agent's stop reason, `error`, `lost` when the agent died, or `interrupted` when we did. */
  stopReason: string;
  startedAt: number;
  endedAt: number;
  tools: number;
  /** Of these, how many ran without a permission request. */
  unasked: number;
  /** What changed on disk: as tool calls said, until it has been `measured`. */
  files: number;
  added: number;
  removed: number;
  measured: boolean;
  /** The agent said nothing in it. */
  silent?: boolean;
  /** What can be done about it now. */
  actions?: FailureAction[];
}

export type Block =
  | UserBlock
  | MessageBlock
  | ThoughtBlock
  | ToolBlock
  | SubagentBlock
  | LetterBlock
  | PlanBlock
  | NoticeBlock
  | CompactionBlock
  | UnknownBlock
  | TurnBlock;

/** A command's output: of `terminal/create`, or of a terminal that the agent runs itself. */
export interface TerminalState {
  id: string;
  command: string | null;
  cwd: string | null;
  /** The tail of the output, capped; ANSI sequences and all. */
  output: string;
  truncated: boolean;
  /** `null` while it runs. Both fields null: the agent did not say how it ended. */
  exit: { exitCode: number | null; signal: string | null } | null;
}

export interface Transcript {
  /** Folder of the session: paths are shown relative to it. */
  cwd: string;
  blocks: Map<string, Block>;
  /** Ids in screen order. */
  order: string[];
  /** Place of an id in `order`. */
  index: Map<string, number>;
  /** What stands under a block: its last child, and the number of tool calls at all depths. */
  nested: Map<string, { last: string; tools: number }>;
  terminals: Map<string, TerminalState>;
  /** Those whose commands run under us, so that their end will be told. Not kept: none runs after a restart. */
  running: Set<string>;
}

export function newTranscript(cwd: string): Transcript {
  return {
    cwd,
    blocks: new Map(),
    order: [],
    index: new Map(),
    nested: new Map(),
    terminals: new Map(),
    running: new Set(),
  };
}
