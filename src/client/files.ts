/** `fs/read_text_file` and `fs/write_text_file`: loaded buffers first, then the disk. */
import { RequestError } from '@agentclientprotocol/sdk';
import type { Editor } from '../nvim/editor';
import { readLines, writeText, type LineRange } from './disk';
import { fault, faultOf, isMissing } from './faults';
import { resolveInside } from './roots';

export interface FilesOptions {
  editor: Editor;
  /** The session's folders, absolute: its own, the additional ones, and those that the configuration grants the agent. */
  roots: readonly string[];
}

/** What one session's agent may do with files. */
export class Files {
  readonly #editor: Editor;
  readonly #roots: readonly string[];
  #resolved: Promise<unknown> = Promise.resolve();

  constructor({ editor, roots }: FilesOptions) {
    this.#editor = editor;
    this.#roots = roots;
  }

  /**
   * The text of the loaded buffer, unsaved changes included, else of the file. `line` is 1-based; absent, null or 0
   * mean from the first, and for `limit` all. Lines come with their line ends: what is past the end is empty.
   */
  async readTextFile(params: {
    path: string;
    line?: number | null;
    limit?: number | null;
  }): Promise<{ content: string }> {
    const { path } = params;
    const real = await this.#resolve(path);
    const range = { first: (params.line || 1) - 1, count: params.limit || Infinity };
    return inTurn(real, async () => {
      const buffer = await this.#editor.request('buffer.read', { path: real, ...asked(range) });
      if (buffer) return { content: buffer.text };
      try {
        return { content: await readLines(real, range) };
      } catch (error) {
        if (isMissing(error)) throw RequestError.resourceNotFound(path);
        throw faultOf(error, path);
      }
    });
  }

  /** Writes through the loaded buffer and saves it, else to disk, creating folders. */
  async writeTextFile({
    path,
    content,
  }: {
    path: string;
    content: string;
  }): Promise<Record<string, never>> {
    const real = await this.#resolve(path);
    return inTurn(real, async () => {
      const buffer = await this.#editor.request('buffer.write', { path: real, text: content });
      if (buffer && 'error' in buffer) throw fault(path, buffer.error);
      if (!buffer) {
        await writeText(real, content).catch((error: unknown) => {
          throw faultOf(error, path);
        });
      }
      return {};
    });
  }

  /** One after the other, so that requests keep their order. */
  #resolve(path: string): Promise<string> {
    const resolve = (): Promise<string> => resolveInside(path, this.#roots);
    const real = this.#resolved.then(resolve, resolve);
    this.#resolved = real;
    return real;
  }
}

/** The range as the editor takes it: without what goes without saying. */
function asked({ first, count }: LineRange): { line?: number; limit?: number } {
  return { ...(first > 0 && { line: first + 1 }), ...(count < Infinity && { limit: count }) };
}

/** The last work on each path, of all sessions. */
const last = new Map<string, Promise<unknown>>();

/** Does `work` when all earlier work on `path` has ended, so that writes never cross and a read sees them. */
async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(path);
  const now = before === undefined ? work() : before.then(work, work);
  last.set(path, now);
  try {
    return await now;
  } finally {
    if (last.get(path) === now) last.delete(path);
  }
}
