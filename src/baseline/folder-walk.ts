import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../client/faults';
import { forEach, look, type Seen } from './folder-file';
import { SKIPPED } from './folder-record';

export interface WalkOptions {
  top: string;
  /** Folder, relative to `top`, that is never entered: our own. */
  own: string | null;
  /** Files and folders that are looked at, at most. */
  maxFiles: number;
  /** When to stop, in ms as of `Date.now`. */
  deadline: number;
}

const FOLDERS_AT_ONCE = 4;
const FILES_AT_ONCE = 16;

/**
 * A walk through a folder, those near the top first. It can be looked at any time: what was not looked at yet is
 * in `unknown`.
 */
export class Walk {
  readonly files = new Map<string, Seen>();
  readonly unknown = new Set(['']);
  /** Names of folders that were met and not entered. */
  readonly skipped = new Set<string>();
  /** Folders of other file systems. */
  readonly foreign: string[] = [];
  /** What may not be read. */
  readonly refused: string[] = [];
  /** How many names are no UTF-8. */
  nameless = 0;
  /** Whether there are more files than may be looked at. */
  full = false;
  /** Whether there was no time to look at all of them. */
  late = false;

  readonly #options: WalkOptions;
  #count = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { dev } = await lstat(this.#options.top);
    let level = [''];
    while (level.length > 0 && !this.#isOver()) {
      const below: string[] = [];
      await forEach(level, FOLDERS_AT_ONCE, (folder) => this.#enter(folder, dev, below));
      level = below;
    }
  }

  #isOver(): boolean {
    if (Date.now() > this.#options.deadline) this.late = true;
    return this.full || this.late;
  }

  /** Looks at what is in `folder`, and adds the folders to `below`. */
  async #enter(folder: string, dev: number, below: string[]): Promise<void> {
    if (this.#isOver()) return;
    await this.#guard(folder, async () => {
      const path = join(this.#options.top, folder);
      const stats = await lstat(path);
      if (!stats.isDirectory()) return false;
      if (stats.dev !== dev) {
        this.foreign.push(folder);
        return false;
      }
      const files: string[] = [];
      const whole = await this.#list(path, folder, files, below);
      await forEach(files, FILES_AT_ONCE, (file) => this.#lookAt(file));
      return whole;
    });
  }

  /** Whether all names were read. */
  async #list(path: string, folder: string, files: string[], below: string[]): Promise<boolean> {
    for await (const item of await opendir(path, { bufferSize: 256 })) {
      if (this.#isOver()) return false;
      // What could not be decoded; a file can hardly be called so.
      if (item.name.includes('\uFFFD')) {
        this.nameless++;
        continue;
      }
      const isFile = item.isFile() || item.isSymbolicLink();
      if (!isFile && !item.isDirectory()) continue;
      if (!isFile && SKIPPED.has(item.name)) {
        this.skipped.add(item.name);
        continue;
      }
      if (this.#count++ >= this.#options.maxFiles) {
        this.full = true;
        return false;
      }
      const name = folder === '' ? item.name : `${folder}/${item.name}`;
      this.unknown.add(name);
      if (isFile) files.push(name);
      else if (name !== this.#options.own) below.push(name);
    }
    return true;
  }

  async #lookAt(file: string): Promise<void> {
    if (Date.now() > this.#options.deadline) return;
    await this.#guard(file, async () => {
      const seen = await look(join(this.#options.top, file));
      if (seen) this.files.set(file, seen);
      return true;
    });
  }

  /** Looks at something; it is known when `work` says so, or when it is gone. */
  async #guard(name: string, work: () => Promise<boolean>): Promise<void> {
    try {
      if (await work()) this.unknown.delete(name);
    } catch (error) {
      if (isMissing(error)) this.unknown.delete(name);
      else this.refused.push(name);
    }
  }
}
