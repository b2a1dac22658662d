import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDERS = ['src', 'lib', 'lua', '.'];
const CODE = /\.(c|cc|cpp|go|java|lua|py|rb|rs|[cm]?[jt]sx?)$/;
const MAX_BYTES = 64 * 1024;

/** A source file to show things with, when the user named none. */
export async function findFile(cwd: string): Promise<string | null> {
  for (const folder of FOLDERS) {
    const names = await readdir(join(cwd, folder)).catch(() => []);
    for (const name of names.filter((file) => CODE.test(file)).sort()) {
      const path = join(cwd, folder, name);
      const info = await stat(path).catch(() => null);
      if (info?.isFile() && info.size <= MAX_BYTES) return path;
    }
  }
  return null;
}

/** The command of the project's tests, where it is one that needs nothing but Node. */
export async function findTests(cwd: string): Promise<string[] | null> {
  try {
    const { scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')) as {
      scripts?: { test?: string };
    };
    const command = scripts?.test?.split(/\s+/) ?? [];
    return command[0] === 'node' ? command : null;
  } catch {
    return null;
  }
}
