import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

let chat: ChatFixture;

/** Messages and events are noted; a select stays open until the test answers it. */
const INIT = `
  _G.told, _G.events, _G.asked = {}, {}, {}
  vim.notify = function(text, level) table.insert(_G.told, { text, level }) end
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpAttention',
    callback = function(event) table.insert(_G.events, event.data) end,
  })
  vim.ui.select = function(_, opts) table.insert(_G.asked, opts.prompt) end`;

const INFO = 2;
const WARN = 3;

beforeEach(async () => {
  chat = await openChat({ columns: 120, init: INIT });
  await chat.status({ state: 'idle', title: 'Fix it' });
});

const call = (method: string, params: object): Promise<unknown> =>
  chat.nvim.lua(`return require('acp.rpc').call(...)`, method, params);
const ended = (stopReason = 'end_turn', session = 's1'): Promise<unknown> =>
  call('turn.ended', { session, stopReason, files: [] });
const hide = (): Promise<unknown> => chat.nvim.command('stopinsert | AcpHide');
const focus = (gained: boolean): Promise<unknown> => chat.nvim.request('nvim_ui_set_focus', gained);
const list = async <T>(name: string): Promise<T[]> =>
  Object.values(await chat.nvim.lua<Record<string, T>>(`return _G[...]`, name));
const told = (): Promise<[string, number][]> => list('told');
const events = (): Promise<object[]> => list('events');
/** Waits until the time in which several become one message is over. */
const gathered = (): Promise<void> => {
  return chat.nvim
    .lua(`_G.over = false vim.defer_fn(function() _G.over = true end, 200)`)
    .then(() => eventually(async () => expect(await chat.nvim.lua('return _G.over')).toBe(true)));
};

describe('the end of a turn', () => {
  test('of a hidden session is told, and is an event', async () => {
    await hide();
    await ended();
    await eventually(async () =>
      expect(await told()).toEqual([['tester has finished “Fix it” · :AcpSessions', INFO]]),
    );
    expect(await events()).toEqual([
      {
        session: 's1',
        agent: 'tester',
        title: 'Fix it',
        kind: 'ended',
        text: 'tester has finished “Fix it”',
      },
    ]);
  });

  test('is not told of a chat in view', async () => {
    await ended();
    await gathered();
    expect(await told()).toEqual([]);
    expect(await events()).toEqual([]);
  });

  test('is not told of a chat that is hidden right after it, in which it was seen', async () => {
    await ended();
    await hide();
    await gathered();
    expect(await told()).toEqual([]);
    expect(await events()).toEqual([]);
  });

  test('is told of a chat in view while Neovim does not have the focus, and in another tab', async () => {
    await focus(false);
    await ended();
    await eventually(async () => expect(await told()).toHaveLength(1));
    await focus(true);
    await ended();
    await gathered();
    expect(await told()).toHaveLength(1);
    await chat.nvim.command('stopinsert | tabnew');
    await ended();
    await eventually(async () => expect(await told()).toHaveLength(2));
  });

  test('that comes into view right after is not told', async () => {
    await hide();
    await ended();
    await chat.nvim.command('AcpChat');
    await gathered();
    expect(await told()).toEqual([]);
  });

  test('is not told when the user has cancelled it', async () => {
    await hide();
    await ended('cancelled');
    await gathered();
    expect(await told()).toEqual([]);
  });

  test('is not told when another turn follows at once', async () => {
    await hide();
    await ended();
    await call('turn.started', { session: 's1' });
    await gathered();
    expect(await told()).toEqual([]);
    await ended();
    await eventually(async () => expect(await told()).toHaveLength(1));
  });

  test('is an event only, where the option says so', async () => {
    await chat.nvim.lua(`require('acp.config').setup({ notify = false })`);
    await hide();
    await ended();
    await eventually(async () => expect(await events()).toHaveLength(1));
    await gathered();
    expect(await told()).toEqual([]);
  });

  test('waits with its message until it tears no command line', async () => {
    await hide();
    await chat.nvim.input(':echo');
    await ended();
    await eventually(async () => expect(await events()).toHaveLength(1));
    await gathered();
    expect(await told()).toEqual([]);
    await chat.nvim.input('<Esc>');
    await eventually(async () => expect(await told()).toHaveLength(1));
  });

  test('of several sessions is one message, which fits on a line', async () => {
    await chat.nvim.command('stopinsert | AcpNew');
    await chat.frame({ status: { state: 'idle', title: 'Another\nthing' } as object }, 's2');
    await hide();
    await ended('end_turn');
    await ended('refusal', 's2');
    await eventually(async () =>
      expect(await told()).toEqual([
        [
          '2 sessions: tester has finished “Fix it”, tester has finished “Another thing” · :AcpSessions',
          INFO,
        ],
      ]),
    );
    expect(await events()).toHaveLength(2);
    await chat.nvim.command('set columns=80');
    await ended();
    await ended('end_turn', 's2');
    await eventually(async () => expect(await told()).toHaveLength(2));
    expect((await told())[1]![0]).toMatch(/^2 sessions: tester has finished.*… · :AcpSessions$/);
  });
});

