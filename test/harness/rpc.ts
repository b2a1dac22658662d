import type { Readable, Writable } from 'node:stream';
import msgpack from 'msgpack-lite';

/** Neovim's handles (buffer, window, tabpage) arrive as extension types 0–2; its API takes plain numbers back. */
const codec = msgpack.createCodec();
for (const type of [0, 1, 2]) codec.addExtUnpacker(type, (data) => msgpack.decode(data) as number);

const REQUEST = 0;
const RESPONSE = 1;
const NOTIFICATION = 2;

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** A msgpack-RPC connection to Neovim, written apart from the client that the plugin uses. */
export class Rpc {
  readonly #pending = new Map<number, Pending>();
  readonly #output: Writable;
  #lastId = 0;
  #closed: Error | undefined;

  constructor(
    input: Readable,
    output: Writable,
    onNotification: (method: string, args: unknown[]) => void,
  ) {
    this.#output = output;
    output.on('error', () => this.close('Neovim closed its end of the channel'));
    const messages = msgpack.createDecodeStream({ codec });
    input.pipe(messages);
    messages.on('data', (message: [number, ...unknown[]]) => {
      switch (message[0]) {
        case REQUEST:
          this.#send([RESPONSE, message[1], `no handler for ${String(message[2])}`, null]);
          break;
        case RESPONSE:
          this.#settle(message[1] as number, message[2] as [number, string] | null, message[3]);
          break;
        case NOTIFICATION:
          onNotification(message[1] as string, message[2] as unknown[]);
          break;
      }
    });
    messages.on('end', () => this.close('Neovim ended'));
  }

  request(method: string, ...args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send([REQUEST, id, method, args]);
    });
  }

  notify(method: string, ...args: unknown[]): void {
    this.#send([NOTIFICATION, method, args]);
  }

  /** Rejects what waits for an answer, and all that is asked from now on. */
  close(reason: string): void {
    this.#closed ??= new Error(reason);
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }

  #send(message: unknown[]): void {
    if (!this.#closed) this.#output.write(msgpack.encode(message, { codec }));
  }

  /** Neovim's errors are `[type, message]`. */
  #settle(id: number, error: [number, string] | null, result: unknown): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error == null) pending?.resolve(result);
    else pending?.reject(new Error(error[1]));
  }
}
