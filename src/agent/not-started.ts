/** Why an agent's program could not be started, in words for who has configured it. */
import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { PathMap } from '../acp/path-map';
import type { AgentSpec } from '../nvim/protocol';
import { commandLine, folderOf } from './launch';

/** `why`: goes on behind “could not be started: ”. `advice`: what to do about it. */
export interface NotStarted {
  why: string;
  advice: string;
}

const KEPT = 'Your prompt was kept.';

export function whyNotStarted(
  spec: AgentSpec,
  cwd: string,
  error: NodeJS.ErrnoException,
): NotStarted {
  return folderFault(spec, cwd) ?? programFault(spec, cwd, error) ?? other(spec, cwd, error);
}

/** What a wrapped program that was not found there, or could not be run, is told by: shells and containers agree on these. */
export function wrapAdvice(spec: AgentSpec, code: number | null): string | undefined {
  const [wrap] = spec.wrap ?? [];
  if (wrap === undefined) return undefined;
  if (code === 127) {
    return `‘${spec.command}’ was not found where ${wrap} leads: install it there, or set its path there in the option agents.${spec.name}.command.`;
  }
  return code === 126
    ? `‘${spec.command}’ can’t be run where ${wrap} leads: look at the options agents.${spec.name}.command and .wrap.`
    : undefined;
}

/** What to look at where an agent that knows folders by other names has none for that of the session. */
export function folderAdvice(spec: AgentSpec, cwd: string): string | undefined {
  if (!spec.paths || new PathMap(spec.paths).knows(cwd, 'there')) return undefined;
  return `It was told of ${cwd} by that name, since the option agents.${spec.name}.paths has no other.`;
}

function folderFault(spec: AgentSpec, cwd: string): NotStarted | undefined {
  const folder = folderOf(spec, cwd);
  const there = statOf(folder);
  if (there?.isDirectory()) return undefined;
  const why = there ? `${folder} is no folder` : `the folder ${folder} does not exist`;
  return spec.cwd === undefined
    ? { why, advice: 'Change to a folder that exists and open a new chat (:AcpChat!).' }
    : { why, advice: `It is set in the option agents.${spec.name}.cwd. ${KEPT}` };
}

function programFault(
  spec: AgentSpec,
  cwd: string,
  { code }: NodeJS.ErrnoException,
): NotStarted | undefined {
  const [program] = commandLine(spec, cwd);
  const wrapped = spec.wrap?.[0] !== undefined;
  const option = `agents.${spec.name}.${wrapped ? 'wrap' : 'command'}`;
  const file = /[\\/]/.test(program) ? statOf(program) : undefined;
  switch (code) {
    case 'ENOENT': {
      const interpreter = file && interpreterOf(program);
      if (interpreter) {
        return {
          why: `${program} is a script for ${interpreter}, which does not exist`,
          advice: `Install that, or name it and the script in the option ${option}. ${KEPT}`,
        };
      }
      return {
        why: `there is no program ‘${program}’${/[\\/]/.test(program) ? '' : ' on PATH'}`,
        advice:
          spec.install && !wrapped
            ? `Install it with:  ${spec.install}\n${KEPT.slice(0, -1)}; send it again afterwards.`
            : `Install it, or set its path in the option ${option}. ${KEPT}`,
      };
    }
    case 'ENOTDIR':
      return {
        why: `there is no program ‘${program}’`,
        advice: `A part of that path is a file. It is set in the option ${option}. ${KEPT}`,
      };
    case 'EACCES':
    case 'EPERM':
      return file?.isDirectory()
        ? {
            why: `${program} is a folder`,
            advice: `Name the program in it in the option ${option}. ${KEPT}`,
          }
        : {
            why: `${program} may not be run`,
            advice: `Make it executable (chmod +x), or name another program in the option ${option}. ${KEPT}`,
          };
    case 'ENOEXEC':
      return {
        why: `${program} is no program for this machine, nor a script that begins with #!`,
        advice: `Name one in the option ${option}. ${KEPT}`,
      };
    default:
      return undefined;
  }
}

function other(spec: AgentSpec, cwd: string, error: NodeJS.ErrnoException): NotStarted {
  return { why: error.message, advice: `The command was: ${commandLine(spec, cwd).join(' ')}` };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** What stands behind `#!` in a script. */
function interpreterOf(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(256);
      const text = head.toString('utf8', 0, readSync(file, head, 0, head.length, 0));
      return /^#!\s*(\S+)/.exec(text)?.[1];
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
