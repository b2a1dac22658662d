import { expect, it } from 'vitest';
import type { FileDiff } from '../../src/diff/file-diff';
import { openChat } from './chat-fixture';

const file = (name: string, code: string[]): FileDiff => ({
  path: `/project/${name}`,
  name,
  status: 'modified',
  fragment: false,
  added: 1,
  removed: 0,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      rows: [
        ...code.map((text) => ({ type: 'same' as const, text })),
        { type: 'add', text: '// new' },
      ],
    },
  ],
});

it.each([
  ['by its syntax file where there is no parser', 'a.js', 'return 1;'],
  ['by its parser where there is one', 'a.lua', 'return 1'],
])('a diff shows the syntax of its file, %s', async (_, name, code) => {
  const { nvim } = await openChat();
  await nvim.lua(`require('acp.ui.diff').show(...)`, {
    session: 's1',
    block: 'b1',
    files: [file(name, [code])],
  });
  const { row, col } = await nvim.waitForScreen(code);
  const plain = nvim.attrsAt(row, col + code.indexOf('1') - 1);
  expect(nvim.attrsAt(row, col)).not.toEqual(plain);
  expect(await nvim.lua(`return vim.bo.filetype`)).not.toContain('javascript');
});
