import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FileDiff } from '../../src/diff/file-diff';
import { fileDiffs } from '../harness/diffs';
import { eventually, expectScreen, startNvim, type Nvim } from '../harness';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `local v${i + 1} = ${i + 1}`);
const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

const question = {
  id: 'q1',
  block: 'b1',
  title: 'Edit a.lua',
  detail: [],
  hasDiff: true,
  options: [
    { id: 'once', name: 'Allow once', kind: 'allow_once' },
    { id: 'always', name: 'Always allow', kind: 'allow_always' },
    { id: 'no', name: 'Reject', kind: 'reject_once' },
  ],
  editable: true as true | string,
};

let nvim: Nvim;

beforeEach(async () => {
  nvim = await startNvim({
    columns: 100,
    lines: 24,
    init: `
      vim.o.shortmess = vim.o.shortmess .. 'I'
      vim.o.swapfile = false
      sent = {}
      package.loaded['acp.sidecar'] = { channel = function() end, running = function() end }
      require('acp.rpc').notify = function(method, params) table.insert(sent, { method, params }) end
      require('acp.highlight').setup()
      permission = require('acp.ui.permission')
      require('acp.state').apply('s', { agent = 'Nano', state = 'waiting' })
    `,
  });
  await setup({ view: 'inline' });
});

const setup = (diff: object): Promise<unknown> =>
  nvim.lua(`require('acp.config').setup({ permission = { open = 'manual' }, diff = ... })`, diff);

/** The change of a file that is written now as it was before. */
async function proposed(
  name: string,
  before: string | null,
  after: string,
  exact = true,
): Promise<FileDiff> {
  const path = join(nvim.dir, name);
  if (before !== null) writeFileSync(path, before);
  const contents = [{ path, oldText: before, newText: after }];
  const readFile = async () => before;
  const file = (await fileDiffs(contents, { cwd: nvim.dir, readFile }))[0]!;
  return exact ? { ...file, text: after } : file;
}

const open = (path: string): Promise<unknown> =>
  nvim.lua(`vim.cmd.edit(...)`, join(nvim.dir, path));

/** Asks, and shows what is proposed. */
async function ask(files: FileDiff[], rest: object = {}, enter = false): Promise<void> {
  await nvim.lua(
    `local session, question, diff, enter = ...
    permission.opened({ session = session, question = question, diff = diff })
    require('acp.ui.diff').show({
      session = session, block = question.block, question = question.id, files = diff, enter = enter,
    })`,
    's',
    { ...question, ...rest },
    files,
    enter,
  );
  // A message that comes while a select waits would stand in its way.
  await eventually(async () => expect(await nvim.messages()).toContain(' · :AcpPermission'));
}

const rows = (): string[] =>
  nvim
    .screen()
    .split('\n')
    .map((row) => row.trimEnd());
const sent = (): Promise<unknown[]> => nvim.lua('return sent');
const answer = (option: string, rest: object = {}) => [
  'question.answer',
  { session: 's', question: 'q1', option, ...rest },
];
const name = (): Promise<string> => nvim.lua(`return vim.api.nvim_buf_get_name(0)`);
const wins = (): Promise<number[]> => nvim.lua('return vim.api.nvim_list_wins()');
const bufs = (): Promise<string[]> =>
  nvim.lua(`return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())`);
const untouched = async (path: string): Promise<void> => {
  expect(await name()).toBe(join(nvim.dir, path));
  expect((await bufs()).filter((buf) => buf.startsWith('acp://'))).toEqual([]);
};

const before = numbered(120);
const after = before.map((line, i) => (i % 50 === 9 ? line.replace('= ', '= 1000 + ') : line));

