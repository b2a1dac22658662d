import { expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, put } from './chat-fixture';

test.each(['edit', 'edit!'])(
  ':%s in the transcript keeps it, with its marks and its blocks',
  async (command) => {
    const chat = await openChat();
    await chat.ops(
      put('a', ['one'], { marks: [[0, 0, 3, 'Title']] }),
      put('b', ['two'], { after: 'a' }),
    );
    const marks = await chat.marks();
    await chat.focusTranscript();
    await chat.nvim.command(command);
    expect(await chat.lines()).toEqual(['one', 'two']);
    expect(await chat.marks()).toEqual(marks);
    await chat.ops(put('a', ['one', 'and a half']), {
      op: 'append',
      id: 'b',
      text: '!',
      marks: [],
    });
    expect(await chat.lines()).toEqual(['one', 'and a half', 'two!']);
    expect(await chat.nvim.lua('return vim.bo.modifiable')).toBe(false);
    expect(await chat.nvim.messages()).toBe('');
  },
);

test(':edit! in the prompt keeps what was typed', async () => {
  const chat = await openChat();
  await chat.nvim.input('precious<Esc>:edit!<CR>A words');
  await eventually(async () => expect(await chat.prompt()).toBe('precious words'));
});

test.each(['bdelete!', 'bwipeout!', 'bunload!', '%bdelete!'])(
  ':%s on a transcript ends the chat, and what comes late does no harm',
  async (command) => {
    const chat = await openChat();
    await chat.ops(put('a', ['one']));
    await chat.focusTranscript();
    await chat.nvim.command(command);
    await chat.ops(put('a', ['two']), put('b', ['three']));
    await eventually(() => expect(chat.sent('session.close')).toEqual([{ session: 's1' }]));
    await eventually(async () =>
      expect(
        await chat.nvim.lua(`return #vim.tbl_filter(function(buf)
          return vim.api.nvim_buf_get_name(buf):find('^acp:') ~= nil
        end, vim.api.nvim_list_bufs())`),
      ).toBe(0),
    );
    expect(await chat.nvim.messages()).not.toMatch(/acp/);
  },
);
