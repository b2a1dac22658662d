/**
 * The bundle as a classic remote plugin: Neovim's own node host loads it and calls the one function that it registers,
 * which opens a channel of its own to this Neovim and runs the same sidecar. Everything after that is the same.
 */
import { createConnection } from 'node:net';
import type { NvimPlugin } from 'neovim';
import { runSidecar } from './main';

/** Neovim calls it with the address of its server (`v:servername`); the answer comes when the channel stands. */
export function registerRemotePlugin(plugin: NvimPlugin): void {
  plugin.registerFunction(
    'AcpSidecarConnect',
    ([address]: [string]) =>
      new Promise<boolean>((resolve, reject) => {
        const socket = createConnection(address);
        socket.once('error', reject);
        socket.once('connect', () => {
          void runSidecar(socket, socket);
          resolve(true);
        });
      }),
    { sync: true },
  );
}
