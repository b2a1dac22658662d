import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandLine, launch, shellQuoted, type System } from '../../src/agent/launch';
import { npmTarget, windowsCommand } from '../../src/agent/windows';
import type { AgentSpec } from '../../src/nvim/protocol';

const SPEC: AgentSpec = { name: 'a', command: 'agent', args: ['--acp', 'a b'] };

describe('what is started', () => {
  test('is the agent’s own program where nothing leads to it', () => {
    expect(commandLine(SPEC, '/p')).toEqual(['agent', '--acp', 'a b']);
    expect(commandLine({ ...SPEC, wrap: [] }, '/p')).toEqual(['agent', '--acp', 'a b']);
  });

  test('is what leads to it, with the folder by its name there', () => {
    const spec: AgentSpec = {
      ...SPEC,
      wrap: ['docker', 'exec', '-i', '-w', '{cwd}', 'dev'],
      paths: [{ here: '/p', there: '/work' }],
    };
    expect(commandLine(spec, '/p/sub')).toEqual([
      'docker',
      'exec',
      '-i',
      '-w',
      '/work/sub',
      'dev',
      'agent',
      '--acp',
      'a b',
    ]);
    expect(commandLine({ ...spec, cwd: '/p/own' }, '/p/sub')[4]).toBe('/work/own');
    expect(commandLine(spec, '/else')[4]).toBe('/else');
  });

  test('is quoted for a shell behind it; what the user wrote for that shell is not', () => {
    const spec: AgentSpec = {
      ...SPEC,
      command: '~/bin/the agent',
      wrap: ['ssh', 'box', 'cd {cwd} && exec'],
      wrapShell: true,
    };
    expect(commandLine(spec, "/it's $HOME/$&")).toEqual([
      'ssh',
      'box',
      `cd '/it'\\''s $HOME/$&' && exec`,
      "~/'bin/the agent'",
      '--acp',
      "'a b'",
    ]);
  });

  test('is for Windows what Windows can start', () => {
    const system: System = {
      platform: 'win32',
      env: { Path: 'C:\\bin' },
      isFile: (path) => path === 'C:\\bin\\agent.exe',
    };
    expect(launch(SPEC, 'C:\\p', system)).toEqual({
      command: 'C:\\bin\\agent.exe',
      args: SPEC.args,
    });
    expect(launch(SPEC, '/p', { ...system, platform: 'linux' }).command).toBe('agent');
    const own: AgentSpec = { ...SPEC, env: { PATH: 'C:\\bin' } };
    expect(launch(own, 'C:\\p', { ...system, env: { PATH: 'D:\\x' } }).command).toBe(
      'C:\\bin\\agent.exe',
    );
  });
});

