import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configOptions } from '../../src/acp/settings';
import type { ConfigOption } from '../../src/nvim/protocol';
import { eventually, expectScreen } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

/** The options that a real agent has offered. */
function recorded(agent: string): ConfigOption[] {
  expect(readdirSync(LOGS)).toContain(agent);
  const lines = readFileSync(resolve(LOGS, agent, 'init.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const results = lines.map((line) => {
    const { frame } = JSON.parse(line) as { frame?: { result?: { configOptions?: unknown } } };
    return configOptions(frame?.result?.configOptions);
  });
  return results.find((options) => options.length > 0)!;
}

const OPTIONS: ConfigOption[] = [
  {
    id: 'mode',
    name: 'Session Mode',
    category: 'mode',
    type: 'select',
    value: 'ask',
    choices: [
      { value: 'ask', name: 'Manual', description: 'asks each time' },
      { value: 'plan', name: 'Plan first' },
      { value: 'auto', name: 'Auto' },
    ],
  },
  {
    id: 'vendor',
    name: 'Vendor',
    category: 'model',
    type: 'select',
    value: 'x',
    choices: [{ value: 'x', name: 'X' }],
  },
  {
    id: 'llm',
    name: 'Model',
    description: 'which model answers',
    category: 'model',
    type: 'select',
    value: 'big',
    choices: [
      { value: 'big', name: 'Big One', group: 'Best' },
      { value: 'big-fast', name: 'Big and Fast', group: 'Best' },
      { value: 'a/small', name: 'Small 1.5', group: 'Others' },
    ],
  },
  { id: 'fast', name: 'Fast mode', description: '2x', type: 'boolean', value: false },
];

const idle = async (config = OPTIONS): Promise<ChatFixture> => {
  const chat = await openChat();
  await chat.status({ state: 'idle', config });
  return chat;
};
const sent = (chat: ChatFixture) =>
  chat.sent('config.set').map((params) => {
    const { option, value } = params as { option: string; value: unknown };
    return [option, value];
  });
const expectSent = (chat: ChatFixture, ...changes: [string, unknown][]) =>
  eventually(() => expect(sent(chat)).toEqual(changes));
const expectMessage = (chat: ChatFixture, text: string) =>
  eventually(async () => expect(await chat.nvim.messages()).toContain(text));
const completions = (chat: ChatFixture, line: string) =>
  chat.nvim.lua<string[]>(`return vim.fn.getcompletion(..., 'cmdline')`, line);

/** Answers each `vim.ui.select` with the next of `picks` (1-based), and keeps what was shown. */
const select = (chat: ChatFixture, ...picks: number[]) =>
  chat.nvim.lua(
    `local picks = ...
     vim.g.shown = {}
     vim.ui.select = function(items, opts, choose)
       local lines = vim.tbl_map(opts.format_item, items)
       local shown = vim.g.shown
       table.insert(shown, { prompt = opts.prompt, kind = opts.kind, lines = lines })
       vim.g.shown = shown
       choose(items[table.remove(picks, 1)])
     end`,
    picks,
  );
const shown = (chat: ChatFixture) =>
  chat.nvim.lua<{ prompt: string; kind: string; lines: string[] }[]>(`return vim.g.shown`);

describe('a value is set', () => {
  test.each([
    ['AcpMode plan', 'mode', 'plan'],
    ['AcpMode PLAN', 'mode', 'plan'],
    ['AcpMode Plan first', 'mode', 'plan'],
    ['AcpMode au', 'mode', 'auto'],
    ['AcpMode man', 'mode', 'ask'],
    ['AcpModel big', 'llm', 'big'],
    ['AcpModel big-', 'llm', 'big-fast'],
    ['AcpModel small', 'llm', 'a/small'],
    ['AcpModel Small 1.5', 'llm', 'a/small'],
    ['AcpConfig llm a/small', 'llm', 'a/small'],
    ['AcpConfig vendor x', 'vendor', 'x'],
    ['AcpConfig session mode plan first', 'mode', 'plan'],
    ['AcpConfig fast on', 'fast', true],
    ['AcpConfig Fast mode off', 'fast', false],
  ])(':%s', async (command, option, value) => {
    const chat = await idle();
    await chat.nvim.command(command);
    await expectSent(chat, [option, value]);
    expect(await chat.nvim.messages()).toBe('');
  });

  test('by acp.mode() too', async () => {
    const chat = await idle();
    await chat.nvim.lua(`require('acp').mode('plan')`);
    await expectSent(chat, ['mode', 'plan']);
  });
});

