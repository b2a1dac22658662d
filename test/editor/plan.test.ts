import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, startNvim, type Nvim } from '../harness';

const options = [
  { id: 'reject', name: 'No, keep planning', kind: 'reject_once' },
  { id: 'auto', name: 'Yes, and use auto mode', kind: 'allow_always' },
  { id: 'bypass', name: 'Yes, and bypass permissions', kind: 'allow_always' },
  { id: 'default', name: 'Yes, manually approve edits', kind: 'allow_once' },
];
const plan = ['# Goal', '', 'Use `x`.', ...Array.from({ length: 60 }, (_, i) => `${i + 1}. step`)];
const question = {
  id: 'q1',
  block: 'b1',
  title: 'Approve Plan',
  detail: [],
  options,
  hasDiff: false,
  editable: 'no',
  plan,
};

let nvim: Nvim;

beforeEach(async () => {
  nvim = await startNvim({
    columns: 100,
    lines: 30,
    init: `
      vim.o.shortmess = vim.o.shortmess .. 'I'
      sent = {}
      require('acp.rpc').notify = function(method, params) table.insert(sent, { method, params }) end
      require('acp.highlight').setup()
      require('acp.config').setup({ permission = { quiet_ms = 0, open = 'always' } })
      require('acp.state').apply('s1', { agent = 'Nano', state = 'waiting' })
      permission = require('acp.ui.permission')
    `,
  });
});

const open = (more: object = {}): Promise<unknown> =>
  nvim.lua('permission.opened(...)', { session: 's1', question: { ...question, ...more } });
const sent = (): Promise<unknown[]> => nvim.lua('return sent');
const count = (): Promise<number> => nvim.lua('return permission.count()');
const floats = (): Promise<number> =>
  nvim.lua(`
    return #vim.tbl_filter(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end, vim.api.nvim_list_wins())`);
const answer = (option: string, words?: string) => [
  [
    'question.answer',
    { session: 's1', question: 'q1', option, ...(words !== undefined && { words }) },
  ],
];

describe('a plan', () => {
  test('is shown whole, with the answers by their names, in their order', async () => {
    await open();
    await nvim.waitForScreen('Nano asks: Approve Plan');
    await nvim.waitForScreen('1  No, keep planning');
    await nvim.waitForScreen('4  Yes, manually approve edits');
    const highlighted = await nvim.lua(`
      local buf = vim.iter(vim.api.nvim_list_bufs()):find(function(b)
        return vim.api.nvim_buf_get_lines(b, 0, 1, false)[1] == '# Goal'
      end)
      return vim.treesitter.highlighter.active[buf] ~= nil`);
    expect(highlighted).toBe(true);
  });

  test('is scrolled from beside the answers, to its end', async () => {
    await open();
    await nvim.waitForScreen('# Goal');
    expect(nvim.screen()).not.toContain('60. step');
    await nvim.input('<C-d><C-d><C-d><C-d><C-d><C-d>');
    await nvim.waitForScreen('60. step');
    await nvim.input('<C-b><C-b><C-b><C-b><C-b><C-b>');
    await nvim.waitForScreen('# Goal');
    await nvim.input('<Tab>G');
    await nvim.waitForScreen('60. step');
    await nvim.input('<Tab>4<CR>');
    await eventually(async () => expect(await sent()).toEqual(answer('default')));
  });

  test('is not answered by one key', async () => {
    await open();
    await nvim.waitForScreen('# Goal');
    await nvim.input('<CR>3');
    await nvim.waitForScreen('go to an answer first');
    expect(await sent()).toEqual([]);
    await nvim.input('<CR>');
    await eventually(async () => expect(await sent()).toEqual(answer('bypass')));
    expect(await floats()).toBe(0);
    expect(await count()).toBe(0);
  });

  test('is rejected with words', async () => {
    await open();
    await nvim.waitForScreen('# Goal');
    // As if it had been there for as long as it takes to be read.
    await nvim.lua(`require('acp.ui.permission_list').open[1].shown = 0`);
    await nvim.input('gr');
    await nvim.waitForScreen(':AcpReject');
    await nvim.input('test it first<CR>');
    await eventually(async () => expect(await sent()).toEqual(answer('reject', 'test it first')));
    expect(await floats()).toBe(0);
  });

  test('can be put off, however it is closed, and asked again', async () => {
    for (const keys of ['q', '<Tab>q', ':quit<CR>', '<Tab>:quit<CR>']) {
      await open();
      await nvim.waitForScreen('No, keep planning');
      await nvim.input(keys);
      await eventually(async () => expect(await floats(), keys).toBe(0));
      expect(await count()).toBe(1);
      expect(await nvim.lua('return permission.asked() == nil')).toBe(true);
    }
    expect(await sent()).toEqual([]);
    await nvim.lua('permission.ask()');
    await nvim.waitForScreen('No, keep planning');
  });

  test('gives way to a file that it names, and stays open', async () => {
    writeFileSync(join(nvim.dir, 'semver.js'), 'code\n');
    await open({ plan: ['Change `semver.js`, and [this](https://x.test).'] });
    await nvim.waitForScreen('Change');
    await nvim.input('<Tab><CR>');
    await nvim.waitForScreen('no path here');
    await nvim.input('fs<CR>');
    await nvim.waitForScreen(/^code/);
    expect(await floats()).toBe(0);
    expect(await count()).toBe(1);
    expect(await sent()).toEqual([]);
  });

  test('goes when its question does', async () => {
    await open();
    await nvim.waitForScreen('# Goal');
    await nvim.lua('permission.closed(...)', { session: 's1', question: 'q1' });
    await eventually(async () => expect(await floats()).toBe(0));
    expect(await sent()).toEqual([]);
  });

  test('goes back to the window that it was opened from', async () => {
    await nvim.command('vsplit');
    const win = await nvim.lua('return vim.api.nvim_get_current_win()');
    await open();
    await nvim.waitForScreen('# Goal');
    await nvim.input('q');
    await eventually(async () => {
      expect(await nvim.lua('return vim.api.nvim_get_current_win()')).toBe(win);
    });
  });

  test('fits on any screen, and keeps its place when that changes', async () => {
    await open();
    await nvim.waitForScreen('# Goal');
    for (const [columns, lines] of [
      [160, 40],
      [40, 12],
      [20, 8],
      [80, 24],
    ] as const) {
      await nvim.lua(`vim.o.columns, vim.o.lines = ...`, columns, lines);
      const inside = await nvim.lua(`
        return vim.iter(vim.api.nvim_list_wins()):all(function(win)
          local config = vim.api.nvim_win_get_config(win)
          return config.relative == '' or config.row >= 0 and config.col >= 0
            and config.col + config.width + 2 <= vim.o.columns
        end)`);
      expect(inside, `${columns}x${lines}`).toBe(true);
    }
  });

  test('may have labels that are long, or alike', async () => {
    const twice = { id: 'a', name: 'Yes', kind: 'allow_always' };
    const long = { id: 'c', name: 'word '.repeat(60), kind: '' };
    await open({ options: [twice, { ...twice, id: 'b' }, long], plan: ['x'] });
    await nvim.waitForScreen('Yes (a)');
    await nvim.waitForScreen('Yes (b)');
    await nvim.input('2<CR>');
    await eventually(async () => expect(await sent()).toEqual(answer('b')));
  });
});
