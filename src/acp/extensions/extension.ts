/** What a vendor, or a convention of several, says beyond the protocol. */
import type { Json } from '../coerce';
import type { Form } from '../elicitation';
import type { AgentEvent } from '../events';
import type { AuthWay } from '../login';

export type ToolCallEvent = Extract<AgentEvent, { type: 'tool_call' }>;

export type LetterEvent = Extract<AgentEvent, { type: 'letter' }>;

export interface Extension {
  /** What we say of ourselves in `clientCapabilities`, so that an agent speaks this dialect; merged with the rest. */
  readonly capabilities?: Json;
  /** An update of a kind that ACP doesn't have; undefined: it is none of this dialect. */
  update?(kind: string, update: Json): AgentEvent[] | undefined;
  /**
   * Adds to the events of an update what stands in its `_meta`, or changes them. Called only where there is a `_meta`: `meta`
   * is the update's, `outer` that of the notification around it; where one is missing it is empty.
   */
  refine?(events: AgentEvent[], meta: Json, outer: Json): AgentEvent[];
  /** What a tool call says that tells of something else; gives what stands for it. */
  toolCall?(event: ToolCallEvent): AgentEvent[];
  /** What agents say to each other, where that is nothing to be shown. */
  letter?(event: LetterEvent): AgentEvent[];
  /** Whether the content of a chunk is all there is, not a piece to be joined with others like it. `meta`, `outer`: as above. */
  whole?(meta: Json, outer: Json): boolean;
  /** How a way to log in goes that ACP doesn't have, as it stands in `authMethods`; undefined: it is none of this dialect. */
  login?(method: Json): AuthWay | undefined;
  /** Changes a form, by what else its request says. `params`: of `elicitation/create`. */
  form?(form: Form, params: Json): Form;
  /** Whether a permission request is about a plan that is to be approved. `call`: its `toolCall`. */
  isPlan?(call: Json): boolean;
  /** A notification of its own; undefined: it is none of this dialect. */
  notification?(method: string, params: Json): Notified | undefined;
  /** A request of its own; undefined: it is none of this dialect. */
  request?(method: string, params: Json): Asked | undefined;
}

/**
 * What a notification tells. Without a `sessionId` it is of the session whose tool call it names; where it names none either, it
 * is of the agent itself: every session hears it.
 */
export interface Notified {
  sessionId?: string;
  toolCallId?: string;
  events: AgentEvent[];
}

/** What a request wants. Without a `sessionId` it is of the session whose tool call that is, or the only one. */
export interface Asked {
  sessionId?: string;
  /** The tool call that it is about. */
  toolCallId?: string;
  /** To be told before anything is asked. */
  events: AgentEvent[];
  /** What the user is asked. Absent: nothing, and `answer` is called with null. */
  question?: AskedQuestion;
  /** Makes the result of the request; null: nobody has answered. Called once. */
  answer: (answer: GivenAnswer | null) => unknown;
}

export type AskedQuestion =
  | { type: 'form'; form: Form }
  /** `plan`: Markdown. */
  | { type: 'plan'; title: string; plan: string };

/** `decline`: the user said no, maybe with words; `values` are of an accepted form. */
export type GivenAnswer =
  | { action: 'accept'; values: Record<string, string | number | boolean | string[]> }
  | { action: 'decline'; words?: string };
