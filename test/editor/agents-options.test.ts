/** What becomes of the options of an agent: the spec that the sidecar gets. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentSpec } from '../../src/nvim/protocol';
import { startNvim, tempDir, type Nvim } from '../harness';

/** Resolves the agent `mine` with these options, for a session in `cwd`. */
async function resolve(
  options: string,
  { cwd = '/p', name = 'mine', nvim }: { cwd?: string; name?: string; nvim?: Nvim } = {},
) {
  const vim = nvim ?? (await startNvim());
  return vim.lua<[AgentSpec | null, string | null, string[]]>(
    `calls = {}
    vim.notify = function() end
    require('acp.config').setup({ agents = { [select(1, ...)] = ${options} } })
    local spec, err = require('acp.agents').resolve(...)
    return { spec or vim.NIL, err or vim.NIL, require('acp.config').faults() }`,
    name,
    cwd,
  );
}

const spec = async (...args: Parameters<typeof resolve>) => {
  const [found, err, faults] = await resolve(...args);
  expect([err, faults]).toEqual([null, []]);
  return found!;
};
const fault = async (...args: Parameters<typeof resolve>) => (await resolve(...args))[1];

describe('a function', () => {
  test('gives the command, arguments and environment, for a name and a folder', async () => {
    const found = await spec(
      `{
        command = function(place) return { 'run', place.name, place.cwd } end,
        args = function() return { '--acp' } end,
        env = function(place) return { WHERE = place.cwd } end,
        cwd = function() return 'sub' end,
      }`,
    );
    expect(found).toEqual({
      name: 'mine',
      command: 'run',
      args: ['mine', '/p', '--acp'],
      env: { WHERE: '/p' },
      cwd: '/p/sub',
      live: true,
    });
  });

  test('that fails is told by the name of its option', async () => {
    expect(await fault(`{ command = function() error('no luck') end }`)).toMatch(
      /^agents\.mine\.command: its function failed: .*no luck$/,
    );
  });

  test('that gives what does not fit is told what was expected', async () => {
    expect(await fault(`{ command = function() return 3 end }`)).toBe(
      'option agents.mine.command: expected a program, or a list of a program and its arguments, got 3 from its function',
    );
    expect(await fault(`{ command = 'x', args = function() return 'y' end }`)).toContain(
      'agents.mine.args: expected a list of strings, got "y"',
    );
    expect(await fault(`{ command = 'x', cwd = function() return print end }`)).toContain(
      'agents.mine.cwd: expected a string',
    );
    expect(await fault(`{ command = function() end }`)).toContain('agents.mine.command is missing');
  });

  test('is not called for lists, completion and labels, and once when the agent is chosen', async () => {
    const nvim = await startNvim();
    const counts = await nvim.lua<number[]>(
      `local calls = 0
      local function command() calls = calls + 1 return { 'x' } end
      require('acp.config').setup({ agents = { a = { command = command }, b = { command = 'y' } } })
      local agents, counts = require('acp.agents'), {}
      agents.complete('a')
      table.insert(counts, calls)
      vim.ui.select = function(items, opts, on_choice)
        labels = vim.tbl_map(opts.format_item, items)
        table.insert(counts, calls)
        on_choice(items[1], 1)
      end
      agents.pick(function(spec) picked = spec.command end)
      table.insert(counts, calls)
      return counts`,
    );
    expect(counts).toEqual([0, 0, 1]);
    expect(await nvim.lua('return picked')).toBe('x');
    expect(await nvim.lua('return labels[1]')).toBe('a: …');
  });
});

describe('cwd', () => {
  test.each([
    ['/srv/x/', '/srv/x'],
    ['sub/../own', '/p/own'],
    ['.', '/p'],
    ['/', '/'],
  ])('%s is %s', async (cwd, expected) => {
    expect((await spec(`{ command = 'x', cwd = '${cwd}' }`)).cwd).toBe(expected);
  });

  test('knows the home folder', async () => {
    expect((await spec(`{ command = 'x', cwd = '~/a' }`)).cwd).toMatch(/^\/.+\/a$/);
  });
});

