/** The file of a session, as its one writer has it. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../client/faults';
import { LOCK, releaseLock, takeLock } from './lock';
import { TORN, type JournalRecord, type Summary } from './records';
import type { StoredSession } from './replay';

const NEWLINE = 0x0a;

export interface JournalOptions {
  key: string;
  path: string;
  /** The first record of the file. */
  head: JournalRecord & { k: 'head' };
  /** What the session is called from the beginning. */
  title?: string | null;
  /** What the file holds already, and whether that ends with a summary. Absent: there is none yet. */
  stored?: { session: StoredSession; summed: boolean };
  /** It is of a newer version: nothing is written. */
  readonly?: boolean;
  now: () => number;
  onFault: (where: string, error: unknown) => void;
  onClose: () => void;
}

/** Where the lock of a journal is. */
export function lockOf(path: string): string {
  return path.replace(/\.jsonl$/, LOCK);
}

export class Journal {
  readonly key: string;
  /** What the session was called when it was created. */
  readonly title: string | null;
  /** It was written by a newer version: nothing more is kept. */
  readonly readonly: boolean;
  readonly now: () => number;
  readonly #options: JournalOptions;
  /** Lines that were added since the last flush. */
  #lines: string[] = [];
  /** What is to be written, as bytes; of the first, what could be written is gone. */
  #bytes: Buffer[] = [];
  #fd: number | null = null;
  #locked: boolean;
  /** There is a file, or something that is worth one. */
  #worth: boolean;
  #summary: Summary | null = null;
  #stored: NonNullable<JournalOptions['stored']> | null;
  #told = false;
  #closed = false;
  /** The file has been taken away: whoever writes adds everything again. */
  onGone: () => void = () => {};

  constructor(options: JournalOptions) {
    this.key = options.key;
    this.readonly = options.readonly ?? false;
    this.now = options.now;
    this.#options = options;
    this.#stored = options.stored ?? null;
    this.#worth = options.stored !== undefined;
    this.#locked = options.stored !== undefined && !this.readonly;
    this.title = options.title ?? null;
    if (options.stored) return;
    this.add(options.head);
    if (this.title !== null) this.add({ k: 'title', title: this.title });
  }

  /** Whether something of the session is kept, or will be with the next flush. */
  get kept(): boolean {
    return this.#worth;
  }

  /** What the file held when it was opened, once. */
  takeStored(): NonNullable<JournalOptions['stored']> | null {
    const stored = this.#stored;
    this.#stored = null;
    return stored;
  }

  /** Adds to what the next flush writes; gives its length. A list holds whole or not at all. */
  add(record: JournalRecord | JournalRecord[]): number {
    const records = Array.isArray(record) ? record : [record];
    if (this.#closed || this.readonly || records.length === 0) return 0;
    for (const each of records) {
      if (each.k === 'summary') this.#summary = each;
      this.#worth ||= isWorthKeeping(each);
    }
    try {
      const line = JSON.stringify(records.length === 1 ? records[0] : records);
      this.#lines.push(line, '\n');
      return line.length;
    } catch (error) {
      this.#options.onFault('store', error); // Longer than a string can be.
      return 0;
    }
  }

  /**
   * Writes what was added, before it returns: then it is with the system, and outlives this process. What can't be written
   * waits for the next flush.
   */
  flush(): void {
    if ((this.#lines.length === 0 && this.#bytes.length === 0) || !this.#worth) return;
    try {
      if (this.#fd !== null && !existsSync(this.#options.path)) this.#begin();
      const lines = this.#lines;
      this.#lines = [];
      if (lines.length > 0) this.#bytes.push(Buffer.from(lines.join('')));
      this.#write((this.#fd ??= this.#open()));
      this.#told = false;
    } catch (error) {
      if (!this.#told) this.#options.onFault('store', this.#words(error));
      this.#told = true;
    }
  }

  /** The end: nothing is taken any more. A file in which nothing waits and nothing was said is removed. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    const { path, onClose } = this.#options;
    const empty = this.#summary !== null && this.#summary.prompts === 0 && !this.#summary.draft;
    this.#end(empty ? path : null);
    onClose();
  }

  /** The session is deleted: its file goes, and what was not written yet. */
  discard(): void {
    if (this.#closed) return;
    this.#end(this.#options.path);
    this.#options.onClose();
  }

  #end(remove: string | null): void {
    this.#closed = true;
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#lines = [];
    this.#bytes = [];
    if (!this.#locked) return;
    try {
      if (remove !== null) rmSync(remove, { force: true });
      releaseLock(lockOf(this.#options.path));
    } catch (error) {
      this.#options.onFault('store', error);
    }
  }

  #write(fd: number): void {
    for (let bytes = this.#bytes[0]; bytes; bytes = this.#bytes[0]) {
      const count = writeSync(fd, bytes);
      if (count === bytes.length) this.#bytes.shift();
      else this.#bytes[0] = bytes.subarray(count);
    }
  }

  /** Somebody has removed the file: it begins anew, with all that there is. */
  #begin(): void {
    closeSync(this.#fd!);
    this.#fd = null;
    releaseLock(lockOf(this.#options.path));
    this.#locked = false;
    this.#bytes = [];
    this.#lines = [];
    this.add(this.#options.head);
    this.onGone();
  }

  #open(): number {
    const { path } = this.#options;
    privateFolder(dirname(dirname(path)));
    privateFolder(dirname(path));
    if (!this.#locked) {
      const holder = takeLock(lockOf(path));
      if (holder !== null) throw new Error(`process ${holder} has it open`);
      this.#locked = true;
    }
    const fd = openSync(path, 'a+', 0o600);
    try {
      fchmodSync(fd, 0o600);
      const { size } = fstatSync(fd);
      const last = Buffer.alloc(1);
      if (size > 0) readSync(fd, last, 0, 1, size - 1);
      if (size > 0 && last[0] !== NEWLINE) this.#bytes.unshift(Buffer.from(`${TORN}\n`));
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  #words(error: unknown): Error {
    const { path } = this.#options;
    const words = `${path}: the session can't be kept (${reasonOf(error)}); it is tried again`;
    return new Error(words, { cause: error });
  }
}

function isWorthKeeping(record: JournalRecord): boolean {
  switch (record.k) {
    case 'block':
      return record.block.kind === 'user';
    case 'draft':
      return (record.ins ?? '').trim() !== '';
    case 'attached':
    case 'queued':
      return record.attachments.length > 0;
    default:
      return false;
  }
}

/** Makes a folder that only its owner can look into. */
function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
