import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Baseline, Entry } from '../../src/baseline/baseline';
import { openFolderBaseline } from '../../src/baseline/folder';
import type { FolderLimits } from '../../src/baseline/folder-limits';
import { openBaseline, retire } from '../../src/baseline/open';
import { nameOf, placeOf } from '../../src/baseline/place';
import { restoreEntry } from '../../src/review/restore';
import { tempDir, whenDone } from '../harness';

let root: string;
let stateDir: string;

beforeEach(() => {
  root = tempDir();
  stateDir = tempDir();
});

const at = (name: string): string => join(root, name);
const make = (name: string, content: string | Buffer = name): string => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return at(name);
};
const open = (limits: Partial<FolderLimits> = {}): Promise<Baseline> =>
  openFolderBaseline({ root, stateDir, limits });
const textOf = async (baseline: Baseline, entry: Entry | null): Promise<string | null> =>
  entry && ((await baseline.read(entry.id))?.toString() ?? null);

/** What happened between two records, in a line each: `old → new`, contents in quotes. */
async function changes(baseline: Baseline, from: string, to: string): Promise<string[]> {
  const side = async (entry: Entry | null): Promise<string> =>
    entry ? `${entry.mode.slice(2)} ${JSON.stringify(await textOf(baseline, entry))}` : '-';
  return Promise.all(
    (await baseline.changes(from, to)).map(
      async ({ path, from: old, before, after }) =>
        `${old ? `${old} => ` : ''}${path}: ${await side(before)} → ${await side(after)}`,
    ),
  );
}

