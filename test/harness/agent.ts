import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentSpec } from '../../src/nvim/protocol';
import { tempDir, whenDone } from './lifetime';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

/** A JSON-RPC message as the client sent it. */
export interface RpcMessage {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

/**
 * One thing that a scripted agent does. Steps run in order. In all strings `${name.path}` stands for a part of what was
 * named with `as` (a request or notification as received; the result of an answer), and `${i}` for the turn of the
 * innermost `repeat`.
 */
export type Step =
  /** Waits for a request or notification of that method; a request becomes the one that `reply` answers. */
  | { expect: string; as?: string }
  /** Answers the last expected request, or the one named `to`. */
  | { reply: unknown; to?: string }
  | { error: { code: number; message: string; data?: unknown }; to?: string }
  /** A `session/update` of the present session. */
  | { update: Record<string, unknown>; session?: string }
  | { notify: { method: string; params?: unknown } }
  /** Sends a request, with the present session's id when `params` has none, and waits for its answer; with `as` it goes on at once. */
  | { request: { method: string; params?: Record<string, unknown> }; as?: string }
  /** Waits for the answer to the request of that name. */
  | { answer: string }
  /** Bytes as they are: a line needs its `\n`. `latin1` allows any byte. */
  | { raw: string; encoding?: 'utf8' | 'latin1' | 'base64' }
  | { stderr: string }
  | { delay: number }
  | { repeat: number; steps: Step[] }
  /** The steps, if the value (such as `${answer.outcome.optionId}`) is the other. */
  | { when: [value: string, wanted: string]; steps: Step[] }
  /** A shell command in the session's folder, to its end, as an agent runs its own tools. */
  | { sh: string }
  /** Starts a process that lives on in the agent's process group. */
  | { spawn: string[] }
  /** Starts a daemon: in a session of its own, with the agent's pipes in its hands. */
  | { daemon: string[] }
  /** From here on, ignores the end of its input and SIGTERM. */
  | { stubborn: true }
  | { exit: number }
  | { kill: NodeJS.Signals };

interface Recorded {
  start?: number;
  child?: number;
  frame?: RpcMessage;
  raw?: string;
  ended?: true;
  fault?: string;
  awaits?: string;
  played?: true;
}

/** Whether there is a process of that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** How to start an agent of the harness, and what its processes saw. Only the fields of {@link AgentSpec} go to Neovim. */
export class HarnessAgent implements AgentSpec {
  readonly name: string;
  readonly command = process.execPath;
  readonly args: string[];
  /** A folder of its own. */
  protected readonly dir = tempDir();
  readonly #record: string;

  /** `program`: a file of this folder that takes `settings`. */
  constructor(name: string, program: string, settings: object) {
    const file = join(this.dir, 'settings.json');
    this.name = name;
    this.#record = join(this.dir, 'record.jsonl');
    this.args = [resolve(import.meta.dirname, program), file, this.#record];
    writeFileSync(file, JSON.stringify(settings));
    writeFileSync(this.#record, '');
    whenDone(() => this.#end());
  }

  /** What was received, in order, from all processes of this agent; of one method when it is given. */
  received(method?: string): RpcMessage[] {
    const frames = this.#entries().flatMap((it) => it.frame ?? []);
    return method === undefined ? frames : frames.filter((it) => it.method === method);
  }

  /** Lines received that are not JSON. */
  garbage(): string[] {
    return this.#entries().flatMap((it) => it.raw ?? []);
  }

  /** Ids of the agent's processes, in the order of their start. */
  pids(): number[] {
    return this.#entries().flatMap((it) => it.start ?? []);
  }

  /** Ids of the processes that `spawn` steps have started. */
  children(): number[] {
    return this.#entries().flatMap((it) => it.child ?? []);
  }

  /** Those of its processes that still run. */
  alive(): number[] {
    return [...this.pids(), ...this.children()].filter(isAlive);
  }

  /** Why the script could not be played, if it could not. */
  faults(): string[] {
    return this.#entries().flatMap((it) => it.fault ?? []);
  }

  /** What a replay waits for now; null: it has come to its end. */
  awaits(): string | null {
    const last = this.#entries().findLast((it) => it.awaits !== undefined || it.played);
    return last?.awaits ?? null;
  }

  #entries(): Recorded[] {
    const lines = readFileSync(this.#record, 'utf8').split('\n');
    // What follows the last newline is being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Recorded);
  }

  #end(): void {
    for (const pid of this.alive()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

/** An agent that follows a script, and does nothing else. */
export class ScriptedAgent extends HarnessAgent {
  constructor(script: object) {
    super('scripted', 'scripted-agent.mjs', script);
  }
}

/**
 * An agent that plays `steps`; when it is started again it plays the next of `later`, the last one for good. Unless the
 * steps expect them, `initialize` and `session/new` are answered, and other requests are refused; prompts that come when
 * the steps are done end at once.
 */
export function scriptedAgent(steps: Step[], ...later: Step[][]): ScriptedAgent {
  return new ScriptedAgent({ runs: [steps, ...later] });
}

/**
 * An agent that plays what a real one sent. `log`: a file of `test/fixtures/logs` without its suffix, such as
 * `claude/edit-allow`, or a path. It waits wherever the recorded client sent something for the like; `folder`, the
 * project in the recording, becomes the client's own. When it is started again it plays the next of `later`, the last one
 * for good.
 */
export function replayAgent(
  log: string,
  { folder = '/project', later = [] }: { folder?: string; later?: string[] } = {},
): ScriptedAgent {
  const logs = [log, ...later].map((it) =>
    it.endsWith('.jsonl') ? it : join(LOGS, `${it}.jsonl`),
  );
  return new ScriptedAgent({ replay: { logs, folder } });
}
