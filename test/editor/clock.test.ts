import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, put } from './chat-fixture';

describe('a block that says since when it runs', () => {
  test('counts on by itself, until it does not run any more', async () => {
    const chat = await openChat();
    await chat.status({ state: 'idle' });
    const since = Date.now() - 11_000;
    await chat.ops(put('c', ['⠋ Making room'], { facts: [{ row: 0, spin: true, since }] }));
    await eventually(() => expect(chat.nvim.screen()).toMatch(/Making room +0:1[12]/));
    await eventually(() => expect(chat.nvim.screen()).toMatch(/Making room +0:1[345]/));
    await chat.ops(put('c', ['✓ Made room']));
    await eventually(async () =>
      expect(await chat.nvim.lua(`return require('acp.ui.ticker').active()`)).toBe(false),
    );
    expect(chat.nvim.screen()).not.toMatch(/0:1\d/);
  });
});
