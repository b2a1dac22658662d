import { describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import type { NvimOptions } from '../harness';
import type { Status } from '../../src/nvim/protocol';
import { openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const TAKES = { image: false, audio: false, embedded: false, steering: true };
const OFFERS = { fork: true, close: false, delete: false, rename: false };

/** What the prompt makes of a key: text, attachments and options of `chat.send()`. */
async function openPrompt(
  status: Partial<Status> = {},
  options: NvimOptions = {},
): Promise<ChatFixture> {
  const chat = await openChat(options);
  await chat.nvim.lua(`
    require('acp.chat').send = function(chat, text, attachments, opts)
      vim.rpcnotify(1, 'send', { text = text, attachments = attachments, opts = next(opts) and opts or vim.empty_dict() })
      require('acp.ui.prompt').take(chat, text)
    end
    require('acp.chat').fork = function(chat, opts)
      vim.rpcnotify(1, 'fork', opts)
    end`);
  await chat.frame({ status: status as never });
  return chat;
}

const option = (prompt: string) => ({ init: `vim.g.test_options = { prompt = ${prompt} }` });
const working = { state: 'waiting', takes: TAKES } as const;

const how = (chat: ChatFixture) =>
  eventually(() => {
    const sent = chat.sent('send') as { opts: { how?: string; anew?: boolean } }[];
    expect(sent).toHaveLength(1);
    return sent[0]!.opts;
  });

describe('a prompt while the agent works', () => {
  test.each([
    ['queue', '<C-s>', 'queue'],
    ['queue', '<Esc><CR>', 'queue'],
    ['queue', '<M-CR>', 'now'],
    ['queue', '<Esc><M-s>', 'steer'],
    ['steer', '<C-s>', 'steer'],
    ['now', '<C-s>', 'now'],
  ])('with busy = %s, %s does: %s', async (busy, key, wanted) => {
    const chat = await openPrompt(working, option(`{ busy = '${busy}' }`));
    await chat.nvim.input(`text${key}`);
    expect(await how(chat)).toEqual({ how: wanted });
  });

  test('waits where it should steer and the agent cannot', async () => {
    const chat = await openPrompt({ state: 'waiting' }, option(`{ busy = 'steer' }`));
    await chat.nvim.input('text<C-s>');
    expect(await how(chat)).toEqual({ how: 'queue' });
  });

  test('stays, and it is said, where steering is asked for by its key and the agent cannot', async () => {
    const chat = await openPrompt({ state: 'waiting' });
    await chat.nvim.input('text<M-s>');
    await chat.nvim.waitForScreen('Tester takes no prompt into a turn that runs');
    expect([await chat.prompt(), chat.sent('send')]).toEqual(['text', []]);
  });

  test('is simply sent by each key where the agent is idle', async () => {
    const chat = await openPrompt({ state: 'idle', takes: TAKES });
    await chat.nvim.input('text<M-s>');
    expect(await how(chat)).toEqual({});
  });
});

describe('what is going to happen', () => {
  test('is said in the empty prompt and while something is typed', async () => {
    const chat = await openPrompt(working, { columns: 140 });
    await chat.nvim.waitForScreen('<C-s> queues · <M-CR> sends now · <M-s> steers');
    await chat.nvim.input('text');
    await chat.nvim.waitForScreen(/text +<C-s> queues · <M-CR> sends now/);
    await expectScreen(chat.nvim, 'prompt-working');
    await chat.status({ state: 'idle' });
    await chat.nvim.waitForScreen(/text +<C-s> send/);
    expect(chat.nvim.find('queues')).toBeUndefined();
  });

  test('does not name what the agent cannot, and changes with the option', async () => {
    const chat = await openPrompt({ state: 'waiting' });
    await chat.nvim.waitForScreen('<C-s> queues · <M-CR> sends now');
    expect(chat.nvim.find('steers')).toBeUndefined();
    await chat.nvim.lua(`require('acp.config').get().prompt.busy = 'steer'`);
    await chat.status({ takes: TAKES });
    await chat.nvim.waitForScreen('<C-s> steers · <M-CR> sends now');
  });

  test('stands below a line that has no room for it', async () => {
    const chat = await openPrompt(working);
    const line = 'x'.repeat(45);
    await chat.nvim.input(line);
    const text = await chat.nvim.waitForScreen(line);
    const hint = await chat.nvim.waitForScreen('<C-s> queues');
    expect(hint.row).toBe(text.row + 1);
  });

  test('is shortened where the window is narrow', async () => {
    const chat = await openPrompt(working, { columns: 62 });
    await chat.nvim.waitForScreen('<C-s> queues');
    expect(chat.nvim.find('steers')).toBeUndefined();
  });

  test('names prompts that wait since a crash', async () => {
    const queue = [{ id: 'a', text: 'x', attachments: 0 }];
    const chat = await openPrompt({ state: 'idle', held: true, queue });
    await chat.nvim.waitForScreen('1 prompt waits · <M-q> shows · <C-s> send');
  });
});

describe('a session that can only be read', () => {
  const CHOOSE = (index: number) => ({
    init: `vim.ui.select = function(items, opts, on_choice)
      _G.asked = { opts.prompt, unpack(vim.tbl_map(opts.format_item, items)) }
      on_choice(items[${index}])
    end`,
  });

  test('says so in its prompt', async () => {
    const chat = await openPrompt({ state: 'saved' });
    await chat.nvim.waitForScreen('it can only be read · <C-s> starts anew');
    await expectScreen(chat.nvim, 'prompt-saved');
  });

  test('goes on in a new one with what was said', async () => {
    const chat = await openPrompt({ state: 'saved' }, CHOOSE(1));
    await chat.nvim.input('text<C-s>');
    expect(await how(chat)).toEqual({ anew: true });
    expect(chat.sent('send')).toMatchObject([
      { text: 'text', attachments: [{ type: 'conversation' }] },
    ]);
    expect(await chat.nvim.lua('return _G.asked')).toEqual([
      'This session can only be read',
      'Start a new session with what was said',
      'Start a new session without it',
    ]);
  });

  test('or without it', async () => {
    const chat = await openPrompt({ state: 'saved' }, CHOOSE(2));
    await chat.nvim.input('text<C-s>');
    expect(await how(chat)).toEqual({ anew: true });
    expect(chat.sent('send')).toMatchObject([{ attachments: [] }]);
  });

  test('stays as it is where nothing is chosen', async () => {
    const chat = await openPrompt({ state: 'saved' }, CHOOSE(3));
    await chat.nvim.input('text<C-s>');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    expect([await chat.prompt(), chat.sent('send')]).toEqual(['text', []]);
  });
});

describe(':w in the prompt', () => {
  const WRITES = option('{ write_sends = true }');
  const chatWindows = (chat: ChatFixture) =>
    chat.nvim.lua<number>(`return #vim.fn.win_findbuf(require('acp.chat').get('s1').buf)`);

  test('sends, with the option', async () => {
    const chat = await openPrompt({ state: 'idle' }, WRITES);
    await chat.nvim.input('text<Esc>:w<CR>');
    expect(await how(chat)).toEqual({});
    expect([await chat.prompt(), await chatWindows(chat)]).toEqual(['', 1]);
  });

  test(':wq sends, and hides the chat', async () => {
    const chat = await openPrompt({ state: 'idle' }, WRITES);
    await chat.nvim.input('text<Esc>:wq<CR>');
    await how(chat);
    await eventually(async () => expect(await chatWindows(chat)).toBe(0));
  });

  test('is not needed to leave: nothing is ever unsaved', async () => {
    const chat = await openPrompt({ state: 'idle' }, WRITES);
    await chat.nvim.input('text');
    await eventually(async () => expect(await chat.nvim.lua('return vim.bo.modified')).toBe(false));
    await chat.nvim.input('<Esc>:q<CR>');
    await eventually(async () => expect(await chatWindows(chat)).toBe(0));
    await chat.nvim.lua(`
      local buf = require('acp.chat').get('s1').prompt_buf
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'more' })
      vim.schedule(function() vim.cmd.qall() end)`);
    expect(await chat.nvim.exited).toBe(0);
  });

  test('a write of all buffers, or of a plugin, sends nothing', async () => {
    const chat = await openPrompt({ state: 'idle' }, WRITES);
    await chat.nvim.command('autocmd InsertLeave * silent! write');
    await chat.nvim.input('text<Esc>:wa<CR>');
    await chat.nvim.input('ax<C-s>');
    await how(chat);
    expect(chat.sent('send')).toMatchObject([{ text: 'textx' }]);
  });

  test('writes nothing without the option, as in any scratch buffer', async () => {
    const chat = await openPrompt({ state: 'idle' });
    await chat.nvim.input('text<Esc>:w<CR>');
    await chat.nvim.waitForScreen('E382');
    expect(chat.sent('send')).toEqual([]);
  });
});

describe('the large window', () => {
  const title = 'Prompt for Tester';

  test('shows the same text, takes the same keys, and <C-g> goes back to the same place', async () => {
    const chat = await openPrompt(working);
    await chat.nvim.input('one<CR>two<C-g>');
    await chat.nvim.waitForScreen(title);
    await chat.nvim.input('!<CR>three<Left>');
    await chat.nvim.waitForScreen('<C-s> queues');
    await expectScreen(chat.nvim, 'prompt-large');
    await chat.nvim.input('<C-g>');
    await eventually(() => expect(chat.nvim.find(title)).toBeUndefined());
    await chat.nvim.input('X');
    await eventually(async () => expect(await chat.prompt()).toBe('one\ntwo!\nthreXe'));
  });

  test('closes by q, and the chat stays; q once more hides the chat', async () => {
    const chat = await openPrompt({ state: 'idle' });
    await chat.nvim.input('<C-g>');
    await chat.nvim.waitForScreen(title);
    await chat.nvim.input('<Esc>q');
    await eventually(() => expect(chat.nvim.find(title)).toBeUndefined());
    expect(await chat.nvim.lua(`return vim.fn.winnr('$')`)).toBe(3);
    await chat.nvim.input('q');
    await eventually(async () => expect(await chat.nvim.lua(`return vim.fn.winnr('$')`)).toBe(1));
  });

  test('closes when what was written there is sent', async () => {
    const chat = await openPrompt({ state: 'idle' });
    await chat.nvim.input('text<C-g><C-s>');
    await how(chat);
    await eventually(() => expect(chat.nvim.find(title)).toBeUndefined());
    expect(await chat.nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
  });

  test('goes with the chat', async () => {
    const chat = await openPrompt({ state: 'idle' });
    await chat.nvim.input('<C-g>');
    await chat.nvim.waitForScreen(title);
    await chat.nvim.input('<Esc>:AcpHide<CR>');
    await eventually(async () =>
      expect(await chat.nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1),
    );
  });
});

describe('cc on an earlier prompt', () => {
  async function onPrompt(status: Partial<Status>): Promise<ChatFixture> {
    const chat = await openPrompt({ state: 'idle', ...status });
    await chat.ops(
      put('u1', ['▌ fix it'], { kind: 'user' }),
      put('m1', ['', 'done'], { after: 'u1' }),
    );
    await chat.focusTranscript();
    await chat.nvim.input('gg');
    return chat;
  }

  test('goes on from it in a fork', async () => {
    const chat = await onPrompt({ can: OFFERS });
    await chat.nvim.input('cc');
    await eventually(() => expect(chat.sent('fork')).toEqual([{ block: 'u1' }]));
  });

  test('says so where the agent cannot fork', async () => {
    const chat = await onPrompt({});
    await chat.nvim.input('cc');
    await chat.nvim.waitForScreen("Tester can't fork a session");
    expect(chat.sent('fork')).toEqual([]);
  });

  test('says so where no prompt stands', async () => {
    const chat = await onPrompt({ can: OFFERS });
    await chat.nvim.input('Gcc');
    await chat.nvim.waitForScreen('this is no prompt of yours');
    expect(chat.sent('fork')).toEqual([]);
  });
});
