/**
 * Starting programs on Windows, where many are no programs: npm installs `.cmd` scripts, which Node starts by no name and
 * without a shell not at all. Pure: what there is on disk is told by the caller.
 */
import { readFileSync } from 'node:fs';
import { win32 as path } from 'node:path';
import type { Launch, System } from './launch';

export interface WindowsSystem extends Pick<System, 'isFile'> {
  env: NodeJS.ProcessEnv;
  /** Where the program is to run: relative paths begin there. */
  cwd: string;
  readText?: (path: string) => string | null;
}

/** What is started for a command: the program itself, what its npm script starts, or the script in a shell. */
export function windowsCommand(command: string, args: string[], system: WindowsSystem): Launch {
  const file = programPath(command, system);
  if (file === undefined || !/\.(?:cmd|bat)$/i.test(file))
    return { command: file ?? command, args };
  const target = npmTarget((system.readText ?? readText)(file) ?? '');
  if (target) {
    const folder = path.dirname(file);
    const beside = path.join(folder, 'node.exe');
    const node = system.isFile(beside) ? beside : (programPath('node', system) ?? 'node');
    return { command: node, args: [...target.flags, path.join(folder, target.script), ...args] };
  }
  return inShell(file, args, system.env);
}

/** The file that a command means, by `PATH` and `PATHEXT`; the current folder is looked at only where a path says so. */
export function programPath(
  command: string,
  { env, cwd, isFile }: WindowsSystem,
): string | undefined {
  const extensions = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const endings = path.extname(command) === '' ? extensions : ['', ...extensions];
  const folders = /[\\/:]/.test(command)
    ? [cwd]
    : (variable(env, 'PATH') ?? '')
        .split(';')
        .map((folder) => folder.replace(/^"(.*)"$/, '$1'))
        .filter((folder) => path.isAbsolute(folder));
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.resolve(folder, command + ending.toLowerCase());
      if (isFile(file)) return file;
    }
  }
  return undefined;
}

/** What a script of npm's starts with Node, relative to its own folder. */
export function npmTarget(script: string): { flags: string[]; script: string } | undefined {
  const found = /"%_prog%" +((?:[^"\s]+ +)*)"%dp0%\\([^"%]+)" +%\*/.exec(script);
  if (!found || !/SET "_prog=node"/i.test(script)) return undefined;
  return { flags: found[1]!.split(' ').filter(Boolean), script: found[2]! };
}

/**
 * A script in `cmd.exe`, with arguments that it takes for nothing but text: quoted for the program that gets them at last,
 * then each character that means something to the shell is escaped, twice, since the script's `%*` is read once more.
 */
function inShell(file: string, args: string[], env: NodeJS.ProcessEnv): Launch {
  if ([file, ...args].some((text) => /[\r\n\0]/.test(text))) {
    throw new Error(`${file} is a script, to which no argument with a line break can be given`);
  }
  const words = [escaped(file), ...args.map((arg) => escaped(escaped(quoted(arg))))];
  return {
    command: variable(env, 'ComSpec') ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${words.join(' ')}"`],
    verbatim: true,
  };
}

/** As the C runtime of Windows takes an argument apart: backslashes count only before a quote. */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function escaped(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}

/** Names of variables know no case. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = Object.keys(env).findLast((it) => it.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : env[key];
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
