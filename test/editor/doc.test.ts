import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startNvim, tempDir } from '../harness';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

const help = read('doc/acp.txt');
/** Prose, without the code that stands between `>` and `<`. */
const prose = help.replace(/ >[a-z]*\n[^]*?\n</g, '\n');
const tags = sorted([...help.matchAll(/\*([^*\s]+)\*(?=\s)/g)].map((match) => match[1]!));

/** What the code has: asked of it once. */
interface Code {
  options: string[];
  commands: string[];
  plugs: string[];
  groups: string[];
  functions: string[];
  tags: string[];
}

let code: Code;
beforeAll(async () => {
  const nvim = await startNvim();
  code = await nvim.lua<Code>(`
    local options = {}
    require('acp.config.validate').walk(require('acp.config.schema'), function(path)
      table.insert(options, path)
    end)
    local plugs = {}
    for _, mode in ipairs({ 'n', 'x' }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        if map.lhs:find('^<Plug>%(acp') then table.insert(plugs, map.lhs) end
      end
    end
    require('acp.highlight').define()
    local tags = {}
    for _, file in ipairs(vim.api.nvim_get_runtime_file('doc/tags', true)) do
      for line in io.lines(file) do table.insert(tags, line:match('^[^\\t]+')) end
    end
    return {
      options = options,
      commands = vim.tbl_filter(function(name) return vim.startswith(name, 'Acp') end,
        vim.tbl_keys(vim.api.nvim_get_commands({}))),
      plugs = plugs,
      groups = vim.fn.getcompletion('Acp', 'highlight'),
      functions = vim.tbl_keys(require('acp')),
      tags = tags,
    }`);
});

const tagged = (pattern: RegExp): string[] =>
  sorted(tags.flatMap((tag) => pattern.exec(tag)?.[1] ?? []));

describe('the help', () => {
  test('has the parts that the code knows; if not, run nvim --clean -l scripts/help.lua', async () => {
    const nvim = await startNvim();
    const updated = await nvim.lua<string>(
      `local help = dofile(...) return help.update(help.read())`,
      join(ROOT, 'scripts/help.lua'),
    );
    expect(help).toBe(updated);
  });

  test('has an entry for each option, and for nothing else', () => {
    const entries = code.options.filter((path) => !/^keymaps\.\w+\./.test(path));
    expect(tagged(/^acp-option-(?!s-)(.*)$/)).toEqual(
      sorted(entries.map((path) => path.replace('NAME.', ''))),
    );
    for (const path of code.options) {
      const key = /^keymaps\.\w+\.(\w+)$/.exec(path)?.[1];
      if (key) expect(help).toMatch(new RegExp(`^  ${key} +\\S`, 'm'));
    }
  });

  test('has an entry for each command, and for nothing else', () => {
    expect(tagged(/^:(Acp\w+)$/)).toEqual(sorted(code.commands));
  });

  test('has an entry for each <Plug> map, and for nothing else', () => {
    expect(tagged(/^(<Plug>.*)$/)).toEqual(sorted(code.plugs));
  });

  test('has an entry for each public function, and for nothing else', () => {
    expect(tagged(/^acp\.(\w+)\(\)$/)).toEqual(sorted(code.functions));
  });

  test('names each highlight group', () => {
    const missing = code.groups.filter(
      (group) => !group.startsWith('AcpAnsi') && !new RegExp(`^${group} +\\S+$`, 'm').test(help),
    );
    expect(missing).toEqual([]);
  });

  test('refers only to tags that there are', () => {
    const known = new Set([...tags, ...code.tags]);
    const referred = [...prose.matchAll(/\|([^|\s]+)\|/g)].map((match) => match[1]!);
    expect(referred.length).toBeGreaterThan(30);
    expect(referred.filter((tag) => !known.has(tag))).toEqual([]);
  });

  test('names only commands that there are', () => {
    const named = [...help.matchAll(/:(Acp\w+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !code.commands.includes(name))).toEqual([]);
  });

  test('goes through :helptags and fits on 78 columns', async () => {
    const dir = tempDir();
    copyFileSync(join(ROOT, 'doc/acp.txt'), join(dir, 'acp.txt'));
    const nvim = await startNvim();
    await nvim.command(`helptags ${dir}`);
    expect(readFileSync(join(dir, 'tags'), 'utf8').split('\n').length).toBe(tags.length + 1);
    expect(help.split('\n').filter((line) => [...line].length > 78)).toEqual([]);
  });
});

describe('the README', () => {
  const readme = read('README.md');

  test('names each command, and none that there is not', () => {
    const named = [...readme.matchAll(/:(Acp\w+)/g)].map((match) => match[1]!);
    expect(sorted(named)).toEqual(sorted(code.commands));
  });

  test('shows options as they are by default', async () => {
    const block = /```lua\n-- The defaults\n([^]*?)```/.exec(readme)?.[1];
    const nvim = await startNvim();
    const [shown, real] = await nvim.lua<[unknown, unknown]>(
      `vim.notify = function() end
      local config = require('acp.config')
      local real = vim.deepcopy(config.get())
      local shown
      package.loaded.acp = { setup = function(options) shown = options end }
      assert(loadstring(...))()
      config.setup(shown)
      assert(#config.faults() == 0, table.concat(config.faults(), '\\n'))
      return { config.get(), real }`,
      block,
    );
    expect(shown).toEqual(real);
  });

  test('names each agent that is known', async () => {
    const nvim = await startNvim();
    const known = await nvim.lua<{ name: string; install?: string }[]>(
      `return require('acp.agents').known()`,
    );
    for (const { name, install } of known) {
      expect(readme).toContain(`\`${name}\``);
      // A bar in a table is escaped.
      if (install) expect(readme).toContain(install.replaceAll('|', '\\|'));
    }
  });
});

describe('the code', () => {
  test('uses only highlight groups that are defined', () => {
    const files = (dir: string): string[] =>
      readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|lua)$/.test(name))
        .map((name) => join(dir, name));
    const used = [...files('src/render'), ...files('lua/acp')].flatMap((path) =>
      // Names that are put together end in a quote at once, and are no whole group.
      [...read(path).matchAll(/['"#](Acp[A-Z]\w*[a-z])['"#]/g)].map((match) => match[1]!),
    );
    const known = [
      ...code.groups,
      ...code.commands,
      ...['AcpAttention', 'AcpFileChanged', 'AcpPermissionAsk', 'AcpTurnEnd', 'AcpTurnStart'],
      'AcpAnsi',
      'AcpAnsiBright',
    ];
    expect(used.length).toBeGreaterThan(50);
    expect(sorted(used.filter((name) => !known.includes(name)))).toEqual([]);
  });

  test('has the options in its Lua types', () => {
    const types = read('lua/acp/types/options.lua');
    const fields = (name: string): string[] => {
      const block = new RegExp(`@class \\(exact\\) acp\\.${name}\\n((?:--- @field .*\\n)*)`).exec(
        types,
      );
      return [...block![1]!.matchAll(/@field (\w+)/g)].map((match) => match[1]!).sort();
    };
    const below = (prefix: string): string[] =>
      sorted(
        code.options
          .filter((path) => path.startsWith(prefix))
          .map((path) => path.slice(prefix.length).split('.')[0]!),
      );
    for (const kind of ['Config', 'Options']) {
      expect(fields(kind)).toEqual(below(''));
      for (const group of ['Layout', 'Permission', 'Transcript', 'Log', 'Keymaps'])
        expect(fields(`${kind}.${group}`)).toEqual(below(`${group.toLowerCase()}.`));
    }
    expect(fields('AgentConfig')).toEqual(below('agents.NAME.'));
  });
});
