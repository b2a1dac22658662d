/** What stands above the prompt, clicks on it, and files that are dropped there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import type { Nvim, NvimOptions } from '../harness';
import { openChat } from './chat-fixture';
import { media, png } from './media-fixture';

const LINES = 'one\n'.repeat(9);

/** A chat with these attachments. */
async function withAttachments(list: unknown[], options: NvimOptions = {}): Promise<Nvim> {
  const { nvim } = await openChat(options);
  await attach(nvim, list);
  return nvim;
}

const attach = (nvim: Nvim, list: unknown[]): Promise<unknown> =>
  nvim.lua(
    `local chat = require('acp.chat').get('s1')
    chat.attachments = ...
    require('acp.ui.prompt').show_attachments(chat)`,
    list,
  );

const count = (nvim: Nvim) => nvim.lua<number>(`return #require('acp.chat').get('s1').attachments`);
const text = (nvim: Nvim) =>
  nvim.lua<string>(`return require('acp.ui.prompt').text(require('acp.chat').get('s1'))`);

const three = (dir: string): unknown[] => [
  { type: 'text', path: join(dir, 'src/semver.js'), startLine: 3, endLine: 9, text: LINES },
  { type: 'text', name: 'diagnostics (3)', text: 'x'.repeat(1234) },
  { type: 'media', path: join(dir, 'shot.png'), mime: 'image/png', name: 'shot.png' },
];

async function withThree(options: NvimOptions): Promise<Nvim> {
  const { nvim } = await openChat({
    ...options,
    init: `vim.o.ruler = false ${options.init ?? ''}`,
  });
  writeFileSync(join(nvim.dir, 'shot.png'), Buffer.concat([png(1280, 800), Buffer.alloc(50_000)]));
  const cwd = await nvim.lua<string>(`return require('acp.chat').get('s1').cwd`);
  await attach(nvim, three(cwd));
  await nvim.lua(`require('acp.state').apply('s1', { state = 'idle' })`);
  return nvim;
}

