/** Repositories for the tests of baselines. */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Baseline, Change } from '../../src/baseline/baseline';
import { openGitBaseline } from '../../src/baseline/git';
import { tempDir, whenDone } from '../harness';

const IDENTITY = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

export class Tree {
  readonly stateDir = tempDir();

  constructor(readonly top = tempDir()) {}

  git(...args: string[]): string {
    const env = { ...process.env, ...IDENTITY };
    return execFileSync('git', args, { cwd: this.top, encoding: 'utf8', env, stdio: 'pipe' });
  }

  path(name: string): string {
    return join(this.top, name);
  }

  write(files: Record<string, string | Buffer>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), content);
    }
  }

  async open(root = this.top): Promise<Baseline> {
    const baseline = await openGitBaseline({ root, stateDir: this.stateDir });
    if (baseline === null) throw new Error('no baseline');
    whenDone(() => baseline.close());
    return baseline;
  }
}

/** A repository with the files committed. */
export function repository(files: Record<string, string | Buffer> = {}): Tree {
  const tree = new Tree();
  tree.git('init', '-q');
  tree.write(files);
  tree.git('add', '-A');
  tree.git('commit', '-q', '--allow-empty', '-m', 'start');
  return tree;
}

/** Like `M a.txt`, `R old -> new`. */
export function summary(changes: Change[]): string[] {
  return changes.map(({ path, from, before, after }) => {
    if (from !== undefined) return `R ${from} -> ${path}`;
    if (before === null) return `A ${path}`;
    if (after === null) return `D ${path}`;
    return before.mode === after.mode ? `M ${path}` : `M ${path} ${before.mode} -> ${after.mode}`;
  });
}

/** What a record holds of a file. */
export async function content(baseline: Baseline, record: string, path: string): Promise<string> {
  const entry = await baseline.entry(record, path);
  if (entry === null) return 'none';
  return (await baseline.read(entry.id))?.toString('latin1') ?? 'unreadable';
}

/** All that can be seen of a folder: contents, modes, and when each was changed. Access times aside. */
export function everything(dir: string, prefix = ''): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    const stats = lstatSync(path, { bigint: true });
    const what = stats.isSymbolicLink()
      ? readlinkSync(path)
      : stats.isFile()
        ? readFileSync(path).toString('base64')
        : '';
    all[prefix + name] = `${stats.mode} ${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${what}`;
    if (stats.isDirectory()) Object.assign(all, everything(path, `${prefix}${name}/`));
  }
  return all;
}
