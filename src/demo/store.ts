import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isMode, type SessionRecord } from './session';

/** Sessions that are kept; older ones are removed. */
const KEPT = 50;

export function defaultStateDir(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'acp-demo-agent');
}

/** Sessions on disk, one JSON file each, so that they outlive the process (`/crash`). */
export class SessionStore {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async save(record: SessionRecord): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const file = this.#file(record.sessionId);
    await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${file}.new`, file);
    const old = (await this.list()).slice(KEPT);
    await Promise.all(old.map(({ sessionId }) => this.remove(sessionId)));
  }

  /** The record, or null where there is none (or none that can be read). */
  async get(sessionId: string): Promise<SessionRecord | null> {
    if (!/^[\w-]+$/.test(sessionId)) return null;
    try {
      const record = JSON.parse(await readFile(this.#file(sessionId), 'utf8')) as SessionRecord;
      return isMode(record.mode) && Array.isArray(record.history) ? record : null;
    } catch {
      return null;
    }
  }

  /** Newest first. */
  async list(): Promise<SessionRecord[]> {
    const names = await readdir(this.#dir).catch(() => []);
    const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    const records = await Promise.all(ids.map((id) => this.get(id)));
    return records
      .filter((record) => record !== null)
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  }

  async remove(sessionId: string): Promise<void> {
    if (/^[\w-]+$/.test(sessionId)) await rm(this.#file(sessionId), { force: true });
  }

  #file(sessionId: string): string {
    return join(this.#dir, `${sessionId}.json`);
  }
}
