/**
 * `fs/read_text_file` and `fs/write_text_file`: loaded buffers first, then the disk. A write is merged with what the user
 * changed since the agent saw the file, or refused: no text of the user's is written over.
 */
import { dirname } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { Editor } from '../nvim/editor';
import { fault, faultOf, isMissing } from './faults';
import { inTurn, onFile } from './in-turn';
import { bare, combine, refusal, same } from './merging';
import { putText } from './putting';
import { resolveInside } from './roots';
import { Reader, stampOf, standing, textOnDisk, type Standing } from './standing';
import { Versions } from './versions';

export interface FilesOptions {
  editor: Editor;
  /** The session's folders, absolute: its own, the additional ones, and those that the configuration grants the agent. */
  roots: () => readonly string[];
  gate?: Gate;
  /** The text of a file before the agent's last changes, from the review's record. Paths are real, here and below. */
  baseText?: (path: string) => Promise<string | null>;
  onRead?: (path: string) => void;
  onWrote?: (path: string, written: Written) => void;
  /** Whether the file had the content already that the agent wrote through us. */
  onManner?: (manner: 'through us' | 'by itself', path: string) => void;
}

/** A write that was made; its texts have no byte order mark. Null: there was no file, or none that is text. */
export interface Written {
  /** As it stood: the loaded buffer, with what the user changed there, else the file. */
  before: string | null;
  /** The file: what the agent has written by itself is in it already. */
  disk: string | null;
  after: string;
}

/** What the user has to say about writes. */
export interface Gate {
  /** The text that is to be written where that is decided; null: the user has to be asked. */
  decided(path: string, content: string): string | null;
  /** Throws the answer to the agent where the user wants nothing to be written. */
  ask(proposal: Proposal, withdrawn?: AbortSignal): Promise<Decision>;
}

export interface Decision {
  /** The text that the user wants. */
  text: string;
  /** It was written, or not. */
  done?: (written: boolean) => void;
}

/** A write that waits for a decision. */
export interface Proposal {
  /** Real. */
  path: string;
  /** As the agent named it. */
  named: string;
  /** The text as it stands; null: there is none. */
  before: string | null;
  /** What would be written: the agent's text, merged with what the user changed since. */
  after: string;
  /** Whether something stands there that can't be shown as text. */
  opaque: boolean;
}

interface Write {
  real: string;
  path: string;
  /** What the agent sent, and so believes to be there. */
  content: string;
  /** What is to be there: the agent's content, or what the user made of it. */
  text: string;
  /** What `text` was made from, where that is not what the agent saw. */
  base?: string;
}

/** How often a write is made anew because the user goes on typing. */
const MOST_TRIES = 20;

/** What one session's agent may do with files. */
export class Files {
  readonly #options: FilesOptions;
  readonly #reader: Reader;
  readonly #versions = new Versions();
  /** What the user saved in the present turn, and what has become of it since. */
  readonly #saved = new Versions();
  /** Writes of the present turn, and how their files looked then. */
  readonly #written = new Map<string, Write & { stamp: string }>();
  readonly #asking = new Map<string, Promise<unknown>>();
  readonly #requests = new Set<Promise<void>>();
  #resolved: Promise<unknown> = Promise.resolve();
  /** Whether the agent reads through us. One that doesn't reads the disk, and we don't see when. */
  #reads = false;

  constructor(options: FilesOptions) {
    this.#options = options;
    this.#reader = new Reader(options.editor);
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
    return onFile(real, async () => {
      this.#reads = true;
      this.#options.onRead?.(real);
      try {
        const { part, whole } = await this.#reader.read(real, range);
        this.#versions.set(real, whole);
        return { content: part };
      } catch (error) {
        if (isMissing(error)) throw RequestError.resourceNotFound(path);
        throw faultOf(error, path);
      }
    });
  }

  /**
   * Writes through the loaded buffer and saves it, else to disk, creating folders; when it is decided.
   * `withdrawn`: the agent does not want it any more.
   */
  async writeTextFile(
    { path, content }: { path: string; content: string },
    withdrawn?: AbortSignal,
  ): Promise<Record<string, never>> {
    const writing = this.#take(path, content, withdrawn);
    this.#requests.add(writing);
    try {
      await writing;
    } finally {
      this.#requests.delete(writing);
    }
    return {};
  }

