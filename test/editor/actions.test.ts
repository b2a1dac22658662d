import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, put, type ChatFixture } from './chat-fixture';

const RETRY = { id: 'retry', name: 'Try again' };
const LOGIN = { id: 'login', name: 'Log in' };
const NEW = { id: 'new_session', name: 'New session' };

/** A chat with a notice that offers these, and the cursor on it. */
async function offering(...actions: (typeof RETRY)[]): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.ops(put('n', ['✗ It broke', '  1 Try again'], { kind: 'notice', actions }));
  await chat.focusTranscript();
  await chat.nvim.lua(`
    vim.ui.select = function(items, opts, done)
      vim.g.offered = vim.tbl_map(opts.format_item, items)
      done(items[vim.g.chosen])
    end`);
  await chat.nvim.input('gg');
  return chat;
}

const acted = (action: string) => [{ session: 's1', block: 'n', action }];

describe('what a block offers', () => {
  test('is done by <CR> where it is one thing', async () => {
    const chat = await offering(RETRY);
    await chat.nvim.input('<CR>');
    await eventually(() => expect(chat.sent('block.act')).toEqual(acted('retry')));
  });

  test('is chosen by <CR> where it is several', async () => {
    const chat = await offering(RETRY, LOGIN);
    await chat.nvim.command('let g:chosen = 2');
    await chat.nvim.input('<CR>');
    await eventually(() => expect(chat.sent('block.act')).toEqual(acted('login')));
    expect(await chat.nvim.lua(`return vim.g.offered`)).toEqual(['Try again', 'Log in']);
  });

  test('is done by its number and <CR>', async () => {
    const chat = await offering(RETRY, LOGIN);
    await chat.nvim.input('3<CR>');
    await eventually(async () =>
      expect(await chat.nvim.messages()).toContain('there is no 3 here'),
    );
    await chat.nvim.input('2<CR>');
    await eventually(() => expect(chat.sent('block.act')).toEqual(acted('login')));
  });

  test('is not done where nothing was chosen', async () => {
    const chat = await offering(RETRY, LOGIN);
    await chat.nvim.command('let g:chosen = 3');
    await chat.nvim.input('<CR>');
    await eventually(async () => expect(await chat.nvim.lua(`return vim.g.offered`)).toBeTruthy());
    expect(chat.sent('block.act')).toEqual([]);
  });

  test('may be another chat', async () => {
    const chat = await offering(NEW);
    await chat.nvim.input('<CR>');
    await eventually(async () =>
      expect(await chat.nvim.lua(`return require('acp.chat').current().session`)).toBe('s2'),
    );
    expect(chat.sent('block.act')).toEqual([]);
  });

  test('is gone when the block does not offer it any more, or its sidecar has ended', async () => {
    const chat = await offering(RETRY);
    await chat.ops(put('n', ['✗ It broke'], { kind: 'notice' }));
    await chat.nvim.input('<CR>');
    await chat.ops(put('n', ['✗ It broke', '  Try again'], { kind: 'notice', actions: [RETRY] }));
    await chat.nvim.lua(`require('acp.chat').get('s1').transcript:seal()`);
    await chat.nvim.input('<CR>G<CR>');
    await chat.nvim.command('let g:done = 1');
    expect(chat.sent('block.act')).toEqual([]);
  });

  test('of a turn stands in its last row; the rule is the door to the review', async () => {
    const chat = await offering();
    const lines = ['── stopped · 0:02 ──', '  Try again'];
    await chat.ops(put('t', lines, { kind: 'turn', actions: [RETRY], after: 'n' }));
    await chat.nvim.input('Gk<CR>');
    await eventually(() => expect(chat.sent('review.open')).toHaveLength(1));
    expect(chat.sent('block.act')).toEqual([]);
    await chat.nvim.input('G<CR>');
    await eventually(() =>
      expect(chat.sent('block.act')).toEqual([{ session: 's1', block: 't', action: 'retry' }]),
    );
  });
});