describe('in the window of its file', () => {
  test('a proposal shows what is added, and what is deleted between', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await ask([file]);
    await nvim.waitForScreen('local v10 = 1000 + 10');
    expect(rows()[0]).toMatch(
      /^ a\.lua · hunk 1 of 3 · \+3 −3 +\? Nano asks: Edit a\.lua · :w allow/,
    );
    expect(rows().slice(9, 13)).toEqual([
      '  local v9 = 9',
      '- local v10 = 10',
      '+ local v10 = 1000 + 10',
      '  local v11 = 11',
    ]);
    expect(await nvim.lua(`return vim.bo[vim.fn.bufnr('a.lua')].modified`)).toBe(false);
    expect(await nvim.lua(`return { vim.bo.filetype, vim.bo.buflisted }`)).toEqual(['', false]);
  });

  test('it looks as it should, changed by hand too', async () => {
    const file = await proposed('a.lua', text(before.slice(0, 30)), text(after.slice(0, 30)));
    file.name = 'src/a.lua';
    await open('a.lua');
    await nvim.lua(`vim.wo.number = true`);
    await ask([file], {}, true);
    await nvim.waitForScreen('local v10 = 1000 + 10');
    await nvim.lua(`vim.cmd.echo('""')`);
    await expectScreen(nvim, 'proposal');
    await nvim.input('eddO-- by hand<Esc>');
    await nvim.waitForScreen('changed by you');
    await nvim.lua(`vim.cmd.echo('""')`);
    await expectScreen(nvim, 'proposal-changed');
  });

  test('it comes with its select, and goes with the answer', async () => {
    await nvim.lua(`require('acp.config').setup({
      permission = { open = 'always' }, diff = { view = 'inline' } })`);
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(`permission.opened(...)`, { session: 's', question, diff: [file] });
    await nvim.waitForScreen('2: Always allow');
    expect(nvim.screen()).toContain('+ local v10 = 1000 + 10');
    await nvim.input('3<CR>');
    await eventually(async () => expect(await sent()).toEqual([answer('no')]));
    await untouched('a.lua');
  });

  test('nobody who types gets another buffer under their fingers', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.input('i');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    await nvim.lua(
      `local question, files = ...
      permission.opened({ session = 's', question = question, diff = files })
      require('acp.ui.diff').show({ session = 's', block = 'b1', question = 'q1', files = files })`,
      question,
      [file],
    );
    await nvim.waitForScreen('╭ a.lua');
    await nvim.input('mine<Esc>');
    await nvim.waitForScreen('minelocal v1');
  });

  test('it has the colours of its language, of what is added, and of words', async () => {
    await nvim.lua(`
      vim.api.nvim_set_hl(0, 'AcpDiffAdd', { bg = '#003300' })
      vim.api.nvim_set_hl(0, 'AcpDiffAddWord', { bg = '#00ff00' })
      vim.api.nvim_set_hl(0, 'AcpDiffDelete', { bg = '#330000' })
      vim.api.nvim_set_hl(0, 'AcpDiffDeleteWord', { bg = '#ff0000' })
      vim.api.nvim_set_hl(0, '@keyword.lua', { fg = '#0000aa' })`);
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await ask([file]);
    const { row, col } = await nvim.waitForScreen('local v10 = 1000 + 10');
    await eventually(() =>
      expect(nvim.attrsAt(row, col)).toMatchObject({ fg: '#0000aa', bg: '#003300' }),
    );
    expect(nvim.attrsAt(row, 90).bg).toBe('#003300');
    expect(nvim.attrsAt(row, col + 'local v10 = '.length).bg).toBe('#00ff00');
    expect(nvim.attrsAt(row - 1, 90).bg).toBe('#330000');
  });

  test.each([
    ['deleted above the first line', ['a', 'b', 'c'], ['c'], ['- a', '- b', '  c']],
    ['deleted below the last line', ['a', 'b', 'c'], ['a'], ['  a', '- b', '- c']],
    ['added above', ['b'], ['a', 'b'], ['+ a', '  b']],
    ['of a file that goes', ['a', 'b'], [], ['- a', '- b']],
    ['with tabs', ['\ta'], ['\tb'], ['-         a', '+         b']],
  ])('what is %s is seen', async (_, old, fresh, shown) => {
    const file = await proposed('a.txt', text(old), text(fresh));
    await open('a.txt');
    await ask([file]);
    await eventually(() => expect(rows().slice(1, 1 + shown.length)).toEqual(shown));
  });

  test('a long deleted line is shown whole', async () => {
    const long = `${'x'.repeat(150)}END`;
    const file = await proposed('a.txt', text([long, 'b']), text(['b']));
    await open('a.txt');
    await ask([file]);
    await nvim.waitForScreen(/^ {2}x+END/m);
  });

  test('a new file is shown in a window for code', async () => {
    const file = await proposed('new.txt', null, 'one\ntwo\n');
    await ask([file]);
    await nvim.waitForScreen('+ two');
    expect(rows()[0]).toContain('new.txt · new · hunk 1 of 1 · +2 −0');
  });

  test(']c and [c walk the hunks, ]f and [f the files', async () => {
    const files = [
      await proposed('a.lua', text(before), text(after), false),
      await proposed('b.lua', 'b = 1\n', 'b = 2\n', false),
    ];
    await open('a.lua');
    await ask(files, {}, true);
    for (const [keys, shown] of [
      ['', 'hunk 1 of 3'],
      [']c', 'hunk 2 of 3'],
      [']c]c', 'hunk 3 of 3'],
      ['[c', 'hunk 2 of 3'],
      [']f', 'b.lua · hunk 1 of 1 · +1 −1 · file 2 of 2'],
      ['[f', 'a.lua · hunk 1 of 3'],
    ] as const) {
      await nvim.input(keys);
      await eventually(() => expect(rows()[0]).toContain(shown));
    }
  });

  test('the view stays where a change is to be seen', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(`vim.fn.winrestview({ topline = 50, lnum = 55 })`);
    await ask([file]);
    await nvim.waitForScreen('+ local v60');
    expect(rows()[1]).toContain('local v50 ');
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(60);
  });

  test('what is only a piece of a file is shown in the float, which says so', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await ask([{ ...file, fragment: true }]);
    await nvim.waitForScreen('a piece of it, so not inline');
    expect(await name()).toContain('a.lua');
  });

  test('the winbar of a narrow window still says how to allow', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await nvim.resize(46, 20);
    await open('a.lua');
    await ask([file]);
    await eventually(() => expect(rows()[0]).toMatch(/^ a\.lua · hunk 1 of 3 .*:w allow/));
  });

  test('a window that compares files, is fixed or goes with its buffer is left alone', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(
      `vim.wo.diff = true vim.cmd.split() vim.wo.diff = false vim.wo.winfixbuf = true`,
    );
    const others = await wins();
    await ask([file]);
    await nvim.waitForScreen('+ local v10');
    const shown = await nvim.lua<number[]>(
      `return vim.tbl_map(function(win) return vim.fs.basename(vim.fn.bufname(vim.api.nvim_win_get_buf(win))) end, ...)`,
      others,
    );
    expect(shown).toEqual(['a.lua', 'a.lua']);
    expect(await wins()).toHaveLength(3);
    await nvim.lua(`permission.closed({ session = 's', question = 'q1' })`);
    expect(await wins()).toEqual(others);
  });
});

