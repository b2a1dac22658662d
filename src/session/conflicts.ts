/**
 * Files that were changed on disk while their buffers have unsaved changes: the user is asked whose text the buffer shall
 * have. No agent waits for the answer.
 */
import { onFile } from '../client/in-turn';
import { mergeMarked, plain, same } from '../client/merging';
import { isInside, realPath } from '../client/roots';
import { textOnDisk } from '../client/standing';
import type { FileDiff } from '../diff/file-diff';
import { fileDiff } from '../diff/hunks';
import type { Editor } from '../nvim/editor';
import { relative } from '../render/subject';
import { CONFLICT } from './model';
import type { ClientPort } from './port';

const OPTIONS = [
  { id: 'mine', name: 'Keep mine', kind: 'keep_mine' },
  { id: 'theirs', name: 'Take theirs', kind: 'take_theirs' },
  { id: 'merge', name: 'Merge, both sides marked', kind: 'merge' },
];
const LABELS = { ours: 'yours', theirs: 'on disk' };

/** A session that a conflict may be shown in. */
export interface ConflictHost {
  port: ClientPort;
  /** Whether a turn runs. */
  working: boolean;
}

export interface ConflictsOptions {
  editor: Editor;
  /** All sessions, the latest last. */
  hosts: () => ConflictHost[];
  /** The text of a file before the agent's last changes, from the review's record. */
  baseText: (path: string) => Promise<string | null>;
  /** The user decided: the buffer held `mine`, and now holds `after`. */
  onResolved: (path: string, mine: string, after: string) => Promise<void>;
  tell: (level: 'warn' | 'error', message: string) => void;
}

export class Conflicts {
  readonly #options: ConflictsOptions;
  /** Path → the question that is open. */
  readonly #open = new Map<string, { port: ClientPort; id: string }>();

  constructor(options: ConflictsOptions) {
    this.#options = options;
  }

  /** The file at `path` (real) is not what its buffer was read from any more, and the buffer has unsaved changes. */
  found(path: string): Promise<void> {
    // A write of an agent's may be about to bring both together.
    return onFile(path, () => this.#found(path));
  }

  /** Buffer and file have come together: `how` stands on the card. */
  settled(path: string, how = 'saved'): void {
    const open = this.#open.get(path);
    if (!open) return;
    this.#open.delete(path);
    open.port.questions.withdraw(open.id, how);
  }

  async #found(path: string): Promise<void> {
    const buffer = await this.#options.editor.request('buffer.read', { path });
    if (!buffer) return this.settled(path, 'closed');
    const { text } = buffer;
    const disk = await textOnDisk(path);
    // Where nothing is there any more, there is nothing to choose from: `:write` makes it again.
    if (disk === null) return;
    if (disk === text) return this.settled(path, 'the same again');
    const open = this.#open.get(path);
    const ask = open?.port.questions.get(open.id);
    if (open && ask) {
      ask.diff = diffOf(path, text, disk, open.port);
      return open.port.asking.tell(open.id);
    }
    const port = await this.#portFor(path);
    if (port) return this.#ask(port, path, diffOf(path, text, disk, port));
    this.#options.tell(
      'warn',
      `${path} was changed on disk, and you have unsaved changes: \`:write!\` keeps yours, \`:edit!\` takes theirs`,
    );
  }

  /** Where it is asked: a session whose folders hold the file, rather one that works, rather the latest. */
  async #portFor(path: string): Promise<ClientPort | null> {
    const fit: ConflictHost[] = [];
    for (const host of this.#options.hosts()) {
      const roots = host.port.roots.map((root) => realPath(root).catch(() => root));
      if ((await Promise.all(roots)).some((root) => isInside(root, path))) fit.push(host);
    }
    return (fit.findLast(({ working }) => working) ?? fit.at(-1))?.port ?? null;
  }

  #ask(port: ClientPort, path: string, diff: FileDiff[]): void {
    const { session, asking } = port;
    const { reducer, context, cwd } = session;
    const id = asking.questions.newId();
    const title = `${relative(path, cwd)} was changed on disk, and you have unsaved changes`;
    const call = { id: `${CONFLICT}:${id}`, kind: CONFLICT, title, locations: [{ path }] };
    const now = context.now();
    const tool = reducer.toolOfQuestion(id, call, now);
    // It is no call that a turn could end.
    reducer.apply(
      { type: 'tool_call', patch: { id: call.id, status: 'completed' }, announced: false },
      now,
    );
    this.#open.set(path, { port, id });
    const editable = 'the text is yours: change it in its buffer';
    const question = { id, options: OPTIONS, title, diff, editable, waits: false };
    asking
      .ask(tool, question)
      .then((answer) => this.#answered(path, id, answer?.option.id ?? null))
      .catch((error: unknown) => context.onFault('conflict', error));
  }

  async #answered(path: string, id: string, option: string | null): Promise<void> {
    if (this.#open.get(path)?.id !== id) return;
    this.#open.delete(path);
    // The chat was closed: it is asked elsewhere.
    if (option === null) return this.found(path);
    await onFile(path, () => this.#resolve(path, option));
  }

  async #resolve(path: string, option: string): Promise<void> {
    const { editor, tell } = this.#options;
    const buffer = await editor.request('buffer.read', { path });
    if (!buffer) return;
    const disk = await textOnDisk(path);
    if (disk === null)
      return tell('error', `${path} can't be read any more: \`:write\` saves your text`);
    const text = await this.#chosen(option, path, buffer.text, disk);
    const result = await editor.request('buffer.resolve', { path, text, was: buffer.text });
    if (result && 'error' in result) return tell('error', `${path}: ${result.error}`);
    // The user went on typing.
    if (result && 'stale' in result) return this.#resolve(path, option);
    if (result) await this.#options.onResolved(path, buffer.text, text);
  }

  async #chosen(option: string, path: string, mine: string, disk: string): Promise<string> {
    if (option === 'mine') return mine;
    if (option === 'theirs') return disk;
    return mergeMarked(await this.#options.baseText(path), mine, disk, LABELS);
  }
}

function diffOf(path: string, mine: string, disk: string, { session }: ClientPort): FileDiff[] {
  // What differs in line ends alone is to be seen, too.
  const [before, after] = same(mine, disk) ? [mine, disk] : [plain(mine), plain(disk)];
  const diff = fileDiff(path, [{ before, after, whole: true }], { cwd: session.cwd });
  return [{ ...diff, name: `${diff.name}: − ${LABELS.ours}, + ${LABELS.theirs}` }];
}
