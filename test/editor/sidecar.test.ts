import { describe, expect, it } from 'vitest';
import { eventually, startNvim } from '../harness';

/** Sidecars that say nothing, and whose end is told when the test says so. */
const FAKE_JOBS = `
  vim.o.swapfile = false
  _G.jobs = {}
  local jobstart = vim.fn.jobstart
  vim.fn.jobstart = function(_, opts)
    local id = jobstart({ 'sh', '-c', 'cat >/dev/null' }, { rpc = true })
    table.insert(jobs, { id = id, on_exit = opts.on_exit })
    return id
  end`;

const START = `
  require('acp').setup({ node = 'sh', agent = 'tester', agents = { tester = { command = 'tester' } } })
  require('acp.sidecar').bundle = function() return vim.v.progpath end
  require('acp').open()`;

const transcript = `return vim.api.nvim_buf_get_lines(require('acp.chat').get('s1').buf, 0, -1, false)`;

describe('a sidecar that is gone', () => {
  it('is told in the transcript when its channel alone says so', async () => {
    const nvim = await startNvim({ init: FAKE_JOBS });
    await nvim.lua(START);
    await nvim.lua(`vim.fn.chanclose(jobs[1].id)`);
    await eventually(async () => {
      expect(await nvim.lua(`return require('acp.sidecar').running()`)).toBe(false);
    });
    expect(await nvim.lua(transcript)).toContain('✗ The sidecar ended');
  });

  it('is told nothing, and nobody sees an error, where its channel is closed and its end not yet known', async () => {
    const nvim = await startNvim({ init: FAKE_JOBS });
    await nvim.lua(START);
    await nvim.lua(`
      vim.fn.chanclose(jobs[1].id)
      require('acp.rpc').notify('prompt.cancel', { session = 's1' })`);
    await expect(
      nvim.lua(`require('acp.rpc').notify('prompt.cancel', { session = print })`),
    ).rejects.toThrow();
  });

  it('takes nothing along of the one that has come after it', async () => {
    const nvim = await startNvim({ init: FAKE_JOBS });
    await nvim.lua(START);
    await nvim.lua(`vim.fn.chanclose(jobs[1].id)`);
    await eventually(async () => {
      expect(await nvim.lua(`require('acp.sidecar').channel() return #jobs`)).toBe(2);
    });
    await nvim.lua(`jobs[1].on_exit(jobs[1].id, 137)`);
    expect(await nvim.lua(`return require('acp.sidecar').running()`)).toBe(true);
  });
});

describe('a chat that is wiped out while it works', () => {
  it('leaves no question open and no key watched', async () => {
    const nvim = await startNvim({ init: FAKE_JOBS });
    await nvim.lua(START);
    await nvim.lua(`
      local question = { id = 'q1', block = 'b1', title = 'Run', detail = {}, options = {}, hasDiff = false }
      local call = require('acp.rpc').call
      call('frame', { frames = { { session = 's1', status = { state = 'waiting', questions = { question } } } } })
      call('question.opened', { session = 's1', question = question })`);
    expect(await nvim.lua(`return require('acp').questions()`)).toBe(1);
    expect(await nvim.lua(`return require('acp.ui.typing').watching()`)).toBe(true);
    await nvim.lua(`vim.cmd('bwipeout! ' .. require('acp.chat').get('s1').buf)`);
    await eventually(async () => {
      expect(await nvim.lua(`return require('acp').questions()`)).toBe(0);
      expect(await nvim.lua(`return require('acp.ui.typing').watching()`)).toBe(false);
    });
  });
});
