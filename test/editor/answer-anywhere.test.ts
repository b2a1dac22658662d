/** The ways to answer a question, and to ask for a review, from any buffer: commands, `<Plug>` maps, Lua functions. */
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, startNvim, type Nvim } from '../harness';

const options = [
  { id: 'once', name: 'Allow once', kind: 'allow_once' },
  { id: 'always', name: 'Always allow', kind: 'allow_always' },
  { id: 'no', name: 'Reject', kind: 'reject_once' },
];
const question = { id: 'q1', block: 'b1', title: 'Run make', detail: [], options, hasDiff: false };

let nvim: Nvim;

beforeEach(async () => {
  nvim = await startNvim({
    columns: 100,
    lines: 30,
    init: `
      vim.o.shortmess = vim.o.shortmess .. 'I'
      sent, asked = {}, 0
      package.loaded['acp.sidecar'] = {
        channel = function() return 1 end,
        running = function() return true end,
      }
      require('acp.rpc').notify = function(method, params) table.insert(sent, { method, params }) end
      require('acp.config').setup({ permission = { open = 'manual' } })
      require('acp.state').apply('s1', { agent = 'Nano', state = 'waiting' })
      vim.ui.select = function() asked = asked + 1 end
      for key, plug in pairs({
        ['<F1>'] = 'permission', ['<F2>'] = 'allow', ['<F3>'] = 'reject',
        ['<F4>'] = 'review', ['<F5>'] = 'undo',
      }) do
        vim.keymap.set('n', key, '<Plug>(acp-' .. plug .. ')')
      end
    `,
  });
  await nvim.command('edit code.txt');
});

const sent = (): Promise<unknown> => nvim.lua('return sent');
const asked = (): Promise<number> => nvim.lua('return asked');

/** Opens a question that has been on the screen for a while. */
const ask = (): Promise<unknown> =>
  nvim.lua(
    `require('acp.ui.permission').opened(...)
    require('acp.ui.permission_list').open[1].shown = 1`,
    { session: 's1', question },
  );

describe('in a buffer of code a question', () => {
  beforeEach(async () => {
    await ask();
    await eventually(async () => expect(await nvim.messages()).toContain('Run make'));
  });

  test.each([
    [':AcpAllow', ':AcpAllow<CR>', 'once', undefined],
    [':AcpAllow!', ':AcpAllow!<CR>', 'always', undefined],
    [':AcpAllow with a name', ':AcpAllow Always allow<CR>', 'always', undefined],
    [':AcpReject', ':AcpReject<CR>', 'no', undefined],
    [':AcpReject with words', ':AcpReject not so fast<CR>', 'no', 'not so fast'],
    ['<Plug>(acp-allow)', '<F2>', 'once', undefined],
    ['<Plug>(acp-reject)', '<F3>', 'no', undefined],
    ['acp.allow()', `:lua require('acp').allow()<CR>`, 'once', undefined],
    [
      'acp.allow() for always',
      `:lua require('acp').allow({ always = true })<CR>`,
      'always',
      undefined,
    ],
    [
      'acp.allow() with a name',
      `:lua require('acp').allow({ name = 'always' })<CR>`,
      'always',
      undefined,
    ],
    ['acp.reject() with words', `:lua require('acp').reject('no')<CR>`, 'no', 'no'],
  ])('is answered by %s', async (_, keys, option, words) => {
    await nvim.input(keys);
    await eventually(async () =>
      expect(await sent()).toEqual([
        [
          'question.answer',
          { session: 's1', question: 'q1', option, ...(words !== undefined && { words }) },
        ],
      ]),
    );
    expect(await nvim.lua(`return require('acp').questions()`)).toBe(0);
    expect(await nvim.lua(`return vim.fn.expand('%:t')`)).toBe('code.txt');
  });

  test.each([
    [':AcpPermission', ':AcpPermission<CR>'],
    ['<Plug>(acp-permission)', '<F1>'],
    ['acp.permission()', `:lua require('acp').permission()<CR>`],
  ])('is asked by %s', async (_, keys) => {
    expect(await nvim.lua(`return require('acp').questions()`)).toBe(1);
    await nvim.input(keys);
    await eventually(async () => expect(await asked()).toBe(1));
    expect(await sent()).toEqual([]);
  });
});

describe('in a buffer of code what was changed', () => {
  test.each([
    [':AcpReview', ':AcpReview<CR>', 'review.open', { scope: 'session' }],
    [':AcpReview turn', ':AcpReview turn<CR>', 'review.open', { scope: 'turn' }],
    ['<Plug>(acp-review)', '<F4>', 'review.open', { scope: 'session' }],
    ['acp.review()', `:lua require('acp').review('turn')<CR>`, 'review.open', { scope: 'turn' }],
    [':AcpDiff', ':AcpDiff<CR>', 'review.diff', { scope: 'session' }],
    [':AcpDiff turn', ':AcpDiff turn<CR>', 'review.diff', { scope: 'turn' }],
    [':AcpUndo', ':AcpUndo<CR>', 'review.undo', { redo: false }],
    [':AcpUndo!', ':AcpUndo!<CR>', 'review.undo', { redo: true }],
    ['<Plug>(acp-undo)', '<F5>', 'review.undo', { redo: false }],
    ['acp.undo()', `:lua require('acp').undo({ redo = true })<CR>`, 'review.undo', { redo: true }],
  ])('is asked for by %s', async (_, keys, method, params) => {
    await nvim.input(keys);
    await eventually(async () =>
      expect(await sent()).toEqual([[method, { cwd: nvim.dir, ...params }]]),
    );
  });
});