describe('when its question ends', () => {
  const view = () => nvim.lua(`return vim.fn.winsaveview()`);

  test.each([
    ['answered', `permission.answer('s', 'q1', 'no')`],
    ['withdrawn', `permission.closed({ session = 's', question = 'q1' })`],
  ])('%s, the window shows its file again as it was', async (_, end) => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(`
      vim.wo.relativenumber, vim.wo.foldmethod = true, 'manual'
      vim.cmd('70,75fold') vim.cmd('80') vim.cmd("normal! zt3l")`);
    const was = await view();
    const ids = await wins();
    await ask([file]);
    await nvim.waitForScreen(/^- +local v/m);
    await nvim.lua(end);
    await untouched('a.lua');
    expect(await view()).toEqual(was);
    expect(await wins()).toEqual(ids);
    expect(
      await nvim.lua(`return { vim.wo.relativenumber, vim.wo.winbar, vim.wo.signcolumn,
        vim.wo.foldenable, vim.fn.foldclosed(72), vim.fn.getjumplist()[2] }`),
    ).toEqual([true, '', 'auto', true, 70, expect.anything()]);
  });

  test('unsaved changes and undo of the user are as they were, also with nohidden', async () => {
    const file = await proposed('a.txt', 'a\n', 'b\n');
    await open('a.txt');
    await nvim.lua(`vim.o.hidden = false`);
    await nvim.input('omine<Esc>');
    await eventually(async () => expect(await nvim.lua(`return vim.bo.modified`)).toBe(true));
    await ask([file]);
    await nvim.waitForScreen('+ b');
    await nvim.lua(`permission.closed({ session = 's', question = 'q1' })`);
    await untouched('a.txt');
    const lines = () => nvim.lua(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
    expect(await lines()).toEqual(['a', 'mine']);
    await nvim.input('u');
    await eventually(async () => expect(await lines()).toEqual(['a']));
  });

  test('the window is not touched where the user has moved on', async () => {
    const file = await proposed('a.txt', 'a\n', 'b\n');
    await proposed('other.txt', 'other\n', '');
    await open('a.txt');
    await ask([file]);
    await nvim.waitForScreen('+ b');
    await nvim.input(':edit other.txt<CR>');
    await eventually(async () => expect(await nvim.messages()).toContain('stays open'));
    expect(await nvim.lua(`return permission.count()`)).toBe(1);
    await nvim.lua(`permission.closed({ session = 's', question = 'q1' })`);
    await untouched('other.txt');
    expect(await nvim.lua(`return vim.wo.winbar`)).toBe('');
  });

  test('all windows that show the proposal show the file', async () => {
    const file = await proposed('a.txt', 'a\n', 'b\n');
    await open('a.txt');
    await ask([file]);
    await nvim.waitForScreen('+ b');
    await nvim.lua(`vim.cmd.split() permission.closed({ session = 's', question = 'q1' })`);
    await untouched('a.txt');
    const shown = `return vim.tbl_map(function(buf) return vim.fs.basename(vim.fn.bufname(buf)) end, vim.fn.tabpagebuflist())`;
    expect(await nvim.lua(shown)).toEqual(['a.txt', 'a.txt']);
  });
});

