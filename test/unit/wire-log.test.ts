import type * as fs from 'node:fs';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WireLog, type WireLogOptions } from '../../src/wire/log';

const disk = vi.hoisted(() => ({ full: false }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const write = (
    fd: number,
    data: Buffer,
    from: number,
    done: (e: Error | null, n: number) => void,
  ) => {
    if (disk.full) done(new Error('ENOSPC: no space left on device, write'), 0);
    else real.write(fd, data, from, done);
  };
  return { ...real, write };
});

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'acp-wire-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function open(options: Partial<WireLogOptions> = {}): WireLog {
  return new WireLog({
    dir: join(dir, 'wire'),
    agent: 'demo',
    maxBytes: 1 << 20,
    maxFiles: 20,
    enabled: true,
    ...options,
  });
}

interface Line {
  t: number;
  dir: string;
  b?: number;
  frame?: unknown;
  raw?: string;
  [name: string]: unknown;
}

function lines(path: string): Line[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const anyNumber = expect.any(Number) as number;

const chunk = (text: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: 'ad6227a4-09ec-4be9-91ec-d96b49c972ad',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  },
});

const record = (log: WireLog, dir: 'c2a' | 'a2c', frame: unknown) =>
  log.frame(dir, frame, JSON.stringify(frame));

describe('what is written', () => {
  test('frames, lines that are not JSON and events, in order, one JSON line each', async () => {
    const log = open();
    log.event({ spawn: ['demo', '--acp'] });
    record(log, 'c2a', { id: 1, method: 'initialize' });
    log.raw('a2c', 'Warning: \u001b[31mno', 16);
    record(log, 'a2c', { id: 1, result: {} });
    await log.close();
    const [start, ...rest] = lines(log.path!);
    expect(start).toMatchObject({ dir: 'ev', agent: 'demo', pid: process.pid });
    expect(Date.parse(start!.start as string)).toBeGreaterThan(0);
    expect(rest).toEqual([
      { t: anyNumber, dir: 'ev', spawn: ['demo', '--acp'] },
      { t: anyNumber, dir: 'c2a', frame: { id: 1, method: 'initialize' }, b: 30 },
      { t: anyNumber, dir: 'a2c', raw: 'Warning: \u001b[31mno', b: 16 },
      { t: anyNumber, dir: 'a2c', frame: { id: 1, result: {} }, b: 20 },
    ]);
  });

  test('secrets are not', async () => {
    const log = open();
    record(log, 'c2a', { params: { apiKey: 'hunter2' } });
    log.event({ env: { GITHUB_TOKEN: 'hunter2' } });
    await log.close();
    expect(readFileSync(log.path!, 'utf8')).not.toContain('hunter2');
  });

  test('nothing when it is off', async () => {
    const log = open({ enabled: false });
    record(log, 'a2c', {});
    await log.close();
    expect(log.path).toBeNull();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('files', () => {
  test('only the user can read them', async () => {
    const log = open({ agent: 'my agent/2' });
    await log.close();
    expect(statSync(log.path!).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'wire')).mode & 0o777).toBe(0o700);
    expect(log.path).toMatch(/\/\d{8}-\d{6}-my-agent-2-\d+\.jsonl$/);
  });

  test('two logs of one agent at one time are two files', async () => {
    const [a, b] = [open(), open()];
    await Promise.all([a.close(), b.close()]);
    expect(a.path).not.toBe(b.path);
  });

  test('the oldest go when there are too many', async () => {
    const folder = join(dir, 'wire');
    await open().close();
    for (const name of ['20200101-000000-a-1', '20200102-000000-a-1', '20200103-000000-a-1'])
      for (const half of ['.jsonl', '.older.jsonl']) writeFileSync(join(folder, name + half), '');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const log = open({ maxFiles: 3 });
    await log.close();
    const left = readdirSync(folder);
    expect(left).toHaveLength(5);
    expect(left).toContain('notes.txt');
    expect(left).toContain('20200103-000000-a-1.older.jsonl');
    expect(left).not.toContain('20200102-000000-a-1.older.jsonl');
  });

  test('a log stays within its size and keeps the newest frames', async () => {
    const maxBytes = 64 * 1024;
    const log = open({ maxBytes });
    for (let i = 0; i < 20; i++) {
      record(log, 'a2c', { n: i, text: 'x'.repeat(6000) });
      await log.flush();
    }
    await log.close();
    const older = log.path!.replace('.jsonl', '.older.jsonl');
    expect(statSync(log.path!).size + statSync(older).size).toBeLessThanOrEqual(maxBytes);
    expect(statSync(older).mode & 0o777).toBe(0o600);
    const all = [...lines(older), ...lines(log.path!)];
    const numbers = all.flatMap(({ frame }) => (frame ? [(frame as { n: number }).n] : []));
    expect(numbers.at(-1)).toBe(19);
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i));
    expect(lines(log.path!)[0]).toMatchObject({
      dir: 'ev',
      continues: expect.any(String) as string,
    });
  });

  test('a log that another Neovim removed goes on', async () => {
    const log = open({ maxBytes: 64 * 1024 });
    await log.flush();
    rmSync(log.path!);
    for (let i = 0; i < 8; i++) {
      record(log, 'a2c', { text: 'x'.repeat(6000) });
      await log.flush();
    }
    await log.close();
    expect(lines(log.path!).length).toBeGreaterThan(1);
  });
});

describe('faults', () => {
  test('a folder that cannot be made turns it off, said once, and throws nothing', async () => {
    writeFileSync(join(dir, 'file'), '');
    const faults: string[] = [];
    const log = open({
      dir: join(dir, 'file', 'wire'),
      onFault: (message) => faults.push(message),
    });
    record(log, 'a2c', {});
    log.raw('a2c', 'x', 1);
    log.event({ exit: 0 });
    await log.close();
    expect(log.path).toBeNull();
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('the wire log is off');
  });

  test('a full disk turns it off, said once', async () => {
    const faults: string[] = [];
    const log = open({ onFault: (message) => faults.push(message) });
    disk.full = true;
    for (let i = 0; i < 100; i++) record(log, 'a2c', { text: 'x'.repeat(5000) });
    await log.flush();
    disk.full = false;
    record(log, 'a2c', {});
    await log.close();
    expect(faults).toEqual([expect.stringContaining('ENOSPC')]);
  });

  test('a disk that cannot keep up costs bounded memory, and what was dropped is counted', async () => {
    const log = open({ maxBytes: 1 << 30 });
    const text = 'y'.repeat(60_000);
    for (let i = 0; i < 1000; i++) record(log, 'a2c', { i, text });
    await log.close();
    const all = lines(log.path!);
    const frames = all.filter(({ frame }) => frame !== undefined).length;
    const dropped = all.find((line) => line.dropped !== undefined)?.dropped as number;
    expect(dropped).toBeGreaterThan(0);
    expect(frames + dropped).toBe(1000);
  });
});

test('50,000 chunks cost less than a second', async () => {
  const log = open({ maxBytes: 64 << 20 });
  const frames = Array.from({ length: 1000 }, (_, i) => chunk(` word${i} of a sentence`));
  const start = performance.now();
  for (let i = 0; i < 50_000; i++) {
    record(log, 'a2c', frames[i % 1000]);
    if (i % 1000 === 999) await log.flush();
  }
  await log.close();
  const ms = performance.now() - start;
  expect(lines(log.path!)).toHaveLength(50_001);
  expect(ms).toBeLessThan(1000);
});
