/** What users and their other plugins do while the agent works. */
import { expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, lines, startChat } from './e2e';

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