describe('a failure', () => {
  test.each(['error', 'lost'])('of a turn (%s) is a warning', async (reason) => {
    await hide();
    await ended(reason);
    await eventually(async () =>
      expect(await told()).toEqual([['tester failed at “Fix it” · :AcpSessions', WARN]]),
    );
    expect(await events()).toMatchObject([{ kind: 'failed' }]);
  });

  test('and the end of the agent with it are one message', async () => {
    await hide();
    await chat.nvim.lua(`require('acp.chat').get('s1').opened = true`);
    await chat.status({ state: 'working' });
    await chat.status({ state: 'dead' });
    await ended('lost');
    await eventually(async () => expect(await told()).toHaveLength(1));
    await gathered();
    expect(await events()).toHaveLength(1);
  });

  test('of an agent that ends between turns, or does not start, is told', async () => {
    await hide();
    await chat.nvim.lua(`require('acp.chat').get('s1').opened = true`);
    await chat.status({ state: 'dead' });
    await eventually(async () => expect(await events()).toMatchObject([{ kind: 'failed' }]));
  });

  test('of the sidecar is told by itself', async () => {
    await hide();
    await chat.nvim.lua(`require('acp.incoming').sidecar_lost(1)`);
    await gathered();
    expect(await events()).toEqual([]);
  });
});

describe('a question', () => {
  const question = {
    id: 'q1',
    block: 'b1',
    title: 'Run make',
    detail: [],
    options: [{ id: 'once', name: 'Allow once', kind: 'allow_once' }],
    hasDiff: false,
    editable: true,
  };
  const ask = (id = 'q1'): Promise<unknown> =>
    call('question.opened', { session: 's1', question: { ...question, id } });

  beforeEach(async () => {
    await chat.nvim.input('<Esc>');
    await chat.nvim.lua(`require('acp.config').setup({ permission = { quiet_ms = 0 } })`);
  });

  test('of a hidden session is an event, and opens: no second message says so', async () => {
    await hide();
    await ask();
    await eventually(async () => expect(await list('asked')).toHaveLength(1));
    expect(await events()).toMatchObject([
      { session: 's1', kind: 'question', text: 'tester asks: Run make' },
    ]);
    expect(await told()).toEqual([]);
  });

  test('of a chat in view is no event', async () => {
    await ask();
    await eventually(async () => expect(await list('asked')).toHaveLength(1));
    expect(await events()).toEqual([]);
  });

  test('that somebody answers by an autocommand is no event', async () => {
    await hide();
    await chat.nvim.lua(`
      vim.api.nvim_create_autocmd('User', {
        pattern = 'AcpPermissionAsk',
        callback = function() require('acp').allow() end,
      })`);
    await ask();
    await eventually(() => expect(chat.sent('question.answer')).toHaveLength(1));
    expect(await events()).toEqual([]);
  });

  test('is said while Neovim does not have the focus, and opens when it has it again', async () => {
    await focus(false);
    await ask();
    await eventually(async () =>
      expect(await told()).toEqual([['tester asks: Run make · :AcpPermission', WARN]]),
    );
    expect(await events()).toHaveLength(1);
    expect(await list('asked')).toEqual([]);
    await focus(true);
    await eventually(async () => expect(await list('asked')).toHaveLength(1));
    await focus(false);
    await focus(true);
    await gathered();
    expect(await list('asked')).toHaveLength(1);
  });

  test('that was withdrawn meanwhile does not open', async () => {
    await focus(false);
    await ask();
    await eventually(async () => expect(await told()).toHaveLength(1));
    await call('question.closed', { session: 's1', question: 'q1' });
    await focus(true);
    await gathered();
    expect(await list('asked')).toEqual([]);
  });
});
