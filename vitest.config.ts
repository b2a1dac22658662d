import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Inside of Neovim, `$NVIM` is the address of a socket, so what counts is a program. */
function isProgram(path: string | undefined): path is string {
  if (!path) return false;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function onPath(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v nvim'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** `$NVIM` alone where it is set; else each supported version that `scripts/nvim` has found or fetched. */
function editors(): { name: string; nvim: string }[] {
  const { NVIM, NVIM_0_10, NVIM_0_12 } = process.env;
  if (isProgram(NVIM)) return [{ name: 'nvim', nvim: NVIM }];
  const supported = [
    { name: 'nvim-0.10', nvim: NVIM_0_10 ?? resolve('.cache/nvim/0.10/bin/nvim') },
    { name: 'nvim-0.12', nvim: NVIM_0_12 ?? resolve('.cache/nvim/0.12/bin/nvim') },
  ].filter(({ nvim }) => isProgram(nvim));
  const other = onPath();
  return supported.length > 0 || !other ? supported : [{ name: 'nvim', nvim: other }];
}

/** In CI, where others share the machine, a test that was too slow for once may try again; by hand it may not. */
const timeouts = { testTimeout: 20_000, hookTimeout: 20_000, retry: process.env.CI ? 1 : 0 };

export default defineConfig({
  test: {
    maxWorkers: Math.max(2, Math.min(4, availableParallelism())),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,protocol}/**/*.test.ts', 'test/harness/*agent.test.ts'],
          ...timeouts,
        },
      },
      ...editors().map(({ name, nvim }) => ({
        test: {
          name,
          include: ['test/{editor,e2e}/**/*.test.ts', 'test/harness/nvim.test.ts'],
          env: { NVIM: nvim },
          ...timeouts,
        },
      })),
    ],
  },
});
