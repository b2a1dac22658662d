/**
 * Who changed what: every change of a file is attributed to the user (and carried into all bases) or left to the agent.
 *
 * Between turns, what changes is the user's. While one runs it is the agent's, but for what is known to be the user's: unsaved text
 * of buffers, and what was saved from them.
 */
import type { Entry } from '../baseline/baseline';
import { edits } from '../diff/edits';
import { splitLines } from '../diff/lines';
import type { Editor } from '../nvim/editor';
import type { Bases } from './bases';
import { isByBytes, same, textOf, withText, type Content, type TextContent } from './content';
import { meansBytes, type FileEvent } from './file-event';
import { copyOf, type Seen, type State } from './state';
import type { Snapshots, Tree, TreeChange } from './tree';

/** What the agent made of a file. */
export interface AgentChange {
  path: string;
  from?: string;
  before: Entry | null;
  after: Entry | null;
}

/** The unsaved text of a buffer. */
interface BufferText {
  path: string;
  text: string;
}

export interface LedgerOptions {
  tree: Tree;
  state: State;
  bases: Bases;
  editor: Editor;
}

/** How often the tree is recorded in one look while others write to it. The next look sees the rest. */
const MOST_RECORDS = 3;

const PLAIN: TextContent = {
  kind: 'text',
  mode: '100644',
  text: '',
  encoding: 'utf-8',
  bom: false,
};

export class Ledger {
  readonly #options: LedgerOptions;
  #inbox: FileEvent[] = [];
  #changes: AgentChange[] = [];
  /** What changed later (ms) is the user's, though the end of the turn was not seen. */
  until = Infinity;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Takes note of what was done; it is attributed with the next look. */
  post(event: FileEvent): void {
    this.#inbox.push(event);
  }

  get waits(): boolean {
    return this.#inbox.length > 0;
  }

  /** The file as it stands, unsaved text included, at the last look. */
  async present(path: string): Promise<Entry | null> {
    const { state, tree } = this.#options;
    const seen = state.seen.get(path);
    return seen ? seen.now : state.last && tree.entry(state.last, path);
  }

  /** What was done to a file just now is known, and nobody's change. */
  saw(path: string, entry: Entry | null): void {
    this.#options.state.seen.set(path, { now: entry, disk: entry });
  }

  /**
   * Records the tree and attributes all that has changed since the last look. Gives what the agent changed. `unsaved`: texts of
   * buffers, where Neovim can't be asked.
   */
  async look(unsaved?: BufferText[]): Promise<AgentChange[]> {
    const { state } = this.#options;
    const events = this.#inbox;
    this.#inbox = [];
    const before = copyOf(state);
    try {
      await this.#look(events, unsaved);
    } catch (error) {
      // Half a look would leave changes to nobody: the next one begins where this one did.
      this.#inbox = [...events, ...this.#inbox];
      this.#changes = [];
      Object.assign(state, before);
      throw error;
    }
    return this.#changes.splice(0);
  }

