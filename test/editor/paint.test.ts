import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, put } from './chat-fixture';

const fence = (first: number, last: number, lang = 'lua', indent = 0) => ({
  first,
  last,
  lang,
  indent,
});

describe('fences', () => {
  test('are painted when they close, in their place, from the parser of their language', async () => {
    const chat = await openChat();
    await chat.ops(put('top', ['x']));
    await chat.ops(put('a', ['```Lua', 'local x = 1'], { after: 'top' }));
    await chat.ops({
      op: 'append',
      id: 'a',
      text: '\nreturn x\n```\n',
      marks: [],
      fences: [fence(1, 2, 'Lua')],
    });
    await eventually(async () =>
      expect(await chat.marks('acp.paint')).toEqual([
        '2:0-5 @keyword.lua',
        '2:6-7 @variable.lua',
        '2:8-9 @operator.lua',
        '2:10-11 @number.lua',
        '3:0-6 @keyword.return.lua',
        '3:7-8 @variable.lua',
      ]),
    );
  });

  test('that are indented are painted behind the indent', async () => {
    const chat = await openChat();
    await chat.ops(
      put('a', ['   ```lua', '   return 1', '', '   ```'], { fences: [fence(1, 2, 'lua', 3)] }),
    );
    await eventually(async () =>
      expect(await chat.marks('acp.paint')).toEqual([
        '1:3-9 @keyword.return.lua',
        '1:10-11 @number.lua',
      ]),
    );
  });

  test('in a block that is rendered anew are painted at once', async () => {
    const chat = await openChat();
    const block = (title: string) => put('a', [title, 'return 1'], { fences: [fence(1, 1)] });
    await chat.ops(block('one'));
    await eventually(async () => expect(await chat.marks('acp.paint')).toHaveLength(2));
    await chat.ops(block('two'));
    expect(await chat.marks('acp.paint')).toHaveLength(2);
    await chat.ops(put('a', ['gone']));
    expect(await chat.marks('acp.paint')).toEqual([]);
  });

  test('of a block that changes meanwhile are left alone', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['return 1'], { fences: [fence(0, 0)] }), put('a', ['plain text']));
    await chat.ops(put('b', ['return 2'], { after: 'a', fences: [fence(0, 0)] }));
    await eventually(async () => expect(await chat.marks('acp.paint')).toHaveLength(2));
    expect((await chat.marks('acp.paint'))[0]).toMatch(/^1:/);
  });

  test('of unknown languages and of more than 2,000 lines stay plain', async () => {
    const chat = await openChat();
    const long = Array.from({ length: 2001 }, () => 'return 1');
    await chat.ops(
      put('a', ['x'], { fences: [fence(0, 0, 'no-such-language')] }),
      put('b', long, { after: 'a', fences: [fence(0, 2000)] }),
      put('c', ['return 3'], { after: 'b', fences: [fence(0, 0)] }),
    );
    await eventually(async () => expect(await chat.marks('acp.paint')).toHaveLength(2));
  });

  test('wake no plugin', async () => {
    const chat = await openChat();
    await chat.nvim.command(`let g:woken = 0 | autocmd FileType * let g:woken += 1`);
    await chat.ops(put('a', ['return 1'], { fences: [fence(0, 0)] }));
    await eventually(async () => expect(await chat.marks('acp.paint')).toHaveLength(2));
    expect(await chat.nvim.lua(`return vim.g.woken`)).toBe(0);
  });

  test('a long fence is painted in slices between which Neovim answers', async () => {
    const chat = await openChat();
    const code = Array.from({ length: 700 }, (_, i) => `local n${i} = { ${i}, 'text', f(x, y) }`);
    await chat.ops(put('a', code, { fences: [fence(0, 699)] }));
    const waits: number[] = [];
    await eventually(async () => {
      const start = performance.now();
      const done = await chat.nvim.lua<boolean>(`
        local ns = vim.api.nvim_get_namespaces()['acp.paint']
        local buf = require('acp.chat').get('s1').buf
        return #vim.api.nvim_buf_get_extmarks(buf, ns, { 699, 20 }, -1, { limit = 1 }) > 0`);
      waits.push(performance.now() - start);
      expect(done).toBe(true);
    });
    if (process.env['ACP_BENCH'])
      console.log('longest wait', Math.max(...waits), 'ms of', waits.length);
    expect(Math.max(...waits)).toBeLessThan(250);
    expect(waits.length).toBeGreaterThan(2);
  });
});

test('captures name the group of each piece, for aliases and filetypes too', async () => {
  const chat = await openChat();
  const captures = (text: string, lang: string) =>
    chat.nvim.lua(`return require('acp.ui.paint').captures(...)`, text, lang);
  expect(await captures('\nreturn 1', 'lua')).toEqual([
    [1, 0, 1, 6, '@keyword.return.lua'],
    [1, 7, 1, 8, '@number.lua'],
  ]);
  expect(await captures('let x = 1', 'viml')).toContainEqual([0, 0, 0, 3, '@keyword.vim']);
  expect(await captures('x', '')).toEqual([]);
  expect(await captures('x', 'nonsense')).toEqual([]);
});
