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

test.each([
  ['dark', { bg: '#003300', fg: '#ffffff' }, { bg: 0x003300 }],
  ['dark', { bg: '#ccffcc', fg: '#000000' }, { bg: 0xccffcc, fg: 0 }],
  ['light', { bg: '#ccffcc', fg: '#000000' }, { bg: 0xccffcc }],
  ['dark', { fg: '#00ff00' }, { fg: 0x00ff00 }],
  [
    'dark',
    { fg: '#00ff00', bg: '#000000', reverse: true },
    { fg: 0x00ff00, bg: 0, reverse: true, cterm: { reverse: true } },
  ],
] as const)(
  'on a %s background, lines added as %j keep the colours of the code where they can be read',
  async (background, scheme, expected) => {
    const nvim = await setUp();
    await nvim.command(`set background=${background}`);
    const group = await nvim.lua<Record<string, unknown>>(
      `vim.api.nvim_set_hl(0, 'DiffAdd', ...)
      require('acp.highlight').define()
      return vim.api.nvim_get_hl(0, { name = 'AcpReviewLine', link = false })`,
      scheme,
    );
    expect(group).toEqual(expected);
  },
);
