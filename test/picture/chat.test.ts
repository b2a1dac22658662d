/** Draws the picture of the README: the demo agent at work on the sample project, with a diff that waits for an answer. */
import { cpSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'vitest';
import { startNvim } from '../harness';
import { svg } from './svg';

test('doc/chat.svg', async () => {
  const nvim = await startNvim({ columns: 128, lines: 34 });
  cpSync(resolve('demo'), nvim.dir, { recursive: true });
  await nvim.command('set number laststatus=0 noruler | edit src/basket.js');
  // Asked and answered as with a picker; the question about the edit stays open.
  await nvim.lua(
    `vim.ui.select = function(items, opts, on_choice)
      if not opts.prompt:find('Edit') then on_choice(items[1], 1) end
    end`,
  );
  await nvim.command('AcpChat agent=demo Show me the tour');
  await nvim.waitForScreen('<CR> answer', { timeout: 20_000 });
  await nvim.waitForScreen('? 1 question');
  await nvim.command('echo');
  writeFileSync('doc/chat.svg', svg({ cells: nvim.grid.cells(), ...nvim.grid.defaults }));
});
