import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { encode } from '../../src/diff/encoding';
import type { MemoryBaseline } from './review-fixture';
import { lines, reviewOf, type Bench } from './review-fixture';

const abc = lines('a', 'b', 'c', 'd', 'e');

/** What is pending, in short: `a.txt modified 2+1 -b`. */
async function pending(
  { review }: Bench,
  scope: 'session' | 'turn' = 'session',
): Promise<string[]> {
  return (await review.show(scope)).files.map(({ name, change, note, locked, hunks }) =>
    [
      `${name} ${change}`,
      ...(note ? [`(${note})`] : []),
      ...(locked ? [`locked: ${locked}`] : []),
      ...hunks.map(
        ({ line, count, deleted }) =>
          `${line}+${count}${deleted.map((text) => ` -${text}`).join('')}`,
      ),
    ].join(' '),
  );
}

test('what the agent wrote by itself is pending, and told at the end of the turn', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': 'same\n' });
  const ended = await bench.turn(() => bench.put('a.txt', lines('a', 'B', 'c', 'd', 'e', 'f')));
  expect(ended).toEqual({
    files: [
      {
        path: bench.at('a.txt'),
        hunks: [
          { oldStart: 2, oldCount: 1, newStart: 2, newCount: 1 },
          { oldStart: 5, oldCount: 0, newStart: 6, newCount: 1 },
        ],
      },
    ],
    added: 2,
    removed: 1,
  });
  expect(await pending(bench)).toEqual(['a.txt modified 2+1 -b 6+1']);
  expect(bench.review.pending()).toEqual({ files: 1, added: 2, removed: 1 });
});

test('during a turn, what changed since the last look is told once', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(async () => {
    bench.put('a.txt', lines('b', 'c', 'd', 'e'));
    bench.put('new.txt', 'x\n');
    const { files, added, removed } = await bench.review.touched();
    expect(files.map(({ path }) => path)).toEqual([bench.at('a.txt'), bench.at('new.txt')]);
    expect(files[0]!.hunks).toEqual([{ oldStart: 1, oldCount: 1, newStart: 0, newCount: 0 }]);
    expect([added, removed]).toEqual([1, 1]);
    expect((await bench.review.touched()).files).toEqual([]);
  });
});

test('before the first turn there is nothing to review', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  bench.put('a.txt', 'other\n');
  expect(await pending(bench)).toEqual([]);
  await expect(bench.review.decide('session', 'keep')).rejects.toThrow('nothing to review');
  expect(await bench.review.undoPlan(false)).toBeNull();
});

test('a hunk is rejected by one of its lines: exactly these lines come back', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'a2', 'b', 'd', 'E')));
  expect(await pending(bench)).toEqual(['a.txt modified 1+2 -a 4+0 -c 5+1 -e']);
  const path = bench.at('a.txt');
  await bench.review.decide('session', 'reject', { path, line: 2 });
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'd', 'E'));
  await bench.review.decide('session', 'reject', { path, line: 3 });
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'E'));
  const view = await bench.review.decide('session', 'keep', { path, line: 5 });
  expect(view).toMatchObject({ files: [], kept: 1, rejected: 2 });
  expect(await pending(bench, 'turn')).toEqual([]);
  expect(bench.review.pending()).toBeNull();
});

test('a decision about what is not there any more is refused in words', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  const path = bench.at('a.txt');
  await expect(bench.review.decide('session', 'keep', { path, line: 4 })).rejects.toThrow(
    'a.txt has no change to decide at line 4',
  );
  await expect(bench.review.decide('session', 'keep', { path: bench.at('b.txt') })).rejects.toThrow(
    'Nothing is to be decided in b.txt any more',
  );
});

test('a rejection goes through the loaded buffer, and `u` there makes it pending again', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  const changed = lines('A', 'b', 'c', 'd', 'E');
  await bench.turn(() => bench.put('a.txt', changed));
  await bench.review.decide('session', 'reject', { path, line: 1 });
  expect(bench.editor.loaded.get(path)!.text).toBe(lines('a', 'b', 'c', 'd', 'E'));
  expect(bench.review.rejected()).toHaveLength(1);

  bench.editor.type(path, changed);
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a 5+1 -e']);
  expect(await pending(bench, 'turn')).toEqual(['a.txt modified 1+1 -a 5+1 -e']);
  expect(bench.review.rejected()).toEqual([]);
  // And again: redo, save, undo, save.
  bench.editor.type(path, lines('a', 'b', 'c', 'd', 'E'));
  await bench.save('a.txt');
  expect(await pending(bench)).toEqual(['a.txt modified 5+1 -e']);
  bench.editor.type(path, changed);
  await bench.save('a.txt');
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a 5+1 -e']);
});

