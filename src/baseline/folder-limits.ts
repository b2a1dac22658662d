import type { Walk } from './folder-walk';

/** How much of a folder is recorded. */
export interface FolderLimits {
  /** Files and folders that are looked at. */
  maxFiles: number;
  /** Time for one record. */
  maxMs: number;
  /** Larger files are known by their size and time only. */
  maxFileSize: number;
  /** Of files up to this size the content is kept at once, … */
  keepFileSize: number;
  /** … until a record keeps this much. */
  keepSize: number;
}

export const FOLDER_LIMITS: FolderLimits = {
  maxFiles: 20_000,
  maxMs: 1000,
  maxFileSize: 10 * 1024 * 1024,
  keepFileSize: 256 * 1024,
  keepSize: 64 * 1024 * 1024,
};

/** Files of one record that fall short, by how. */
export interface Shortfalls {
  walk: Walk;
  /** Larger than may be read. */
  large: ReadonlySet<string>;
  /** Not read: no time, no permission, or they changed meanwhile. */
  unread: Set<string>;
  /** Known by a hash, content not kept. */
  unkept: Set<string>;
}

const NAMED = 3;

function named(names: Iterable<string>): string {
  const all = [...names].sort();
  const more = all.length - NAMED;
  return (
    all.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '')
  );
}

function megabytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toPrecision(2))} MB`;
}

/** What a record lacks, one line each, for people. */
export function limitLines(
  { walk, large, unread, unkept }: Shortfalls,
  { maxFiles, maxMs, maxFileSize }: FolderLimits,
): string[] {
  const lines: string[] = [];
  const say = (names: Iterable<string>, what: string): void => {
    const list = named(names);
    if (list !== '') lines.push(`${what}: ${list}`);
  };
  if (walk.full) {
    const count = maxFiles.toLocaleString('en');
    lines.push(`only ${count} files and folders are recorded: others of this folder are not`);
  } else if (walk.late) {
    const seconds = maxMs / 1000;
    lines.push(`recording was stopped after ${seconds} s: some files of this folder are missing`);
  }
  say(walk.skipped, 'not recorded, as tools can make them again');
  say(walk.foreign, 'not recorded, on another file system');
  say(
    walk.refused.map((name) => name || 'this folder'),
    'not recorded, for they may not be read',
  );
  if (walk.nameless > 0) lines.push(`not recorded, names that are no UTF-8: ${walk.nameless}`);
  say(large, `changes are seen but can't be taken back, over ${megabytes(maxFileSize)}`);
  say(unread, "changes are seen but can't be taken back, for they could not be read in time");
  say(unkept, 'can be taken back only if a tool call names the file before it changes it');
  return lines;
}
