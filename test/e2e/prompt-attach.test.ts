/** Attachments: from anywhere in Neovim, above the prompt, and what of them arrives at the agent. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { media } from '../editor/media-fixture';
import { eventually, sessionAgent, type Nvim } from '../harness';
import { file, idle, startChat } from './e2e';
import { above, got, holds, openPrompt, startAtPrompt, tells } from './prompts';
import { another, choose, dismiss, killSidecar, prompt, rows, run } from './sessions';

/** A Neovim in a file of three lines, which is not saved. */
async function inFile(agent = sessionAgent(), options: Parameters<typeof startChat>[1] = {}) {
  const nvim = await startChat(agent, options);
  const path = file(nvim, 'my file.txt', 'one\ntwo\nthree\n');
  await nvim.command('edit my\\ file.txt');
  await nvim.input('ggAX<Esc>');
  return { nvim, agent, path, uri: `file://${nvim.dir}/my%20file.txt` };
}

/** The line above the prompt, when it says so. */
async function isAbove(nvim: Nvim, wanted: RegExp): Promise<void> {
  await eventually(async () => expect(await above(nvim)).toMatch(wanted));
}

describe(':AcpAdd', () => {
  it('attaches selected lines from the code, and the cursor stays there', async () => {
    const { nvim, agent, uri } = await inFile();
    await nvim.input('ggVj:AcpAdd<CR>');
    await nvim.waitForScreen('@my file.txt:1-2 9 B ✕');
    await tells(nvim, 'attached my file.txt:1-2 (9 B)');
    expect(await nvim.lua(`return vim.api.nvim_buf_get_name(0)`)).toContain('my file.txt');
    await openPrompt(nvim);
    await nvim.input('what is it?<C-s>');
    expect((await got(agent)).along).toEqual([
      {
        type: 'resource',
        resource: { uri: `${uri}#L1-L2`, text: 'oneX\ntwo\n', mimeType: 'text/plain' },
      },
    ]);
    await nvim.waitForScreen('▌ @my file.txt:1-2');
    expect(await above(nvim)).toBe('');
  });

  it('takes each of what it completes, by its word', async () => {
    const { nvim, agent } = await inFile(sessionAgent(), { columns: 200 });
    await openPrompt(nvim);
    await nvim.input('<C-\\><C-n><C-w>p');
    await eventually(async () =>
      expect(await nvim.lua(`return vim.fn.bufname()`)).toBe('my file.txt'),
    );
    await nvim.lua(`
      vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, { { lnum = 0, col = 0, message = 'bad' } })
      vim.fn.setqflist({ { filename = 'my file.txt', lnum = 2, text = 'here' } })`);
    expect(await nvim.lua(`return vim.fn.getcompletion('AcpAdd d', 'cmdline')`)).toEqual([
      'diagnostics',
      'diff',
    ]);
    await run(nvim, 'AcpAdd buffer');
    await run(nvim, 'AcpAdd diagnostics');
    await run(nvim, 'AcpAdd quickfix');
    await isAbove(nvim, /@my file.txt 15 B ✕ +@diagnostics \(1\) .*✕ +@quickfix \(1\) .*✕/);
    await run(nvim, 'AcpChat go');
    const { along } = await got(agent);
    expect(along.map(({ resource }) => resource!.text)).toEqual([
      'oneX\ntwo\nthree\n',
      expect.stringContaining('bad'),
      expect.stringContaining('my file.txt:2'),
    ]);
  });

  it('takes the output of a terminal', async () => {
    const { nvim, agent } = await inFile();
    await nvim.command('terminal echo line a; echo line b');
    // What is on the screen stands in the buffer a moment later.
    await eventually(async () =>
      expect(await nvim.lua(`return vim.api.nvim_buf_get_lines(0, 1, 2, false)`)).toEqual([
        'line b',
      ]),
    );
    await run(nvim, 'AcpAdd terminal');
    await nvim.waitForScreen('@terminal: ');
    await run(nvim, 'AcpChat why?');
    expect((await got(agent)).along[0]?.resource?.text).toMatch(/^line a\nline b\n/);
  });

  it('takes a file by name, with the text of its buffer', async () => {
    const { nvim, agent, uri } = await inFile();
    await run(nvim, 'AcpAdd file my file.txt');
    await nvim.waitForScreen('@my file.txt 15 B ✕');
    await run(nvim, 'AcpChat go');
    const { along } = await got(agent);
    expect(along).toEqual([
      { type: 'resource', resource: { uri, text: 'oneX\ntwo\nthree\n', mimeType: 'text/plain' } },
    ]);
  });

  it('without a word offers what there is', async () => {
    const { nvim } = await inFile();
    await openPrompt(nvim);
    await choose(nvim, /^buffer +my file.txt/, 'AcpAdd');
    await nvim.waitForScreen('@my file.txt 15 B ✕');
  });

  it('of what is not there says so', async () => {
    const nvim = await startAtPrompt(sessionAgent());
    await run(nvim, 'AcpAdd quickfix');
    await tells(nvim, 'the quickfix list is empty');
    await run(nvim, 'AcpAdd file nothing.txt');
    await tells(nvim, 'nothing.txt');
    await run(nvim, 'AcpAdd nonsense');
    await tells(nvim, '"nonsense" is none of selection, buffer');
    expect(await above(nvim)).toBe('');
  });

  it('of the same thing again has it once, as it is now', async () => {
    const { nvim } = await inFile();
    await run(nvim, 'AcpAdd buffer');
    await nvim.waitForScreen('@my file.txt 15 B');
    await nvim.input('GoFour<Esc>');
    await run(nvim, 'AcpAdd buffer');
    await nvim.waitForScreen('@my file.txt 20 B');
    await tells(nvim, 'attached again, as it is now');
    expect((await above(nvim)).match(/✕/g)).toHaveLength(1);
  });

  it('by a key of the user’s, in visual mode and in normal', async () => {
    const { nvim } = await inFile();
    await nvim.command('xmap gs <Plug>(acp-add)');
    await nvim.command('nmap gb <Plug>(acp-add-buffer)');
    await nvim.input('ggVgs');
    await nvim.waitForScreen('@my file.txt:1 5 B');
    await nvim.input('gb');
    await isAbove(nvim, /@my file.txt 15 B/);
  });

  it('quotes text that is not saved, with a link, where the agent embeds nothing', async () => {
    const { nvim, agent, uri } = await inFile(sessionAgent({ takes: { embeddedContext: false } }));
    await run(nvim, 'AcpAdd file my file.txt');
    await nvim.waitForScreen('@my file.txt 15 B');
    await run(nvim, 'AcpChat go');
    expect((await got(agent)).along).toEqual([
      { type: 'text', text: 'my file.txt:\n```\noneX\ntwo\nthree\n```' },
      { type: 'resource_link', name: 'my file.txt', uri },
    ]);
  });
});

