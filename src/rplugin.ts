/**
 * The bundle as a classic remote plugin: Neovim's own node host loads it and calls the one function that it registers,
 * which opens a channel of its own to this Neovim and runs the same sidecar. Everything after that is the same.
 */
import { createConnection } from 'node:net';
import type { NvimPlugin } from 'neovim';
import { startSidecar } from './main';

/**
 * Neovim calls it with the address of its server (`v:servername`) and gets the number of the channel, on which it then
 * sends what it would send to a sidecar of its own; see `connect_remote()` in `lua/acp/sidecar.lua`.
 */
export function registerRemotePlugin(plugin: NvimPlugin): void {
  plugin.registerFunction(
    'AcpSidecarConnect',
    ([address]: [string]) =>
      new Promise<number>((resolve, reject) => {
        const socket = createConnection(address);
        socket.once('error', reject);
        socket.once('connect', () => {
          const sidecar = startSidecar(socket, socket);
          void sidecar.closed.then(() => sidecar.end());
          sidecar.channel.then(resolve, reject);
        });
      }),
    { sync: true },
  );
}
