import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// One CommonJS file: Neovim's node host loads remote plugins with require(), and a plugin manager
// that builds once should leave nothing to resolve at run time.
export default defineConfig({
  entry: { index: 'src/index.ts' },
  outDir: 'rplugin/node/acp',
  format: ['cjs'],
  target: 'node20',
  platform: 'node',
  clean: false,
  splitting: false,
  minify: true,
  noExternal: [/.*/],
  esbuildOptions(options) {
    // The package `neovim` loads winston to make a logger; we pass our own, so it is never called.
    options.alias = { winston: './scripts/no-winston.js' };
  },
  define: { __VERSION__: JSON.stringify(version) },
  outExtension: () => ({ js: '.js' }),
});