describe('above the prompt', () => {
  test('each attachment stands with its size, as far as there is room', async () => {
    const bottom = `vim.g.test_options = { layout = { position = 'bottom' } }`;
    const nvim = await withThree({ columns: 80, lines: 16, init: bottom });
    await nvim.waitForScreen(
      ' @semver.js:3-9 36 B ✕  @diagnostics (3) 1.2 KB ✕  @shot.png 1280×800 49 KB ✕',
    );
    await expectScreen(nvim, 'attachments-80');
  });

  test('a narrow prompt shows what fits', async () => {
    const nvim = await withThree({ columns: 40, lines: 16 });
    await nvim.waitForScreen(' @semver.js:3-9 36 B ✕  +2 more');
    await expectScreen(nvim, 'attachments-40');
  });

  test('follows the width of each of its windows', async () => {
    const bottom = `vim.g.test_options = { layout = { position = 'bottom' } }`;
    const nvim = await withThree({ columns: 100, lines: 16, init: bottom });
    await nvim.waitForScreen(
      /^ @src\/semver.js:3-9 36 B ✕ {2}@diagnostics \(3\) 1.2 KB ✕ {2}@shot.png 1280×800 49 KB ✕/,
    );
    await nvim.resize(60, 16);
    await nvim.waitForScreen(' @semver.js:3-9 36 B ✕  @diagnostics (3) 1.2 KB ✕  +1 more');
    await nvim.resize(30, 16);
    await nvim.waitForScreen(/^ @…mver.js:3-9 36 B ✕ {2}\+2 more/);
    await nvim.resize(20, 16);
    await nvim.waitForScreen(/^ @….* 36 B ✕ {2}\+2/);
    await nvim.resize(100, 16);
    await nvim.waitForScreen('@shot.png');
  });

  test('stands in a window that is opened later, and goes from all', async () => {
    const nvim = await withAttachments([{ type: 'text', name: 'git diff', text: 'x' }]);
    await nvim.waitForScreen('@git diff 1 B ✕');
    await nvim.input('<Esc>:AcpHide<CR>:tabnew<CR>:AcpChat<CR>');
    await eventually(async () => expect(await nvim.lua('return vim.fn.tabpagenr()')).toBe(2));
    // The tab has a chat of its own: show the first there too.
    await nvim.lua(`vim.cmd.tabfirst()
      require('acp.chat').open()`);
    await nvim.waitForScreen('@git diff 1 B ✕');
    await nvim.input('<Esc>:AcpRemove<CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('@git diff'));
  });

  test('names from outside are one line and no format', async () => {
    const nvim = await withAttachments([
      { type: 'text', name: 'a\nb%#Error#%{1+1}\x1b[31m (2)', text: 'x' },
    ]);
    await nvim.waitForScreen('@a b%#Error#%{1+1} [31m (2) 1 B ✕');
  });

  test('the text of the prompt keeps its rows', async () => {
    const nvim = await withAttachments([]);
    await nvim.input('1<CR>2<CR>3<CR>4<CR>5');
    await nvim.waitForScreen(/│1 /);
    await attach(nvim, [{ type: 'text', name: 'git diff', text: 'x' }]);
    await nvim.waitForScreen('@git diff 1 B ✕');
    await nvim.waitForScreen(/│1 /);
    await nvim.waitForScreen(/│5 /);
  });

  test('a height that the user gave the prompt stays', async () => {
    const nvim = await withAttachments([{ type: 'conversation' }]);
    const height = () => nvim.lua<number>(`return vim.api.nvim_win_get_height(0)`);
    await nvim.input('<Esc>:resize 9<CR>:vsplit<CR>:close<CR>');
    await nvim.waitForScreen(':close');
    expect(await height()).toBe(9);
  });

  test('in ASCII there is an x', async () => {
    const nvim = await withAttachments([{ type: 'conversation' }], {
      init: `vim.g.test_options = { transcript = { icons = 'ascii' } }`,
    });
    await nvim.waitForScreen(' @conversation x ');
  });

  test('what is gone is shown without a size', async () => {
    const nvim = await withAttachments([{ type: 'file', path: '/nowhere/x.txt' }]);
    await nvim.waitForScreen(' @/nowhere/x.txt ✕');
  });
});

describe('a click', () => {
  const click = async (nvim: Nvim, wanted: string | RegExp, skip = 0) => {
    const { row, col } = await nvim.waitForScreen(wanted);
    await nvim.request('nvim_input_mouse', 'left', 'press', '', 0, row, col + skip);
    await nvim.request('nvim_input_mouse', 'left', 'release', '', 0, row, col + skip);
  };

  test('on the ✕ takes the attachment away, and leaves the cursor where it is', async () => {
    const nvim = await withAttachments([
      { type: 'text', name: 'git diff', text: 'x' },
      { type: 'conversation' },
    ]);
    await nvim.input('<Esc><C-w>t');
    await click(nvim, '✕  @conversation');
    await eventually(async () => expect(await count(nvim)).toBe(1));
    await nvim.waitForScreen(' @conversation ✕');
    expect(nvim.screen()).not.toContain('git diff');
    expect(await nvim.lua(`return vim.b.acp_session == nil`)).toBe(true);
    expect(await nvim.messages()).toBe('');
  });

  test('on what is not shown lets the user choose', async () => {
    const nvim = await withThree({ columns: 40, lines: 16, init: SELECT });
    await click(nvim, '+2 more', 2);
    await eventually(async () =>
      expect(await nvim.lua('return _G.offered')).toEqual([
        'src/semver.js:3-9 (36 B)',
        'diagnostics (3) (1.2 KB)',
        'shot.png (1280×800, 49 KB)',
      ]),
    );
    await eventually(async () => expect(await count(nvim)).toBe(2));
  });
});

const SELECT = `vim.ui.select = function(items, opts, done)
  _G.offered = vim.tbl_map(opts.format_item, items)
  done(items[1], 1)
end `;

describe('what is pasted into the prompt', () => {
  let nvim: Nvim;
  let dir: string;
  beforeEach(async () => {
    ({ nvim } = await openChat());
    dir = join(nvim.dir, "it's here");
    mkdirSync(dir);
    writeFileSync(join(dir, 'shot 1.png'), media.png);
    writeFileSync(join(dir, 'voice.wav'), media.wav);
    writeFileSync(join(dir, 'note.txt'), 'text');
    await eventually(() => expect(nvim.mode).toBe('insert'));
  });
  const paste = (data: string) => nvim.request('nvim_paste', data, true, -1);

  test.each<[string, (path: string) => string]>([
    ['as it is', (path) => path],
    ['in quotes', (path) => `'${path.replaceAll("'", "'\\''")}'`],
    ['in double quotes, with a blank behind', (path) => `"${path}" `],
    ['as an URI', (path) => pathToFileURL(path).href],
    ['escaped', (path) => path.replace(/[ ']/g, '\\$&')],
    ['with a line end', (path) => `${path}\n`],
  ])('the path of an image, %s, attaches it', async (_, write) => {
    const path = join(dir, 'shot 1.png');
    await paste(write(path));
    await nvim.waitForScreen('@shot 1.png 640×480 24 B ✕');
    expect(await text(nvim)).toBe('');
    expect(await nvim.lua(`return require('acp.chat').get('s1').attachments`)).toEqual([
      { type: 'media', path, mime: 'image/png', name: 'shot 1.png' },
    ]);
  });

  test('in the parts in which a terminal sends it, too', async () => {
    await nvim.request('nvim_paste', join(dir, 'voice.wav'), true, 1);
    await nvim.request('nvim_paste', '', true, 3);
    await nvim.waitForScreen('@voice.wav');
    expect(await text(nvim)).toBe('');
  });

  test.each<[string, () => string]>([
    ['a path of a text', () => join(dir, 'note.txt')],
    ['two paths', () => `${join(dir, 'voice.wav')}\n${join(dir, 'voice.wav')}`],
    ['a path in a sentence', () => `see ${join(dir, 'voice.wav')}`],
    ['a path of nothing', () => join(dir, 'none.png')],
    ['a relative one', () => "it's here/voice.wav"],
  ])('%s is text', async (_, what) => {
    await paste(what());
    await eventually(async () => expect(await text(nvim)).toBe(what()));
    expect(await count(nvim)).toBe(0);
  });

  test('a path that goes on in the next part is text, whole', async () => {
    const path = join(dir, 'voice.wav');
    await nvim.request('nvim_paste', path, true, 1);
    await nvim.request('nvim_paste', ' is', true, 2);
    await nvim.request('nvim_paste', ' good', true, 3);
    await eventually(async () => expect(await text(nvim)).toBe(`${path} is good`));
  });

  test('elsewhere it is text', async () => {
    await nvim.input('<Esc><C-w>t');
    await eventually(() => expect(nvim.mode).toBe('normal'));
    const path = join(dir, 'voice.wav');
    await paste(path);
    expect(await nvim.lua('return vim.api.nvim_get_current_line()')).toBe(path);
    expect(await count(nvim)).toBe(0);
  });

  test('what the agent does not take is text, and that is said', async () => {
    await nvim.lua(`require('acp.state').apply('s1', { state = 'idle' })`);
    const path = join(dir, 'voice.wav');
    await paste(path);
    await eventually(async () => expect(await nvim.messages()).toContain('Tester takes no audio'));
    expect(await text(nvim)).toBe(path);
    await nvim.input('<Esc>');
    await nvim.waitForScreen('acp: Tester takes no audio');
  });
});
