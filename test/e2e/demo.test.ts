import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startNvim } from '../harness';

it('make demo without a terminal prints the tour as it looks on the screen', async () => {
  const { stdout } = await promisify(execFile)(resolve('scripts/demo'), [], {
    env: { ...process.env, ACP_DEMO_PACE: '0', NODE_TEST_CONTEXT: undefined },
  });
  expect(stdout).toContain('asks: Edit src/basket.js:11 → Allow once');
  expect(stdout).toContain('▌ /tour');
  expect(stdout).toMatch(/^Plan 4\/4$/m);
  expect(stdout).toMatch(/^✗ Run .* exit 1$/m);
  expect(stdout).toMatch(/^✓ Read +src\/basket\.js/m);
  expect(stdout).toMatch(/^✓ Edit +src\/basket\.js:11 .* \+3 −3$/m);
  expect(stdout).toMatch(/^✓ Run .* exit 0$/m);
});

it('make demo in a terminal opens Neovim in the sample project, with a chat on the demo agent', async () => {
  const nvim = await startNvim({ columns: 160, env: { ACP_DEMO_PACE: '0' } });
  const program = process.env['NVIM'] || 'nvim';
  await nvim.command(`terminal env NVIM=${program} ${resolve('scripts/demo')}`);
  await nvim.waitForScreen('Demo of acp-sidecar.nvim', { timeout: 10_000 });
  await nvim.waitForScreen(/\/tour/);
  await nvim.waitForScreen('basket.js');
  await nvim.input('i<C-s>');
  await nvim.waitForScreen('▌ /tour');
  await nvim.waitForScreen(/The demo agent|without a language model|no language model/);
});

it('the demo agent sends subagents out, one of which asks, and has a plan approved', async () => {
  const nvim = await startNvim({ columns: 160, env: { ACP_DEMO_PACE: '0' } });
  await nvim.lua(`require('acp').setup({ permission = { open = 'manual' } })`);
  await nvim.command(`cd ${resolve('demo')}`);
  await nvim.input(':AcpChat agent=demo /subagents<CR>');
  await nvim.waitForScreen(/✓ Agent +Look at the code .*1 tool/, { timeout: 10_000 });
  await nvim.waitForScreen(/\? Run .*for Run the tests/);
  await nvim.command('AcpReject');
  await nvim.waitForScreen('the other ran nothing');
  await nvim.command('AcpChat /approve');
  await nvim.waitForScreen('3 No, keep planning');
  await nvim.command('AcpPermission');
  await nvim.waitForScreen('Mend src/basket.js');
});
