/** `:AcpAdd` and `:AcpRemove`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import type { Nvim, NvimOptions } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';
import { media } from './media-fixture';

interface Text {
  type: string;
  path?: string;
  text?: string;
  startLine?: number;
  endLine?: number;
  name?: string;
}

const attached = (nvim: Nvim): Promise<Text[]> =>
  nvim.lua(`
    local chat = require('acp.chat').current()
    return chat and #chat.attachments > 0 and chat.attachments or vim.empty_dict()`);
const count = async (nvim: Nvim): Promise<number> => Object.keys(await attached(nvim)).length;
const only = async (nvim: Nvim): Promise<Text> => {
  await eventually(async () => expect(await count(nvim)).toBe(1));
  return (await attached(nvim))[0]!;
};

/** A chat beside a window that shows `name`, where the cursor is. */
async function withFile(
  name: string,
  text: string,
  options: NvimOptions = {},
): Promise<ChatFixture> {
  const chat = await openChat(options);
  writeFileSync(join(chat.nvim.dir, name), text);
  await chat.nvim.lua(
    `vim.cmd.stopinsert()
    vim.cmd.wincmd('t')
    if vim.wo.winfixbuf then vim.cmd.tabfirst() end
    vim.cmd.edit({ args = { ... }, magic = { file = false, bar = false } })`,
    name,
  );
  await eventually(() => expect(chat.nvim.mode).toBe('normal'));
  return chat;
}

/** Stands in for `vim.ui.select`: keeps what was offered, and chooses the first that begins like this. */
const choosing = (label: string) => `
  _G.offered = {}
  vim.ui.select = function(items, opts, done)
    _G.prompt = opts.prompt
    for _, item in ipairs(items) do table.insert(_G.offered, opts.format_item(item)) end
    for i, text in ipairs(_G.offered) do
      if vim.startswith(text, ${JSON.stringify(label)}) then return done(items[i], i) end
    end
    done(nil)
  end
`;
const offered = (nvim: Nvim) => nvim.lua<string[]>('return _G.offered');

const CODE = 'local function foo()\n  return 1\nend\n\nfoo()\n';

describe('lines', () => {
  test('of a range are attached as they are in the buffer, unsaved', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(":1put='new'<CR>:1,2AcpAdd<CR>");
    expect(await only(nvim)).toMatchObject({
      type: 'text',
      path: join(nvim.dir, 'a.lua'),
      startLine: 1,
      endLine: 2,
      text: 'local function foo()\nnew\n',
      filetype: 'lua',
    });
    expect(await nvim.messages()).toContain('acp: attached a.lua:1-2 (25 B)');
  });

  test.each([
    ['characters', 'gg0wvjl', 'function foo()\n  return', 1, 2],
    ['lines', 'ggVj', 'local function foo()\n  return 1\n', 1, 2],
    ['a block', 'gg0<C-v>jl', 'lo\n  ', 1, 2],
    ['up to the end of a line', 'gg0wwv$', 'foo()', 1, 1],
  ])('that are selected: %s', async (_, keys, text, startLine, endLine) => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(`${keys}:AcpAdd selection<CR>`);
    expect(await only(nvim)).toMatchObject({ text, startLine, endLine });
  });

  test('the last selection is attached from the prompt too', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input('gg0wve<Esc><C-w>b<Esc>:AcpAdd selection<CR>');
    expect(await only(nvim)).toMatchObject({ text: 'function', startLine: 1, endLine: 1 });
  });

  test('a selection whose text was deleted since is the lines that are left', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input('gg0wvj$<Esc>gg$d0jd$:AcpAdd selection<CR>');
    const { text } = await only(nvim);
    expect(text!.split('\n').length).toBeGreaterThan(1);
    expect(await nvim.messages()).not.toContain('Error');
  });

  test('without a selection it is said that there is none', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(':AcpAdd selection<CR>');
    await nvim.waitForScreen('acp: nothing was selected in a.lua');
    expect(await count(nvim)).toBe(0);
  });
});

