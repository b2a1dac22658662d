import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat, put } from './chat-fixture';

describe('operations', () => {
  test('put inserts a block behind another, at the top without one, and replaces the one that is there', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['a1', 'a2']), put('c', ['c1'], { after: 'a' }));
    await chat.ops(put('b', ['b1', 'b2', 'b3'], { after: 'a' }), put('z', ['z1']));
    expect(await chat.lines()).toEqual(['z1', 'a1', 'a2', 'b1', 'b2', 'b3', 'c1']);
    await chat.ops(put('a', ['A1', 'a2', 'A3']), put('b', ['b3']));
    expect(await chat.lines()).toEqual(['z1', 'A1', 'a2', 'A3', 'b3', 'c1']);
  });

  test('append continues the last line of a block, also of one in the middle', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['one']), put('b', ['two'], { after: 'a' }));
    await chat.ops(
      { op: 'append', id: 'a', text: ' more\nand', marks: [] },
      { op: 'append', id: 'a', text: ' on', marks: [] },
      { op: 'append', id: 'b', text: '\n', marks: [] },
      { op: 'append', id: 'b', text: 'end', marks: [] },
    );
    expect(await chat.lines()).toEqual(['one more', 'and on', 'two', 'end']);
  });

  test('a block without lines takes no place, and keeps its place', async () => {
    const chat = await openChat();
    await chat.ops(
      put('a', []),
      put('b', [], { after: 'a' }),
      put('c', ['c'], { after: 'b' }),
      put('d', [], { after: 'c' }),
    );
    expect(await chat.lines()).toEqual(['c']);
    await chat.ops({ op: 'append', id: 'b', text: 'b', marks: [] }, put('a', ['a1', 'a2']));
    await chat.ops({ op: 'append', id: 'd', text: 'd', marks: [] }, put('c', []));
    expect(await chat.lines()).toEqual(['a1', 'a2', 'b', 'd']);
  });

  test('del takes a block away, the last one too', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['a']), put('b', ['b'], { after: 'a' }));
    await chat.ops({ op: 'del', id: 'a' });
    expect(await chat.lines()).toEqual(['b']);
    await chat.ops({ op: 'del', id: 'b' }, put('c', ['c']));
    expect(await chat.lines()).toEqual(['c']);
  });

  test('one that fails is reported and loses no other', async () => {
    const chat = await openChat();
    const frame = chat.ops(
      put('a', ['a']),
      { op: 'append', id: 'nobody', text: 'x', marks: [] },
      put('bad', ['two\nlines'], { after: 'a' }),
      put('b', ['b'], { after: 'nobody' }),
    );
    await expect(frame).rejects.toThrow(/no block nobody/);
    expect(await chat.lines()).toEqual(['a', 'b']);
    await chat.ops({ op: 'append', id: 'b', text: 'c', marks: [] });
    expect(await chat.lines()).toEqual(['a', 'bc']);
  });

  test('a random sequence ends as the list of blocks that it describes', async () => {
    const chat = await openChat();
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const model: { id: string; lines: string[] }[] = [];
    const text = () => Array.from({ length: random(4) }, () => 'x'.repeat(random(9)));
    for (let step = 0; step < 400; step++) {
      const at = random(model.length + 1) - 1;
      const block = model[at];
      const kind = random(10);
      if (!block || kind < 3) {
        const lines = text();
        model.splice(at + 1, 0, { id: `n${step}`, lines });
        await chat.ops(put(`n${step}`, lines, block ? { after: block.id } : {}));
      } else if (kind < 5) {
        block.lines = text();
        await chat.ops(put(block.id, block.lines));
      } else if (kind < 6) {
        model.splice(at, 1);
        await chat.ops({ op: 'del', id: block.id });
      } else {
        const [first = '', ...rest] = text();
        const last = block.lines.pop() ?? '';
        block.lines.push(last + first, ...rest);
        await chat.ops({
          op: 'append',
          id: block.id,
          text: [first, ...rest].join('\n'),
          marks: [],
        });
      }
      const lines = model.flatMap((it) => it.lines);
      expect(await chat.lines(), `step ${step}`).toEqual(lines.length > 0 ? lines : ['']);
    }
  });
});