describe('leaving', () => {
  test.each([
    ['q', 'q'],
    [':q', ':q<CR>'],
    [':q!', ':q!<CR>'],
    ['ZQ', 'ZQ'],
    ['CTRL-W q', '<C-w>q'],
  ])('by %s leaves the question open, and the window is the file’s again', async (_, keys) => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(`vim.cmd('80')`);
    await ask([file]);
    await nvim.waitForScreen('+ local v10');
    await nvim.input(keys);
    await eventually(async () =>
      expect(await nvim.messages()).toContain('the question stays open · :AcpPermission'),
    );
    await eventually(() => untouched('a.lua'));
    expect(await wins()).toHaveLength(1);
    expect(await nvim.lua(`return vim.fn.line('.')`)).toBe(80);
    expect(await nvim.lua(`return permission.count()`)).toBe(1);
    expect(await sent()).toEqual([]);
  });

  test(':q beside other windows keeps their sizes', async () => {
    const file = await proposed('a.lua', text(before), text(after));
    await open('a.lua');
    await nvim.lua(`vim.cmd('belowright vsplit') vim.cmd('belowright split | resize 5')
      vim.cmd.enew() vim.cmd('1wincmd w')`);
    const sizes = () => nvim.lua(`return vim.fn.winlayout()[1] .. vim.fn.winrestcmd()`);
    const was = await sizes();
    await ask([file]);
    await nvim.waitForScreen('+ local v10');
    await nvim.input(':q<CR>');
    await eventually(() => untouched('a.lua'));
    expect(await sizes()).toBe(was);
  });

  test.each([':bdelete!<CR>', ':tabnew<CR>:tabclose 1<CR>', ':vsplit<CR>:close<CR>:enew<CR>'])(
    'by %s leaves the question open',
    async (keys) => {
      const file = await proposed('a.txt', 'a\n', 'b\n');
      await open('a.txt');
      await ask([file]);
      await nvim.waitForScreen('+ b');
      await nvim.input(keys);
      await eventually(async () => expect(await nvim.messages()).toContain('stays open'));
      expect((await bufs()).filter((buf) => buf.startsWith('acp://'))).toEqual([]);
      expect(await nvim.lua(`return permission.count()`)).toBe(1);
    },
  );
});

