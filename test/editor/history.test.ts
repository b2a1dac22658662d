import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, startNvim, tempDir } from '../harness';
import type { Nvim } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const entries = (nvim: Nvim) => nvim.lua<string[]>(`return require('acp.ui.history').entries()`);
const add = (nvim: Nvim, text: string) => nvim.lua(`require('acp.ui.history').add(...)`, text);
const path = (nvim: Nvim) => nvim.lua<string>(`return vim.fn.stdpath('state') .. '/acp/history'`);

describe('several Neovims', () => {
  async function two(): Promise<[Nvim, Nvim]> {
    const home = join(tempDir(), 'home');
    return [await startNvim({ home }), await startNvim({ home })];
  }

  test('see what each other sent, without a restart', async () => {
    const [a, b] = await two();
    await add(a, 'one');
    expect(await entries(b)).toEqual(['one']);
    await add(b, 'two\nlines');
    await add(a, 'three');
    expect(await entries(a)).toEqual(['one', 'two\nlines', 'three']);
    expect(await entries(b)).toEqual(['one', 'two\nlines', 'three']);
  });

  test('go on after one of them has written the file anew', async () => {
    const [a, b] = await two();
    await add(a, 'first');
    await entries(b);
    const file = await path(a);
    const many = Array.from({ length: 1001 }, (_, i) => `${JSON.stringify({ text: `p${i}` })}\n`);
    writeFileSync(file, many.join(''), { flag: 'a' });
    expect(await entries(a)).toHaveLength(500);
    await add(b, 'last');
    expect((await entries(a)).slice(-2)).toEqual(['p1000', 'last']);
    expect((await entries(b)).slice(-2)).toEqual(['p1000', 'last']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a line that broke off costs itself alone', async () => {
    const nvim = await startNvim();
    await add(nvim, 'one');
    const file = await path(nvim);
    writeFileSync(file, '{"text":"bro', { flag: 'a' });
    expect(await entries(nvim)).toEqual(['one']);
    await add(nvim, 'two');
    expect(await entries(nvim)).toEqual(['one', 'two']);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  });

  test('what cannot be written is kept here', async () => {
    const nvim = await startNvim();
    const file = await path(nvim);
    await nvim.lua(`vim.fn.mkdir(..., 'p')`, file);
    await add(nvim, 'one');
    expect(await entries(nvim)).toEqual(['one']);
    await nvim.waitForScreen('the prompt history is not kept');
  });
});

describe(':AcpHistory', () => {
  const CHOOSE = `
    vim.ui.select = function(items, opts, on_choice)
      _G.offered = vim.tbl_map(opts.format_item, items)
      _G.preview = opts.preview_item(items[1])
      on_choice(items[1])
    end`;

  async function sent(...prompts: string[]): Promise<ChatFixture> {
    const chat = await openChat({ init: CHOOSE });
    for (const prompt of prompts) await add(chat.nvim, prompt);
    return chat;
  }
  const offered = (chat: ChatFixture) => chat.nvim.lua<string[]>('return _G.offered');

  test('offers all prompts, the newest first, each once and in one line', async () => {
    const chat = await sent('one', 'two\n  lines\ttab', 'one', 'three');
    await chat.nvim.input('<M-r>');
    await eventually(async () => expect(await chat.prompt()).toBe('three'));
    expect(await offered(chat)).toEqual(['three', 'one', 'two ⏎ lines tab']);
  });

  test('offers those that hold a text; the whole is its preview', async () => {
    const chat = await sent('Fix the [test]\nnow', 'say');
    await chat.nvim.input('<Esc>:AcpHistory fix the [<CR>');
    await eventually(async () => expect(await chat.prompt()).toBe('Fix the [test]\nnow'));
    expect(await chat.nvim.lua('return _G.preview')).toEqual(['Fix the [test]', 'now']);
    await chat.nvim.input('<Esc>:AcpHistory FIX<CR>');
    await chat.nvim.waitForScreen('no prompt holds "FIX"');
  });

  test('what was typed comes back by undo, and at the end of the history', async () => {
    const chat = await sent('one', 'two');
    await chat.nvim.input('typed<M-r>');
    await eventually(async () => expect(await chat.prompt()).toBe('two'));
    await chat.nvim.input('<C-n>');
    await eventually(async () => expect(await chat.prompt()).toBe('typed'));
    await chat.nvim.input('<Esc>u');
    await eventually(async () => expect(await chat.prompt()).toBe('two'));
    await chat.nvim.input('u');
    await eventually(async () => expect(await chat.prompt()).toBe('typed'));
  });

  test('says so where nothing was sent yet', async () => {
    const chat = await sent();
    await chat.nvim.waitForScreen('-- INSERT --');
    await chat.nvim.input('<M-r>');
    await chat.nvim.waitForScreen('no prompt was sent yet');
  });
});
