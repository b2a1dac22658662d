/** Turns that are torn: Neovim ends, is killed or waits for a key in the middle of one. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, isAlive, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const call = (id: string, status: string): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId: id, title: 'Edit', kind: 'edit', status },
});

const sidecarOf = (nvim: Nvim): Promise<number> => nvim.lua(`return require('acp.sidecar').pid()`);

const pending = (nvim: Nvim): Promise<string[]> =>
  nvim.lua(`local names = {}
    for _, item in ipairs(vim.fn.getqflist()) do names[#names + 1] = vim.fn.bufname(item.bufnr) end
    return names`);

it('a turn that begins while Neovim waits for a key goes on without a record, and ends with Neovim', async () => {
  const agent = scriptedAgent([{ stubborn: true }, PROMPT, { expect: 'never' }]);
  const nvim = await startChat(agent);
  await nvim.input(':AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await idle(nvim);
  const sidecar = await sidecarOf(nvim);
  await nvim.lua(`_G.go = function()
    require('acp.rpc').notify('prompt.send', { session = 's1', text = 'go' })
    vim.fn.getchar()
  end`);
  await nvim.input('<Esc>:lua go()<CR>');
  await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1), {
    timeout: 9000,
  });
  await nvim.kill();
  await eventually(
    () => {
      expect(agent.alive()).toEqual([]);
      expect(isAlive(sidecar)).toBe(false);
    },
    { timeout: 9000 },
  );
});

it('what the user changes after a Neovim that was ended in a turn is not the agent’s', async () => {
  const agent = scriptedAgent([
    PROMPT,
    { sh: 'echo agent > a.txt' },
    call('c1', 'completed'),
    { sh: 'echo agent > b.txt' },
    chunk('at work'),
    { expect: 'never' },
  ]);
  const nvim = await startChat(agent);
  const { dir, home } = nvim;
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(dir, name), 'before\n');
  execFileSync('git', ['init', '-q'], { cwd: dir });
  await nvim.input(':AcpChat go<CR>');
  await nvim.waitForScreen('at work');
  const sidecar = await sidecarOf(nvim);
  await nvim.input('<Esc>:qa<CR>');
  await nvim.exited;
  await eventually(() => expect(isAlive(sidecar)).toBe(false), { timeout: 9000 });
  writeFileSync(join(dir, 'c.txt'), 'user\n');
  writeFileSync(join(dir, 'b.txt'), 'agent\nuser\n');

  const next = await startChat(agent, { dir, home });
  await next.command('AcpReview');
  await eventually(async () => expect(await pending(next)).not.toEqual([]));
  expect(await pending(next)).toEqual(['a.txt', 'b.txt']);
});
