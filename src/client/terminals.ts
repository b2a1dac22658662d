/** `terminal/*`: commands that a session's agent asks us to run. No shell in between. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { codeOf } from './faults';
import { Terminal, type OnChange, type TerminalExit } from './terminal';

export interface TerminalsOptions {
  /** Where a command runs that names no folder. */
  cwd: string;
  /** What commands inherit; the sidecar's own environment when absent. */
  env?: NodeJS.ProcessEnv;
  /** A terminal was created, has new output (at most some 30 times a second) or has ended. */
  onChange: OnChange;
}

interface CreateParams {
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  cwd?: string | null;
  outputByteLimit?: number | null;
}

interface Named {
  terminalId: string;
}

const DEFAULT_LIMIT = 1024 * 1024;
/** Agents that want all of it ask for 2⁶⁴ bytes. */
const MAX_LIMIT = 16 * 1024 * 1024;

export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  /** Those that are being ended, released ones too. */
  readonly #ending = new Set<Promise<void>>();
  #disposed = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  /** Whether a command runs. */
  get running(): boolean {
    return [...this.#terminals.values()].some((terminal) => terminal.running);
  }

  /** Answers when the command runs. */
  async create(params: CreateParams): Promise<{ terminalId: string }> {
    const cwd = params.cwd || this.#options.cwd;
    await requireFolder(cwd);
    if (this.#disposed) throw RequestError.internalError(undefined, 'the session has ended');
    return { terminalId: await this.#start(params, cwd) };
  }

  async output({ terminalId }: Named): Promise<ReturnType<Terminal['output']>> {
    return this.#get(terminalId).output();
  }

  async waitForExit({ terminalId }: Named): Promise<TerminalExit> {
    return this.#get(terminalId).exited;
  }

  /** Ends the command with all that it started; answers when it has ended. The terminal stays. */
  async kill({ terminalId }: Named): Promise<Record<string, never>> {
    const terminal = this.#get(terminalId);
    await Promise.all([terminal.exited, this.#end(terminal)]);
    return {};
  }

  /** Whether there is such a command, and it runs. */
  runs(terminalId: string): boolean {
    return this.#terminals.get(terminalId)?.running ?? false;
  }

  /** The user wants it to end; false where there is no such command. */
  stop(terminalId: string): boolean {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal?.running) return false;
    void this.#end(terminal);
    return true;
  }

  /** As {@link kill}, at once; the id means nothing any more. */
  async release({ terminalId }: Named): Promise<Record<string, never>> {
    const terminal = this.#get(terminalId);
    this.#terminals.delete(terminalId);
    void this.#end(terminal);
    return {};
  }

  /** Ends all; settles when nothing of them runs. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const terminal of this.#terminals.values()) void this.#end(terminal);
    this.#terminals.clear();
    await Promise.all(this.#ending);
  }

  async #start(params: CreateParams, cwd: string): Promise<string> {
    const id = `terminal-${randomUUID()}`;
    const { command, args, env, outputByteLimit } = params;
    try {
      const terminal = new Terminal(
        {
          id,
          command,
          args: args ?? [],
          cwd,
          env: {
            ...(this.#options.env ?? process.env),
            ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
          },
          limit: Math.min(outputByteLimit ?? DEFAULT_LIMIT, MAX_LIMIT),
        },
        this.#options.onChange,
      );
      // Ours from the first, before the agent knows it: the session may end in between.
      this.#terminals.set(id, terminal);
      await terminal.started;
      this.#options.onChange(terminal.state(), '');
      return id;
    } catch (error) {
      this.#terminals.delete(id);
      throw startFault(error, command, args ?? []);
    }
  }

  #end(terminal: Terminal): Promise<void> {
    const end = terminal.end().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
    return end;
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal) return terminal;
    throw RequestError.invalidParams({ terminalId: id }, `there is no terminal ${id}`);
  }
}

async function requireFolder(cwd: string): Promise<void> {
  const stats = isAbsolute(cwd) && !cwd.includes('\0') ? await stat(cwd).catch(() => null) : null;
  if (!stats?.isDirectory()) {
    throw RequestError.invalidParams({ cwd }, `${cwd}: "cwd" is not an absolute path to a folder`);
  }
}

/** Why a command could not be started, in words that help an agent to ask again. */
function startFault(error: unknown, command: string, args: string[]): RequestError {
  if (codeOf(error) === 'ENOENT' && args.length === 0 && /\s/.test(command.trim())) {
    return RequestError.invalidParams(
      { command },
      `no program is named "${command}": commands run without a shell, so "command" holds the program ` +
        'and "args" its arguments; for shell syntax use command "sh" with args ["-c", "…"]',
    );
  }
  const reason =
    { ENOENT: 'program not found', EACCES: 'not executable', E2BIG: 'too many arguments' }[
      codeOf(error) ?? ''
    ] ?? (error instanceof Error ? error.message : String(error));
  return RequestError.invalidParams({ command }, `${command}: ${reason}`);
}
