import { describe, expect, it } from 'vitest';
import {
  eventually,
  isAlive,
  scriptedAgent,
  type Nvim,
  type ScriptedAgent,
  type Step,
} from '../harness';
import { chunk } from '../protocol/fake-editor';
import { lines, startChat, state, type } from './e2e';

/** An agent of the worst kind: it ignores the end of its input and SIGTERM, and has a child. */
const STUBBORN: Step[] = [
  { stubborn: true },
  { spawn: ['sleep', '600'] },
  { expect: 'session/prompt' },
  chunk('at work'),
];

async function working(agent: ScriptedAgent): Promise<{ nvim: Nvim; sidecar: number }> {
  const nvim = await startChat(agent);
  await nvim.input(':AcpChat go<CR>');
  await nvim.waitForScreen('at work');
  expect(agent.alive()).toHaveLength(2);
  const sidecar = await nvim.lua<number>(`return require('acp.sidecar').pid()`);
  return { nvim, sidecar };
}

async function nothingLeft(agent: ScriptedAgent, sidecar: number): Promise<void> {
  await eventually(
    () => {
      expect(agent.alive()).toEqual([]);
      expect(isAlive(sidecar)).toBe(false);
    },
    { timeout: 8000 },
  );
}

describe('no process is left', () => {
  it('by :qa, and Neovim does not wait for the agents', async () => {
    const agent = scriptedAgent(STUBBORN);
    const { nvim, sidecar } = await working(agent);
    const began = Date.now();
    await nvim.input('<Esc>:qa<CR>');
    expect(await nvim.exited).toBe(0);
    expect(Date.now() - began).toBeLessThan(1000);
    await nothingLeft(agent, sidecar);
  });

  it('by SIGKILL on Neovim', async () => {
    const agent = scriptedAgent(STUBBORN);
    const { nvim, sidecar } = await working(agent);
    await nvim.kill();
    await nothingLeft(agent, sidecar);
  });

  it('by SIGKILL on the sidecar; what was said stays, and a prompt may begin a new session below it', async () => {
    const agent = scriptedAgent(STUBBORN, [
      { expect: 'session/prompt' },
      chunk('a new life'),
      { reply: { stopReason: 'end_turn' } },
    ]);
    const { nvim, sidecar } = await working(agent);
    process.kill(sidecar, 'SIGKILL');
    await eventually(async () => expect((await state(nvim)).state).toBe('dead'));
    await nothingLeft(agent, sidecar);
    expect((await lines(nvim)).join('\n')).toContain('at work');
    await nvim.input('<Esc>');
    await type(nvim, 'go on');
    await nvim.waitForScreen('has forgotten this session');
    const prompt = `return require('acp.ui.prompt').text(require('acp.chat').get('s1'))`;
    await eventually(async () => expect(await nvim.lua(prompt)).toBe('go on'));
    await nvim.input('<C-s>');
    await nvim.waitForScreen('Start a new session without it');
    await nvim.input('2<CR>');
    await nvim.waitForScreen('a new life');
    const text = (await lines(nvim)).join('\n');
    expect(text).toMatch(/at work[^]*has forgotten this session[^]*go on[^]*a new life/);
  });

  it('by wiping the chat out', async () => {
    const agent = scriptedAgent(STUBBORN);
    const { nvim } = await working(agent);
    await nvim.command(`lua vim.cmd.bwipeout({ require('acp.chat').get('s1').buf, bang = true })`);
    await eventually(() => expect(agent.alive()).toEqual([]), { timeout: 8000 });
    expect(await nvim.lua(`return require('acp.chat').get('s1') == nil`)).toBe(true);
  });
});

describe('an agent that dies', () => {
  it('tells its exit code and last words in the transcript', async () => {
    const agent = scriptedAgent([
      { expect: 'session/prompt' },
      { stderr: 'Segmentation fault, sorry\n' },
      { exit: 139 },
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await nvim.waitForScreen('exited with code 139');
    await nvim.waitForScreen('Segmentation fault, sorry');
  });
});