describe('what is attached', () => {
  async function withTwo() {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    for (const name of ['a.txt', 'b.txt']) {
      file(nvim, name, name);
      await run(nvim, `AcpAdd file ${name}`);
    }
    await openPrompt(nvim);
    await nvim.waitForScreen('@a.txt 5 B ✕  @b.txt 5 B ✕');
    return { nvim, agent };
  }

  it('is taken away by a key in the prompt, also while one types', async () => {
    const { nvim } = await withTwo();
    await nvim.input('typing<M-d>');
    await nvim.waitForScreen('1: a.txt (5 B)');
    await nvim.input('1<CR>');
    await isAbove(nvim, /^ @b.txt 5 B ✕ *$/);
    await holds(nvim, 'typing');
    await nvim.input('<M-d>');
    await eventually(async () => expect(await above(nvim)).toBe(''));
  });

  it('is taken away by command: named, by its number, or by completion', async () => {
    const { nvim } = await withTwo();
    expect(await nvim.lua(`return vim.fn.getcompletion('AcpRemove ', 'cmdline')`)).toEqual([
      'a.txt',
      'b.txt',
    ]);
    await run(nvim, 'AcpRemove 2');
    await isAbove(nvim, /^ @a.txt 5 B ✕ *$/);
    await run(nvim, 'AcpRemove nothing');
    await tells(nvim, '"nothing" is none of what is attached: a.txt');
    await run(nvim, 'AcpRemove a.txt');
    await eventually(async () => expect(await above(nvim)).toBe(''));
    await run(nvim, 'AcpRemove');
    await tells(nvim, 'nothing is attached');
  });

  it('is taken away by a click', async () => {
    const { nvim } = await withTwo();
    await nvim.command('set mouse=a');
    const { row, col } = await nvim.waitForScreen('✕  @b.txt');
    await nvim.request('nvim_input_mouse', 'left', 'press', '', 0, row, col);
    await nvim.request('nvim_input_mouse', 'left', 'release', '', 0, row, col);
    await isAbove(nvim, /^ @b.txt 5 B ✕ *$/);
  });

  it('and a draft are there again after a crash of the sidecar, and of Neovim', async () => {
    const { nvim, agent } = await withTwo();
    await nvim.input('half a thought<Esc>');
    await holds(nvim, 'half a thought');
    await killSidecar(nvim);
    await run(nvim, 'AcpRestart');
    await idle(nvim);
    await holds(nvim, 'half a thought');
    await isAbove(nvim, /@a.txt 5 B ✕ +@b.txt 5 B ✕/);
    await nvim.kill();
    const next = await another(nvim, agent);
    await choose(next, /half a thought|draft/);
    await holds(next, 'half a thought');
    await isAbove(next, /@a.txt 5 B ✕ +@b.txt 5 B ✕/);
    await next.input('<C-s>');
    expect((await got(agent)).along).toHaveLength(2);
  });
});