describe('text from outside', () => {
  test('NUL, escape sequences, right-to-left, wide and invalid characters reach the buffer as they are', async () => {
    const chat = await openChat();
    const lines = ['a\0b', '\x1b[31mred', 'שלום עולם', '日本語 🙂 é', '\u{10ffff}\ufffe', '\t\r'];
    await chat.ops(put('a', lines, { marks: [[2, 0, 8, 'AcpBold']] }));
    expect(await chat.lines()).toEqual(lines);
    await chat.ops({ op: 'append', id: 'a', text: 'שלום\0🙂\nx', marks: [] });
    expect((await chat.lines()).slice(5)).toEqual(['\t\rשלום\0🙂', 'x']);
  });

  test('a line of 1 MB reaches the buffer and grows', async () => {
    const chat = await openChat();
    await chat.ops(
      put('a', ['x'.repeat(1 << 20)], { facts: [{ row: 0, right: [['1 MB', 'AcpToolFact']] }] }),
    );
    await chat.ops({ op: 'append', id: 'a', text: 'y\nz', marks: [] });
    const lines = await chat.lines();
    expect([lines[0]!.length, lines[1]]).toEqual([(1 << 20) + 1, 'z']);
  });

  test('a modeline is text', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['vim: set filetype=lua modifiable:']));
    expect(await chat.nvim.lua(`return vim.bo[require('acp.chat').get('s1').buf].filetype`)).toBe(
      'acp',
    );
  });
});

describe('marks', () => {
  test('stand on their block wherever it goes, and go with it', async () => {
    const chat = await openChat();
    await chat.ops(
      put('a', ['# Title', 'text'], {
        marks: [
          [0, 0, 7, 'AcpHeading'],
          [1, 0, -1, 'AcpFenceLine'],
        ],
      }),
    );
    await chat.ops(put('top', ['x', 'y']));
    expect((await chat.marks()).sort()).toEqual(['2:0-7 AcpHeading', '3:0--1 AcpFenceLine']);
    await chat.ops(put('a', ['# Title', 'text', 'more'], { marks: [[2, 1, 3, 'AcpBold']] }));
    expect(await chat.marks()).toEqual(['4:1-3 AcpBold']);
    await chat.ops({ op: 'del', id: 'a' });
    expect(await chat.marks()).toEqual([]);
  });

  test('of the last line are replaced by an append, those above stay', async () => {
    const chat = await openChat();
    await chat.ops(
      put('a', ['one', '**tw'], {
        marks: [
          [0, 0, 3, 'AcpCode'],
          [1, 0, 2, 'AcpItalic'],
        ],
      }),
    );
    await chat.ops({
      op: 'append',
      id: 'a',
      text: 'o**\nthree',
      marks: [
        [1, 0, 7, 'AcpBold'],
        [2, 0, 5, 'AcpCode'],
      ],
    });
    expect(await chat.marks()).toEqual(['0:0-3 AcpCode', '1:0-7 AcpBold', '2:0-5 AcpCode']);
  });

  test('facts stand at the right edge where they fit and never cover text', async () => {
    const chat = await openChat({ columns: 100, lines: 20 });
    const facts = [{ row: 0, right: [['1.2 s', 'AcpToolFact'] as [string, string]] }];
    await chat.ops(put('a', ['✓ Run', ''], { facts }));
    const place = await chat.nvim.waitForScreen('1.2 s');
    expect(place.col).toBe(95);
    const long = `✓ Run ${'x'.repeat(30)}end`;
    await chat.ops(put('a', [long], { facts }));
    await chat.nvim.waitForScreen(long);
    await chat.ops(put('a', [long], { facts: [] }));
    await eventually(() => expect(chat.nvim.find('1.2 s')).toBeUndefined());
  });

  test('facts find their place anew when the width changes', async () => {
    const chat = await openChat({ columns: 100, lines: 20 });
    await chat.ops(
      put('a', ['✓ Run ' + 'x'.repeat(28)], {
        facts: [{ row: 0, right: [['1.2 s', 'AcpToolFact']] }],
      }),
    );
    expect((await chat.nvim.waitForScreen('1.2 s')).col).toBe(95);
    await chat.nvim.command(`lua vim.api.nvim_win_set_width(0, 38)`);
    await chat.nvim.waitForScreen('x'.repeat(28));
    await chat.nvim.command(`lua vim.api.nvim_win_set_width(0, 60)`);
    await eventually(() => expect(chat.nvim.find('1.2 s')?.col).toBe(95));
  });

  test('a running glyph turns while it is visible, and nothing ticks when it has stopped', async () => {
    const chat = await openChat();
    await chat.status({ state: 'idle' });
    const active = () => chat.nvim.lua<boolean>(`return require('acp.ui.ticker').active()`);
    await eventually(async () => expect(await active()).toBe(false));
    await chat.ops(put('a', ['⠋ Run'], { facts: [{ row: 0, spin: true }] }));
    const seen = new Set<string>();
    await eventually(async () => {
      seen.add((await chat.marks())[0]!);
      expect(seen.size).toBeGreaterThan(2);
    });
    expect((await chat.lines())[0]).toBe('⠋ Run');
    await chat.nvim.command(`lua require('acp').hide()`);
    await eventually(async () => expect(await active()).toBe(false));
    await chat.nvim.command(`lua require('acp.chat').open()`);
    expect(await active()).toBe(true);
    await chat.ops(put('a', ['✓ Run']));
    await eventually(async () => expect(await active()).toBe(false));
  });

  test('a running glyph turns behind the bar of what a subagent does', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['│ ⠋ Run'], { facts: [{ row: 0, spin: true, col: 4 }] }));
    await chat.nvim.waitForScreen(/│ [⠙⠹⠸⠼] Run/);
  });

  test('what a subagent says wraps behind its bar', async () => {
    const chat = await openChat();
    await chat.ops(put('a', [`│ ${'word '.repeat(30)}`, `│ - ${'item '.repeat(30)}`]));
    await chat.nvim.waitForScreen(/ {2,4}word/);
    await chat.nvim.waitForScreen(/ {4,6}item/);
  });
});

