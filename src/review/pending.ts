/** What the agent changed since a scope began and nobody has decided yet. */
import type { Entry } from '../baseline/baseline';
import { edits, type Edit } from '../diff/edits';
import { splitLines } from '../diff/lines';
import type { Bases } from './bases';
import { same, textOf, type Content } from './content';
import type { Ledger } from './ledger';
import type { Scope, State } from './state';
import type { Tree } from './tree';

/** A file that differs from its base. */
export interface PendingFile {
  path: string;
  /** Former name, under which its base is. */
  from?: string;
  base: Entry | null;
  now: Entry | null;
  before: Content;
  after: Content;
  /** The lines of both, with their line ends; none where one of them is no text. */
  oldLines: string[];
  newLines: string[];
  hunks: Edit[];
}

type Compared = Omit<PendingFile, 'path' | 'from'>;

export class PendingFiles {
  readonly #parts: { tree: Tree; state: State; bases: Bases; ledger: Ledger };
  /** What the last look at each scope compared, so that only what has changed is compared anew. */
  readonly #compared = new Map<string, Map<string, Compared>>();

  constructor(parts: { tree: Tree; state: State; bases: Bases; ledger: Ledger }) {
    this.#parts = parts;
  }

  /** All files that differ from their base in `scope`, by path. */
  async of(scope: Scope): Promise<PendingFile[]> {
    const { tree, state, bases, ledger } = this.#parts;
    if (!state.last) return [];
    const changes = await tree.changes(scope.snapshots, state.last);
    const paths = new Set([...scope.bases.keys(), ...state.seen.keys()]);
    for (const { path, from } of changes) paths.add(path).add(from ?? path);
    for (const [path, from] of scope.names) paths.add(path).add(from);
    await tree.preload(state.last, [...paths]);
    const renames: { path: string; from: string }[] = [];
    for (const path of paths) {
      const from = await bases.origin(scope, path);
      const renamed =
        from !== path &&
        (await ledger.present(from)) === null &&
        (await ledger.present(path)) !== null;
      if (renamed) renames.push({ path, from });
    }
    for (const { path, from } of renames) {
      paths.delete(path);
      paths.delete(from);
    }
    const known = this.#compared.get(scope.id);
    const compared = new Map<string, Compared>();
    this.#compared.set(scope.id, compared);
    const files: PendingFile[] = [];
    for (const { path, from } of [
      ...renames,
      ...[...paths].map((path) => ({ path, from: path })),
    ]) {
      const base = await bases.of(scope, from);
      const now = await ledger.present(path);
      if (from === path && same(base, now)) continue;
      const key = [path, base?.mode, base?.id, now?.mode, now?.id].join('\0');
      const pair = known?.get(key) ?? (await this.#compare(path, base, now));
      compared.set(key, pair);
      files.push({ path, ...(from !== path && { from }), ...pair });
    }
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  forget(): void {
    this.#compared.clear();
  }

  async #compare(path: string, base: Entry | null, now: Entry | null): Promise<Compared> {
    const { tree } = this.#parts;
    const [before, after] = [await tree.read(path, base), await tree.read(path, now)];
    return { base, now, before, after, ...compareLines(before, after) };
  }
}

/** What differs between two contents by lines. */
export function compareLines(
  before: Content,
  after: Content,
): Pick<PendingFile, 'oldLines' | 'newLines' | 'hunks'> {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return { oldLines: [], newLines: [], hunks: [] };
  const [oldLines, newLines] = [splitLines(old), splitLines(now)];
  return { oldLines, newLines, hunks: edits(oldLines, newLines) };
}

/** Lines that were added and removed. */
export function countLines(hunks: readonly Edit[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { oldFrom, oldTo, newFrom, newTo } of hunks) {
    added += newTo - newFrom;
    removed += oldTo - oldFrom;
  }
  return { added, removed };
}
