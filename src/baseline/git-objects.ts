/** Objects by their names, from one `git cat-file` that is asked again and again, and ended when it is not asked for a while. */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import type { GitDir } from './git-dir';

const IDLE_MS = 20_000;
const NEWLINE = 10;

type ObjectType = 'blob' | 'tree';

interface Request {
  type: ObjectType;
  done(content: Buffer | null): void;
  fail(error: Error): void;
}

/** An answer of which the head has been read. */
interface Answer {
  type: string;
  /** With the newline that follows the content. */
  size: number;
}

export class Objects {
  readonly #dir: GitDir;
  readonly #waiting: Request[] = [];
  #child: ChildProcessWithoutNullStreams | null = null;
  #idle: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #answer: Answer | null = null;

  constructor(dir: GitDir) {
    this.#dir = dir;
  }

  /** The content; null where there is no such object. */
  read(id: string, type: ObjectType): Promise<Buffer | null> {
    return new Promise((done, fail) => {
      const child = (this.#child ??= this.#start());
      this.#waiting.push({ type, done, fail });
      this.#hold(child, true);
      child.stdin.write(`${id}\n`);
    });
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.stdin.end();
    this.#child = null;
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn('git', ['cat-file', '--batch'], {
      cwd: this.#dir.top,
      env: { ...this.#dir.reading },
      windowsHide: true,
    });
    this.#chunks = [];
    this.#size = 0;
    this.#answer = null;
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      while (this.#next()) continue;
      if (this.#waiting.length === 0) this.#hold(child, false);
    });
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => undefined);
    const ended = (error: Error): void => {
      if (this.#child === child) this.#child = null;
      for (const request of this.#waiting.splice(0)) request.fail(error);
    };
    child.on('error', ended);
    child.on('close', () => {
      if (this.#child !== child && this.#child !== null) return;
      ended(new Error(`git cat-file: ${Buffer.concat(err).toString().trim() || 'has ended'}`));
    });
    return child;
  }

  /** Node must not end while something is asked for, and must not be kept alive when nothing is. */
  #hold(child: ChildProcessWithoutNullStreams, busy: boolean): void {
    clearTimeout(this.#idle);
    const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[];
    for (const handle of handles) {
      if (busy) handle.ref();
      else handle.unref();
    }
    if (!busy) this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  /** Reads a head or a content from what has come. False when more must come first. */
  #next(): boolean {
    if (this.#answer !== null) {
      const { type, size } = this.#answer;
      if (this.#size < size) return false;
      const content = this.#take(size).subarray(0, -1);
      this.#answer = null;
      const request = this.#waiting.shift();
      request?.done(type === request.type ? content : null);
      return true;
    }
    const end = this.#whole().indexOf(NEWLINE);
    if (end < 0) return false;
    const [, type = '', size] = this.#take(end + 1)
      .toString()
      .trim()
      .split(' ');
    if (size === undefined) this.#waiting.shift()?.done(null);
    else this.#answer = { type, size: Number(size) + 1 };
    return true;
  }

  #whole(): Buffer {
    const [first] = this.#chunks;
    const whole =
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #take(size: number): Buffer {
    const whole = this.#whole();
    this.#chunks = whole.length > size ? [whole.subarray(size)] : [];
    this.#size -= size;
    return whole.subarray(0, size);
  }
}
