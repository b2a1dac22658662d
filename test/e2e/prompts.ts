/** A prompt and what comes of it at the agent. */
import { expect } from 'vitest';
import { eventually, type HarnessAgent, type Nvim } from '../harness';
import { idle, startChat } from './e2e';
import { prompt } from './sessions';

export type Block = Record<string, unknown> & { resource?: { uri: string; text: string } };

type Options = Parameters<typeof startChat>[1];

/** A Neovim with a file in its window, and beside it a chat that is ready, with the cursor in its prompt. */
export async function startAtPrompt(
  agent: HarnessAgent,
  { before, ...options }: Options & { before?: (nvim: Nvim) => Promise<unknown> } = {},
): Promise<Nvim> {
  const nvim = await startChat(agent, options);
  await before?.(nvim);
  await openPrompt(nvim);
  return nvim;
}

/** Opens the chat, and waits until its session is there. */
export async function openPrompt(nvim: Nvim, session = 's1'): Promise<void> {
  await nvim.input(':AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await idle(nvim, session);
  await eventually(() => expect(nvim.mode).toBe('insert'));
}

/** Waits until the prompt holds that. */
export async function holds(nvim: Nvim, text: string, session = 's1'): Promise<void> {
  await eventually(async () => expect(await prompt(nvim, session)).toBe(text));
}

/** What the agent got of its last prompt, when it has got so many: its text, and what goes along. */
export async function got(
  agent: HarnessAgent,
  count = 1,
): Promise<{ text: unknown; along: Block[] }> {
  await eventually(() => expect(agent.received('session/prompt')).toHaveLength(count));
  const [first, ...along] = agent.received('session/prompt').at(-1)!.params!.prompt as Block[];
  return { text: first?.text, along };
}

/** The texts in the menu; nothing where none is open. */
export function menu(nvim: Nvim): Promise<string[]> {
  return nvim.lua(`
    local info = vim.fn.complete_info({ 'items', 'pum_visible' })
    if info.pum_visible == 0 then return {} end
    return vim.tbl_map(function(item) return item.word end, info.items)`);
}

/** Waits until the menu holds these, in this order, among others. */
export async function offers(nvim: Nvim, ...words: string[]): Promise<void> {
  await eventually(async () => {
    const shown = await menu(nvim);
    expect(shown.filter((word) => words.includes(word))).toEqual(words);
  });
}

/** The names above the prompt, and what stands behind each. */
export function above(nvim: Nvim): Promise<string> {
  return nvim.lua(`
    local buf = require('acp.chat').get('s1').prompt_buf
    local win = vim.fn.win_findbuf(buf)[1]
    local bar = vim.wo[win].winbar
    if bar == '' then return '' end
    return vim.api.nvim_eval_statusline(bar, { winid = win, use_winbar = true }).str`);
}

/** Waits for such a message. */
export async function tells(nvim: Nvim, wanted: string | RegExp): Promise<void> {
  await eventually(async () => {
    const messages = await nvim.messages();
    if (typeof wanted === 'string') expect(messages).toContain(wanted);
    else expect(messages).toMatch(wanted);
  });
}
