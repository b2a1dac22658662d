import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentSpec } from '../../src/nvim/protocol';
import { startNvim, tempDir } from '../harness';
import type { Nvim } from '../harness';

/** A Neovim whose PATH holds exactly these programs. */
async function withPrograms(...names: string[]): Promise<Nvim> {
  const dir = tempDir();
  for (const name of names) {
    writeFileSync(join(dir, name), '#!/bin/sh\n');
    chmodSync(join(dir, name), 0o755);
  }
  const nvim = await startNvim();
  await nvim.lua(`vim.env.PATH = ...`, dir);
  return nvim;
}

async function resolve(options: string, name: string, ...programs: string[]) {
  const nvim = await withPrograms(...programs);
  await nvim.lua(`require('acp.config').setup({ agents = ${options} })`);
  return nvim.lua<[AgentSpec | null, string | null]>(
    `local spec, err = require('acp.agents').resolve(...) return { spec or vim.NIL, err or vim.NIL }`,
    name,
  );
}

describe('resolve()', () => {
  test('knows agents that are not configured', async () => {
    const [spec] = await resolve('{}', 'gemini');
    expect(spec).toEqual({
      name: 'gemini',
      title: 'Gemini CLI',
      command: 'gemini',
      args: ['--acp'],
      install: 'npm install -g @google/gemini-cli',
    });
  });

  test('knows them by their program too, and by its older name', async () => {
    expect((await resolve('{}', 'codex-acp'))[0]).toMatchObject({ name: 'codex' });
    expect((await resolve('{}', 'claude-code-acp'))[0]).toMatchObject({ name: 'claude' });
  });

  test('takes the older program where only that is installed', async () => {
    expect((await resolve('{}', 'claude', 'claude-code-acp'))[0]?.command).toBe('claude-code-acp');
    expect((await resolve('{}', 'claude', 'claude-code-acp', 'claude-agent-acp'))[0]?.command).toBe(
      'claude-agent-acp',
    );
  });

  test('lays the configuration over what is known', async () => {
    const [spec] = await resolve(
      `{ gemini = { title = 'G', env = { GEMINI_MODEL = 'flash' }, roots = { '/srv/lib/' } } }`,
      'gemini',
    );
    expect(spec).toEqual({
      name: 'gemini',
      title: 'G',
      command: 'gemini',
      args: ['--acp'],
      env: { GEMINI_MODEL: 'flash' },
      roots: ['/srv/lib'],
      install: 'npm install -g @google/gemini-cli',
    });
  });

  test('takes a command with arguments, a list, or both', async () => {
    const [one] = await resolve(`{ mine = { command = 'x', args = { '--acp' } } }`, 'mine');
    const [two] = await resolve(`{ mine = { command = { 'x', '-a' }, args = { '-b' } } }`, 'mine');
    expect(one).toEqual({ name: 'mine', command: 'x', args: ['--acp'] });
    expect(two).toEqual({ name: 'mine', command: 'x', args: ['-a', '-b'] });
  });

  test('takes roots as names of folders: no wildcards, no commands', async () => {
    const [spec] = await resolve(
      "{ mine = { command = 'x', roots = { '/srv/`echo a`/', '/[e]tc', '/a%b', '$HOME/c' } } }",
      'mine',
    );
    expect(spec?.roots?.slice(0, 3)).toEqual(['/srv/`echo a`', '/[e]tc', '/a%b']);
    expect(spec?.roots?.[3]).toMatch(/^\/.*\/c$/);
  });

  test('expands the home folder in a command and in roots', async () => {
    const [spec] = await resolve(`{ mine = { command = '~/bin/x', roots = { '~/lib' } } }`, 'mine');
    expect(spec?.command).toMatch(/^\/.*\/bin\/x$/);
    expect(spec?.roots?.[0]).toMatch(/^\/.*\/lib$/);
  });

  test('a command line in place of a program is refused with what to write', async () => {
    const [spec, err] = await resolve(`{ mine = { command = 'x --acp' } }`, 'mine', 'x');
    expect(spec).toBeNull();
    expect(err).toContain('write command = { "x", "--acp" }');
  });

  test('a name that is neither configured nor known is named', async () => {
    expect(await resolve('{}', 'frob')).toEqual([null, expect.stringContaining('no agent "frob"')]);
    const [spec, err] = await resolve(`{ mine = {} }`, 'mine');
    expect(spec).toBeNull();
    expect(err).toContain('agents.mine.command is missing');
  });

  test('the demo agent is always there', async () => {
    const [spec] = await resolve('{}', 'demo');
    expect(spec).toMatchObject({ name: 'demo', command: 'node' });
    expect(spec?.args).toEqual([
      expect.stringMatching(/\/rplugin\/node\/acp\/index\.js$/),
      'demo-agent',
    ]);
  });
});

