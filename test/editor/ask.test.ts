import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

let chat: ChatFixture;

/** What `chat.start` does stands in for it; how a session becomes a chat is noted. */
const NOTED = `
  _G.opened = {}
  local chats = require('acp.chat')
  chats.open_row = function(row) table.insert(_G.opened, row.session) end
  chats.start = function(agent, opts, on_chat)
    _G.started = { agent, opts }
    chats.open({ agent = agent, new = true, focus = false })
    local all = chats.list()
    chats.hide(all[#all])
    on_chat(all[#all])
  end`;

const CODE = numbered(60, 'local x =');

beforeEach(async () => {
  chat = await openChat({ columns: 100, lines: 30 });
  await chat.nvim.input('<Esc>');
  await chat.nvim.lua(`vim.cmd('stopinsert | AcpHide') ${NOTED}`);
  await chat.nvim.lua(
    `vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)
    vim.bo.modified = false
    vim.bo.filetype = 'lua'`,
    CODE,
  );
});

interface Float {
  row: number;
  height: number;
  width: number;
  footer: string;
  buffer: number;
  current: boolean;
}

/** The float of the answer, with the rows of its border; null where there is none. */
const float = (): Promise<Float | null> =>
  chat.nvim.lua(`
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local config = vim.api.nvim_win_get_config(win)
      if config.relative ~= '' then
        return {
          row = config.row, height = config.height, width = config.width,
          footer = vim.iter(config.footer or {}):map(function(c) return c[1] end):join(''),
          buffer = vim.api.nvim_win_get_buf(win),
          current = win == vim.api.nvim_get_current_win(),
        }
      end
    end
    return vim.NIL`);
const there = (): Promise<Float> =>
  eventually(async () => {
    const found = await float();
    expect(found).not.toBeNull();
    return found!;
  });
const say = (lines: string[]): Promise<void> =>
  chat.frame({ ops: [put('b1', lines)], status: { state: 'working' } as object }, 's2');
const ask = async (command: string): Promise<Float> => {
  await chat.nvim.command(command);
  return there();
};
const enter = async (): Promise<void> => {
  await chat.nvim.input('<C-w>w');
  await eventually(async () => expect((await float())?.current).toBe(true));
};

describe(':AcpAsk', () => {
  test('sends the question with the lines to a session of its own, and leaves the cursor', async () => {
    const shown = await ask('5,7AcpAsk agent=tester Why three?');
    expect(shown.current).toBe(false);
    expect(await chat.nvim.lua('return _G.started[1]')).toBe('tester');
    await eventually(() =>
      expect(chat.sent('prompt.send')).toMatchObject([
        {
          session: 's2',
          text: 'Why three?',
          attachments: [
            {
              type: 'text',
              startLine: 5,
              endLine: 7,
              text: 'local x = 5\nlocal x = 6\nlocal x = 7\n',
              filetype: 'lua',
            },
          ],
        },
      ]),
    );
    expect(await chat.nvim.lua(`return require('acp.ui.layout').shown() == nil`)).toBe(true);
  });

  test('without a range is about the current line; a blank one says nothing', async () => {
    await chat.nvim.command('3');
    await ask('AcpAsk What is it?');
    await eventually(() =>
      expect(chat.sent('prompt.send')).toMatchObject([
        { attachments: [{ startLine: 3, endLine: 3 }] },
      ]),
    );
    await chat.nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, true, {}) vim.bo.modified = false`);
    await chat.nvim.command('AcpAsk And now?');
    await eventually(() => expect(chat.sent('prompt.send')).toHaveLength(2));
    expect(chat.sent('prompt.send')[1]).not.toHaveProperty('attachments');
  });

  test('takes the lines of a visual block', async () => {
    await chat.nvim.input('5gg<C-v>jl:AcpAsk Why?<CR>');
    await eventually(() =>
      expect(chat.sent('prompt.send')).toMatchObject([
        { attachments: [{ startLine: 5, endLine: 6 }] },
      ]),
    );
  });

  test('with nothing to ask says so', async () => {
    await chat.nvim.command('AcpAsk agent=tester');
    await eventually(async () =>
      expect(await chat.nvim.messages()).toContain('write what you want to know'),
    );
    expect(await float()).toBeNull();
  });

  test('again takes the place of the answer before', async () => {
    const first = await ask('5AcpAsk Why?');
    await chat.nvim.command('9AcpAsk And this?');
    await eventually(async () => expect((await there()).buffer).not.toBe(first.buffer));
    const floats = await chat.nvim.lua(`return #vim.tbl_filter(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end, vim.api.nvim_list_wins())`);
    expect(floats).toBe(1);
  });
});

