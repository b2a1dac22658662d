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

export type AgentEvent =
  | {
      type: 'chunk';
      role: 'user' | 'agent' | 'thought';
      messageId: string | null;
      content: Content;
    }
  /** `announced`: a `tool_call`, the first word of a call; else an update of one. */
  | { type: 'tool_call'; patch: ToolCallPatch; announced: boolean }
  | { type: 'plan'; planId: string; entries: PlanEntry[] }
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
  | { type: 'title'; title: string | null }
  /** Absent field: unchanged. `cost` null: it is not known any more. */
  | { type: 'usage'; used?: number; size?: number; cost?: Cost | null }
  | { type: 'limit'; limit: Limit }
  | {
      type: 'notice';
      severity: 'info' | 'warning' | 'error';
      title: string;
      detail: string;
    }
  | { type: 'unknown'; label: string; payload: unknown };
