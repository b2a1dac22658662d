/**
 * The state of a working tree at a moment, so that everything that changes afterwards can be seen and taken back, whoever
 * changes it and however. `git.ts` and `folder.ts` record it; `open.ts` chooses.
 */

/** A file as git sees it: mode and content. Bytes are raw: no line end or other filter is applied, ever. */
export interface Entry {
  /** A plain file, an executable one, a symbolic link (content: its target), a submodule (content: none, id: its commit). */
  mode: '100644' | '100755' | '120000' | '160000';
  /** Name of the content, for `read`. */
  id: string;
}

export interface Change {
  /** Relative to `top`, with `/`. */
  path: string;
  /** Former path of a renamed file: `before` is the entry there. */
  from?: string;
  /** `null`: there was no such file. */
  before: Entry | null;
  /** `null`: there is no such file any more. */
  after: Entry | null;
}

export interface Baseline {
  /** Real path of the folder that is recorded. */
  readonly top: string;
  /** What is not recorded, or not so that it could be restored, one line each, for people. */
  readonly limits: readonly string[];
  /**
   * Records the tree as it stands and gives the record's name. `unsaved`: bytes that count in the place of a file's own;
   * absolute real paths.
   */
  take(unsaved?: ReadonlyMap<string, Buffer>): Promise<string>;
  /** What differs between two records. */
  changes(from: string, to: string): Promise<Change[]>;
  /** What a record holds at `path` (relative to `top`). */
  entry(snapshot: string, path: string): Promise<Entry | null>;
  /** The same for many paths at once; those that the record doesn't hold are left out. */
  entries(snapshot: string, paths: readonly string[]): Promise<Map<string, Entry>>;
  /** Content by its name; null where it was not kept (`limits`), and for submodules. */
  read(id: string): Promise<Buffer | null>;
  /** Keeps content; gives its name. The same name as a record would give it. */
  write(bytes: Buffer): Promise<string>;
  /** A tool call names a file (absolute) that it may be about to change: its content is kept now, where `take` keeps only hashes. */
  sight(path: string): Promise<void>;
  /** Deletes what no record or content of `keep` needs. Never while another process may use it. */
  close(): Promise<void>;
}
