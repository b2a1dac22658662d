import { join } from 'node:path';
import type { Nvim } from '../test/harness';

const AGENT = join(import.meta.dirname, 'flood-agent.js');
const SLOW = { timeout: 120_000 };

/** One of the two that are compared. */
export interface Client {
  name: 'floor' | 'plugin';
  /** Opens a chat with the flooding agent. */
  open(nvim: Nvim): Promise<void>;
  prompt(nvim: Nvim, text: string): Promise<void>;
}

export const floor: Client = {
  name: 'floor',
  async open(nvim) {
    await nvim.lua(
      `local file, command = ...
       package.loaded['bench.floor'] = dofile(file)
       require('bench.floor').open(command)`,
      join(import.meta.dirname, 'floor.lua'),
      [process.execPath, AGENT],
    );
  },
  async prompt(nvim, text) {
    await nvim.lua(`require('bench.floor').prompt(...)`, text);
  },
};

export const plugin: Client = {
  name: 'plugin',
  async open(nvim) {
    await nvim.lua(
      `local command, agent = ...
       require('acp').setup({
         agent = 'flood',
         agents = { flood = { command = command, args = { agent } } },
       })
       vim.cmd.AcpChat()`,
      process.execPath,
      AGENT,
    );
  },
  async prompt(nvim, text) {
    await nvim.command(`AcpChat ${text}`);
  },
};

/** A chat whose prompts are counted, since the agent ends each turn with its number. */
export class Chat {
  #turns = 0;

  constructor(
    readonly nvim: Nvim,
    readonly client: Client,
  ) {}

  /** Opens the chat and waits until the agent has answered a first prompt. */
  async open(): Promise<void> {
    await this.client.open(this.nvim);
    await this.turn('hello');
  }

  /** Sends a prompt and waits until the end of its answer is on the screen. Milliseconds. */
  async turn(text: string): Promise<number> {
    const start = performance.now();
    const ended = this.nvim.waitForScreen(`«end ${++this.#turns}»`, SLOW);
    await this.client.prompt(this.nvim, text);
    await ended;
    return performance.now() - start;
  }

  /** Lines of all buffers that hold `text`: what was sent must also have arrived. */
  count(text: string): Promise<number> {
    return this.nvim.lua<number>(
      `local text, count = ..., 0
       for _, buf in ipairs(vim.api.nvim_list_bufs()) do
         for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, true)) do
           count = count + (line:find(text, 1, true) and 1 or 0)
         end
       end
       return count`,
      text,
    );
  }

  /** Process ids of Neovim and, for the plugin, the sidecar. */
  async pids(): Promise<number[]> {
    const own = this.nvim.pid ?? 0;
    if (this.client.name === 'floor') return [own];
    const sidecar = `return vim.fn.jobpid(require('acp.sidecar').channel())`;
    return [own, await this.nvim.lua<number>(sidecar)];
  }
}
