/** The running agents: one process for each way in which a configured agent is started, shared by its sessions. */
import type { AgentSpec, SidecarConfig } from '../nvim/protocol';
import { WireLog } from '../wire/log';
import { Agent } from './agent';
import { commandLine } from './launch';

export class AgentPool {
  /** The one of each kind that new sessions get. */
  readonly #agents = new Map<string, Agent>();
  /** All that run, those too that are being ended. */
  readonly #running = new Set<Agent>();
  readonly #config: SidecarConfig;
  readonly #onWarning: (message: string) => void;
  readonly #idleTimer: NodeJS.Timeout | null;

  constructor(config: SidecarConfig, onWarning: (message: string) => void) {
    this.#config = config;
    this.#onWarning = onWarning;
    const { idleTimeoutMs: limit } = config;
    this.#idleTimer = limit > 0 ? setInterval(() => this.#endIdle(limit), limit / 4).unref() : null;
  }

  /** The agent that `spec` describes, started in `cwd` when it doesn't run. */
  get(spec: AgentSpec, cwd: string): Agent {
    const kind = kindOf(spec, cwd);
    const running = this.#agents.get(kind);
    if (running?.running && !running.resting) return running;
    const { enabled, maxBytes, maxFiles } = this.#config.wire;
    const wire = new WireLog({
      dir: `${this.#config.stateDir}/wire`,
      agent: spec.name,
      enabled,
      maxBytes,
      maxFiles,
      onFault: this.#onWarning,
    });
    const agent = new Agent({ spec, cwd, wire });
    this.#agents.set(kind, agent);
    this.#running.add(agent);
    void agent.ended.then(() => {
      this.#running.delete(agent);
      if (this.#agents.get(kind) === agent) this.#agents.delete(kind);
    });
    return agent;
  }

  /** The next session gets a process of its own: what this one lives on is what it was when it started. */
  retire(agent: Agent): void {
    for (const [kind, running] of this.#agents) if (running === agent) this.#agents.delete(kind);
  }

  #endIdle(limit: number): void {
    for (const agent of this.#running) {
      const since = agent.restfulSince;
      if (since !== null && Date.now() - since >= limit && !agent.resting) void agent.rest();
    }
  }

  /** Ends them all. */
  async end(): Promise<void> {
    if (this.#idleTimer) clearInterval(this.#idleTimer);
    await Promise.all([...this.#running].map((agent) => agent.end()));
  }
}

/** Sessions share a process where all that it was started with is the same: another project may be in another container. */
function kindOf(spec: AgentSpec, cwd: string): string {
  const { name, env, withhold, meta, paths } = spec;
  return JSON.stringify([name, commandLine(spec, cwd), spec.cwd, env, withhold, meta, paths]);
}
