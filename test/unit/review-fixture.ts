/** A review of a folder on disk, with a record in memory and an editor with loaded buffers. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Baseline, Change, Entry } from '../../src/baseline/baseline';
import type { Editor } from '../../src/nvim/editor';
import type { ToEditor, ToEditorMethod } from '../../src/nvim/protocol';
import { decode, encode } from '../../src/diff/encoding';
import { splitLines } from '../../src/diff/lines';
import { Review } from '../../src/review/review';
import { tempDir } from '../harness';

type Record_ = Map<string, Entry>;

/** A baseline whose records are in memory. A file that shares a line with one that is gone was renamed. */
export class MemoryBaseline implements Baseline {
  readonly limits: string[] = [];
  /** Paths that are not recorded, as if git ignored them. */
  readonly ignored = new Set<string>();
  /** Contents that can't be read any more. */
  readonly lost = new Set<string>();
  readonly #records = new Map<string, Record_>();
  readonly #contents = new Map<string, Buffer>();

  constructor(readonly top: string) {}

  async take(): Promise<string> {
    const record: Record_ = new Map();
    for (const item of readdirSync(this.top, { recursive: true, withFileTypes: true })) {
      const file = join(item.parentPath, item.name);
      const path = file.slice(this.top.length + 1);
      if (item.isDirectory() || this.ignored.has(path)) continue;
      const link = item.isSymbolicLink();
      const bytes = link ? Buffer.from(readlinkSync(file)) : readFileSync(file);
      const mode = link ? '120000' : lstatSync(file).mode & 0o100 ? '100755' : '100644';
      record.set(path, { mode, id: await this.write(bytes) });
    }
    const name = hash(Buffer.from(JSON.stringify([...record].sort())));
    this.#records.set(name, record);
    return name;
  }

