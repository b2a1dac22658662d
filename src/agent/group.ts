/** Process groups: what we start is ended with everything that it started. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const TERM_GRACE_MS = 1000;

/** Signals the group that `pid` leads. A group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {},
    );
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody is left.
  }
}

/** Whether anybody is left in the group that `pid` led. Windows has no groups, and nobody to ask. */
export function groupAlive(pid: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Waits `graceMs` for the leader to end by itself, then SIGTERM, then SIGKILL, until nobody of the group is left. On
 * Windows the leader's whole tree is ended when it doesn't end by itself.
 */
export async function endGroup(
  pid: number,
  exited: Promise<unknown>,
  graceMs: number,
): Promise<void> {
  const ended = await within(exited, graceMs);
  if (process.platform === 'win32') {
    if (!ended) signalGroup(pid, 'SIGKILL');
    return void (await within(exited, TERM_GRACE_MS));
  }
  if (!groupAlive(pid)) return;
  signalGroup(pid, 'SIGTERM');
  const deadline = Date.now() + TERM_GRACE_MS;
  while (groupAlive(pid) && Date.now() < deadline) await delay(25);
  if (groupAlive(pid)) signalGroup(pid, 'SIGKILL');
  await within(exited, TERM_GRACE_MS);
}

/** Whether `promise` settles within `ms`. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return settled;
}
