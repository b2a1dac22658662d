/**
 * Inline Markdown of one line: code spans, emphasis, strikethrough, links. Follows CommonMark's rules for delimiter
 * runs, so that `snake_case` and `2 * 3 * 4` stay plain. Linear in the length of the line, but for nested emphasis.
 */

export type Span = [from: number, to: number, group: string];

const SPECIAL = /[\\`*_~[<|]|https?:\/\//g;
const LINK =
  /\[((?:[^[\]\\]|\\.)*)\]\((?:<[^<>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"]*")?\)/y;
const AUTOLINK = /<(?:https?:\/\/|mailto:)[^\s<>]+>/y;
const URL = /https?:\/\/[^\s<>`"'|\\^]+/y;
const URL_TAIL = /[.,:;!?*_~)]+$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

interface Run {
  sign: string;
  at: number;
  length: number;
  /** Delimiters that are not used yet. */
  left: number;
  /** Where they begin: an opener is used from its right end, a closer from its left. */
  from: number;
  opens: boolean;
  closes: boolean;
}

/** Spans of `line` from index `start` on; broader ones come before those inside them. */
export function inlineSpans(line: string, start: number, table: boolean): Span[] {
  const spans: Span[] = [];
  const runs: Run[] = [];
  const fences = new Backticks(line);
  SPECIAL.lastIndex = start;
  for (let match = SPECIAL.exec(line); match; match = SPECIAL.exec(line)) {
    SPECIAL.lastIndex = scan(line, match.index, match[0], { spans, runs, fences, table });
  }
  return runs.length > 1 ? [...emphasis(runs), ...spans] : spans;
}

interface Scan {
  spans: Span[];
  runs: Run[];
  fences: Backticks;
  table: boolean;
}

/** Takes what begins at `at` and returns the index behind it. */
function scan(
  line: string,
  at: number,
  found: string,
  { spans, runs, fences, table }: Scan,
): number {
  switch (found) {
    case '\\':
      return at + 2;
    case '`': {
      const [end, closed] = fences.spanFrom(at);
      if (closed) spans.push([at, end, 'AcpCode']);
      return end;
    }
    case '|':
      if (table) spans.push([at, at + 1, 'AcpTableBorder']);
      return at + 1;
    case '[': {
      LINK.lastIndex = at;
      const link = LINK.exec(line);
      if (link) spans.push([at + 1, at + 1 + link[1]!.length, 'AcpLink']);
      return link ? at + link[0].length : at + 1;
    }
    case '<': {
      AUTOLINK.lastIndex = at;
      const link = AUTOLINK.exec(line);
      if (link) spans.push([at, at + link[0].length, 'AcpLink']);
      return at + (link ? link[0].length : 1);
    }
    case '*':
    case '_':
    case '~': {
      const run = delimiters(line, at, found);
      if (found !== '~' || run.length === 2) runs.push(run);
      return at + run.length;
    }
    default: {
      URL.lastIndex = at;
      const url = URL.exec(line)?.[0].replace(URL_TAIL, '');
      if (!url) return at + found.length;
      spans.push([at, at + url.length, 'AcpLink']);
      return at + url.length;
    }
  }
}

/** Runs of backticks: a code span ends at the next run of the same length. */
class Backticks {
  readonly #line: string;
  /** Length of a run → where such runs begin, last first. Made when the first backtick is met. */
  #runs: Map<number, number[]> | null = null;

  constructor(line: string) {
    this.#line = line;
  }

  /** Index behind the span that opens at `at`, or behind the run itself where none opens. */
  spanFrom(at: number): [end: number, closed: boolean] {
    let length = 1;
    while (this.#line[at + length] === '`') length++;
    const starts = (this.#runs ??= this.#collect()).get(length) ?? [];
    while (starts.length > 0 && starts.at(-1)! <= at) starts.pop();
    const close = starts.at(-1);
    return close === undefined ? [at + length, false] : [close + length, true];
  }

  #collect(): Map<number, number[]> {
    const runs = new Map<number, number[]>();
    for (const { 0: run, index } of this.#line.matchAll(/`+/g)) {
      const starts = runs.get(run.length);
      if (starts) starts.push(index);
      else runs.set(run.length, [index]);
    }
    for (const starts of runs.values()) starts.reverse();
    return runs;
  }
}

function delimiters(line: string, at: number, sign: string): Run {
  let end = at + 1;
  while (line[end] === sign) end++;
  const before = at === 0 ? ' ' : charBefore(line, at);
  const after = end === line.length ? ' ' : String.fromCodePoint(line.codePointAt(end)!);
  const [spaceBefore, spaceAfter] = [/\s/.test(before), /\s/.test(after)];
  const [markBefore, markAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
  const left = !spaceAfter && (!markAfter || spaceBefore || markBefore);
  const right = !spaceBefore && (!markBefore || spaceAfter || markAfter);
  const intraword = sign === '_';
  return {
    sign,
    at,
    length: end - at,
    left: end - at,
    from: at,
    opens: left && (!intraword || !right || markBefore),
    closes: right && (!intraword || !left || markAfter),
  };
}

function charBefore(line: string, at: number): string {
  const code = line.charCodeAt(at - 1);
  return (code & 0xfc00) === 0xdc00 ? line.slice(at - 2, at) : line[at - 1]!;
}

/** Pairs delimiter runs as CommonMark does. */
function emphasis(runs: Run[]): Span[] {
  const spans: Span[] = [];
  const open: Run[] = [];
  // Where looking for an opener is of no use any more, by kind of closer: keeps the whole from being quadratic.
  const bottom = new Map<string, number>();
  for (const closer of runs) {
    while (closer.closes && closer.left > 0) {
      const kind = `${closer.sign}${closer.opens}${closer.length % 3}`;
      const index = findOpener(open, closer, bottom.get(kind) ?? 0);
      if (index < 0) {
        bottom.set(kind, open.length);
        break;
      }
      const opener = open[index]!;
      const used = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
      opener.left -= used;
      closer.left -= used;
      spans.push([opener.from + opener.left, closer.from + used, group(closer.sign, used)]);
      closer.from += used;
      open.length = opener.left > 0 ? index + 1 : index;
      for (const [key, value] of bottom) if (value > open.length) bottom.set(key, open.length);
    }
    if (closer.opens && closer.left > 0) open.push(closer);
  }
  return spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
}

function findOpener(open: Run[], closer: Run, bottom: number): number {
  for (let i = open.length - 1; i >= bottom; i--) {
    const opener = open[i]!;
    if (opener.sign !== closer.sign) continue;
    if (closer.sign === '~') return i;
    const both = opener.closes || closer.opens;
    const clash = both && (opener.length + closer.length) % 3 === 0;
    if (!clash || (opener.length % 3 === 0 && closer.length % 3 === 0)) return i;
  }
  return -1;
}

function group(sign: string, used: number): string {
  if (sign === '~') return 'AcpStrike';
  return used === 2 ? 'AcpBold' : 'AcpItalic';
}