test('what the buffer refuses leaves all as it was, and the other files are still decided', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => {
    bench.put('a.txt', 'x\n');
    bench.put('b.txt', 'x\n');
  });
  bench.editor.refusals.set(bench.at('a.txt'), 'the file is read-only');
  await expect(bench.review.decide('session', 'reject')).rejects.toThrow(
    'a.txt: the file is read-only',
  );
  expect(bench.text('a.txt')).toBe('x\n');
  expect(bench.text('b.txt')).toBe(abc);
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a -b -c -d -e']);
});

test('a read-only file without a buffer is not written over', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  chmodSync(bench.at('a.txt'), 0o444);
  await expect(bench.review.decide('session', 'reject')).rejects.toThrow('a.txt: is read-only');
  expect(bench.text('a.txt')).toBe('x\n');
});

test('what the user types inside of the agent’s new lines stays when they go', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  await bench.turn(() => bench.put('a.txt', lines('a', 'one', 'two', 'b', 'c', 'd', 'e')));
  bench.editor.type(path, lines('a', 'one', 'user', 'two', 'b', 'c', 'd', 'e'));
  expect(await pending(bench)).toEqual(['a.txt modified 2+1 4+1']);
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'user', 'b', 'c', 'd', 'e'));
});

test('what the user saved during the turn is not the agent’s, also where both changed the file', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  const ended = await bench.turn(async () => {
    bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e'));
    bench.editor.check();
    bench.editor.type(path, lines('A', 'b', 'c', 'user', 'd', 'e'));
    await bench.save('a.txt');
  });
  expect(ended).toMatchObject({ added: 1, removed: 1 });
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a']);
});

test('unsaved text counts as it is: before the turn, and while the agent writes over it', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  bench.editor.type(path, lines('user 1', 'a', 'b', 'c', 'd', 'e'));
  await bench.turn(async () => {
    const before = lines('user 1', 'a', 'b', 'c', 'd', 'user 2', 'e');
    bench.editor.type(path, before);
    const after = lines('user 1', 'a', 'B', 'c', 'd', 'user 2', 'e');
    await bench.editor.request('buffer.write', { path, text: after });
    await bench.review.wrote(path, before, after, abc);
  });
  expect(await pending(bench)).toEqual(['a.txt modified 3+1 -b']);
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('user 1', 'a', 'b', 'c', 'd', 'user 2', 'e'));
});

test('unsaved text that the user gives up is gone without a trace', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  await bench.turn(async () => {
    bench.editor.type(path, lines('user', 'a', 'b', 'c', 'd', 'e'));
    await bench.review.touched();
    bench.editor.open(path);
  });
  expect(await pending(bench)).toEqual([]);
});

test('a conflict that was merged: the agent’s part is the agent’s, the user’s the user’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  bench.editor.open(path);
  await bench.turn(async () => {
    const mine = lines('a', 'b', 'c', 'd', 'user');
    bench.editor.type(path, mine);
    bench.put('a.txt', lines('agent', 'b', 'c', 'd', 'e'));
    const after = lines('agent', 'b', 'c', 'd', 'user');
    bench.editor.loaded.set(path, { text: after, disk: bench.text('a.txt') });
    await bench.review.resolved(path, mine, after);
  });
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a']);
  await bench.save('a.txt');
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
});

test('between turns all that changes is the user’s, also by other programs', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': 'x\n' });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e', 'user'));
  bench.remove('b.txt');
  bench.put('c.txt', 'user\n');
  await bench.turn(() => bench.put('c.txt', lines('user', 'agent')));
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a', 'c.txt modified 2+1']);
  expect(await pending(bench, 'turn')).toEqual(['c.txt modified 2+1']);
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'e', 'user'));
  expect(existsSync(bench.at('b.txt'))).toBe(false);
  expect(bench.text('c.txt')).toBe('user\n');
});

test('a hunk that is kept in one scope is kept in the other', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'C', 'd', 'e')));
  expect(await pending(bench, 'turn')).toEqual(['a.txt modified 3+1 -c']);
  await bench.review.decide('turn', 'keep', { path, line: 3 });
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a']);
  await bench.review.decide('session', 'keep', { path, line: 1 });
  expect(await pending(bench)).toEqual([]);
});

