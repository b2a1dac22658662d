const POLL_MS = 10;

/** Runs `check` until it passes and gives its result; after `timeout` milliseconds, throws its last error. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeout = 5000 }: { timeout?: number } = {},
): Promise<T> {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
