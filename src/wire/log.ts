import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  write,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isSuspect, writeFrame, writeRaw } from './redact';

/** What has gathered is written when nothing came for this time, in milliseconds: the screen goes first. */
const QUIET_MS = 50;
/** In a flood it is written after this time, or when it is that long. */
const LATEST_MS = 1000;
const FLUSH_LENGTH = 8 * 1024 * 1024;
/** Length of one write. */
const WRITE_LENGTH = 1024 * 1024;
/** When the disk can't keep up, frames beyond this are dropped and counted. */
const MAX_PENDING = 16 * 1024 * 1024;

/** Longer chunks are looked at whole, and cut. */
const LONG_CHUNK = 16 * 1024;

/** What is shorter stands in many places that are no secret. */
const SHORTEST_SECRET = 6;
const HIDDEN = '[redacted]';

const OLDER = '.older.jsonl';

/** The end of a frame's line; chunks have few sizes. */
const sizeEnds: string[] = [];
function sizeEnd(bytes: number): string {
  if (bytes >= 1024) return `,"b":${bytes}}\n`;
  return (sizeEnds[bytes] ??= `,"b":${bytes}}\n`);
}

/** The log's lines for message chunks. Flat pieces, joined once: strings put together one by one are copied twice. */
function chunkLines(before: string, lines: string[]): string {
  const parts: string[] = [];
  for (const line of lines) {
    const plain = line.length <= LONG_CHUNK && !isSuspect(line);
    const json = plain ? line : writeFrame(JSON.parse(line), line);
    parts.push(before, json, sizeEnd(Buffer.byteLength(line)));
  }
  return parts.join('');
}

export interface WireLogOptions {
  /** Folder of the logs; made when it is missing. */
  dir: string;
  agent: string;
  /** Most that one log takes on disk. */
  maxBytes: number;
  /** Logs that are kept, this one included. */
  maxFiles: number;
  enabled: boolean;
  /** Told once when the log can't be written; from then on nothing is. */
  onFault?: (message: string) => void;
}

/**
 * The wire log of one agent process: a JSON line for each frame in either direction, with its time, direction and
 * size, in the order in which they came.
 *
 * Frames are only gathered; writing happens in the background, one write at a time, and yields to a flood. A log holds
 * two halves: when the file has reached half of `maxBytes` it becomes `….older.jsonl`, in place of the former, and is
 * begun anew.
 */
export class WireLog {
  /** Where it is written, `null` when it is not. */
  readonly path: string | null = null;
  readonly #options: WireLogOptions;
  readonly #start = performance.now();
  #fd: number | null = null;
  /** Lines, or what puts them together when there is time for it. */
  #pending: { lines: string | (() => string); length: number }[] = [];
  #pendingLength = 0;
  /** When the oldest of them came. */
  #pendingSince = 0;
  #dropped = 0;
  /** What must stand nowhere, as it would in JSON. */
  readonly #secrets = new Set<string>();
  /** Bytes in the file. */
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;