describe('a word for a shell', () => {
  test('arrives as it was', () => {
    const word = fc.string({ unit: 'binary' }).filter((it) => !it.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const { stdout } = spawnSync(
          'sh',
          ['-c', `printf '%s\\0' ${words.map(shellQuoted).join(' ')}`],
          { encoding: 'utf8', input: '' },
        );
        expect(stdout.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });
});

const NPM = `@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0

IF EXIST "%dp0%\\node.exe" (
  SET "_prog=%dp0%\\node.exe"
) ELSE (
  SET "_prog=node"
  SET PATHEXT=%PATHEXT:;.JS;=;%
)

endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\agent\\dist\\index.js" %*
`;

/** A Windows with these files. */
function windows(files: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
  const find = (path: string) =>
    Object.entries(files).find(([name]) => name.toLowerCase() === path.toLowerCase())?.[1];
  return {
    env: { Path: '"C:\\npm";relative;C:\\bin', PATHEXT: '.COM;.EXE;.BAT;.CMD', ...env },
    cwd: 'C:\\project',
    isFile: (path: string) => find(path) !== undefined,
    readText: (path: string) => find(path) ?? null,
  };
}

describe('on Windows', () => {
  test('a script of npm’s is what it starts: its own script, with Node', () => {
    const system = windows({ 'C:\\npm\\agent.cmd': NPM, 'C:\\bin\\node.exe': '' });
    expect(windowsCommand('agent', ['--acp', '%PATH% & calc'], system)).toEqual({
      command: 'C:\\bin\\node.exe',
      args: ['C:\\npm\\node_modules\\agent\\dist\\index.js', '--acp', '%PATH% & calc'],
    });
  });

  test('the Node beside the script is taken, and its flags', () => {
    const text = NPM.replace('"%_prog%"  ', '"%_prog%"  --no-warnings --x ');
    const system = windows({ 'C:\\npm\\agent.cmd': text, 'C:\\npm\\node.exe': '' });
    expect(windowsCommand('agent.cmd', [], system)).toEqual({
      command: 'C:\\npm\\node.exe',
      args: ['--no-warnings', '--x', 'C:\\npm\\node_modules\\agent\\dist\\index.js'],
    });
  });

  test('a program comes before a script, by the order of PATHEXT and of PATH', () => {
    const system = windows({ 'C:\\bin\\agent.exe': '', 'C:\\bin\\agent.cmd': '' });
    expect(windowsCommand('agent', ['x'], system).command).toBe('C:\\bin\\agent.exe');
    const first = windows({ 'C:\\npm\\agent.bat': '', 'C:\\bin\\agent.exe': '' });
    expect(windowsCommand('agent', [], first).verbatim).toBe(true);
  });

  test('nothing is started from the current folder unless a path says so', () => {
    const system = windows({
      'C:\\project\\agent.exe': '',
      'C:\\project\\relative\\agent.exe': '',
      'C:\\project\\tools\\x.exe': '',
    });
    expect(windowsCommand('agent', [], system).command).toBe('agent');
    expect(windowsCommand('.\\agent', [], system).command).toBe('C:\\project\\agent.exe');
    expect(windowsCommand('tools/x', [], system).command).toBe('C:\\project\\tools\\x.exe');
  });

  test('a name that has an ending already is found as it is', () => {
    const system = windows({ 'C:\\bin\\agent.v2.exe': '', 'C:\\bin\\node.exe': '' });
    expect(windowsCommand('node.exe', [], system).command).toBe('C:\\bin\\node.exe');
    expect(windowsCommand('agent.v2', [], system).command).toBe('C:\\bin\\agent.v2.exe');
  });

  test('what is nowhere is left to the system, which says so', () => {
    expect(windowsCommand('ghost', ['x'], windows({}))).toEqual({ command: 'ghost', args: ['x'] });
  });

  test('another script runs in a shell, to which its arguments are nothing but text', () => {
    const system = windows({ 'C:\\bin\\my agent.cmd': '@echo off' }, { COMSPEC: 'C:\\cmd.exe' });
    const args = ['--acp', 'a b', '%PATH%', '"&calc', 'back\\', '!x!'];
    expect(windowsCommand('my agent', args, system)).toEqual({
      command: 'C:\\cmd.exe',
      args: [
        '/d',
        '/s',
        '/c',
        '"C:\\bin\\my^ agent.cmd ' +
          '^^^"--acp^^^" ' +
          '^^^"a^^^ b^^^" ' +
          '^^^"^^^%PATH^^^%^^^" ' +
          '^^^"\\^^^"^^^&calc^^^" ' +
          '^^^"back\\\\^^^" ' +
          '^^^"^^^!x^^^!^^^""',
      ],
      verbatim: true,
    });
  });

  test('an argument that no shell there can be given is refused', () => {
    const system = windows({ 'C:\\bin\\agent.cmd': '' });
    expect(() => windowsCommand('agent', ['a\nb'], system)).toThrow('line break');
  });

  test('what a shell of Windows and then the program read of an argument is the argument', () => {
    const system = windows({ 'C:\\bin\\agent.cmd': '' });
    const arg = fc.string({
      unit: fc.constantFrom('a', ' ', '"', '\\', '%', '^', '&', '|', '!', '*'),
    });
    fc.assert(
      fc.property(fc.array(arg, { maxLength: 3 }), (args) => {
        const { args: given } = windowsCommand('agent', args, system);
        const line = given[3]!.slice(1, -1);
        const once = unescaped(line);
        expect(once.startsWith('C:\\bin\\agent.cmd')).toBe(true);
        const twice = unescaped(once.slice('C:\\bin\\agent.cmd'.length));
        expect(argumentsOf(twice)).toEqual(args);
      }),
    );
  });

  test('a script that is none of npm’s is not taken for one', () => {
    expect(npmTarget('@"%~dp0\\x.exe" %*')).toBeUndefined();
    expect(npmTarget('"%_prog%" "%dp0%\\a.js" %*')).toBeUndefined();
    expect(npmTarget('')).toBeUndefined();
  });
});

/** As `cmd.exe` reads a line: a caret takes the meaning of what follows; nothing that has one may be left. */
function unescaped(line: string): string {
  let out = '';
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '^') out += line[++i] ?? '';
    else if (/["&|<>%!]/.test(line[i]!)) throw new Error(`${line[i]} has a meaning in ${line}`);
    else out += line[i];
  }
  return out;
}

/** As the C runtime of Windows takes a command line apart. */
function argumentsOf(line: string): string[] {
  const args: string[] = [];
  let arg: string | null = null;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '\\') {
      const slashes = /^\\+/.exec(line.slice(i))![0].length;
      i += slashes - 1;
      const atQuote = line[i + 1] === '"';
      arg = (arg ?? '') + '\\'.repeat(atQuote ? Math.floor(slashes / 2) : slashes);
      if (atQuote && slashes % 2 === 1) {
        arg += '"';
        i++;
      }
    } else if (line[i] === '"') {
      quoted = !quoted;
      arg ??= '';
    } else if (line[i] === ' ' && !quoted) {
      if (arg !== null) args.push(arg);
      arg = null;
    } else {
      arg = (arg ?? '') + line[i];
    }
  }
  return arg === null ? args : [...args, arg];
}
