/**
 * What an agent tells, whatever version and dialect it speaks. Shaped like ACP v2: upserts by id, content chunks,
 * whole lists. Everything above `acp/` sees these and no wire type.
 */
import type { PlanEntry, ToolContent } from '../session/model';

/** Content of a message, reduced to what a transcript shows. */
export type Content =
  | { type: 'text'; text: string }
  /** No text: an image, audio, a link, or a kind that we don't know; `label` is one line. */
  | { type: 'other'; label: string; known: boolean; payload: unknown };

/** Absent field: unchanged. */
export interface ToolCallPatch {
  id: string;
  title?: string;
  kind?: string;
  status?: string;
  content?: ToolContent[];
  locations?: { path: string; line?: number }[];
  rawInput?: unknown;
  rawOutput?: unknown;
  /** What the tool itself gave to its agent, where that is told beside the output. */
  response?: unknown;
  /** More of its output: goes behind the text that is there. */
  append?: string;
}

export interface PermissionOption {
  id: string;
  name: string;
  kind: string;
}

export interface ConfigChoice {
  value: string;
  name: string;
  description?: string;
  group?: string;
}

interface AnyOption {
  id: string;
  name: string;
  description?: string;
  category?: string;
}

export interface SelectOption extends AnyOption {
  type: 'select';
  value: string;
  choices: ConfigChoice[];
}

export interface BooleanOption extends AnyOption {
  type: 'boolean';
  value: boolean;
}

/** A session's setting as the agent offers it. */
export type ConfigOption = SelectOption | BooleanOption;

/** Cumulative, in a currency (ISO 4217) or another unit, such as `credits`. */
export interface Cost {
  amount: number;
  currency: string;
}

/** A limit of the agent's service. `used` is a share, from 0 to 1; `resets` in milliseconds since the epoch. */
export interface Limit {
  name: string;
  state: 'ok' | 'near' | 'reached';
  used?: number;
  resets?: number;
}

export interface SlashCommand {
  name: string;
  description: string;
  hint?: string;
}

/** What a subagent does: one that a tool call has started, or a session of its own. */
export interface SubagentPatch {
  /** The id of the tool call, or of the child session. */
  id: string;
  /** The tool call that started it, where it is another than `id`. */
  call?: string;
  title?: string;
  description?: string;
  /** `unknown`: nobody tells, and it must not be taken for idle. */
  state?: 'running' | 'waiting' | 'idle' | 'completed' | 'failed' | 'cancelled' | 'unknown';
  /** Why it failed, in the agent's words. */
  error?: string;
  /** Whether it can be cancelled by itself: `session/cancel` with `id`. */
  cancel?: boolean;
}

/** A thing that the user can do about a failure. */
export type FailureAction = 'retry' | 'login' | 'reopen' | 'new_session';

/** What the agent works towards over several turns. */
export interface Goal {
  objective: string;
  /** `active`, `paused`, `blocked`, `complete`, `limited`, or what the agent says. */
  status: string;
  /** Why it stands so. */
  reason?: string;
}

/** Who is logged in at the agent. `unneeded`: it works without. `unknown`: it does not tell. */
export interface Account {
  state: 'in' | 'out' | 'unneeded' | 'unknown';
  /** One line: a mail address, a plan, the kind of key. */
  label?: string;
}

/** Of which subagent an event is; absent: of the agent itself. */
interface Whose {
  subagent?: string;
}

export type AgentEvent = Whose & Told;

type Told =
  | {
      type: 'chunk';
      role: 'user' | 'agent' | 'thought';
      messageId: string | null;
      content: Content;
    }
  /**
   * A draft of what the agent says in a turn of this number (null: in the one that runs): shown, and replaced by what it
   * says in the end.
   */
  | { type: 'draft'; turn: number | null; content: Content }
  /** What the agent says in that turn: takes the place of all drafts of it. */
  | { type: 'final'; turn: number | null; messageId: string | null; content: Content }
  /** `announced`: a `tool_call`, the first word of a call; else an update of one. */
  | { type: 'tool_call'; patch: ToolCallPatch; announced: boolean }
  /** `merge`: entries that are not named stay as they are. */
  | { type: 'plan'; planId: string; entries: PlanEntry[]; merge?: boolean }
  /** A plan in words: Markdown (with `append`: more of it), or a file that holds it. */
  | { type: 'plan_text'; planId: string; text: string; append?: boolean }
  | { type: 'plan_file'; planId: string; uri: string }
  | { type: 'plan_removed'; planId: string }
  | { type: 'subagent'; patch: SubagentPatch }
  /**
   * What agents say to each other, by the ids of their subagents. Absent field: unchanged; `append` goes behind `text`.
   * Absent `from` or `to`: the one that tells.
   */
  | {
      type: 'letter';
      messageId: string;
      from?: string;
      to?: string;
      text?: string;
      append?: string;
    }
  /** Output of a terminal that the agent runs itself. */
  | {
      type: 'terminal';
      terminalId: string;
      cwd?: string;
      append?: string;
      exit?: { exitCode: number | null; signal: string | null };
    }
  | { type: 'commands'; commands: SlashCommand[] }
  | { type: 'config'; options: ConfigOption[] }
  | { type: 'mode'; modeId: string }
  | { type: 'model'; modelId: string }
  | { type: 'title'; title: string | null }
  /** Absent field: unchanged. `cost` null: it is not known any more. */
  | { type: 'usage'; used?: number; size?: number; cost?: Cost | null }
  | { type: 'limit'; limit: Limit }
  | { type: 'account'; account: Account }
  /** Null: there is none any more. */
  | { type: 'goal'; goal: Goal | null }
  /** Prompts that the agent proposes; they take the place of those before. */
  | { type: 'suggestions'; texts: string[] }
  /** The agent makes room in its context. Absent field: unchanged; `append` goes behind `summary`. */
  | {
      type: 'compaction';
      id: string;
      status?: string;
      summary?: string | null;
      append?: string;
      error?: string | null;
    }
  /** Why the agent can't go on. A later one of the same `id` with a higher `revision` takes its place. */
  | {
      type: 'failure';
      id: string;
      revision: number;
      severity: 'info' | 'warning' | 'error';
      title: string;
      detail: string;
      actions: FailureAction[];
    }
  /** The agent's own program for this session is gone; `session/load` has it again. */
  | { type: 'session_ended'; code: number | null; signal: string | null }
  | {
      type: 'notice';
      severity: 'info' | 'warning' | 'error';
      title: string;
      detail: string;
    }
  | { type: 'unknown'; label: string; payload: unknown };