  constructor(options: WireLogOptions) {
    this.#options = options;
    if (!options.enabled) return;
    try {
      mkdirSync(options.dir, { recursive: true, mode: 0o700 });
      this.path = this.#create();
      removeOldest(options.dir, basename(this.path), options.maxFiles);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.event({ start: new Date().toISOString(), agent: options.agent, pid: process.pid });
  }

  /** `c2a`: to the agent, `a2c`: from it. `json`: the frame as it stands on the wire. */
  frame(dir: 'c2a' | 'a2c', frame: unknown, json: string): void {
    if (this.#fd === null || this.#isFull()) return;
    const bytes = Buffer.byteLength(json);
    this.#push(
      `{"t":${this.#now()},"dir":"${dir}","frame":${writeFrame(frame, json)},"b":${bytes}}\n`,
    );
  }

  /** Message chunks from the agent, a line each. */
  chunks(lines: string[]): void {
    if (this.#fd === null || this.#isFull(lines.length)) return;
    const before = `{"t":${this.#now()},"dir":"a2c","frame":`;
    // As bytes: strings that wait for their time would be copied by each garbage collection.
    const bytes = Buffer.from(lines.join('\n'));
    this.#push(() => chunkLines(before, bytes.toString().split('\n')), bytes.length);
  }

  /** A line that is not JSON. */
  raw(dir: 'c2a' | 'a2c', text: string, bytes: number): void {
    if (this.#fd === null || this.#isFull()) return;
    this.#push(`{"t":${this.#now()},"dir":"${dir}","raw":${writeRaw(text)},"b":${bytes}}\n`);
  }

  /** Something that happened to the process: `spawn`, `exit` … */
  event(data: Record<string, unknown>): void {
    if (this.#fd === null) return;
    this.#push(this.#event(data));
  }

  /** From here on this stands nowhere in the log, whoever says it and wherever. */
  hide(secret: string): void {
    if (secret.length >= SHORTEST_SECRET) this.#secrets.add(JSON.stringify(secret).slice(1, -1));
  }

  /** Resolves when all that was given so far is written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing ??= this.#drain().finally(() => {
      this.#writing = null;
    }));
  }

  /** Writes what is left and closes the file. */
  async close(): Promise<void> {
    await this.flush();
    this.#end();
  }

  #event(data: Record<string, unknown>): string {
    const event = { t: this.#now(), dir: 'ev', ...data };
    return `${writeFrame(event, JSON.stringify(event))}\n`;
  }

  #now(): number {
    return Math.round(performance.now() - this.#start);
  }

  #isFull(frames = 1): boolean {
    if (this.#pendingLength < Math.min(MAX_PENDING, this.#options.maxBytes / 4)) return false;
    this.#dropped += frames;
    return true;
  }

  #push(lines: string | (() => string), length = (lines as string).length): void {
    const now = performance.now();
    if (this.#pending.length === 0) this.#pendingSince = now;
    this.#pending.push({ lines, length });
    this.#pendingLength += length;
    const most = Math.min(FLUSH_LENGTH, this.#options.maxBytes / 8);
    if (this.#pendingLength >= most || now - this.#pendingSince > LATEST_MS) void this.flush();
    else if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => void this.flush(), QUIET_MS).unref();
  }

  /** One write at a time; what comes meanwhile goes with the next. */
  async #drain(): Promise<void> {
    while (this.#fd !== null && this.#pending.length > 0) await this.#write();
  }

  async #write(): Promise<void> {
    let data = Buffer.from(this.#take());
    if (this.#dropped > 0) {
      this.event({ dropped: this.#dropped });
      this.#dropped = 0;
    }
    try {
      if (this.#size > 0 && this.#size + data.length > this.#options.maxBytes / 2) {
        const note = this.#event({ continues: this.#rotate() });
        data = Buffer.concat([Buffer.from(note), data]);
      }
      for (let from = 0; from < data.length && this.#fd !== null;)
        from += await append(this.#fd, data, from);
      this.#size += data.length;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The oldest lines, as many as go in one write. */
  #take(): string {
    let length = 0;
    let count = 0;
    while (count < this.#pending.length && length < WRITE_LENGTH) {
      length += this.#pending[count++]!.length;
    }
    this.#pendingLength -= length;
    const text = this.#pending
      .splice(0, count)
      .map(({ lines }) => (typeof lines === 'string' ? lines : lines()))
      .join('');
    return [...this.#secrets].reduce((all, secret) => all.replaceAll(secret, HIDDEN), text);
  }

  /** Opens a file of a name that no log has yet. */
  #create(): string {
    const agent = this.#options.agent.replace(/[^\w.-]+/g, '-');
    const stamp = new Date()
      .toISOString()
      .replace(/\..*|[-:]/g, '')
      .replace('T', '-');
    for (let n = 1; ; n++) {
      const path = join(
        this.#options.dir,
        `${stamp}-${agent}-${process.pid}${n > 1 ? `-${n}` : ''}.jsonl`,
      );
      try {
        this.#fd = openSync(path, 'ax', 0o600);
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  /** Begins the file anew. The name of what is now the older half. */
  #rotate(): string {
    const path = this.path!;
    const older = path.replace(/\.jsonl$/, OLDER);
    this.#end();
    // Another Neovim may have removed it as the oldest.
    if (existsSync(path)) renameSync(path, older);
    this.#fd = openSync(path, 'a', 0o600);
    this.#size = 0;
    return basename(older);
  }

  #end(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #fail(error: unknown): void {
    this.#pending = [];
    this.#pendingLength = 0;
    const reason = error instanceof Error ? error.message : String(error);
    try {
      this.#end();
    } catch {
      // The file is of no use any more, closed or not; the fault below is what the user needs.
      this.#fd = null;
    }
    this.#options.onFault?.(`the wire log is off: ${reason}`);
  }
}

function append(fd: number, data: Buffer, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, data, from, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

/** Names begin with the time, so that the oldest log is the first. */
function removeOldest(dir: string, own: string, keep: number): void {
  const logs = readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl') && !name.endsWith(OLDER) && name !== own)
    .sort();
  for (const name of logs.slice(0, Math.max(0, logs.length + 1 - keep))) {
    rmSync(join(dir, name), { force: true });
    rmSync(join(dir, name.replace(/\.jsonl$/, OLDER)), { force: true });
  }
}
