import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TerminalState } from '../../src/session/model';
import { TerminalLog, TerminalLogs } from '../../src/session/terminal-log';

const terminal = (id: string, output = '', truncated = false): TerminalState => ({
  id,
  command: null,
  cwd: null,
  output,
  truncated,
  exit: null,
});

describe('the log of a terminal', () => {
  it('is the end of what came, and is read from any place on', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 12 })),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 60 }),
        (texts, limit, from, most) => {
          const log = new TerminalLog(false, limit);
          for (const text of texts) log.push(text);
          const all = texts.join('');
          expect(log.end).toBe(all.length);
          expect(log.size).toBeLessThanOrEqual(limit);
          expect(log.lost).toBe(log.start > 0);
          const kept = all.slice(log.start);
          expect(log.lines).toBe(kept.split('\n').length);
          expect(log.read(log.start, Infinity)).toBe(kept);
          expect(log.read(from, most)).toBe(all.slice(Math.max(from, log.start)).slice(0, most));
        },
      ),
    );
  });

  it('of characters that come one by one is kept in few pieces', () => {
    const log = new TerminalLog();
    for (let i = 0; i < 100_000; i++) log.push('x');
    const start = performance.now();
    for (let i = 0; i < 1000; i++) log.read(99_999, 1);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe('the logs of a session', () => {
  it('begin with what was known before', () => {
    const logs = new TerminalLogs();
    logs.push(terminal('t', 'before ', true), 'now');
    const log = logs.of(terminal('t'));
    expect(log.read(0, 100)).toBe('before now');
    expect(log.lost).toBe(true);
  });

  it('have a bound together: the oldest make room, never the one that grows', () => {
    const logs = new TerminalLogs();
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) logs.push(terminal(`t${i}`), megabyte);
    const sizes = Array.from({ length: 40 }, (_, i) => logs.of(terminal(`t${i}`)).size);
    expect(sizes.slice(0, 24)).toEqual(Array.from({ length: 24 }, () => 0));
    expect(sizes.slice(24).every((size) => size === megabyte.length)).toBe(true);
  });
});
