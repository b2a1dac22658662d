/** What the winbar, completion and any statusline show of a session. */
import type { Account, Goal } from '../acp/events';
import type { Op } from '../render/ops';
import type { Question } from './question';

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
