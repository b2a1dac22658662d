/** What agents last saw of files, so that a write tells what was changed since. Texts of all sessions share one bound. */

/** Longer texts are not kept, in bytes. */
export const MAX_TEXT = 2 * 1024 * 1024;
const MAX_SUM = 64 * 1024 * 1024;

/** Texts by name in bounded memory: those that were not asked for longest go first. */
class Texts {
  readonly #texts = new Map<string, { text: string; size: number }>();
  #sum = 0;

  get(name: string): string | undefined {
    const found = this.#texts.get(name);
    if (!found) return undefined;
    this.#texts.delete(name);
    this.#texts.set(name, found);
    return found.text;
  }

  set(name: string, text: string): void {
    this.delete(name);
    const size = Buffer.byteLength(text);
    if (size > MAX_TEXT) return;
    this.#texts.set(name, { text, size });
    this.#sum += size;
    for (const oldest of this.#texts.keys()) {
      if (this.#sum <= MAX_SUM) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#sum -= this.#texts.get(name)?.size ?? 0;
    this.#texts.delete(name);
  }

  deleteAll(prefix: string): void {
    for (const name of this.#texts.keys()) if (name.startsWith(prefix)) this.delete(name);
  }
}

const texts = new Texts();
let sessions = 0;

/** The texts of files as the agent of one session believes them to be. Paths are real. */
export class Versions {
  readonly #prefix = `${++sessions}\0`;

  get(path: string): string | undefined {
    return texts.get(this.#prefix + path);
  }

  /** `text` is what the agent read or wrote now; null: it can't be kept. */
  set(path: string, text: string | null): void {
    if (text === null) texts.delete(this.#prefix + path);
    else texts.set(this.#prefix + path, text);
  }

  clear(): void {
    texts.deleteAll(this.#prefix);
  }
}
