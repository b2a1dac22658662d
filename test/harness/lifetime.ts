import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { eventually } from './eventually';

type End = () => void | Promise<void>;

const atEndOfFile: End[] = [];
afterAll(async () => {
  for (const end of atEndOfFile.splice(0).reverse()) await end();
});

/** Runs `end` when the present test is over, however it went; outside of a test, at the end of the file. */
export function whenDone(end: End): void {
  try {
    onTestFinished(end, 20_000);
  } catch {
    atEndOfFile.push(end);
  }
}

/** A new folder that is removed after the test. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'acp-')));
  // A sidecar that ends may still write there what it has to save.
  whenDone(() => eventually(() => rmSync(dir, { recursive: true, force: true })));
  return dir;
}
