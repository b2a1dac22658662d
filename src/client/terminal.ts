/** One command that an agent asked us to run: its process group, its output, its end. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { endGroup, groupAlive } from '../agent/group';
import { guard } from '../agent/guard';
import { startable, SYSTEM } from '../agent/launch';
import { quoted } from '../text';
import type { TerminalState } from '../session/model';
import { ByteTail } from './byte-tail';

export interface Command {
  id: string;
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Bytes of output that the agent can have. */
  limit: number;
}

export interface TerminalExit {
  exitCode: number | null;
  signal: string | null;
}

/** `more`: what its output has since the last time. */
export type OnChange = (state: TerminalState, more: string) => void;

const DISPLAY_LIMIT = 256 * 1024;
/** Between two reports of output; the first after a pause goes at once. */
const REPORT_MS = 30;
/** The pipes stay open while a child in the background holds them: the end of the command must not wait for it. */
const DRAIN_MS = 250;

export class Terminal {
  readonly #command: Command;
  readonly #answer: ByteTail;
  readonly #display = new ByteTail(DISPLAY_LIMIT);
  readonly #onChange: OnChange;
  #group: number | undefined;
  #exit: TerminalExit | null = null;
  #report: NodeJS.Timeout | null = null;
  #changed = false;
  #more = '';
  #ending: Promise<void> | null = null;
  /** Settles when the command runs; rejects with the system's error when it can't be started. */
  readonly started: Promise<void>;
  /** Settles when the command has ended and its output is complete; never rejects. */
  readonly exited: Promise<TerminalExit>;

  /** Throws what `spawn` throws: an argument with a NUL byte, a list of arguments that is too long. */
  constructor(command: Command, onChange: OnChange) {
    this.#command = command;
    this.#answer = new ByteTail(command.limit);
    this.#onChange = onChange;
    const { cwd, env } = command;
    const program = startable([command.command, ...command.args], cwd, { ...SYSTEM, env });
    const child = spawn(program.command, program.args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: program.verbatim ?? false,
    });
    this.#group = child.pid;
    if (child.pid !== undefined) guard.watch(child.pid);
    this.#take(child.stdout);
    this.#take(child.stderr);
    this.started = new Promise((resolve, reject) => {
      child.once('spawn', resolve).on('error', reject);
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    this.exited = new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => {
        const drained = new AbortController();
        const soon = delay(DRAIN_MS, null, { signal: drained.signal }).catch(() => null);
        void Promise.race([closed, soon]).then(() => {
          drained.abort();
          resolve(this.#ended({ exitCode, signal }));
        });
      });
    });
  }

  output(): { output: string; truncated: boolean; exitStatus?: TerminalExit } {
    return {
      output: this.#answer.toString(),
      truncated: this.#answer.truncated,
      ...(this.#exit && { exitStatus: this.#exit }),
    };
  }

  get running(): boolean {
    return !this.#exit;
  }

  /** Ends the command and all that it started: SIGTERM, then SIGKILL. Settles when nobody is left. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#group === undefined) return;
    await endGroup(this.#group, this.exited, 0);
    this.#gone(this.#group);
  }

  /** Nobody of the group is left; its number may soon be another's and is never signalled again. */
  #gone(group: number): void {
    guard.forget(group);
    this.#group = undefined;
  }

  #ended(exit: TerminalExit): TerminalExit {
    this.#exit = exit;
    const group = this.#group;
    if (group !== undefined && !this.#ending && !groupAlive(group)) this.#gone(group);
    this.#changed = true;
    this.#tell();
    return exit;
  }

  /** Each stream decodes for itself, so that one can't break a character of the other. */
  #take(stream: Readable | null): void {
    if (!stream) return;
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => this.#push(decoder.write(chunk)));
    stream.on('end', () => this.#push(decoder.end()));
    // A pipe that breaks is told by the exit.
    stream.on('error', () => {});
  }

  #push(text: string): void {
    if (!text) return;
    const bytes = Buffer.from(text);
    this.#answer.push(bytes);
    this.#display.push(bytes);
    this.#more += text;
    this.#changed = true;
    if (!this.#report) this.#tell();
  }

  #tell(): void {
    if (this.#report) clearTimeout(this.#report);
    this.#report = null;
    if (!this.#changed) return;
    this.#changed = false;
    this.#report = setTimeout(() => this.#tell(), REPORT_MS).unref();
    const more = this.#more;
    this.#more = '';
    this.#onChange(this.state(), more);
  }

  /** What the transcript shows. */
  state(): TerminalState {
    const { id, command, args, cwd } = this.#command;
    return {
      id,
      command: [command, ...args].map(quoted).join(' '),
      cwd,
      output: this.#display.toString(),
      truncated: this.#display.truncated,
      exit: this.#exit,
    };
  }
}
