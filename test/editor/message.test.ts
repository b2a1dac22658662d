import { describe, expect, it } from 'vitest';
import { eventually, startNvim } from '../harness';

const say = (level: string, text: string) =>
  `require('acp.message').notify(${JSON.stringify(level)}, ${JSON.stringify(text)})`;

describe('a message', () => {
  it('never asks for a key, however long it is: typing goes on', async () => {
    const nvim = await startNvim({ columns: 60 });
    await nvim.input('i');
    await nvim.waitForScreen('-- INSERT --');
    await nvim.lua(say('error', `${'much too long '.repeat(30)}\nand\nof\nseveral\nlines`));
    await nvim.waitForScreen('acp: much too long');
    await nvim.input('typed');
    await nvim.waitForScreen('typed');
    expect(await nvim.request('nvim_get_mode')).toEqual({ mode: 'i', blocking: false });
  });

  it('that was cut is in the log as a whole', async () => {
    const nvim = await startNvim({ columns: 60 });
    await nvim.lua(say('warn', `${'word '.repeat(40)}END`));
    await eventually(async () =>
      expect(
        await nvim.lua(`return table.concat(vim.fn.readfile(require('acp.log').path()), '\\n')`),
      ).toMatch(/END/),
    );
  });

  it('goes to the user’s own vim.notify where there is one, uncut', async () => {
    const nvim = await startNvim({ init: 'vim.notify = function(text) vim.g.said = text end' });
    await nvim.lua(say('info', 'a\nb'));
    await eventually(async () => expect(await nvim.lua('return vim.g.said')).toBe('a\nb'));
  });
});