test('rejecting the last turn leaves what came before it to be decided; rejecting the session leaves nothing', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  await bench.turn(() => bench.put('a.txt', lines('A2', 'b', 'c', 'd', 'e')));
  await bench.review.decide('turn', 'reject', { path, line: 1 });
  expect(bench.text('a.txt')).toBe(lines('A', 'b', 'c', 'd', 'e'));
  expect(await pending(bench)).toEqual(['a.txt modified 1+1 -a']);
  await bench.review.decide('session', 'reject', { path, line: 1 });
  expect(bench.text('a.txt')).toBe(abc);
  expect(await pending(bench, 'turn')).toEqual([]);
});

test('a new file is one hunk; rejecting deletes it, and its empty folder', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => {
    bench.put('lib/new.txt', lines('x', 'y'));
    bench.put('empty.txt', '');
  });
  expect(await pending(bench)).toEqual(['empty.txt added (empty)', 'lib/new.txt added 1+2']);
  await bench.review.decide('session', 'reject', { path: bench.at('lib/new.txt'), line: 2 });
  expect(existsSync(bench.at('lib'))).toBe(false);
  await bench.review.decide('session', 'reject', { path: bench.at('empty.txt'), line: 0 });
  expect(existsSync(bench.at('empty.txt'))).toBe(false);
});

test('a new file in which the user has typed keeps that', async () => {
  const bench = await reviewOf({});
  await bench.turn(() => bench.put('new.txt', lines('x', 'y')));
  bench.put('new.txt', lines('x', 'user', 'y'));
  await bench.review.decide('session', 'reject');
  expect(bench.text('new.txt')).toBe('user\n');
});

test('a deleted file shows its lines and comes back with its mode', async () => {
  const bench = await reviewOf({ 'run.sh': lines('#!/bin/sh', 'exit') });
  chmodSync(bench.at('run.sh'), 0o755);
  await bench.turn(() => bench.remove('run.sh'));
  expect(await pending(bench)).toEqual(['run.sh deleted 1+0 -#!/bin/sh -exit']);
  await bench.review.decide('session', 'reject', { path: bench.at('run.sh'), line: 1 });
  expect(bench.text('run.sh')).toBe(lines('#!/bin/sh', 'exit'));
  expect(statSync(bench.at('run.sh')).mode & 0o777).toBe(0o755);
  expect(await pending(bench)).toEqual([]);
});

test('a renamed and edited file: name and lines are decided one by one', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => {
    renameSync(bench.at('a.txt'), bench.at('b.txt'));
    bench.put('b.txt', lines('a', 'b', 'c', 'd', 'E'));
  });
  expect(await pending(bench)).toEqual(['b.txt renamed (renamed from a.txt) 5+1 -e']);
  const path = bench.at('b.txt');
  await bench.review.decide('session', 'reject', { path, line: 0 });
  expect(existsSync(path)).toBe(false);
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'E'));
  expect(await pending(bench)).toEqual(['a.txt modified 5+1 -e']);
  expect(await pending(bench, 'turn')).toEqual(['a.txt modified 5+1 -e']);
});

test('a rename is kept while its lines are still to be decided, and the other way round', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'c.txt': lines('1', '2', '3') });
  await bench.turn(() => {
    renameSync(bench.at('a.txt'), bench.at('b.txt'));
    bench.put('b.txt', lines('a', 'b', 'c', 'd', 'E'));
    renameSync(bench.at('c.txt'), bench.at('d.txt'));
    bench.put('d.txt', lines('1', '2', 'three'));
  });
  await bench.review.decide('session', 'keep', { path: bench.at('b.txt'), line: 0 });
  await bench.review.decide('session', 'keep', { path: bench.at('d.txt'), line: 3 });
  const left = ['b.txt modified 5+1 -e', 'd.txt renamed (renamed from c.txt)'];
  expect(await pending(bench)).toEqual(left);
  expect(await pending(bench, 'turn')).toEqual(left);
  await bench.review.decide('session', 'reject');
  expect(bench.text('b.txt')).toBe(abc);
  expect(bench.text('c.txt')).toBe(lines('1', '2', 'three'));
  expect(existsSync(bench.at('d.txt'))).toBe(false);
});

