/** The sidecar: one per Neovim, from the first message to the end of the channel. */
import type { Readable, Writable } from 'node:stream';
import { openDoor } from './nvim/door';
import { Sessions } from './session/sessions';

export interface Sidecar {
  /** Neovim's number of the channel. */
  readonly channel: Promise<number>;
  /** Resolves when Neovim has closed the channel. */
  readonly closed: Promise<void>;
  /** Ends all agents and terminals: then no process of ours is left. */
  end(): Promise<void>;
}

export function startSidecar(reader: Readable, writer: Writable): Sidecar {
  const door = openDoor(reader, writer, (method, params) => sessions.handle(method, params));
  const sessions = new Sessions(door, reportFault);
  return { channel: door.channel, closed: door.closed, end: () => sessions.end() };
}

/** Runs on this process's stdio until Neovim closes it or a signal asks for the end. */
export async function runSidecar(): Promise<void> {
  // Neovim may be gone, and with it who reads this.
  process.stderr.on('error', () => {});
  process.on('unhandledRejection', (error) => reportFault('unhandled rejection', error));
  process.on('uncaughtException', (error) => reportFault('uncaught exception', error));
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  const sidecar = startSidecar(process.stdin, process.stdout);
  await Promise.race([sidecar.closed, signalled]);
  await sidecar.end();
}

/** Lua keeps what comes on stderr in its log. */
function reportFault(where: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${where}: ${words}\n`);
}