describe('writing', () => {
  test.each([':w<CR>', ':wq<CR>', ':x<CR>', 'ZZ', ':wall|w<CR>'])(
    '%s allows it once, and the window is the file’s again',
    async (keys) => {
      const file = await proposed('a.txt', 'a\n', 'b\n');
      await open('a.txt');
      await ask([file]);
      await nvim.waitForScreen('+ b');
      await nvim.input(keys);
      await eventually(async () => expect(await sent()).toEqual([answer('once')]));
      await eventually(() => untouched('a.txt'));
      expect(await wins()).toHaveLength(1);
      await eventually(async () =>
        expect(await nvim.messages()).toContain('allowed once: Edit a.lua'),
      );
    },
  );

  test.each([':w<CR>', ':wq<CR>'])(
    '%s opens the select where there is not one answer that allows it once',
    async (keys) => {
      const options = [
        { id: 'mine', name: 'Keep mine', kind: 'keep_mine' },
        { id: 'theirs', name: 'Take theirs', kind: 'take_theirs' },
      ];
      const file = await proposed('a.txt', 'a\n', 'b\n');
      await open('a.txt');
      await ask([file], { options });
      await nvim.waitForScreen('+ b');
      expect(rows()[0]).not.toContain(':w');
      await nvim.input(keys);
      await nvim.waitForScreen('1: Keep mine');
      expect(nvim.screen()).toContain('+ b');
      await nvim.input('<Esc>');
      await eventually(async () => expect(await wins()).toHaveLength(1));
      expect(await sent()).toEqual([]);
      expect(await nvim.lua(`return vim.bo.modified`)).toBe(false);
    },
  );

  test('by what saves buffers by itself allows nothing', async () => {
    const file = await proposed('a.txt', 'a\n', 'b\n');
    await open('a.txt');
    await setup({ view: 'inline', edit: true });
    await ask([file], {}, true);
    await nvim.lua(`vim.api.nvim_create_autocmd('InsertLeave', {
      nested = true, callback = function() vim.cmd('silent! write') end })`);
    await nvim.waitForScreen('+ b');
    await nvim.input('Amine<Esc>');
    await eventually(async () => expect(await nvim.messages()).toContain('was not allowed'));
    await nvim.lua(`vim.cmd.split('other') vim.cmd('silent! wall')`);
    expect(await sent()).toEqual([]);
    expect(await nvim.lua(`return permission.count()`)).toBe(1);
  });

  test('to another file saves a copy and answers nothing', async () => {
    const file = await proposed('a.txt', 'a\n', 'b\n');
    await open('a.txt');
    await ask([file]);
    await nvim.waitForScreen('+ b');
    await nvim.input(':w copy.txt<CR>');
    await eventually(async () =>
      expect(await nvim.lua(`return vim.fn.readfile('copy.txt')`)).toEqual(['b']),
    );
    expect(await sent()).toEqual([]);
  });
});

describe('changing it by hand', () => {
  const edited = async (rest: object = {}, before = 'a\n', after = 'b\n') => {
    const file = await proposed('a.txt', before, after);
    await open('a.txt');
    await ask([file], rest, true);
    await nvim.waitForScreen('a.txt');
  };

  test('e lets, what is typed is shown as a change, and :w allows it so', async () => {
    await edited({}, 'a\nz\n', 'b\nz\n');
    await nvim.input('eAx<CR>mine<Esc>');
    await nvim.waitForScreen('+ mine');
    await eventually(() => expect(rows()[0]).toContain('+2 −1 · changed by you'));
    expect(rows().slice(1, 5)).toEqual(['- a', '+ bx', '+ mine', '  z']);
    await nvim.input(':w<CR>');
    await eventually(async () =>
      expect(await sent()).toEqual([answer('once', { text: 'bx\nmine\nz\n' })]),
    );
    await eventually(() => untouched('a.txt'));
  });

  test('e does the same from the float', async () => {
    await setup({ view: 'float' });
    await edited();
    await nvim.waitForScreen('╭ a.txt');
    await nvim.input('e');
    await eventually(() => expect(rows()[0]).toMatch(/^ a\.txt · hunk/));
    await nvim.input('Ax<Esc>ZZ');
    await eventually(async () => expect(await sent()).toEqual([answer('once', { text: 'bx\n' })]));
  });

  test.each([
    ['without a final newline', 'a', 'b', 'bx'],
    ['of an empty file', '', 'b\n', 'bx\n'],
  ])('a text %s keeps its end', async (_, old, fresh, result) => {
    await edited({}, old, fresh);
    await nvim.input('eAx<Esc>:w<CR>');
    await eventually(async () => expect(await sent()).toEqual([answer('once', { text: result })]));
  });

  test('what was changed and changed back is allowed without a text', async () => {
    await setup({ view: 'inline', edit: true });
    await edited();
    await nvim.input('Ax<Esc>x:w<CR>');
    await eventually(async () => expect(await sent()).toEqual([answer('once')]));
  });

  test('the select sends it too, and a rejection keeps it', async () => {
    await setup({ view: 'inline', edit: true });
    await edited();
    await nvim.input('Ax<Esc>');
    await nvim.lua(`permission.answer('s', 'q1', 'no')`);
    expect(await sent()).toEqual([answer('no')]);
    await eventually(async () => expect(await nvim.messages()).toContain('kept in this buffer'));
    expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('bx');
  });

  test('what was typed lives on when the question is withdrawn', async () => {
    await setup({ view: 'inline', edit: true });
    await edited();
    await nvim.input('Amine');
    await eventually(async () =>
      expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('bmine'),
    );
    await nvim.lua(`permission.closed({ session = 's', question = 'q1' })`);
    await nvim.input(' more<Esc>');
    await eventually(async () =>
      expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('bmine more'),
    );
    expect(await nvim.lua(`return { vim.bo.buftype, vim.bo.buflisted, vim.wo.winbar }`)).toEqual([
      'nofile',
      true,
      '',
    ]);
    await nvim.input(':edit a.txt<CR>');
    await eventually(async () => expect(await name()).toContain('a.txt'));
    expect((await bufs()).filter((buf) => buf.startsWith('acp://'))).toHaveLength(1);
  });

  test.each(['q', ':q<CR>', ':edit a.txt<CR>'])('%s does not drop what was typed', async (keys) => {
    await setup({ view: 'inline', edit: true });
    await edited();
    await nvim.input('Ax<Esc>');
    await nvim.input(keys);
    await eventually(async () =>
      expect(await nvim.messages()).toMatch(/was changed: :w allows|E37/),
    );
    expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('bx');
    await eventually(async () => expect(await wins()).toHaveLength(1));
  });

  test(':edit! shows the proposal again as it was', async () => {
    await setup({ view: 'inline', edit: true });
    await edited();
    await nvim.input('Ax<Esc>:edit!<CR>');
    await nvim.waitForScreen('+ b ');
    await eventually(() => expect(rows().slice(1, 3)).toEqual(['- a', '+ b']));
  });

  test('an agent that can’t take it is told about in its words', async () => {
    const editable = 'Nano writes files itself and can’t take a changed proposal';
    await edited({ editable });
    await nvim.input('e');
    await eventually(async () => expect(await nvim.messages()).toContain(editable));
    await nvim.command('messages clear');
    await nvim.input('i');
    await eventually(async () => expect(await nvim.messages()).toContain(editable));
    expect(nvim.mode).toBe('normal');
  });

  test('with edit = true the frame says why it can’t be', async () => {
    const editable = 'Nano writes files itself';
    await setup({ edit: true });
    await edited({ editable });
    await nvim.waitForScreen(/╰ .*Nano writes files itself ─*╯/);
    await setup({ edit: true, view: 'inline' });
    await edited({ editable });
    await eventually(() => expect(rows()[0]).toContain(editable));
  });

  test('i says which key lets', async () => {
    await edited();
    await nvim.input('i');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('e lets you change the proposal'),
    );
  });
});

