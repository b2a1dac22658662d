import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Name of what is recorded of the folder `top` (its real path), under `<stateDir>/baseline/`. */
export function nameOf(top: string): string {
  return createHash('sha256').update(top).digest('hex').slice(0, 32);
}

/** Folder for all that is recorded of the folder `top` (its real path). */
export function placeOf(stateDir: string, top: string): string {
  return join(stateDir, 'baseline', nameOf(top));
}
