/** What the text of a prompt names. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

interface Meant {
  all: { type: string; path?: string; text?: string; startLine?: number; endLine?: number }[];
  unmeant: { word: string; reason: string }[];
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function withFiles(files: Record<string, string | Buffer>): Promise<ChatFixture> {
  const chat = await openChat();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(chat.nvim.dir, name)), { recursive: true });
    writeFileSync(join(chat.nvim.dir, name), text);
  }
  return chat;
}

const meant = (chat: ChatFixture, text: string): Promise<Meant> =>
  chat.nvim.lua(
    `local all, unmeant = require('acp.complete.mentions').attachments(require('acp.chat').get('s1'), ...)
    return { all = all, unmeant = unmeant }`,
    text,
  );

/** Paths from the folder of the chat, with their lines. */
async function named(chat: ChatFixture, text: string): Promise<string[]> {
  const { all } = await meant(chat, text);
  const cwd = await chat.nvim.lua<string>(`return require('acp.chat').get('s1').cwd`);
  return all.map(({ path, startLine, endLine }) => {
    const name = path!.replace(`${cwd}/`, '');
    return startLine === undefined ? name : `${name}:${startLine}-${endLine}`;
  });
}

describe('files', () => {
  test('each once, in their order; what belongs to the sentence does not belong to the name', async () => {
    const chat = await withFiles({ 'a.txt': '', 'src/b.py': '', 'what?': '' });
    expect(await named(chat, 'See @src/b.py, @a.txt. And (@a.txt)!')).toEqual([
      'src/b.py',
      'a.txt',
    ]);
    expect(await named(chat, '@a.txt: first\n@src/b.py;\n"@a.txt"')).toEqual(['a.txt', 'src/b.py']);
    expect(await named(chat, 'is it @what?')).toEqual(['what?']);
    expect(await named(chat, 'is it @what??')).toEqual(['what?']);
    expect(await named(chat, 'and **@a.txt** or `@a.txt`')).toEqual([]);
  });

  test('what does not exist stays text, as do folders and addresses', async () => {
    const chat = await withFiles({ 'a.txt': '', 'src/b.py': '' });
    const text = 'me@a.txt @nothing @src @src/ @ @@ @"open @"" @/nowhere/x @~nobody/x a@b';
    expect(await meant(chat, text)).toEqual({ all: [], unmeant: [] });
  });

  test('by their whole path, from above, from home, and behind links', async () => {
    const chat = await withFiles({ 'a.txt': '', 'sub/b.txt': '' });
    const { dir, home } = chat.nvim;
    writeFileSync(join(home, 'h.txt'), '');
    symlinkSync(join(dir, 'sub'), join(dir, 'link'));
    expect(await named(chat, `@${dir}/a.txt @./a.txt @sub/../a.txt`)).toEqual(['a.txt']);
    expect((await meant(chat, '@~/h.txt')).all).toMatchObject([{ path: `${home}/h.txt` }]);
    expect(await named(chat, '@link/b.txt')).toEqual(['link/b.txt']);
  });

  test.each([
    'my notes.md',
    'a "b" \\c.md',
    '"x',
    'tab\there',
    '$x',
    '[id].ts',
    '%',
    "it's",
    'ü ü',
    'a:3',
  ])('a file called %s is written so that it is found again', async (name) => {
    const chat = await withFiles({ [name]: '', [`in here/${name}`]: '' });
    for (const path of [name, `in here/${name}`]) {
      const written = await chat.nvim.lua<string>(
        `return require('acp.complete.mentions').write(...)`,
        path,
      );
      expect(await named(chat, `see ${written}, please`)).toEqual([path]);
    }
  });

  test('a file called like a word is written with its folder', async () => {
    const chat = await withFiles({ buffer: '' });
    const written = await chat.nvim.lua(`return require('acp.complete.mentions').write('buffer')`);
    expect(written).toBe('@./buffer');
    expect(await named(chat, '@./buffer')).toEqual(['buffer']);
  });

  test('what goes along already is not added', async () => {
    const chat = await withFiles({ 'a.txt': '' });
    await chat.nvim.lua(`
      local chat = require('acp.chat').get('s1')
      chat.attachments = { { type = 'file', path = chat.cwd .. '/a.txt' } }`);
    expect(await named(chat, '@a.txt')).toEqual([]);
  });

  test('images where the agent takes them, else as files', async () => {
    const chat = await withFiles({ 'shot.png': PNG });
    expect((await meant(chat, '@shot.png')).all).toMatchObject([{ type: 'file' }]);
    await chat.status({ takes: { image: true, audio: false, embedded: true, steering: false } });
    expect((await meant(chat, '@shot.png')).all).toMatchObject([
      { type: 'media', mime: 'image/png' },
    ]);
  });
});

