/** Runs git: nothing of the environment decides what it does, and nothing it may run by itself is run. */
import { spawn, type ChildProcess } from 'node:child_process';

/** Kept of the user's `GIT_*`: where git is and where its settings are. All else would lead it elsewhere. */
const KEPT = new Set([
  'GIT_EXEC_PATH',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
]);

export type Env = Readonly<Record<string, string | undefined>>;

/** The environment of a git that only reads what is the user's. */
export function plainEnv(): Env {
  const kept = Object.entries(process.env).filter(([key]) => !/^GIT_/i.test(key) || KEPT.has(key));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Git before 2.45 fetches what is missing all the same.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
  };
}

/** Git has ended with something else than success. */
export class GitError extends Error {
  constructor(
    args: readonly string[],
    /** Null: it was killed. */
    readonly code: number | null,
    stderr: string,
  ) {
    super(
      `git ${args.find((it) => !it.startsWith('-')) ?? ''}: ${stderr.trim() || `ended with ${code ?? 'a signal'}`}`,
    );
    this.name = 'GitError';
  }
}

/** No command needs longer; but files that are none, such as pipes, let git wait for ever. */
const LONGEST_MS = 30_000;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill()));

export interface RunOptions {
  cwd: string;
  env: Env;
  input?: Buffer | string | undefined;
  /** Ends git, which then removes its lock files. */
  signal?: AbortSignal | undefined;
}

/** What git writes to its stdout. Throws a `GitError`, the signal's reason, or what kept git from being started. */
export function git(args: readonly string[], options: RunOptions): Promise<Buffer> {
  const { cwd, env, input, signal = AbortSignal.timeout(LONGEST_MS) } = options;
  return new Promise((done, fail) => {
    signal.throwIfAborted();
    const child = spawn('git', args, { cwd, env: { ...env }, windowsHide: true });
    running.add(child);
    const stop = (): void => void child.kill();
    signal.addEventListener('abort', stop);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // A git that ends early doesn't read all; its exit code says why.
    child.stdin.on('error', () => undefined);
    child.on('error', fail);
    child.on('close', (code) => {
      running.delete(child);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) fail(signal.reason as Error);
      else if (code === 0) done(Buffer.concat(out));
      else fail(new GitError(args, code, Buffer.concat(err).toString()));
    });
    child.stdin.end(input ?? '');
  });
}

/** File names as they come with `-z`; null for one that is not UTF-8. */
export function names(out: Buffer): (string | null)[] {
  const text = out.toString();
  const all = text.split('\0').slice(0, -1);
  if (!text.includes('\uFFFD')) return all;
  let at = 0;
  return all.map((name) => {
    const end = out.indexOf(0, at);
    const bytes = out.subarray(at, end);
    at = end + 1;
    return Buffer.from(name).equals(bytes) ? name : null;
  });
}
