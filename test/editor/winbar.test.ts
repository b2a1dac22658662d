import { describe, expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';
import type { ConfigOption } from '../../src/nvim/protocol';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const winbar = (chat: ChatFixture) => chat.nvim.screen().split('\n')[0]!.split('│').at(-1)!.trim();
const active = (chat: ChatFixture) =>
  chat.nvim.lua<boolean>(`return require('acp.ui.ticker').active()`);
const wide = { init: `vim.g.test_options = { layout = { width = 100 } }`, columns: 140 };

const modes = (value: string, name: string): ConfigOption => {
  return {
    id: 'm',
    name: 'M',
    category: 'mode',
    type: 'select',
    value,
    choices: [{ value, name }],
  };
};
/** Highlight groups of the winbar's text, as the last piece of the line has them. */
const groupOf = (chat: ChatFixture, text: string) =>
  chat.nvim.lua<string | null>(
    `for _, piece in ipairs(require('acp.ui.winbar').pieces('s1')) do
       if piece.text == ... then return piece.group end
     end`,
    text,
  );

describe('the winbar', () => {
  test('shows agent, mode, model, state and context', async () => {
    const chat = await openChat(wide);
    await chat.status({
      agent: 'Nano 100%',
      state: 'idle',
      mode: 'plan',
      config: [modes('plan', 'Plan %#Error#')],
      model: 'qwen2.5-coder',
      usage: { used: 29_440, size: 128_000 },
      queue: ['a', 'b'].map((id) => ({ id, text: 'go', attachments: 0 })),
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
      config: [modes('plan', 'Plan')],
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

  test('what waits and a context that is nearly full stay longer than the names', async () => {
    const chat = await openChat({ columns: 140 });
    await chat.status({
      agent: 'nanocoder',
      state: 'working',
      since: Date.now(),
      mode: 'plan',
      usage: { used: 90, size: 100 },
      queue: [{ id: 'a', text: 'next', attachments: 0 }],
    });
    await chat.nvim.command('vertical resize 46');
    await eventually(() => expect(winbar(chat)).toMatch(/^. working 0:0\d · 1 queued · ! █ 90%$/));
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

  test.each([
    [79, '▇ 79% of 1k', 'AcpWinbarDim'],
    [80, '! ▇ 80% of 1k', 'AcpWinbarNear'],
    [95, '!! █ 95% of 1k', 'AcpWinbarFull'],
    [140, '!! █ 100% of 1k', 'AcpWinbarFull'],
  ])(
    'a context that is %d%% full is shown with a sign and in a colour',
    async (share, text, group) => {
      const chat = await openChat(wide);
      await chat.status({ state: 'idle', usage: { used: share * 10, size: 1000 } });
      await eventually(() => expect(winbar(chat)).toMatch(new RegExp(`idle · ${text}$`)));
      expect(await groupOf(chat, text)).toBe(group);
    },
  );

  test.each([
    [{ amount: 1.234, currency: 'USD' }, '$1.23'],
    [{ amount: 0.001, currency: 'EUR' }, '€<0.01'],
    [{ amount: 12, currency: 'credits' }, '12.00 credits'],
  ])('the cost %j is shown behind the context, and goes first', async (cost, text) => {
    const chat = await openChat(wide);
    await chat.status({ agent: 'nano', state: 'idle', usage: { used: 1, size: 100, cost } });
    await eventually(() => expect(winbar(chat).endsWith(`1% of 100 · ${text}`)).toBe(true));
    await chat.nvim.command('vertical resize 28');
    await eventually(() => expect(winbar(chat)).toMatch(/^nano +idle · ▁ 1% of 100$/));
  });

  test('names what the agent works towards in a few words, and how that stands', async () => {
    const chat = await openChat(wide);
    const objective = 'All tests of the whole project pass';
    await chat.status({ agent: 'nano', state: 'idle', goal: { objective, status: 'active' } });
    await eventually(() => expect(winbar(chat)).toContain('goal: All tests of the whole projec…'));
    await chat.status({ goal: { objective: 'All pass', status: 'blocked', reason: 'no net' } });
    await eventually(() => expect(winbar(chat)).toContain('nano · goal blocked: All pass'));
    await chat.frame({ cleared: ['goal'] });
    await eventually(() => expect(winbar(chat)).not.toContain('goal'));
  });

  test('a cost of nothing is not shown, nor is a context of unknown size', async () => {
    const chat = await openChat(wide);
    const cost = { amount: 0, currency: 'USD' };
    await chat.status({ state: 'idle', usage: { used: 1, size: 0, cost } });
    await eventually(() => expect(winbar(chat)).toMatch(/idle$/));
  });

  test('a limit that is near or reached is shown with the time when it ends', async () => {
    const chat = await openChat(wide);
    const at = new Date(Date.now() + 60_000);
    const clock = await chat.nvim.lua<string>(`return os.date('%H:%M', ...)`, at.getTime() / 1000);
    const day = await chat.nvim.lua<string>(
      `return os.date('%a %H:%M', ...)`,
      Math.floor(at.getTime() / 1000) + 2 * 86_400,
    );
    const resets = at.getTime();
    const ok = { name: 'week', state: 'ok', used: 0.1 } as const;
    const near = { name: '5 hours', state: 'near', used: 0.914, resets } as const;
    const reached = {
      name: 'week of Opus',
      state: 'reached',
      resets: resets + 2 * 86_400_000,
    } as const;
    await chat.status({ agent: 'nano', state: 'idle', limits: [ok, near] });
    await eventually(() =>
      expect(winbar(chat)).toMatch(
        new RegExp(`idle · ! limit of 5 hours 91%, resets (\\w+ )?${clock}$`),
      ),
    );
    await chat.status({ limits: [ok, near, reached] });
    const text = `!! limit of week of Opus reached until ${day}`;
    await eventually(() => expect(winbar(chat).endsWith(text)).toBe(true));
    expect(await groupOf(chat, text)).toBe('AcpWinbarFull');
    await chat.nvim.command('vertical resize 36');
    await eventually(() => expect(winbar(chat).endsWith(`!! limit until ${day}`)).toBe(true));
  });

  test('a limit that has begun anew meanwhile is not shown', async () => {
    const chat = await openChat(wide);
    const resets = Date.now() - 1000;
    await chat.status({ state: 'idle', limits: [{ name: 'week', state: 'reached', resets }] });
    await eventually(() => expect(winbar(chat)).toMatch(/idle$/));
    await chat.status({ limits: [{ name: 'week', state: 'reached' }] });
    await eventually(() => expect(winbar(chat)).toMatch(/!! limit of week reached$/));
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

describe('for status lines', () => {
  /** What a component may count on, as lualine.nvim documents it: the class, its colours, its drawing. */
  const LUALINE = `
    package.preload['lualine.component'] = function()
      local Base = {}
      Base.__index = Base
      function Base:extend()
        local class = setmetatable({ super = self }, { __index = self })
        class.__index = class
        return class
      end
      function Base:new(options)
        local object = setmetatable({}, self)
        object:init(options)
        return object
      end
      function Base:init(options) self.options = options end
      function Base:create_hl(colour, hint) return { colour = colour, hint = hint } end
      function Base:format_hl(token)
        return ('%%#%s_%s#'):format(token.hint, token.colour({}).fg and 'coloured' or 'plain')
      end
      function Base:get_default_hl() return '%#section#' end
      return Base
    end`;
  const COMPONENT = `
    component = require('acp.lualine'):new(...)`;

  test('nothing is loaded or started before there is a chat', async () => {
    const nvim = await startNvim({ init: LUALINE });
    await nvim.lua(COMPONENT, {});
    expect(await nvim.lua(`return component:update_status()`)).toBe('');
    expect(await nvim.lua(`return require('acp').status()`)).toBe('');
    expect(
      await nvim.lua(
        `return vim.tbl_filter(function(name)
           return name:find('^acp%.') ~= nil
         end, vim.tbl_keys(package.loaded))`,
      ),
    ).toEqual(['acp.lualine']);
  });

  test('the component of lualine shows the current chat, and what is loud in its colour', async () => {
    const chat = await openChat({ init: LUALINE, columns: 140 });
    await chat.status({
      agent: 'nano 100%',
      state: 'idle',
      model: 'gpt',
      usage: { used: 97, size: 100, cost: { amount: 3, currency: 'USD' } },
    });
    await chat.nvim.lua(COMPONENT, { width: 0.5 });
    const shown = () => chat.nvim.lua<string>(`return component:update_status(true)`);
    expect(await shown()).toBe(
      'nano 100%% · gpt · idle · %#AcpWinbarFull_coloured#!! █ 97%% of 100%#section# · $3.00',
    );
    await chat.nvim.lua(COMPONENT, { width: 0.25, colored: false });
    expect(await shown()).toBe('nano 100%% · idle · !! █ 97%%');
    await chat.nvim.lua(`require('acp').hide()`);
    expect(await shown()).toContain('nano');
  });

  test('acp.status() is the same in plain text', async () => {
    const chat = await openChat(wide);
    const limits = [{ name: 'week', state: 'reached' } as const];
    await chat.status({ agent: 'nano', state: 'idle', limits, usage: { used: 5, size: 10 } });
    expect(await chat.nvim.lua(`return require('acp').status()`)).toBe(
      'nano · idle · !! limit of week reached · ▅ 50% of 10',
    );
  });
});
