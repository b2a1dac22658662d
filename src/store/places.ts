/** Where sessions are. */
import { createHash } from 'node:crypto';
import { realpathSync, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isMissing } from '../client/faults';

const SUFFIX = '.jsonl';
/** Keys come from outside, and become names of files. */
const KEY = /^\d{8}T\d{6}-[0-9a-f]{10}$/;

export interface Place {
  key: string;
  path: string;
}

export class Places {
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#dir = join(stateDir, 'sessions');
  }

  pathOf(cwd: string, key: string): string {
    return join(this.#folder(cwd), `${key}${SUFFIX}`);
  }

  /** Null where there is no session of that key. */
  async find(key: string): Promise<string | null> {
    if (!KEY.test(key)) return null;
    const paths = (await this.folders()).map((folder) => join(folder, `${key}${SUFFIX}`));
    const there = await Promise.all(paths.map((path) => stat(path).then((it) => it.isFile(), no)));
    return paths.find((_, i) => there[i]) ?? null;
  }

  /** The sessions of a folder, or all of them. */
  async list(cwd?: string): Promise<Place[]> {
    const folders = cwd === undefined ? await this.folders() : [this.#folder(cwd)];
    return (await Promise.all(folders.map(sessionsIn))).flat();
  }

  async folders(): Promise<string[]> {
    return (await namesIn(this.#dir)).map((name) => join(this.#dir, name));
  }

  /** A folder that doesn't exist any more, or is closed to us, goes by its name. */
  #folder(cwd: string): string {
    let path = resolve(cwd);
    try {
      path = realpathSync(path);
    } catch {
      // Whoever works in it finds out.
    }
    return join(this.#dir, createHash('sha256').update(path).digest('hex').slice(0, 16));
  }
}

async function sessionsIn(folder: string): Promise<Place[]> {
  return (await entriesOf(folder)).flatMap((entry) => {
    const key = basename(entry.name, SUFFIX);
    const isOne = entry.isFile() && entry.name.endsWith(SUFFIX) && KEY.test(key);
    return isOne ? [{ key, path: join(folder, entry.name) }] : [];
  });
}

export async function namesIn(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).map(({ name }) => name);
}

/** None where there is no such folder. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const no = (): boolean => false;