describe('what is attached', () => {
  test('the whole buffer, from the prompt, without its window', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(":$put='new'<CR><C-w>b:AcpAdd buffer<CR>");
    expect(await only(nvim)).toEqual({
      type: 'text',
      path: join(nvim.dir, 'a.lua'),
      text: `${CODE}new\n`,
      filetype: 'lua',
    });
  });

  test('the symbol at the cursor', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input('2G:AcpAdd symbol<CR>');
    expect(await only(nvim)).toMatchObject({ startLine: 1, endLine: 3 });
    await nvim.input('G:AcpAdd symbol<CR>');
    await nvim.waitForScreen('there is no function or class at the cursor in a.lua');
  });

  test('a file by its path, with blanks, and why not', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    mkdirSync(join(nvim.dir, 'sub'));
    writeFileSync(join(nvim.dir, 'my file.txt'), 'text');
    await nvim.input(':AcpAdd file my file.txt<CR>');
    expect(await only(nvim)).toEqual({ type: 'file', path: join(nvim.dir, 'my file.txt') });
    await nvim.input(':AcpAdd file my\\ file.txt<CR>');
    await nvim.waitForScreen('attached again, as it is now: my file.txt (4 B)');
    await nvim.input(':AcpAdd file sub<CR>');
    await nvim.waitForScreen('sub is no file, but a directory');
    await nvim.input(':AcpAdd file none.txt<CR>');
    await nvim.waitForScreen('there is no file none.txt');
    await nvim.input(':AcpAdd file %<CR>');
    await nvim.waitForScreen('attached a.lua');
    expect(await count(nvim)).toBe(2);
  });

  test('the changes that git knows of, without running what the repository names', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: nvim.dir,
      });
    git('init', '-q');
    writeFileSync(join(nvim.dir, '.gitattributes'), '*.lua diff=evil\n');
    git('add', '.');
    await nvim.input(':AcpAdd diff<CR>');
    const first = await only(nvim);
    expect(first).toMatchObject({ type: 'text', name: 'git diff', filetype: 'diff' });
    expect(first.text).toContain('+local function foo()');
    git('commit', '-q', '-m', 'x');
    for (const name of ['diff.external', 'diff.evil.command', 'diff.evil.textconv', 'core.pager'])
      git('config', name, `touch ${join(nvim.dir, 'ran')};`);
    git('config', 'color.diff', 'always');
    git('config', 'diff.noprefix', 'true');
    writeFileSync(join(nvim.dir, 'a.lua'), `${CODE}more()\n`);
    await nvim.input(':AcpAdd diff<CR>');
    await eventually(async () =>
      expect((await attached(nvim))[0]!.text).toContain('--- a/a.lua\n+++ b/a.lua\n'),
    );
    expect((await attached(nvim))[0]!.text).toContain('\n+more()\n');
    expect(await count(nvim)).toBe(1);
    expect(() => execFileSync('test', ['-e', join(nvim.dir, 'ran')])).toThrow();
    await nvim.input(':AcpAdd diff staged<CR>');
    await nvim.waitForScreen('acp: nothing is staged');
  });

  test('outside of a repository it is said that there is none', async () => {
    const { nvim } = await withFile('a.lua', CODE, { env: { GIT_CEILING_DIRECTORIES: '/tmp' } });
    await nvim.input(':AcpAdd diff<CR>');
    await nvim.waitForScreen('this folder is in no git repository');
  });

  test('the last lines of a terminal, without the blank ones of its screen', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.lua(`vim.cmd.new() vim.fn.termopen('seq 30; sleep 100')`);
    await eventually(async () =>
      expect(await nvim.lua(`return vim.fn.search('^30$', 'n')`)).toBe(30),
    );
    await nvim.input('<C-\\><C-n><C-w>w:AcpAdd terminal 3<CR>');
    const { name, text } = await only(nvim);
    expect(name).toBe('terminal: seq 30; sleep 100');
    expect(text).toBe('28\n29\n30\n');
  });

  test('the same thing is attached once, as it is now', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(":1,2AcpAdd<CR>:AcpAdd buffer<CR>:1put='new'<CR>:1,2AcpAdd<CR>");
    await nvim.waitForScreen('attached again, as it is now: a.lua:1-2');
    expect((await attached(nvim)).map(({ text }) => text)).toEqual([
      'local function foo()\nnew\n',
      CODE,
    ]);
  });

  test('diagnostics of two files are two things', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.lua(`
      local ns = vim.api.nvim_create_namespace('t')
      vim.diagnostic.set(ns, 0, { { lnum = 0, col = 0, message = 'one' } })
      require('acp.attach').add('diagnostics')
      vim.cmd.edit('b.lua')
      vim.diagnostic.set(ns, 0, { { lnum = 0, col = 0, message = 'two' } })
      require('acp.attach').add('diagnostics')
      vim.diagnostic.set(ns, 0, {
        { lnum = 0, col = 0, message = 'two' }, { lnum = 0, col = 1, message = 'three' } })
      require('acp.attach').add('diagnostics')`);
    expect((await attached(nvim)).map(({ name }) => name)).toEqual([
      'diagnostics (1)',
      'diagnostics (2)',
    ]);
  });

  test('goes with the next prompt', async () => {
    const chat = await withFile('a.lua', CODE);
    await chat.nvim.input(':1AcpAdd<CR><C-w>b');
    await chat.nvim.input('ihello<C-s>');
    await eventually(() => expect(chat.sent('prompt.send')).toHaveLength(1));
    expect(chat.sent('prompt.send')[0]).toMatchObject({
      text: 'hello',
      attachments: [{ startLine: 1, endLine: 1 }],
    });
    expect(await count(chat.nvim)).toBe(0);
    expect(chat.nvim.screen()).not.toContain('@a.lua');
  });

  test('is kept with the draft, also when it is taken away', async () => {
    const chat = await withFile('a.lua', CODE);
    await chat.nvim.input(':1AcpAdd<CR>');
    const saved = (attachments: unknown) =>
      eventually(() =>
        expect(chat.sent('draft.save').at(-1)).toMatchObject({ draft: { attachments } }),
      );
    await saved([{ startLine: 1 }]);
    await chat.nvim.input(':AcpRemove<CR>');
    await saved([]);
  });
});

