import { expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';
import type { ConfigOption } from '../../src/nvim/protocol';
import { openChat } from './chat-fixture';

const modes = (...ids: string[]): ConfigOption => ({
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  type: 'select',
  value: 'other',
  choices: ids.map((id) => ({ value: id, name: id })),
});

test('<C-c> in a select of Neovim’s own chooses nothing and says nothing', async () => {
  const chat = await openChat();
  await chat.status({ state: 'idle', config: [modes('ask', 'auto')] });
  await chat.nvim.input('<Esc>:AcpMode<CR>');
  await chat.nvim.waitForScreen('2:   auto');
  await chat.nvim.input('<C-c>');
  // It throws away what is typed ahead of it.
  await eventually(async () =>
    expect(await chat.nvim.request('nvim_get_mode')).toEqual({ mode: 'n', blocking: false }),
  );
  await chat.nvim.input(':let g:typed = 1<CR>');
  await eventually(async () => expect(await chat.nvim.lua('return vim.g.typed')).toBe(1));
  expect(await chat.nvim.messages()).toBe('');
  expect(chat.sent('config.set')).toEqual([]);
});

test('a select that throws is named in a message, and one that answers twice is heard once', async () => {
  const chat = await openChat();
  await chat.status({ state: 'idle', config: [modes('ask')] });
  await chat.nvim.lua(`vim.ui.select = function() error('no such picker', 0) end`);
  await chat.nvim.command('AcpMode');
  await eventually(async () =>
    expect(await chat.nvim.messages()).toBe('acp: vim.ui.select: no such picker'),
  );
  await chat.nvim.lua(
    `vim.ui.select = function(items, _, choose) choose(items[1]) choose(items[1]) end`,
  );
  await chat.nvim.command('AcpMode');
  await eventually(() =>
    expect(chat.sent('config.set')).toEqual([{ session: 's1', option: 'mode', value: 'ask' }]),
  );
});

test('a message after a choice in Neovim’s own asks for no key', async () => {
  const nvim = await startNvim({
    init: `
      function Choose()
        require('acp.ui.choose').one({ 'a', 'b', 'c' }, {}, function(item)
          require('acp.message').info('you have chosen ' .. item)
        end)
      end`,
  });
  await nvim.input(':lua vim.schedule(Choose)<CR>');
  await nvim.waitForScreen('Type number');
  await nvim.input('2<CR>');
  await nvim.waitForScreen('you have chosen b');
  expect(await nvim.request('nvim_get_mode')).toEqual({ mode: 'n', blocking: false });
});
