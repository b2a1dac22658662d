/** The menu of the prompt: what it offers, when it opens, and what becomes of a choice. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import { openChat } from './chat-fixture';
import { found, isOpen, menu, offered } from './complete-fixture';
import type { ChatFixture } from './chat-fixture';

const typed = (chat: ChatFixture, text: string) =>
  eventually(async () => expect(await chat.prompt()).toBe(text));

const COMMANDS = [
  { name: 'init', description: 'Start\nhere' },
  { name: 'review', description: 'Look again', hint: 'branch\nor file' },
  { name: 'memory show', description: 'What is kept' },
  { name: 'memory add', description: 'Keep something', hint: 'what' },
  { name: '$imagegen', description: 'Make an image' },
  { name: 'my%x', description: '' },
];

async function withCommands(): Promise<ChatFixture> {
  const chat = await openChat();
  await chat.status({ commands: COMMANDS });
  return chat;
}

describe('commands', () => {
  test('/ offers all with hint and description on one line, and none is chosen by itself', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/');
    await chat.nvim.waitForScreen(/\/review branch or file +Look again/);
    await chat.nvim.waitForScreen(/\/init +Start here/);
    await typed(chat, '/');
    await chat.nvim.input('re');
    await eventually(() => expect(chat.nvim.find('Start here')).toBeUndefined());
    await typed(chat, '/re');
    await chat.nvim.input('<CR>');
    await typed(chat, '/re\n');
  });

  test('a blank follows a command that takes something, and none one that does not', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/rev');
    await offered(chat, ['/review ']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '/review ');
    await chat.nvim.input('main');
    await typed(chat, '/review main');
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input('<C-u>/in');
    await offered(chat, ['/init', '/$imagegen']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '/init');
    expect(await isOpen(chat)).toBe(false);
  });

  test('names may hold blanks and signs', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/memory');
    await offered(chat, ['/memory show', '/memory add ']);
    await chat.nvim.input(' s');
    await offered(chat, ['/memory show']);
    await chat.nvim.input('<C-n><C-y> /');
    await typed(chat, '/memory show /');
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input('<C-u>/my%');
    await offered(chat, ['/my%x']);
  });

  test('$ offers those that begin with it, where there are some', async () => {
    const chat = await withCommands();
    await chat.nvim.input('$im');
    await offered(chat, ['$imagegen']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '$imagegen');
    await chat.status({ commands: [] });
    await chat.nvim.input('<C-u>$im');
    await typed(chat, '$im');
    expect(await isOpen(chat)).toBe(false);
  });

  test('only at the start of the prompt', async () => {
    const chat = await withCommands();
    for (const keys of ['see /', '<C-u>x<CR>/', '<C-u> /']) {
      await chat.nvim.input(keys);
      await eventually(async () => expect(await chat.prompt()).toMatch(/\/$/));
      expect(await isOpen(chat)).toBe(false);
    }
  });

  test('a slash that was typed too early is answered when the commands are known', async () => {
    const chat = await openChat();
    await chat.nvim.input('/');
    await typed(chat, '/');
    await chat.status({ commands: [{ name: 'late', description: 'Better than never' }] });
    await chat.nvim.waitForScreen(/\/late +Better than never/);
  });

  test('mentions are completed behind a command', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/review @a');
    await found(chat, 'a', ['a.txt']);
    await offered(chat, ['@a.txt']);
  });
});

describe('files', () => {
  test('@ asks the sidecar, and narrows what it said while it looks on', async () => {
    const chat = await openChat();
    await chat.nvim.input('see @s');
    await found(chat, 's', ['src/', 'src/main.ts', 'lib/user.ts']);
    await offered(chat, ['@symbol', '@src/', '@src/main.ts', '@lib/user.ts'], ['@symbol']);
    await chat.nvim.input('m');
    await offered(chat, ['@src/main.ts']);
    await typed(chat, 'see @sm');
    await found(chat, 'sm', ['src/main.ts', 'src/model.ts']);
    await offered(chat, ['@src/main.ts', '@src/model.ts']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, 'see @src/main.ts');
    await chat.nvim.input(', too');
    await typed(chat, 'see @src/main.ts, too');
  });

  test('what was chosen is not offered again; a folder goes on', async () => {
    const chat = await openChat();
    await chat.nvim.input('@sr');
    await found(chat, 'sr', ['src/']);
    await offered(chat, ['@src/']);
    await chat.nvim.input('<C-n><C-y>');
    await found(chat, 'src/', ['src/a.ts', 'src/b.ts']);
    await offered(chat, ['@src/a.ts', '@src/b.ts']);
    await chat.nvim.input('<C-n><C-n><C-y>');
    await typed(chat, '@src/b.ts');
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input(' @x');
    await found(chat, 'x', ['x.ts']);
    await offered(chat, ['@x.ts']);
  });

  test('names with blanks are quoted, and go on within the quotes', async () => {
    const chat = await openChat();
    await chat.nvim.input('@no');
    await found(chat, 'no', ['my notes/', 'a "b" note.md']);
    await offered(chat, ['@"my notes/"', '@"a \\"b\\" note.md"']);
    await chat.nvim.input('<C-e><C-u>');
    await typed(chat, '');
    await chat.nvim.input('@"my no');
    await found(chat, 'my no', ['my notes/', 'my notes/x.md']);
    await offered(chat, ['@"my notes/"', '@"my notes/x.md"']);
    await chat.nvim.input('<C-n><C-n><C-y>');
    await typed(chat, '@"my notes/x.md"');
  });

  test('behind letters of several bytes, and on any line', async () => {
    const chat = await openChat();
    await chat.nvim.input('日本 grün<CR>ää „ü @ma');
    await found(chat, 'ma', ['main.ts']);
    await offered(chat, ['@main.ts']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '日本 grün\nää „ü @main.ts');
  });

  test('an @ within a word is none', async () => {
    const chat = await openChat();
    await chat.nvim.input('me@example');
    await typed(chat, 'me@example');
    await chat.nvim.input(' (@e');
    await found(chat, 'e', ['e.ts']);
    await offered(chat, ['@e.ts']);
    expect(chat.sent('files.find')).toMatchObject([{ query: 'e' }]);
  });

  test('one question at a time: what is typed meanwhile waits, and its last state is asked', async () => {
    const chat = await openChat();
    await chat.nvim.input('@');
    await eventually(() => expect(chat.sent('files.find')).toHaveLength(1));
    await chat.nvim.input('mai');
    await typed(chat, '@mai');
    expect(chat.sent('files.find')).toHaveLength(1);
    await found(chat, '', ['main.ts', 'zoo.ts']);
    await found(chat, 'mai', ['main.ts', 'domain.ts']);
    await offered(chat, ['@main.ts', '@domain.ts']);
    expect(chat.sent('files.find')).toHaveLength(2);
  });

  test('an answer that comes when another word is typed, or none, opens nothing', async () => {
    const chat = await openChat();
    await chat.nvim.input('@ma');
    await eventually(() => expect(chat.sent('files.find')).toHaveLength(1));
    await chat.nvim.input('<Esc>');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    await found(chat, 'ma', ['main.ts']);
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input('A x');
    await typed(chat, '@ma x');
    expect(await isOpen(chat)).toBe(false);
  });

  test("what 'wildignore' names is left out", async () => {
    const chat = await openChat();
    await chat.nvim.command('set wildignore=*.o,*/gen/*');
    await chat.nvim.input('@a');
    await found(chat, 'a', ['a.o', 'src/gen/a.ts', 'a.ts']);
    await offered(chat, ['@a.ts']);
  });

  test('loaded buffers come first, those that are not saved are told', async () => {
    const chat = await openChat();
    const file = join(chat.nvim.dir, 'src/alpha.ts');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'x\n');
    await chat.nvim.lua(
      `local buf = vim.fn.bufadd(...)
      vim.fn.bufload(buf)
      vim.bo[buf].buflisted = true
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'changed' })`,
      file,
    );
    await chat.nvim.input('@alp');
    await found(chat, 'alp', ['alps.md', 'src/alpha.ts']);
    await offered(chat, ['@src/alpha.ts', '@alps.md']);
    await chat.nvim.waitForScreen(/@src\/alpha.ts +buffer, not saved/);
  });

  test('without an answer the rest is offered', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.fn.setqflist({ { text = 'x' } })`);
    await chat.nvim.input('@qui');
    await offered(chat, ['@quickfix']);
  });
});

describe('words', () => {
  test('each is offered when there is something behind it, with what it is', async () => {
    const chat = await openChat();
    await chat.nvim.input('@');
    await found(chat, '', ['a.txt']);
    await eventually(async () => expect(await menu(chat)).toContain('@a.txt'));
    await chat.nvim.lua(`require('acp.clipboard').can = function() return vim.g.clipboard_can end`);
    const words = async () => (await menu(chat)).filter((word) => /^@[a-z]+$/.test(word));
    expect(await words()).toEqual(['@buffer', '@symbol']);
    await chat.nvim.lua(`vim.fn.setqflist({ { text = 'x' } })`);
    await chat.status({ takes: { image: true, audio: false, embedded: true, steering: false } });
    await chat.nvim.lua(`
      local buf = require('acp.context.source').get().buf
      vim.diagnostic.set(vim.api.nvim_create_namespace('t'), buf, {
        { lnum = 0, col = 0, message = 'bad' },
      })`);
    mkdirSync(join(chat.nvim.dir, '.git'));
    const again = async () => {
      await chat.nvim.input('<C-u>');
      await typed(chat, '');
      await chat.nvim.input('@');
    };
    const there = ['@buffer', '@symbol', '@diagnostics', '@quickfix', '@diff'];
    await again();
    await eventually(async () => expect(await words()).toEqual(there));
    await chat.nvim.lua(`vim.g.clipboard_can = true`);
    await again();
    await eventually(async () => expect(await words()).toEqual([...there, '@image']));
    await chat.nvim.waitForScreen(/@quickfix +The quickfix list/);
  });

  test('symbols are named behind @symbol:', async () => {
    const chat = await openChat();
    await chat.nvim.lua(
      `require('acp.context').symbols = function() return { 'Alpha', 'beta' } end`,
    );
    await chat.nvim.input('@symbol:');
    await offered(chat, ['@symbol:Alpha', '@symbol:beta']);
    await chat.nvim.input('be');
    await offered(chat, ['@symbol:beta']);
  });
});

describe('the menu', () => {
  test('closed with <C-e> it stays closed until another word is begun', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/m');
    await eventually(async () => expect(await isOpen(chat)).toBe(true));
    await chat.nvim.input('<C-e>');
    await eventually(async () => expect(await isOpen(chat)).toBe(false));
    await chat.nvim.input('e');
    await typed(chat, '/me');
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input('<C-u>');
    await typed(chat, '');
    await chat.nvim.input('/');
    await eventually(async () => expect(await isOpen(chat)).toBe(true));
  });

  test('closed with <C-e> it is not opened by files that are found later', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`vim.fn.setqflist({ { text = 'x' } })`);
    await chat.nvim.input('@qui');
    await offered(chat, ['@quickfix']);
    await chat.nvim.input('<C-e>');
    await eventually(async () => expect(await isOpen(chat)).toBe(false));
    await found(chat, 'qui', ['quick.ts']);
    expect(await isOpen(chat)).toBe(false);
  });

  test.each([
    ['a draft that comes back', `prompt.set(chat, 'see @a')`],
    ['what comes back before it', `prompt.prepend(chat, 'see @a')`],
    ['a paste', `vim.api.nvim_paste('see @a', false, -1)`],
  ])('does not open by %s, but by what is typed on', async (_, put) => {
    const chat = await openChat();
    // In normal mode, which a new chat has for a moment, a paste leaves the cursor elsewhere.
    await eventually(async () => expect(await chat.nvim.lua(`return vim.fn.mode()`)).toBe('i'));
    await chat.nvim.lua(`
      local chat, prompt = require('acp.chat').get('s1'), require('acp.ui.prompt')
      ${put}`);
    await typed(chat, 'see @a');
    await chat.status({ commands: COMMANDS });
    // The next key comes after all that a change does.
    await chat.nvim.input('<Left><Right>');
    await eventually(async () => expect(await chat.nvim.lua(`return vim.fn.col('.')`)).toBe(7));
    expect(chat.sent('files.find')).toEqual([]);
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.input('b');
    await found(chat, 'ab', ['ab.txt']);
    await offered(chat, ['@ab.txt']);
  });

  test('opens again when of a word that stands there a letter is deleted', async () => {
    const chat = await openChat();
    await chat.nvim.input('see @ab<Esc>A<BS>');
    await found(chat, 'a', ['ab.txt']);
    await offered(chat, ['@ab.txt']);
  });

  test('does not open by a command that stands there, when the commands are known', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`
      require('acp.ui.prompt').set(require('acp.chat').get('s1'), '/re')`);
    await chat.status({ commands: COMMANDS });
    await chat.nvim.input('<Left><Right>');
    await eventually(async () => expect(await chat.nvim.lua(`return vim.fn.col('.')`)).toBe(4));
    expect(await isOpen(chat)).toBe(false);
  });

  test('<C-p> and <C-n> choose in it, and walk the history without it', async () => {
    const chat = await withCommands();
    await chat.nvim.input('/m');
    await eventually(async () => expect(await isOpen(chat)).toBe(true));
    await chat.nvim.input('<C-n><C-n><C-p><C-y>');
    await typed(chat, '/memory show');
  });

  test('a choice is not taken away by files that are found later', async () => {
    const chat = await openChat();
    await chat.nvim.input('@m');
    await found(chat, 'm', ['main.ts', 'model.ts']);
    await offered(chat, ['@main.ts', '@model.ts']);
    await chat.nvim.input('o');
    await offered(chat, ['@model.ts']);
    await chat.nvim.input('<C-n>');
    await eventually(async () =>
      expect(await chat.nvim.lua(`return vim.fn.complete_info({ 'selected' }).selected`)).toBe(0),
    );
    await found(chat, 'mo', ['demo.ts', 'model.ts']);
    await chat.nvim.input('<C-y>');
    await typed(chat, '@model.ts');
  });

  test("keeps what the user has in 'completeopt', but for what chooses by itself", async () => {
    const chat = await openChat({ init: `vim.o.completeopt = 'menu,preview,longest,popup'` });
    await chat.nvim.input('x');
    await typed(chat, 'x');
    expect(await chat.nvim.lua(`return vim.split(vim.o.completeopt, ',')`)).toEqual([
      'menu',
      'menuone',
      'noselect',
      'noinsert',
      'popup',
    ]);
    await chat.nvim.input('<Esc>');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    expect(await chat.nvim.lua('return vim.go.completeopt')).toBe('menu,preview,longest,popup');
  });

  test("another one that is open is left alone: <C-x><C-n>'s", async () => {
    const chat = await withCommands();
    await chat.nvim.input('@mabel mabel ');
    await chat.nvim.input('ma<C-x><C-n>');
    await offered(chat, ['mabel']);
    await chat.nvim.input('b');
    await offered(chat, ['mabel']);
  });

  test.each([
    ['commands', '/re', '/review '],
    ['words', 'see @qui', 'see @quickfix'],
  ])("'omnifunc' offers %s", async (_, keys, chosen) => {
    const chat = await withCommands();
    await chat.nvim.lua(`vim.fn.setqflist({ { text = 'x' } })`);
    await chat.nvim.input(`${keys}<C-e><C-x><C-o>`);
    await eventually(async () => expect(await isOpen(chat)).toBe(true));
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, chosen);
  });

  test("'omnifunc' offers files when they are found", async () => {
    const chat = await openChat();
    await chat.nvim.input('@mod<C-x><C-o>');
    await found(chat, 'mod', ['model.ts']);
    await offered(chat, ['@model.ts']);
    await chat.nvim.input('e');
    await found(chat, 'mode', ['model.ts', 'mode.ts']);
    await offered(chat, ['@model.ts', '@mode.ts']);
    await chat.nvim.input('<C-n><C-y>');
    await typed(chat, '@model.ts');
    await chat.nvim.input('<C-u>plain<C-x><C-o>x');
    await typed(chat, 'plainx');
  });
});

describe('on the screen', () => {
  test('commands', async () => {
    const chat = await openChat({ columns: 120, lines: 24 });
    await chat.status({ state: 'idle', commands: COMMANDS });
    await chat.nvim.input('/');
    await chat.nvim.waitForScreen('/my%x');
    await chat.nvim.input('<C-n><C-n>');
    await typed(chat, '/review ');
    await expectScreen(chat.nvim, 'complete-commands');
  });

  test('mentions', async () => {
    const chat = await openChat({ columns: 120, lines: 24 });
    await chat.status({ state: 'idle' });
    await chat.nvim.lua(`vim.fn.setqflist({ { text = 'x' } })`);
    await chat.nvim.input('see @');
    await found(chat, '', ['src/', 'README.md', 'src/main.ts', 'my notes.md']);
    await chat.nvim.waitForScreen('@my notes.md');
    await expectScreen(chat.nvim, 'complete-mentions');
  });
});