describe('a word that is none', () => {
  test('is named with those that there are', async () => {
    const { nvim } = await withFile('a.lua', CODE, { columns: 160 });
    await nvim.input(':AcpAdd nonsense<CR>');
    await nvim.waitForScreen('"nonsense" is none of selection, buffer, file, symbol');
    await nvim.input(':AcpAdd diff everything<CR>');
    await nvim.waitForScreen('"everything" is not staged');
    await nvim.input(':AcpAdd terminal all<CR>');
    await nvim.waitForScreen('"all" is no number of lines');
  });
});

describe('where there is no chat', () => {
  test('one opens, and the cursor stays', async () => {
    const chat = await withFile('a.lua', CODE);
    const { nvim } = chat;
    await nvim.input(':tabnew a.lua<CR>:2AcpAdd<CR>');
    await eventually(() => expect(chat.sent('session.open')).toHaveLength(2));
    await nvim.waitForScreen('@a.lua:2 11 B ✕');
    await nvim.waitForScreen('acp: attached a.lua:2 (11 B)');
    expect(nvim.mode).toBe('normal');
    expect(await nvim.lua(`return vim.fn.bufname()`)).toBe('a.lua');
    expect(await nvim.lua(`return require('acp.chat').current().session`)).toBe('s2');
  });

  test.each(['tab', 'bottom', 'float'])('the cursor stays with position %s', async (position) => {
    const init = `vim.g.test_options = { layout = { position = '${position}' } }`;
    const { nvim } = await withFile('a.lua', CODE, { init });
    await nvim.input(':tabnew b.lua<CR>:AcpAdd file a.lua<CR>');
    await eventually(async () =>
      expect(await nvim.lua(`return #require('acp.chat').get('s2').attachments`)).toBe(1),
    );
    expect(await nvim.lua(`return vim.fn.bufname()`)).toBe('b.lua');
    expect(nvim.mode).toBe('normal');
  });

  test('a hidden one gets it without being shown', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(':AcpHide<CR>:1AcpAdd<CR>');
    await only(nvim);
    expect(await nvim.lua(`return #vim.api.nvim_list_wins()`)).toBe(1);
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('@a.lua:1 21 B ✕');
  });
});

