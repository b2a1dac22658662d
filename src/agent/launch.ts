/** What is really started for an agent: its own program, or the one that leads to where it lives. */
import { statSync } from 'node:fs';
import { PathMap } from '../acp/path-map';
import type { AgentSpec } from '../nvim/protocol';
import { windowsCommand } from './windows';

export interface Launch {
  command: string;
  args: string[];
  /** Windows: the arguments are quoted already. */
  verbatim?: boolean;
}

/** What programs are looked up by. */
export interface System {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isFile: (path: string) => boolean;
}

export const SYSTEM: System = {
  platform: process.platform,
  env: process.env,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
};

/** Where its process runs: in its own folder if it has one, else in that of the session. */
export function folderOf(spec: AgentSpec, cwd: string): string {
  return spec.cwd ?? cwd;
}

/** The command line that starts the agent for a session in `cwd`, as the configuration says. */
export function commandLine(spec: AgentSpec, cwd: string): [command: string, ...args: string[]] {
  const own: [string, ...string[]] = [spec.command, ...spec.args];
  const [program, ...before] = spec.wrap ?? [];
  if (program === undefined) return own;
  const quote = spec.wrapShell ? shellQuoted : (text: string) => text;
  const there = quote(new PathMap(spec.paths).path(folderOf(spec, cwd), 'there'));
  const wrap = before.map((part) => part.replaceAll('{cwd}', () => there));
  // The home folder of a program is that of whoever runs it there.
  const [, home = '', name] = /^(~\/)?(.*)$/s.exec(spec.command)!;
  const reached = spec.wrapShell ? home + quote(name!) : spec.command;
  return [program, ...wrap, reached, ...spec.args.map(quote)];
}

/** What is given to the system so that it starts the agent. Throws where the system can't be told so. */
export function launch(spec: AgentSpec, cwd: string, system: System = SYSTEM): Launch {
  const env = { ...system.env, ...spec.env };
  return startable(commandLine(spec, cwd), folderOf(spec, cwd), { ...system, env });
}

/** What is given to the system so that it starts a command, with the environment that the command is to have. */
export function startable(
  [command, ...args]: readonly [string, ...string[]],
  cwd: string,
  system: System = SYSTEM,
): Launch {
  if (system.platform !== 'win32') return { command, args };
  return windowsCommand(command, args, { ...system, cwd });
}

/** One word to a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
