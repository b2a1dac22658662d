/** Files in encodings that only Neovim knows: to the sidecar each byte is a character, and no byte is lost. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reviewOf, type MemoryBaseline } from './review-fixture';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

async function cyrillic() {
  const bench = await reviewOf({ 'a.txt': bytes('\xcf\xf0\nb\nc\nd\n') });
  return { bench, disk: () => readFileSync(bench.at('a.txt'), 'latin1') };
}

test('what an agent wrote through the editor comes back, in the bytes of the file', async () => {
  const { bench, disk } = await cyrillic();
  await bench.turn(async () => {
    bench.put('a.txt', bytes('\xcf\xf0\nB\nc\nd\n'));
    await bench.review.wrote(bench.at('a.txt'), 'Пр\nb\nc\nd\n', 'Пр\nB\nc\nd\n', 'Ïð\nb\nc\nd\n');
  });
  const [file] = (await bench.review.show('session')).files;
  expect(file).toMatchObject({ added: 1, removed: 1, hunks: [{ line: 2, deleted: ['b'] }] });
  expect(file!.note).toBeUndefined();
  await bench.review.decide('session', 'reject');
  expect(disk()).toBe('\xcf\xf0\nb\nc\nd\n');
});

test('a rejection in a loaded buffer goes the way of the file', async () => {
  const { bench, disk } = await cyrillic();
  await bench.turn(() => bench.put('a.txt', bytes('\xcf\xf0\nB\nc\nd\n')));
  bench.editor.open(bench.at('a.txt'));
  // As Neovim decodes it.
  const loaded = bench.editor.loaded.get(bench.at('a.txt'))!;
  loaded.text = loaded.disk = 'Пр\nB\nc\nd\n';
  await bench.review.decide('session', 'reject');
  expect(disk()).toBe('\xcf\xf0\nb\nc\nd\n');
});

describe('a file that an agent writes by itself at the same time', () => {
  const LINES = 'a\nb\nc\n';
  const MADE = 'a\nB\nc\n';
  const marked = (text: string): Buffer => Buffer.from('\uFEFF' + text);
  const wide = (text: string): Buffer => Buffer.from('\uFEFF' + text, 'utf16le');
  const KINDS: [string, typeof wide][] = [
    ['its byte order mark', marked],
    ['its encoding', wide],
  ];

  test.each(KINDS)('keeps %s where it is empty for a moment', async (_, bytesOf) => {
    const bench = await reviewOf({ 'a.txt': bytesOf(LINES) });
    const path = bench.at('a.txt');
    await bench.turn(async () => {
      bench.put('a.txt', '');
      await bench.review.wrote(path, LINES, MADE, LINES);
      await bench.review.touched();
      bench.put('a.txt', bytesOf(MADE));
    });
    await bench.review.decide('session', 'reject');
    expect(readFileSync(path)).toEqual(bytesOf(LINES));
  });

  test.each(KINDS)('keeps %s where it can’t be read for a moment', async (_, bytesOf) => {
    const bench = await reviewOf({ 'a.txt': bytesOf(LINES) });
    const path = bench.at('a.txt');
    const { lost } = bench.baseline as MemoryBaseline;
    await bench.turn(async () => {
      bench.put('a.txt', bytesOf(MADE + 'half'));
      lost.add(await bench.baseline.write(bytesOf(MADE + 'half')));
      await bench.review.wrote(path, LINES, MADE, LINES);
      await bench.review.touched();
      bench.put('a.txt', bytesOf(MADE));
    });
    await bench.review.decide('session', 'reject');
    expect(readFileSync(path)).toEqual(bytesOf(LINES));
  });
});
