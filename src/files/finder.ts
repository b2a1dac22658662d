/** Finds files by what a user types of their names. They are listed at the first question, and anew in the background. */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { relative, resolve } from 'node:path';
import { isInside } from '../client/roots';
import { listGit } from './git-list';
import { Search, type Hit } from './search';
import { PathTable, type Listed } from './table';
import { Walk } from './walk';

export interface Found {
  /** Relative to the first root, absolute outside of it; those of folders end in a slash. Best first. */
  paths: string[];
  /** Whether there are others, or may be. */
  more: boolean;
}

/** A listing of that age is made anew; one that takes long is so less often. */
const STALE_MS = 3000;
const REST = 10;

/** How long an answer waits: for the first listing, for a new one, for the first one to hold anything that matches. */
const FIRST_MS = 300;
const AGAIN_MS = 20;
const LAST_MS = 3000;

/** A listing that nobody asks for is dropped. */
const UNUSED_MS = 5 * 60_000;

/** Files that were mentioned are remembered, and come before others that match about as well. */
const MENTIONED = 50;
const BONUS = 400;
const BONUS_UNASKED = 1_000_000;

/** Found beyond what is wanted, as some may be gone from disk. */
const SPARE = 10;

/** Files as they stand, or as many as are known yet. */
interface Listing {
  search: Search;
  folders: ReadonlySet<string>;
  whole: boolean;
  at: number;
  took: number;
}

interface Making {
  done: Promise<void>;
  pieces: Listed[];
  /** What was made of that many pieces. */
  part: { listing: Listing; of: number } | null;
}

export class Finder {
  readonly #roots: readonly string[];
  readonly #onFault: (error: unknown) => void;
  #listing: Listing | null = null;
  #making: Making | null = null;
  #mentioned: string[] = [];
  #unused: NodeJS.Timeout | null = null;

  /** `roots`: absolute; the first is the folder of the session. */
  constructor(roots: readonly string[], onFault: (error: unknown) => void) {
    this.#roots = roots;
    this.#onFault = onFault;
  }

