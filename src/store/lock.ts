/** Who has a session open: a file beside its journal that names the process. */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { codeOf, isMissing } from '../client/faults';

export const LOCK = '.lock';
const CLAIM = '.claim';

interface Holder {
  pid: number;
  /** When it started, where the system tells: a number is used again by another process. */
  start: string | null;
}

/** Who has begun to write its name into a lock, or to take one over, does it in less than that, in milliseconds. */
const HASTE_MS = 10_000;

/** Who has the lock: the number of a living process; 0 where one is just about to write its name; null: nobody. */
export function holderOf(path: string): number | null {
  const text = read(path);
  if (text === null) return null;
  const holder = parse(text);
  if (!holder) return isFresh(path) ? 0 : null;
  return lives(holder) ? holder.pid : null;
}

/** Takes the lock; gives who has it where it can't be had, else null. Throws what the file system refuses. */
export function takeLock(path: string): number | null {
  if (put(path)) return null;
  // Of several that find the lock of a dead process, one at a time may look again and take it over.
  const claim = `${path}${CLAIM}`;
  if (!put(claim)) {
    if (isFresh(claim)) return holderOf(path) ?? 0;
    rmSync(claim, { force: true });
    if (!put(claim)) return 0;
  }
  try {
    const holder = holderOf(path);
    if (holder !== null) return holder;
    rmSync(path, { force: true });
    return put(path) ? null : (holderOf(path) ?? 0);
  } finally {
    rmSync(claim, { force: true });
  }
}

export function releaseLock(path: string): void {
  rmSync(path, { force: true });
}

/** Removes what a dead process has left: a lock, or the claim of one. Other files stay. */
export function clearLock(path: string): void {
  if (path.endsWith(CLAIM)) {
    if (!isFresh(path)) rmSync(path, { force: true });
  } else if (path.endsWith(LOCK) && holderOf(path) === null && takeLock(path) === null) {
    releaseLock(path);
  }
}

/** False where the file is there already. */
function put(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(fd, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function parse(text: string): Holder | null {
  try {
    const { pid, start } = JSON.parse(text) as Holder;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, start } : null;
  } catch {
    return null;
  }
}

function isFresh(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < HASTE_MS;
}

function lives({ pid, start }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It is there, and another user's.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return start === null || now === null || start === now;
}

/** Linux tells it in clock ticks since the boot; null elsewhere. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
