/** The sessions that are kept on this machine. Their format stands in `records.ts`. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isMissing } from '../client/faults';
import { Journal, lockOf } from './journal';
import { holderOf, releaseLock, takeLock } from './lock';
import { peek } from './peek';
import { Places } from './places';
import { VERSION, type Head, type Summary } from './records';
import { replayFile, type Replay, type StoredSession } from './replay';
import { summaryOf } from './summary';
import { sweep } from './sweep';

export interface StoreOptions {
  stateDir: string;
  limits: { maxAgeMs: number; maxBytes: number };
  now: () => number;
  /** Something is wrong with a file; told once for each. */
  onFault: (where: string, error: unknown) => void;
}

/** What a list shows of a session. */
export interface StoredSummary extends Summary {
  key: string;
  agent: string;
  cwd: string;
  /** Another process has it open. */
  busy: boolean;
}

/** The session is open, here or in another process. */
export class SessionBusy extends Error {
  override readonly name = 'SessionBusy';
  readonly key: string;
  /** Of that process; 0 where it has only just begun to open it. */
  readonly pid: number;

  constructor(key: string, pid: number) {
    super(`the session is open ${pid === process.pid ? 'here already' : 'in another Neovim'}`);
    this.key = key;
    this.pid = pid;
  }
}

/** Files that are read at a time. */
const AT_ONCE = 16;

export class Store {
  readonly #options: StoreOptions;
  readonly #places: Places;
  /** Those that are open here. */
  readonly #open = new Map<string, Journal>();
  /** Files of which was told that they are damaged, or of a newer version. */
  readonly #told = new Set<string>();

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#places = new Places(options.stateDir);
  }

  /** A new session. There is no file of it before something is in it that is worth one. */
  create({ agent, cwd, title }: { agent: string; cwd: string; title?: string }): Journal {
    const time = this.#options.now();
    const stamp = new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '');
    const key = `${stamp}-${randomBytes(5).toString('hex')}`;
    return this.#journal(key, this.#places.pathOf(cwd, key), {
      head: { v: VERSION, agent, cwd, time },
      ...(title !== undefined && { title }),
    });
  }

  /** Takes a session to write it on. Throws {@link SessionBusy}, and where there is none of that key. */
  async open(key: string): Promise<{ journal: Journal; stored: StoredSession }> {
    const path = await this.#places.find(key);
    if (this.#open.has(key)) throw new SessionBusy(key, process.pid);
    if (path === null) throw new Error('there is no such session any more');
    const lock = lockOf(path);
    const holder = takeLock(lock);
    if (holder !== null) throw new SessionBusy(key, holder);
    try {
      const { replay, session } = await this.#read(key, path);
      if (!replay.head || !session) throw new Error(`${path}: it does not begin like a session`);
      const readonly = replay.head.v > VERSION;
      if (readonly) releaseLock(lock);
      const stored = { session, summed: replay.summary !== null };
      const journal = this.#journal(key, path, { head: replay.head, stored, readonly });
      return { journal, stored: session };
    } catch (error) {
      releaseLock(lock);
      throw error;
    }
  }

  /** What is kept of a session, whoever has it open. */
  async read(key: string): Promise<StoredSession | null> {
    const path = await this.#places.find(key);
    return path === null ? null : (await this.#read(key, path)).session;
  }

  /** The sessions of a folder, or all of them; the last one first. */
  async list(cwd?: string): Promise<StoredSummary[]> {
    const files = await this.#places.list(cwd);
    const found: StoredSummary[] = [];
    const next = async (): Promise<void> => {
      for (let file = files.pop(); file; file = files.pop()) {
        const summary = await this.#summary(file);
        if (summary) found.push(summary);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return found.sort((a, b) => b.updated - a.updated || (a.key < b.key ? 1 : -1));
  }

  /** Deletes a session; one that is open here is not written to any more. */
  async remove(key: string): Promise<void> {
    const journal = this.#open.get(key);
    if (journal) return journal.discard();
    const path = await this.#places.find(key);
    if (path === null) return;
    const holder = takeLock(lockOf(path));
    if (holder !== null) throw new SessionBusy(key, holder);
    try {
      rmSync(path, { force: true });
    } finally {
      releaseLock(lockOf(path));
    }
  }

  /** Names a session that is not open. */
  async rename(key: string, title: string): Promise<void> {
    const { journal, stored } = await this.open(key);
    try {
      if (journal.readonly)
        throw new Error('a newer version of the plugin has written the session');
      journal.add({ k: 'title', title });
      journal.add({ k: 'summary', ...summaryOf({ ...stored, title }) });
    } finally {
      journal.close();
    }
  }

  /** Removes sessions that are too old, or more than there may be, the oldest first; and what dead processes left behind. */
  async sweep(): Promise<void> {
    await sweep(this.#places, this.#options);
  }

  #journal(key: string, path: string, of: Opening): Journal {
    const { now, onFault } = this.#options;
    const onClose = (): void => void this.#open.delete(key);
    const head = { k: 'head', ...of.head } as const;
    const journal = new Journal({ ...of, key, path, head, now, onFault, onClose });
    this.#open.set(key, journal);
    return journal;
  }

  async #read(
    key: string,
    path: string,
  ): Promise<{ replay: Replay; session: StoredSession | null }> {
    const { mtimeMs } = await stat(path);
    const replay = await replayFile(path);
    const { head, bad } = replay;
    if (head && head.v > VERSION) {
      this.#tell(
        path,
        'a newer version of the plugin has written it: it is only read, and nothing more of it kept',
      );
    } else if (bad > 0) {
      this.#tell(path, `${bad} of its records can't be read and are left out`);
    }
    return { replay, session: replay.session(key, mtimeMs) };
  }

  async #summary({ key, path }: { key: string; path: string }): Promise<StoredSummary | null> {
    try {
      const found = await peek(path);
      if (!found) return null;
      const { agent, cwd } = found.head;
      return { key, agent, cwd, ...found.summary, busy: this.#isBusy(path) };
    } catch (error) {
      // Deleted meanwhile.
      if (!isMissing(error)) this.#tell(path, error);
      return null;
    }
  }

  /** Where that can't be known, whoever opens it finds out. */
  #isBusy(path: string): boolean {
    try {
      const holder = holderOf(lockOf(path));
      return holder !== null && holder !== process.pid;
    } catch (error) {
      this.#tell(path, error);
      return false;
    }
  }

  #tell(path: string, what: unknown): void {
    if (this.#told.has(path)) return;
    this.#told.add(path);
    const error = typeof what === 'string' ? new Error(`${path}: ${what}`) : what;
    this.#options.onFault('store', error);
  }
}

interface Opening {
  head: Head;
  title?: string;
  stored?: { session: StoredSession; summed: boolean };
  readonly?: boolean;
}
