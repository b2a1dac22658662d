/** The files of our own git folder that belong to one process each, and what becomes of those of processes that have ended. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissing } from '../client/faults';

const SPARE = 'spare.index';
const DAY_MS = 24 * 60 * 60 * 1000;

let opened = 0;

/** The name of an index that nobody else uses. Files beside it whose names begin with the process id go with it. */
export function ownIndex(dir: string): string {
  return join(dir, `${process.pid}-${++opened}.index`);
}

/** Leaves an index to who comes next. */
export async function leaveIndex(dir: string, index: string): Promise<void> {
  await rename(index, join(dir, SPARE)).catch(ignoreMissing);
}

/** Takes over, as `index`, the newest that was left, and removes what else was. False: there is none. */
export async function adoptIndex(dir: string, index: string): Promise<boolean> {
  const left: { path: string; time: number }[] = [];
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const time = await stat(path).then((it) => it.mtimeMs, ignoreMissing);
    if (time === undefined) continue;
    const pid = /^(\d+)[-.]/.exec(name)?.[1];
    if (name === SPARE || (/^\d+-\d+\.index$/.test(name) && hasEnded(pid)))
      left.push({ path, time });
    else if (hasEnded(pid) || (name.startsWith('sharedindex.') && Date.now() - time > DAY_MS)) {
      await rm(path, { force: true });
    }
  }
  left.sort((a, b) => b.time - a.time);
  let adopted = false;
  for (const { path } of left) {
    if (adopted) await rm(path, { force: true });
    else
      adopted = await rename(path, index)
        .then(() => true, ignoreMissing)
        .then((it) => it === true);
  }
  return adopted;
}

function hasEnded(pid: string | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** Another process was faster. */
function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