describe('the answer', () => {
  test('stands below the lines and grows with what is said, up to a third of the screen', async () => {
    expect(await ask('5,7AcpAsk Why?')).toMatchObject({ row: 7, height: 2, width: 80 });
    await say(numbered(4));
    await eventually(async () => expect(await there()).toMatchObject({ row: 7, height: 5 }));
    await say(numbered(400));
    await eventually(async () => expect(await there()).toMatchObject({ row: 7, height: 9 }));
    await chat.nvim.waitForScreen('line 400');
  });

  test('stands above lines at the end of the screen, and grows upwards', async () => {
    await chat.nvim.command('normal! 27ggzb');
    expect(await ask('26,27AcpAsk Why?')).toMatchObject({ row: 21, height: 2 });
    await say(numbered(400));
    await eventually(async () => expect(await there()).toMatchObject({ row: 14, height: 9 }));
  });

  test('follows its lines when they move, and waits at the edge when they are out of sight', async () => {
    await ask('20,21AcpAsk Why?');
    await chat.nvim.input('10<C-e>');
    await eventually(async () => expect(await there()).toMatchObject({ row: 11 }));
    await chat.nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, 2, true, {})`);
    await chat.nvim.input('gg');
    await eventually(async () => expect(await there()).toMatchObject({ row: 13 }));
    await chat.nvim.input('G');
    await eventually(async () => expect(await there()).toMatchObject({ row: 0 }));
    await chat.nvim.input('gg');
    await chat.nvim.command('normal! zt');
    await eventually(async () => expect(await there()).toMatchObject({ row: 13 }));
  });

  test('is there in a screen full of lines, and stays when their window goes', async () => {
    await ask('%AcpAsk Why?');
    await say(numbered(400));
    await eventually(async () => expect(await there()).toMatchObject({ row: 17, height: 9 }));
    await chat.nvim.command('vsplit | wincmd p | close!');
    await say(numbered(3));
    const shown = await there();
    expect(shown.row + shown.height).toBeLessThan(30);
  });

  test('is rendered for its width', async () => {
    await ask('5AcpAsk Why?');
    await chat.nvim.lua(`require('acp.chat').get('s2').opened = true`);
    await chat.nvim.command('vsplit | vertical resize 50 | wincmd p');
    await chat.nvim.command('set columns=60');
    await eventually(async () => {
      const { width } = await there();
      expect(width).toBeLessThan(58);
      expect(chat.sent('view.resize').at(-1)).toEqual({ session: 's2', columns: width });
    });
  });

  test('looks like this', async () => {
    await ask('5,7AcpAsk Why three?');
    await chat.frame(
      {
        ops: [
          put('u', ['▌ Why three?', '▌ @lines 5-7', ''], {
            kind: 'user',
            marks: [[0, 0, 3, 'AcpUserBar']],
          }),
          put('b1', ['Because there are **three** of them, and each is read', 'once.'], {
            after: 'u',
          }),
        ],
        status: { state: 'idle', model: 'large' } as object,
      },
      's2',
    );
    await eventually(async () => expect(await there()).toMatchObject({ height: 6 }));
    await expectScreen(chat.nvim, 'ask');
    await enter();
    await eventually(async () => expect((await there()).footer).toContain('open as a chat'));
    await expectScreen(chat.nvim, 'ask-inside');
  });
});

describe('from the answer', () => {
  test.each(['<CR>', 'o', 'i'])('%s opens the session as a chat', async (key) => {
    await ask('5AcpAsk Why?');
    await say(['Because.']);
    await enter();
    await chat.nvim.input(key);
    await eventually(async () => expect(await chat.nvim.lua('return _G.opened')).toEqual(['s2']));
    expect(await float()).toBeNull();
  });

  test.each(['q', '<Esc>', ':q<CR>'])('%s closes it; the session lives on', async (key) => {
    await ask('5AcpAsk Why?');
    await enter();
    await chat.nvim.input(key);
    await eventually(async () => expect(await float()).toBeNull());
    expect(chat.sent('session.close')).toEqual([]);
    expect(await chat.nvim.lua('return vim.bo.filetype')).toBe('lua');
    const left = await chat.nvim.lua(`return #vim.api.nvim_buf_get_extmarks(
      0, vim.api.nvim_get_namespaces()['acp.ask'], 0, -1, {})`);
    expect(left).toBe(0);
  });

  test('the keys of the transcript are its own again when it is closed', async () => {
    const maps = (): Promise<string[]> =>
      chat.nvim.lua(
        `
        local out = vim.tbl_map(function(map)
          return map.lhs .. ' ' .. map.desc
        end, vim.api.nvim_buf_get_keymap(require('acp.chat').get(...).buf, 'n'))
        table.sort(out)
        return out`,
        's2',
      );
    const shown = await ask('5AcpAsk Why?');
    expect((await maps()).join('\n')).toContain('<CR> acp: Answer, or open the session as a chat.');
    await enter();
    await chat.nvim.input('q');
    await eventually(async () => expect(await float()).toBeNull());
    const fresh = await chat.nvim.lua<string[]>(`
      local out = vim.tbl_map(function(map)
        return map.lhs .. ' ' .. map.desc
      end, vim.api.nvim_buf_get_keymap(require('acp.chat').get('s1').buf, 'n'))
      table.sort(out)
      return out`);
    expect(await maps()).toEqual(fresh);
    expect(shown.current).toBe(false);
  });

  test('<CR> on a question asks it', async () => {
    await chat.nvim.lua(`
      vim.ui.select = function(_, opts) _G.prompt = opts.prompt end
      require('acp.config').get().permission.open = 'manual'`);
    await ask('5AcpAsk Why?');
    const question = {
      id: 'q1',
      block: 'b1',
      title: 'Run make',
      detail: [],
      options: [{ id: 'once', name: 'Allow once', kind: 'allow_once' }],
      hasDiff: false,
      editable: true,
    };
    await chat.nvim.lua(`require('acp.rpc').call('question.opened', ...)`, {
      session: 's2',
      question,
    });
    await chat.frame({ ops: [put('b1', ['? Run make'], { question: 'q1' })] }, 's2');
    await enter();
    await chat.nvim.input('<CR>');
    await eventually(async () =>
      expect(await chat.nvim.lua('return _G.prompt')).toBe('tester asks: Run make:'),
    );
    expect(await float()).not.toBeNull();
  });

  test('goes when its session is shown as a chat some other way', async () => {
    await ask('5AcpAsk Why?');
    await enter();
    await chat.nvim.command('AcpChat');
    await eventually(async () => expect(await float()).toBeNull());
    expect(await chat.nvim.lua(`return require('acp.ui.layout').shown().session`)).toBe('s2');
  });

  test('that is closed while the agent works, its end is told', async () => {
    await chat.nvim.lua(`
      _G.told = {}
      vim.notify = function(text) table.insert(_G.told, text) end`);
    const ended = { session: 's2', stopReason: 'end_turn', files: [] };
    await ask('5AcpAsk Why?');
    await say(['Because.']);
    await chat.nvim.lua(`require('acp.rpc').call('turn.ended', ...)`, ended);
    await enter();
    await chat.nvim.input('q');
    await eventually(async () => expect(await float()).toBeNull());
    await chat.nvim.lua(`require('acp.rpc').call('turn.ended', ...)`, ended);
    await eventually(async () =>
      expect(await chat.nvim.lua('return _G.told')).toEqual(['tester has finished · :AcpSessions']),
    );
  });
});