describe('what changed', () => {
  test('files that came, went, changed and became executable, with what they held', async () => {
    make('kept');
    make('gone', 'old');
    make('deep/er/changed', 'before');
    make('run');
    const baseline = await open();
    const from = await baseline.take();
    rmSync(at('gone'));
    make('deep/er/changed', 'after');
    make('deep/new', 'new');
    chmodSync(at('run'), 0o755);
    const to = await baseline.take();
    expect(await changes(baseline, from, to)).toEqual([
      'deep/er/changed: 0644 "before" → 0644 "after"',
      'deep/new: - → 0644 "new"',
      'gone: 0644 "old" → -',
      'run: 0644 "run" → 0755 "run"',
    ]);
    expect(await changes(baseline, from, from)).toEqual([]);
    expect(baseline.limits).toEqual([]);
  });

  test('a change that leaves size and time as they were is seen', async () => {
    make('a', 'before');
    utimesSync(at('a'), 1000, 1000);
    const baseline = await open();
    const from = await baseline.take();
    make('a', 'after!');
    utimesSync(at('a'), 1000, 1000);
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "before" → 0644 "after!"',
    ]);
  });

  test('a file that was only touched did not change', async () => {
    make('a');
    const baseline = await open();
    const from = await baseline.take();
    utimesSync(at('a'), 1000, 1000);
    expect(await changes(baseline, from, await baseline.take())).toEqual([]);
  });

  test('the same state has the same name, and costs nothing', async () => {
    make('a');
    const baseline = await open();
    const name = await baseline.take();
    const files = readdirSync(join(placeOf(stateDir, root), 'objects'));
    expect(await baseline.take()).toBe(name);
    expect(readdirSync(join(placeOf(stateDir, root), 'objects'))).toEqual(files);
  });

  test('a renamed file is one change', async () => {
    make('old', 'text');
    make('run');
    const baseline = await open();
    const from = await baseline.take();
    mkdirSync(at('deep'));
    renameSync(at('old'), at('deep/new'));
    renameSync(at('run'), at('walk'));
    chmodSync(at('walk'), 0o755);
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'old => deep/new: 0644 "text" → 0644 "text"',
      'run => walk: 0644 "run" → 0755 "run"',
    ]);
  });

  test('which of several equal files went where is not guessed, nor of empty ones', async () => {
    make('a', 'same');
    make('b', 'same');
    make('empty', '');
    const baseline = await open();
    const from = await baseline.take();
    renameSync(at('a'), at('c'));
    renameSync(at('b'), at('d'));
    renameSync(at('empty'), at('void'));
    expect((await changes(baseline, from, await baseline.take())).join('\n')).not.toContain('=>');
  });

  test('a link is recorded as one, and where it leads is not entered', async () => {
    const elsewhere = tempDir();
    writeFileSync(join(elsewhere, 'secret'), '');
    symlinkSync(elsewhere, at('folder'));
    symlinkSync('nowhere', at('dangling'));
    make('file');
    const baseline = await open();
    const from = await baseline.take();
    rmSync(at('dangling'));
    symlinkSync('elsewhere', at('dangling'));
    rmSync(at('file'));
    symlinkSync('file', at('file'));
    writeFileSync(join(elsewhere, 'secret'), 'changed');
    const to = await baseline.take();
    expect(await changes(baseline, from, to)).toEqual([
      'dangling: 0000 "nowhere" → 0000 "elsewhere"',
      'file: 0644 "file" → 0000 "file"',
    ]);
    expect(await baseline.entry(to, 'folder')).toMatchObject({ mode: '120000' });
  });

  test('a file that became a folder, and the other way round', async () => {
    make('a', 'file');
    make('b/c', 'deep');
    const baseline = await open();
    const from = await baseline.take();
    rmSync(at('a'));
    make('a/x', 'deep');
    rmSync(at('b'), { recursive: true });
    make('b', 'plain');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "file" → -',
      'b/c => a/x: 0644 "deep" → 0644 "deep"',
      'b: - → 0644 "plain"',
    ]);
  });

  test('bytes are kept as they are', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 0xe9, 10, 0]);
    make('a', bytes);
    const baseline = await open();
    const entry = await baseline.entry(await baseline.take(), 'a');
    expect(await baseline.read(entry!.id)).toEqual(bytes);
  });

  test('content that is written has the name that a record gives it', async () => {
    make('a', 'text');
    const baseline = await open();
    const id = await baseline.write(Buffer.from('text'));
    expect(await baseline.entry(await baseline.take(), 'a')).toEqual({ mode: '100644', id });
    expect(await baseline.read(id)).toEqual(Buffer.from('text'));
    expect(await baseline.read(await baseline.write(Buffer.alloc(0)))).toEqual(Buffer.alloc(0));
  });

  test('names that look like something else are only names', async () => {
    for (const name of ['__proto__', 'constructor', '..a/...', ' ', '-rf', 'a\nb', 'ä/é'])
      make(name);
    const baseline = await open();
    const from = await baseline.take();
    rmSync(at('__proto__'));
    make('..a/...', 'new');
    const again = await open();
    expect(await changes(again, from, await again.take())).toEqual([
      '..a/...: 0644 "..a/..." → 0644 "new"',
      '__proto__: 0644 "__proto__" → -',
    ]);
  });

  test('a pipe is no file, and nobody waits for it', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    make('a');
    const baseline = await open();
    const from = await baseline.take();
    rmSync(at('a'));
    execFileSync('mkfifo', [at('a')]);
    expect(await changes(baseline, from, await baseline.take())).toEqual(['a: 0644 "a" → -']);
  });
});