test('a mode is put back without the lines', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => {
    bench.put('a.txt', lines('a', 'b', 'c', 'd', 'E'));
    chmodSync(bench.at('a.txt'), 0o755);
  });
  expect(await pending(bench)).toEqual(['a.txt modified (mode 644 → 755) 5+1 -e']);
  await bench.review.decide('session', 'reject', { path: bench.at('a.txt'), line: 0 });
  expect(statSync(bench.at('a.txt')).mode & 0o111).toBe(0);
  expect(await pending(bench)).toEqual(['a.txt modified 5+1 -e']);
});

test('binary files and symbolic links are told in a note and put back as they were', async () => {
  const image = Buffer.from([0, 1, 2, 3]);
  const bench = await reviewOf({ 'a.png': image, 'b.txt': 'b\n', 'c.txt': 'c\n' });
  symlinkSync('b.txt', bench.at('link'));
  await bench.turn(() => {
    bench.put('a.png', Buffer.alloc(2048));
    rmSync(bench.at('link'));
    symlinkSync('c.txt', bench.at('link'));
    rmSync(bench.at('c.txt'));
    symlinkSync('/etc', bench.at('c.txt'));
  });
  expect(await pending(bench)).toEqual([
    'a.png modified (binary, 4 B → 2.0 KB)',
    'c.txt modified (became a symbolic link, /etc)',
    'link modified (symbolic link, b.txt → c.txt)',
  ]);
  await bench.review.decide('session', 'reject');
  expect(readFileSync(bench.at('a.png'))).toEqual(image);
  expect(readlinkSync(bench.at('link'))).toBe('b.txt');
  expect(lstatSync(bench.at('c.txt')).isFile()).toBe(true);
});

test.each([
  [
    'CRLF',
    lines('a', 'b').replaceAll('\n', '\r\n'),
    lines('a', 'B').replaceAll('\n', '\r\n'),
    '2+1 -b',
  ],
  ['no final newline', 'a\nb', 'a\nb\nc', '2+2 -b ⟨no newline at end of file⟩'],
  ['UTF-16', utf16('ä\nb\n'), utf16('ä\nB\n'), '2+1 -b'],
  ['Latin-1', Buffer.from('\xe4\nb\n', 'latin1'), Buffer.from('\xe4\nB\n', 'latin1'), '2+1 -b'],
  ['a byte order mark', '\ufeffa\nb\n', '\ufeffa\nB\n', '2+1 -b'],
  ['LF for CRLF', 'a\r\nb\r\n', 'a\nb\n', '1+2 -a^M -b^M'],
])('%s: by lines, and byte for byte as it was', async (_, before, after, hunk) => {
  for (const loaded of [false, true]) {
    const bench = await reviewOf({ 'a.txt': before });
    if (loaded) bench.editor.open(bench.at('a.txt'));
    await bench.turn(() => bench.put('a.txt', after));
    expect(await pending(bench)).toEqual([`a.txt modified ${hunk}`]);
    await bench.review.decide('session', 'reject', { path: bench.at('a.txt'), line: 2 });
    expect(readFileSync(bench.at('a.txt'))).toEqual(Buffer.from(before as string));
  }
});

function utf16(text: string): Buffer {
  return encode(text, { encoding: 'utf-16le', bom: true })!;
}

test('another encoding of the same text is a change beside the lines', async () => {
  const bench = await reviewOf({ 'a.txt': 'ä\n' });
  await bench.turn(() => bench.put('a.txt', Buffer.from('\xe4\n', 'latin1')));
  expect(await pending(bench)).toEqual(['a.txt modified (encoding utf-8 → latin1)']);
  await bench.review.decide('session', 'reject', { path: bench.at('a.txt'), line: 0 });
  expect(readFileSync(bench.at('a.txt'))).toEqual(Buffer.from('ä\n'));
});

test('what was not recorded can be kept but not rejected, and says why', async () => {
  const bench = await reviewOf({ 'big.bin': 'old\n', 'a.txt': abc });
  const baseline = bench.baseline as MemoryBaseline;
  baseline.lost.add(await baseline.write(Buffer.from('old\n')));
  await bench.turn(() => {
    bench.put('big.bin', 'new\n');
    bench.put('a.txt', 'x\n');
  });
  expect((await pending(bench))[1]).toBe('big.bin modified locked: its content was not recorded');
  await expect(bench.review.decide('session', 'reject')).rejects.toThrow(
    'big.bin: its content was not recorded',
  );
  expect(bench.text('a.txt')).toBe(abc);
  await bench.review.decide('session', 'keep');
  expect(await pending(bench)).toEqual([]);
});

