/** The files of a folder that is no repository: those near come first, ignore files are minded, links not followed. */
import { opendir, readFile } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { forEach } from '../baseline/folder-file';
import { listGit } from './git-list';
import type { Listed } from './table';

/** Later files speak last. */
const IGNORE_FILES = ['.gitignore', '.ignore'];

/** Folders of version control itself. */
const OWN = new Set(['.git', '.hg', '.svn', '.jj']);

const FOLDERS_AT_ONCE = 8;
const MOST_FILES = 500_000;
const LONGEST_MS = 30_000;

/** Rules with more stars than this can take ages to be found not to match. */
const MOST_STARS = 4;

/** Rules of an ignore file, for what lies below `folder` (empty, or ending in a slash). */
interface Rules {
  folder: string;
  rules: Ignore;
}

interface Folder {
  /** Empty, or ending in a slash. */
  path: string;
  rules: readonly Rules[];
}

export class Walk {
  readonly #top: string;
  readonly #prefix: string;
  readonly #onListed: (piece: Listed) => void;
  readonly #deadline = Date.now() + LONGEST_MS;
  #count = 0;

  constructor(top: string, prefix: string, onListed: (piece: Listed) => void) {
    this.#top = top;
    this.#prefix = prefix;
    this.#onListed = onListed;
  }

  /** Lists all, or as much as there is room and time for. */
  async run(): Promise<void> {
    let level: Folder[] = [{ path: '', rules: [] }];
    while (level.length > 0) {
      const below: Folder[] = [];
      await forEach(level, FOLDERS_AT_ONCE, (folder) => this.#enter(folder, below));
      level = below;
    }
  }

  async #enter({ path, rules }: Folder, below: Folder[]): Promise<void> {
    if (this.#count > MOST_FILES || Date.now() > this.#deadline) return;
    const items = await this.#read(path);
    if (path !== '' && items.some(({ name }) => name === '.git')) {
      const folder = join(this.#top, path);
      if (await listGit(folder, this.#prefix + path, this.#onListed)) return;
    }
    const all = [...rules, ...(await this.#rulesIn(path, items))];
    const names: string[] = [];
    for (const item of items) {
      const isFolder = item.isDirectory();
      if (!isFolder && !item.isFile() && !item.isSymbolicLink()) continue;
      if (isFolder && OWN.has(item.name)) continue;
      const name = `${path}${item.name}${isFolder ? '/' : ''}`;
      if (isIgnored(name, all)) continue;
      names.push(name, '\0');
      if (isFolder) below.push({ path: name, rules: all });
    }
    this.#count += names.length / 2;
    if (names.length === 0) return;
    this.#onListed({ prefix: this.#prefix, names: Buffer.from(names.join('')) });
  }

  /** What may not be read stays closed: it is offered as a folder. */
  async #read(path: string): Promise<Dirent[]> {
    const items: Dirent[] = [];
    try {
      for await (const item of await opendir(join(this.#top, path), { bufferSize: 256 })) {
        items.push(item);
        if (items.length > MOST_FILES) break;
      }
    } catch {
      return items;
    }
    return items.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #rulesIn(path: string, items: readonly Dirent[]): Promise<Rules[]> {
    const found: Rules[] = [];
    for (const name of IGNORE_FILES) {
      if (!items.some((item) => item.name === name && item.isFile())) continue;
      // One that can't be read hides nothing.
      const text = await readFile(join(this.#top, path, name), 'utf8').catch(() => '');
      const rules = ignore({ ignorecase: false }).add(text.split(/\r?\n/).filter(isCheap));
      found.push({ folder: path, rules });
    }
    return found;
  }
}

function isCheap(rule: string): boolean {
  return (rule.match(/\*+/g) ?? []).length <= MOST_STARS;
}

/** The rules that lie nearest decide. */
function isIgnored(name: string, all: readonly Rules[]): boolean {
  return (
    all
      .map(({ folder, rules }) => {
        const path = name.slice(folder.length);
        return ignore.isPathValid(path) ? rules.test(path) : null;
      })
      .findLast((verdict) => verdict?.ignored || verdict?.unignored)?.ignored ?? false
  );
}