/** All files of the folder, with mode and content. */
function files(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((item) => !item.isDirectory())
    .map((item) => {
      const path = join(item.parentPath, item.name);
      if (item.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`;
      return `${path} ${statSync(path).mode & 0o100} ${readFileSync(path, 'latin1')}`;
    })
    .sort();
}

test('whatever happens to the files, taking back all changes gives the tree that was recorded', async () => {
  const step = fc.record({
    path: fc.constantFrom('a', 'b', 'c/d', 'c/e', 'c/f/g', 'a/x', 'c'),
    what: fc.constantFrom('write', 'write', 'write', 'run', 'link', 'delete', 'move'),
    content: fc.constantFrom('', 'one', 'two', 'same size'),
  });
  const play = (steps: { path: string; what: string; content: string }[]): void => {
    for (const { path, what, content } of steps) {
      const file = at(path);
      const from = at(content.length % 2 === 0 ? 'a' : 'c/d');
      // What is in the way of it or of its folders goes.
      for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        const folder = at(path.slice(0, end));
        if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
        rmSync(folder, { force: true });
        break;
      }
      const isMove = what === 'move' && existsSync(from) && statSync(from).isFile();
      const bytes = isMove ? readFileSync(from) : content;
      if (isMove) rmSync(from);
      rmSync(file, { recursive: true, force: true });
      if (what === 'link') {
        mkdirSync(dirname(file), { recursive: true });
        symlinkSync(`nowhere/${content}`, file);
      } else if (what !== 'delete') {
        make(path, bytes);
        if (what === 'run') chmodSync(file, 0o755);
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step), fc.array(step), async (before, after) => {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      play(before);
      const baseline = await open();
      const recorded = files();
      const from = await baseline.take();
      play(after);
      const found = await baseline.changes(from, await baseline.take());
      const put = (path: string, entry: Entry | null): Promise<void> =>
        restoreEntry({ top: root, path, entry, read: (id) => baseline.read(id) });
      for (const { path, from: old, before } of found) {
        if (old !== undefined || !before) await put(path, null);
      }
      for (const { path, from: old, before } of found) if (before) await put(old ?? path, before);
      expect(files()).toEqual(recorded);
      expect(await baseline.changes(from, await baseline.take())).toEqual([]);
    }),
    { numRuns: 30 },
  );
}, 60_000);

describe('unsaved text', () => {
  test('counts in the place of what is on disk', async () => {
    make('a', 'disk');
    make('run', 'disk');
    chmodSync(at('run'), 0o755);
    const unsaved = new Map([
      [at('a'), Buffer.from('buffer')],
      [at('run'), Buffer.from('buffer')],
      [at('new/file'), Buffer.from('fresh')],
      ['/elsewhere', Buffer.from('no')],
    ]);
    const baseline = await open();
    const from = await baseline.take(unsaved);
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "buffer" → 0644 "disk"',
      'new/file: 0644 "fresh" → -',
      'run: 0755 "buffer" → 0755 "disk"',
    ]);
    make('a', 'buffer');
    expect(await changes(baseline, from, await baseline.take())).not.toContain('a');
  });

  test('of a file that would not be recorded is found again when it is saved', async () => {
    make('node_modules/a.js', 'disk');
    const baseline = await open();
    const from = await baseline.take(new Map([[at('node_modules/a.js'), Buffer.from('mine')]]));
    make('node_modules/a.js', 'agent');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'node_modules/a.js: 0644 "mine" → 0644 "agent"',
    ]);
  });
});

describe('limits', () => {
  test('what tools can make again is left out, and said', async () => {
    make('a');
    make('node_modules/x/index.js');
    make('sub/.git/HEAD');
    const baseline = await open();
    const from = await baseline.take();
    make('node_modules/x/index.js', 'changed');
    make('sub/.git/HEAD', 'changed');
    make('sub/b');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'sub/b: - → 0644 "sub/b"',
    ]);
    expect(baseline.limits).toEqual([
      'not recorded, as tools can make them again: .git, node_modules',
    ]);
  });

  test('our own files are left out where they are in the folder', async () => {
    stateDir = at('state');
    mkdirSync(stateDir);
    const baseline = await open();
    const from = await baseline.take();
    make('a');
    expect(await changes(baseline, from, await baseline.take())).toEqual(['a: - → 0644 "a"']);
  });

  test('beyond the count nothing is told to be new or gone', async () => {
    for (let i = 0; i < 30; i++) make(`many/${i}`);
    make('a');
    const baseline = await open({ maxFiles: 20 });
    const from = await baseline.take();
    make('a', 'changed');
    for (let i = 0; i < 15; i++) rmSync(at(`many/${i}`));
    for (let i = 30; i < 60; i++) make(`many/${i}`);
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "a" → 0644 "changed"',
    ]);
    expect(baseline.limits).toContain(
      'only 20 files and folders are recorded: others of this folder are not',
    );
  });

  test('what nobody looked at is never said to have been absent', async () => {
    for (let i = 0; i < 30; i++) make(`many/${i}`);
    const baseline = await open({ maxFiles: 20 });
    const record = await baseline.take();
    for (let i = 0; i < 30; i++) {
      const entry = await baseline.entry(record, `many/${i}`);
      expect(entry).not.toBeNull();
    }
    expect(await baseline.entry(record, 'nothing')).toBeNull();
  });

  test('without time nothing is recorded, and nothing told to have changed', async () => {
    make('a');
    const hurried = await open({ maxMs: -1 });
    const from = await hurried.take();
    expect(hurried.limits.join()).toContain('recording was stopped');
    const baseline = await open();
    expect(await changes(baseline, from, await baseline.take())).toEqual([]);
  });

  test('large files are known by size and time', async () => {
    make('large', 'x'.repeat(101));
    const baseline = await open({ maxFileSize: 100 });
    const from = await baseline.take();
    expect(await changes(baseline, from, await baseline.take())).toEqual([]);
    appendFileSync(at('large'), 'y');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'large: 0644 null → 0644 null',
    ]);
    expect(baseline.limits.join()).toMatch(/can't be taken back, over .*: large/);
  });

  test('a large file that only became executable has the same content', async () => {
    make('large', 'x'.repeat(101));
    const baseline = await open({ maxFileSize: 100 });
    const from = await baseline.take();
    chmodSync(at('large'), 0o755);
    const [change] = await baseline.changes(from, await baseline.take());
    expect(change!.before!.id).toBe(change!.after!.id);
  });

  test('what may not be kept is known by its hash, and said', async () => {
    for (const name of ['a', 'b', 'c']) make(name, name.repeat(40));
    make('d', 'd'.repeat(60));
    const baseline = await open({ keepFileSize: 50, keepSize: 80 });
    const from = await baseline.take();
    for (const name of ['a', 'b', 'c', 'd']) make(name, 'new');
    const texts = await Promise.all(
      (await baseline.changes(from, await baseline.take())).map(({ before }) =>
        textOf(baseline, before),
      ),
    );
    expect(texts.filter((text) => text === null)).toHaveLength(2);
    expect(texts[3]).toBeNull();
  });

  test('what was made of a file is kept, however much it has grown, and so is a large new file', async () => {
    make('grown', 'abc');
    make('large', 'unchanged');
    const baseline = await open({ keepFileSize: 3 });
    const from = await baseline.take();
    make('grown', 'abcdef');
    make('new', 'as large');
    const to = await baseline.take();
    expect(await changes(baseline, from, to)).toEqual([
      'grown: 0644 "abc" → 0644 "abcdef"',
      'new: - → 0644 "as large"',
    ]);
    expect(baseline.limits).toEqual([
      'can be taken back only if a tool call names the file before it changes it: large',
    ]);
    expect(await textOf(baseline, await baseline.entry(to, 'large'))).toBeNull();
  });

  test('what may not be read is said, and no change', async ({ skip }) => {
    if (process.geteuid!() !== 0) skip();
    make('shut/a');
    make('secret', 'before');
    for (const folder of [root, stateDir]) chownSync(folder, 65534, 65534);
    chmodSync(at('shut'), 0o700);
    chmodSync(at('secret'), 0o600);
    process.seteuid!(65534);
    whenDone(() => process.seteuid!(0));
    const baseline = await open();
    const from = await baseline.take();
    process.seteuid!(0);
    rmSync(at('shut'), { recursive: true });
    mkdirSync(at('shut'), { mode: 0o700 });
    make('secret', 'changed');
    process.seteuid!(65534);
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'secret: 0644 null → 0644 null',
    ]);
    expect(baseline.limits).toEqual([
      'not recorded, for they may not be read: shut',
      "changes are seen but can't be taken back, for they could not be read in time: secret",
    ]);
    process.seteuid!(0);
  });

  test('names that are no UTF-8 are counted', async () => {
    writeFileSync(Buffer.concat([Buffer.from(at('/')), Buffer.from([0xe9])]), '');
    const baseline = await open();
    await baseline.take();
    expect(baseline.limits).toEqual(['not recorded, names that are no UTF-8: 1']);
  });
});

describe('a file that a tool call names', () => {
  const limits = { keepFileSize: 3 };

  test('is kept before it changes', async () => {
    make('a', 'before');
    const baseline = await open(limits);
    const from = await baseline.take();
    expect(baseline.limits).toEqual([
      'can be taken back only if a tool call names the file before it changes it: a',
    ]);
    await baseline.sight(at('a'));
    expect(baseline.limits).toEqual([]);
    make('a', 'after!');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "before" → 0644 "after!"',
    ]);
    expect(baseline.limits).toEqual([]);
  });

  test('is not kept when it has changed already', async () => {
    make('a', 'before');
    const baseline = await open(limits);
    const from = await baseline.take();
    make('a', 'after!');
    await baseline.sight(at('a'));
    expect(await textOf(baseline, await baseline.entry(from, 'a'))).toBeNull();
  });

  test('completes earlier records that knew less of it', async () => {
    make('a', 'before');
    const from = await (await open({ maxFileSize: 3 })).take();
    const late = await (await open({ maxMs: -1 })).take();
    const baseline = await open();
    expect(await textOf(baseline, await baseline.entry(from, 'a'))).toBeNull();
    await baseline.take();
    await baseline.sight(at('a'));
    await baseline.sight(at('b'));
    make('a', 'after');
    make('b', 'new');
    const to = await baseline.take();
    for (const opened of [baseline, await open()]) {
      for (const record of [from, late]) {
        expect(await changes(opened, record, to)).toEqual([
          'a: 0644 "before" → 0644 "after"',
          'b: - → 0644 "new"',
        ]);
      }
    }
  });

  test('counts as it was at first sight where records do not reach', async () => {
    make('node_modules/a.js', 'before');
    make('node_modules/gone.js', 'there');
    const baseline = await open();
    const from = await baseline.take();
    for (const name of ['a.js', 'gone.js', 'new.js'])
      await baseline.sight(at(`node_modules/${name}`));
    make('node_modules/a.js', 'after');
    make('node_modules/new.js', 'new');
    make('node_modules/silent.js', 'nobody named it');
    rmSync(at('node_modules/gone.js'));
    await baseline.sight(at('node_modules/a.js'));
    const expected = [
      'node_modules/a.js: 0644 "before" → 0644 "after"',
      'node_modules/gone.js: 0644 "there" → -',
      'node_modules/new.js: - → 0644 "new"',
    ];
    expect(await changes(baseline, from, await baseline.take())).toEqual(expected);

    const again = await open();
    expect(await changes(again, from, await again.take())).toEqual(expected);
  });

  test('is what a link leads to, and nothing outside', async () => {
    const outside = join(tempDir(), 'secret');
    writeFileSync(outside, 'secret');
    make('a', 'before');
    symlinkSync('a', at('link'));
    symlinkSync(outside, at('out'));
    const baseline = await open(limits);
    const record = await baseline.take();
    for (const path of [at('link'), at('out'), outside, `${root}/a\0`, root, at('none/x')]) {
      await baseline.sight(path);
    }
    expect(await textOf(baseline, await baseline.entry(record, 'a'))).toBe('before');
    const objects = join(placeOf(stateDir, root), 'objects');
    const kept = readdirSync(objects).map((name) => readFileSync(join(objects, name), 'latin1'));
    expect(kept.join()).not.toContain('secret');
  });

  test('before anything is recorded is no matter', async () => {
    await (await open()).sight(make('a'));
  });

  test('is not followed when a link was put into its way', async () => {
    const outside = tempDir();
    writeFileSync(join(outside, 'a.js'), 'secret');
    make('node_modules/a.js', 'before');
    const baseline = await open();
    const from = await baseline.take();
    await baseline.sight(at('node_modules/a.js'));
    rmSync(at('node_modules'), { recursive: true });
    symlinkSync(outside, at('node_modules'));
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      `node_modules: - → 0000 ${JSON.stringify(outside)}`,
      'node_modules/a.js: 0644 "before" → -',
    ]);
  });
});

describe('what is kept', () => {
  test('survives the process', async () => {
    make('a', 'before');
    const from = await (await open()).take();
    const again = await open();
    make('a', 'after');
    expect(await changes(again, from, await again.take())).toEqual([
      'a: 0644 "before" → 0644 "after"',
    ]);
  });

  test('by one process is found by another that runs already', async () => {
    make('a', 'before');
    const [one, other] = [await open(), await open()];
    const from = await one.take();
    expect(await textOf(other, await other.entry(from, 'a'))).toBe('before');
  });

  test('can be read by its owner only', async () => {
    make('a');
    make('node_modules/b');
    const baseline = await open();
    await baseline.take();
    await baseline.sight(at('node_modules/b'));
    const place = placeOf(stateDir, root);
    const modes = readdirSync(place, { recursive: true, withFileTypes: true }).map((item) => [
      item.isDirectory() ? 'folder' : 'file',
      (statSync(join(item.parentPath, item.name)).mode & 0o777).toString(8),
    ]);
    expect(modes.length).toBeGreaterThan(2);
    for (const [kind, mode] of modes) expect(mode).toBe(kind === 'file' ? '600' : '700');
    expect(statSync(place).mode & 0o777).toBe(0o700);
  });

  test('is not given out when it was damaged', async () => {
    make('a', 'before');
    const baseline = await open();
    const entry = await baseline.entry(await baseline.take(), 'a');
    const objects = join(placeOf(stateDir, root), 'objects');
    for (const name of readdirSync(objects)) {
      const text = readFileSync(join(objects, name), 'latin1');
      writeFileSync(join(objects, name), text.replace('before', 'BEFORE'));
    }
    expect(await baseline.read(entry!.id)).toBeNull();
  });

  test('by a name that is none, or of no record, is nothing', async () => {
    const baseline = await open();
    expect(await baseline.read('../../../etc/passwd')).toBeNull();
    await expect(baseline.changes('none', 'none')).rejects.toThrow(/recorded state.*is gone/);
  });
});

describe('a baseline', () => {
  test('of a folder in no repository is recorded file by file', async () => {
    make('a', 'before');
    const baseline = await openBaseline({ root, stateDir });
    expect(baseline.top).toBe(root);
    const from = await baseline.take();
    make('a', 'after');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'a: 0644 "before" → 0644 "after"',
    ]);
  });

  test('of a folder in a repository is that of the repository, as git sees it', async () => {
    execFileSync('git', ['init', '-q', root]);
    make('.gitignore', 'ignored\n');
    make('sub/a', 'before');
    const baseline = await openBaseline({ root: at('sub'), stateDir });
    expect(baseline.top).toBe(root);
    const from = await baseline.take();
    make('sub/a', 'after');
    make('ignored');
    make('b');
    expect(await changes(baseline, from, await baseline.take())).toEqual([
      'b: - → 0644 "b"',
      'sub/a: 0644 "before" → 0644 "after"',
    ]);
    await baseline.close();
  });

  test('of a link to a folder is that of the folder', async () => {
    symlinkSync(root, at('link'));
    expect((await openBaseline({ root: at('link'), stateDir })).top).toBe(root);
  });
});

describe('old baselines', () => {
  const age = (name: string, days: number): void => {
    const time = Date.now() / 1000 - days * 86_400;
    const place = join(stateDir, 'baseline', name);
    for (const item of readdirSync(place)) utimesSync(join(place, item), time, time);
    utimesSync(place, time, time);
  };
  const names = (): string[] => readdirSync(join(stateDir, 'baseline')).sort();

  test('go when nobody needs or has used them', async () => {
    for (const name of ['needed', 'old', 'used']) {
      mkdirSync(join(stateDir, 'baseline', name, 'objects'), { recursive: true });
      age(name, 30);
    }
    writeFileSync(join(stateDir, 'baseline/used/index'), '');
    await retire({ stateDir, keep: ['needed'], maxAgeMs: 7 * 86_400_000 });
    expect(names()).toEqual(['needed', 'used']);
  });

  test('stay when a record was taken of late', async () => {
    const baseline = await open();
    await baseline.take();
    age(nameOf(root), 30);
    await baseline.take();
    await retire({ stateDir, keep: [], maxAgeMs: 7 * 86_400_000 });
    expect(names()).toEqual([nameOf(root)]);
  });

  test('where there are none there is nothing to do', async () => {
    await retire({ stateDir, keep: [], maxAgeMs: 0 });
  });
});
