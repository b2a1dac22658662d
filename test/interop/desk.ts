import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../harness';
import { loss } from '../harness/accounted';
import { AGENTS, prepare, type Agent, type AgentName } from './agents';
import { startModel, type Model } from './model/server';
import { User } from './user';

/** The agent that all is about. */
export const AGENT = process.env.AGENT as AgentName;
if (!AGENTS.includes(AGENT)) throw new Error(`AGENT must be one of ${AGENTS.join(', ')}`);

/** A JSON-RPC message. */
export interface Frame {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown> | null;
}

/** A project, a Neovim with a person before it, and an agent whose model is scripted. */
export class Desk {
  private constructor(
    readonly dir: string,
    /** The project, Neovim's working directory. */
    readonly project: string,
    readonly model: Model,
    readonly agent: Agent,
    readonly init: string,
    readonly user: User,
  ) {}

  /** `init`: Lua that is run at the start. `fresh`: the agent is as it is before its first login. */
  static async set(files: Record<string, string>, init = '', fresh = false): Promise<Desk> {
    // Not in /tmp: Codex sets up no sandbox for a home there.
    const dir = mkdtempSync(join(process.env.AGENTS_WORK ?? '/var/tmp', `acp-interop-${AGENT}-`));
    const project = join(dir, 'project');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    const model = await startModel();
    const agent = prepare(AGENT, { home: join(dir, 'home'), project, model: model.url }, fresh);
    const { command, args, env } = agent;
    const setup = { agents: { [AGENT]: { command, args, env } } };
    const whole = `vim.o.swapfile = false
      require('acp').setup(vim.json.decode([==[${JSON.stringify(setup)}]==]))
      vim.fn.chdir(${JSON.stringify(project)})
      ${init}`;
    const user = await User.sitDown(AGENT, { init: whole, env: { ACP_INTEROP: dir } });
    return new Desk(dir, project, model, agent, whole, user);
  }

  /** The same with a new Neovim. */
  async again(): Promise<Desk> {
    const { nvim } = this.user;
    await nvim.close();
    await this.empty();
    const { dir, home } = nvim;
    const env = { ACP_INTEROP: this.dir };
    const user = await User.sitDown(AGENT, { init: this.init, env, dir, home });
    return new Desk(this.dir, this.project, this.model, this.agent, this.init, user);
  }

  /** Folder in which the plugin keeps what outlives Neovim. */
  get state(): string {
    return join(this.user.nvim.home, 'state/nvim/acp');
  }

  /** Folder of the wire logs. */
  get #wire(): string {
    return join(this.state, 'wire');
  }

  /** All frames between us and the agent's processes until now, of one direction, in order. */
  frames(direction: 'c2a' | 'a2c'): Frame[] {
    const logs = readdirSync(this.#wire).filter((name) => name.endsWith('.jsonl'));
    return logs
      .sort()
      .flatMap((name) => readFileSync(join(this.#wire, name), 'utf8').split('\n').filter(Boolean))
      .map((line) => JSON.parse(line) as { dir: string; frame?: Frame })
      .flatMap(({ dir, frame }) => (dir === direction && frame ? [frame] : []));
  }

  /** Parameters of all requests and notifications of a method that the agent got. */
  sent(method: string): Record<string, unknown>[] {
    const frames = this.frames('c2a').filter((frame) => frame.method === method);
    return frames.map(({ params }) => params ?? {});
  }

  /** What the agent was answered to its last request of a method. The log lags: to be asked until it is as expected. */
  answered(method: string): Frame['result'] {
    const asked = this.frames('a2c').findLast((frame) => frame.method === method);
    const answer = this.frames('c2a').findLast(({ id, result }) => result && id === asked?.id);
    if (!answer) throw new Error(`${method} was not answered`);
    return answer.result;
  }

  /** Ends all, and looks whether anything was lost of what the agent sent. */
  async clear(): Promise<void> {
    await this.user.nvim.close();
    await this.empty();
    this.model.close();
    if (process.env.AGENTS_LOGS && existsSync(this.#wire))
      cpSync(this.#wire, join(process.env.AGENTS_LOGS, basename(this.dir)), { recursive: true });
    const lost = existsSync(this.#wire) ? this.frames('a2c').map(loss) : [];
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    expect([...new Set(lost)].filter((why) => why !== null)).toEqual([]);
  }

  /** Waits until no process is left. */
  async empty(): Promise<void> {
    await eventually(() => expect(this.processes()).toEqual([]), { timeout: 15_000 });
  }

  path(name: string): string {
    return join(this.project, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** All files of the project, by name; not what agents keep for themselves in folders of their own. */
  files(): Record<string, string> {
    const entries = readdirSync(this.project, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return Object.fromEntries(files.map(({ name }) => [name, this.read(name)]));
  }

  /** Command lines of all processes that descend from our Neovim: its environment marks them. */
  processes(): string[] {
    const read = (pid: string, what: string) => {
      try {
        return readFileSync(`/proc/${pid}/${what}`, 'utf8');
      } catch {
        return '';
      }
    };
    if (!existsSync('/proc/self/environ')) throw new Error('this step needs /proc');
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => read(pid, 'environ').includes(`ACP_INTEROP=${this.dir}\0`))
      .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`);
  }
}
