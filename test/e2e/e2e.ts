/** A Neovim with the whole plugin, the real sidecar and a real agent process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startNvim, type HarnessAgent, type Nvim, type NvimOptions } from '../harness';

/** `setup()` with these agents; the first is the default. */
export function init(agents: Record<string, HarnessAgent | undefined>, options = {}): string {
  const entries = Object.entries(agents).map(([name, agent]): [string, object] => [
    name,
    agent ? { command: agent.command, args: agent.args } : {},
  ]);
  const config = {
    agents: Object.fromEntries(entries),
    agent: entries[0]?.[0],
    unsaved: 'send',
    ...options,
  };
  return `
    vim.o.swapfile = false
    require('acp').setup(vim.json.decode(${JSON.stringify(JSON.stringify(config))}))
  `;
}

/** Starts Neovim with `agent` as the default agent. */
export function startChat(
  agent: HarnessAgent,
  { options = {}, ...nvim }: NvimOptions & { options?: object } = {},
): Promise<Nvim> {
  return startNvim({ init: init({ scripted: agent }, options), ...nvim });
}

/** The demo agent, streaming without pauses. */
export function startDemo({ options = {}, ...nvim }: NvimOptions & { options?: object } = {}) {
  return startNvim({
    init: init({}, { agent: 'demo', ...options }),
    ...nvim,
    env: { ACP_DEMO_PACE: '0', ...nvim.env },
  });
}

/** A file in Neovim's folder; gives its path. */
export function file(nvim: Nvim, name: string, text: string): string {
  const path = join(nvim.dir, name);
  writeFileSync(path, text);
  return path;
}

export function lines(nvim: Nvim, session = 's1'): Promise<string[]> {
  return nvim.lua(
    `return vim.api.nvim_buf_get_lines(require('acp.chat').get(...).buf, 0, -1, false)`,
    session,
  );
}

export function state(nvim: Nvim, session = 's1'): Promise<Record<string, unknown>> {
  return nvim.lua(`return require('acp.state').get(...) or vim.empty_dict()`, session);
}

/** Waits until the session does nothing. */
export async function idle(nvim: Nvim, session = 's1'): Promise<void> {
  await eventually(async () => {
    const status = await state(nvim, session);
    if (status.state !== 'idle') throw new Error(`the session is ${String(status.state)}`);
  });
}

/** Sends a prompt as the user does: types it, and `<C-s>`. */
export async function type(nvim: Nvim, text: string): Promise<void> {
  await nvim.input(`i${text.replaceAll('<', '<LT>')}<C-s>`);
}
