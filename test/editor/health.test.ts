import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedAgent, startNvim, tempDir } from '../harness';
import type { Nvim } from '../harness';

async function report(setup: string, ...args: unknown[]): Promise<string> {
  const nvim = await startNvim();
  return check(nvim, setup, ...args);
}

/** What `:checkhealth acp` says, without the signs that newer versions put before a line. */
async function check(nvim: Nvim, setup: string, ...args: unknown[]): Promise<string> {
  await nvim.lua(`vim.notify = function() end ${setup}`, ...args);
  await nvim.command('silent checkhealth acp');
  const lines = await nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
  return lines.join('\n').replace(/(?:✅|⚠️|❌) /gu, '');
}

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

test('all is well without any configuration', async () => {
  const text = await report('');
  expect(text).toMatch(/OK Neovim \d+\.\d+/);
  expect(text).toMatch(/OK Node\.js v\d+/);
  expect(text).toContain(`OK sidecar ${version} (`);
  expect(text).toContain('OK no other plugin ships a Lua module `acp`');
  expect(text).toMatch(/OK demo: Demo agent \S+, protocol 1/);
  expect(text).toMatch(/log: .*acp\.log, nothing in it/);
  expect(text).toContain('wire log: none yet');
  expect(text).not.toMatch(/ERROR|WARNING/);
});

test('the Lua side has the version of the package', async () => {
  const nvim = await startNvim();
  expect(await nvim.lua(`return require('acp.version')`)).toBe(version);
});

test('a bundle of another version is an error that says what to do', async () => {
  const text = await report(`package.loaded['acp.version'] = '9.9.9'`);
  expect(text).toContain(`ERROR sidecar: ${version}, but the plugin is 9.9.9`);
  expect(text).toContain('Run `make` in ');
});

test('a bundle that is not built is an error that says what to do', async () => {
  const text = await report(
    `require('acp.sidecar').bundle = function() return '/nowhere/index.js' end`,
  );
  expect(text).toContain('ERROR sidecar: not built');
  expect(text).toContain('Run `make` in ');
});

test('a Node.js that is missing or too old is an error', async () => {
  const none = await report(`require('acp').setup({ node = 'no-such-node' })`);
  expect(none).toContain('ERROR Node.js: there is no program `no-such-node`');

  const node = join(tempDir(), 'node');
  writeFileSync(node, '#!/bin/sh\necho v18.20.0\n');
  chmodSync(node, 0o755);
  const old = await report(`require('acp').setup({ node = ... })`, node);
  expect(old).toContain('ERROR Node.js v18.20.0 is too old');
});

test('another plugin with the same module name is named', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'lua/acp'), { recursive: true });
  writeFileSync(join(root, 'lua/acp/init.lua'), 'return {}');
  const text = await report(`vim.opt.runtimepath:append(...)`, root);
  expect(text).toContain('WARNING several plugins ship a Lua module `acp`: ');
  expect(text).toContain(root);
});

test('wrong options are named', async () => {
  const text = await report(`require('acp').setup({ agnet = 'x' })`);
  expect(text).toContain('WARNING option agnet: unknown, did you mean agent?');
});

test('each configured agent is tried', async () => {
  const { command, args } = scriptedAgent([
    { expect: 'initialize' },
    {
      reply: {
        protocolVersion: 1,
        agentInfo: { name: 'helper', title: 'The Helper', version: '3.2.1' },
        authMethods: [{ id: 'key', name: 'API key' }],
      },
    },
  ]);
  const text = await report(`require('acp').setup({ agents = { helper = ... } })`, {
    command,
    args,
  });
  expect(text).toContain('OK helper: The Helper 3.2.1, protocol 1 (');
  expect(text).toContain('; logs in by API key');
});

test('an agent whose program is missing is an error with the command that installs it', async () => {
  const text = await report(
    `vim.env.PATH = vim.fs.dirname(vim.fn.exepath('node')) .. '/nothing'
    require('acp').setup({ node = ..., agents = { qwen = {}, mine = { command = 'mine-acp' } } })`,
    process.execPath,
  );
  expect(text).toContain('ERROR qwen: there is no program `qwen`');
  expect(text).toContain('Install it: npm install -g @qwen-code/qwen-code');
  expect(text).toContain('ERROR mine: there is no program `mine-acp`');
});

test('an agent that ends at once is an error with its last words', async () => {
  const text = await report(
    `require('acp').setup({ agents = { broken = { command = { 'sh', '-c', ... } } } })`,
    'echo no provider configured >&2; exit 3',
  );
  expect(text).toContain('ERROR broken: exited with code 3');
  expect(text).toContain('no provider configured');
});

test('an agent that speaks no ACP is an error with what it said', async () => {
  const text = await report(
    `require('acp').setup({ agents = { chatty = { command = 'sh', args = { '-c', ... } } } })`,
    `printf '\\033[1mWelcome!\\n'; read -r line; echo bye; exit 0`,
  );
  expect(text).toContain('ERROR chatty: exited with code 0');
  expect(text).toContain('It said, which is no ACP: ^[[1mWelcome!');
  expect(text).toContain('Many agents speak ACP only with an argument');
});

test('the wire logs are counted', async () => {
  const nvim = await startNvim();
  const state = await nvim.lua<string>(`return vim.fn.stdpath('state')`);
  const wire = join(state, 'acp/wire');
  mkdirSync(wire, { recursive: true });
  writeFileSync(join(wire, '20260101-000000-a-1.jsonl'), 'x'.repeat(1024 * 1024));
  writeFileSync(join(wire, '20260101-000000-a-1.older.jsonl'), 'x'.repeat(1024 * 1024));
  const text = await check(nvim, '');
  expect(text).toContain(`wire logs: 1, 2.0 MiB; the newest: ${wire}/20260101-000000-a-1.jsonl`);
  const off = await check(nvim, `require('acp').setup({ log = { wire = false } })`);
  expect(off).toContain('wire log: off (option `log.wire`)');
});

test('an agent that lives elsewhere is tried there; how, and what it is not told, is said', async () => {
  const text = await report(
    `require('acp').setup({ agents = { demo = {
      cwd = '/',
      wrap = { 'sh', '-c', 'exec "$@"', 'sh' },
      paths = { ['/home/me/p'] = '/work' },
      capabilities = { fs = { write = false } },
      meta = { client = { terminal_output = false }, session = { a = 1, b = 2 } },
    } } })`,
  );
  expect(text).toMatch(/OK demo: Demo agent \S+, protocol 1 \(\S*sh\)/);
  for (const line of [
    'demo: runs in /',
    'demo: `node` is reached by `sh -c exec "$@" sh`',
    'demo: /home/me/p is /work to it',
    'demo: is not told of: fs.writeTextFile, terminal',
    'demo: keys of vendors, client: terminal_output',
    'demo: keys of vendors, session: a, b',
  ]) {
    expect(text).toContain(line);
  }
});

test('what leads to an agent, and is missing, is named with its option', async () => {
  const text = await report(
    `require('acp').setup({ agents = { demo = { wrap = { 'no-such-docker', 'exec' } } } })`,
  );
  expect(text).toContain('ERROR demo: there is no program `no-such-docker`');
  expect(text).toContain('`agents.demo.wrap`');
});

test('an agent that is missing where it is looked for is told with what was started', async () => {
  const text = await report(
    `require('acp').setup({ agents = { x = { command = 'no-such', wrap = { 'env' } } } })`,
  );
  expect(text).toContain('ERROR x: exited with code 127');
  expect(text).toMatch(/Started: \S*env no-such/);
});