  /** These files went along with a prompt; absolute paths. */
  mentioned(paths: readonly string[]): void {
    const named = paths.map((path) => this.#nameOf(path));
    this.#mentioned = [...new Set([...named, ...this.#mentioned])].slice(0, MENTIONED);
  }

  async find(query: string, limit: number): Promise<Found> {
    this.#keep();
    const text = query.replace(/^(?:\.\/+)+/, '');
    const folder = text.slice(0, text.lastIndexOf('/') + 1);
    const listing = await this.#current(text);
    if (folder !== '' && !listing.folders.has(folder)) {
      const search = await this.#browse(folder, text.slice(folder.length));
      if (search) {
        const { hits, count } = search.find(text.slice(folder.length), limit);
        return { paths: hits.map(({ path }) => folder + path), more: count > limit };
      }
    }
    const { hits, count } = listing.search.find(text, limit + SPARE);
    const all = byScore([...(await this.#mentionedHits(text)), ...hits]);
    const there = await Promise.all(all.map(({ path }) => this.#onDisk(path)));
    const paths = [...new Set(there)].filter((path): path is string => path !== null);
    const within = paths.filter((path) => path !== folder).slice(0, limit);
    return { paths: within, more: count > limit || !listing.whole };
  }

  /** What is known; a stale listing serves while a new one is made. */
  async #current(text: string): Promise<Listing> {
    const { at = 0, took = 0 } = this.#listing ?? {};
    if (!this.#making && Date.now() - at > Math.max(STALE_MS, took * REST)) this.#make();
    const making = this.#making;
    if (making) await within(making.done, this.#listing ? AGAIN_MS : FIRST_MS);
    if (this.#listing || !making) return this.#listing!;
    const last = Date.now() + LAST_MS;
    for (let part = await partOf(making); ; part = await partOf(making)) {
      if (this.#listing) return this.#listing;
      if (part.search.find(text, 1).count > 0 || Date.now() > last) return part;
      await within(making.done, FIRST_MS / 3);
    }
  }

  #make(): void {
    const pieces: Listed[] = [];
    const begun = Date.now();
    const make = async (): Promise<void> => {
      try {
        await this.#list((piece) => pieces.push(piece));
      } catch (error) {
        this.#onFault(error);
      }
      const listing = await listingOf(pieces, true);
      this.#listing = { ...listing, at: Date.now(), took: Date.now() - begun };
      this.#making = null;
    };
    this.#making = { done: make(), pieces, part: null };
  }

  async #list(onListed: (piece: Listed) => void): Promise<void> {
    const [top, ...others] = this.#roots;
    await listFolder(top!, '', onListed);
    for (const root of others.filter((it) => !isInside(top!, it))) {
      const except = isInside(root, top!) ? { except: `${relative(root, top!)}/` } : {};
      await listFolder(root, `${root}/`, (piece) => onListed({ ...piece, ...except }));
    }
  }

  /** Names in a folder that is not listed: ignored, behind a link, or elsewhere. Null: there is none. */
  async #browse(folder: string, rest: string): Promise<Search | null> {
    const path = resolve(this.#roots[0]!, folder.replace(/^~(?=\/)/, homedir()));
    const items = await readdir(path, { withFileTypes: true }).catch(() => null);
    if (!items) return null;
    const isHidden = (name: string): boolean => name.startsWith('.') && !rest.startsWith('.');
    const names = items
      .filter(({ name }) => !isHidden(name))
      .map((item) => `${item.name}${item.isDirectory() ? '/' : ''}\0`);
    return (await listingOf([{ prefix: '', names: Buffer.from(names.join('')) }], true)).search;
  }

  async #mentionedHits(text: string): Promise<Hit[]> {
    if (this.#mentioned.length === 0) return [];
    const names = Buffer.from(this.#mentioned.map((path) => `${path}\0`).join(''));
    const { search } = await listingOf([{ prefix: '', names }], true);
    const { hits } = search.find(text, 2 * MENTIONED);
    return hits
      .map(({ path, score }) => ({ path, score, age: this.#mentioned.indexOf(path) }))
      .filter(({ age }) => age !== -1)
      .map(({ path, score, age }) => ({
        path,
        score: score - age + (text === '' ? BONUS_UNASKED : BONUS),
      }));
  }

  /** The path as it is on disk, a folder's with a slash; null where nothing is there any more. */
  async #onDisk(path: string): Promise<string | null> {
    const stats = await stat(resolve(this.#roots[0]!, path)).catch(() => null);
    if (!stats) return null;
    if (path.endsWith('/')) return stats.isDirectory() ? path : null;
    return stats.isDirectory() ? `${path}/` : path;
  }

  #nameOf(path: string): string {
    const top = this.#roots[0]!;
    return isInside(top, path) ? relative(top, path) : path;
  }

  #keep(): void {
    if (this.#unused) clearTimeout(this.#unused);
    this.#unused = setTimeout(() => (this.#listing = null), UNUSED_MS).unref();
  }
}

/** With git's list where there is one. */
async function listFolder(
  folder: string,
  prefix: string,
  onListed: (piece: Listed) => void,
): Promise<void> {
  if (!(await listGit(folder, prefix, onListed))) await new Walk(folder, prefix, onListed).run();
}

async function listingOf(pieces: readonly Listed[], whole: boolean): Promise<Listing> {
  const table = await PathTable.of(pieces);
  return { search: new Search(table), folders: table.folders, whole, at: 0, took: 0 };
}

/** What a listing has brought until now. */
async function partOf(making: Making): Promise<Listing> {
  const of = making.pieces.length;
  if (making.part?.of !== of) {
    making.part = { of, listing: await listingOf([...making.pieces], false) };
  }
  return making.part.listing;
}

/** Best first, each path once. */
function byScore(hits: readonly Hit[]): Hit[] {
  const sorted = hits.toSorted((a, b) => b.score - a.score);
  const seen = new Set<string>();
  return sorted.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** Ends when `work` does, or when `ms` have passed. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((done) => (timer = setTimeout(done, ms)))]);
  clearTimeout(timer);
}
