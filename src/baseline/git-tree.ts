/** Git trees that differ from others in the content of some files, made without an index: as cheap as those files are few. */

/** Where trees are kept. */
export interface TreeStore {
  readTree(id: string): Promise<Buffer>;
  writeTree(bytes: Buffer): Promise<string>;
  /** Whether a file that the tree doesn't have may be added. */
  isNew(path: string): Promise<boolean>;
}

/** The name is in Latin-1: its bytes, whatever they mean. */
interface TreeEntry {
  mode: string;
  name: string;
  id: Buffer;
}

const FILE = '100644';
const EXECUTABLE = '100755';
const FOLDER = '40000';
const NUL = Buffer.alloc(1);

/**
 * `tree` with `contents` (ids by path) in the place of those of its files, and with new files. What is a link, a folder or
 * a submodule there stays one. Null: a tree without any file.
 */
export async function treeWith(
  store: TreeStore,
  tree: string | null,
  contents: ReadonlyMap<string, string>,
  prefix = '',
): Promise<string | null> {
  const entries = tree === null ? [] : parseTree(await store.readTree(tree), tree.length / 2);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  let isSame = true;
  const put = (name: string, mode: string, id: string): void => {
    isSame = false;
    byName.set(name, { name, mode, id: Buffer.from(id, 'hex') });
  };
  for (const [part, inside] of byFirstPart(contents)) {
    const name = Buffer.from(part).toString('latin1');
    const old = byName.get(name);
    const path = prefix + part;
    const content = inside.get('');
    if (content !== undefined) {
      if (old?.mode === FILE || old?.mode === EXECUTABLE) put(name, old.mode, content);
      else if (old === undefined && (await store.isNew(path))) put(name, FILE, content);
    } else if (old === undefined || old.mode === FOLDER) {
      const before = old?.id.toString('hex') ?? null;
      const after = await treeWith(store, before, inside, `${path}/`);
      if (after !== null && after !== before) put(name, FOLDER, after);
    }
  }
  return isSame ? tree : store.writeTree(formatTree([...byName.values()]));
}

/** What lies in each folder, and, under the empty path, the content of each file. */
function byFirstPart(contents: ReadonlyMap<string, string>): Map<string, Map<string, string>> {
  const parts = new Map<string, Map<string, string>>();
  for (const [path, id] of contents) {
    const slash = path.indexOf('/');
    const part = slash < 0 ? path : path.slice(0, slash);
    const inside = parts.get(part) ?? new Map<string, string>();
    parts.set(part, inside.set(slash < 0 ? '' : path.slice(slash + 1), id));
  }
  return parts;
}

function parseTree(bytes: Buffer, idLength: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    const [mode = '', ...name] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1 + idLength;
    entries.push({ mode, name: name.join(' '), id: bytes.subarray(end + 1, at) });
  }
  return entries;
}

function formatTree(entries: TreeEntry[]): Buffer {
  // Folders stand where their names with a slash would.
  const key = ({ name, mode }: TreeEntry): string => (mode === FOLDER ? `${name}/` : name);
  entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const parts = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} ${name}`, 'latin1'),
    NUL,
    id,
  ]);
  return Buffer.concat(parts);
}
