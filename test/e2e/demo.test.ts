import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

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
