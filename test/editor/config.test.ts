import { describe, expect, test } from 'vitest';
import { eventually, startNvim } from '../harness';
import type { Nvim } from '../harness';

const get = <T>(nvim: Nvim, path: string): Promise<T> =>
  nvim.lua<T>(
    `return vim.tbl_get(require('acp.config').get(), unpack(vim.split(..., '.', { plain = true })))`,
    path,
  );

async function setup(options: string): Promise<Nvim> {
  const nvim = await startNvim();
  // The message would wait for a key.
  await nvim.lua(`vim.notify = function() end`);
  await nvim.lua(`require('acp.config').setup(${options})`);
  return nvim;
}

const faults = (nvim: Nvim): Promise<string[]> =>
  nvim.lua<string[]>(`return require('acp.config').faults()`);

describe('defaults', () => {
  test('hold without setup()', async () => {
    const nvim = await startNvim();
    expect(await get(nvim, 'layout.position')).toBe('right');
    expect(await get(nvim, 'keymaps.prompt.send')).toBe('<CR>');
    expect(await get(nvim, 'log.max_bytes')).toBe(64 * 1024 * 1024);
    expect(await faults(nvim)).toEqual([]);
  });

  test('are kept by what setup() does not name', async () => {
    const nvim = await setup(`{ layout = { width = 0.5 } }`);
    expect(await get(nvim, 'layout')).toEqual({
      position: 'right',
      width: 0.5,
      height: 0.4,
      prompt_height: 5,
    });
  });

  test('are not changed by whoever gets a table of them', async () => {
    const nvim = await startNvim();
    await nvim.lua(`require('acp.config').get().agents.x = {}`);
    await nvim.lua(`require('acp.config').setup({})`);
    expect(await get(nvim, 'agents')).toEqual([]);
  });
});

describe('vim.g.acp', () => {
  test('is an alternative to setup()', async () => {
    const nvim = await startNvim();
    await nvim.lua(`vim.g.acp = { layout = { position = 'left' } }`);
    expect(await get(nvim, 'layout.position')).toBe('left');
  });

  test('may be a function', async () => {
    const nvim = await startNvim();
    await nvim.lua(
      `vim.g.acp = function() return { agent = 'mine', agents = { mine = { command = 'x' } } } end`,
    );
    expect(await get(nvim, 'agent')).toBe('mine');
    expect(await get(nvim, 'agents')).toEqual({ mine: { command: 'x' } });
  });

  test('that fails is named, and the defaults hold', async () => {
    const nvim = await startNvim();
    await nvim.lua(`vim.g.acp = function() error('no network') end`);
    expect(await get(nvim, 'node')).toBe('node');
    expect((await faults(nvim))[0]).toMatch(/^vim\.g\.acp: .*no network/);
  });

  test('gives way to setup(), option by option', async () => {
    const nvim = await startNvim();
    await nvim.lua(`vim.g.acp = { layout = { position = 'left', width = 0.3 } }`);
    await nvim.lua(`require('acp.config').setup({ layout = { width = 0.6 } })`);
    expect(await get(nvim, 'layout.position')).toBe('left');
    expect(await get(nvim, 'layout.width')).toBe(0.6);
  });
});

describe('a wrong option', () => {
  test.each([
    [
      `{ layout = { position = 'rigth' } }`,
      'option layout.position: expected one of "right", "left", "bottom", "top", "tab", "float", "current", got "rigth"',
    ],
    [
      `{ layout = { width = 0 } }`,
      'option layout.width: expected a fraction of the screen (0.1 to 1) or a number of cells, got 0',
    ],
    [
      `{ layout = { prompt_height = 0 } }`,
      'option layout.prompt_height: expected a whole number, at least 1, got 0',
    ],
    [`{ layout = 'left' }`, 'option layout: expected a table, got "left"'],
    [`{ log = { wire = 1 } }`, 'option log.wire: expected true or false, got 1'],
    [`{ node = '' }`, 'option node: expected a string, got ""'],
    [
      `{ agents = { pi = { env = { A = 1 } } } }`,
      'option agents.pi.env: expected a table of names and strings, or a function that gives it, got { A = 1 }',
    ],
    [
      `{ agents = { pi = { command = {} } } }`,
      'option agents.pi.command: expected a program, or a list of a program and its arguments, or a function that gives it, got {}',
    ],
    [
      `{ agents = { pi = 'pi-acp' } }`,
      'option agents.pi: expected a name with a table such as { command = "…" }, got "pi-acp"',
    ],
    [
      `{ keymaps = { prompt = { hide = { 'q', 3 } } } }`,
      'option keymaps.prompt.hide: expected a key, a list of keys, or false, got { "q", 3 }',
    ],
    [`'right'`, 'options: expected a table, got "right"'],
  ])('%s', async (options, message) => {
    const nvim = await setup(options);
    expect(await faults(nvim)).toEqual([message]);
    expect(await get(nvim, 'layout.position')).toBe('right');
  });

  test('falls back to its default and leaves its neighbours alone', async () => {
    const nvim = await setup(
      `{ layout = { position = 'rigth', width = 0.5 }, agents = { a = { command = 3, title = 'A' } } }`,
    );
    expect(await get(nvim, 'layout.position')).toBe('right');
    expect(await get(nvim, 'layout.width')).toBe(0.5);
    expect(await get(nvim, 'agents')).toEqual({ a: { title: 'A' } });
  });

  test('is shown to the user, all at once, and throws nothing', async () => {
    const nvim = await startNvim();
    const wrong = `require('acp.config').setup({ layout = { position = 'rigth' }, node = 3 })`;
    await nvim.lua(wrong);
    await nvim.waitForScreen(
      'acp: 2 options are wrong, see :checkhealth acp · option layout.position: expected one of',
    );
    await nvim.lua(`vim.notify = function(text) vim.g.told = text end ${wrong}`);
    await eventually(async () => {
      expect(await nvim.lua(`return vim.g.told`)).toMatch(
        /^2 options.*\noption layout\.position: .*, got "rigth"\noption node: expected a string, got 3$/,
      );
    });
  });
});

describe('an unknown option', () => {
  test.each([
    [`{ layout = { widht = 3 } }`, 'option layout.widht: unknown, did you mean layout.width?'],
    [`{ position = 'left' }`, 'option position: unknown, did you mean layout.position?'],
    [`{ agent_s = {} }`, 'option agent_s: unknown, did you mean agents?'],
    [`{ frobnicate = 1 }`, 'option frobnicate: unknown'],
    [
      `{ agents = { pi = { arg = {} } } }`,
      'option agents.pi.arg: unknown, did you mean agents.pi.args?',
    ],
    [`{ 'left' }`, 'option 1: unknown'],
  ])('%s', async (options, message) => {
    expect(await faults(await setup(options))).toEqual([message]);
  });
});
