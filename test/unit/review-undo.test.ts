import { chmodSync, existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lines, reviewOf, type Bench } from './review-fixture';

const abc = lines('a', 'b', 'c', 'd', 'e');

async function undo({ review }: Bench, redo = false): Promise<void> {
  await review.undo((await review.undoPlan(redo))!.id);
}

test('the plan says what would be done, file by file', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'gone.txt': lines('1', '2') });
  await bench.turn(() => {
    bench.put('a.txt', lines('a', 'B', 'c', 'd', 'e', 'f'));
    bench.put('new.txt', 'x\n');
    bench.remove('gone.txt');
  }, 'Fix the parser');
  const plan = await bench.review.undoPlan(false);
  expect(plan).toMatchObject({
    title: 'Fix the parser',
    steps: ['restores a.txt (+1 −2)', 'brings back gone.txt (+2 −0)', 'deletes new.txt'],
  });
  await bench.review.undo(plan!.id);
  expect(bench.text('a.txt')).toBe(abc);
  expect(bench.text('gone.txt')).toBe(lines('1', '2'));
  expect(existsSync(bench.at('new.txt'))).toBe(false);
  expect((await bench.review.show('session')).files).toEqual([]);
});

test('the plan tells a mode from a binary content', async () => {
  const bench = await reviewOf({ 'a.png': Buffer.from([0, 1]), 'b.png': Buffer.from([0, 2]) });
  await bench.turn(() => {
    bench.put('a.png', Buffer.from([0, 3]));
    chmodSync(bench.at('b.png'), 0o755);
  });
  const plan = await bench.review.undoPlan(false);
  expect(plan!.steps).toEqual(['restores a.png', 'gives b.png its mode 644 back']);
});

test('turn after turn is taken back, and brought back in the same order', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  const states = [abc];
  for (const line of ['b', 'c', 'd']) {
    const text = states.at(-1)!.replace(line, line.toUpperCase());
    await bench.turn(() => bench.put('a.txt', text), line);
    states.push(text);
  }
  for (const title of ['d', 'c', 'b']) {
    expect((await bench.review.undoPlan(false))!.title).toBe(title);
    states.pop();
    await undo(bench);
    expect(bench.text('a.txt')).toBe(states.at(-1));
    expect((await bench.review.show('turn')).files).toEqual([]);
  }
  expect(await bench.review.undoPlan(false)).toBeNull();
  await undo(bench, true);
  await undo(bench, true);
  expect(bench.text('a.txt')).toBe(lines('a', 'B', 'C', 'd', 'e'));
  expect((await bench.review.show('session')).files[0]!.hunks).toMatchObject([
    { line: 2, count: 2, deleted: ['b', 'c'] },
  ]);
});

test('what the user changed since is kept by undo and by what takes it back', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  bench.editor.type(bench.at('a.txt'), lines('A', 'b', 'user', 'c', 'd', 'e'));
  await undo(bench);
  expect(bench.text('a.txt')).toBe(lines('a', 'b', 'user', 'c', 'd', 'e'));
  bench.put('a.txt', lines('a', 'b', 'user', 'c', 'd', 'e', 'more'));
  bench.editor.check();
  const plan = await bench.review.undoPlan(true);
  expect(plan!.steps).toEqual(['changes a.txt (+1 −1)']);
  await bench.review.undo(plan!.id);
  expect(bench.text('a.txt')).toBe(lines('A', 'b', 'user', 'c', 'd', 'e', 'more'));
});

test('where the user changed what comes back, both sides are marked', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  await undo(bench);
  bench.put('a.txt', lines('user', 'b', 'c', 'd', 'e'));
  const plan = await bench.review.undoPlan(true);
  expect(plan!.steps[0]).toContain('with both sides marked where you changed it too');
  await bench.review.undo(plan!.id);
  expect(bench.text('a.txt')).toBe(
    lines('<<<<<<< yours', 'user', '=======', 'A', '>>>>>>> the agent', 'b', 'c', 'd', 'e'),
  );
});

test('what was kept is taken back too, and is to be decided when it is brought back', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  await bench.review.decide('session', 'keep');
  expect((await bench.review.undoPlan(false))!.steps).toEqual(['restores a.txt (+1 −1)']);
  await undo(bench);
  expect(bench.text('a.txt')).toBe(abc);
  expect((await bench.review.show('session')).files).toEqual([]);
  await undo(bench, true);
  expect((await bench.review.show('session')).files).toHaveLength(1);
});

test('a plan that is not true any more is refused', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', lines('A', 'b', 'c', 'd', 'e')));
  const plan = await bench.review.undoPlan(false);
  bench.put('a.txt', lines('A', 'b', 'c', 'd', 'user'));
  await expect(bench.review.undo(plan!.id)).rejects.toThrow('files have changed since');
  expect(bench.text('a.txt')).toBe(lines('A', 'b', 'c', 'd', 'user'));
});

test('while a turn is running nothing is taken back', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'));
  await bench.review.turnStarted('Next');
  await expect(bench.review.undoPlan(false)).rejects.toThrow('still working');
});

test('a turn that changed nothing is no step, and a new turn ends what could be brought back', async () => {
  const bench = await reviewOf({ 'a.txt': abc });
  await bench.turn(() => bench.put('a.txt', 'x\n'), 'first');
  await bench.turn(() => undefined, 'second');
  expect((await bench.review.undoPlan(false))!.title).toBe('first');
  await undo(bench);
  expect(await bench.review.undoPlan(true)).not.toBeNull();
  await bench.turn(() => bench.put('a.txt', 'y\n'), 'third');
  expect(await bench.review.undoPlan(true)).toBeNull();
  await undo(bench);
  expect(bench.text('a.txt')).toBe(abc);
  expect(await bench.review.undoPlan(false)).toBeNull();
});

test('what fails is told, the rest is done and can be brought back', async () => {
  const bench = await reviewOf({ 'a.txt': abc, 'b.txt': abc });
  bench.editor.open(bench.at('a.txt'));
  await bench.turn(() => {
    bench.put('a.txt', 'x\n');
    bench.put('b.txt', 'x\n');
  });
  bench.editor.refusals.set(bench.at('a.txt'), 'the file is read-only');
  await expect(undo(bench)).rejects.toThrow('a.txt: the file is read-only');
  expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['x\n', abc]);
  await undo(bench, true);
  expect(bench.text('b.txt')).toBe('x\n');
});
