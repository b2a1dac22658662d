/**
 * Draws the picture of the README from a real screen: `PICTURE=1 make test FILES=test/e2e/picture.test.ts`.
 * It shows the demo agent at work on the sample project, with a diff that waits for an answer.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nvimVersion, startNvim } from '../harness';
import type { Attrs, Cell, Nvim } from '../harness';

const ROOT = join(import.meta.dirname, '../..');
const CELL = { width: 8.4, height: 18 };
const MARGIN = 12;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Run {
  col: number;
  columns: number;
  text: string;
  attrs: Attrs;
}

/** Neighbouring cells of one look. */
function runs(cells: Cell[]): Run[] {
  const result: Run[] = [];
  for (const [col, { text, attrs }] of cells.entries()) {
    const last = result.at(-1);
    if (last && JSON.stringify(last.attrs) === JSON.stringify(attrs)) {
      last.text += text;
      last.columns++;
    } else result.push({ col, columns: 1, text, attrs });
  }
  return result;
}

function style({ bold, italic, underline, undercurl, strikethrough }: Attrs): string {
  const line = strikethrough ? 'line-through' : underline || undercurl ? 'underline' : '';
  return [
    bold ? ' font-weight="bold"' : '',
    italic ? ' font-style="italic"' : '',
    line && ` text-decoration="${line}"`,
  ].join('');
}

/** The screen as SVG, in which every piece of text has exactly the width of its cells. */
function svg(nvim: Nvim): string {
  const rows = nvim.grid.cells();
  const { fg, bg } = nvim.grid.defaults;
  const width = (rows[0]?.length ?? 0) * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + 2 * MARGIN;
  const shapes = rows.flatMap((cells, row) =>
    runs(cells).flatMap(({ col, columns, text, attrs }) => {
      const [front, back] = attrs.reverse
        ? [attrs.bg ?? bg, attrs.fg ?? fg]
        : [attrs.fg ?? fg, attrs.bg];
      const x = (MARGIN + col * CELL.width).toFixed(1);
      const y = MARGIN + row * CELL.height;
      const length = (columns * CELL.width).toFixed(1);
      const drawn: string[] = [];
      if (back)
        drawn.push(
          `<rect x="${x}" y="${y}" width="${length}" height="${CELL.height}" fill="${back}"/>`,
        );
      // Blanks are left out: not every viewer keeps them. Wide characters don't occur.
      for (const { 0: words, index } of text.matchAll(/\S+(?: \S+)*/g)) {
        const at = (MARGIN + (col + index) * CELL.width).toFixed(1);
        const wide = (words.length * CELL.width).toFixed(1);
        drawn.push(
          `<text x="${at}" y="${y + 13}" textLength="${wide}" fill="${front}"${style(attrs)}>${escape(words)}</text>`,
        );
      }
      return drawn;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${bg}"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">',
    ...shapes,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

test.runIf(process.env['PICTURE'] === '1' && nvimVersion() === '0.12')(
  'draws doc/chat.svg',
  async () => {
    const nvim = await startNvim({ columns: 136, lines: 36 });
    cpSync(join(ROOT, 'demo'), nvim.dir, { recursive: true });
    await nvim.command('set number laststatus=3 | edit src/basket.js');
    await nvim.lua(
      `vim.ui.select = function(items, opts, on_choice)
        if not opts.prompt:find('Edit') then on_choice(items[1], 1) end
      end`,
    );
    await nvim.command('AcpChat agent=demo Show me the tour');
    await nvim.waitForScreen('<CR> answer', { timeout: 20_000 });
    await nvim.waitForScreen('waiting for you');
    const picture = svg(nvim);
    expect(picture).toContain('src/basket.js');
    writeFileSync(join(ROOT, 'doc/chat.svg'), picture);
  },
  40_000,
);