describe('the buffer', () => {
  test('cannot be changed by hand and is a scratch buffer that nothing saves', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(3)));
    await chat.focusTranscript();
    await chat.nvim.input('ddxp');
    await eventually(async () => expect(await chat.nvim.messages()).toMatch(/E21/));
    expect(await chat.lines()).toEqual(numbered(3));
    const options = await chat.nvim.lua(`
      local bo = vim.bo
      return { bo.buftype, bo.bufhidden, bo.buflisted, bo.swapfile, bo.undolevels, bo.modifiable, bo.filetype }`);
    expect(options).toEqual(['nofile', 'hide', false, false, -1, false, 'acp']);
  });

  test('has no highlighter of its own', async () => {
    const chat = await openChat();
    await chat.focusTranscript();
    const active = await chat.nvim.lua(
      `return { vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil, vim.b.current_syntax ~= nil }`,
    );
    expect(active).toEqual([false, false]);
  });

  test('a frame costs the same however long the transcript', { timeout: 60_000 }, async () => {
    const chat = await openChat();
    const measure = (lines: number) =>
      chat.nvim.lua<number>(
        `
        local lines = ...
        local transcript = require('acp.ui.transcript').new('bench')
        local function text(n)
          local out = {}
          for i = 1, n do out[i] = 'some words of a line ' .. i end
          return out
        end
        local marks = {}
        for i = 1, math.floor(lines * 0.3) do marks[i] = { (i - 1) * 3, 0, 4, 'AcpBold' } end
        transcript:apply({
          { op = 'put', id = 'a', kind = 'message', lines = text(lines), marks = marks },
          { op = 'put', id = 'b', after = 'a', kind = 'message', lines = { '' }, marks = {} },
        })
        local win = require('acp.ui.layout').visible(require('acp.chat').get('s1'))
        vim.wo[win].winfixbuf = false
        vim.api.nvim_win_set_buf(win, transcript.buf)
        require('acp.ui.follow').to_end(win)
        local best = math.huge
        for _ = 1, 5 do
          local start = vim.uv.hrtime()
          for i = 1, 200 do
            transcript:apply({ { op = 'append', id = 'b', text = i % 8 == 0 and 'word\\n' or 'word ', marks = {} } })
            vim.cmd.redraw()
          end
          best = math.min(best, vim.uv.hrtime() - start)
        end
        return best / 200 / 1000`,
        lines,
      );
    const short = await measure(1_000);
    const long = await measure(100_000);
    if (process.env['ACP_BENCH'])
      console.log(`a frame: ${short} µs at 1,000 lines, ${long} µs at 100,000`);
    expect(long / short).toBeLessThan(2);
  });
});

