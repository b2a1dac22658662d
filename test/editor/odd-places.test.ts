/** Chats, diffs and logs where Neovim allows less than elsewhere. */
import { expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, put } from './chat-fixture';

const files = [
  {
    path: '/a',
    name: 'a',
    status: 'modified',
    added: 1,
    removed: 0,
    hunks: [{ oldStart: 1, newStart: 1, rows: [{ type: 'add', text: 'new' }] }],
  },
];

test('in the command-line window what comes is shown without an error, and a chat waits', async () => {
  const chat = await openChat();
  await chat.nvim.input('<Esc><C-w>tq:');
  await eventually(async () =>
    expect(await chat.nvim.lua('return vim.fn.getcmdwintype()')).toBe(':'),
  );
  await chat.ops(put('a', ['streamed']));
  await chat.nvim.lua(`require('acp.rpc').call('diff.show', ...)`, {
    session: 's1',
    block: 'a',
    files,
  });
  await chat.nvim.waitForScreen('hunk 1 of 1');
  await chat.nvim.lua(`require('acp.ui.diff').close('s1')`);
  const detail = { session: 's1', title: 'Details', lines: ['raw input'], filetype: '' };
  await chat.nvim.lua(`require('acp.rpc').call('detail.show', ...)`, detail);
  await chat.nvim.waitForScreen('raw input');
  await chat.nvim.command('AcpChat');
  await chat.nvim.waitForScreen('acp: leave the command-line window first');
});

test('with ‘modifiable’ off for all buffers a prompt can be written all the same', async () => {
  const chat = await openChat({ init: 'vim.go.modifiable = false' });
  await chat.nvim.input('hello');
  await eventually(async () => expect(await chat.prompt()).toBe('hello'));
  await chat.nvim.input('<Esc>g?');
  await chat.nvim.waitForScreen('Show these keys');
  expect(await chat.nvim.messages()).toBe('');
});

test('q closes a log that has the screen for itself', async () => {
  const chat = await openChat();
  await chat.nvim.lua(`
    local folder = vim.fn.stdpath('state') .. '/acp/wire'
    vim.fn.mkdir(folder, 'p')
    vim.fn.writefile({ '{}' }, folder .. '/1.jsonl')`);
  await chat.nvim.input('<Esc>:AcpLog<CR>:only<CR>');
  await chat.nvim.waitForScreen(/^acp:\/\/log/);
  await chat.nvim.input('q');
  await chat.nvim.waitForScreen('[No Name]');
  expect(await chat.nvim.messages()).toBe('');
});