describe('pick()', () => {
  /** What `vim.ui.select` was given, and what came of choosing the item `choice` (0: none). */
  async function pick(nvim: Nvim, agents: string, choice: number) {
    await nvim.lua(`require('acp.config').setup({ agents = ${agents} })`);
    return nvim.lua<{ labels?: string[]; prompt?: string; name?: string }>(
      `local seen = vim.empty_dict()
      vim.ui.select = function(items, opts, on_choice)
        seen.labels = vim.tbl_map(opts.format_item, items)
        seen.prompt = opts.prompt
        on_choice(items[${choice}], ${choice})
      end
      require('acp.agents').pick(function(spec) seen.name = spec and spec.name end)
      return seen`,
    );
  }

  test('offers what is installed, the demo agent, and how to get more', async () => {
    const nvim = await withPrograms('opencode', 'claude-code-acp');
    const { labels, name } = await pick(nvim, '{}', 1);
    expect(labels).toEqual([
      'Claude Code: claude-code-acp',
      'opencode: opencode acp',
      'demo: an agent without a model, to look around',
      'Install another agent …',
    ]);
    expect(name).toBe('claude');
  });

  test('knows how each of the known agents is started', async () => {
    const started = [
      'claude-agent-acp',
      'codex-acp',
      'gemini --acp',
      'opencode acp',
      'nanocoder --acp',
      'qwen --acp',
      'copilot --acp',
      'goose acp',
      'auggie --acp',
      'kimi acp',
      'cline --acp',
      'pi-acp',
      'cursor-agent acp',
    ];
    const nvim = await withPrograms(...started.map((command) => command.split(' ')[0]!));
    const { labels } = await pick(nvim, '{}', 0);
    expect(labels?.map((label) => label.replace(/^.*: /, '')).slice(0, -2)).toEqual(started);
    expect(labels?.at(-2)).toMatch(/^demo: /);
  });

  test('says so when nothing is installed', async () => {
    const { labels, prompt } = await pick(await withPrograms(), '{}', 0);
    expect(labels).toHaveLength(2);
    expect(prompt).toBe('No agent found on PATH:');
  });

  test('takes the only agent that is configured without a question', async () => {
    expect(await pick(await withPrograms('gemini'), `{ mine = { command = 'x' } }`, 1)).toEqual({
      name: 'mine',
    });
  });

  test('asks which of several configured ones', async () => {
    const { labels, name } = await pick(
      await withPrograms('gemini'),
      `{ b = { command = 'x' }, a = { command = '/opt/y', args = { '--acp' }, title = 'Why' } }`,
      2,
    );
    expect(labels).toEqual([
      'Why: y --acp',
      'b: x',
      'demo: an agent without a model, to look around',
    ]);
    expect(name).toBe('b');
  });

  test('gives nothing when nothing is chosen', async () => {
    expect(await pick(await withPrograms(), '{}', 0)).not.toHaveProperty('name');
  });

  test('shows how to install the others, and chooses nothing', async () => {
    const nvim = await withPrograms('opencode');
    expect(await pick(nvim, '{}', 3)).not.toHaveProperty('name');
    await nvim.waitForScreen('npm install -g @agentclientprotocol/claude-agent-acp');
    expect(nvim.screen()).not.toContain('npm install -g opencode-ai');
  });
});

test('complete() gives configured, installed and the demo agent', async () => {
  const nvim = await withPrograms('gemini', 'goose', 'qwen');
  await nvim.lua(
    `require('acp.config').setup({ agents = { gizmo = { command = 'x' }, gemini = {} } })`,
  );
  const complete = (lead: string) =>
    nvim.lua<string[]>(`return require('acp.agents').complete(...)`, lead);
  expect(await complete('g')).toEqual(['gemini', 'gizmo', 'goose']);
  expect(await complete('d')).toEqual(['demo']);
  expect(await complete('')).toHaveLength(5);
});
