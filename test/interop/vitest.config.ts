import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Apart from `make test`: these need agents that take gigabytes. A step needs those before it. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    bail: 1,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