  async changes(from: string, to: string): Promise<Change[]> {
    const [old, now] = [this.#record(from), this.#record(to)];
    const changes: Change[] = [];
    for (const path of new Set([...old.keys(), ...now.keys()])) {
      const [before, after] = [old.get(path) ?? null, now.get(path) ?? null];
      if (before?.id !== after?.id || before?.mode !== after?.mode) {
        changes.push({ path, before, after });
      }
    }
    for (const added of changes.filter(({ before }) => !before)) {
      const from = changes.find((each) => !each.after && this.#similar(each.before!, added.after!));
      if (!from) continue;
      changes.splice(changes.indexOf(from), 1);
      Object.assign(added, { from: from.path, before: from.before });
    }
    return changes;
  }

  #similar(a: Entry, b: Entry): boolean {
    const lines = new Set(splitLines(this.#contents.get(a.id)!.toString()));
    return splitLines(this.#contents.get(b.id)!.toString()).some((line) => lines.has(line));
  }

  #record(name: string): Record_ {
    const record = this.#records.get(name);
    if (!record) throw new Error(`the record ${name} is gone`);
    return record;
  }

  async entry(snapshot: string, path: string): Promise<Entry | null> {
    return this.#record(snapshot).get(path) ?? null;
  }

  async entries(snapshot: string, paths: readonly string[]): Promise<Map<string, Entry>> {
    const record = this.#record(snapshot);
    return new Map([...record].filter(([path]) => paths.includes(path)));
  }

  async read(id: string): Promise<Buffer | null> {
    return this.lost.has(id) ? null : (this.#contents.get(id) ?? null);
  }

  async write(bytes: Buffer): Promise<string> {
    const id = hash(bytes);
    this.#contents.set(id, bytes);
    return id;
  }

  async sight(): Promise<void> {}
  async close(): Promise<void> {}
}

function hash(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('hex');
}

/** A loaded buffer: its text, and the file as it read or wrote it last. */
interface Loaded {
  text: string;
  disk: string | null;
}

interface WriteParams {
  path: string;
  text: string;
  was?: string;
}

/** Loaded buffers, as far as a review sees them. */
export class Buffers implements Editor {
  readonly loaded = new Map<string, Loaded>();
  gone = false;
  readonly refusals = new Map<string, string>();
  /** Runs before a buffer is written through. */
  writing: () => void = () => {};
  /** Runs when a buffer is written through, as `BufWritePre` does. */
  format: (text: string) => string = (text) => text;

  async request<M extends ToEditorMethod>(
    method: M,
    params: ToEditor[M][0],
  ): Promise<ToEditor[M][1]> {
    return this.#answer(method, params as WriteParams) as ToEditor[M][1];
  }

  #answer(method: ToEditorMethod, { path, text, was }: WriteParams): unknown {
    if (this.gone) throw new Error('Neovim has gone');
    switch (method) {
      case 'buffers.unsaved':
        return [...this.loaded]
          .filter(([, buffer]) => buffer.text !== buffer.disk)
          .map(([path, buffer]) => ({ path, text: buffer.text }));
      case 'buffers.check':
        this.check();
        return null;
      case 'buffer.write': {
        const buffer = this.loaded.get(path);
        if (!buffer) return null;
        const error = this.refusals.get(path);
        if (error !== undefined) return { error };
        this.writing();
        if (was !== undefined && was !== buffer.text) return { stale: true };
        buffer.text = this.format(text);
        this.#write(path, buffer);
        return { ok: true };
      }
      default:
        throw new Error(`a review does not ask for ${method}`);
    }
  }

  open(path: string): void {
    const text = textAt(path);
    this.loaded.set(path, { text: text ?? '', disk: text });
  }

  isModified(path: string): boolean {
    const buffer = this.loaded.get(path);
    return buffer !== undefined && buffer.text !== buffer.disk;
  }

  /** What the user types, unsaved. */
  type(path: string, text: string): void {
    this.loaded.get(path)!.text = text;
  }

  /** `:w`; gives what Lua tells about it. */
  save(path: string): { before: string | undefined; text: string } {
    const buffer = this.loaded.get(path)!;
    const hasSeen = textAt(path) === buffer.disk;
    const before = hasSeen ? (buffer.disk ?? undefined) : undefined;
    this.#write(path, buffer);
    return { before, text: buffer.text };
  }

  /** Buffers without unsaved text take over what is on disk; those of files that are gone are unloaded. */
  check(): void {
    for (const [path, buffer] of this.loaded) {
      if (this.isModified(path)) continue;
      const text = textAt(path);
      if (text === null) this.loaded.delete(path);
      else Object.assign(buffer, { text, disk: text });
    }
  }

  #write(path: string, buffer: Loaded): void {
    const like = existsSync(path) ? decode(readFileSync(path)) : null;
    const plain = { encoding: 'utf-8' as const, bom: false };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, encode(buffer.text, like ?? plain)!);
    buffer.disk = buffer.text;
  }
}

/** The text of a file as a buffer holds it; null where there is none. */
export function textAt(path: string): string | null {
  return existsSync(path) ? (decode(readFileSync(path))?.text ?? '') : null;
}

export interface Bench {
  top: string;
  baseline: Baseline;
  editor: Buffers;
  review: Review;
  file: string;
  faults: string[];
  /** Absolute path of a file in the folder. */
  at: (name: string) => string;
  /** Writes a file, as agents do by themselves. */
  put: (name: string, content: string | Buffer) => void;
  remove: (name: string) => void;
  text: (name: string) => string | null;
  /** The user saves a buffer. */
  save: (name: string) => Promise<void>;
  /** A turn in which the agent does `work`. */
  turn: (work: () => void | Promise<void>, title?: string) => ReturnType<Review['turnEnded']>;
  /** The same state, after a restart of Neovim. */
  restart: () => Promise<void>;
  /** The same after the sidecar was killed. */
  kill: () => Promise<void>;
}

/** A review of a new folder with these files. */
export async function reviewOf(
  files: Record<string, string | Buffer>,
  open: (top: string) => Promise<Baseline> = async (top) => new MemoryBaseline(top),
): Promise<Bench> {
  const top = realpathSync(tempDir());
  const file = join(realpathSync(tempDir()), 'reviews', 'one.json');
  const at = (name: string): string => join(top, name);
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  const baseline = await open(top);
  const editor = new Buffers();
  const faults: string[] = [];
  const openReview = (): Promise<Review> =>
    Review.open({
      baselines: [baseline],
      file,
      cwd: top,
      agent: 'nanocoder',
      session: 's1',
      editor,
      onFault: (where, error) => faults.push(`${where}: ${(error as Error).message}`),
    });
  const bench: Bench = {
    top,
    baseline,
    editor,
    review: await openReview(),
    file,
    faults,
    at,
    put,
    remove: (name) => rmSync(at(name)),
    text: (name) => textAt(at(name)),
    save: (name) => {
      const { before, text } = editor.save(at(name));
      return bench.review.saved(at(name), before, text);
    },
    turn: async (work, title = 'Do something') => {
      await bench.review.turnStarted(title);
      await work();
      editor.check();
      return bench.review.turnEnded();
    },
    restart: async () => {
      await bench.review.close();
      bench.review = await openReview();
    },
    kill: async () => {
      bench.review = await openReview();
    },
  };
  return bench;
}

/** Lines as a text. */
export const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
