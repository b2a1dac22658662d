/**
 * Folders that an agent knows by other names, as one in a container does. Paths inside of them are put into the other's
 * words, all others stay as they are. Never a file is looked at: only one side of the two is ours to see.
 */

/** A folder by its name here and by its name there; both absolute. */
export interface FolderPair {
  here: string;
  there: string;
}

type Side = keyof FolderPair;
type Segments = string[];

/** Which way: `there` gives what the agent is told, `here` what is meant by it on this side. */
export type Way = Side;

interface Folder {
  root: string;
  segments: Segments;
}

interface Pair {
  from: Folder;
  to: Folder;
}

const FILE_URI = /^file:\/\/([^/?#]*)\/([^?#]*)(.*)$/is;
const DRIVE = /^[A-Za-z]:(?=[\\/]|$)/;
/** The root of what Windows shares: `\\\\server\\share`. */
const SHARE = '\\\\';

export class PathMap {
  readonly #pairs: Record<Way, Pair[]>;

  /** Of two with the same name on a side, the first counts. */
  constructor(pairs: readonly FolderPair[] = []) {
    this.#pairs = { there: ordered(pairs, 'here', 'there'), here: ordered(pairs, 'there', 'here') };
  }

  /** Whether a path has a name on the other side. */
  knows(path: string, way: Way): boolean {
    const folder = split(path);
    return folder !== undefined && this.#find(folder, way) !== undefined;
  }

  /** A path in the words of the other side. Relative ones, and those outside of all folders, stay. */
  path(path: string, way: Way): string {
    const folder = split(path);
    const to = folder && this.#find(folder, way);
    return to ? join(to) : path;
  }

  /** The same for a `file:` URI, or a path where a URI should stand; what is encoded in it stays so. */
  uri(uri: string, way: Way): string {
    const [, host = '', encoded, rest = ''] = FILE_URI.exec(uri) ?? [];
    if (encoded === undefined) return this.path(uri, way);
    const given = encoded.split('/');
    const names = given.map(decode);
    if (names.includes(null)) return uri;
    const to = this.#find(uriFolder(host, names as Segments), way);
    if (!to) return uri;
    const tail = to.segments.slice(to.segments.length - to.kept);
    const written = given.slice(given.length - to.kept);
    // As it was written, unless that held `..`.
    const same = tail.every((name, i) => name === decode(written[i]!));
    const head = to.segments.slice(0, to.segments.length - to.kept).map(encode);
    const path = [...head, ...(same ? written : tail.map(encode))].join('/');
    return `file://${to.root === SHARE ? '' : `/${to.root && `${to.root}/`}`}${path}${rest}`;
  }

  /** `kept`: how many segments at the end are those of the path itself. */
  #find(path: Folder, way: Way): (Folder & { kept: number }) | undefined {
    for (const { from, to } of this.#pairs[way]) {
      if (!contains(from, path)) continue;
      const tail = path.segments.slice(from.segments.length);
      return { root: to.root, segments: [...to.segments, ...tail], kept: tail.length };
    }
    return undefined;
  }
}

/** The longest first: a folder that is named by itself is not that of the one around it. */
function ordered(pairs: readonly FolderPair[], side: Side, other: Side): Pair[] {
  return pairs
    .flatMap((pair) => {
      const from = split(pair[side]);
      const to = split(pair[other]);
      return from && to ? [{ from: trimmed(from), to: trimmed(to) }] : [];
    })
    .sort((a, b) => b.from.segments.length - a.from.segments.length);
}

/** An absolute path as a root (`''`, `C:`, or that of shares) and what is below it; undefined: it is none. */
function split(path: string): Folder | undefined {
  const drive = DRIVE.exec(path)?.[0];
  if (drive !== undefined) return normalized(drive, path.slice(3).split(/[\\/]/));
  if (path.startsWith(SHARE)) return normalized(SHARE, path.slice(2).split(/[\\/]/));
  return path.startsWith('/') ? normalized('', path.slice(1).split('/')) : undefined;
}

function uriFolder(host: string, names: Segments): Folder {
  if (host !== '' && host.toLowerCase() !== 'localhost') return normalized(SHARE, [host, ...names]);
  const drive = DRIVE.exec(names[0]!)?.[0];
  return drive === undefined ? normalized('', names) : normalized(drive, names.slice(1));
}

/** Without `.`, `..` and empty names; one at the end stays: it is the slash that ends a path. */
function normalized(root: string, segments: Segments): Folder {
  const out: Segments = [];
  for (const [i, segment] of segments.entries()) {
    if (segment === '..') out.pop();
    else if (segment !== '.' && (segment !== '' || i === segments.length - 1)) out.push(segment);
  }
  return { root, segments: out.length === 1 && out[0] === '' ? [] : out };
}

function trimmed({ root, segments }: Folder): Folder {
  return { root, segments: segments.filter((segment) => segment !== '') };
}

function contains(folder: Folder, path: Folder): boolean {
  if (folder.root.toLowerCase() !== path.root.toLowerCase()) return false;
  // Windows takes names that differ in case alone for the same.
  const same = (a: string, b: string | undefined): boolean =>
    folder.root === '' ? a === b : a.toLowerCase() === b?.toLowerCase();
  return folder.segments.every((segment, i) => same(segment, path.segments[i]));
}

function join({ root, segments }: Folder): string {
  if (root === '') return `/${segments.join('/')}`;
  return root === SHARE ? root + segments.join('\\') : `${root}\\${segments.join('\\')}`;
}

function decode(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment);
    return name.includes('/') ? null : name;
  } catch {
    return null;
  }
}

/** As Node writes a segment of a file's URI. */
function encode(segment: string): string {
  return encodeURI(segment).replace(/[?#]/g, encodeURIComponent);
}
