/** How a cell looks. Colours are `#rrggbb`; absent: the default colour. */
export interface Attrs {
  fg?: string;
  bg?: string;
  sp?: string;
  bold?: true;
  italic?: true;
  underline?: true;
  undercurl?: true;
  strikethrough?: true;
  reverse?: true;
}

export interface Cell {
  /** Empty for the right half of a wide character. */
  text: string;
  attrs: Attrs;
}

interface RawCell {
  text: string;
  hl: number;
}

const FLAGS = ['bold', 'italic', 'underline', 'undercurl', 'strikethrough', 'reverse'] as const;
const COLOURS = { fg: 'foreground', bg: 'background', sp: 'special' } as const;

function toAttrs(raw: Record<string, unknown>): Attrs {
  const attrs: Attrs = {};
  for (const [name, key] of Object.entries(COLOURS)) {
    const value = raw[key];
    if (typeof value === 'number')
      attrs[name as keyof typeof COLOURS] = `#${value.toString(16).padStart(6, '0')}`;
  }
  for (const flag of FLAGS) if (raw[flag]) attrs[flag] = true;
  return attrs;
}

/** The grid that a user would see, kept from the redraw events of `ext_linegrid`. */
export class Screen {
  cursor = { row: 0, col: 0 };
  /** The mode's name as Neovim gives it to user interfaces: `normal`, `insert`, `cmdline_normal` … */
  mode = 'normal';
  readonly defaults = { fg: '', bg: '' };
  #rows: RawCell[][] = [];
  readonly #attrs = new Map<number, Attrs>([[0, {}]]);
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` whenever the screen is whole again after a change, until the returned function is called. */
  onFlush(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes the arguments of one `redraw` notification. */
  redraw(events: unknown[]): void {
    for (const event of events as [string, ...unknown[][]][]) {
      const [name, ...calls] = event;
      for (const args of calls) this.#apply(name, args);
    }
  }

  rows(): string[] {
    return this.#rows.map((row) => row.map((cell) => cell.text).join(''));
  }

  /** The rows without trailing blanks, joined by newlines. */
  text(): string {
    return this.rows()
      .map((row) => row.trimEnd())
      .join('\n');
  }

  /** The cell at a zero-based position. */
  cell(row: number, col: number): Cell {
    const cell = this.#rows[row]?.[col];
    if (!cell) throw new RangeError(`no cell at ${row}, ${col}`);
    return { text: cell.text, attrs: this.#attrs.get(cell.hl) ?? {} };
  }

  cells(): Cell[][] {
    return this.#rows.map((row, index) => row.map((_, col) => this.cell(index, col)));
  }

  #apply(name: string, args: unknown[]): void {
    switch (name) {
      case 'grid_resize':
        return this.#resize(args[1] as number, args[2] as number);
      case 'grid_clear':
        return this.#resize(this.#rows[0]?.length ?? 0, this.#rows.length, true);
      case 'grid_line':
        return this.#line(args[1] as number, args[2] as number, args[3] as unknown[][]);
      case 'grid_scroll':
        return this.#scroll(args.slice(1) as number[]);
      case 'grid_cursor_goto':
        this.cursor = { row: args[1] as number, col: args[2] as number };
        return;
      case 'mode_change':
        this.mode = args[0] as string;
        return;
      case 'hl_attr_define':
        this.#attrs.set(args[0] as number, toAttrs(args[1] as Record<string, unknown>));
        return;
      case 'default_colors_set': {
        const { fg = '', bg = '' } = toAttrs({ foreground: args[0], background: args[1] });
        Object.assign(this.defaults, { fg, bg });
        return;
      }
      case 'flush':
        for (const listener of this.#listeners) listener();
    }
  }

  #resize(columns: number, lines: number, clear = false): void {
    const old = clear ? [] : this.#rows;
    this.#rows = Array.from({ length: lines }, (_, row) =>
      Array.from({ length: columns }, (_, col) => old[row]?.[col] ?? { text: ' ', hl: 0 }),
    );
  }

  #line(row: number, start: number, cells: unknown[][]): void {
    const target = this.#rows[row];
    if (!target) return;
    let col = start;
    let hl = 0;
    for (const [text, id, repeat] of cells as [string, number?, number?][]) {
      hl = id ?? hl;
      for (let n = repeat ?? 1; n > 0; n--) target[col++] = { text, hl };
    }
  }

  #scroll([top = 0, bottom = 0, left = 0, right = 0, count = 0]: number[]): void {
    const height = bottom - top;
    for (let n = 0; n < height; n++) {
      const to = count > 0 ? top + n : bottom - 1 - n;
      const from = to + count;
      if (from < top || from >= bottom) continue;
      const source = this.#rows[from]?.slice(left, right) ?? [];
      this.#rows[to]?.splice(left, right - left, ...source);
    }
  }
}