describe('large files', () => {
  const took = (files: FileDiff[], enter = false) =>
    nvim.lua<number>(
      `local question, files, enter = ...
      permission.opened({ session = 's', question = question, diff = files })
      local start = vim.uv.hrtime()
      require('acp.ui.diff').show({
        session = 's', block = 'b1', question = 'q1', files = files, enter = enter,
      })
      vim.cmd.redraw()
      return (vim.uv.hrtime() - start) / 1e6`,
      question,
      files,
      enter,
    );
  // The bound to hold is 300 ms; other work on the machine must not fail the test.
  const BOUND = 1500;
  const old = numbered(20_000);
  const fresh = old.map((line, i) => (i % 40 === 20 ? `${line} + 1` : line));

  test.each(['a.lua', 'a.js'])(
    'of 20,000 lines with 500 hunks are shown at once: %s',
    async (name) => {
      const file = await proposed(name, text(old), text(fresh));
      await open(name);
      const ms = await took([file]);
      expect(ms).toBeLessThan(BOUND);
      await nvim.waitForScreen('hunk 1 of 500');
      await nvim.input('G[c');
      await nvim.waitForScreen('hunk 500 of 500');
      await nvim.waitForScreen('- local v19981 = 19981');
    },
  );

  test('that are new are, too, and what is deleted', async () => {
    const file = await proposed('new.lua', null, text(old));
    expect(await took([file])).toBeLessThan(BOUND);
    await nvim.waitForScreen('+20000 −0');
    await nvim.lua(`permission.closed({ session = 's', question = 'q1' })`);
    const gone = await proposed('gone.lua', text(old), 'left\n');
    expect(await took([gone])).toBeLessThan(BOUND);
    await nvim.waitForScreen('+1 −20000');
  });

  test('are compared while one types, not instead', async () => {
    await setup({ view: 'inline', edit: true });
    const file = await proposed('a.lua', text(old), text(fresh));
    await open('a.lua');
    await took([file], true);
    await nvim.input('Omine<Esc>');
    await eventually(() => expect(rows()[0]).toContain('+501 −500 · changed by you'));
  });
});
