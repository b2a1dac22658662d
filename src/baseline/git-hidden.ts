/**
 * Files that are there but not in a record: ignored, in a repository of their own, too large. Should they come to light later
 * (agents edit `.gitignore`, or `git add -f`), they are not new: whoever takes back what is new must not delete them.
 */
export class Hidden {
  /** Came to light, and were hidden before. */
  readonly #known = new Set<string>();
  #files: ReadonlySet<string> = new Set();
  #folders: readonly string[] = [];

  /** Whether what was hidden at the last look holds `path`. It then counts as hidden from now on. */
  has(path: string): boolean {
    if (this.#known.has(path)) return true;
    const found = this.#files.has(path) || this.#folders.some((folder) => path.startsWith(folder));
    if (found) this.#known.add(path);
    return found;
  }

  add(path: string): void {
    this.#known.add(path);
  }

  /** What is hidden at this look; the names of whole folders end with a slash. */
  next(paths: readonly (string | null)[]): void {
    const all = paths.filter((path) => path !== null);
    this.#files = new Set(all.filter((path) => !path.endsWith('/')));
    this.#folders = all.filter((path) => path.endsWith('/'));
  }
}