describe('without a word', () => {
  test('what there is is offered', async () => {
    const { nvim } = await withFile('a.lua', CODE, {
      init: choosing('quickfix'),
      env: { WAYLAND_DISPLAY: undefined, DISPLAY: undefined },
    });
    await nvim.lua(`
      vim.fn.setqflist({ { bufnr = vim.api.nvim_get_current_buf(), lnum = 2, text = 'x' } })
      vim.fn.mkdir('.git')`);
    await nvim.input('ggVj<Esc>2G:AcpAdd<CR>');
    expect(await only(nvim)).toMatchObject({ name: 'quickfix (1)', text: 'a.lua:2: x\n' });
    expect(await offered(nvim)).toEqual([
      'buffer       a.lua',
      'selection    a.lua:1-2 (32 B)',
      'symbol       a.lua:1-3 (36 B)',
      'quickfix     quickfix (1) (11 B)',
      'diff         what git says was changed',
      'file         a path',
    ]);
  });

  test('in an empty Neovim only a file is', async () => {
    const { nvim } = await openChat({
      init: choosing('nothing'),
      env: { WAYLAND_DISPLAY: undefined, DISPLAY: undefined, GIT_CEILING_DIRECTORIES: '/tmp' },
    });
    await nvim.input('<Esc><C-w>t:AcpAdd<CR>');
    await eventually(async () => expect(await offered(nvim)).toEqual(['file         a path']));
    expect(await nvim.messages()).toBe('');
  });

  test('a path is asked for', async () => {
    const { nvim } = await withFile('a.lua', CODE, { init: choosing('file') });
    await nvim.input(':AcpAdd<CR>');
    await nvim.waitForScreen('Attach the file:');
    await nvim.input('a.lua<CR>');
    expect(await only(nvim)).toMatchObject({ type: 'file' });
  });
});

