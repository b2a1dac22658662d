/** The sidecar's end of the channel to Neovim. */
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { attach } from 'neovim';
import type { Editor } from './editor';

const CALL = "return require('acp.rpc').call(...)";

/** What Lua answers while Neovim's text is locked (`lua/acp/lock.lua`), and when to call again, in milliseconds. */
const LOCKED = 'locked';
const AGAIN_MS = 20;
const GONE = 'Neovim has gone';

/** What is asked of a Neovim that has gone fails. */
export interface Door extends Editor {
  /** Neovim's number of the channel. */
  readonly channel: Promise<number>;
  /** Resolves when Neovim has closed the channel. */
  readonly closed: Promise<void>;
}

/** Opens the door. `onNotification` gets what Lua sends, in order. */
export function openDoor(
  reader: Readable,
  writer: Writable,
  onNotification: (method: string, params: unknown) => void,
): Door {
  // With a logger of ours the client neither loads its own nor patches `console`.
  const nvim = attach({ reader, writer, options: { logger } });
  nvim.on('notification', (method: string, args: unknown[]) => onNotification(method, args[0]));
  // Belt and braces: this type of client may answer nested requests in any order.
  nvim.notify('nvim_set_client_info', ['acp-sidecar', {}, 'msgpack-rpc', {}, {}]);
  writer.on('error', () => {});

  async function call(method: string, params: unknown): Promise<unknown> {
    for (;;) {
      const result: unknown = await nvim.request('nvim_exec_lua', [CALL, [method, params]]);
      if (result !== LOCKED) return result;
      await setTimeout(AGAIN_MS);
    }
  }

  const closed = new Promise<void>((resolve) => {
    nvim.on('disconnect', () => resolve());
    reader.once('close', () => resolve());
  });
  // Whoever waits for an answer would wait for ever: the client doesn't tell.
  let isClosed = false;
  let giveUp: ((reason: Error) => void) | null = null;
  void closed.then(() => {
    isClosed = true;
    giveUp?.(new Error(GONE));
  });
  async function answered(method: string, params: unknown): Promise<unknown> {
    if (isClosed) throw new Error(GONE);
    try {
      return await new Promise((resolve, reject) => {
        giveUp = reject;
        call(method, params).then(resolve, reject);
      });
    } finally {
      giveUp = null;
    }
  }

  // One after the other, as Neovim takes them anyway: none overtakes one that has to be made again.
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: (method, params) => {
      const result = last.then(() => answered(method, params));
      last = result.catch(() => {});
      return result as Promise<never>;
    },
    channel: nvim.request('nvim_get_api_info').then((info) => (info as [number])[0]),
    closed,
  };
}

function log(level: string) {
  return (...parts: unknown[]) => {
    process.stderr.write(`${level}: ${parts.map(String).join(' ')}\n`);
    return logger;
  };
}

/** The client's own complaints go to stderr, which Lua keeps in its log. */
const logger = {
  level: 'warn',
  info: () => logger,
  debug: () => logger,
  warn: log('warn'),
  error: log('error'),
} as unknown as NonNullable<NonNullable<Parameters<typeof attach>[0]['options']>['logger']>;
