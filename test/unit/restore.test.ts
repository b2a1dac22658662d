import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/baseline/baseline';
import { restoreEntry } from '../../src/review/restore';
import { tempDir, whenDone } from '../harness';

let top: string;

beforeEach(() => {
  top = tempDir();
});

const at = (name: string): string => join(top, name);
const make = (name: string, content: string | Buffer = 'agent', mode = 0o644): void => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  chmodSync(at(name), mode);
};
const restore = (
  path: string,
  content: string | Buffer | null,
  mode: Entry['mode'] = '100644',
): Promise<void> =>
  restoreEntry({
    top,
    path,
    entry: content === null ? null : { mode, id: 'id' },
    read: (id) => Promise.resolve(id === 'id' ? Buffer.from(content!) : null),
  });
const read = (name: string): string => readFileSync(at(name), 'utf8');
const modeOf = (name: string): string => (lstatSync(at(name)).mode & 0o7777).toString(8);

/** All that is in the folder, to see that nothing has changed. */
const tree = (folder = top): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .map((item) => {
      const path = join(folder, item.name);
      const mode = (lstatSync(path).mode & 0o7777).toString(8);
      if (item.isDirectory()) return [`${path} ${mode}`, ...tree(path)];
      if (item.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
      return [`${path} ${mode} ${item.isFile() ? readFileSync(path, 'latin1') : ''}`];
    })
    .flat()
    .sort();

/** Restoring fails with words, and leaves all as it is. */
async function refused(done: () => Promise<void>, words: string | RegExp): Promise<void> {
  const before = tree();
  await expect(done()).rejects.toThrow(words);
  expect(tree()).toEqual(before);
}

/** As somebody whom the system may refuse something. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid!() !== 0) return work();
  const NOBODY = 65534;
  chownSync(top, NOBODY, NOBODY);
  for (const name of readdirSync(top, { recursive: true }) as string[]) {
    chownSync(at(name), NOBODY, NOBODY);
  }
  process.seteuid!(NOBODY);
  whenDone(() => process.seteuid!(0));
  await work();
  process.seteuid!(0);
}

describe('a plain file', () => {
  test('gets its bytes back, whatever they are', async () => {
    make('a');
    const bytes = Buffer.from([0xff, 0xfe, 0, 13, 10, 0xe9]);
    await restore('a', bytes);
    expect(readFileSync(at('a'))).toEqual(bytes);
    expect(readdirSync(top)).toEqual(['a']);
  });

  test('comes back with its folders', async () => {
    await restore('deep/er/a', 'user');
    expect(read('deep/er/a')).toBe('user');
    await restore('empty', '');
    expect(read('empty')).toBe('');
  });

  test('is replaced at once: who has the old one open reads on', async () => {
    make('a', 'agent');
    const inode = statSync(at('a')).ino;
    await restore('a', 'user');
    expect(statSync(at('a')).ino).not.toBe(inode);
  });

  test('becomes executable, and is so no more, and keeps the rest of its mode', async () => {
    make('a', 'same', 0o640);
    await restore('a', 'same', '100755');
    expect(modeOf('a')).toBe('750');
    await restore('a', 'other', '100644');
    expect([read('a'), modeOf('a')]).toEqual(['other', '640']);
    chmodSync(at('a'), 0o744);
    await restore('a', 'third', '100755');
    expect(modeOf('a')).toBe('744');
    await restore('new', '', '100755');
    expect(statSync(at('new')).mode & 0o100).toBe(0o100);
  });

  test('that is as it should be is not touched', async () => {
    make('a', 'same');
    utimesSync(at('a'), 1000, 1000);
    await restore('a', 'same');
    expect(statSync(at('a')).mtimeMs).toBe(1_000_000);
  });

  test('stays one file under all its names', async () => {
    make('a', 'agent, much longer');
    linkSync(at('a'), at('b'));
    await restore('a', 'user', '100755');
    expect(read('b')).toBe('user');
    expect(statSync(at('a')).nlink).toBe(2);
    expect(modeOf('b')).toBe('755');
  });

  test('keeps its owner', async ({ skip }) => {
    if (process.geteuid!() !== 0) skip();
    make('a', 'agent', 0o600);
    chownSync(at('a'), 1234, 1234);
    await restore('a', 'user', '100755');
    expect(statSync(at('a'))).toMatchObject({ uid: 1234, gid: 1234 });
    expect(modeOf('a')).toBe('700');
  });

  test('takes the place of a link, and leaves alone what that leads to', async () => {
    const outside = join(tempDir(), 'a');
    writeFileSync(outside, 'theirs');
    symlinkSync(outside, at('a'));
    await restore('a', 'user');
    expect(lstatSync(at('a')).isFile()).toBe(true);
    expect(read('a')).toBe('user');
    expect(readFileSync(outside, 'utf8')).toBe('theirs');
  });

  test('takes the place of a folder in which there are no files', async () => {
    mkdirSync(at('a/b/c'), { recursive: true });
    mkdirSync(at('a/d'));
    await restore('a', 'user');
    expect(read('a')).toBe('user');
  });

  test('does not take the place of a folder with files', async () => {
    make('a/b/c');
    mkdirSync(at('a/aa'));
    await refused(() => restore('a', 'user'), /^a: a folder of that name, with files in it/);
  });

  test('does not take the place of a pipe', async () => {
    execFileSync('mkfifo', [at('a')]);
    await refused(() => restore('a', 'user'), /^a: something that is neither a file nor a link/);
  });

  test('that is read-only is left alone', async () => {
    make('a', 'agent', 0o444);
    await refused(() => restore('a', 'user', '100755'), 'a: is read-only');
    await restore('a', 'agent', '100755');
    expect(modeOf('a')).toBe('555');
  });

  test('whose content was not kept is left alone', async () => {
    make('a');
    await refused(
      () =>
        restoreEntry({
          top,
          path: 'a',
          entry: { mode: '100644', id: 'gone' },
          read: async () => null,
        }),
      "a: what it held was not kept, so it can't be put back",
    );
  });

  test('in a read-only folder is refused, and no folder is left behind', async () => {
    make('shut/a');
    make('shut/empty/.keep');
    renameSync(at('shut/empty/.keep'), at('keep'));
    chmodSync(at('shut'), 0o555);
    await asNobody(async () => {
      await refused(() => restore('shut/b', 'user'), 'shut/b: permission denied');
      await refused(() => restore('shut/new/b', 'user'), 'shut/new/b: permission denied');
      await refused(() => restore('shut/a', null), 'shut/a: permission denied');
      await refused(() => restore('shut/empty', 'user'), 'shut/empty: permission denied');
    });
    chmodSync(at('shut'), 0o755);
  });

  test('that cannot be written leaves no new folders', async () => {
    await refused(() => restore(`new/er/${'x'.repeat(256)}`, 'user'), 'the name is too long');
  });

  test('of somebody else is not half restored', async ({ skip }) => {
    if (process.geteuid!() !== 0) skip();
    make('a', 'agent');
    await asNobody(async () => {
      process.seteuid!(0);
      chownSync(at('a'), 1234, 1234);
      chmodSync(at('a'), 0o666);
      process.seteuid!(65534);
      await refused(() => restore('a', 'user', '100755'), 'a: operation not permitted');
      await restore('a', 'user');
    });
    expect(read('a')).toBe('user');
    expect(statSync(at('a')).uid).toBe(1234);
  });
});

describe('a link', () => {
  test('comes back, wherever it leads', async () => {
    make('file');
    symlinkSync('agent', at('link'));
    for (const path of ['file', 'link', 'deep/new']) {
      await restore(path, '../nowhere/é', '120000');
      expect(readlinkSync(at(path))).toBe('../nowhere/é');
    }
    expect(readdirSync(top).sort()).toEqual(['deep', 'file', 'link']);
  });

  test('that is as it should be is not touched', async () => {
    symlinkSync('user', at('a'));
    const inode = lstatSync(at('a')).ino;
    await restore('a', 'user', '120000');
    expect(lstatSync(at('a')).ino).toBe(inode);
  });

  test('does not take the place of a read-only file, nor of what is no file', async () => {
    make('a', 'agent', 0o444);
    execFileSync('mkfifo', [at('pipe')]);
    await refused(() => restore('a', 'user', '120000'), 'a: is read-only');
    await refused(() => restore('pipe', 'user', '120000'), /^pipe: something/);
  });
});

describe('a file that was not there', () => {
  test('goes, with the folders that are empty then', async () => {
    make('deep/er/a');
    make('deep/b');
    await restore('deep/er/a', null);
    expect(tree().map((line) => line.split(' ')[0])).toEqual([at('deep'), at('deep/b')]);
    await restore('deep/b', null);
    expect(tree()).toEqual([]);
    expect(existsSync(top)).toBe(true);
  });

  test('goes also when it is a link, and what it leads to stays', async () => {
    make('a');
    mkdirSync(at('folder'));
    symlinkSync('a', at('link'));
    symlinkSync('folder', at('links'));
    symlinkSync('nowhere', at('dangling'));
    for (const path of ['link', 'links', 'dangling']) await restore(path, null);
    expect(readdirSync(top).sort()).toEqual(['a', 'folder']);
  });

  test('and is not there now is no matter', async () => {
    make('file');
    await restore('a', null);
    await restore('deep/a', null);
    await restore('file/a', null);
    expect(read('file')).toBe('agent');
  });

  test('and is a folder with files now is left alone', async () => {
    make('a/user');
    await refused(() => restore('a', null), /^a: a folder of that name, with files in it/);
  });
});

describe('nothing outside of the folder is touched', () => {
  let outside: string;

  beforeEach(() => {
    outside = tempDir();
    writeFileSync(join(outside, 'a'), 'theirs');
  });

  test.each([
    ['a file', 'user', '100644'],
    ['a link', 'user', '120000'],
    ['a deletion', null, '100644'],
  ] as const)('by %s below a link that leads out', async (_, content, mode) => {
    symlinkSync(outside, at('folder'));
    mkdirSync(at('deep'));
    symlinkSync(outside, at('deep/er'));
    for (const path of ['folder/a', 'deep/er/a', 'deep/er/new/a']) {
      await refused(
        () => restore(path, content, mode),
        new RegExp(`^${path}: (folder|deep/er) is a link now that leads out of ${top}$`),
      );
    }
    expect(readdirSync(outside)).toEqual(['a']);
    expect(readFileSync(join(outside, 'a'), 'utf8')).toBe('theirs');
  });

  test('nor another file inside, through a link', async () => {
    make('real/a', 'user');
    symlinkSync('real', at('folder'));
    symlinkSync('nowhere', at('dangling'));
    await refused(() => restore('folder/a', 'x'), 'folder/a: folder is a link now');
    await refused(() => restore('folder/a', null), 'folder/a: folder is a link now');
    await refused(() => restore('dangling/a', 'x'), /^dangling\/a: dangling is a link now/);
  });

  test.each(['../a', '/etc/a', 'a/../../b', '', '.', 'a//b', 'a\0'])(
    'by the path %j',
    async (path) => {
      await refused(() => restore(path, 'x'), 'is not the name of a file in this folder');
      await refused(() => restore(path, null), 'is not the name of a file in this folder');
    },
  );
});

test('a file in the way of a folder is named', async () => {
  make('a', 'agent');
  await refused(() => restore('a/b/c', 'user'), 'a/b/c: a is a file now, where a folder is needed');
});

test('a submodule is refused', async () => {
  mkdirSync(at('sub'));
  await refused(() => restore('sub', '', '160000'), /^sub: is a submodule: only git/);
});
