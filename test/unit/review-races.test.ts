/** What happens while the review is at work. */
import { expect, test } from 'vitest';
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
