/**
 * The git folder of our own, in which a user's repository is recorded without being written to: own index, own objects,
 * no hook, no filter, no conversion. What decides which files count (`.gitignore` and the like) is as in theirs.
 */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isMissing } from '../client/faults';
import { placeOf } from './place';
import type { HashName } from './git-index-file';
import { git, GitError, plainEnv } from './git-run';
import type { Env } from './git-run';

/** A repository of the user. */
export interface Repository {
  /** Real path of its working tree. */
  top: string;
  gitDir: string;
  index: string;
  objects: string;
  exclude: string;
  hash: HashName;
  /** Settings that say how files look on this disk and which are ignored, by lower-case name. */
  config: ReadonlyMap<string, string>;
}

/** Settings that are taken over. */
const SETTINGS = [
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.protecthfs',
  'core.protectntfs',
  'core.longpaths',
  'core.trustctime',
  'core.checkstat',
  'core.excludesfile',
];
const FORMAT = 'extensions.objectformat';

/** Highest of all attributes. An encoding can't be switched off by `-`: git takes that for the name of one. */
const ATTRIBUTES = '* -text -crlf -eol -ident -filter !working-tree-encoding\n';

/** The repository that `root` lies in; null where there is none, or no git, or git refuses to have to do with it. */
export async function findRepository(root: string): Promise<Repository | null> {
  try {
    const options = { cwd: await realpath(root), env: plainEnv() };
    const path = (name: string): string[] => ['--git-path', name];
    const args = [
      '--show-toplevel',
      '--git-dir',
      ...['index', 'objects', 'info/exclude'].flatMap(path),
    ];
    const [out, config] = await Promise.all([
      git(['rev-parse', ...args], options),
      readConfig(options),
    ]);
    const lines = out.toString().split('\n');
    const [top, gitDir, index, objects, exclude, end, ...more] = lines.map((it) =>
      it === '' ? '' : resolve(options.cwd, it),
    );
    if (!top || !gitDir || !index || !objects || !exclude) return null;
    // A name with a line break.
    if (end !== '' || more.length > 0) return null;
    // Settings of the project must not choose which folder is recorded (`core.worktree`).
    await lstat(join(top, '.git'));
    const hash = config.get(FORMAT) === 'sha256' ? 'sha256' : 'sha1';
    return { top: await realpath(top), gitDir, index, objects, exclude, hash, config };
  } catch (error) {
    if (error instanceof GitError || isMissing(error)) return null;
    throw error;
  }
}

async function readConfig(options: { cwd: string; env: Env }): Promise<Map<string, string>> {
  const none = (error: unknown): Buffer => {
    // No such setting.
    if (error instanceof GitError && error.code === 1) return Buffer.alloc(0);
    throw error;
  };
  const pattern = `^(${[...SETTINGS, FORMAT].join('|').replaceAll('.', '\\.')})$`;
  const [all, excludes] = await Promise.all([
    git(['config', '-z', '--get-regexp', pattern], options).catch(none),
    git(['config', '-z', '--path', '--get', 'core.excludesfile'], options).catch(none),
  ]);
  const config = new Map<string, string>();
  for (const entry of all.toString().split('\0').slice(0, -1)) {
    const [key = '', ...value] = entry.split('\n');
    config.set(key.toLowerCase(), value.length === 0 ? 'true' : value.join('\n'));
  }
  // With `~` made a path.
  if (excludes.length > 0) config.set('core.excludesfile', excludes.subarray(0, -1).toString());
  return config;
}

/** Our git folder for a repository, and the ways to run git in it. */
export class GitDir {
  /** Environment of a git that sees our objects only: with the user's in sight, one that writes would touch theirs. */
  readonly writing: Env;
  /** Environment of a git that finds the user's objects too. It must not write objects. */
  readonly reading: Env;

  private constructor(
    readonly path: string,
    readonly repository: Repository,
  ) {
    this.writing = {
      ...plainEnv(),
      GIT_DIR: path,
      GIT_WORK_TREE: repository.top,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
    };
    const quoted = `"${repository.objects.replace(/[\\"]/g, '\\$&')}"`;
    this.reading = { ...this.writing, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted };
  }

  get top(): string {
    return this.repository.top;
  }

  /** Makes the folder, or brings it up to date. Another process may be using it. */
  static async open(repository: Repository, stateDir: string): Promise<GitDir> {
    const { top, config, hash } = repository;
    const path = join(placeOf(stateDir, top), hash === 'sha1' ? 'git' : `git-${hash}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (const name of ['objects', 'refs', 'info'])
      await mkdir(join(path, name), { recursive: true });
    const exclude = await textOf(repository.exclude);
    const own = ownPattern(top, await realpath(stateDir));
    await replace(join(path, 'HEAD'), 'ref: refs/heads/none\n');
    await replace(join(path, 'config'), configOf(config));
    await replace(join(path, 'info/attributes'), ATTRIBUTES);
    await replace(join(path, 'info/exclude'), `${exclude}\n${own}`);
    return new GitDir(path, repository);
  }
}

/** What a file holds; nothing where there is none, and of what would let its readers wait. */
async function textOf(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : '';
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** Whether git ignores what is at `path` (relative to `top`). */
export async function isIgnored(dir: GitDir, path: string, signal?: AbortSignal): Promise<boolean> {
  // This command doesn't know literal paths.
  const env = { ...dir.reading, GIT_LITERAL_PATHSPECS: '0' };
  try {
    await git(['check-ignore', '-q', '--', `:(top)${path}`], { cwd: dir.top, env, signal });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code === 1) return false;
    throw error;
  }
}

/** Our own files, should they lie within the tree. */
function ownPattern(top: string, stateDir: string): string {
  const path = relative(top, stateDir);
  if (path === '' || path.startsWith('..') || isAbsolute(path)) return '';
  return `/${path
    .split(sep)
    .join('/')
    .replace(/[\\[\]*? ]/g, '\\$&')}/\n`;
}

function configOf(config: ReadonlyMap<string, string>): string {
  const format = config.get(FORMAT);
  const quote = (text: string): string =>
    `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  const taken = SETTINGS.flatMap((key) => {
    const value = config.get(key);
    return value === undefined ? [] : [`${key.slice('core.'.length)} = ${quote(value)}`];
  });
  const lines = [
    '[core]',
    `repositoryFormatVersion = ${format === undefined ? 0 : 1}`,
    'bare = false',
    // Older versions of git read the user's own settings all the same; these stand above.
    'autocrlf = false',
    'safecrlf = false',
    'fsmonitor =',
    'hooksPath = /dev/null',
    'attributesFile = /dev/null',
    'untrackedCache = false',
    'splitIndex = false',
    'preloadIndex = true',
    'looseCompression = 1',
    ...taken,
    '[index]',
    'skipHash = true',
    'sparse = false',
    '[gc]',
    'auto = 0',
    '[diff]',
    'renameLimit = 400',
  ];
  if (format !== undefined) lines.push('[extensions]', `objectFormat = ${quote(format)}`);
  return `${lines.join('\n')}\n`;
}

/** Writes a file so that its readers see the old text or the new. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}