describe('lines', () => {
  test('of a file on disk', async () => {
    const chat = await withFiles({ 'src/a.py': 'one\r\ntwo\nthree\nfour\n', 'my b.py': 'x\ny\n' });
    expect((await meant(chat, 'see @src/a.py:2-3.')).all).toEqual([
      {
        type: 'text',
        path: expect.stringMatching(/\/src\/a\.py$/) as string,
        startLine: 2,
        endLine: 3,
        text: 'two\nthree\n',
        filetype: 'python',
      },
    ]);
    expect((await meant(chat, '@src/a.py:1')).all).toMatchObject([{ text: 'one\n', endLine: 1 }]);
    expect(await named(chat, '@src/a.py:3-99, @"my b.py":2, @src/a.py')).toEqual([
      'src/a.py:3-4',
      'my b.py:2-2',
      'src/a.py',
    ]);
  });

  test('of a buffer with what is not saved', async () => {
    const chat = await withFiles({ 'a.py': 'old\n' });
    await chat.nvim.lua(
      `local buf = vim.fn.bufadd(...)
      vim.fn.bufload(buf)
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'new', 'lines' })`,
      join(chat.nvim.dir, 'a.py'),
    );
    expect((await meant(chat, '@a.py:1-2')).all).toMatchObject([{ text: 'new\nlines\n' }]);
  });

  test('that are not there are text', async () => {
    const chat = await withFiles({ 'a.py': 'one\n' });
    expect(await named(chat, '@a.py:7 @a.py:0 @a.py:3-2')).toEqual([]);
    expect(await named(chat, 'as @a.py: it says')).toEqual(['a.py']);
  });
});

describe('words', () => {
  test('stand for what the editor knows', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`
      local buf = require('acp.context.source').get().buf
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'local x = 1' })`);
    expect((await meant(chat, 'explain @buffer.')).all).toMatchObject([{ text: 'local x = 1\n' }]);
  });

  test('that stand for nothing now go as text, and the user is told', async () => {
    const chat = await openChat();
    expect((await meant(chat, 'the @quickfix, @buffers and @symbol:Nope')).unmeant).toEqual([
      { word: '@quickfix', reason: 'the quickfix list is empty' },
      { word: '@symbol:Nope', reason: expect.stringContaining('Nope') as string },
    ]);
    await chat.nvim.input('fix @quickfix<C-s>');
    await eventually(() =>
      expect(chat.sent('prompt.send')).toMatchObject([{ text: 'fix @quickfix' }]),
    );
    await eventually(async () =>
      expect(await chat.nvim.messages()).toContain('@quickfix was sent as text: the quickfix list'),
    );
  });
});

describe('a pasted text', () => {
  test('that says the same many times, or ends in many signs, costs no time', async () => {
    const chat = await withFiles({ 'a.txt': '' });
    const took = await chat.nvim.lua<number>(`
      local chat = require('acp.chat').get('s1')
      local text = ('@Override @selection\\n'):rep(20000) .. '@' .. ('}'):rep(200000) .. ' @a.txt'
      local begun = vim.uv.hrtime()
      local all, unmeant = require('acp.complete.mentions').attachments(chat, text)
      assert(#all == 1 and #unmeant == 1)
      return (vim.uv.hrtime() - begun) / 1e6`);
    expect(took).toBeLessThan(1000);
  });

  test('names lines of a file as much as may be embedded, and none of one that is huge', async () => {
    const chat = await withFiles({ 'long.log': 'a line\n'.repeat(400_000), 'huge.log': '' });
    truncateSync(join(chat.nvim.dir, 'huge.log'), 3e9);
    const { all, unmeant } = await meant(chat, '@long.log:2-999999 @huge.log:1-9');
    expect(all).toMatchObject([{ type: 'text', startLine: 2 }]);
    expect(all[0]!.text!.length).toBeLessThanOrEqual(1024 * 1024);
    expect(all[0]!.text!.split('\n')).toHaveLength(all[0]!.endLine!);
    expect(unmeant).toEqual([
      { word: '@huge.log:1-9', reason: 'the file is too large to look for its lines' },
    ]);
  });
});