describe('what cannot be set is said, with what there is', () => {
  test.each([
    ['AcpMode yolo', 'tester has no mode ‘yolo’; it has: ask, plan, auto'],
    ['AcpModel bi', 'tester has no model ‘bi’; that may be big, big-fast'],
    ['AcpEffort high', 'tester offers no levels of effort'],
    ['AcpConfig colour red', 'tester has no setting ‘colour red’; it has: mode, vendor, llm, fast'],
    ['AcpConfig fast maybe', 'tester has no Fast mode ‘maybe’; it has: on, off'],
  ])(':%s', async (command, text) => {
    const chat = await idle();
    await chat.nvim.command('set columns=200');
    await chat.nvim.command(command);
    await expectMessage(chat, text);
    expect(sent(chat)).toEqual([]);
  });

  test.each([
    [{ state: 'starting' }, 'tester is still starting; its settings are not known yet'],
    [{ state: 'idle', config: [] }, 'tester offers nothing to set'],
    [{ state: 'saved', config: OPTIONS }, 'this session can only be read'],
  ] as const)('%j', async (status, text) => {
    const chat = await openChat();
    await chat.status({ ...status, config: 'config' in status ? [...status.config] : [] });
    await chat.nvim.command('AcpConfig');
    await expectMessage(chat, text);
  });

  test('the agent is not running', async () => {
    const chat = await idle();
    await chat.nvim.lua(`require('acp.chat').get('s1').opened = false`);
    await chat.nvim.command('AcpModel big');
    await expectMessage(chat, 'tester is not running: the next prompt or :AcpRestart starts it');
  });
});

describe('without a value, the user chooses', () => {
  test('of the values, with groups and descriptions and the present one marked', async () => {
    const chat = await idle();
    await select(chat, 2, 3);
    await chat.nvim.command('AcpMode');
    await chat.nvim.command('AcpModel');
    await expectSent(chat, ['mode', 'plan'], ['llm', 'a/small']);
    expect(await shown(chat)).toEqual([
      {
        prompt: 'Session Mode of tester',
        kind: 'acp.mode',
        lines: ['● Manual – asks each time', '  Plan first', '  Auto'],
      },
      {
        prompt: 'Model of tester',
        kind: 'acp.config',
        lines: ['● Best: Big One', '  Best: Big and Fast', '  Others: Small 1.5'],
      },
    ]);
  });

  test('first of the options, with what they are set to, and then of the values', async () => {
    const chat = await idle();
    await select(chat, 4, 1);
    await chat.nvim.command('AcpConfig');
    await expectSent(chat, ['fast', true]);
    expect(await shown(chat)).toEqual([
      {
        prompt: 'Settings of tester',
        kind: 'acp.config',
        lines: [
          'Session Mode: Manual',
          'Vendor: X',
          'Model: Big One – which model answers',
          'Fast mode: Off – 2x',
        ],
      },
      { prompt: 'Fast mode of tester', kind: 'acp.config', lines: ['  On', '● Off'] },
    ]);
  });

  test('in the select of Neovim’s own, what there is can be read', async () => {
    const chat = await idle();
    await chat.status({
      agent: 'tester',
      mode: 'ask',
      model: 'Big One',
      usage: { used: 83_000, size: 100_000 },
    });
    await chat.nvim.input('<Esc>:AcpConfig<CR>');
    await chat.nvim.waitForScreen('Fast mode: Off');
    await expectScreen(chat.nvim, 'settings');
    await chat.nvim.input('3<CR>');
    await chat.nvim.waitForScreen('Small 1.5');
    await expectScreen(chat.nvim, 'settings-model');
    await chat.nvim.input('2<CR>');
    await expectSent(chat, ['llm', 'big-fast']);
  });

  test('nothing is set where nothing is chosen', async () => {
    const chat = await idle();
    await select(chat, 9, 9);
    await chat.nvim.command('AcpConfig');
    await chat.nvim.command('AcpConfig fast');
    await eventually(async () => expect(await shown(chat)).toHaveLength(2));
    expect(sent(chat)).toEqual([]);
  });
});

