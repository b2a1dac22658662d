import { expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';

test('what fails while it moves is told, and moves no more', async () => {
  const nvim = await startNvim();
  await nvim.lua(`
    _G.told = {}
    vim.notify = function(text) table.insert(told, text) end
    require('acp.ui.ticker').start('x', function() error('stuck', 0) end)`);
  await eventually(async () => {
    expect(await nvim.lua(`return require('acp.ui.ticker').active()`)).toBe(false);
    expect(await nvim.lua(`return told`)).toEqual(['stuck']);
  });
});