describe('wrap', () => {
  test('leads to an agent whose own name stays, and keeps commands where it lives', async () => {
    const found = await spec(`{ wrap = { 'docker', 'exec', '-i', 'dev' } }`, { name: 'claude' });
    expect(found).toMatchObject({
      command: 'claude-agent-acp',
      args: [],
      wrap: ['docker', 'exec', '-i', 'dev'],
      withhold: ['terminal'],
    });
    expect(found).not.toHaveProperty('wrapShell');
  });

  test('quotes for ssh, and for others where that is wanted', async () => {
    const quotes = async (options: string) => await spec(`{ command = '~/bin/x y', ${options} }`);
    expect(await quotes(`wrap = { '/usr/bin/ssh', 'box' }`)).toMatchObject({
      command: '~/bin/x y',
      wrapShell: true,
    });
    expect(await quotes(`wrap = { 'ssh', 'box' }, wrap_shell = false`)).not.toHaveProperty(
      'wrapShell',
    );
    expect(await quotes(`wrap = { 'in-box' }, wrap_shell = true`)).toHaveProperty('wrapShell');
  });

  test('may be a function, and may be nothing', async () => {
    const found = await spec(
      `{ command = 'x', wrap = function(place) return { 'in', place.cwd } end }`,
    );
    expect(found.wrap).toEqual(['in', '/p']);
    for (const none of ['{}', 'function() end', 'function() return {} end']) {
      const plain = await spec(`{ command = 'x', wrap = ${none} }`);
      const live = none.startsWith('function') && { live: true };
      expect(plain).toEqual({ name: 'mine', command: 'x', args: [], ...live });
    }
  });
});

describe('capabilities', () => {
  test.each([
    ['{ fs = false }', ['fs']],
    ['{ fs = { write = false, read = true }, terminal = false }', ['fs.writeTextFile', 'terminal']],
    ['{ fs = { readTextFile = false } }', ['fs.readTextFile']],
    ['{ elicitation = { url = false } }', ['elicitation.url']],
    ['{ terminal = true }', undefined],
  ])('%s withholds %j', async (capabilities, expected) => {
    const found = await spec(`{ command = 'x', capabilities = ${capabilities} }`);
    expect(found.withhold).toEqual(expected);
  });

  test('can give back what lies behind a wrap', async () => {
    const found = await spec(
      `{ command = 'x', wrap = { 'y' }, capabilities = { terminal = true, fs = false } }`,
    );
    expect(found.withhold).toEqual(['fs']);
  });

  test('that are no switches are named', async () => {
    const [, , faults] = await resolve(`{ command = 'x', capabilities = { fs = 'no' } }`);
    expect(faults).toEqual([
      'option agents.mine.capabilities: expected a table of names and true or false, or tables of such, got { fs = "no" }',
    ]);
  });
});

describe('meta', () => {
  test('adds keys, and takes ours away by false at its top', async () => {
    const found = await spec(
      `{ command = 'x', meta = {
        client = { terminal_output = false, foo = 1 },
        session = { claudeCode = { options = { strict = false, gone = vim.NIL } } },
      } }`,
    );
    expect(found.meta).toEqual({
      client: { terminal_output: null, foo: 1 },
      session: { claudeCode: { options: { strict: false, gone: null } } },
    });
  });

  test('that can’t be sent is named', async () => {
    const [found, , faults] = await resolve(
      `{ command = 'x', meta = { session = { a = { print } }, clinet = {} } }`,
    );
    expect(faults).toEqual([
      expect.stringContaining('option agents.mine.meta.clinet: unknown, did you mean'),
      expect.stringContaining('option agents.mine.meta.session: expected a table of what can be'),
    ]);
    expect(found).not.toHaveProperty('meta');
  });
});

describe('paths', () => {
  test('are absolute here; relative ones begin in the folder of the session', async () => {
    const found = await spec(
      `{ command = 'x', paths = { ['/srv/lib/'] = '/lib', ['.'] = '/work', ['~/notes'] = '/n' } }`,
    );
    expect(found.paths).toContainEqual({ here: '/srv/lib', there: '/lib' });
    expect(found.paths).toContainEqual({ here: '/p', there: '/work' });
    expect(found.paths?.find(({ there }) => there === '/n')?.here).toMatch(/^\/.+\/notes$/);
  });

  test('that are symbolic links count by both names, the real one first', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'real'));
    symlinkSync('real', join(dir, 'link'));
    const found = await spec(`{ command = 'x', paths = { link = '/work' } }`, { cwd: dir });
    expect(found.paths).toEqual([
      { here: join(dir, 'real'), there: '/work' },
      { here: join(dir, 'link'), there: '/work' },
    ]);
  });

  test('must be absolute there', async () => {
    expect(await fault(`{ command = 'x', paths = { ['/a'] = 'work' } }`)).toBe(
      'agents.mine.paths: expected an absolute path for /a, got "work"',
    );
  });
});

test('a version of the protocol that can’t be spoken is named', async () => {
  const [, , faults] = await resolve(`{ command = 'x', protocol = 2 }`);
  expect(faults).toEqual(['option agents.mine.protocol: expected one of 1, got 2']);
  expect(await spec(`{ command = 'x', protocol = 1 }`)).toMatchObject({ command: 'x' });
});

test('the demo agent takes options, too', async () => {
  const found = await spec(`{ env = { A = 'b' }, wrap = { 'in' } }`, { name: 'demo' });
  expect(found).toMatchObject({ command: 'node', env: { A: 'b' }, wrap: ['in'] });
});
