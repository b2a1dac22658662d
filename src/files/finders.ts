/** The finders of all sessions: those with the same folders share one. */
import type { Attachment } from '../nvim/protocol';
import { Finder, type Found } from './finder';

/** What is known of a session's folders. The first is its own; all absolute. */
export type Roots = readonly string[];

export class Finders {
  readonly #finders = new Map<string, Finder>();
  readonly #onFault: (where: string, error: unknown) => void;

  constructor(onFault: (where: string, error: unknown) => void) {
    this.#onFault = onFault;
  }

  find(roots: Roots, query: string, limit: number): Promise<Found> {
    return this.#of(roots).find(query, limit);
  }

  /** What goes along with a prompt is likely to be mentioned again. */
  mentioned(roots: Roots, attachments: readonly Attachment[]): void {
    const paths = attachments.flatMap((it) => ('path' in it && it.path ? [it.path] : []));
    if (paths.length > 0) this.#of(roots).mentioned(paths);
  }

  #of(roots: Roots): Finder {
    const key = roots.join('\0');
    const known = this.#finders.get(key);
    if (known) return known;
    const finder = new Finder(roots, (error) => this.#onFault('list of files', error));
    this.#finders.set(key, finder);
    return finder;
  }
}
