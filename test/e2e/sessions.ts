/** Many sessions, and what is left of them when something dies. */
import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually, isAlive, startNvim, type HarnessAgent, type Nvim } from '../harness';
import { init, lines, state } from './e2e';

/** Another Neovim in the folder of one, with what that one has left or shares with it. */
export function another(nvim: Nvim, agent: HarnessAgent, options = {}): Promise<Nvim> {
  const { dir, home } = nvim;
  return startNvim({ init: init({ scripted: agent }, options), dir, home });
}

/** What a session's transcript says. */
export async function said(nvim: Nvim, session = 's1'): Promise<string> {
  return (await lines(nvim, session)).join('\n');
}

/** What stands in a session's prompt. */
export function prompt(nvim: Nvim, session = 's1'): Promise<string> {
  return nvim.lua(`return require('acp.ui.prompt').text(require('acp.chat').get(...))`, session);
}

/** Waits until a session says so. */
export async function says(nvim: Nvim, wanted: string | RegExp, session = 's1'): Promise<void> {
  await eventually(async () => {
    const text = await said(nvim, session);
    if (typeof wanted === 'string') expect(text).toContain(wanted);
    else expect(text).toMatch(wanted);
  });
}

/** Goes from the prompt, in whatever mode, to a command. */
export async function run(nvim: Nvim, command: string): Promise<void> {
  await nvim.input(`<C-\\><C-n>:${command.replaceAll('<', '<LT>')}<CR>`);
}

/** The rows of the list that a command has opened. */
export async function rows(nvim: Nvim, command = 'AcpSessions'): Promise<string[]> {
  await run(nvim, command);
  // The question of a list before it may still stand there.
  if (command === 'AcpSessions') await nvim.waitForScreen(/^Session to /);
  await nvim.waitForScreen('Type number');
  return nvim
    .screen()
    .split('\n')
    .flatMap((line) => /^\d+: (.*\S)/.exec(line)?.[1] ?? []);
}

/** Chooses what matches from the list that a command opens. */
export async function choose(nvim: Nvim, wanted: RegExp, command = 'AcpSessions'): Promise<void> {
  const all = await rows(nvim, command);
  const index = all.findIndex((row) => wanted.test(row));
  expect(index, `no ${wanted} in\n${all.join('\n')}`).toBeGreaterThanOrEqual(0);
  await nvim.input(`${index + 1}<CR>`);
}

/** Leaves the list as it is. */
export async function dismiss(nvim: Nvim): Promise<void> {
  await nvim.input('<CR>');
  await eventually(() => expect(nvim.screen()).not.toContain('Type number'));
}

/** Ends the sidecar as a crash would, and waits until Neovim knows. */
export async function killSidecar(nvim: Nvim, session = 's1'): Promise<void> {
  const sidecar = await nvim.lua<number>(`return require('acp.sidecar').pid()`);
  process.kill(sidecar, 'SIGKILL');
  await eventually(async () => {
    expect(isAlive(sidecar)).toBe(false);
    expect((await state(nvim, session)).state).toBe('dead');
  });
}

/** How often a text says something. */
export function times(text: string, word: string): number {
  return text.split(word).length - 1;
}

/** Sessions that an agent has of another client, as they stand in its file; the last one is the newest. */
export function seed(file: string, cwd: string, titles: string[], age = 0): void {
  const began = Date.now() - age - titles.length * 1000;
  const entries = titles.flatMap((title, i) => {
    const [id, t] = [`kept-of-others-${i + 1}`, began + i * 1000];
    const chunk = { sessionUpdate: 'agent_message_chunk', content: text(`answer to ${title}`) };
    return [
      { id, t, at: 'new', cwd },
      { id, t, at: 'prompt', text: title, content: [text(title)], messageId: `user-${i}` },
      { id, t, at: 'update', update: chunk },
      { id, t, at: 'title', title },
    ];
  });
  appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

const text = (words: string) => ({ type: 'text', text: words });

/** An agent forgets all that it had. */
export function forget(file: string, ...ids: string[]): void {
  for (const id of ids)
    appendFileSync(file, `${JSON.stringify({ id, t: Date.now(), at: 'gone' })}\n`);
}
