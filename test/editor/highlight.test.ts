import { expect, test } from 'vitest';
import { startNvim, type Nvim } from '../harness';

const setUp = () => startNvim({ init: `require('acp.highlight').setup()` });
const red = (nvim: Nvim): Promise<string> =>
  nvim.lua(`return ('#%06x'):format(vim.api.nvim_get_hl(0, { name = 'AcpAnsiRed' }).fg)`);

test('colours of command output can be read on a light background too', async () => {
  const nvim = await setUp();
  await nvim.command('set background=dark');
  const dark = await red(nvim);
  await nvim.command('set background=light');
  const light = await red(nvim);
  expect(light).not.toBe(dark);
  await nvim.command('set background=dark');
  expect(await red(nvim)).toBe(dark);
});

test('a colour that somebody else has set stays', async () => {
  const nvim = await setUp();
  await nvim.lua(`
    vim.api.nvim_set_hl(0, 'AcpAnsiRed', { fg = '#123456' })
    require('acp.highlight').define()
  `);
  expect(await red(nvim)).toBe('#123456');
});

test('colours of the colour scheme are taken', async () => {
  const nvim = await setUp();
  await nvim.lua(`vim.g.terminal_color_1 = '#abcdef' require('acp.highlight').define()`);
  expect(await red(nvim)).toBe('#abcdef');
});

test('each group links to one that says something', async () => {
  const nvim = await setUp();
  for (const background of ['dark', 'light']) {
    await nvim.command(`set background=${background}`);
    const empty = await nvim.lua<string[]>(`
      local groups = vim.tbl_keys(require('acp.highlight').links)
      return vim.tbl_filter(function(group)
        return vim.tbl_isempty(vim.api.nvim_get_hl(0, { name = group, link = false }))
      end, groups)`);
    expect(empty).toEqual([]);
  }
});
