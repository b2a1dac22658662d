import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { tempDir } from '../test/harness';
import type { Nvim } from '../test/harness';

const ROOT = resolve(import.meta.dirname, '..');

/** The value that `share` of the samples don't exceed; not a number when there is no sample. */
export function quantile(samples: number[], share: number): number {
  const sorted = samples.filter((it) => !Number.isNaN(it)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (samples: number[]): number => quantile(samples, 0.5);

/** Processor time that a process has used, in milliseconds; not a number where there is no /proc. */
export function cpu(pid: number): number {
  try {
    const tasks = join('/proc', String(pid), 'task');
    const nanos = readdirSync(tasks).map((task) =>
      Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]),
    );
    return nanos.reduce((sum, it) => sum + it, 0) / 1e6;
  } catch {
    return NaN;
  }
}

/** Resident memory of a process in MB; not a number where there is no /proc. */
export function resident(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
}

/** Pings Neovim while `work` runs; milliseconds until each answer. */
export async function pinged(nvim: Nvim, work: () => Promise<void>): Promise<number[]> {
  const address = await nvim.lua<string>(`
    local name = vim.fn.serverlist()[1] or vim.fn.serverstart()
    return name
  `);
  const worker = new Worker(join(import.meta.dirname, 'pinger.js'), { workerData: { address } });
  const result = new Promise<number[]>((done, fail) => {
    worker.once('message', done);
    worker.once('error', fail);
  });
  await work();
  worker.postMessage('stop');
  return result;
}

/** Milliseconds that Neovim spends on this plugin while it starts. */
export function startupCost(program: string): number {
  const file = join(tempDir(), 'startup');
  const args = ['--clean', '--headless', '--cmd', `set rtp^=${ROOT}`, '--startuptime', file, '+qa'];
  execFileSync(program, args, { stdio: 'ignore' });
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((it) => it.includes(join(ROOT, 'plugin/acp.lua')));
  // CLOCK SELF+SOURCED SELF: sourcing FILE
  return Number(line?.trim().split(/\s+/)[1] ?? NaN);
}
