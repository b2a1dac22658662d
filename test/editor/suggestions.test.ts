import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

/** The last line of the screen that is of the prompt. */
const shown = (chat: ChatFixture) => chat.nvim.screen();
const mapped = (chat: ChatFixture) =>
  chat.nvim.lua<boolean>(`
    local buf = require('acp.chat').get('s1').prompt_buf
    return vim.iter(vim.api.nvim_buf_get_keymap(buf, 'i')):any(function(map)
      return map.lhs == '<Tab>'
    end)`);

async function suggesting(...suggestions: string[]): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.status({ agent: 'tester', state: 'idle', suggestions });
  return chat;
}

describe('suggestions', () => {
  test('stand dimly in the empty prompt, and <Tab> takes the only one', async () => {
    const chat = await suggesting('Run the tests');
    await eventually(() => expect(shown(chat)).toContain('Run the tests'));
    await eventually(() => expect(shown(chat)).toContain('<Tab> takes it'));
    expect(await chat.prompt()).toBe('');
    await chat.nvim.input('<Tab>');
    await eventually(async () => expect(await chat.prompt()).toBe('Run the tests'));
    expect(chat.sent('prompt.send')).toEqual([]);
    await chat.nvim.input(' again');
    await eventually(async () => expect(await chat.prompt()).toBe('Run the tests again'));
  });

  test('go when something is typed, and with them the key', async () => {
    const chat = await suggesting('Run the tests');
    await eventually(async () => expect(await mapped(chat)).toBe(true));
    await chat.nvim.input('x');
    await eventually(() => expect(shown(chat)).not.toContain('Run the tests'));
    expect(await mapped(chat)).toBe(false);
    await chat.nvim.input('<Tab>y');
    await eventually(async () => expect(await chat.prompt()).toBe('x\ty'));
  });

  test('are chosen from where there are several', async () => {
    const chat = await suggesting('Run the tests', 'Commit it\nwith a long message');
    await chat.nvim.lua(`
      vim.ui.select = function(items, opts, done)
        vim.g.offered = vim.tbl_map(opts.format_item, items)
        done(items[2])
      end`);
    await eventually(() => expect(shown(chat)).toContain('<Tab> shows 2'));
    await chat.nvim.input('<Esc><Tab>');
    await eventually(async () =>
      expect(await chat.prompt()).toBe('Commit it\nwith a long message'),
    );
    expect(await chat.nvim.lua(`return vim.g.offered`)).toEqual(['Run the tests', 'Commit it …']);
  });

  test('are not offered while the agent works, and none are none', async () => {
    const chat = await suggesting('Run the tests');
    await eventually(() => expect(shown(chat)).toContain('Run the tests'));
    await chat.status({ state: 'working' });
    await eventually(() => expect(shown(chat)).not.toContain('Run the tests'));
    expect(await mapped(chat)).toBe(false);
    await chat.status({ state: 'idle', suggestions: [] });
    await eventually(() => expect(shown(chat)).toContain('<C-s> send'));
    expect(await mapped(chat)).toBe(false);
  });

  test('leave room for what the keys do, however narrow the prompt is', async () => {
    const chat = await suggesting(
      'Run the tests of the whole project, and then those of the others',
    );
    await chat.nvim.command('vertical resize 36');
    await eventually(() => expect(shown(chat)).toMatch(/Run the tests of t… {2}<Tab> takes it/));
    await chat.nvim.command('vertical resize 18');
    await eventually(() => expect(shown(chat)).not.toContain('Run the'));
    await eventually(async () => expect(await mapped(chat)).toBe(true));
  });

  test('give the user’s own <Tab> of the prompt back', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`
      local buf = require('acp.chat').get('s1').prompt_buf
      vim.keymap.set('i', '<Tab>', 'own', { buffer = buf })`);
    await chat.status({ agent: 'tester', state: 'idle', suggestions: ['Run the tests'] });
    await chat.nvim.input('x<Tab>');
    await eventually(async () => expect(await chat.prompt()).toBe('xown'));
  });
});
