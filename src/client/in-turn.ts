/** Work on the same thing, one after the other. */

/** Does `work` when all earlier work on `key` has ended, whether it failed or not. `last` holds the last on each key. */
export async function inTurn<T>(
  last: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = last.get(key);
  const now = before === undefined ? work() : before.then(work, work);
  last.set(key, now);
  try {
    return await now;
  } finally {
    if (last.get(key) === now) last.delete(key);
  }
}

const onFiles = new Map<string, Promise<unknown>>();

/** Does `work` on a file (its real path) when nothing else of any session reads or writes it. */
export function onFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  return inTurn(onFiles, path, work);
}
