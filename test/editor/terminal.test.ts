import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Drawing } from '../../src/render/drawing';
import { eventually, nvimVersion } from '../harness';
import { numbered, openChat, type ChatFixture } from './chat-fixture';

const VIEW = {
  session: 's1',
  terminal: 't',
  block: 'b1',
  title: 'make test',
  all: [],
  data: '',
  truncated: false,
  lines: 1,
  canStop: false,
};

async function show(chat: ChatFixture, more: object = {}): Promise<void> {
  await chat.nvim.input('<Esc>');
  await chat.nvim.lua(`require('acp.rpc').call('terminal.show', ...)`, { ...VIEW, ...more });
}

async function data(chat: ChatFixture, text: string, end?: string): Promise<void> {
  const params = { session: 's1', terminal: 't', data: text, ...(end && { end }) };
  await chat.nvim.lua(`require('acp.rpc').call('terminal.data', ...)`, params);
}

/** What the current buffer holds, without the empty lines at its end. */
async function text(chat: ChatFixture): Promise<string> {
  const all = await chat.nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
  return all.join('\n').trimEnd();
}

async function holds(chat: ChatFixture, wanted: string): Promise<void> {
  await eventually(async () => expect(await text(chat)).toBe(wanted));
}

describe('the terminal of a card', () => {
  it('is a buffer of a terminal with the output in its colours, and goes on as it comes', async () => {
    const chat = await openChat();
    await show(chat, { data: '\u001b[31mred\u001b[0m\n 10%' });
    await holds(chat, 'red\n 10%');
    expect(await chat.nvim.lua('return vim.bo.buftype')).toBe('terminal');
    await data(chat, '\r100%\ndone\n');
    await holds(chat, 'red\n100%\ndone');
    await chat.nvim.waitForScreen(/make test ─+ running/);
    await data(chat, '', 'exit 3');
    await chat.nvim.waitForScreen(/make test ─+ exit 3/);
    const { row, col } = chat.nvim.find('red')!;
    expect(chat.nvim.attrsAt(row, col)).not.toEqual(chat.nvim.attrsAt(row + 1, col));
  });

  it('follows the output at its end, and stays where the user looks', async () => {
    const chat = await openChat();
    await show(chat, { data: `${numbered(200).join('\n')}\n` });
    await chat.nvim.waitForScreen('line 200');
    await data(chat, `${numbered(100, 'more').join('\n')}\n`);
    await chat.nvim.waitForScreen('more 100');
    await chat.nvim.input('gg');
    await chat.nvim.waitForScreen('line 1 ');
    await data(chat, 'last\n');
    await eventually(async () => expect(await text(chat)).toMatch(/last$/));
    expect(chat.nvim.screen()).toMatch(/line 1 /);
  });

  it('can be searched', async () => {
    const chat = await openChat();
    await show(chat, { data: `${numbered(200).join('\n')}\n`, end: 'exit 0', lines: 201 });
    await chat.nvim.waitForScreen('line 200');
    await chat.nvim.input('?line 17$<CR>');
    await eventually(async () => {
      expect(await chat.nvim.lua('return vim.api.nvim_get_current_line()')).toBe('line 17');
    });
  });

  it('takes no input: who begins to type is back at once, and a startinsert in TermOpen is not for it', async () => {
    const chat = await openChat({ init: `vim.cmd('autocmd TermOpen * startinsert')` });
    await show(chat, { data: 'output\n' });
    await holds(chat, 'output');
    expect(chat.nvim.mode).toBe('normal');
    await chat.nvim.input('i');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
    expect(await chat.nvim.lua('return vim.o.eventignore')).toBe('');
  });

  it('cannot be written into', async () => {
    const chat = await openChat();
    await show(chat, { data: 'output\n' });
    await holds(chat, 'output');
    await chat.nvim.input('ggddx');
    await data(chat, 'more\n');
    await holds(chat, 'output\nmore');
  });

  it('closes on q, and then nobody follows it any more; the cursor is where it was', async () => {
    const chat = await openChat();
    await chat.focusTranscript();
    const before = await chat.nvim.lua('return vim.api.nvim_get_current_win()');
    await show(chat);
    await chat.nvim.input('q');
    await eventually(() => {
      expect(chat.sent('terminal.close')).toEqual([{ session: 's1', terminal: 't' }]);
    });
    expect(await chat.nvim.lua('return vim.api.nvim_get_current_win()')).toBe(before);
    await data(chat, 'late\n', 'exit 0');
    const buffers = `return #vim.tbl_filter(function(buf) return vim.bo[buf].buftype == 'terminal' end, vim.api.nvim_list_bufs())`;
    expect(await chat.nvim.lua(buffers)).toBe(0);
  });

  it('stops the command on <C-x>, where that can be done, and says so', async () => {
    const chat = await openChat();
    await show(chat, { canStop: true });
    await chat.nvim.waitForScreen('K details · <C-x> stop · q close');
    await chat.nvim.input('<C-x>');
    await eventually(() => {
      expect(chat.sent('terminal.stop')).toEqual([{ session: 's1', terminal: 't' }]);
    });
    await data(chat, '', 'ended by SIGTERM');
    await chat.nvim.waitForScreen(/ended by SIGTERM/);
    expect(chat.nvim.screen()).not.toContain('<C-x> stop');
  });

  it('shows all else about the call on K', async () => {
    const chat = await openChat();
    await show(chat);
    await chat.nvim.input('K');
    await eventually(() => {
      expect(chat.sent('block.inspect')).toEqual([{ session: 's1', block: 'b1', details: true }]);
    });
  });

  it('goes round the terminals of its card, in one window', async () => {
    const chat = await openChat();
    const all = ['t', 'u', 'v'];
    await show(chat, { all, data: 'first\n' });
    await chat.nvim.waitForScreen(/1 of 3 · running/);
    await chat.nvim.input(']t');
    await eventually(() => {
      expect(chat.sent('terminal.open')).toEqual([{ session: 's1', terminal: 'u' }]);
    });
    await chat.nvim.lua(`require('acp.rpc').call('terminal.show', ...)`, {
      ...VIEW,
      all,
      terminal: 'u',
      data: 'second\n',
    });
    await holds(chat, 'second');
    await chat.nvim.waitForScreen(/2 of 3/);
    expect(chat.sent('terminal.close')).toEqual([{ session: 's1', terminal: 't' }]);
    await chat.nvim.input('[t');
    await eventually(() => {
      expect(chat.sent('terminal.open').at(-1)).toEqual({ session: 's1', terminal: 't' });
    });
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
  });

  it('opens the path at the cursor on gf, as the command means it, and closes', async () => {
    const chat = await openChat();
    const folder = join(chat.nvim.dir, 'sub');
    await chat.nvim.lua('vim.fn.mkdir(...)', folder);
    writeFileSync(join(folder, 'a.c'), 'one\ntwo\nthree\n');
    await show(chat, { cwd: folder, data: 'a.c:2:3: error: no\n', end: 'exit 1', lines: 2 });
    await holds(chat, 'a.c:2:3: error: no');
    await chat.nvim.input('gggf');
    await eventually(async () => {
      const place = `return { vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0) }`;
      expect(await chat.nvim.lua(place)).toEqual([join(folder, 'a.c'), [2, 2]]);
    });
    expect(chat.nvim.screen()).not.toContain('make test');
  });

  it('opens the address at the cursor on gx', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.ui.open = function(url) vim.g.opened = url end`);
    await show(chat, { data: 'see https://example.org/a?b=c\n', end: 'exit 0', lines: 2 });
    await holds(chat, 'see https://example.org/a?b=c');
    await chat.nvim.input('ggwgx');
    await eventually(async () => {
      expect(await chat.nvim.lua('return vim.g.opened')).toBe('https://example.org/a?b=c');
    });
  });

  it('says that its end is not known, where the sidecar is gone', async () => {
    const chat = await openChat();
    await show(chat, { canStop: true });
    await chat.nvim.lua(`require('acp.incoming').sidecar_lost(1)`);
    await chat.nvim.waitForScreen(/make test ─+ end unknown/);
    await chat.nvim.input('<C-x>Kq');
    await eventually(() => expect(chat.nvim.screen()).not.toContain('make test'));
    expect(chat.sent('terminal.stop')).toEqual([]);
    expect(chat.sent('terminal.close')).toEqual([]);
  });

  it('is as high as an output that has ended, and fits on the screen when that gets smaller', async () => {
    const chat = await openChat();
    await show(chat, { data: 'a\nb\n', end: 'exit 0', lines: 3 });
    await holds(chat, 'a\nb');
    expect(await chat.nvim.lua('return vim.api.nvim_win_get_height(0)')).toBe(3);
    await show(chat, { terminal: 'u', data: 'long\n' });
    await holds(chat, 'long');
    await chat.nvim.resize(50, 12);
    await eventually(async () => {
      const size = `return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_height(0) }`;
      expect(await chat.nvim.lua(size)).toEqual([48, 8]);
    });
  });
});

describe(':AcpTerminals', () => {
  const running = (id: string, more: object = {}) => ({
    id,
    title: `command ${id}`,
    since: Date.now() - 65_000,
    canStop: true,
    ...more,
  });

  async function run(chat: ChatFixture, command: string): Promise<void> {
    await chat.nvim.lua(`vim.ui.select = function(items, opts, done)
      _G.offered = vim.tbl_map(opts.format_item, items)
      done(items[#items])
    end`);
    await chat.nvim.input(`<Esc>:${command}<CR>`);
  }

  it('offers what runs, and opens what is chosen', async () => {
    const chat = await openChat();
    await chat.status({ terminals: [running('a'), running('b', { canStop: false })] });
    await run(chat, 'AcpTerminals');
    await eventually(() => {
      expect(chat.sent('terminal.open')).toEqual([{ session: 's1', terminal: 'b' }]);
    });
    const offered = await chat.nvim.lua<string[]>('return _G.offered');
    expect(offered[0]).toMatch(/^command a {2}\(1:0\d\)$/);
    await chat.nvim.waitForScreen('2 commands');
  });

  it('stop offers what can be stopped', async () => {
    const chat = await openChat();
    await chat.status({ terminals: [running('a'), running('b', { canStop: false })] });
    await run(chat, 'AcpTerminals stop');
    await eventually(() => {
      expect(chat.sent('terminal.stop')).toEqual([{ session: 's1', terminal: 'a' }]);
    });
  });

  it('says what can be done where nothing runs, or where the agent alone can stop it', async () => {
    const chat = await openChat();
    await run(chat, 'AcpTerminals');
    await chat.nvim.waitForScreen('no command runs');
    await chat.status({ terminals: [running('b', { canStop: false })] });
    await run(chat, 'AcpTerminals stop');
    await chat.nvim.waitForScreen(':AcpCancel ends them');
    await run(chat, 'AcpTerminals now');
    await chat.nvim.waitForScreen('"now" is none of show, stop');
  });

  it('cuts a command that is too long for the screen', async () => {
    const chat = await openChat();
    await chat.status({ terminals: [running('a', { title: 'x'.repeat(2000) })] });
    await run(chat, 'AcpTerminals');
    await eventually(async () => {
      const [label] = await chat.nvim.lua<string[]>('return _G.offered');
      expect(label!.length).toBeLessThan(120);
    });
  });
});

describe('what is left of an output', () => {
  /** All control sequences with some parameters, and strings of all kinds. */
  const sequences = (): string => {
    const finals = Array.from({ length: 0x7f - 0x40 }, (_, i) => String.fromCharCode(0x40 + i));
    const all = ['', '?', '>', '=', '!'].flatMap((prefix) =>
      ['', '0', '1', '5', '6', '11;18', '18', '21', '1006'].flatMap((parameters) =>
        ['', ' ', '$', '"', "'", '*'].flatMap((between) =>
          finals.map((final) => `\u001b[${prefix}${parameters}${between}${final}`),
        ),
      ),
    );
    const strings = [
      '0;t',
      '2;t',
      '4;1;?',
      '10;?',
      '11;?',
      '52;c;YQ==',
      '52;c;?',
      '7;file:///',
      '133;A',
      '777;a',
      'x',
    ];
    const said = strings.flatMap((it) =>
      [']', 'P', '^', '_', 'X'].map((kind) => `\u001b${kind}${it}\u001b\\`),
    );
    const short = [
      '\u001bZ',
      '\u001bc',
      '\u001b=',
      '\u001b>',
      '\u0005',
      '\u0007',
      '\u000e',
      '\u000f',
    ];
    return [...all, ...said, ...short].join('');
  };

  /** What comes of it in a terminal: answers to it, requests to Neovim, copies, the title. */
  const comesOf = (chat: ChatFixture, text: string): Promise<unknown> =>
    chat.nvim.lua(
      `
      local answers, requests, copies = 0, 0, 0
      local function copy() copies = copies + 1 end
      local none = function() return { {}, 'v' } end
      vim.g.clipboard = {
        name = 'test',
        copy = { ['+'] = copy, ['*'] = copy },
        paste = { ['+'] = none, ['*'] = none },
      }
      local buf = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_create_autocmd('TermRequest', { callback = function() requests = requests + 1 end })
      local channel = vim.api.nvim_open_term(buf, { on_input = function() answers = answers + 1 end })
      vim.b[buf].term_title = 'own'
      vim.api.nvim_chan_send(channel, ...)
      vim.wait(100)
      return { answers > 0, requests > 0, copies > 0, vim.b[buf].term_title }`,
      text,
    );

  it('gets no answer from a terminal, asks nothing of Neovim, sets no clipboard and no title', async () => {
    const chat = await openChat();
    // As it came it does all of that; the clipboard is set since 0.11.
    const some = '\u001b[6n\u001b]52;c;YQ==\u001b\\\u001b]777;a\u001b\\\u001b]2;t\u001b\\';
    expect(await comesOf(chat, some)).toEqual([true, true, nvimVersion() === '0.12', 't']);
    const drawn = new Drawing().push(sequences());
    expect(drawn.length).toBeGreaterThan(100);
    expect(await comesOf(chat, drawn)).toEqual([false, false, false, 'own']);
  });
});
