/** The sidecar: one per Neovim, from the first message to the end of the channel. */
import type { Readable, Writable } from 'node:stream';
import { openDoor } from './nvim/door';
import { Sessions } from './session/sessions';

/** Runs until Neovim closes the channel; then no process of ours is left. */
export async function runSidecar(reader: Readable, writer: Writable): Promise<void> {
  const onFault = (where: string, error: unknown) => {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${where}: ${words}\n`);
  };
  const door = openDoor(reader, writer, (method, params) => sessions.handle(method, params));
  const sessions = new Sessions(door, onFault);

  process.on('unhandledRejection', (error) => onFault('unhandled rejection', error));
  process.on('uncaughtException', (error) => onFault('uncaught exception', error));
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve);
  });

  await Promise.race([door.closed, signalled]);
  await sessions.end();
}
