import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startNvim, type Nvim } from '../harness';

export type WriteResult = { ok: true } | { error: string } | { stale: true } | null;

/** A Neovim and files in its folder, with the two calls of the sidecar that concern buffers. */
export class BufferRig {
  constructor(readonly nvim: Nvim) {}

  static async start(init?: string): Promise<BufferRig> {
    return new BufferRig(await startNvim(init === undefined ? {} : { init }));
  }

  at(name: string): string {
    return join(this.nvim.dir, name);
  }

  /** `content` is bytes. */
  make(name: string, content: string): string {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), Buffer.from(content, 'latin1'));
    return this.at(name);
  }

  /** The bytes on disk. */
  disk(name: string): string {
    return readFileSync(this.at(name), 'latin1');
  }

  /** Makes the file and edits it in the current window. */
  async edit(name: string, content?: string): Promise<void> {
    if (content !== undefined) this.make(name, content);
    await this.lua('vim.cmd.edit(vim.fn.fnameescape(...))', this.at(name));
  }

  lua<T = unknown>(code: string, ...args: unknown[]): Promise<T> {
    return this.nvim.lua<T>(code, ...args);
  }

  async read(name: string, range: { line?: number; limit?: number } = {}): Promise<string | null> {
    const result = await this.#call('buffer.read', { path: this.at(name), ...range });
    return result === null ? null : (result as { text: string }).text;
  }

  async write(name: string, text: string, was?: string): Promise<WriteResult> {
    const params = { path: this.at(name), text, ...(was !== undefined && { was }) };
    return (await this.#call('buffer.write', params)) as WriteResult;
  }

  lines(): Promise<string[]> {
    return this.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, true)');
  }

  #call(method: string, params: object): Promise<unknown> {
    return this.lua("return require('acp.rpc').call(...)", method, params);
  }
}

export const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');
