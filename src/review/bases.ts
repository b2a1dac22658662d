/** What files are compared with, scope by scope: the record of the scope, and what the user made of it since. */
import type { Entry } from '../baseline/baseline';
import { carryContent, same, type Content } from './content';
import type { Former, Scope, State } from './state';
import type { Snapshots, Tree } from './tree';

/** Rejections that can be taken back with `u`. */
const MAX_FORMER = 200;

interface UserChange {
  path: string;
  from: string;
  known: Entry | null;
  after: Entry | null;
}

export class Bases {
  readonly #tree: Tree;
  readonly #state: State;
  /** The record before the last: the user may have renamed what the agent had renamed until then. */
  former: Snapshots | null = null;

  constructor(tree: Tree, state: State) {
    this.#tree = tree;
    this.#state = state;
  }

  /** All scopes that changes are attributed for. */
  get live(): Scope[] {
    const { session, whole, turn, turns } = this.#state;
    return [session, whole, turn, ...turns].filter((scope) => scope !== null);
  }

  async of(scope: Scope, path: string): Promise<Entry | null> {
    const own = scope.bases.get(path);
    return own !== undefined ? own : this.#tree.entry(scope.snapshots, path);
  }

  async set(scope: Scope, path: string, content: Content): Promise<void> {
    scope.bases.set(path, await this.#tree.keep(path, content));
  }

  /** The name under which the base of a file is: its former one where the agent renamed it since the scope began. */
  async origin(scope: Scope, path: string): Promise<string> {
    const told = scope.names.get(path);
    if (told !== undefined && (await this.of(scope, told)) !== null) return told;
    if (scope.bases.has(path)) return path;
    for (const record of [this.#state.last, this.former]) {
      const from = record && (await this.#tree.formerName(scope.snapshots, record, path));
      if (from != null && (await this.of(scope, from)) !== null) return from;
    }
    return path;
  }

  /** The agent gave a file another name: the base of that is where the file's was. */
  async agentRenamed(from: string, path: string): Promise<void> {
    for (const scope of this.live) {
      const origin = await this.origin(scope, from);
      scope.names.delete(from);
      if (origin !== path) scope.names.set(path, origin);
    }
  }

  /**
   * The user made `after` of what was known at `path`: so it is in every scope, too. `from`: and gave it another name. Where it
   * is what stood there before a rejection, the rejection was taken back.
   */
  async userChanged(
    path: string,
    known: Entry | null,
    after: Entry | null,
    { from = path, scopes = this.live } = {},
  ): Promise<void> {
    if (from === path && same(known, after)) return;
    const former = this.#state.former.findLast(
      (each) => each.path === path && same(each.entry, after),
    );
    for (const scope of scopes) {
      const base = former?.bases.get(scope.id);
      if (base !== undefined) scope.bases.set(path, base);
      else await this.#carry(scope, { path, from, known, after });
    }
    if (former) this.#takeBack(former);
  }

  async #carry(scope: Scope, { path, from, known, after }: UserChange): Promise<void> {
    const origin = await this.origin(scope, from);
    const base = await this.of(scope, origin);
    // Most files hold nothing of the agent's.
    const carried = same(base, known)
      ? after
      : await this.#tree.keep(
          path,
          carryContent(
            await this.#tree.read(origin, base),
            await this.#tree.read(from, known),
            await this.#tree.read(path, after),
          ),
        );
    if (from !== path) scope.bases.set(origin, null);
    scope.bases.set(from === path ? origin : path, carried);
  }

  /** What is to be known should the user take back a rejection at `path`. */
  async remember(path: string, entry: Entry | null, count: number, patch: string): Promise<Former> {
    const bases = new Map<string, Entry | null>();
    for (const scope of this.live) bases.set(scope.id, await this.of(scope, path));
    return { path, entry, bases, count, patch };
  }

  rejected(former: Former): void {
    const { former: all } = this.#state;
    all.push(former);
    all.splice(0, all.length - MAX_FORMER);
  }

  #takeBack({ path, count, patch }: Former): void {
    const state = this.#state;
    const at = state.patches.findIndex((each) => each.path === path && each.patch === patch);
    if (at < 0) return;
    state.patches.splice(at, 1);
    state.rejected = Math.max(0, state.rejected - count);
  }
}