describe('following', () => {
  test('windows at the end follow it', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(100)));
    await chat.nvim.waitForScreen('line 100');
    await chat.ops({ op: 'append', id: 'a', text: '\nnews', marks: [] });
    await chat.nvim.waitForScreen('news');
    await chat.focusTranscript();
    await chat.ops({
      op: 'append',
      id: 'a',
      text: `\n${numbered(60, 'more').join('\n')}`,
      marks: [],
    });
    await chat.nvim.waitForScreen('more 60');
    expect((await chat.place()).bottom).toBe(161);
  });

  test('one long line that grows is followed to its end', async () => {
    const chat = await openChat({ columns: 100, lines: 20 });
    await chat.ops(put('a', ['word '.repeat(400)]));
    await chat.ops({ op: 'append', id: 'a', text: 'the end', marks: [] });
    await chat.nvim.waitForScreen('the end');
  });

  test('a window that was scrolled up stays as it is while blocks below grow', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(100)));
    await chat.focusTranscript();
    await chat.nvim.input('30Gzt');
    await eventually(async () => expect((await chat.place()).top).toBe(30));
    await chat.nvim.input('<C-w>p');
    for (let i = 0; i < 5; i++) {
      await chat.ops({ op: 'append', id: 'a', text: '\nnews', marks: [] });
    }
    await chat.ops(put('b', numbered(50), { after: 'a' }));
    expect((await chat.place()).top).toBe(30);
  });

  test('a window that was scrolled up shows the same text while blocks above grow and shrink', async () => {
    const chat = await openChat();
    await chat.ops(put('card', numbered(20, 'card')), put('a', numbered(100), { after: 'card' }));
    await chat.focusTranscript();
    await chat.nvim.input('50Gzt3j');
    await eventually(async () => expect((await chat.place()).cursor[0]).toBe(53));
    const before = chat.nvim.screen();
    await chat.ops(put('card', ['folded']));
    expect(await chat.place()).toMatchObject({ top: 31, cursor: [34, 6] });
    await chat.ops(put('card', numbered(60, 'CARD')), put('new', ['x'], { after: 'card' }));
    expect(await chat.place()).toMatchObject({ top: 91, cursor: [94, 6] });
    await eventually(() => {
      const text = (screen: string) => screen.split('\n').slice(1, 30);
      expect(text(chat.nvim.screen())).toEqual(text(before));
    });
  });

  test('the block that is being looked at keeps its rows on the screen when it changes', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(80)), put('b', numbered(80, 'b'), { after: 'a' }));
    await chat.focusTranscript();
    await chat.nvim.input('20Gzt5j');
    await eventually(async () => expect((await chat.place()).cursor[0]).toBe(25));
    await chat.ops(put('a', numbered(80, 'other')));
    expect(await chat.place()).toMatchObject({ top: 20, cursor: [25, 3] });
  });

  test('a selection is not dragged along', async () => {
    const chat = await openChat();
    await chat.ops(put('a', numbered(10)));
    await chat.focusTranscript();
    await chat.nvim.input('GV');
    await eventually(() => expect(chat.nvim.mode).toBe('visual'));
    await chat.ops({ op: 'append', id: 'a', text: '\nmore', marks: [] });
    expect((await chat.place()).cursor[0]).toBe(10);
  });

  test('a frame is on the screen at once, also in insert mode and while a command is typed', async () => {
    const chat = await openChat();
    for (const [keys, word] of [
      ['', 'inserting'],
      ['<Esc>', 'normal'],
      [':echo', 'command'],
    ] as const) {
      await chat.nvim.input(keys);
      await chat.ops(put('a', [word]));
      await chat.nvim.waitForScreen(word);
    }
    expect(chat.nvim.mode).toBe('cmdline_normal');
  });
});
