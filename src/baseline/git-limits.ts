import { oneLine } from '../text';

/** Names that are given for one reason. */
const MOST = 5;

/** What a record leaves out, and why, in words for people. */
export class Limits {
  readonly #paths = new Map<string, Set<string>>();

  /** `reason`: what they are and what comes of it; names what can be named. */
  add(reason: string, path?: string): void {
    const paths = this.#paths.get(reason) ?? new Set();
    this.#paths.set(reason, paths);
    if (path !== undefined) paths.add(path);
  }

  lines(): string[] {
    return [...this.#paths].map(([reason, paths]) => {
      const named = [...paths].slice(0, MOST).map((path) => oneLine(path));
      if (paths.size > MOST) named.push(`${paths.size - MOST} more`);
      return named.length === 0 ? reason : `${reason}: ${named.join(', ')}`;
    });
  }
}
