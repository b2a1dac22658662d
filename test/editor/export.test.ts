import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

interface Asked {
  session: string;
  id: number;
}

/** Types the command, and answers as the sidecar does. */
async function exported(chat: ChatFixture, command: string, title = 'Fix it') {
  const before = chat.sent('session.export').length;
  await chat.nvim.input(`<Esc>:${command}<CR>`);
  const { session, id } = await eventually(() => {
    const asked = chat.sent('session.export') as Asked[];
    expect(asked).toHaveLength(before + 1);
    return asked[before]!;
  });
  await chat.nvim.lua(`require('acp.rpc').call('session.markdown', ...)`, {
    session,
    id,
    title,
    lines: ['# Fix it', '', 'Done.'],
  });
}

const MARKDOWN = '# Fix it\n\nDone.\n';

describe(':AcpExport', () => {
  test('opens a new buffer with the conversation, named by its title and not written', async () => {
    const chat = await openChat();
    await exported(chat, 'AcpExport', 'Fix a/b: "it"\n now');
    await chat.nvim.waitForScreen('# Fix it');
    const state = await chat.nvim.lua(`return {
      vim.fn.expand('%:t'), vim.bo.filetype, vim.bo.modified, vim.bo.buflisted, vim.fn.line('$'),
    }`);
    expect(state).toEqual(['Fix a b it now.md', 'markdown', true, true, 3]);
    await exported(chat, 'AcpExport', 'Fix a b it now');
    await eventually(async () =>
      expect(await chat.nvim.lua(`return vim.fn.expand('%:t')`)).toBe('Fix a b it now 2.md'),
    );
  });

  test('writes a file, relative or below ~, and says where', async () => {
    const chat = await openChat();
    await exported(chat, 'AcpExport out.md');
    await chat.nvim.waitForScreen('the conversation is in out.md');
    expect(readFileSync(join(chat.nvim.dir, 'out.md'), 'utf8')).toBe(MARKDOWN);
    await exported(chat, 'AcpExport ~/home.md');
    await chat.nvim.waitForScreen('the conversation is in ~/home.md');
    expect(readFileSync(join(chat.nvim.home, 'home.md'), 'utf8')).toBe(MARKDOWN);
  });

  test('replaces a file with ! only', async () => {
    const chat = await openChat();
    const path = join(chat.nvim.dir, 'out.md');
    writeFileSync(path, 'mine');
    await chat.nvim.input('<Esc>:AcpExport out.md<CR>');
    await chat.nvim.waitForScreen('not exported: out.md exists: :AcpExport! replaces it');
    expect([readFileSync(path, 'utf8'), chat.sent('session.export')]).toEqual(['mine', []]);
    await exported(chat, 'AcpExport! out.md');
    await eventually(() => expect(readFileSync(path, 'utf8')).toBe(MARKDOWN));
  });

  test('says what is wrong with a path', async () => {
    const chat = await openChat();
    mkdirSync(join(chat.nvim.dir, 'sub'));
    await chat.nvim.input('<Esc>:AcpExport sub<CR>');
    await chat.nvim.waitForScreen('sub is a folder: name a file in it');
    execFileSync('mkfifo', [join(chat.nvim.dir, 'pipe')]);
    await chat.nvim.input(':AcpExport! pipe<CR>');
    await chat.nvim.waitForScreen('pipe is no file, but a fifo');
    await chat.nvim.input(':AcpExport none/out.md<CR>');
    await chat.nvim.waitForScreen('there is no folder none: make it first');
    expect(existsSync(join(chat.nvim.dir, 'none'))).toBe(false);
  });

  test('does not replace a file that came while the conversation was asked for', async () => {
    const chat = await openChat();
    await chat.nvim.input('<Esc>:AcpExport out.md<CR>');
    await eventually(() => expect(chat.sent('session.export')).toHaveLength(1));
    writeFileSync(join(chat.nvim.dir, 'out.md'), 'mine');
    const params = { session: 's1', id: 1, title: '', lines: ['x'] };
    await chat.nvim.lua(`require('acp.rpc').call('session.markdown', ...)`, params);
    await chat.nvim.waitForScreen('not exported: out.md exists');
    expect(readFileSync(join(chat.nvim.dir, 'out.md'), 'utf8')).toBe('mine');
  });
});
