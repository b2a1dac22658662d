import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openReview } from './review-fixture';
import type { ReviewFixture } from './review-fixture';

let review: ReviewFixture;

beforeEach(async () => {
  review = await openReview();
});

const floats = (): Promise<number[]> =>
  review.nvim.lua(`return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative ~= ''
  end, vim.api.nvim_list_wins())`);

describe('taking a turn back', () => {
  const plan = {
    id: 'p1',
    title: 'Fix the tests',
    steps: ['restores src/a.py (+3 −9)', 'deletes new.txt'],
  };
  const ask = (more: object = {}) =>
    review.nvim.lua(`require('acp.rpc').call('undo.ask', ...)`, {
      of: { session: null, cwd: '/project' },
      redo: false,
      plan,
      ...more,
    });
  /** In place of \`vim.ui.select\`: what it was asked, and its answer when one is given. */
  const select = () =>
    review.nvim.lua(`
      vim.ui.select = function(items, opts, on_choice)
        asked = { items = items, prompt = opts.prompt, kind = opts.kind }
        answer = on_choice
      end`);

  test('is asked for, with the chat’s session where there is one', async () => {
    await review.nvim.lua(`require('acp.ui.undo').start({ redo = false })`);
    await review.nvim.lua(`
      require('acp.config').setup({ agents = { it = { command = 'cat' } }, agent = 'it' })
      require('acp.chat').open()
      require('acp.ui.undo').start({ redo = true })`);
    await eventually(() =>
      expect(review.sent('review.undo')).toEqual([
        { cwd: review.nvim.dir, redo: false },
        { session: 's1', cwd: review.nvim.dir, redo: true },
      ]),
    );
  });

  test('shows what it will do and asks once; only a yes does it', async () => {
    await select();
    await ask();
    await review.nvim.waitForScreen('Take back: Fix the tests');
    await review.nvim.waitForScreen('restores src/a.py (+3 −9)');
    await review.nvim.waitForScreen('deletes new.txt');
    await eventually(async () =>
      expect(await review.nvim.lua('return asked')).toEqual({
        items: ['Take it back', 'Leave it'],
        prompt: 'Take back 2 file changes?',
        kind: 'acp.undo',
      }),
    );
    await review.nvim.lua(`answer('Take it back')`);
    await eventually(() =>
      expect(review.sent('review.undo')).toEqual([
        { cwd: '/project', redo: false, confirmed: 'p1' },
      ]),
    );
    expect(await floats()).toEqual([]);
  });

  test.each(['Leave it', null])('%s leaves all as it is', async (answer) => {
    await select();
    await ask({ redo: true });
    await review.nvim.waitForScreen('Bring back: Fix the tests');
    await review.nvim.lua(`answer(...)`, answer);
    expect(await floats()).toEqual([]);
    expect(review.sent('review.undo')).toEqual([]);
  });

  test('what was taken back can be brought back', async () => {
    await select();
    await ask({ redo: true });
    await review.nvim.waitForScreen('Bring back: Fix the tests');
    await review.nvim.lua(`answer('Bring it back')`);
    await eventually(() =>
      expect(review.sent('review.undo')).toEqual([
        { cwd: '/project', redo: true, confirmed: 'p1' },
      ]),
    );
  });

  test('a long prompt loses its end, and so does a long path', async () => {
    await select();
    const steps = [`deletes ${'日本/'.repeat(40)}x`];
    await ask({ plan: { ...plan, title: 'Fix the tests, '.repeat(20), steps } });
    await review.nvim.waitForScreen(/╭ Take back: Fix the tests, .*… ╮/);
    await review.nvim.waitForScreen(/│ deletes 日本\/.*… +│/);
  });

  test('with Neovim’s own select all of it can be read, however much it is', async () => {
    await ask({ plan: { ...plan, steps: numbered(99, 'restores file') } });
    await review.nvim.waitForScreen('Take back 99 file changes?');
    await review.nvim.waitForScreen('Take back: Fix the tests');
    await review.nvim.waitForScreen(' restores file 1 ');
    await review.nvim.waitForScreen(/… and \d\d more/);
    await review.nvim.input('1<CR>');
    await eventually(() => expect(review.sent('review.undo')).toHaveLength(1));
    expect(await floats()).toEqual([]);
  });
});

describe('the plain diff', () => {
  const lines = ['--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-old', '+new'];
  const show = (title = 'Changes of this session', text = lines) =>
    review.nvim.lua(`require('acp.rpc').call('review.text', ...)`, { title, lines: text });

  test('is asked for', async () => {
    await review.nvim.lua(`require('acp.ui.review_text').open()`);
    await review.nvim.lua(`require('acp.ui.review_text').open('turn')`);
    await eventually(() =>
      expect(review.sent('review.diff')).toEqual([
        { cwd: review.nvim.dir, scope: 'session' },
        { cwd: review.nvim.dir, scope: 'turn' },
      ]),
    );
  });

  test('opens beside the code, is no file, can be written to one, and closes with q', async () => {
    await show();
    await review.nvim.waitForScreen('Changes of this session');
    expect(
      await review.nvim.lua(`return { vim.fn.bufname(), vim.bo.filetype, vim.bo.buftype,
        vim.bo.modifiable, vim.bo.modified, vim.fn.winnr('$') }`),
    ).toEqual(['acp://diff', 'diff', 'nofile', false, false, 2]);
    await review.nvim.command('write changes.diff');
    expect(readFileSync(review.path('changes.diff'), 'utf8')).toBe(`${lines.join('\n')}\n`);
    expect(await review.nvim.lua(`return vim.fn.bufname()`)).toBe('acp://diff');
    await review.nvim.input('q');
    await eventually(async () => expect(await review.nvim.lua(`return vim.fn.winnr('$')`)).toBe(1));
  });

  test('is shown anew in its window', async () => {
    await show();
    await review.nvim.command('wincmd p');
    await show('100% %#Error#', ['+other']);
    await review.nvim.waitForScreen('100% %#Error#');
    expect(
      await review.nvim.lua(`return { vim.fn.winnr('$'), vim.api.nvim_get_current_line() }`),
    ).toEqual([2, '+other']);
    await review.nvim.input('q');
    await show();
    await review.nvim.waitForScreen('--- a/a.txt');
    expect(await review.nvim.messages()).toBe('');
  });

  test('beside a chat alone it takes one window', async () => {
    await review.nvim.lua(`
      require('acp.config').setup({ agents = { it = { command = 'cat' } }, agent = 'it' })
      require('acp.chat').open()`);
    await review.nvim.input('<Esc><C-w>h:quit<CR>');
    await eventually(async () => expect(await review.nvim.lua(`return vim.fn.winnr('$')`)).toBe(2));
    await show();
    await review.nvim.waitForScreen('--- a/a.txt');
    expect(await review.nvim.lua(`return vim.fn.winnr('$')`)).toBe(3);
  });

  test('does not take the window from who types', async () => {
    await review.nvim.input('itext');
    await review.nvim.waitForScreen('text');
    await show();
    await review.nvim.input(' more');
    await review.nvim.waitForScreen('text more');
    expect(review.nvim.mode).toBe('insert');
  });
});
