import { renameSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { hunk, numbered, openReview } from './review-fixture';
import type { ReviewFixture } from './review-fixture';

let review: ReviewFixture;
/** Three hunks in one file, one in another: what most tests look at. */
const a = () => review.file('a.txt', [hunk(3, 2, ['was 3']), hunk(10, 0, ['gone']), hunk(15, 1)]);
const b = () => review.file('b.txt', [hunk(5, 1)]);

const windows = (): Promise<string[]> =>
  review.nvim.lua(`return vim.tbl_map(function(win)
    return vim.fn.win_gettype(win) == 'quickfix' and 'list'
      or vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t')
  end, vim.api.nvim_tabpage_list_wins(0))`);
const messages = () => review.nvim.messages();

beforeEach(async () => {
  review = await openReview();
  review.write('a.txt', numbered(20));
  review.write('b.txt', numbered(20, 'other'));
});

describe('in the code', () => {
  test('signs, deleted lines and hints stand where the hunks are', async () => {
    await review.show([a()]);
    await eventually(() =>
      expect(review.rows().slice(0, 18)).toEqual([
        expect.stringMatching(/^ 3 changes by nanocoder +g\? keys$/),
        '  line 1',
        '  line 2',
        '  was 3',
        '┃ line 3   nanocoder · ga keep · gr reject · 1 of 3',
        '┃ line 4',
        '  line 5',
        '  line 6',
        '  line 7',
        '  line 8',
        '  line 9',
        '  gone',
        '▔ line 10   2 of 3',
        '  line 11',
        '  line 12',
        '  line 13',
        '  line 14',
        '┃ line 15   3 of 3',
      ]),
    );
    expect(await review.cursor()).toEqual(['a.txt', 3]);
  });

  test('begins in the file that is worked on, at the hunk there or the next', async () => {
    await review.nvim.command('edit b.txt');
    await review.show([a(), b()]);
    expect(await review.cursor()).toEqual(['b.txt', 5]);
    await review.nvim.lua(`require('acp.ui.review').close()`);
    await review.nvim.command('cclose | edit a.txt | 11');
    await review.show([a(), b()]);
    expect(await review.cursor()).toEqual(['a.txt', 15]);
  });

  test('lines that were deleted at the top are in sight, and come back into it', async () => {
    review.write('long.txt', numbered(99));
    await review.show([review.file('long.txt', [hunk(1, 0, ['first', 'second'])])]);
    const top = () => review.rows().slice(1, 4);
    const expected = ['  first', '  second', expect.stringContaining('▔ line 1 ')];
    await eventually(() => expect(top()).toEqual(expected));
    await review.nvim.input('G');
    await review.nvim.waitForScreen('line 99');
    await review.nvim.input('gg');
    await eventually(() => expect(top()).toEqual(expected));
  });

  test('lines that were deleted at the end stand below the last one', async () => {
    await review.show([review.file('a.txt', [hunk(21, 0, ['the end'])])]);
    await eventually(() => {
      const at = review.rows().findIndex((row) => row.startsWith('▁ line 20'));
      expect(review.rows()[at + 1]).toBe('  the end');
    });
    expect(await review.cursor()).toEqual(['a.txt', 20]);
    await review.nvim.input('gr');
    await eventually(() => expect(review.decisions()).toEqual([['reject', 'a.txt']]));
    await review.show([review.file('a.txt', [hunk(2, 1), hunk(21, 0, ['the end'])])]);
    await review.nvim.input('Gga');
    await eventually(() => expect(review.decisions()[1]).toEqual(['keep', 'a.txt', 21]));
  });

  test('a file that lost all of its lines shows them', async () => {
    review.write('empty.txt', []);
    await review.show([review.file('empty.txt', [hunk(1, 0, ['all', 'of it'])])]);
    await eventually(() => expect(review.rows().slice(1, 3)).toEqual(['  all', '  of it']));
  });

  test('long deleted lines are seen to their end, at any width', async () => {
    await review.show([review.file('a.txt', [hunk(3, 1, [`${'long '.repeat(20)}end\there`])])]);
    const shown = (rows: number) => {
      const cells = review.rows().slice(3, 3 + rows);
      return cells
        .map((row) => row.split('│')[0]!.slice(2))
        .join('')
        .replaceAll(' ', '');
    };
    await eventually(() => expect(shown(2)).toBe(`${'long'.repeat(20)}endhere`));
    await review.nvim.input(':vsplit<CR>');
    await eventually(() => expect(shown(4)).toBe(`${'long'.repeat(20)}endhere`));
  });

  test('of many deleted lines the first are shown, and how many more there are', async () => {
    await review.show([review.file('a.txt', [hunk(2, 1, numbered(5000, 'gone'))])]);
    expect(
      await review.nvim.lua(`
        local ns = vim.api.nvim_get_namespaces()['acp.review.deleted']
        local mark = vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })[1]
        local lines = mark[4].virt_lines
        return { #lines, vim.trim(lines[#lines][1][1]) }`),
    ).toEqual([101, '⋯ 4900 more deleted lines: see :AcpDiff']);
  });

  test('added lines have the background of added ones, and the colours of their own', async () => {
    await review.nvim.lua(`
      vim.api.nvim_set_hl(0, 'DiffAdd', { bg = '#003300', fg = '#ffffff' })
      vim.api.nvim_set_hl(0, 'Keyword', { fg = '#0000aa' })`);
    await review.show([a()]);
    await review.nvim.command('syntax keyword Keyword line');
    await eventually(() => {
      const { row, col } = review.nvim.find('line 4')!;
      expect(review.nvim.attrsAt(row, col)).toMatchObject({ fg: '#0000aa', bg: '#003300' });
      expect(review.nvim.attrsAt(row, 70).bg).toBe('#003300');
      expect(review.nvim.attrsAt(row + 1, col).bg).toBeUndefined();
    });
  });

  test('the hint of the hunk at the cursor has the keys, without those that are not mapped', async () => {
    await review.nvim.lua(`require('acp.config').setup(...)`, {
      keymaps: { review: { keep: 'gk', reject: false } },
    });
    await review.show([a()]);
    await review.nvim.waitForScreen('line 3   nanocoder · gk keep · 1 of 3');
    await review.nvim.input('10G');
    await review.nvim.waitForScreen('line 10   nanocoder · gk keep · 2 of 3');
    await review.nvim.waitForScreen(/line 3 {3}1 of 3/);
  });

  test('a hint says as much as there is room for', async () => {
    await review.nvim.command('set columns=64');
    review.write('wide.txt', ['x'.repeat(16), 'x'.repeat(26), 'x'.repeat(36), 'x'.repeat(90)]);
    await review.show([
      review.file('wide.txt', [hunk(1, 1), hunk(2, 1), hunk(3, 1, ['was']), hunk(4, 1, ['was'])]),
    ]);
    await review.nvim.waitForScreen('xx   nanocoder · ga keep · gr reject · 1 of 4');
    await review.nvim.input('2G');
    await review.nvim.waitForScreen('xx   ga keep · gr reject · 2 of 4');
    await review.nvim.input('3G');
    await review.nvim.waitForScreen(/xx {3}ga keep · gr reject +$/);
    await review.nvim.input('4G');
    await review.nvim.waitForScreen(/^ +x+ {3}ga keep · gr reject +$/);
    await review.nvim.input('1G:vsplit<CR>');
    await review.nvim.waitForScreen(/│/);
    await eventually(() => expect(review.nvim.screen()).not.toContain('ga'));
  });

  test('a file that cannot be rejected does not offer it, and says why', async () => {
    await review.show([{ ...a(), locked: 'it is larger than 1 MB' }]);
    await review.nvim.waitForScreen('line 3   nanocoder · ga keep · 1 of 3');
    await review.nvim.input('gr');
    await eventually(async () =>
      expect(await messages()).toContain('a.txt can’t be rejected: it is larger than 1 MB'),
    );
    expect(review.decisions()).toEqual([]);
  });

  test('files are loaded when one goes there, and drawn in when they are', async () => {
    await review.show([a(), b()]);
    const loaded = () =>
      review.nvim.lua<number>(`return vim.fn.bufloaded(...)`, review.path('b.txt'));
    expect(await loaded()).toBe(0);
    expect((await review.list())[3]).toBe('b.txt|5| +1 −0');
    await review.open('b.txt');
    await review.nvim.waitForScreen('┃ other 5');
    await eventually(async () => expect((await review.list())[3]).toBe('b.txt|5| +1 −0  other 5'));
  });

  test('a file opened under another name is known', async () => {
    await review.nvim.lua(`vim.uv.fs_symlink(...)`, review.path('a.txt'), review.path('link.txt'));
    await review.open('link.txt');
    await review.show([a()]);
    await review.nvim.waitForScreen('┃ line 3   ');
    await review.nvim.input('gg]c');
    expect(await review.cursor()).toEqual(['link.txt', 3]);
  });
});

describe('the list', () => {
  test('has an entry for each hunk, and for what is no lines', async () => {
    await review.show([
      review.file('a.txt', [hunk(3, 2, ['was 3']), hunk(10, 0, ['\tgone'])], {
        note: 'mode 644 → 755',
      }),
      review.file('b.txt', [hunk(5, 1)], { change: 'renamed', from: 'c.txt' }),
      review.file('bin', [], { note: 'binary, 12 KB → 14 KB' }),
      review.file('gone.txt', [hunk(1, 0, numbered(40))], { change: 'deleted' }),
      review.file('new.txt', [hunk(1, 1)], { change: 'added' }),
      review.file('big', [], { change: 'added', locked: 'it is larger than 1 MB' }),
    ]);
    expect(await review.list()).toEqual([
      'a.txt|0| mode 644 → 755',
      'a.txt|3| +2 −1  was 3',
      'a.txt|10| +0 −1  gone',
      'b.txt|0| renamed from c.txt',
      'b.txt|5| +1 −0',
      'bin|0| binary, 12 KB → 14 KB',
      'gone.txt|0| deleted file (40 lines)',
      'new.txt|1| new file (1 line)',
      'big|0| new file · locked: it is larger than 1 MB',
    ]);
    await review.nvim.waitForScreen('acp review: 6 files, 5 hunks');
  });

  test('opens below, and the cursor goes to the first hunk', async () => {
    await review.show([a(), b()]);
    expect(await windows()).toEqual(['a.txt', 'list']);
    expect(await review.cursor()).toEqual(['a.txt', 3]);
  });

  test('keeps its cursor when an entry goes, and stays closed when it was closed', async () => {
    await review.show([a(), b()]);
    await review.nvim.input('<C-w>jjj');
    await review.show([review.file('a.txt', [hunk(3, 2, ['was 3']), hunk(15, 1)]), b()]);
    expect(await review.nvim.lua(`return vim.fn.line('.')`)).toBe(3);
    await review.nvim.command('cclose');
    await review.show([b()]);
    expect(await windows()).toEqual(['a.txt']);
  });

  test('keeps and rejects the entry at the cursor, and those that are selected', async () => {
    await review.show([
      a(),
      b(),
      review.file('gone.txt', [hunk(1, 0, numbered(40))], { change: 'deleted' }),
    ]);
    await review.nvim.input('<C-w>jga');
    await eventually(() => expect(review.decisions()).toEqual([['keep', 'a.txt', 3]]));
    await review.nvim.input('jVjjgr');
    await eventually(() =>
      expect(review.decisions().slice(1)).toEqual([
        ['reject', 'a.txt', 15],
        ['reject', 'a.txt', 10],
        ['reject', 'b.txt'],
      ]),
    );
    await review.nvim.input('Ggr');
    await eventually(() => expect(review.decisions()[4]).toEqual(['reject', 'gone.txt']));
    await review.nvim.input('gggA');
    await eventually(() => expect(review.decisions()[5]).toEqual(['keep', 'a.txt']));
  });

  test('a mode is decided apart from the lines', async () => {
    await review.show([review.file('a.txt', [hunk(3, 1)], { note: 'mode 644 → 755' })]);
    await review.nvim.input('<C-w>jgggr');
    await eventually(() => expect(review.decisions()).toEqual([['reject', 'a.txt', 0]]));
    await review.nvim.input('jgr');
    await eventually(() => expect(review.decisions()[1]).toEqual(['reject', 'a.txt', 3]));
  });

  test('<CR> goes to the hunk, in a window for code', async () => {
    await review.show([a(), b()]);
    await review.nvim.input('<C-w>jG<CR>');
    await eventually(async () => expect(await review.cursor()).toEqual(['b.txt', 5]));
    expect(await windows()).toEqual(['b.txt', 'list']);
  });

  test('<CR> shows what was in a deleted file', async () => {
    await review.show([
      a(),
      review.file('gone.txt', [hunk(1, 0, ['so long', 'and thanks'])], { change: 'deleted' }),
    ]);
    await review.nvim.input('<C-w>jG<CR>');
    await review.nvim.waitForScreen('and thanks');
    await review.nvim.waitForScreen('gone.txt (deleted)');
  });

  test('other lists have their own keys, and come back at the end', async () => {
    await review.nvim.lua(`vim.fn.setqflist({ { filename = 'x', lnum = 1, text = 'mine' } })`);
    await review.show([a()]);
    const has = () =>
      review.nvim.lua(`
        local buf = vim.fn.getqflist({ qfbufnr = 0 }).qfbufnr
        return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_buf_get_keymap(buf, 'n'))`);
    expect(await has()).toContain('ga');
    await review.nvim.command('colder');
    expect(await has()).toEqual([]);
    await review.nvim.command('cnewer');
    expect(await has()).toContain('<CR>');
    await review.show([]);
    expect(await review.list()).toEqual(['x|1| mine']);
    expect(await windows()).toEqual(['a.txt']);
  });

  test('a list of the user’s is left alone while it is shown', async () => {
    await review.show([a(), b()]);
    await review.nvim.lua(`vim.fn.setqflist({ { filename = 'x', lnum = 1, text = 'mine' } })`);
    await review.show([b()]);
    expect(await review.list()).toEqual(['x|1| mine']);
    await review.nvim.command('colder');
    expect((await review.list())[0]).toMatch(/^b.txt\|5\| \+1 −0/);
  });
});

describe('keys', () => {
  test('keep and reject the hunk at the cursor, wherever typing has moved it', async () => {
    await review.show([a()]);
    await review.nvim.input('ggOmine<Esc>');
    await review.nvim.input('5Gga');
    await eventually(() => expect(review.decisions()).toEqual([['keep', 'a.txt', 4]]));
    await review.nvim.input('11Ggr');
    await eventually(() => expect(review.decisions()[1]).toEqual(['reject', 'a.txt', 11]));
  });

  test('where there is no hunk, nothing is decided', async () => {
    await review.show([a()]);
    await review.nvim.input('7Gga');
    await eventually(async () => expect(await messages()).toContain('there is no hunk here'));
    expect(review.decisions()).toEqual([]);
  });

  test('take a count and a selection, from the end', async () => {
    await review.show([a(), b()]);
    await review.nvim.input('3G2ga');
    await eventually(() =>
      expect(review.decisions()).toEqual([
        ['keep', 'a.txt', 10],
        ['keep', 'a.txt', 3],
      ]),
    );
    await review.show([a(), b()]);
    await review.nvim.input('9GVGgr');
    await eventually(() =>
      expect(review.decisions().slice(2)).toEqual([
        ['reject', 'a.txt', 15],
        ['reject', 'a.txt', 10],
      ]),
    );
    expect(review.nvim.mode).toBe('normal');
  });

  test('all hunks of a file are the file; so is the one of a new file', async () => {
    review.write('new.txt', numbered(3));
    await review.show([a(), review.file('new.txt', [hunk(1, 3)], { change: 'added' })]);
    await review.nvim.input('ggVGga');
    await eventually(() => expect(review.decisions()).toEqual([['keep', 'a.txt']]));
    await review.open('new.txt');
    await review.nvim.input('gr');
    await eventually(() => expect(review.decisions()[1]).toEqual(['reject', 'new.txt']));
    await review.nvim.input('gRgA');
    await eventually(() =>
      expect(review.decisions().slice(2)).toEqual([
        ['reject', 'new.txt'],
        ['keep', 'new.txt'],
      ]),
    );
  });

  test('pressed twice they decide once', async () => {
    await review.show([a()]);
    await review.nvim.input('3Ggrgrgr7G');
    await eventually(async () => expect(await review.cursor()).toEqual(['a.txt', 7]));
    expect(review.decisions()).toEqual([['reject', 'a.txt', 3]]);
  });

  test('walk through the hunks of all files, both ways and with counts', async () => {
    await review.show([a(), review.file('mode.sh', [], { note: 'mode 644 → 755' }), b()]);
    const at = (place: [string, number]) =>
      eventually(async () => expect(await review.cursor()).toEqual(place));
    await review.nvim.input(']c');
    await at(['a.txt', 10]);
    await review.nvim.input(']c]c');
    await at(['b.txt', 5]);
    await review.nvim.input(']c');
    await eventually(async () => expect(await messages()).toContain('this is the last hunk'));
    await review.nvim.input('[c');
    await at(['a.txt', 15]);
    await review.nvim.input('2[c');
    await at(['a.txt', 3]);
    await review.nvim.input('3]c');
    await at(['b.txt', 5]);
    await review.nvim.input('[f');
    await at(['a.txt', 3]);
    await review.nvim.input(']f');
    await at(['b.txt', 5]);
  });

  test('go when the file has nothing left, and what they hid comes back', async () => {
    await review.open('a.txt');
    await review.nvim.lua(`
      vim.keymap.set('n', 'ga', '<Cmd>let g:mine = 1<CR>', { buffer = 0, desc = 'mine' })
      vim.keymap.set('n', 'gr', function() vim.g.mine = 2 end, { buffer = 0 })`);
    await review.show([a(), b()]);
    await review.show([b()]);
    expect(
      await review.nvim.lua(`
        return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_buf_get_keymap(0, 'n'))`),
    ).toEqual(expect.toSatisfy((maps: string[]) => maps.sort().join() === 'ga,gr'));
    await review.nvim.input('ga');
    await eventually(async () => expect(await review.nvim.lua('return vim.g.mine')).toBe(1));
    await review.nvim.input('gr');
    await eventually(async () => expect(await review.nvim.lua('return vim.g.mine')).toBe(2));
    expect(review.decisions()).toEqual([]);
  });

  test('a map that came over ours meanwhile stays', async () => {
    await review.show([a()]);
    await review.nvim.command('nnoremap <buffer> ga <Cmd>let g:mine = 1<CR>');
    await review.show([]);
    await review.nvim.input('ga');
    await eventually(async () => expect(await review.nvim.lua('return vim.g.mine')).toBe(1));
  });

  test('g? shows them', async () => {
    await review.show([a()]);
    await review.nvim.input('g?');
    await review.nvim.waitForScreen('Reject all of the file.');
  });
});

describe('the winbar', () => {
  const winbars = (): Promise<[string, string][]> =>
    review.nvim.lua(`
      local out = {}
      for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local value = vim.api.nvim_get_option_value('winbar', { scope = 'local', win = win })
        if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == '' then
          table.insert(out, {
            vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t'),
            value:find('acp', 1, true) and 'review' or value,
          })
        end
      end
      return out`);

  test('counts what is left and what was decided', async () => {
    await review.show([a()], { kept: 2, rejected: 1 });
    await review.nvim.waitForScreen(' 3 changes by nanocoder, 2 kept, 1 rejected');
    await review.show([b()], { agent: '50% %#Error#' });
    await review.open('b.txt');
    await review.nvim.waitForScreen(' 1 change by 50% %#Error#');
    await review.show([a(), b()]);
    await review.nvim.waitForScreen('g? keys · file 2 of 2');
  });

  test('stays with the files: windows get it and lose it, and their own comes back', async () => {
    await review.nvim.command('set winbar=global');
    await review.open('a.txt');
    await review.nvim.command('setlocal winbar=own');
    await review.show([a(), b()]);
    expect(await winbars()).toEqual([['a.txt', 'review']]);
    await review.nvim.command('split');
    await eventually(async () =>
      expect(await winbars()).toEqual([
        ['a.txt', 'review'],
        ['a.txt', 'review'],
      ]),
    );
    review.write('c.txt', ['c']);
    await review.open('c.txt');
    await eventually(async () =>
      expect(await winbars()).toEqual([
        ['c.txt', ''],
        ['a.txt', 'review'],
      ]),
    );
    await review.show([b()]);
    expect(await winbars()).toEqual([
      ['c.txt', ''],
      ['a.txt', 'own'],
    ]);
    // Neovim gives the window what it had when it showed the file.
    await review.open('a.txt');
    await eventually(async () => expect((await winbars())[0]).toEqual(['a.txt', 'own']));
    expect(await review.nvim.lua('return vim.go.winbar')).toBe('global');
  });

  test('comes again with the next review, and not over what the user has set during it', async () => {
    await review.open('a.txt');
    await review.nvim.command('setlocal winbar=own');
    await review.show([a()]);
    await review.show([]);
    expect(await winbars()).toEqual([['a.txt', 'own']]);
    await review.nvim.command('setlocal winbar=other');
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.show([a()]);
    expect(await winbars()).toEqual([['a.txt', 'review']]);
    await review.nvim.command('setlocal winbar=third');
    await review.show([a()]);
    expect(await winbars()).toEqual([['a.txt', 'third']]);
  });

  test('has no row to itself in a window of one row', async () => {
    await review.open('a.txt');
    await review.nvim.command('split | resize 1');
    await review.show([a()]);
    expect(await messages()).toBe('');
  });
});

describe('what comes and goes', () => {
  test('when all is decided everything goes, with a word of it', async () => {
    await review.show([a()]);
    await review.show([], { kept: 5, rejected: 2 });
    await eventually(async () =>
      expect(await messages()).toContain('review done: 5 kept, 2 rejected'),
    );
    expect(await windows()).toEqual(['a.txt']);
    await eventually(() => expect(review.rows()[0]).toBe('line 1'));
    expect(review.nvim.screen()).not.toMatch(/┃|reject ·/);
    expect(await review.list()).toEqual([]);
  });

  test('where nothing is left from the start, that is said', async () => {
    await review.show([], {});
    await review.show([], { kept: 1 });
    expect(await messages()).toBe(
      'acp: there is nothing to review\nacp: there is nothing to review: 1 kept',
    );
  });

  test('closed it stays to be reviewed, and an answer that is under way does not bring it back', async () => {
    await review.show([a()]);
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.nvim.input('gQ');
    await eventually(async () =>
      expect(await messages()).toContain('3 changes stay to be reviewed'),
    );
    await review.show([a()]);
    expect(await windows()).toEqual(['a.txt']);
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.show([a()]);
    await review.nvim.waitForScreen('┃ line 3');
  });

  test('what is missing is told once', async () => {
    const limits = ['3 files are larger than 10 MB'];
    await review.show([a()], { limits });
    await review.show([a()], { limits });
    await eventually(async () => expect(await messages()).toMatch(/larger than 10 MB/));
    expect((await messages()).match(/larger/g)).toHaveLength(1);
  });

  test('hunks are asked for anew after typing, not during it', async () => {
    await review.show([a()], { scope: 'turn' });
    await review.nvim.input('ggOmine');
    await review.nvim.waitForScreen('mine');
    await review.nvim.lua(`vim.wait(600)`);
    expect(review.sent('review.open')).toEqual([]);
    await review.nvim.input('<Esc>');
    await eventually(() =>
      expect(review.sent('review.open')).toEqual([{ cwd: review.nvim.dir, scope: 'turn' }]),
    );
    await review.show([review.file('a.txt', [hunk(4, 2, ['was 3'])])], { scope: 'turn' });
    expect(await review.cursor()).toEqual(['a.txt', 1]);
    await review.nvim.waitForScreen('┃ line 3   1 of 1');
    await review.nvim.input('u');
    await eventually(() => expect(review.sent('review.open')).toHaveLength(2));
  });

  test('what comes while one types moves nothing', async () => {
    await review.show([a()]);
    await review.nvim.input('ggOmine ');
    await review.nvim.waitForScreen('mine');
    await review.show([a()]);
    await review.nvim.input('too');
    await review.nvim.waitForScreen('mine too');
    expect(review.nvim.mode).toBe('insert');
    await review.nvim.waitForScreen('┃ line 3');
  });

  test('survives :edit, and follows what the file has then', async () => {
    await review.show([a()]);
    review.write('a.txt', ['new', ...numbered(20)]);
    await review.nvim.command('edit!');
    await review.nvim.waitForScreen('1 of 3');
    await eventually(() => expect(review.sent('review.open')).toHaveLength(1));
    await review.nvim.input('ga');
    await eventually(() => expect(review.decisions()).toHaveLength(1));
  });

  test('survives a buffer that is read anew without a word', async () => {
    await review.show([a()]);
    await review.nvim.command('noautocmd edit!');
    await review.show([a()]);
    await review.nvim.waitForScreen('┃ line 3');
    await review.nvim.input('3Gga');
    await eventually(() => expect(review.decisions()).toEqual([['keep', 'a.txt', 3]]));
  });

  test('survives the deletion of the buffer', async () => {
    await review.show([a(), b()]);
    await review.nvim.command('bwipeout');
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.show([a(), b()]);
    await eventually(async () => expect(await review.cursor()).toEqual(['a.txt', 3]));
    await review.nvim.waitForScreen('┃ line 3   ');
    await review.nvim.command('bdelete');
    await review.open('a.txt');
    await review.nvim.waitForScreen('┃ line 3');
    await review.nvim.input('3Gga');
    await eventually(() => expect(review.decisions()).toEqual([['keep', 'a.txt', 3]]));
    await review.show([]);
    expect(await messages()).not.toMatch(/E\d+/);
  });

  test('a file that is gone is said to be', async () => {
    await review.show([a(), b()]);
    renameSync(review.path('b.txt'), review.path('c.txt'));
    await review.nvim.input('G]c');
    await eventually(async () => expect(await messages()).toMatch(/there is no .*b\.txt any more/));
  });

  test.each(['AcpFileChanged', 'AcpTurnEnd'])('%s brings what is changed', async (event) => {
    await review.show([a()]);
    await review.nvim.command(`doautocmd User ${event}`);
    await eventually(() => expect(review.sent('review.open')).toHaveLength(1));
  });

  test('two windows with the file, in two tabs, show the same', async () => {
    await review.show([a()]);
    await review.nvim.command('tabnew');
    await review.open('a.txt');
    await review.nvim.waitForScreen('3 changes by nanocoder');
    await review.nvim.input('3G');
    await review.nvim.waitForScreen('┃ line 3   ');
    await review.show([]);
    await eventually(() => expect(review.nvim.screen()).not.toContain('┃'));
    await review.nvim.command('tabclose');
    await eventually(() => expect(review.nvim.screen()).not.toMatch(/┃|changes by/));
  });
});

describe('asked for', () => {
  test('starts the sidecar, and names the folder where there is no chat', async () => {
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.nvim.lua(`require('acp.ui.review').open('turn')`);
    await eventually(() =>
      expect(review.sent('review.open')).toEqual([
        { cwd: review.nvim.dir, scope: 'session' },
        { cwd: review.nvim.dir, scope: 'turn' },
      ]),
    );
  });

  test('from a chat it names the session, and opens where the code is', async () => {
    await review.nvim.lua(`
      require('acp.config').setup({ agents = { it = { command = 'cat' } }, agent = 'it' })
      require('acp.chat').open()`);
    await review.nvim.input('<Esc>');
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await eventually(() =>
      expect(review.sent('review.open')).toEqual([
        { session: 's1', cwd: review.nvim.dir, scope: 'session' },
      ]),
    );
    await review.show([a()], { session: 's1' });
    await review.nvim.waitForScreen('┃ line 3   ');
    expect(await review.cursor()).toEqual(['a.txt', 3]);
    await review.nvim.input('gr');
    await eventually(() => expect(review.sent('review.decide')[0]!['session']).toBe('s1'));
  });

  test('with the review on the screen it brings the list back and leaves the cursor', async () => {
    await review.show([a()]);
    await review.nvim.command('cclose | 12');
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.show([a()]);
    expect(await windows()).toEqual(['a.txt', 'list']);
    expect(await review.cursor()).toEqual(['a.txt', 12]);
  });

  test('while one types it takes nothing from under the hands', async () => {
    await review.open('b.txt');
    await review.nvim.lua(`require('acp.ui.review').open()`);
    await review.nvim.input('itext ');
    await review.nvim.waitForScreen('text');
    await review.show([a()]);
    expect(await windows()).toEqual(['b.txt']);
    expect(await review.list()).toHaveLength(3);
  });

  test(':AcpReview keep and reject decide all that is on the screen; without it, all of the session', async () => {
    await review.nvim.command('AcpReview keep');
    await review.show([a()], { scope: 'turn' });
    await review.nvim.command('AcpReview reject');
    await eventually(() =>
      expect(review.sent('review.decide')).toEqual([
        { cwd: review.nvim.dir, scope: 'session', action: 'keep' },
        { cwd: review.nvim.dir, scope: 'turn', action: 'reject' },
      ]),
    );
  });

  test('what is decided at once without having been shown is said to be done', async () => {
    await review.nvim.command('AcpReview keep');
    await review.show([], { kept: 3 });
    expect(await messages()).toContain('review done: 3 kept');
    await review.show([], { kept: 3 });
    expect(await messages()).toContain('there is nothing to review: 3 kept');
  });

  test('what can’t be rejected with the rest is shown', async () => {
    await review.nvim.command('AcpReview reject');
    await review.show([a()], { rejected: 3 });
    await review.nvim.waitForScreen('┃ line 3   ');
  });

  test(':AcpReview drop ends the review on the screen and has the record forgotten', async () => {
    await review.show([a()]);
    await review.nvim.command('AcpReview drop');
    await eventually(() => expect(review.sent('review.drop')).toEqual([{ cwd: review.nvim.dir }]));
    expect(await windows()).toEqual(['a.txt']);
    await eventually(() => expect(review.nvim.screen()).not.toContain('┃'));
  });

  test('what is no word for :AcpReview is said', async () => {
    await review.nvim.command('AcpReview all');
    expect(await messages()).toContain('"all" is none of session, turn, keep, reject, drop');
    expect(await review.nvim.lua(`return vim.fn.getcompletion('AcpReview ', 'cmdline')`)).toEqual([
      'session',
      'turn',
      'keep',
      'reject',
      'drop',
    ]);
    expect(await review.nvim.lua(`return vim.fn.getcompletion('AcpDiff ', 'cmdline')`)).toEqual([
      'session',
      'turn',
    ]);
  });

  test('the rejected hunks are sent back with a word of why', async () => {
    await review.nvim.lua(`require('acp.ui.review').resend('no')`);
    await eventually(async () => expect(await messages()).toContain('open one with :AcpChat'));
    await review.nvim.lua(`
      require('acp.config').setup({ agents = { it = { command = 'cat' } }, agent = 'it' })
      require('acp.chat').open()
      local review = require('acp.ui.review')
      review.resend(' too slow ')
      vim.ui.input = function(_, answer) answer(nil) end
      review.resend('')
      vim.ui.input = function(_, answer) answer('') end
      review.resend()`);
    await eventually(() =>
      expect(review.sent('review.resend')).toEqual([
        { session: 's1', why: 'too slow' },
        { session: 's1', why: '' },
      ]),
    );
  });
});

test('hundreds of hunks in a file of 20,000 lines are quick', async () => {
  review.write('long.txt', numbered(20_000));
  const hunks = Array.from({ length: 800 }, (_, i) => hunk(i * 25 + 1, 3, ['was']));
  const files = [review.file('long.txt', hunks)];
  await review.show(files);
  const ms = await review.nvim.lua<number>(
    `local start = vim.uv.hrtime()
    require('acp.ui.review').show(...)
    return (vim.uv.hrtime() - start) / 1e6`,
    review.view([review.file('long.txt', hunks.slice(1))]),
  );
  expect(ms).toBeLessThan(250);
  const move = await review.nvim.lua<number>(
    `local start = vim.uv.hrtime()
    for line = 1, 100 do
      require('acp.ui.review_marks').focus(0, line * 25)
    end
    return (vim.uv.hrtime() - start) / 1e6 / 100`,
  );
  expect(move).toBeLessThan(2);
});