describe('what is large', () => {
  it('asks: all of it, a part, or nothing', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    file(nvim, 'big.txt', 'a line\n'.repeat(50_000));
    await openPrompt(nvim);
    await run(nvim, 'AcpAdd file big.txt');
    await nvim.waitForScreen('Attach 342 KB? big.txt');
    await nvim.waitForScreen('2: Only the first 256 KB');
    await nvim.input('3<CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('Type number'));
    expect(await above(nvim)).toBe('');
    await choose(nvim, /Only the first/, 'AcpAdd file big.txt');
    await isAbove(nvim, /@big.txt:1-\d+ 256 KB ✕/);
    await run(nvim, 'AcpChat go');
    const [block] = (await got(agent)).along;
    expect(block!.resource!.text.length).toBeLessThanOrEqual(256 * 1024);
    expect(block!.resource!.text.endsWith('a line\n')).toBe(true);
  });

  it('beyond the limit goes as a link', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent, {
      options: { attachments: { embed_bytes: 1000, ask_bytes: 1e9 } },
    });
    const path = file(nvim, 'big.txt', 'a line\n'.repeat(1000));
    await openPrompt(nvim);
    await nvim.input('see @big.txt <C-s>');
    const [block] = (await got(agent)).along;
    expect(block).toMatchObject({ type: 'resource_link', uri: `file://${path}`, size: 7000 });
  });
});

