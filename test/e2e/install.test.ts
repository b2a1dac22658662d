import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, nvimVersion, scriptedAgent, startNvim, tempDir } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle } from './e2e';

const ROOT = resolve(import.meta.dirname, '../..');
const DEMO = { env: { ACP_DEMO_PACE: '0' } };

/** What a plugin manager puts on disk, in a folder of its own. */
function installed(where: string): string {
  const target = join(where, 'acp-sidecar.nvim');
  mkdirSync(target, { recursive: true });
  for (const part of ['plugin', 'lua', 'rplugin', 'doc']) {
    cpSync(join(ROOT, part), join(target, part), { recursive: true });
  }
  return target;
}

/** Commands that mean nothing without an argument. */
const WHOLE: Record<string, string> = { AcpAsk: 'AcpAsk why', AcpAddDir: 'AcpAddDir .' };

/** The code that stands in the README under `**title**`. */
function snippet(title: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, code] = readme.slice(readme.indexOf(`**${title}**`)).split(/^```(?:lua)?$/m);
  return code!.trim();
}

describe('installation', () => {
  it('loads nothing but plugin/acp.lua and starts nothing before the first command', async () => {
    const nvim = await startNvim();
    const loaded = `return vim.iter(vim.tbl_keys(package.loaded)):filter(function(name)
      return name == 'acp' or vim.startswith(name, 'acp.')
    end):totable()`;
    expect(await nvim.lua(loaded)).toEqual([]);
    const channels = await nvim.lua('return #vim.api.nvim_list_chans()');
    await nvim.lua(`require('acp').setup({ agent = 'demo' })`);
    expect(await nvim.lua('return #vim.api.nvim_list_chans()')).toBe(channels);
    expect(await nvim.lua<string[]>(loaded)).not.toContain('acp.sidecar');
  });

  it('lets every command be the first one', async () => {
    const { commands } = await startNvim().then((nvim) =>
      nvim.lua<{ commands: string[] }>(
        `return { commands = vim.tbl_keys(require('acp.command').commands) }`,
      ),
    );
    expect(commands.length).toBeGreaterThan(5);
    // Nobody is there to choose.
    const init = `vim.g.acp = { agent = 'demo' }
      vim.ui.select = function(_, _, done) done(nil) end
      vim.ui.input = function(_, done) done(nil) end`;
    for (const command of commands) {
      const nvim = await startNvim({ init });
      await nvim.command(WHOLE[command] ?? command);
      expect(await nvim.messages(), command).not.toMatch(/E\d+:|Error|traceback/);
      await nvim.close();
    }
  }, 60_000);

  it('works with packadd, without setup()', async () => {
    const packages = tempDir();
    installed(join(packages, 'pack/test/opt'));
    const nvim = await startNvim({
      ...DEMO,
      init: `vim.o.swapfile = false
        vim.opt.runtimepath:remove(${JSON.stringify(ROOT)})
        vim.opt.packpath:prepend(${JSON.stringify(packages)})
        vim.cmd.packadd('acp-sidecar.nvim')`,
    });
    await nvim.input(':AcpChat agent=demo hi<CR>');
    await idle(nvim);
    const source = `return debug.getinfo(require('acp.chat').open, 'S').source`;
    expect(await nvim.lua(source)).toContain(packages);
  });

  it('works as lazy.nvim does it with the spec of the README: sources its plugin files, finds its one module, calls setup(opts)', async () => {
    const target = installed(tempDir());
    const agent = scriptedAgent([
      { expect: 'session/prompt' },
      chunk('nanocoder speaking'),
      { reply: { stopReason: 'end_turn' } },
    ]);
    const bin = tempDir();
    const words = [agent.command, ...agent.args].map((word) => `'${word}'`).join(' ');
    const started = `#!/bin/sh\n[ "$*" = --acp ] && exec ${words}\n`;
    writeFileSync(join(bin, 'nanocoder'), started);
    chmodSync(join(bin, 'nanocoder'), 0o755);
    const nvim = await startNvim({
      env: { PATH: `${bin}:${process.env.PATH}` },
      init: `vim.o.swapfile = false
        vim.go.loadplugins = false
        vim.opt.runtimepath:remove(${JSON.stringify(ROOT)})
        vim.opt.runtimepath:prepend(${JSON.stringify(target)})
        vim.cmd.source(${JSON.stringify(join(target, 'plugin/acp.lua'))})
        -- A plugin with more than one module, none of which has its name, would need \`main\` in the spec.
        local modules = vim.loader.find('*', { all = true, rtp = false, paths = { ${JSON.stringify(target)} } })
        assert(#modules == 1)
        require(modules[1].modname).setup((${snippet('lazy.nvim')}).opts)`,
    });
    await nvim.input(':AcpChat hi<CR>');
    await nvim.waitForScreen('nanocoder speaking');
    await idle(nvim);
  });

  if (nvimVersion() === '0.12') {
    it('works with vim.pack, which builds it, as the README says', async () => {
      const repository = installed(tempDir());
      const bundle = 'rplugin/node/acp/index.js';
      writeFileSync(join(repository, '.gitignore'), bundle);
      writeFileSync(
        join(repository, 'Makefile'),
        `build:\n\tcp '${join(ROOT, bundle)}' ${bundle}\n`,
      );
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
          cwd: repository,
        });
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message', 'x');
      const nvim = await startNvim({
        ...DEMO,
        // `--clean` leaves the user's own folder out of 'packpath'.
        init: `vim.o.swapfile = false
          vim.opt.runtimepath:remove(${JSON.stringify(ROOT)})
          vim.opt.packpath:prepend(vim.fn.stdpath('data') .. '/site')`,
      });
      const url = 'https://github.com/OWNER/acp-sidecar.nvim';
      const added = nvim.lua(snippet('vim.pack').replace(url, `file://${repository}`));
      await nvim.waitForScreen(/\[?Y\]?es/, { timeout: 15_000 });
      await nvim.input('y');
      await added;
      await nvim.input(':AcpChat agent=demo hi<CR>');
      await idle(nvim);
      await nvim.waitForScreen('demo agent');
    });
  }

  it('says what to do when the sidecar is not built, and keeps the prompt', async () => {
    const target = installed(tempDir());
    const bundle = join(target, 'rplugin/node/acp');
    expect(readdirSync(bundle)).toContain('index.js');
    const nvim = await startNvim({
      columns: 250,
      init: `vim.o.swapfile = false
        vim.opt.runtimepath:remove(${JSON.stringify(ROOT)})
        vim.opt.runtimepath:prepend(${JSON.stringify(target)})
        vim.fn.delete(${JSON.stringify(join(bundle, 'index.js'))})`,
    });
    await nvim.command('AcpChat agent=demo precious');
    await eventually(async () => expect(await nvim.messages()).toContain('run `make`'));
    const prompt = `return vim.api.nvim_buf_get_lines(require('acp.chat').get('s1').prompt_buf, 0, -1, false)`;
    expect(await nvim.lua(prompt)).toEqual(['precious']);
  });
});

describe('the bundle as a remote plugin', () => {
  it('is loaded by Neovim’s own node host and serves the same chat', async () => {
    const host = createRequire(import.meta.url).resolve('neovim/bin/cli.js');
    const nvim = await startNvim({
      ...DEMO,
      init: `vim.o.swapfile = false
        vim.g.node_host_prog = ${JSON.stringify(host)}`,
    });
    // What :UpdateRemotePlugins writes, for this one plugin.
    await nvim.lua(
      `vim.fn['remote#host#RegisterPlugin']('node', ..., {
        { type = 'function', name = 'AcpSidecarConnect', sync = true, opts = vim.empty_dict() },
      })`,
      join(ROOT, 'rplugin/node/acp'),
    );
    await nvim.lua(`require('acp.sidecar').connect_remote()`);
    await nvim.input(':AcpChat agent=demo hi<CR>');
    await idle(nvim);
    await nvim.waitForScreen('demo agent');
    expect(await nvim.lua(`return require('acp.sidecar').pid() == nil`)).toBe(true);
  });
});