describe('something large', () => {
  const big = Array.from({ length: 30_000 }, (_, i) => `line ${i}`).join('\n') + '\n';

  test('is attached when that is wanted', async () => {
    const { nvim } = await withFile('a.txt', big, { init: choosing('Attach all') });
    await nvim.input(':AcpAdd buffer<CR>');
    expect((await only(nvim)).text).toBe(big);
    expect(await nvim.lua('return _G.prompt')).toBe('Attach 311 KB? a.txt');
    expect(await offered(nvim)).toEqual([
      'Attach all of it',
      'Only the first 256 KB',
      'Attach nothing',
    ]);
  });

  test('is not, when nothing is chosen', async () => {
    const { nvim } = await withFile('a.txt', big, { init: choosing('none of these') });
    await nvim.input(':AcpAdd buffer<CR>');
    await eventually(async () => expect(await offered(nvim)).toHaveLength(3));
    expect(await count(nvim)).toBe(0);
  });

  test.each(['buffer', 'file a.txt'])('of a %s, whole lines from its start', async (what) => {
    const { nvim } = await withFile('a.txt', big, { init: choosing('Only the first') });
    await nvim.input(`:AcpAdd ${what}<CR>`);
    const { text, startLine, endLine, path } = await only(nvim);
    expect(path).toBe(join(nvim.dir, 'a.txt'));
    expect(text!.length).toBeLessThanOrEqual(256 * 1024);
    expect(text!.length).toBeGreaterThan(256 * 1024 - 20);
    expect(big.startsWith(text!)).toBe(true);
    expect(text!.endsWith('\n')).toBe(true);
    expect([startLine, endLine]).toEqual([1, text!.split('\n').length - 1]);
  });

  test('of a terminal, its last lines', async () => {
    const { nvim } = await withFile('a.txt', 'x', {
      init: `${choosing('Only the last')} vim.g.test_options = { attachments = { ask_bytes = 20 } }`,
    });
    await nvim.lua(`vim.cmd.new() vim.fn.termopen('seq 30; sleep 100')`);
    await eventually(async () =>
      expect(await nvim.lua(`return vim.fn.search('^30$', 'n')`)).toBe(30),
    );
    await nvim.input(':AcpAdd terminal<CR>');
    expect(await only(nvim)).toMatchObject({
      name: 'terminal: seq 30; sleep 100 (last 20 B)',
      text: '25\n26\n27\n28\n29\n30\n',
    });
  });

  test('one line is cut between characters', async () => {
    const { nvim } = await withFile('a.txt', 'é'.repeat(20), {
      init: `${choosing('Only the first')} vim.g.test_options = { attachments = { ask_bytes = 7 } }`,
    });
    await nvim.input(':AcpAdd buffer<CR>');
    expect((await only(nvim)).text).toBe('ééé');
  });

  test('no part of a picture is offered, and none of a file that is no text', async () => {
    const { nvim } = await withFile('a.txt', 'x', {
      init: `${choosing('Attach all')} vim.g.test_options = { attachments = { ask_bytes = 4 } }`,
    });
    writeFileSync(join(nvim.dir, 'a.png'), media.png);
    writeFileSync(join(nvim.dir, 'a.bin'), Buffer.from('a\0b\0c\0'));
    await nvim.input(':AcpAdd image a.png<CR>:AcpAdd file a.bin<CR>');
    await eventually(async () => expect(await count(nvim)).toBe(2));
    expect(await offered(nvim)).not.toContain('Only the first 4 B');
  });
});

describe('images and sounds', () => {
  test('are known by their bytes, whatever they are called', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    writeFileSync(join(nvim.dir, 'shot.txt'), media.png);
    writeFileSync(join(nvim.dir, 'fake.png'), 'not a picture');
    writeFileSync(join(nvim.dir, 'voice.wav'), media.wav);
    await nvim.input(':AcpAdd image shot.txt<CR>');
    expect(await only(nvim)).toEqual({
      type: 'media',
      path: join(nvim.dir, 'shot.txt'),
      mime: 'image/png',
      name: 'shot.txt',
    });
    await nvim.input(':AcpAdd image fake.png<CR>');
    await nvim.waitForScreen('fake.png is no image that agents know');
    await nvim.input(':AcpAdd audio shot.txt<CR>');
    await nvim.waitForScreen('shot.txt is no sound that agents know');
    await nvim.input(':AcpAdd audio voice.wav<CR>');
    await nvim.waitForScreen('attached voice.wav');
  });

  test('are refused where the agent takes none, but not while it starts', async () => {
    const chat = await withFile('a.lua', CODE);
    const { nvim } = chat;
    writeFileSync(join(nvim.dir, 'a.png'), media.png);
    writeFileSync(join(nvim.dir, 'a.wav'), media.wav);
    await nvim.input(':AcpAdd image a.png<CR>');
    await only(nvim);
    await nvim.input(':AcpRemove<CR>');
    const takes = { image: false, audio: false, embedded: true, steering: false };
    await chat.status({ state: 'idle', takes });
    await nvim.input(':AcpAdd image a.png<CR>');
    await nvim.waitForScreen('Tester takes no images');
    await nvim.input(':AcpAdd audio a.wav<CR>');
    await nvim.waitForScreen('Tester takes no audio');
    expect(await count(nvim)).toBe(0);
    await nvim.input(':AcpAdd file a.png<CR>');
    expect(await only(nvim)).toEqual({ type: 'file', path: join(nvim.dir, 'a.png') });
    await chat.status({ takes: { ...takes, image: true } });
    await nvim.input(':AcpRemove<CR>:AcpAdd file a.png<CR>');
    await eventually(async () => expect(await only(nvim)).toMatchObject({ type: 'media' }));
  });
});

