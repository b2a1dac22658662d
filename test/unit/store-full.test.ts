import type * as Fs from 'node:fs';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { tempDir } from '../harness';
import { comparable, Life, readBack, storeIn } from './store-life';

/** Bytes that the disk has room for. */
const disk = vi.hoisted(() => ({ free: Infinity }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const writeSync = (fd: number, bytes: string | NodeJS.ArrayBufferView): number => {
    if (disk.free <= 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    const data = Buffer.from(bytes as Buffer);
    const count = fs.writeSync(fd, data.subarray(0, disk.free));
    disk.free -= count;
    return count;
  };
  return { ...fs, writeSync };
});

it('a full disk is told once, and nothing is missing or double when there is room again', () => {
  const { store, faults, sessions } = storeIn(tempDir());
  const life = new Life(store.create({ agent: 'demo', cwd: '/project' }));
  life.prompt('hello');
  life.flush();
  const file = (): Buffer => {
    const [folder] = readdirSync(sessions);
    return readFileSync(join(sessions, folder!, `${life.journal.key}.jsonl`));
  };
  for (let free = 0; free < 60; free += 7) {
    disk.free = free;
    life.says(`wörd ${free} `);
    life.type(`draft ${free}`);
    life.flush();
    life.says('and more');
    life.flush();
    expect(faults.splice(0)).toEqual([expect.stringContaining('no space left on the device')]);
    disk.free = Infinity;
    life.says('.');
    life.flush();
    expect(comparable(readBack(file())!)).toEqual(life.kept);
  }
  disk.free = 0;
  life.says('the end');
  life.recorder.close();
  expect(faults).toHaveLength(1);
});
