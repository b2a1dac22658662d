import { expect, test } from 'vitest';
import type { Frame } from '../../src/nvim/protocol';
import { Flush, type Source } from '../../src/render/flush';

/** A flush with a clock that is turned by hand and a Neovim that answers when it is told to. */
function setup() {
  const clock = { now: 1000 };
  const timers: { at: number; callback: () => void }[] = [];
  const sent: { frames: Frame[]; at: number; answer: () => void; fail: (error: Error) => void }[] =
    [];
  const errors: unknown[] = [];
  const flush = new Flush({
    send: (frames) =>
      new Promise((answer, fail) => sent.push({ frames, at: clock.now, answer, fail })),
    onError: (error) => errors.push(error),
    now: () => clock.now,
    setTimer: (callback, ms) => {
      const timer = { at: clock.now + ms, callback };
      timers.push(timer);
    },
  });
  const pass = async (ms: number): Promise<void> => {
    const end = clock.now + ms;
    for (;;) {
      const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      timers.splice(timers.indexOf(due), 1);
      clock.now = Math.max(clock.now, due.at);
      due.callback();
      await settle();
    }
    clock.now = end;
  };
  return { flush, clock, sent, errors, pass, timers };
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A source that has `left` frames to give. */
function source(session: string, left = 1): Source & { left: number } {
  return {
    left,
    collect(): Frame | null {
      return this.left-- > 0 ? { session } : null;
    },
    get pending(): boolean {
      return this.left > 0;
    },
  };
}

test('the first change after a pause goes at once, together with what changed in the same moment', async () => {
  const { flush, sent, pass } = setup();
  flush.add(source('a'));
  flush.add(source('b'));
  flush.schedule();
  flush.schedule();
  expect(sent).toEqual([]);
  await pass(0);
  expect(sent.map(({ frames }) => frames)).toEqual([[{ session: 'a' }, { session: 'b' }]]);
});

test('in a flood flushes begin 16 ms apart, one in flight at a time', async () => {
  const { flush, sent, pass } = setup();
  const flood = source('a');
  const change = (): void => {
    flood.left = 1;
    flush.schedule();
  };
  flush.add(flood);
  change();
  await pass(0);
  sent[0]!.answer();
  await settle();
  change();
  await pass(15);
  expect(sent.length).toBe(1);
  await pass(1);
  expect(sent.map(({ at }) => at)).toEqual([1000, 1016]);

  change();
  await pass(500);
  expect(sent.length).toBe(2);
  sent[1]!.answer();
  await settle();
  await pass(0);
  expect(sent.map(({ at }) => at)).toEqual([1000, 1016, 1516]);
});

test('a backlog goes on 8 ms after the last flush began, when that has been taken', async () => {
  const { flush, sent, pass } = setup();
  flush.add(source('a', 100));
  flush.schedule();
  await pass(0);
  sent[0]!.answer();
  await settle();
  await pass(7);
  expect(sent.length).toBe(1);
  await pass(1);
  expect(sent.length).toBe(2);
  await pass(500);
  expect(sent.length).toBe(2);
});

test('what does not fit goes along with the next ones, until nothing is left', async () => {
  const { flush, sent, pass, timers } = setup();
  flush.add(source('a', 3));
  flush.schedule();
  for (let i = 0; i < 5; i++) {
    await pass(16);
    sent.at(-1)?.answer();
    await settle();
  }
  expect(sent.length).toBe(3);
  expect(timers).toEqual([]);
});

test('a change while a flush is in flight is sent after it', async () => {
  const { flush, sent, pass } = setup();
  const changing = source('a');
  flush.add(changing);
  flush.schedule();
  await pass(0);
  changing.left = 1;
  flush.schedule();
  sent[0]!.answer();
  await settle();
  await pass(16);
  expect(sent.length).toBe(2);
});

test('a failing send is reported and does not stop later ones', async () => {
  const { flush, sent, pass, errors } = setup();
  flush.add(source('a', 2));
  flush.schedule();
  await pass(0);
  sent[0]!.fail(new Error('no'));
  await settle();
  await pass(16);
  expect(errors).toEqual([new Error('no')]);
  expect(sent.length).toBe(2);
});

test('a source that throws keeps no other one from being sent, and is not tried for ever', async () => {
  const { flush, sent, pass, errors } = setup();
  const broken = {
    pending: true,
    collect: () => {
      throw new Error('broken');
    },
  };
  flush.add(broken);
  flush.add(source('b'));
  flush.schedule();
  await pass(0);
  sent[0]!.answer();
  await settle();
  await pass(100);
  expect(sent.map(({ frames }) => frames)).toEqual([[{ session: 'b' }]]);
  expect(errors).toEqual([new Error('broken')]);
});

test('nothing is sent of a source that was removed', async () => {
  const { flush, sent, pass } = setup();
  const remove = flush.add(source('a'));
  remove();
  flush.schedule();
  await pass(20);
  expect(sent).toEqual([]);
});
