import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from './eventually';
import { tempDir, whenDone } from './lifetime';
import { Rpc } from './rpc';
import { Screen } from './screen';
import type { Attrs, Cell } from './screen';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = process.env['NVIM'] || 'nvim';
const END_MS = 1000;

/** Groups whose default differs between 0.10 and 0.12, so that one golden screen does for both. In one line: errors in `init` keep their line numbers. */
const SAME_LOOKS = [
  "vim.api.nvim_set_hl(0, 'StatusLine', { fg = '#e0e2ea', bg = '#4f5258' })",
  "vim.api.nvim_set_hl(0, 'Folded', { fg = '#9b9ea4', bg = '#07080d' })",
  "vim.api.nvim_set_hl(0, 'PmenuSel', { reverse = true })",
  "vim.api.nvim_set_hl(0, 'SpecialKey', { link = 'Special' })",
].join(' ');

export type Version = '0.10' | '0.12';

export interface NvimOptions {
  columns?: number;
  lines?: number;
  /** Overrides of the environment; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  args?: string[];
  /** Lua that takes the place of the user's `init.lua`. */
  init?: string;
  /** The Neovim to start, in place of `$NVIM`. */
  program?: string;
  /** Those of a Neovim that has ended, to go on with what it has left. */
  dir?: string;
  home?: string;
}

/** A real Neovim with this plugin on its runtimepath and a user interface attached. */
export class Nvim {
  readonly grid = new Screen();
  /** Id of our own channel, for `vim.rpcnotify(channel, …)`; what comes is in {@link received}. `--embed` makes it the first. */
  readonly channel = 1;
  /** Resolves with the exit code, or the signal, when the process has ended. */
  readonly exited: Promise<number | string>;
  readonly #child: ChildProcess;
  readonly #rpc: Rpc;
  readonly #received: { method: string; args: unknown[] }[] = [];

  constructor(
    child: ReturnType<typeof spawnNvim>,
    /** Its working directory: an empty folder of its own. */
    readonly dir: string,
    /** Its home, which also holds its XDG folders. */
    readonly home: string,
    readonly version: Version,
  ) {
    this.#child = child;
    this.exited = new Promise((done) =>
      child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')),
    );
    this.#rpc = new Rpc(child.stdout, child.stdin, (method, args) => {
      if (method === 'redraw') this.grid.redraw(args);
      else this.#received.push({ method, args });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Attaches the user interface, for which Neovim waits before it starts up, and waits until it has. */
  async attach(columns: number, lines: number): Promise<void> {
    await this.request('nvim_ui_attach', columns, lines, { ext_linegrid: true, rgb: true });
    await eventually(async () => {
      const { blocking } = (await this.request('nvim_get_mode')) as { blocking: boolean };
      if (blocking) return;
      if ((await this.request('nvim_get_vvar', 'vim_did_enter')) !== 1)
        throw new Error('Neovim does not start up');
    });
  }

  request(method: string, ...args: unknown[]): Promise<unknown> {
    return this.#rpc.request(method, ...args);
  }

  /** Runs Lua; `...` holds the arguments, `return` gives the result. */
  lua<T = unknown>(code: string, ...args: unknown[]): Promise<T> {
    return this.request('nvim_exec_lua', code, args) as Promise<T>;
  }

  async command(command: string): Promise<void> {
    await this.request('nvim_command', command);
  }

  /** Types keys, as `:h nvim_input()`; returns when they are queued, not when they are done. */
  async input(keys: string): Promise<void> {
    await this.request('nvim_input', keys);
  }

  async resize(columns: number, lines: number): Promise<void> {
    await this.request('nvim_ui_try_resize', columns, lines);
  }

  screen(): string {
    return this.grid.text();
  }

  cell(row: number, col: number): Cell {
    return this.grid.cell(row, col);
  }

  attrsAt(row: number, col: number): Attrs {
    return this.cell(row, col).attrs;
  }

  get cursor(): { row: number; col: number } {
    return this.grid.cursor;
  }

  get mode(): string {
    return this.grid.mode;
  }

  /** What `:messages` shows. */
  async messages(): Promise<string> {
    const result = await this.request('nvim_exec2', 'messages', { output: true });
    return (result as { output: string }).output;
  }

  /** Arguments of each notification of that method that Lua sent to our channel, in order. */
  received(method: string): unknown[][] {
    return this.#received.filter((it) => it.method === method).map((it) => it.args);
  }

  /** Waits until a row of the screen holds `wanted`, and gives the zero-based place of its first character. */
  waitForScreen(
    wanted: string | RegExp,
    { timeout = 5000 }: { timeout?: number } = {},
  ): Promise<{ row: number; col: number }> {
    return new Promise((done, fail) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        unlisten();
        settle();
      };
      const look = () => {
        const place = this.find(wanted);
        if (place) finish(() => done(place));
      };
      const unlisten = this.grid.onFlush(look);
      const timer = setTimeout(
        () => finish(() => fail(new Error(`the screen never showed ${wanted}:\n${this.screen()}`))),
        timeout,
      );
      look();
    });
  }

  /** The zero-based place of the first match on the screen. */
  find(wanted: string | RegExp): { row: number; col: number } | undefined {
    for (const [row, cells] of this.grid.cells().entries()) {
      const text = cells.map((cell) => cell.text).join('');
      const index = typeof wanted === 'string' ? text.indexOf(wanted) : text.search(wanted);
      if (index < 0) continue;
      let length = 0;
      const col = cells.findIndex((cell) => (length += cell.text.length) > index);
      return { row, col };
    }
    return undefined;
  }

  /** Ends the process, by its id when it doesn't end when asked. */
  async close(): Promise<void> {
    this.#rpc.notify('nvim_command', 'qall!');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends the process as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}

const versions = new Map<string, Version>();

/** The version under test. */
export function nvimVersion(program = PROGRAM): Version {
  const known = versions.get(program);
  if (known) return known;
  const output = execFileSync(program, ['--version'], { encoding: 'utf8' });
  const version = Number(/^NVIM v0\.(\d+)/.exec(output)?.[1]) >= 12 ? '0.12' : '0.10';
  versions.set(program, version);
  return version;
}

function spawnNvim(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  return spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
}

/** An environment in which nothing of the machine's user is found, in a language and time zone that are the same everywhere. */
function isolated(home: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NVIM: undefined,
    VIMRUNTIME: undefined,
    NVIM_LOG_FILE: undefined,
    NVIM_APPNAME: undefined,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    XDG_CONFIG_DIRS: join(home, 'etc'),
    XDG_DATA_DIRS: join(home, 'share'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
  };
}

/** Starts a Neovim for the present test; it is ended with the test. */
export async function startNvim(options: NvimOptions = {}): Promise<Nvim> {
  const base = tempDir();
  const { dir = join(base, 'project'), home = join(base, 'home') } = options;
  mkdirSync(dir, { recursive: true });
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  const init = join(home, 'init.lua');
  writeFileSync(init, `${SAME_LOOKS} ${options.init ?? ''}`);

  const args = ['--clean', '-u', init, '--embed', '--cmd', `set runtimepath^=${ROOT}`];
  const env = { ...isolated(home), ...options.env };
  const program = options.program ?? PROGRAM;
  const version = nvimVersion(program);
  const child = spawnNvim(program, [...args, ...(options.args ?? [])], dir, env);
  const nvim = new Nvim(child, dir, home, version);
  whenDone(() => nvim.close());

  await nvim.attach(options.columns ?? 120, options.lines ?? 40);
  return nvim;
}
