import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const winbar = (chat: ChatFixture) => chat.nvim.screen().split('\n')[0]!.split('│').at(-1)!.trim();
const active = (chat: ChatFixture) =>
  chat.nvim.lua<boolean>(`return require('acp.ui.ticker').active()`);
const wide = { init: `vim.g.test_options = { layout = { width = 100 } }`, columns: 140 };

describe('the winbar', () => {
  test('shows agent, mode, model, state and context', async () => {
    const chat = await openChat(wide);
    await chat.status({
      agent: 'Nano 100%',
      state: 'idle',
      mode: 'plan',
      modes: [{ id: 'plan', name: 'Plan %#Error#' }],
      model: 'qwen2.5-coder',
      usage: { used: 29_440, size: 128_000 },
      queued: 2,
    });
    await eventually(() =>
      expect(winbar(chat)).toMatch(
        /^Nano 100% · Plan %#Error# · qwen2\.5-coder {10,}idle · 2 queued · ▂ 23% of 128k$/,
      ),
    );
  });

  test.each([
    [{ state: 'starting' }, /. starting$/],
    [{ state: 'starting', since: -95_000 }, /[⠋-⠿] starting 1:3\d$/],
    [{ state: 'working', since: -34_000 }, /[⠋-⠿] working 0:3\d$/],
    [{ state: 'cancelling', since: -3_700_000 }, /[⠋-⠿] cancelling 1:01:4\d$/],
    [{ state: 'dead' }, /ended$/],
  ] as const)('%j', async (status, expected) => {
    const chat = await openChat(wide);
    const since = 'since' in status ? { since: Date.now() + status.since } : {};
    await chat.status({ ...status, ...since });
    await eventually(() => expect(winbar(chat)).toMatch(expected));
  });

  test('counts the open questions', async () => {
    const chat = await openChat(wide);
    const question = {
      id: 'q',
      block: 'b',
      title: 'Edit',
      detail: [],
      options: [],
      hasDiff: false,
      editable: 'no',
    };
    await chat.status({ state: 'waiting', questions: [question] });
    await eventually(() => expect(winbar(chat)).toMatch(/waiting for you · \? 1 question$/));
    await chat.status({ questions: [question, { ...question, id: 'r' }] });
    await eventually(() => expect(winbar(chat)).toMatch(/\? 2 questions$/));
  });

  test('in a narrow window a question alone says who waits, so that the agent keeps its name', async () => {
    const chat = await openChat({ columns: 140 });
    await chat.nvim.command('vertical resize 30');
    const question = {
      id: 'q',
      block: 'b',
      title: 'Edit',
      detail: [],
      options: [],
      hasDiff: false,
      editable: 'no',
    };
    await chat.status({ agent: 'nanocoder', state: 'waiting', questions: [question] });
    await eventually(() => expect(winbar(chat)).toMatch(/^nanocoder +\? 1 question$/));
    await chat.status({ questions: [] });
    await eventually(() => expect(winbar(chat)).toMatch(/waiting for you$/));
  });

  test('what matters least goes first in a narrow window', async () => {
    const chat = await openChat({ columns: 140 });
    await chat.status({
      agent: 'nanocoder',
      state: 'idle',
      mode: 'plan',
      modes: [{ id: 'plan', name: 'Plan' }],
      model: 'a-model-with-a-name',
      usage: { used: 64_000, size: 128_000 },
    });
    const at = async (width: number, expected: RegExp) => {
      await chat.nvim.command(`vertical resize ${width}`);
      await eventually(() => expect(winbar(chat)).toMatch(expected));
    };
    await at(70, /^nanocoder · Plan · a-model-with-a-name +idle · ▅ 50% of 128k$/);
    await at(50, /^nanocoder · Plan +idle · ▅ 50% of 128k$/);
    await at(36, /^nanocoder · Plan +idle · ▅ 50%$/);
    await at(26, /^nanocoder · Plan +idle$/);
    await at(18, /^nanocoder +idle$/);
  });

  test('counts what is yet to be reviewed, and gives way first', async () => {
    const chat = await openChat(wide);
    const review = { files: 3, added: 9, removed: 4 };
    await chat.status({ agent: 'nano', state: 'idle', model: 'gpt', review });
    await eventually(() =>
      expect(winbar(chat)).toMatch(/^nano · gpt +idle · 3 files \+9 −4 to review$/),
    );
    await chat.status({ review: { ...review, files: 1 } });
    await eventually(() => expect(winbar(chat)).toMatch(/idle · 1 file \+9 −4 to review$/));
    await chat.nvim.command('vertical resize 27');
    await eventually(() => expect(winbar(chat)).toMatch(/^nano · gpt +idle · \+9 −4$/));
    await chat.nvim.command('vertical resize 22');
    await eventually(() => expect(winbar(chat)).toMatch(/^nano +idle · \+9 −4$/));
    await chat.nvim.command('vertical resize 100');
    await chat.frame({ cleared: ['review'] });
    await eventually(() => expect(winbar(chat)).toMatch(/^nano · gpt +idle$/));
  });

  test('a value that is gone is not shown any more', async () => {
    const chat = await openChat(wide);
    await chat.status({ state: 'idle', model: 'gpt' });
    await eventually(() => expect(winbar(chat)).toContain('gpt'));
    await chat.frame({ cleared: ['model'] });
    await eventually(() => expect(winbar(chat)).not.toContain('gpt'));
  });

  test('nothing ticks while nothing runs, nor out of sight', async () => {
    const chat = await openChat(wide);
    await chat.status({ state: 'working', since: Date.now() });
    expect(await active(chat)).toBe(true);
    await chat.status({ state: 'waiting' });
    await eventually(async () => expect(await active(chat)).toBe(false));
    await chat.status({ state: 'working' });
    expect(await active(chat)).toBe(true);
    await chat.nvim.command(`lua require('acp').hide()`);
    await eventually(async () => expect(await active(chat)).toBe(false));
    await chat.nvim.command(`lua require('acp.chat').open()`);
    expect(await active(chat)).toBe(true);
  });

  test('the time goes on by itself', async () => {
    const chat = await openChat(wide);
    await chat.status({ state: 'working', since: Date.now() - 8_500 });
    await eventually(() => expect(winbar(chat)).toMatch(/0:08/));
    await eventually(() => expect(winbar(chat)).toMatch(/0:10/));
  });

  test('the same in plain text for status lines', async () => {
    const chat = await openChat(wide);
    await chat.status({
      agent: 'nano',
      state: 'idle',
      mode: 'm',
      usage: { used: 1, size: 2_000_000 },
    });
    expect(await chat.nvim.lua(`return require('acp.ui.winbar').status('s1')`)).toBe(
      'nano · m · idle · ▁ 0% of 2M',
    );
    expect(await chat.nvim.lua(`return require('acp.ui.winbar').status('s99')`)).toBe('');
  });
});