test('deleted lines are bounded, and fit to be shown', async () => {
  const many = lines('\u001b[31mred', ...Array.from({ length: 6000 }, (_, i) => `line ${i}`));
  const bench = await reviewOf({ 'a.txt': many });
  await bench.turn(() => bench.put('a.txt', ''));
  const [file] = (await bench.review.show('session')).files;
  expect(file!.removed).toBe(6001);
  expect(file!.hunks[0]!.deleted).toHaveLength(5001);
  expect(file!.hunks[0]!.deleted[0]).toBe('^[[31mred');
  expect(file!.hunks[0]!.deleted.at(-1)).toBe('… 1001 more deleted lines are not shown');
});

test('a formatter that runs at saving is the user’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  bench.editor.format = (text) => text.replace('c\n', 'formatted\n');
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'formatted', 'd', 'e'));
  expect(await pending(bench)).toEqual([]);
});

test('files that are not recorded, or outside, are no part of it', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'ignored.log': 'x\n' });
  (bench.baseline as MemoryBaseline).ignored.add('ignored.log');
  bench.editor.open(bench.at('ignored.log'));
  await bench.turn(async () => {
    bench.editor.type(bench.at('ignored.log'), 'user\n');
    await bench.save('ignored.log');
    await bench.review.wrote(bench.at('ignored.log'), 'user\n', 'agent\n');
    await bench.review.saved('/etc/passwd', 'a\n', 'b\n');
    bench.editor.type(bench.at('ignored.log'), 'unsaved\n');
  });
  expect(await pending(bench)).toEqual([]);
});

test('a record that names files outside of its folder is not believed', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => undefined);
  const entry = { mode: '100644' as const, id: await bench.baseline.write(Buffer.from('evil\n')) };
  bench.baseline.changes = async () => [
    { path: '../outside.txt', before: entry, after: null },
    { path: '/etc/outside.txt', before: entry, after: null },
  ];
  bench.put('a.txt', 'new record\n');
  const names = (await bench.review.show('session')).files.map(({ path }) => path);
  expect(names.filter((path) => !path.startsWith(`${bench.top}/`))).toEqual([]);
});

test('rejected hunks are kept as patches until they are taken', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e', 'f')));
  await bench.review.decide('session', 'reject', { path: bench.at('a.txt'), line: 1 });
  const patch = [
    'diff --git a/a.txt b/a.txt',
    ...['--- a/a.txt', '+++ b/a.txt', '@@ -1,4 +1,4 @@', '-a', '+A', ' b', ' c', ' d', ''],
  ].join('\n');
  expect(bench.review.rejected()).toEqual([{ path: bench.at('a.txt'), name: 'a.txt', patch }]);
  expect(await bench.review.takeRejected()).toHaveLength(1);
  expect(bench.review.rejected()).toEqual([]);
});

test('what is pending as a plain diff', async () => {
  const bench = await reviewOf({
    'a.txt': 'a\nb',
    'gone.txt': 'x\n',
    'old.txt': abc,
    'p.png': Buffer.from([0]),
  });
  await bench.turn(() => {
    bench.put('a.txt', 'a\nb\nc\n');
    bench.remove('gone.txt');
    renameSync(bench.at('old.txt'), bench.at('renamed.txt'));
    bench.put('new.txt', 'n\n');
    bench.put('p.png', Buffer.from([0, 0]));
  });
  expect((await bench.review.diff('session')).join('\n')).toBe(
    [
      'diff --git a/a.txt b/a.txt',
      ...['--- a/a.txt', '+++ b/a.txt', '@@ -1,2 +1,3 @@', ' a', '-b'],
      ...['\\ No newline at end of file', '+b', '+c'],
      ...['diff --git a/gone.txt b/gone.txt', 'deleted file mode 100644'],
      ...['--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'],
      ...['diff --git a/new.txt b/new.txt', 'new file mode 100644'],
      ...['--- /dev/null', '+++ b/new.txt', '@@ -0,0 +1 @@', '+n'],
      ...['diff --git a/p.png b/p.png', 'Binary files a/p.png and b/p.png differ'],
      ...['diff --git a/old.txt b/renamed.txt', 'rename from old.txt', 'rename to renamed.txt'],
    ].join('\n'),
  );
});
