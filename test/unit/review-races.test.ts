/** What happens while the review is at work. */
import { expect, test, vi } from 'vitest';
import { lines, reviewOf } from './review-fixture';

const abc = lines('a', 'b', 'c', 'd', 'e');

test('what is typed while a rejection is on its way is kept, and the rejection said to be stale', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  const typed = lines('A', 'b', 'c', 'd', 'typed');
  bench.editor.writing = () => bench.editor.type(bench.at('a.txt'), typed);
  await expect(bench.review.decide('session', 'reject')).rejects.toThrow('changed meanwhile');
  expect(bench.editor.loaded.get(bench.at('a.txt'))!.text).toBe(typed);
  bench.editor.writing = () => {};
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'typed'));
});

test('a look that fails half way leaves the user’s changes to the user', async () => {
  const files = { 'a.txt': abc, 'b.txt': abc, 'c.txt': abc };
  const bench = await reviewOf(files);
  const names = Object.keys(files);
  await bench.turn(() => names.forEach((name) => bench.put(name, lines('A', 'b', 'c', 'd', 'e'))));
  for (const name of names) bench.put(name, lines('A', 'b', 'c', 'd', 'user'));
  const keep = bench.baseline.write.bind(bench.baseline);
  const write = vi.spyOn(bench.baseline, 'write');
  let writes = 0;
  write.mockImplementation((bytes) => {
    // The record itself needs three.
    if (++writes > 5) throw new Error('no space left on the device');
    return keep(bytes);
  });
  await expect(bench.review.show('session')).rejects.toThrow('no space left');
  write.mockRestore();
  await bench.review.decide('session', 'reject');
  expect(names.map((name) => bench.text(name))).toEqual(
    names.map(() => lines('a', 'b', 'c', 'd', 'user')),
  );
});

test('a rejection that the editor did not carry out is no change of the user’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  const request = bench.editor.request.bind(bench.editor);
  const editor = vi.spyOn(bench.editor, 'request');
  editor.mockImplementation((method, params) =>
    method === 'buffer.write' ? Promise.resolve({ ok: true } as never) : request(method, params),
  );
  await expect(bench.review.decide('session', 'reject')).rejects.toThrow(
    'a.txt: it was not written',
  );
  editor.mockRestore();
  expect((await bench.review.show('session')).files).toHaveLength(1);
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(abc);
});

test('a file that is as large as may be recorded can be taken back', async () => {
  const bench = await reviewOf({ 'a.txt': 'a\n' });
  await bench.turn(() => bench.put('a.txt', Buffer.alloc(100 * 1024 * 1024, 'a line\n')));
  const [file] = (await bench.review.show('session')).files;
  expect(file).toMatchObject({ note: 'too large for lines, 100 MB', hunks: [] });
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe('a\n');
});

test('a hunk that has another place by now than the user sees is not decided', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.review.turnStarted('A turn');
  bench.put('a.txt', lines('a', 'b', 'C', 'd', 'e'));
  await bench.review.show('session');
  bench.put('a.txt', lines('a', 'b', 'new', 'C', 'd', 'e'));
  const choice = { path: bench.at('a.txt'), line: 3 };
  const stale = bench.review.decide('session', 'reject', { ...choice, text: 'C' });
  await expect(stale).rejects.toThrow('nothing was decided');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'new', 'C', 'd', 'e'));
  await bench.review.decide('session', 'reject', { ...choice, text: 'new' });
  expect(bench.text('a.txt')).toBe(abc);
});

test('what an undo could not take back can be taken back later, and all of it be made again', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': abc });
  const changed = lines('A', 'b', 'c', 'd', 'e');
  await bench.turn(() => ['a.txt', 'b.txt'].forEach((name) => bench.put(name, changed)));
  bench.editor.open(bench.at('b.txt'));
  bench.editor.refusals.set(bench.at('b.txt'), 'the buffer is read-only');
  const undo = async (redo: boolean): Promise<void> =>
    bench.review.undo((await bench.review.undoPlan(redo))!.id);
  await expect(undo(false)).rejects.toThrow('b.txt: the buffer is read-only');
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual([abc, changed]);
  bench.editor.refusals.clear();
  expect((await bench.review.undoPlan(false))!.steps).toEqual(['restores b.txt (+1 −1)']);
  await undo(false);
  expect(bench.text('b.txt')).toBe(abc);
  await undo(true);
  await undo(true);
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual([changed, changed]);
});

test.each(['emptied', 'put aside'])(
  'a file that was %s while it is saved has its changes where they were',
  async (how) => {
    const bench = await reviewOf({ 'a.txt': abc });
    await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
    const saved = lines('A', 'b', 'c', 'd', 'user');
    const take = bench.baseline.take.bind(bench.baseline);
    vi.spyOn(bench.baseline, 'take').mockImplementationOnce(async () => {
      if (how === 'put aside') bench.remove('a.txt');
      else bench.put('a.txt', '');
      const record = await take();
      bench.put('a.txt', saved);
      return record;
    });
    const [file] = (await bench.review.show('session')).files;
    expect(file).toMatchObject({ hunks: [{ line: 1, count: 1, deleted: ['a'] }] });
    await bench.review.decide('session', 'reject');
    expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
  },
);
