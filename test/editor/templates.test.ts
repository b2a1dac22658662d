/** Prompts by name. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import type { Nvim } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const CODE = 'local function foo()\n  return 1\nend\n';

async function withTemplates(
  templates: Record<string, string> = {},
  name = 'a.lua',
): Promise<ChatFixture> {
  const chat = await openChat({ columns: 160, env: { GIT_CEILING_DIRECTORIES: '/tmp' } });
  writeFileSync(join(chat.nvim.dir, name), CODE);
  await chat.nvim.lua(
    `local templates, name = ...
    local options = require('acp.config').get()
    for key, value in pairs(templates) do options.templates[key] = value end
    vim.cmd.stopinsert()
    vim.cmd.wincmd('t')
    vim.cmd.edit({ args = { name }, magic = { file = false } })`,
    templates,
    name,
  );
  return chat;
}

interface Filled {
  text: string;
  attachments: { type: string; text?: string; name?: string; path?: string }[];
}

async function fill(
  nvim: Nvim,
  name: string,
  opts: { text?: string; range?: [number, number] } = {},
): Promise<Filled | string> {
  return nvim.lua(
    `local name, opts = ...
    if not next(opts) then opts = {} end
    local filled, fault = require('acp.templates').fill(name, opts)
    return filled or fault`,
    name,
    opts,
  );
}

describe('a template', () => {
  test('has what it names as attachments, and their names in its text', async () => {
    const { nvim } = await withTemplates({
      all: 'Look at {selection}, {file}, {symbol} and {quickfix}.',
    });
    await nvim.lua(`vim.fn.setqflist({ { filename = 'a.lua', lnum = 2, text = 'x' } })`);
    const filled = (await fill(nvim, 'all', { range: [2, 3] })) as Filled;
    expect(filled.text).toBe('Look at @a.lua:2-3, @a.lua, @a.lua:1-3 and @quickfix.');
    expect(filled.attachments).toMatchObject([
      { type: 'text', startLine: 2, endLine: 3, text: '  return 1\nend\n' },
      { type: 'file', path: join(nvim.dir, 'a.lua') },
      { type: 'text', startLine: 1, endLine: 3, text: CODE },
      { type: 'text', name: 'quickfix (1)' },
    ]);
  });

  test('names the same thing twice, and attaches it once', async () => {
    const { nvim } = await withTemplates({ twice: '{selection} and again {selection}' });
    const filled = (await fill(nvim, 'twice', { range: [1, 1] })) as Filled;
    expect(filled.text).toBe('@a.lua:1 and again @a.lua:1');
    expect(filled.attachments).toHaveLength(1);
  });

  test('has what was said beside it where it wants it, else at its end', async () => {
    const { nvim } = await withTemplates({ inner: 'Do {input} now.', outer: 'Do it.' });
    expect(await fill(nvim, 'inner', { text: 'this {diff} 100%1' })).toMatchObject({
      text: 'Do this {diff} 100%1 now.',
    });
    expect(await fill(nvim, 'outer', { text: 'quickly' })).toMatchObject({
      text: 'Do it.\n\nquickly',
    });
    expect(await fill(nvim, 'outer')).toMatchObject({ text: 'Do it.' });
  });

  test('keeps what is no placeholder', async () => {
    const { nvim } = await withTemplates({ odd: '{nonsense} {} {A} f{x} 100%' });
    expect(await fill(nvim, 'odd')).toEqual({
      text: '{nonsense} {} {A} f{x} 100%',
      attachments: [],
    });
  });

  test('that has nothing for a placeholder says so', async () => {
    const { nvim } = await withTemplates();
    expect(await fill(nvim, 'fix')).toBe('template fix: there are no diagnostics in a.lua');
    expect(await fill(nvim, 'explain')).toBe('template explain: nothing was selected in a.lua');
    expect(await fill(nvim, 'review')).toBe('template review: this folder is in no git repository');
  });

  test('that there is not is named with those that there are', async () => {
    const { nvim } = await withTemplates({ mine: 'x' });
    expect(await fill(nvim, 'nothing')).toBe(
      'there is no template "nothing", but explain, fix, mine, review, test',
    );
  });

  test('of the user’s goes before one that is built in', async () => {
    const { nvim } = await withTemplates({ fix: 'Repair it.' });
    expect(await fill(nvim, 'fix')).toEqual({ text: 'Repair it.', attachments: [] });
  });

  test('writes a name with blanks as a mention would', async () => {
    const { nvim } = await withTemplates({ one: 'See {selection}.' }, 'my file.lua');
    expect(await fill(nvim, 'one', { range: [1, 2] })).toMatchObject({
      text: 'See @"my file.lua:1-2".',
    });
  });
});

describe('those that are built in', () => {
  test('say what they attach', async () => {
    const { nvim } = await withTemplates();
    await nvim.lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, {
      { lnum = 1, col = 2, message = 'bad', severity = 1 } })`);
    execFileSync('git', ['init', '-q'], { cwd: nvim.dir });
    execFileSync('git', ['add', '.'], { cwd: nvim.dir });
    for (const [name, label] of [
      ['fix', '@diagnostics'],
      ['explain', '@a.lua:1-2'],
      ['test', '@a.lua:1-2'],
      ['review', '@diff'],
    ] as const) {
      const filled = (await fill(nvim, name, { range: [1, 2] })) as Filled;
      expect(filled.text).toContain(label);
      expect(filled.attachments).toHaveLength(1);
    }
  });

  test('go with :AcpChat, and complete there', async () => {
    const chat = await withTemplates();
    expect(
      await chat.nvim.lua(`return vim.fn.getcompletion('AcpChat template=e', 'cmdline')`),
    ).toEqual(['template=explain']);
    await chat.nvim.input(':1,2AcpChat template=explain in one line<CR>');
    await eventually(() => expect(chat.sent('prompt.send')).toHaveLength(1));
    expect(chat.sent('prompt.send')[0]).toMatchObject({
      text: expect.stringMatching(/@a\.lua:1-2\n\nin one line$/) as string,
      attachments: [{ startLine: 1, endLine: 2 }],
    });
  });

  test('that cannot be filled are not sent', async () => {
    const chat = await withTemplates();
    await chat.nvim.input(':AcpChat template=fix<CR>');
    await chat.nvim.waitForScreen('template fix: there are no diagnostics in a.lua');
    expect(chat.sent('prompt.send')).toEqual([]);
  });
});