describe('completion', () => {
  test.each([
    ['AcpMode ', ['ask', 'plan', 'auto']],
    ['AcpMode A', ['ask', 'auto']],
    ['AcpMode la', ['plan']],
    ['AcpMode man', ['ask']],
    ['AcpMode Plan f', ['first']],
    ['AcpModel big', ['big', 'big-fast']],
    ['AcpModel SMALL', ['a/small']],
    ['AcpEffort ', []],
    ['AcpConfig ', ['mode', 'vendor', 'llm', 'fast']],
    ['AcpConfig f', ['fast']],
    ['AcpConfig llm ', ['big', 'big-fast', 'a/small']],
    ['AcpConfig fast o', ['on', 'off']],
    ['AcpConfig Fast mode o', ['on', 'off']],
    ['silent! AcpConfig llm bi', ['big', 'big-fast']],
  ])(':%s', async (line, expected) => {
    const chat = await idle();
    expect(await completions(chat, line)).toEqual(expected);
  });

  test('is nothing where there is no list yet', async () => {
    const chat = await openChat();
    expect(await completions(chat, 'AcpModel ')).toEqual([]);
  });

  test('of values that cannot be typed gives their names', async () => {
    const choices = [{ value: 'one\ntwo', name: 'One' }];
    const chat = await idle([{ ...OPTIONS[0]!, value: 'one\ntwo', choices }]);
    expect(await completions(chat, 'AcpMode ')).toEqual(['One']);
    await chat.nvim.command('AcpMode One');
    await expectSent(chat, ['mode', 'one\ntwo']);
  });

  test('works in the command line, and what it gives can be run', async () => {
    const chat = await idle();
    await chat.nvim.input('<Esc>:AcpModel sma<Tab><CR>');
    await expectSent(chat, ['llm', 'a/small']);
  });
});

describe('real agents', () => {
  test.each([
    ['claude', 'AcpModel opus 5.5', ['model', 'opus']],
    ['claude', 'AcpEffort xh', ['effort', 'xhigh']],
    ['claude', 'AcpMode manual', ['mode', 'default']],
    ['codex', 'AcpEffort ultra', ['reasoning_effort', 'ultra']],
    ['codex', 'AcpConfig collaboration_mode plan', ['collaboration_mode', 'plan']],
    ['opencode', 'AcpModel big-pickle', ['model', 'opencode/big-pickle']],
    ['nanocoder', 'AcpModel fake-model-mini', ['model', 'fake-model-mini']],
  ] as const)('%s: %s', async (agent, command, change) => {
    const chat = await idle(recorded(agent));
    await chat.nvim.command(command);
    await expectSent(chat, [...change]);
  });
});

test('with 400 models, completion takes no time that is felt, and a message stays readable', async () => {
  const choices = Array.from({ length: 400 }, (_, i) => ({
    value: `vendor-${i % 20}/model-${i}`,
    name: `Vendor ${i % 20}: Model ${i}`,
    description: 'x'.repeat(60),
  }));
  const model: ConfigOption = { ...OPTIONS[2]!, value: choices[0]!.value, choices };
  const chat = await idle([model]);
  const milliseconds = await chat.nvim.lua<number>(`
    local started = vim.uv.hrtime()
    for _ = 1, 20 do vim.fn.getcompletion('AcpModel model-39', 'cmdline') end
    return (vim.uv.hrtime() - started) / 20e6`);
  expect(milliseconds).toBeLessThan(25);
  expect(await completions(chat, 'AcpModel model-39')).toHaveLength(11);
  await chat.nvim.command('set columns=400');
  await chat.nvim.command('AcpModel nonsense');
  await expectMessage(chat, 'vendor-11/model-11 and 388 more');
  await chat.nvim.command('AcpModel vendor-7/model-7');
  await expectSent(chat, ['llm', 'vendor-7/model-7']);
});
