/**
 * Operations on the transcript: the whole language in which the sidecar talks about the screen.
 *
 * Rows are relative to the block's first line, columns are bytes (UTF-8), both 0-based. Only `ui/transcript.lua`
 * knows where a block stands.
 */

/** `[row, col, end_col, group]`. `end_col` -1: the whole screen line, to the window's edge (`line_hl_group`). */
export type Mark = [row: number, col: number, endCol: number, group: string];

/** Virtual text: facts at the right edge of a row, or the running glyph. */
export interface Fact {
  row: number;
  /** `[text, group]` pieces, shown at the right edge; they yield to the text when the window is narrow. */
  right?: [text: string, group: string][];
  /** When it began, milliseconds since the epoch: how long that is ago stands at the right edge, and goes on. */
  since?: number;
  /** The glyph at `col` (absent: 0) spins. */
  spin?: true;
  col?: number;
}

/** A closed code fence: `first`..`last` are the rows of its content. Lua highlights it once. */
export interface Fence {
  first: number;
  last: number;
  /** The info string's first word, such as `js`. */
  lang: string;
  /** Columns before the content, when the fence is indented. */
  indent: number;
}

/** What `gf` and `<CR>` open on a row. `line` is 1-based. */
export interface Link {
  row: number;
  path: string;
  line?: number;
}

export interface Decoration {
  marks: Mark[];
  facts?: Fact[];
  fences?: Fence[];
  links?: Link[];
}

/** Replaces block `id`, or inserts it behind block `after` (absent: at the top) when it is new. */
export interface PutOp extends Decoration {
  op: 'put';
  id: string;
  after?: string;
  /** Kind of the block, for motions and keys: `user`, `message`, `thought`, `tool`, `plan`, … */
  kind: string;
  lines: string[];
  /** `<CR>`, `za`, `K` act on such a block. */
  foldable?: true;
  /** Id of the open question that the card holds. */
  question?: string;
  /** What can be done about it, by `<CR>`: names for `block.act`, with words for people. */
  actions?: { id: string; name: string }[];
}

/**
 * Appends `text` (with `\n`) at the end of block `id`. Marks and facts of the block's present last line are replaced:
 * `marks` and `facts` hold all that belong to that line and the new ones.
 */
export interface AppendOp extends Decoration {
  op: 'append';
  id: string;
  text: string;
}

export interface DelOp {
  op: 'del';
  id: string;
}

export type Op = PutOp | AppendOp | DelOp;