describe(':AcpRemove', () => {
  const two = async (init = '') => {
    const chat = await withFile('a.lua', CODE, { init });
    await chat.nvim.input(':1AcpAdd<CR>:2,3AcpAdd<CR>');
    await eventually(async () => expect(await count(chat.nvim)).toBe(2));
    return chat.nvim;
  };
  const left = async (nvim: Nvim, startLine: number) =>
    eventually(async () =>
      expect(await attached(nvim)).toEqual([expect.objectContaining({ startLine })]),
    );

  test('takes the one away that is named', async () => {
    const nvim = await two();
    await nvim.input(':AcpRemove a.lua:2-3<CR>');
    await left(nvim, 1);
  });

  test('takes the one away whose number is given', async () => {
    const nvim = await two();
    await nvim.input(':AcpRemove 1<CR>');
    await left(nvim, 2);
  });

  test('takes the only one away, and says when there is none', async () => {
    const nvim = await two();
    await nvim.input(':AcpRemove 1<CR>:AcpRemove<CR>');
    await eventually(async () => expect(await count(nvim)).toBe(0));
    expect(nvim.screen()).not.toContain('@a.lua');
    await nvim.input(':AcpRemove<CR>');
    await nvim.waitForScreen('nothing is attached');
  });

  test('lets the user choose', async () => {
    const nvim = await two(choosing('a.lua:1'));
    await nvim.input(':AcpRemove<CR>');
    await left(nvim, 2);
    expect(await offered(nvim)).toEqual(['a.lua:1 (21 B)', 'a.lua:2-3 (15 B)']);
  });

  test('says what there is', async () => {
    const nvim = await two();
    await nvim.input(':AcpRemove b.lua<CR>');
    await nvim.waitForScreen('"b.lua" is none of what is attached: a.lua:1, a.lua:2-3');
    expect(await count(nvim)).toBe(2);
  });

  test('the key in the prompt does, in insert mode too', async () => {
    const nvim = await two(choosing('a.lua:1'));
    await nvim.input('<C-w>bi<M-d>');
    await left(nvim, 2);
  });
});

describe('completion', () => {
  const complete = (nvim: Nvim, line: string) =>
    nvim.lua<string[]>(`return vim.fn.getcompletion(..., 'cmdline')`, line);

  test('of words, of what stands behind them, of paths and of symbols', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    mkdirSync(join(nvim.dir, 'sub[1]'));
    writeFileSync(join(nvim.dir, 'sub[1]', 'my file.txt'), '');
    writeFileSync(join(nvim.dir, '.hidden'), '');
    expect(await complete(nvim, 'AcpAdd d')).toEqual(['diagnostics', 'diff']);
    expect(await complete(nvim, 'AcpAdd diagnostics ')).toEqual(['all']);
    expect(await complete(nvim, 'AcpAdd diff s')).toEqual(['staged']);
    expect(await complete(nvim, 'AcpAdd file ')).toEqual(['a.lua', 'sub[1]/']);
    expect(await complete(nvim, 'AcpAdd file .')).toEqual(['.hidden']);
    expect(await complete(nvim, 'AcpAdd image sub[1]/')).toEqual(['sub[1]/my file.txt']);
    expect(await complete(nvim, 'AcpAdd file sub[1]/my f')).toEqual(['file.txt']);
    expect(await complete(nvim, 'AcpAdd file nowhere/x')).toEqual([]);
    expect(await complete(nvim, 'AcpAdd symbol ')).toEqual(['foo']);
  });

  test('of what is attached', async () => {
    const { nvim } = await withFile('a.lua', CODE);
    await nvim.input(':1AcpAdd<CR>:AcpAdd buffer<CR>');
    await eventually(async () => expect(await count(nvim)).toBe(2));
    expect(await complete(nvim, 'AcpRemove ')).toEqual(['a.lua:1', 'a.lua']);
  });
});
