import { describe, it } from 'vitest';
import { expectScreen, startNvim, type Nvim } from '../harness';
import { init } from './e2e';
import { CLOCK, COUNT_TURNS, project, turn, turnAgent, writes } from './turns';

const SEMVER = `const parse = (version) => version.split('.');

export function compareIdentifiers(a, b) {
  const x = Number(a), y = Number(b);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function rcompare(a, b) {
  return compareIdentifiers(b, a);
}

export function major(version) {
  // Only for versions that are valid.
  return parse(version)[0];
}

export function minor(version) {
  return parse(version)[1];
}
`;

const MENDED = SEMVER.replace("version.split('.')", "version.trim().split('.')")
  .replace(
    '  return a < b ? -1 : 1;\n',
    '  if (Number.isNaN(x) || Number.isNaN(y)) return a < b ? -1 : 1;\n  return x - y;\n',
  )
  .replace('  // Only for versions that are valid.\n', '');

const FILES = {
  'src/semver.js': SEMVER,
  'src/range.js':
    "import { major } from './semver.js';\n\nexport const same = (a, b) => major(a) === major(b);\n",
  'docs/notes.txt': 'sort by number\nsort by name\n',
  'bin/check': '#!/bin/sh\nnode --test\n',
  'logo.png': Buffer.from([0x89, 0x50, 0, 1, 2, 3]),
  'old.js': 'export const old = true;\n',
};

const EDITS = [
  writes('src/semver.js', MENDED),
  writes(
    'src/range.js',
    `${FILES['src/range.js']}export const newer = (a, b) => major(a) > major(b);\n`,
  ),
  writes('test/semver.test.js', "import test from 'node:test';\n\ntest('sorts', () => {});\n"),
  {
    sh: "git mv docs/notes.txt docs/sorting.txt; chmod +x bin/check; printf '\\211\\000xyz' > logo.png; rm old.js",
  },
];

async function start(columns = 120, lines = 40): Promise<Nvim> {
  const agent = turnAgent({ 'Find the bug': EDITS });
  const nvim = await startNvim({ init: init({ nanocoder: agent }) + COUNT_TURNS, columns, lines });
  project(nvim, FILES);
  await nvim.command('edit src/semver.js');
  await turn(nvim, 'Find the bug');
  return nvim;
}

describe('the screen', () => {
  it('of a review, of its plain diff, and of what an undo asks', async () => {
    const nvim = await start();
    await nvim.input(':AcpReview<CR>');
    // It begins in the file that is worked on.
    await nvim.waitForScreen('3 changes by nanocoder');
    await nvim.input(']c]c');
    await nvim.waitForScreen('ga keep · gr reject · 3 of 3');
    await expectScreen(nvim, 'review', { replace: CLOCK });

    await nvim.input('gQ:AcpDiff<CR>');
    await nvim.waitForScreen('changes of the session');
    await expectScreen(nvim, 'diff', { replace: CLOCK });

    await nvim.input('q:AcpUndo<CR>');
    await nvim.waitForScreen('2: Leave it');
    await expectScreen(nvim, 'undo', { replace: CLOCK });
  });

  it('of a review in 80 columns', async () => {
    const nvim = await start(80, 24);
    await nvim.input(':AcpHide<CR>:AcpReview<CR>');
    await nvim.waitForScreen('by nanocoder');
    await nvim.input(']c]c');
    await nvim.waitForScreen('gr reject · 3 of 3');
    await expectScreen(nvim, 'review-80', { replace: CLOCK });
  });
});
