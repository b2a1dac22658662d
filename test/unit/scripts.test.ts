import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../harness';

const ROOT = resolve(import.meta.dirname, '../..');

function program(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const nvim = (path: string, version: string) => program(path, `echo NVIM v${version}`);

/** `scripts/nvim` in a checkout and with a PATH of its own, where fetching makes what was asked for, or fails. */
function checkout({ online = true } = {}) {
  const root = tempDir();
  const bin = join(root, 'path');
  mkdirSync(join(root, 'scripts'));
  mkdirSync(bin);
  for (const tool of ['bash', 'chmod', 'dirname', 'env', 'mkdir', 'sed', 'sh']) {
    const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
    symlinkSync(found.trim(), join(bin, tool));
  }
  cpSync(join(ROOT, 'scripts/nvim'), join(root, 'scripts/nvim'));
  const fetched = `mkdir -p "$2/root/usr/bin"
    case $1 in forky) version=0.12.4 ;; *) version=0.10.4 ;; esac
    printf '#!/bin/sh\\necho NVIM v%s\\n' $version >"$2/root/usr/bin/nvim"
    chmod +x "$2/root/usr/bin/nvim"`;
  program(join(root, 'scripts/debian'), online ? fetched : 'exit 1');
  const run = (what: 'run' | 'test', env: Record<string, string> = {}) => {
    const { stdout, stderr, status } = spawnSync(join(root, 'scripts/nvim'), [what], {
      encoding: 'utf8',
      env: { PATH: bin, HOME: root, ...env },
    });
    return { found: stdout.trim().replaceAll(root, ''), stderr, status };
  };
  return { root, bin, run };
}

describe('the Neovim of make demo', () => {
  test('is $NVIM where that is one', () => {
    const { root, bin, run } = checkout();
    nvim(join(bin, 'nvim'), '0.12.4');
    const mine = nvim(join(root, 'mine'), '0.11.0');
    expect(run('run', { NVIM: mine })).toMatchObject({ found: '/mine', status: 0 });
  });

  test('is the one on PATH where $NVIM is none, as inside of Neovim, where it is a socket', () => {
    const { bin, run } = checkout();
    nvim(join(bin, 'nvim'), '0.10.0');
    expect(run('run').found).toBe('/path/nvim');
    expect(run('run', { NVIM: '/run/user/1000/nvim.1.0' }).found).toBe('/path/nvim');
  });

  test('is fetched where the one on PATH is older than 0.10, or missing', () => {
    const { bin, run } = checkout();
    expect(run('run').found).toBe('/.cache/nvim/0.12/bin/nvim');
    nvim(join(bin, 'nvim'), '0.9.5');
    expect(run('run').found).toBe('/.cache/nvim/0.12/bin/nvim');
  });

  test('is asked for plainly where it cannot be fetched', () => {
    const { run } = checkout({ online: false });
    const { stderr, status } = run('run');
    expect(status).not.toBe(0);
    expect(stderr).toContain('install Neovim 0.10 or newer');
  });
});

describe('the Neovims of make test', () => {
  test('are 0.10 and 0.12, fetched where they are missing', () => {
    const { bin, run } = checkout();
    nvim(join(bin, 'nvim'), '0.12.1');
    expect(run('test').found.split('\n')).toEqual([
      'NVIM_0_10=/.cache/nvim/0.10/bin/nvim',
      'NVIM_0_12=/path/nvim',
    ]);
  });

  test('are those of $NVIM and of $NVIM_0_10, $NVIM_0_12 where they are named', () => {
    const { root, run } = checkout({ online: false });
    const old = nvim(join(root, 'old'), '0.10.4');
    const now = nvim(join(root, 'new'), '0.12.4');
    expect(run('test', { NVIM: now, NVIM_0_10: old }).found.split('\n')).toEqual([
      'NVIM_0_10=/old',
      'NVIM_0_12=/new',
    ]);
    expect(run('test', { NVIM_0_10: now }).status).not.toBe(0);
  });

  test('may be one where the other cannot be had, but not in CI', () => {
    const { root, run } = checkout({ online: false });
    const NVIM_0_10 = nvim(join(root, 'old'), '0.10.4');
    const alone = run('test', { NVIM_0_10 });
    expect(alone).toMatchObject({ found: 'NVIM_0_10=/old', status: 0 });
    expect(alone.stderr).toContain('alone');
    expect(run('test', { NVIM_0_10, CI: 'true' }).status).not.toBe(0);
  });
});

describe('a checkout', () => {
  test('is MIT, and one bundle without packages at run time', () => {
    expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
    const { license, dependencies } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    ) as { license: string; dependencies?: object };
    expect([license, dependencies]).toEqual(['MIT', undefined]);
  });

  test('is built by npm ci and tsup alone, also for make demo and make test', () => {
    for (const target of ['build', 'demo', 'test']) {
      const plan = execFileSync('make', ['--dry-run', '--always-make', target], {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' },
      });
      expect(plan).toMatch(/^npm ci .*\n(?:.*\n)?npx --no-install tsup/m);
      expect(plan).not.toMatch(/-g\b|--global|UpdateRemotePlugins/);
    }
  });

  test('keeps what is built and fetched out of Git', () => {
    const built = ['rplugin/node/acp/index.js', 'node_modules/x', '.cache/nvim/0.12/bin/nvim'];
    const cwd = tempDir();
    execFileSync('git', ['init', '--quiet'], { cwd });
    cpSync(join(ROOT, '.gitignore'), join(cwd, '.gitignore'));
    const ignored = execFileSync('git', ['check-ignore', ...built], { cwd, encoding: 'utf8' });
    expect(ignored.trim().split('\n')).toEqual(built);
  });
});

describe('make test', () => {
  /** A checkout whose only test passes or fails. */
  function run(passes: boolean) {
    const root = tempDir();
    mkdirSync(join(root, 'scripts'));
    cpSync(join(ROOT, 'scripts/test.js'), join(root, 'scripts/test.js'));
    program(join(root, 'scripts/nvim'), 'true');
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'package.json'), '{"type":"module"}');
    writeFileSync(join(root, 'vitest.config.js'), 'export default {}');
    writeFileSync(
      join(root, 'a.test.js'),
      `import { expect, it } from 'vitest'; it('x', () => expect(${passes}).toBe(true));`,
    );
    const { stdout, status } = spawnSync(process.execPath, ['scripts/test.js'], {
      cwd: root,
      encoding: 'utf8',
    });
    return { last: stdout.trimEnd().split('\n').at(-1), status };
  }

  test('ends with one plain line, and with an error when a test fails', () => {
    expect(run(true)).toEqual({ last: '1 passed, 0 failed', status: 0 });
    expect(run(false)).toEqual({ last: '0 passed, 1 failed', status: 1 });
  });
});
