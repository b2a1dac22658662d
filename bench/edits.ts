import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Nvim } from '../test/harness';
import { Chat, plugin } from './clients';
import { pinged } from './measure';
import type { Row } from './table';

const LINES = 20_000;
/** Places of the file that a proposal changes. */
const HUNKS = 200;
/** What stands in the first changed line: when it is on the screen, the proposal is. */
const MARK = 'proposed change 0';

const VIEWS = [
  ['float', 'proposalFloat', 'proposalFloatWorst'],
  ['inline', 'proposalInline', 'proposalInlineWorst'],
] as const;

const source = (mark: (n: number) => string): string =>
  Array.from({ length: LINES }, (_, n) => `local value_${n} = compute(${n})${mark(n)}\n`).join('');

const step = LINES / HUNKS;
const changed = (n: number): string =>
  n % step === 1 ? ` -- proposed change ${(n - 1) / step}` : '';

type Add = (row: Row, value: number) => void;

async function open(start: () => Promise<Nvim>, file: string): Promise<Chat> {
  const nvim = await start();
  await nvim.command(`edit ${file}`);
  const chat = new Chat(nvim, plugin);
  await chat.open();
  return chat;
}

/** From the prompt until the proposal for a file of 20,000 lines is on the screen, and the longest wait for Neovim. */
async function proposals(start: () => Promise<Nvim>, dir: string, add: Add): Promise<void> {
  const [file, wanted] = [join(dir, 'large.lua'), join(dir, 'wanted.lua')];
  writeFileSync(
    file,
    source(() => ''),
  );
  writeFileSync(wanted, source(changed));
  for (const [view, row, worst] of VIEWS) {
    const { nvim } = await open(start, file);
    await nvim.lua(
      `local options = require('acp.config').get()
       options.diff.view = ...
       options.permission.open = 'always'
       -- The default select would let no ping through.
       vim.ui.select = function() end
       vim.cmd.stopinsert()`,
      view,
    );
    let took = NaN;
    const pings = await pinged(nvim, async () => {
      const begun = performance.now();
      const shown = nvim.waitForScreen(MARK, { timeout: 20_000 });
      await nvim.lua(
        `local file, wanted = ...
         require('acp.chat').send(require('acp.chat').current(), ('propose %s %s'):format(file, wanted))`,
        file,
        wanted,
      );
      await shown;
      took = performance.now() - begun;
      // The colours come in slices, when the lines are there.
      await new Promise((done) => setTimeout(done, 1000));
    });
    add(row, took);
    add(worst, Math.max(...pings));
    await nvim.close();
  }
}

/** The longest wait for Neovim while it takes over what a command appended to a file of 20,000 lines. */
async function reload(start: () => Promise<Nvim>, dir: string, add: Add): Promise<void> {
  const file = join(dir, 'reloaded.lua');
  writeFileSync(
    file,
    source(() => ''),
  );
  const { nvim } = await open(start, file);
  await nvim.command('wincmd p | normal! G');
  const pings = await pinged(nvim, async () => {
    const shown = nvim.waitForScreen('appended by a command', { timeout: 20_000 });
    appendFileSync(file, '-- appended by a command\n');
    await nvim.lua(`vim.defer_fn(function() vim.cmd('normal! G') end, 300)`);
    await shown;
  });
  add('reloadWorst', Math.max(...pings));
  await nvim.close();
}

export async function edits(start: () => Promise<Nvim>, dir: string, add: Add): Promise<void> {
  await proposals(start, dir, add);
  await reload(start, dir, add);
}
