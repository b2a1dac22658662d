/** What the configuration says of an agent and of the sidecar. */

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
  /** Functions of the configuration have made it: `agent.spec` calls them again each time the agent is started anew. */
  live?: true;
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
