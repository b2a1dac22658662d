/** What a folder looked like at a moment: one row a file, and where nobody looked. */
import type { Change, Entry } from './baseline';

/** Folders of these names are never entered: what is in them was fetched or made by tools, and can be again. */
export const SKIPPED: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.jj',
  '.svn',
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.cache',
  '.gradle',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.npm',
  '.cargo',
  '.rustup',
]);

export interface Row {
  mode: Exclude<Entry['mode'], '160000'>;
  /** Size, time and number of the file: the same version has the same content. Empty for text that is in no file yet. */
  version: string;
  /** Name of the content; `null` where it was not read. */
  id: string | null;
}

const FORMAT = 1;
/** SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface Stored {
  format: number;
  rows: [path: string, mode: Row['mode'], version: string, id: string | null][];
  absent: string[];
  unknown: string[];
}

/** A record of a folder. Paths are relative, with `/`. */
export class FolderRecord {
  /** `null`: there was certainly no such file. */
  readonly rows: Map<string, Row | null>;
  /** Files and folders that are there but were not, or not wholly, looked at. */
  readonly #unknown: ReadonlySet<string>;

  constructor(rows: Map<string, Row | null>, unknown: Iterable<string>) {
    this.rows = rows;
    this.#unknown = new Set(unknown);
  }

  static parse(bytes: Buffer): FolderRecord {
    const stored = JSON.parse(bytes.toString()) as Stored;
    if (stored.format !== FORMAT)
      throw new Error('it was written by another version of the plugin');
    const rows = new Map<string, Row | null>();
    for (const [path, mode, version, id] of stored.rows) rows.set(path, { mode, version, id });
    for (const path of stored.absent) rows.set(path, null);
    return new FolderRecord(rows, stored.unknown);
  }

  /** The same for the same state. */
  serialise(): Buffer {
    const stored: Stored = { format: FORMAT, rows: [], absent: [], unknown: [...this.#unknown] };
    for (const [path, row] of this.rows) {
      if (row) stored.rows.push([path, row.mode, row.version, row.id]);
      else stored.absent.push(path);
    }
    stored.rows.sort(([a], [b]) => (a < b ? -1 : 1));
    stored.absent.sort();
    stored.unknown.sort();
    return Buffer.from(JSON.stringify(stored));
  }

  /** What was at `path`; `null`: nothing; `undefined`: nobody looked. */
  at(path: string): Row | null | undefined {
    const row = this.rows.get(path);
    return row !== undefined || this.#isUnknown(path) ? row : null;
  }

  /** `at` for others: what nobody looked at has content that can't be read. */
  entry(path: string): Entry | null {
    const row = this.at(path);
    return row === undefined ? { mode: '100644', id: 'unknown' } : row && entryOf(row);
  }

  #isUnknown(path: string): boolean {
    if (this.#unknown.has('') || this.#unknown.has(path)) return true;
    let start = 0;
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', start)) {
      if (SKIPPED.has(path.slice(start, end)) || this.#unknown.has(path.slice(0, end))) return true;
      start = end + 1;
    }
    return false;
  }
}

function entryOf({ mode, version, id }: Row): Entry {
  return { mode, id: id ?? `unread ${version}` };
}

function sameContent(a: Row, b: Row): boolean {
  return a.id !== null && b.id !== null ? a.id === b.id : a.version === b.version;
}

/** What differs between two records, by path. What one of them does not know is no change. */
export function changesBetween(from: FolderRecord, to: FolderRecord): Change[] {
  const changes: Change[] = [];
  for (const path of new Set([...from.rows.keys(), ...to.rows.keys()])) {
    const before = from.at(path);
    const after = to.at(path);
    if (before === undefined || after === undefined || (before === null && after === null))
      continue;
    if (before && after && before.mode === after.mode && sameContent(before, after)) continue;
    changes.push({
      path,
      before: before && entryOf(before),
      // An unread content that is the same must not seem to be another.
      after:
        after &&
        (before && sameContent(before, after)
          ? { ...entryOf(before), mode: after.mode }
          : entryOf(after)),
    });
  }
  return withRenames(changes).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file that is gone and a new one of the same content are one that was renamed, where there is only one of each. */
function withRenames(changes: Change[]): Change[] {
  const gone = new Map<string, Change[]>();
  const added = new Map<string, Change[]>();
  for (const change of changes) {
    const entry = change.before ?? change.after;
    if (!entry || (change.before && change.after) || entry.id === EMPTY) continue;
    const group = change.before ? gone : added;
    const key = `${entry.mode === '120000' ? 'link' : 'file'} ${entry.id}`;
    group.set(key, [...(group.get(key) ?? []), change]);
  }
  const old = new Set<Change>();
  for (const [key, [change, ...others]] of added) {
    const [former, ...formers] = gone.get(key) ?? [];
    if (!change || !former || others.length > 0 || formers.length > 0) continue;
    change.from = former.path;
    change.before = former.before;
    old.add(former);
  }
  return changes.filter((change) => !old.has(change));
}
