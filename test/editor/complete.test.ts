import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const typed = (chat: ChatFixture, text: string) =>
  eventually(async () => expect(await chat.prompt()).toBe(text));

describe('commands', () => {
  test('/ offers the commands of the agent, and none is chosen by itself', async () => {
    const chat = await openChat();
    await chat.status({
      commands: [
        { name: 'init', description: 'Start\nhere' },
        { name: 'review', description: 'Look again' },
      ],
    });
    await chat.nvim.input('/');
    await chat.nvim.waitForScreen(/\/review +Look again/);
    await typed(chat, '/');
    await chat.nvim.input('re');
    await eventually(() => expect(chat.nvim.find('Start here')).toBeUndefined());
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '/review');
    await chat.nvim.input(' a/b');
    await typed(chat, '/review a/b');
    expect(await chat.nvim.lua('return vim.fn.pumvisible()')).toBe(0);
  });
});
