/** An agent's process: spawned without a shell, in a process group of its own, ended as a group. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { AgentSpec } from '../nvim/protocol';
import { endGroup, signalGroup } from './group';
import { guard } from './guard';
import { folderOf, launch } from './launch';

export interface Exit {
  /** Both null: the program could not be started. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started: `ENOENT` and the like. */
  spawnError?: NodeJS.ErrnoException;
}

/** Time that an agent gets after the end of its input before it is told to end: it may have a session to save. */
const EOF_GRACE_MS = 1500;
const STDERR_LINES = 20;
const STDERR_LINE_LENGTH = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class AgentProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #stderr: string[] = [];
  #partial = '';
  #ended = false;
  #ending = false;
  /** Settles once, when the process has ended or could not be started; never rejects. */
  readonly exited: Promise<Exit>;

  constructor(spec: AgentSpec, cwd: string) {
    const child = start(spec, cwd);
    if (child instanceof Error) {
      this.stdin = new PassThrough().resume();
      this.stdout = new PassThrough().end();
      this.#ended = true;
      this.exited = Promise.resolve({ code: null, signal: null, spawnError: child });
      return;
    }
    const { pid, stdin, stdout } = child;
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    if (pid !== undefined) guard.watch(pid);
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    // A broken pipe is told by the exit; without a listener it would end the sidecar.
    stdin.on('error', () => {});
    this.exited = exitOf(child);
    void this.exited.then(() => {
      this.#ended = true;
      // What the agent started and left behind, such as a wrapper's native child, goes with it.
      if (pid === undefined) return;
      signalGroup(pid, 'SIGKILL');
      guard.forget(pid);
    });
  }

  /** It runs, and was not told to end. */
  get running(): boolean {
    return !this.#ended && !this.#ending && this.pid !== undefined;
  }

  /** The last lines of stderr. */
  stderrTail(): string[] {
    const partial = this.#partial.trim();
    return partial ? [...this.#stderr, partial] : [...this.#stderr];
  }

  /** Ends it: end of input, then SIGTERM and SIGKILL to the whole group. */
  async end(): Promise<void> {
    // Of one that has ended, the number may be another's by now.
    if (this.pid === undefined || this.#ended) return;
    this.#ending = true;
    // What was answered a moment ago, such as open questions, still goes out.
    await new Promise((done) => setImmediate(done));
    this.stdin.end();
    await endGroup(this.pid, this.exited, EOF_GRACE_MS);
  }

  #keep(text: string): void {
    const lines = (this.#partial + text).split(/\r?\n/);
    this.#partial = (lines.pop() ?? '').slice(-STDERR_LINE_LENGTH);
    for (const line of lines) {
      if (line.trim()) this.#stderr.push(line.slice(0, STDERR_LINE_LENGTH));
    }
    this.#stderr.splice(0, this.#stderr.length - STDERR_LINES);
  }
}

/** The process, or why there is none: `spawn` throws some of the system's errors and emits the others. */
function start(spec: AgentSpec, cwd: string): Child | NodeJS.ErrnoException {
  try {
    const { command, args, verbatim = false } = launch(spec, cwd);
    return spawn(command, args, {
      cwd: folderOf(spec, cwd),
      env: { ...process.env, ...spec.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

function exitOf(child: Child): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (spawnError: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, spawnError });
    });
    child.once('exit', (code, signal) => {
      // Let the pipes run dry: the last words matter most.
      setImmediate(() => resolve({ code, signal }));
    });
  });
}
