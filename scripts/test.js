// Runs all tests, or the files given, on both Neovims, and ends with one plain line: `N passed, N failed`.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import process from 'node:process';

const RESULT = '.cache/test.json';

/** `NAME=path` lines of `scripts/nvim`, for vitest.config.ts. */
function editors() {
  const lines = execFileSync('scripts/nvim', ['test'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  );
}

/** A file that could not be run at all counts as one failed test. */
function count() {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  if (!existsSync(RESULT)) return totals;
  for (const file of JSON.parse(readFileSync(RESULT, 'utf8')).testResults) {
    const states = file.assertionResults.map((test) => test.status);
    for (const state of states) totals[state in totals ? state : 'skipped'] += 1;
    if (file.status === 'failed' && !states.includes('failed')) totals.failed += 1;
  }
  return totals;
}

function finish({ passed, failed, skipped }) {
  process.stdout.write(
    `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
  );
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

mkdirSync('.cache', { recursive: true });
rmSync(RESULT, { force: true });
let env;
try {
  // $NVIM, which vitest.config.ts would take alone, is for running single files by hand.
  env = { ...process.env, NVIM: '', ...editors() };
} catch {
  finish({ passed: 0, failed: 1, skipped: 0 });
}
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULT}`];
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)],
  { env, stdio: 'inherit' },
);
const totals = count();
// Vitest also fails for an error outside of any test.
if (status !== 0 && totals.failed === 0) totals.failed = 1;
finish(totals);
