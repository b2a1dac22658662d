import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['bench/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    reporters: ['default'],
  },
});
