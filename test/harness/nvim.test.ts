import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually, expectScreen, nvimVersion, snapshot, startNvim } from '.';

test('keys reach Neovim and their effect the screen', async () => {
  const nvim = await startNvim({ columns: 40, lines: 10 });
  await nvim.input('ihello<CR>wörld 漢字!');
  const place = await nvim.waitForScreen('字!');
  expect(place).toEqual({ row: 1, col: 8 });
  expect(nvim.screen().split('\n').slice(0, 2)).toEqual(['hello', 'wörld 漢字!']);
  expect(nvim.mode).toBe('insert');
  expect(nvim.cursor).toEqual({ row: 1, col: 11 });
});

test('cells have the colours and attributes of their highlight', async () => {
  const nvim = await startNvim({ columns: 40, lines: 10 });
  await nvim.lua(`
    vim.api.nvim_set_hl(0, 'Loud', { fg = '#ff0000', bg = '#00000f', bold = true })
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'loud and quiet' })
    vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('t'), 0, 0, { end_col = 4, hl_group = 'Loud' })
  `);
  await nvim.waitForScreen('loud');
  expect(nvim.attrsAt(0, 3)).toEqual({ fg: '#ff0000', bg: '#00000f', bold: true });
  expect(nvim.attrsAt(0, 4)).toEqual({});
});

test('the screen follows scrolling, resizing and redrawing', async () => {
  const nvim = await startNvim({ columns: 40, lines: 10 });
  await nvim.lua(`
    local lines = {}
    for n = 1, 100 do lines[n] = 'line ' .. n end
    vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
  `);
  await nvim.input('3<C-e>');
  await eventually(() => expect(nvim.screen()).toMatch(/^line 4\nline 5\n/));
  await nvim.input('2<C-y>');
  await eventually(() => expect(nvim.screen()).toMatch(/^line 2\nline 3\nline 4\n/));
  await nvim.resize(30, 6);
  await eventually(() => expect(nvim.screen().split('\n')).toHaveLength(6));
  const screen = nvim.screen();
  await nvim.command('redraw!');
  expect(nvim.screen()).toBe(screen);
});

test('a snapshot holds text, looks and a legend, and masks in place what varies', async () => {
  const nvim = await startNvim({ columns: 20, lines: 4 });
  await nvim.lua(`
    vim.o.ruler = false
    vim.api.nvim_set_hl(0, 'Loud', { fg = '#ff0000', italic = true })
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'took 123 ms', 'took 9 ms' })
    vim.fn.matchadd('Loud', 'took')
  `);
  await nvim.waitForScreen('took 9');
  const taken = await eventually(() => {
    const screen = snapshot(nvim, { replace: [[/\d+ ms/, '#']] });
    expect(screen).toContain('took #');
    return screen;
  });
  expect(taken).toContain(
    '=== 20x4, cursor 1,1, normal\ntook ######\ntook ####\n[No Name] [+]\n\n=== attributes\naaaa\naaaa\n',
  );
  expect(taken).toContain('a fg=#ff0000 italic');
});

test('a golden screen holds only as long as text and looks are the same', async () => {
  const nvim = await startNvim({ columns: 30, lines: 5, init: 'vim.o.ruler = false' });
  await nvim.lua(`
    vim.api.nvim_set_hl(0, 'Loud', { fg = '#ff0000', bold = true })
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'gold', 'and 12 s' })
    vim.fn.matchadd('Loud', 'gold')
  `);
  const replace: [RegExp, string][] = [[/\d+ s/, 'NN s']];
  await expectScreen(nvim, 'harness', { replace });
  if (process.env['UPDATE_SCREENS'] === '1') return;
  await nvim.command('highlight Loud guifg=#00ff00');
  await eventually(() => expect(nvim.attrsAt(0, 0).fg).toBe('#00ff00'));
  await expect(expectScreen(nvim, 'harness', { replace, timeout: 200 })).rejects.toThrow();
});

test('each Neovim has a home of its own and ends when it is closed', async () => {
  const nvim = await startNvim({ init: 'vim.g.started = 1' });
  expect(await nvim.lua('return { vim.env.HOME, vim.fn.getcwd(), vim.g.started }')).toEqual([
    nvim.home,
    nvim.dir,
    1,
  ]);
  expect(await nvim.lua(`return vim.fn.stdpath('state')`)).toContain(nvim.home);
  expect(await nvim.lua(`return vim.version().minor`)).toBe(nvimVersion() === '0.10' ? 10 : 12);
  await nvim.close();
  expect(await nvim.exited).toBe(0);
  await expect(nvim.lua('return 1')).rejects.toThrow();
  expect(existsSync(nvim.dir)).toBe(true);
});

test('errors of Lua and notifications to our channel arrive', async () => {
  const nvim = await startNvim();
  await expect(nvim.lua('error("no way")')).rejects.toThrow('no way');
  await nvim.lua(`vim.rpcnotify(...)`, nvim.channel, 'hello', { n: 1 });
  await eventually(() => expect(nvim.received('hello')).toEqual([[{ n: 1 }]]));
  await nvim.command('echomsg "noted"');
  expect(await nvim.messages()).toContain('noted');
});

test('a Neovim that waits for a key is closed all the same', async () => {
  const nvim = await startNvim();
  await nvim.input(':call getchar()<CR>');
  await nvim.close();
  await nvim.exited;
});
