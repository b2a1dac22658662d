import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Files } from '../../src/client/files';
import type { Editor } from '../../src/nvim/editor';
import { tempDir } from '../harness';

/** An editor whose loaded buffers are `texts`. */
class FakeEditor {
  readonly texts = new Map<string, string>();
  readonly asked: [string, object][] = [];
  fault: string | null = null;

  request(method: string, params: { path: string; text?: string }): Promise<unknown> {
    this.asked.push([method, params]);
    const text = this.texts.get(params.path);
    if (text === undefined) return Promise.resolve(null);
    if (method === 'buffer.read') return Promise.resolve({ text });
    if (this.fault) return Promise.resolve({ error: this.fault });
    this.texts.set(params.path, params.text ?? '');
    return Promise.resolve({ ok: true });
  }
}

let root: string;
let editor: FakeEditor;
let files: Files;

beforeEach(() => {
  root = tempDir();
  editor = new FakeEditor();
  files = new Files({ editor: editor as Editor, roots: () => [root] });
});

const at = (name: string): string => join(root, name);
const make = (name: string, content: string | Buffer): string => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return at(name);
};
const read = async (name: string, line?: number | null, limit?: number | null): Promise<string> =>
  (await files.readTextFile({ path: at(name), line: line ?? null, limit: limit ?? null })).content;
const write = (name: string, content: string): Promise<object> =>
  files.writeTextFile({ path: at(name), content });
const bytes = (name: string): string => readFileSync(at(name), 'latin1');

describe('reading', () => {
  test('the loaded buffer wins over the disk, by its real path', async () => {
    make('a', 'disk');
    symlinkSync('a', at('link'));
    editor.texts.set(at('a'), 'un\nsaved\n');
    expect(await read('link', 2, 5)).toBe('saved\n');
    expect(editor.asked).toEqual([['buffer.read', { path: at('a') }]]);
  });

  test('lines of a buffer end as the buffer says', async () => {
    editor.texts.set(at('mac'), '1\r2\r3\r');
    editor.texts.set(at('dos'), '1\r\n2\r\n3');
    expect(await read('mac', 2, 1)).toBe('2\r');
    expect(await read('dos', 2, 1)).toBe('2\r\n');
    expect(await read('dos', 3, 9)).toBe('3');
  });

  test('a huge buffer is asked for no more than the range, once that is known', async () => {
    editor.texts.set(at('huge'), 'x\n'.repeat(1_500_000));
    await read('huge', 3, 5);
    await read('huge', 8, 5);
    expect(editor.asked.at(-1)).toEqual(['buffer.read', { path: at('huge'), line: 8, limit: 5 }]);
    expect(editor.asked.filter(([, params]) => !('line' in params))).toHaveLength(1);
  });

  test('a part of a file that holds NUL bytes elsewhere', async () => {
    make('a', Buffer.concat([Buffer.from('text\n'.repeat(100_000)), Buffer.from([0])]));
    expect(await read('a', 1, 1)).toBe('text\n');
    await expect(read('a')).rejects.toThrow('is binary');
  });

  test('an empty buffer is an answer too', async () => {
    make('a', 'disk');
    editor.texts.set(at('a'), '');
    expect(await read('a')).toBe('');
  });

  test('from disk, with line ends as they are', async () => {
    make('a', 'one\r\ntwo\nthree');
    expect(await read('a')).toBe('one\r\ntwo\nthree');
  });

  test.each([
    [2, null, '2\n3\n4'],
    [2, 2, '2\n3\n'],
    [null, 1, '1\n'],
    [0, 0, '1\n2\n3\n4'],
    [4, 1, '4'],
    [4, 100, '4'],
    [5, 1, ''],
    [4_000_000_000, 4_000_000_000, ''],
  ])('line %s, limit %s', async (line, limit, expected) => {
    make('a', '1\n2\n3\n4');
    expect(await read('a', line, limit)).toBe(expected);
  });

  test('pages join to the whole, also across the borders of what is read at once', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `${i} ${'é'.repeat(i % 40)}\n`);
    make('a', lines.join(''));
    let whole = '';
    for (let line = 1; line <= lines.length; line += 7000) whole += await read('a', line, 7000);
    expect(whole).toBe(lines.join(''));
  });

  test('a missing file is -32002, also below a file, never an empty success', async () => {
    make('a', '');
    await expect(read('none')).rejects.toMatchObject({ code: -32002 });
    await expect(read('a/below')).rejects.toMatchObject({ code: -32002 });
    expect(await read('a')).toBe('');
  });

  test('a folder, a pipe and a binary file are errors that name the path', async () => {
    mkdirSync(at('dir'));
    execFileSync('mkfifo', [at('pipe')]);
    make('binary', Buffer.from([104, 0, 105]));
    await expect(read('dir')).rejects.toThrow(`${at('dir')}: is a folder`);
    await expect(read('pipe')).rejects.toThrow(`${at('pipe')}: is not a regular file`);
    await expect(read('binary')).rejects.toThrow(`${at('binary')}: is binary`);
  });

  test('a byte order mark is no text, bytes that are no UTF-8 come as U+FFFD', async () => {
    make('bom', '\uFEFFone\n\uFEFFtwo');
    make('latin1', Buffer.from('caf\xe9\n', 'latin1'));
    expect(await read('bom')).toBe('one\n\uFEFFtwo');
    expect(await read('bom', 2)).toBe('\uFEFFtwo');
    expect(await read('latin1')).toBe('caf\uFFFD\n');
  });

  test('a part of a file that is too large to be read at once', async () => {
    make('a', 'first\n');
    execFileSync('truncate', ['-s', '70M', at('zeros')]);
    execFileSync('sh', ['-c', `tr '\\0' x < "$1" >> "$2"`, '-', at('zeros'), at('a')]);
    expect(await read('a', 1, 1)).toBe('first\n');
    await expect(read('a')).rejects.toThrow(/too large/);
  });

  test('outside of the roots is -32602, and nobody is asked', async () => {
    await expect(files.readTextFile({ path: '/etc/passwd' })).rejects.toMatchObject({
      code: -32602,
    });
    expect(editor.asked).toEqual([]);
  });
});