/** A program on the PATH that gives an image as the clipboard does. */
function clipboard(nvim: { bin: string }, image: Buffer): void {
  mkdirSync(nvim.bin, { recursive: true });
  writeFileSync(join(nvim.bin, 'image'), image);
  const script = `case "$*" in *--list-types*) echo image/png;; *) cat ${nvim.bin}/image;; esac`;
  writeFileSync(join(nvim.bin, 'wl-paste'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(nvim.bin, 'wl-paste'), 0o755);
}

describe('images and sounds', () => {
  async function withClipboard(agent = sessionAgent()) {
    const nvim = await startAtPrompt(agent, { columns: 160 });
    const bin = join(nvim.home, 'bin');
    clipboard({ bin }, media.png);
    await nvim.lua(
      `vim.env.PATH = ... .. ':' .. vim.env.PATH
       vim.env.WAYLAND_DISPLAY = 'wayland-0'`,
      bin,
    );
    return { nvim, agent };
  }

  it('an image in the clipboard is attached by a key, and arrives as an image', async () => {
    const { nvim, agent } = await withClipboard();
    await nvim.input('look at this<M-v>');
    await nvim.waitForScreen('@clipboard.png 640×480 24 B ✕');
    await holds(nvim, 'look at this');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    await nvim.input('<C-s>');
    const { text, along } = await got(agent);
    expect(text).toBe('look at this');
    expect(along).toEqual([
      expect.objectContaining({
        type: 'image',
        mimeType: 'image/png',
        data: media.png.toString('base64'),
      }),
    ]);
    await nvim.waitForScreen('▌ @clipboard.png');
  });

  it('@image is the image in the clipboard', async () => {
    const { nvim, agent } = await withClipboard();
    await nvim.input('what is @image ?<C-s>');
    expect((await got(agent)).along[0]).toMatchObject({ type: 'image' });
  });

  it('a dropped file is attached in place of its path, with blanks and all', async () => {
    const { nvim, agent } = await withClipboard();
    const path = join(nvim.dir, 'my shot.png');
    writeFileSync(path, media.png);
    await nvim.request('nvim_paste', path.replaceAll(' ', '\\ '), false, -1);
    await nvim.waitForScreen('@my shot.png 640×480');
    expect(await prompt(nvim)).toBe('');
    await nvim.input('hm<C-s>');
    expect((await got(agent)).along[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  });

  it('a file is named by command or by @', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    writeFileSync(join(nvim.dir, 'a.jpg'), media.jpeg);
    writeFileSync(join(nvim.dir, 'b.webp'), media.webp);
    await run(nvim, 'AcpAdd image a.jpg');
    await nvim.waitForScreen('@a.jpg 640×480');
    await nvim.input('isee @b.webp<C-s>');
    const { along } = await got(agent);
    expect(along.map(({ mimeType }) => mimeType)).toEqual(['image/jpeg', 'image/webp']);
  });

  it('a sound arrives as audio', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    writeFileSync(join(nvim.dir, 'note.wav'), media.wav);
    await run(nvim, 'AcpAdd audio note.wav');
    await nvim.waitForScreen('@note.wav');
    await run(nvim, 'AcpChat listen');
    expect((await got(agent)).along[0]).toMatchObject({ type: 'audio', mimeType: 'audio/wav' });
  });

  it('are refused with a clear word by an agent that takes none, and nothing that is typed is lost', async () => {
    const { nvim, agent } = await withClipboard(
      sessionAgent({ takes: { image: false, audio: false } }),
    );
    writeFileSync(join(nvim.dir, 'note.wav'), media.wav);
    await nvim.input('look<M-v>');
    await tells(nvim, 'scripted takes no images');
    await run(nvim, 'AcpAdd audio note.wav');
    await tells(nvim, 'scripted takes no audio');
    expect(await above(nvim)).toBe('');
    await holds(nvim, 'look');
    // It is not offered either.
    expect((await rows(nvim, 'AcpAdd')).join('\n')).not.toMatch(/^image/m);
    await dismiss(nvim);
    const words = await nvim.lua<string[]>(`return vim.fn.getcompletion('AcpAdd ', 'cmdline')`);
    expect(words).not.toContain('image');
    expect(words).not.toContain('audio');
    // A file is a file all the same.
    await nvim.input('A @note.wav<C-s>');
    expect((await got(agent)).along[0]).toMatchObject({ type: 'resource_link', name: 'note.wav' });
  });

  it('of what is no image it is said', async () => {
    const nvim = await startAtPrompt(sessionAgent());
    file(nvim, 'text.png', 'no image at all');
    await run(nvim, 'AcpAdd image text.png');
    await tells(nvim, 'text.png is no image that agents know');
  });
});