  async #look(events: FileEvent[], texts?: BufferText[]): Promise<void> {
    const { state, tree, bases } = this.#options;
    const { records, unsaved } = await this.#record(texts);
    const former = state.last ?? records;
    bases.former = former;
    state.last = records;
    for (const event of events) if (tree.at(event.path)) await this.#take(event);
    const changes = await tree.changes(former, records);
    const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    const scopes = state.running ? [] : bases.live.map(({ snapshots }) => snapshots);
    for (const snapshots of [former, ...scopes]) await tree.preload(snapshots, paths);
    await this.#settle(changes, unsaved);
  }

  /** The tree and what is unsaved as they stand, and not while files are saved. */
  async #record(
    texts?: BufferText[],
  ): Promise<{ records: Snapshots; unsaved: ReadonlyMap<string, string> }> {
    const { state, tree, editor } = this.#options;
    for (let left = MOST_RECORDS; ; left--) {
      const began = Date.now();
      const records = await tree.take();
      // After the record: what was saved before it is told before the answer comes.
      const buffers = texts ?? (await editor.request('buffers.unsaved', { roots: tree.tops }));
      if (left === 1 || !state.last || !(await tree.isOutdated(state.last, records, began))) {
        return { records, unsaved: new Map(buffers.map(({ path, text }) => [path, text])) };
      }
    }
  }

  /** A file as it was before this look. */
  async #seen(path: string): Promise<Seen> {
    const { state, tree, bases } = this.#options;
    const seen = state.seen.get(path);
    if (seen) return seen;
    const entry = bases.former && (await tree.entry(bases.former, path));
    return { now: entry, disk: entry };
  }

  /** A file as it is on disk, by this look. */
  async #disk(path: string): Promise<Entry | null> {
    const { state, tree } = this.#options;
    return state.last && tree.entry(state.last, path);
  }

  /**
   * Of a file on disk and what it was, the one that tells its mode and encoding. Agents write files by themselves that they
   * write through us at the same time: one that is empty does not tell, nor one that could not be read meanwhile.
   */
  async #telling(path: string, disk: Entry | null, known: Entry | null): Promise<Entry | null> {
    if (disk === null || known === null) return disk ?? known;
    const { tree } = this.#options;
    const told = textOf(await tree.read(path, disk));
    if (told) return disk;
    return textOf(await tree.read(path, known)) === null ? disk : known;
  }

  async #take(event: FileEvent): Promise<void> {
    const { state, tree, bases } = this.#options;
    const { path } = event;
    const seen = await this.#seen(path);
    const disk = await this.#disk(path);
    // A file that is not recorded, such as one that git ignores.
    if (seen.now === null && disk === null) return;
    // What was saved between turns needs no explanation.
    if (event.type === 'saved' && !state.running) return;
    const entry = await this.#telling(path, disk, seen.disk);
    const like = await tree.read(path, entry);
    // What is told of writes is in Neovim's own characters. What is on disk, and what is unsaved, tells the rest.
    if (isByBytes(like) && event.type !== 'saved' && !meansBytes(event, textOf(like))) return;
    const entryOf = async (text: string): Promise<Entry | null> => {
      if (like.kind === 'text' && like.text === text && entry !== null) return entry;
      return tree.keep(path, withText(like, text, PLAIN));
    };
    switch (event.type) {
      case 'saved': {
        const after = await entryOf(event.text);
        await bases.userChanged(path, await this.#known(path, event.before, seen, entryOf), after);
        return this.saw(path, after);
      }
      case 'wrote': {
        const before =
          event.before === '' && seen.now === null ? null : await entryOf(event.before);
        const after = await entryOf(event.after);
        // The buffer had what is on disk, else it would not have been written.
        const from = await this.#known(path, event.disk, seen, entryOf);
        await bases.userChanged(path, from, before);
        this.#agentChanged({ path, before, after });
        return this.saw(path, after);
      }
      case 'resolved': {
        await bases.userChanged(path, seen.now, await entryOf(event.mine));
        state.seen.set(path, { now: await entryOf(event.after), disk });
        return;
      }
    }
  }

  /** What the user's text was made of: of what the buffer had taken over from the disk (`before`), if that is news. */
  async #known(
    path: string,
    before: string | undefined,
    seen: Seen,
    entryOf: (text: string) => Promise<Entry | null>,
  ): Promise<Entry | null> {
    const { tree, bases } = this.#options;
    if (before === undefined || before === textOf(await tree.read(path, seen.disk))) {
      return seen.now;
    }
    // Unsaved text that had been seen was given up for what is on disk.
    await bases.userChanged(path, seen.now, seen.disk);
    return entryOf(before);
  }

  async #settle(changes: TreeChange[], unsaved: ReadonlyMap<string, string>): Promise<void> {
    const { state, bases } = this.#options;
    const todo = new Map<string, TreeChange | null>();
    for (const change of changes) {
      const { path, from } = change;
      if (from !== undefined && !state.running && this.#isNews(path, from, unsaved)) {
        const known = state.seen.get(from)?.now ?? change.before;
        await bases.userChanged(path, known, change.after, { from });
        state.seen.delete(from);
        this.saw(path, change.after);
        continue;
      }
      if (from !== undefined) {
        if (state.running) await bases.agentRenamed(from, path);
        todo.set(from, { path: from, before: change.before, after: null });
      }
      todo.set(path, change);
    }
    for (const path of [...state.seen.keys(), ...unsaved.keys()]) {
      if (!todo.has(path)) todo.set(path, null);
    }
    for (const [path, change] of todo) {
      if (this.#options.tree.at(path)) await this.#settleOne(path, change, unsaved.get(path));
    }
  }

  /** Whether a file was renamed: not by us, who know both names, nor with unsaved text left under the old one. */
  #isNews(path: string, from: string, unsaved: ReadonlyMap<string, string>): boolean {
    const { seen } = this.#options.state;
    return !seen.has(path) && seen.get(from)?.now !== null && !unsaved.has(from);
  }

  async #settleOne(
    path: string,
    change: TreeChange | null,
    text: string | undefined,
  ): Promise<void> {
    const { state, bases } = this.#options;
    const disk = change ? change.after : await this.#disk(path);
    let { now, disk: known } = await this.#seen(path);
    // A buffer of a file that isn't recorded, or not written yet.
    const buffer =
      text === undefined || (known === null && disk === null)
        ? undefined
        : await this.#unsaved(path, text, await this.#telling(path, disk, known));

    if (!state.running || (await this.#isLater(path))) {
      const after = buffer === undefined ? disk : buffer;
      await bases.userChanged(path, now, after);
      now = after;
      known = disk;
    } else {
      if (buffer === undefined && !same(now, known)) {
        // Unsaved text was given up.
        await bases.userChanged(path, now, known);
        now = known;
      }
      if (!same(disk, known)) {
        const taken =
          buffer === undefined || same(await this.#closer(path, text!, now, disk), disk);
        if (taken) {
          this.#agentChanged({
            ...(change?.from && { from: change.from }),
            path,
            before: now,
            after: disk,
          });
          now = known = disk;
        }
      }
      if (buffer !== undefined) {
        await bases.userChanged(path, now, buffer);
        now = buffer;
      }
    }
    if (same(now, disk) && same(known, disk)) state.seen.delete(path);
    else state.seen.set(path, { now, disk: known });
  }

  async #isLater(path: string): Promise<boolean> {
    return this.until < Infinity && (await this.#options.tree.changeTime(path)) > this.until;
  }

  /** The entry of a buffer's text, with all else as it is on disk. */
  async #unsaved(path: string, text: string, disk: Entry | null): Promise<Entry | null> {
    const { tree } = this.#options;
    const content: Content = await tree.read(path, disk);
    if (content.kind === 'text' && content.text === text) return disk;
    return content.kind === 'text' ? tree.keep(path, { ...content, text }) : disk;
  }

  /** Which of two states of a file a text was made from: the one that fewer lines differ from. */
  async #closer(
    path: string,
    text: string,
    a: Entry | null,
    b: Entry | null,
  ): Promise<Entry | null> {
    // A text that was made of nothing was made of what is there by now.
    if (a === null || same(a, b)) return b;
    const { tree } = this.#options;
    const lines = splitLines(text);
    const distance = async (entry: Entry | null): Promise<number> => {
      const other = textOf(await tree.read(path, entry));
      if (other === null) return Infinity;
      return edits(splitLines(other), lines).reduce(
        (sum, { oldFrom, oldTo, newFrom, newTo }) => sum + oldTo - oldFrom + newTo - newFrom,
        0,
      );
    };
    return (await distance(b)) <= (await distance(a)) ? b : a;
  }

  #agentChanged(change: AgentChange): void {
    if (!same(change.before, change.after)) this.#changes.push(change);
  }
}
