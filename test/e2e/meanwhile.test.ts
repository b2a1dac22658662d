/** What users and their other plugins do while the agent works. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, lines, startChat, type } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

it('loses nothing while an <expr> mapping waits for a key', async () => {
  const nvim = await startChat(scriptedAgent([PROMPT, chunk('one\n'), chunk('two'), END]));
  await nvim.lua(`
    vim.keymap.set('n', 's', function()
      vim.fn.getcharstr()
      return 'l'
    end, { expr = true })
    local rpc = require('acp.rpc')
    local call = rpc.call
    rpc.call = function(method, params)
      local result = call(method, params)
      if result == rpc.LOCKED then vim.g.refused = method end
      return result
    end`);
  await nvim.input(':AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await idle(nvim);
  await nvim.input('<Esc>s');
  await eventually(async () =>
    expect(await nvim.lua(`return require('acp.lock').held()`)).toBe(true),
  );
  await nvim.lua(`require('acp.rpc').notify('prompt.send', { session = 's1', text = 'go' })`);
  await eventually(async () => expect(await nvim.lua('return vim.g.refused')).toBeTruthy());
  expect(await nvim.messages()).toBe('');
  await nvim.input('x');
  await eventually(async () => expect((await lines(nvim)).join('\n')).toMatch(/▌ go\n\none\ntwo/));
});

describe('a file that a command of the agent changes', () => {
  const prompted = () => scriptedAgent([PROMPT, chunk('done'), END]);

  const buffer = (nvim: Nvim): Promise<string[]> =>
    nvim.lua(`return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false)`);

  async function withChat(nvim: Nvim): Promise<string> {
    const path = file(nvim, 'a.txt', 'one\ntwo\nthree\n');
    await nvim.command(`edit ${path}`);
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('<C-s> send');
    await idle(nvim);
    return path;
  }

  it('is on the screen by itself, with cursor and history', async () => {
    const nvim = await startChat(prompted());
    const path = await withChat(nvim);
    await nvim.input('<Esc><C-w>tG');
    writeFileSync(path, 'zero\none\ntwo\nthree\n');
    await nvim.waitForScreen('zero');
    expect(await nvim.lua(`return vim.api.nvim_get_current_line()`)).toBe('three');
    await nvim.input('u');
    await eventually(async () => expect(await buffer(nvim)).toEqual(['one', 'two', 'three']));
    expect(await nvim.messages()).not.toMatch(/W1\d:/);
  });

  it.each([
    ['Keep mine', ['ONE', 'two', 'three'], true],
    ['Take theirs', ['one', 'two', 'THREE'], false],
    ['Merge, both sides marked', ['ONE', 'two', 'THREE'], true],
  ])('while its buffer is unsaved is a question: %s', async (choice, expected, modified) => {
    const nvim = await startChat(prompted());
    const path = await withChat(nvim);
    await nvim.lua(`vim.ui.select = function(items, opts, on_choice)
      _G.answer = function(name)
        on_choice(vim.iter(items):find(function(item) return item.name == name end))
      end
    end`);
    await nvim.input('<Esc><C-w>tggcwONE<Esc>');
    await eventually(async () => expect((await buffer(nvim))[0]).toBe('ONE'));
    writeFileSync(path, 'one\ntwo\nTHREE\n');
    await eventually(async () =>
      expect((await lines(nvim)).join('\n')).toContain('a.txt was changed on disk'),
    );
    await nvim.input(':w<CR>');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('was changed on disk: :AcpPermission decides'),
    );
    await nvim.input(':AcpPermission<CR>');
    await eventually(async () => expect(await nvim.lua('return _G.answer ~= nil')).toBe(true));
    await nvim.lua('_G.answer(...)', choice);
    await eventually(async () => {
      const open = await nvim.lua(`return require('acp.conflict').is_open(vim.fn.bufnr('a.txt'))`);
      expect(open).toBe(false);
      const text = await buffer(nvim);
      if (choice.startsWith('Merge')) {
        expect(text).toEqual(expect.arrayContaining(['ONE', 'THREE']));
      } else {
        expect(text).toEqual(expected);
      }
    });
    expect(await nvim.lua(`return vim.bo[vim.fn.bufnr('a.txt')].modified`)).toBe(modified);
    await nvim.input(':silent w<CR>');
    await eventually(async () =>
      expect(readFileSync(path, 'utf8')).toBe((await buffer(nvim)).join('\n') + '\n'),
    );
    expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });
});

it('an unsaved buffer is told before a prompt is sent, by the select that Neovim has', async () => {
  const agent = scriptedAgent([PROMPT, chunk('done'), END]);
  const nvim = await startChat(agent, { options: { unsaved: 'ask' } });
  const path = file(nvim, 'a.txt', 'old\n');
  await nvim.command(`edit ${path}`);
  await nvim.input('cwnew<Esc>:AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await idle(nvim);
  await nvim.input('<Esc>');
  await type(nvim, 'go');
  await nvim.waitForScreen('The agent does not see 1 unsaved buffer: a.txt');
  await nvim.input('1<CR>');
  await eventually(async () => expect((await lines(nvim)).join('\n')).toMatch(/▌ go\n\ndone/));
  expect(readFileSync(path, 'utf8')).toBe('new\n');
});