  /** What was saved before is there for agents to see. */
  turnStarted(): void {
    this.#saved.clear();
  }

  /** The user saved a buffer. `path` real. */
  saved(path: string, text: string): void {
    this.#saved.set(path, text);
  }

  /**
   * Agents may write by themselves what they write through us, too: over the user's part of it, which then is written
   * again. To be called when a tool call has ended; with `last` when the turn has.
   */
  async recheck(last = false): Promise<void> {
    // What the agent sent before it told the end may be on its way yet.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled(this.#requests);
    const paths = [...this.#written.keys()];
    await Promise.all(paths.map((real) => onFile(real, () => this.#recheck(real, last))));
  }

  dispose(): void {
    this.#versions.clear();
    this.#saved.clear();
  }

  async #take(path: string, content: string, withdrawn?: AbortSignal): Promise<void> {
    const real = await this.#resolve(path);
    const { gate } = this.#options;
    const text = gate ? gate.decided(real, content) : content;
    if (text !== null) {
      return onFile(real, () => this.#write({ real, path, content, text }));
    }
    // Reads go on while the user thinks; another write of the file is asked about when this one is done.
    const ask = () => this.#ask({ real, path, content }, gate!, withdrawn);
    return inTurn(this.#asking, real, ask);
  }

  async #ask(
    write: { real: string; path: string; content: string },
    gate: Gate,
    withdrawn?: AbortSignal,
  ): Promise<void> {
    const { real, path, content } = write;
    const now = await onFile(real, () => standing(this.#options.editor, real));
    const after = await this.#merged({ ...write, text: content }, now);
    const before = now.kind === 'text' ? now.text : null;
    if (before !== null && same(before, after)) {
      return onFile(real, () => this.#write({ ...write, text: content }));
    }
    const opaque = now.kind === 'opaque';
    const proposal = { path: real, named: path, before, after, opaque };
    const { text, done } = await gate.ask(proposal, withdrawn);
    // The user has decided on what was shown: what is typed meanwhile is merged into that.
    const base = opaque ? {} : { base: before ?? '' };
    let written = false;
    try {
      await onFile(real, () => this.#write({ ...write, text, ...base }));
      written = true;
    } finally {
      done?.(written);
    }
  }

  async #write(write: Write): Promise<void> {
    for (let left = MOST_TRIES; left > 0; left--) if (await this.#tryWrite(write)) return;
    throw fault(write.path, 'nothing was written: the user is changing the file just now');
  }

  /** False when the text, or the file, was changed meanwhile. */
  async #tryWrite(write: Write): Promise<boolean> {
    const { editor, onWrote, onManner } = this.#options;
    const { real, path, content } = write;
    const now = await standing(editor, real);
    const loaded = now.kind === 'text' && now.loaded;
    const disk = now.kind === 'text' && !loaded ? now.text : await textOnDisk(real);
    const there = disk !== null && same(disk, content);
    const known = this.#versions.get(real) ?? (there ? await this.#before(real) : null);
    if (!there) onManner?.('through us', real);
    else if (known !== null && !same(known, content)) onManner?.('by itself', real);

    if (there && known === null && write.base === undefined && (await this.#isUnsaved(real))) {
      // The file has it, and what the user has typed can't be told from what it was before: that is the user's to decide.
      await editor.request('buffers.check', {});
    } else {
      const overwritten = there && now.kind === 'text' && same(now.text, content);
      const rescued = overwritten ? await this.#rescued(write) : null;
      const text = rescued ?? (await this.#merged(write, now, disk));
      const was = now.kind === 'text' ? { was: now.text } : {};
      const put = { real, path, text, ...was, over: there && !same(text, content) };
      const done = await putText(editor, put).catch(async (error: unknown) => {
        // An agent that writes the file by itself as well may have done so since it was looked at, and a buffer takes
        // nothing then.
        if (!loaded || (await textOnDisk(real)) === disk) throw error;
        return false;
      });
      if (!done) return false;
      this.#written.set(real, { ...write, text, stamp: await stampOf(real) });
      if (this.#saved.get(real) !== undefined) this.#saved.set(real, text);
      const before = now.kind === 'text' ? now.text : null;
      // A buffer takes no file that was emptied just now.
      onWrote?.(real, { before, disk: before && disk === '' ? null : disk, after: bare(text) });
    }
    this.#versions.set(real, content);
    return true;
  }

  /** The text of a write that the agent has made by itself as well, with what the user saved there before; null: as it is. */
  async #rescued({ real, text }: Write): Promise<string | null> {
    const saved = this.#saved.get(real);
    const base =
      saved === undefined ? null : (this.#versions.get(real) ?? (await this.#before(real)));
    if (saved === undefined || base === null) return null;
    const merged = combine(base, saved, text);
    return merged.conflicts.length === 0 ? merged.text : null;
  }

  /** What becomes of a write: its text, merged with what was changed since its base. Throws where it touches that. */
  async #merged(write: Write, now: Standing, known?: string | null): Promise<string> {
    const { real, path, text } = write;
    if (now.kind !== 'text' || same(now.text, text)) return text;
    const disk = known === undefined ? await textOnDisk(real) : known;
    const base = write.base ?? this.#seen(write, disk) ?? (await this.#unseen(write, now, disk));
    if (base === null) return text;
    const merged = combine(base, now.text, text);
    if (merged.conflicts.length === 0) return merged.text;
    // Who reads the disk is told to, and then has seen what it holds.
    if (!this.#reads) this.#versions.set(real, disk ?? '');
    throw refusal(path, merged.conflicts);
  }

  /** What the agent saw of the file through us, or on disk since: then its text has all that was changed there meanwhile. */
  #seen({ real, text, content }: Write, disk: string | null): string | undefined {
    const known = this.#versions.get(real);
    // What it has just made there itself, it has not been given.
    if (known === undefined || disk === null || same(disk, content)) return known;
    const both = combine(known, disk, text);
    return both.conflicts.length === 0 && same(both.text, text) ? disk : known;
  }

  /** What an agent has seen that never read or wrote the file through us; null: what stands there. */
  async #unseen(
    { real, content }: Write,
    now: Standing & { kind: 'text' },
    disk: string | null,
  ): Promise<string | null> {
    if (!now.loaded) return null;
    if (disk === null) return (await stampOf(real)) === '' ? '' : null;
    // When it read the file is not known: maybe before it wrote it, and before the user saved it.
    const isNews = same(disk, content) || this.#saved.get(real) !== undefined;
    // What is empty may be about to be written.
    return isNews || disk === '' ? this.#before(real) : disk;
  }

  async #before(real: string): Promise<string | null> {
    return (await this.#options.baseText?.(real)) ?? null;
  }

  async #isUnsaved(real: string): Promise<boolean> {
    const roots = [dirname(real)];
    const unsaved = await this.#options.editor.request('buffers.unsaved', { roots });
    return unsaved?.some(({ path }) => path === real) ?? false;
  }

  async #recheck(real: string, last: boolean): Promise<void> {
    const write = this.#written.get(real);
    if (!write) return;
    const merged = !same(write.text, write.content);
    // The agent may have written it at the same time: the stamp would be that of its own write then.
    const known = !merged && (await stampOf(real)) === write.stamp;
    const disk = known ? write.text : await textOnDisk(real);
    const untouched = known || (merged && disk !== null && same(disk, write.text));
    if (last || !untouched) this.#written.delete(real);
    if (untouched || disk === null || !same(disk, write.content)) return;
    this.#options.onManner?.('by itself', real);
    if (merged) await this.#write({ ...write, base: write.content });
  }

  /** One after the other, so that requests keep their order. */
  #resolve(path: string): Promise<string> {
    const resolve = (): Promise<string> => resolveInside(path, this.#options.roots());
    const real = this.#resolved.then(resolve, resolve);
    this.#resolved = real;
    return real;
  }
}
