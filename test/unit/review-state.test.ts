import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { eventually, whenDone } from '../harness';
import { lines, reviewOf } from './review-fixture';

const abc = lines('a', 'b', 'c', 'd', 'e');

test('what is pending, decided and rejected survives a restart', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const path = bench.at('a.txt');
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'C', 'd', 'E')));
  await bench.review.decide('session', 'keep', { path, line: 1 });
  await bench.review.decide('session', 'reject', { path, line: 3 });
  await bench.restart();
  expect(bench.review.pending()).toEqual({ files: 1, added: 1, removed: 1 });
  expect(bench.review.rejected()).toHaveLength(1);
  for (const scope of ['session', 'turn'] as const) {
    const view = await bench.review.show(scope);
    expect(view).toMatchObject({
      kept: 1,
      rejected: 1,
      files: [{ hunks: [{ line: 5, count: 1 }] }],
    });
  }
  const plan = await bench.review.undoPlan(false);
  await bench.review.undo(plan!.id);
  await bench.restart();
  expect(bench.text('a.txt')).toBe(abc);
  await bench.review.undo((await bench.review.undoPlan(true))!.id);
  expect(bench.text('a.txt')).toBe(lines('A', 'b', 'c', 'd', 'E'));
});

test('what changed while Neovim was away is the user’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  await bench.review.close();
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
  await bench.restart();
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
});

test.each([true, false])(
  'a turn ends with Neovim: what changes afterwards is the user’s (it answers: %s)',
  async (answers) => {
    const bench = await reviewOf({ 'a.txt': abc });
    await bench.review.turnStarted('A turn');
    bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e'));
    bench.editor.gone = !answers;
    await bench.review.close();
    bench.editor.gone = false;
    bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
    await bench.restart();
    await bench.review.decide('session', 'reject');
    expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
    expect(await bench.review.undoPlan(false)).toBeNull();
  },
);

test('what a turn left behind in which the sidecar was killed is the agent’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.review.turnStarted('A turn');
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e'));
  await bench.kill();
  expect((await bench.review.show('session')).files).toHaveLength(1);
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
  const view = await bench.review.decide('session', 'reject');
  expect(view.files).toEqual([]);
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
});

test('what changes long after the sidecar was killed is the user’s', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': abc });
  await bench.review.turnStarted('A turn');
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e'));
  await bench.review.touched();
  const anHourAgo = new Date(Date.now() - 3600_000);
  utimesSync(bench.file, anHourAgo, anHourAgo);
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
  bench.put('b.txt', lines('user'));
  await bench.kill();
  await bench.review.decide('session', 'reject');
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'c', 'd', 'user'));
  expect(bench.text('b.txt')).toBe(lines('user'));
});

test('while a turn runs, the state tells that its process lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  whenDone(() => void vi.useRealTimers());
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.review.turnStarted('A turn');
  const old = new Date(1000);
  utimesSync(bench.file, old, old);
  vi.advanceTimersByTime(5000);
  await eventually(() => expect(statSync(bench.file).mtimeMs).toBeGreaterThan(1000));
  await bench.review.turnEnded();
  expect(vi.getTimerCount()).toBe(0);
});

test('only the user may read the state', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  await bench.review.close();
  expect(statSync(bench.file).mode & 0o777).toBe(0o600);
});

test.each([
  ['no JSON', '{"version":1,'],
  ['another version', '{"version":7}'],
  ['not a state', '{"version":1,"running":"yes"}'],
  ['nothing', 'null'],
])('a damaged state (%s) is said and set aside', async (_, text) => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  await bench.review.close();
  writeFileSync(bench.file, text);
  await bench.restart();
  expect(bench.faults).toHaveLength(1);
  expect(bench.faults[0]).toContain(bench.file);
  expect(readFileSync(`${bench.file}.damaged`, 'utf8')).toBe(text);
  expect((await bench.review.show('session')).files).toEqual([]);
  await bench.turn(() => bench.put('a.txt', 'y\n'));
  expect((await bench.review.show('session')).files).toHaveLength(1);
});

test('a record that is gone ends the review, which is said', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  bench.baseline.changes = () => Promise.reject(new Error('the record is gone'));
  await bench.restart();
  expect(bench.faults[0]).toContain('the record is gone');
  expect(bench.review.pending()).toBeNull();
  // It may be back the next time, as git is that was not found.
  expect(readFileSync(`${bench.file}.damaged`, 'utf8')).toContain(bench.top);
});

test('a turn whose end could not be looked at ends with the next look', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.review.turnStarted('A turn');
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e'));
  const take = vi.spyOn(bench.baseline, 'take');
  take.mockRejectedValue(new Error('no space left on the device'));
  await expect(bench.review.turnEnded()).rejects.toThrow('no space left');
  take.mockRestore();
  expect((await bench.review.show('session')).files).toHaveLength(1);
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
  expect((await bench.review.undoPlan(false))!.steps).toEqual(['restores a.txt (+1 −1)']);
});

test('after it was dropped nothing is left to review or to undo, and a running turn is looked at anew', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  await bench.review.drop();
  expect(bench.review.pending()).toBeNull();
  expect(await bench.review.undoPlan(false)).toBeNull();
  await bench.turn(async () => {
    bench.put('a.txt', 'y\n');
    await bench.review.drop();
    bench.put('a.txt', 'y\nz\n');
  });
  expect((await bench.review.show('session')).files[0]!.hunks).toMatchObject([
    { line: 2, count: 1, deleted: [] },
  ]);
  expect(existsSync(bench.file)).toBe(true);
});