describe('writing', () => {
  test('goes through the loaded buffer and leaves the file to it', async () => {
    make('a', 'old');
    editor.texts.set(at('a'), 'old');
    expect(await write('a', 'new')).toEqual({});
    expect(editor.texts.get(at('a'))).toBe('new');
    expect(bytes('a')).toBe('old');
  });

  test("the buffer's refusal is the answer", async () => {
    make('a', 'old');
    editor.texts.set(at('a'), 'old');
    editor.fault = 'the buffer is read-only';
    await expect(write('a', 'new')).rejects.toThrow(`${at('a')}: the buffer is read-only`);
    expect(bytes('a')).toBe('old');
  });

  test('creates the file and its folders', async () => {
    await write('new/deep/file', 'text');
    expect(bytes('new/deep/file')).toBe('text');
    await expect(write('new/deep/file/below', 'x')).rejects.toThrow(at('new/deep/file/below'));
  });

  test('keeps the mode and leaves no other file behind', async () => {
    chmodSync(make('script', 'old'), 0o751);
    await write('script', 'new');
    expect(statSync(at('script')).mode & 0o777).toBe(0o751);
    expect(readdirSync(root)).toEqual(['script']);
  });

  test('writes through a link, which stays one, to a file that exists or not', async () => {
    make('a', 'old');
    symlinkSync('a', at('link'));
    symlinkSync('dir/later', at('dangling'));
    await write('link', 'new');
    await write('dangling', 'new too');
    expect([bytes('a'), bytes('dir/later')]).toEqual(['new', 'new too']);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(at('dangling')).isSymbolicLink()).toBe(true);
  });

  test('a file with two names keeps both', async () => {
    make('a', 'old and longer');
    linkSync(at('a'), at('b'));
    await write('a', 'new');
    expect(bytes('b')).toBe('new');
  });

  test('is atomic: who has the old file open still reads the old text', async () => {
    make('a', 'old');
    const before = statSync(at('a')).ino;
    await write('a', 'new');
    expect(statSync(at('a')).ino).not.toBe(before);
  });

  test.each([
    ['a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['a\r\nb\n', 'a\nc\n', 'a\nc\n'],
    ['a\nb\n', 'a\r\nc\r\n', 'a\r\nc\r\n'],
    ['a\r\nb\r\n', 'a\r\nc\n', 'a\r\nc\n'],
    ['\xef\xbb\xbfa\n', 'b\n', '\xef\xbb\xbfb\n'],
    ['\xef\xbb\xbfa\n', '\uFEFFb\n', '\xef\xbb\xbfb\n'],
    ['a\n', 'b', 'b'],
    ['a', 'b\n', 'b\n'],
    ['a\n', '', ''],
  ])('over %j, %j becomes %j', async (old, text, expected) => {
    make('a', Buffer.from(old, 'latin1'));
    await write('a', text);
    expect(bytes('a')).toBe(expected);
  });

  test('the same text leaves the file alone', async () => {
    make('a', 'a\r\n');
    const before = statSync(at('a'));
    await write('a', 'a\n');
    expect(statSync(at('a'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  test('U+FFFD never replaces the bytes that it stood for', async () => {
    make('latin1', Buffer.from('caf\xe9\n', 'latin1'));
    await expect(write('latin1', 'caf\uFFFD!\n')).rejects.toThrow(/not UTF-8/);
    expect(bytes('latin1')).toBe('caf\xe9\n');
    make('utf8', '\uFFFD\n');
    await write('utf8', 'x\uFFFD\n');
    expect(await read('utf8')).toBe('x\uFFFD\n');
  });

  test('a folder and a read-only file are errors that name the path', async () => {
    mkdirSync(at('dir'));
    chmodSync(make('locked', 'old'), 0o444);
    await expect(write('dir', 'x')).rejects.toThrow(`${at('dir')}: is a folder`);
    await expect(write('locked', 'x')).rejects.toThrow(`${at('locked')}: is read-only`);
    expect(bytes('locked')).toBe('old');
  });

  test('writes to one path end in the order of the requests, and a read after them sees the last', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(1 + ((i * 7919) % 50_000)));
    const writes = texts.map((text) => write('a', text));
    const after = read('a');
    await Promise.all(writes);
    expect(await after).toBe(texts.at(-1));
    expect(bytes('a')).toBe(texts.at(-1));
  });

  test('a write that fails does not hold up the next', async () => {
    mkdirSync(at('a'));
    const failed = write('a', 'x');
    const next = read('a');
    await expect(failed).rejects.toThrow(/folder/);
    await expect(next).rejects.toThrow(/folder/);
  });

  test('outside of the roots is -32602, also through a link, and nothing is written', async () => {
    const outside = tempDir();
    symlinkSync(outside, at('out'));
    await expect(write('out/new/file', 'x')).rejects.toMatchObject({ code: -32602 });
    expect(existsSync(join(outside, 'new'))).toBe(false);
  });
});
