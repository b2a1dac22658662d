/** A screen as SVG that looks the same wherever it is shown, whatever fonts there are. */
import type { Attrs, Cell } from '../harness';

const CELL = { width: 8.4, height: 18 };
const BASELINE = 13;
const MARGIN = 12;

/** What a line or a corner joins: the middle of its cell with the cell's edges. */
const EDGES: Record<string, string> = {
  '─': 'lr',
  '│': 'tb',
  '╭': 'rb',
  '╮': 'lb',
  '╰': 'rt',
  '╯': 'lt',
  '┌': 'rb',
  '┐': 'lb',
  '└': 'rt',
  '┘': 'lt',
  '├': 'tbr',
  '┤': 'tbl',
  '┬': 'lrb',
  '┴': 'lrt',
  '┼': 'lrtb',
};

export interface Picture {
  cells: Cell[][];
  /** The default colours. */
  fg: string;
  bg: string;
}

interface Run {
  col: number;
  columns: number;
  text: string;
  attrs: Attrs;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const px = (n: number): string => n.toFixed(1).replace(/\.0$/, '');
const x = (col: number): number => MARGIN + col * CELL.width;
const y = (row: number): number => MARGIN + row * CELL.height;

/** Neighbouring cells for which `key` is the same. */
function runs(cells: Cell[], key: (cell: Cell) => string): Run[] {
  const result: Run[] = [];
  let before: string | undefined;
  for (const [col, cell] of cells.entries()) {
    const now = cell.text === '' ? before : key(cell);
    const last = result.at(-1);
    if (last && now === before) {
      last.text += cell.text;
      last.columns++;
    } else result.push({ col, columns: 1, ...cell });
    before = now;
  }
  return result;
}

export function svg({ cells: rows, fg, bg }: Picture): string {
  const width = px(x(rows[0]?.length ?? 0) + MARGIN);
  const height = px(y(rows.length) + MARGIN);
  const front = ({ reverse, fg: own, bg: behind }: Attrs): string =>
    (reverse ? behind : own) ?? (reverse ? bg : fg);
  const back = ({ reverse, fg: own, bg: behind }: Attrs): string =>
    (reverse ? own : behind) ?? (reverse ? fg : bg);

  const backgrounds = rows.flatMap((cells, row) =>
    runs(cells, ({ attrs }) => back(attrs))
      .filter(({ attrs }) => back(attrs) !== bg)
      .map(
        ({ col, columns, attrs }) =>
          `<rect x="${px(x(col))}" y="${y(row)}" width="${px(columns * CELL.width)}" ` +
          `height="${CELL.height}" fill="${back(attrs)}"/>`,
      ),
  );
  const texts = rows.flatMap((cells, row) =>
    runs(cells, ({ text, attrs }) => `${text in EDGES} ${JSON.stringify(attrs)}`).flatMap((run) =>
      run.text.charAt(0) in EDGES
        ? lines(run, row, front(run.attrs))
        : words(run, row, front(run.attrs)),
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${bg}"/>`,
    // Neighbours must not show a seam.
    '<g shape-rendering="crispEdges">',
    ...backgrounds,
    '</g>',
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">',
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Lines and corners are drawn: as characters they would not meet. */
function lines({ col, text }: Run, row: number, colour: string): string[] {
  const path = [...text].map((char, i) => {
    const [left, top] = [x(col + i), y(row)];
    const [middle, centre] = [left + CELL.width / 2, top + CELL.height / 2];
    const ends: Record<string, string> = {
      l: `${px(left)} ${px(centre)}`,
      r: `${px(left + CELL.width)} ${px(centre)}`,
      t: `${px(middle)} ${px(top)}`,
      b: `${px(middle)} ${px(top + CELL.height)}`,
    };
    const edges = [...EDGES[char]!].map((edge) => ends[edge]!);
    return '╭╮╰╯'.includes(char)
      ? `M${edges[0]}Q${px(middle)} ${px(centre)} ${edges[1]}`
      : edges.map((end) => `M${px(middle)} ${px(centre)}L${end}`).join('');
  });
  return [`<path d="${path.join('')}" stroke="${colour}" stroke-linecap="square" fill="none"/>`];
}

/** Each word stands exactly in its cells. Blanks are left out: not every viewer keeps them. */
function words({ col, text, attrs }: Run, row: number, colour: string): string[] {
  const { bold, italic, underline, undercurl, strikethrough } = attrs;
  const decoration = strikethrough ? 'line-through' : underline || undercurl ? 'underline' : '';
  const style = [
    bold ? ' font-weight="bold"' : '',
    italic ? ' font-style="italic"' : '',
    decoration && ` text-decoration="${decoration}"`,
  ].join('');
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: found, index }) => {
    const at = px(x(col + [...text.slice(0, index)].length));
    const long = px([...found].length * CELL.width);
    return (
      `<text x="${at}" y="${y(row) + BASELINE}" textLength="${long}" fill="${colour}"${style}>` +
      `${escape(found)}</text>`
    );
  });
}
