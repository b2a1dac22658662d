import { expect } from 'vitest';
import { eventually } from '../harness';
import type { ChatFixture } from './chat-fixture';

interface FilesFind {
  session: string;
  id: number;
  query: string;
}

/** The texts in the menu; nothing where none is open. */
export function menu(chat: ChatFixture): Promise<string[]> {
  return chat.nvim.lua(`
    local info = vim.fn.complete_info({ 'items', 'pum_visible' })
    if info.pum_visible == 0 then return {} end
    return vim.tbl_map(function(item) return item.word end, info.items)`);
}

export async function isOpen(chat: ChatFixture): Promise<boolean> {
  return (await chat.nvim.lua('return vim.fn.pumvisible()')) === 1;
}

/** Waits until the menu holds just that; words may be there or not. */
export async function offered(
  chat: ChatFixture,
  words: string[],
  optional: string[] = [],
): Promise<void> {
  const wanted = (all: string[]) => all.filter((word) => !optional.includes(word));
  await eventually(async () => expect(wanted(await menu(chat))).toEqual(wanted(words)));
}

/** Answers questions with nothing until the one for `query` is asked. */
export async function found(chat: ChatFixture, query: string, paths: string[]): Promise<void> {
  await eventually(async () => {
    const last = (chat.sent('files.find') as FilesFind[]).at(-1);
    const isMeant = last?.query === query;
    await chat.nvim.lua(`require('acp.rpc').call('files.found', ...)`, {
      session: 's1',
      id: last?.id ?? 0,
      paths: isMeant ? paths : [],
      more: false,
    });
    expect(last?.query).toBe(query);
  });
}
