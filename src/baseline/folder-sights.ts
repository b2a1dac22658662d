import { appendFile, readFile } from 'node:fs/promises';
import { isMissing } from '../client/faults';
import type { FolderRecord, Row } from './folder-record';

type Line = [path: string, mode: Row['mode'], version: string, id: string | null] | [path: string];

/** What was learnt of files when tool calls named them: it completes records that did not know as much. */
export class Sights {
  readonly #file: string;
  /** In the order in which they were seen; `null`: there was none. */
  readonly #rows = new Map<string, (Row | null)[]>();

  private constructor(file: string) {
    this.#file = file;
  }

  /** What is kept in `file`: a line of JSON for each, which processes may add at the same time. */
  static async open(file: string): Promise<Sights> {
    const sights = new Sights(file);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    for (const line of text.split('\n')) {
      const parsed = parse(line);
      if (parsed) sights.#learn(parsed);
    }
    return sights;
  }

  /** All files that are known. */
  paths(): Iterable<string> {
    return this.#rows.keys();
  }

  /** A file that was seen, with its content; `null`: it was seen that there is none. */
  async add(path: string, row: Row | null): Promise<void> {
    if (this.#rows.get(path)?.some((seen) => seen?.version === row?.version)) return;
    const line: Line = row ? [path, row.mode, row.version, row.id] : [path];
    await appendFile(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    this.#learn(line);
  }

  /** Fills in what `record` lacks: the content of a version, and files that it doesn't know, as they were at first sight. */
  complete(record: FolderRecord): void {
    for (const [path, rows] of this.#rows) {
      const row = record.at(path);
      if (row === undefined) record.rows.set(path, rows[0]!);
      else if (row?.id === null)
        row.id = rows.find((seen) => seen?.version === row.version)?.id ?? null;
    }
  }

  #learn(line: Line): void {
    const path = line[0];
    const row = line.length === 1 ? null : { mode: line[1], version: line[2], id: line[3] };
    const rows = this.#rows.get(path);
    if (rows) rows.push(row);
    else this.#rows.set(path, [row]);
  }
}

/** `null` for a line that was cut off while it was written: what it told is not known then. */
function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}
