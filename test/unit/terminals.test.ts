import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Terminals } from '../../src/client/terminals';
import type { TerminalState } from '../../src/session/model';
import { eventually, tempDir, whenDone } from '../harness';

interface Rig {
  terminals: Terminals;
  dir: string;
  /** The states that were told, and the last of them. */
  states: TerminalState[];
  last: () => TerminalState;
  sh: (script: string, more?: object) => Promise<{ terminalId: string }>;
  run: (
    script: string,
    more?: object,
  ) => Promise<{ output: string; truncated: boolean; exitStatus?: object }>;
}

function rig(env?: NodeJS.ProcessEnv): Rig {
  const dir = tempDir();
  const states: TerminalState[] = [];
  const terminals = new Terminals({
    cwd: dir,
    ...(env && { env }),
    onChange: (s) => states.push(s),
  });
  whenDone(() => terminals.dispose());
  const sh: Rig['sh'] = (script, more) =>
    terminals.create({ command: 'sh', args: ['-c', script], ...more });
  return {
    terminals,
    dir,
    states,
    last: () => states.at(-1)!,
    sh,
    run: async (script, more) => {
      const id = await sh(script, more);
      await terminals.waitForExit(id);
      return terminals.output(id);
    },
  };
}

function alive(pid: number): boolean {
  try {
    // A killed process stays a zombie until its parent looks.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('create', () => {
  test('runs the program with its arguments as they are: no shell in between', async () => {
    const { terminals } = rig();
    const id = await terminals.create({
      command: 'printf',
      args: ['%s|', '$HOME', 'a b', '*', ';'],
    });
    await terminals.waitForExit(id);
    expect((await terminals.output(id)).output).toBe('$HOME|a b|*|;|');
  });

  test('entries of the environment override what is inherited, and nothing else is lost', async () => {
    const { run } = rig({ ...process.env, KEPT: 'kept', CHANGED: 'old' });
    const { output } = await run('echo $KEPT $CHANGED $NEW', {
      env: [
        { name: 'CHANGED', value: 'changed' },
        { name: 'NEW', value: 'a=b' },
      ],
    });
    expect(output).toBe('kept changed a=b\n');
  });

  test("the program is looked for in the command's own PATH", async () => {
    const { terminals, dir } = rig();
    writeFileSync(join(dir, 'mine'), '#!/bin/sh\necho found\n', { mode: 0o755 });
    const id = await terminals.create({ command: 'mine', env: [{ name: 'PATH', value: dir }] });
    await terminals.waitForExit(id);
    expect((await terminals.output(id)).output).toBe('found\n');
  });

  test("runs in the session's folder or in the named one", async () => {
    const { run, dir } = rig();
    mkdirSync(join(dir, 'sub'));
    expect((await run('pwd')).output).toBe(`${dir}\n`);
    expect((await run('pwd', { cwd: null })).output).toBe(`${dir}\n`);
    expect((await run('pwd', { cwd: join(dir, 'sub') })).output).toBe(`${join(dir, 'sub')}\n`);
  });

  test('a folder that does not exist is an error that names it, not a missing program', async () => {
    const { sh, states } = rig();
    await expect(sh('pwd', { cwd: '/none/such' })).rejects.toMatchObject({ code: -32602 });
    await expect(sh('pwd', { cwd: '/none/such' })).rejects.toThrow('/none/such');
    await expect(sh('pwd', { cwd: 'relative' })).rejects.toThrow('relative');
    expect(states).toEqual([]);
  });

  test('a missing program is an error that names it', async () => {
    const { terminals, dir, states } = rig();
    writeFileSync(join(dir, 'data'), '');
    await expect(terminals.create({ command: 'no-such-program' })).rejects.toThrow(
      'no-such-program: program not found',
    );
    await expect(terminals.create({ command: join(dir, 'data') })).rejects.toThrow(
      'not executable',
    );
    await expect(terminals.create({ command: 'echo', args: ['a\0b'] })).rejects.toThrow(
      /null bytes/,
    );
    expect(states).toEqual([]);
  });

  test('a whole command line in the place of a program is an error that says what to do', async () => {
    const { terminals, dir } = rig();
    await expect(terminals.create({ command: 'echo a | wc' })).rejects.toThrow(
      /without a shell.*"args"/,
    );
    writeFileSync(join(dir, 'my tool'), '#!/bin/sh\necho spaced\n', { mode: 0o755 });
    const id = await terminals.create({ command: join(dir, 'my tool') });
    await terminals.waitForExit(id);
    expect((await terminals.output(id)).output).toBe('spaced\n');
  });
});

describe('output', () => {
  test('both streams, control sequences and all, and no exit status while it runs', async () => {
    const { sh, terminals } = rig();
    const id = await sh("printf '\\033[31mred\\033[0m'; printf err >&2; exec sleep 60");
    await eventually(async () => {
      const { output, exitStatus } = await terminals.output(id);
      expect(output).toContain('\u001b[31mred\u001b[0m');
      expect(output).toContain('err');
      expect(exitStatus).toBeUndefined();
    });
  });

  test('keeps the tail at a whole character, and says that it did', async () => {
    const { run } = rig();
    const script = "printf 'aé€'";
    expect(await run(script, { outputByteLimit: 6 })).toMatchObject({
      output: 'aé€',
      truncated: false,
    });
    expect(await run(script, { outputByteLimit: 4 })).toMatchObject({
      output: '€',
      truncated: true,
    });
    expect(await run(script, { outputByteLimit: 2 })).toMatchObject({
      output: '',
      truncated: true,
    });
    expect(await run(script, { outputByteLimit: 18446744073709552000 })).toMatchObject({
      output: 'aé€',
      truncated: false,
    });
  });

  test('a character that comes in pieces is whole, and never half there', async () => {
    const { sh, terminals, dir, states } = rig();
    const wait = `while ! [ -e '${join(dir, 'go')}' ]; do sleep 0.01; done`;
    const id = await sh(`printf 'a\\342\\202'; ${wait}; printf '\\254b'`);
    await eventually(async () => expect((await terminals.output(id)).output).toBe('a'));
    writeFileSync(join(dir, 'go'), '');
    await terminals.waitForExit(id);
    expect((await terminals.output(id)).output).toBe('a€b');
    for (const { output } of states) expect(output).not.toContain('\uFFFD');
  });

  test('bytes that are no UTF-8 come as U+FFFD, NUL as it is', async () => {
    const { run } = rig();
    expect((await run("printf 'a\\377\\000b\\303'")).output).toBe('a\uFFFD\0b\uFFFD');
  });

  test('100 MB of output: memory has a bound, the tail is right, reports are few and short', async () => {
    const { sh, terminals, states, last } = rig();
    const before = process.memoryUsage().rss;
    const id = await sh('yes 0123456789 | head -c 100000000; echo; echo end');
    await terminals.waitForExit(id);
    const { output, truncated } = await terminals.output(id);
    expect(process.memoryUsage().rss - before).toBeLessThan(80e6);
    expect(truncated).toBe(true);
    expect(output).toHaveLength(1024 * 1024);
    expect(output.endsWith('\nend\n')).toBe(true);
    expect(last().output).toBe(output.slice(-256 * 1024));
    expect(last().truncated).toBe(true);
    expect(states.length).toBeLessThan(1000);
  });

  test('reads nothing from us: a program that asks gets the end of input', async () => {
    const { run } = rig();
    expect(await run('cat; echo done')).toMatchObject({ output: 'done\n' });
  });
});

describe('the end of a command', () => {
  test('exit code', async () => {
    const { sh, terminals, last } = rig();
    const id = await sh('exit 7');
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: 7, signal: null });
    expect((await terminals.output(id)).exitStatus).toEqual({ exitCode: 7, signal: null });
    expect(last()).toMatchObject({ id: id.terminalId, exit: { exitCode: 7, signal: null } });
  });

  test('signal', async () => {
    const { run } = rig();
    expect((await run('kill -9 $$')).exitStatus).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('all that was written is there when the end is told, to all who wait, and to late ones', async () => {
    const { sh, terminals } = rig();
    const id = await sh('head -c 500000 /dev/zero | tr "\\0" x');
    const waiters = [terminals.waitForExit(id), terminals.waitForExit(id)];
    expect(await Promise.all(waiters)).toEqual([
      { exitCode: 0, signal: null },
      { exitCode: 0, signal: null },
    ]);
    expect((await terminals.output(id)).output).toHaveLength(500_000);
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: 0, signal: null });
  });

  test('is not held up by a child in the background, which goes on until the release', async () => {
    const { sh, terminals } = rig();
    const id = await sh('sleep 60 & echo $!');
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: 0, signal: null });
    const child = Number((await terminals.output(id)).output);
    expect(alive(child)).toBe(true);
    await terminals.release(id);
    await eventually(() => expect(alive(child)).toBe(false));
  });
});

describe('kill', () => {
  test('ends the whole group and keeps the terminal', async () => {
    const { sh, terminals } = rig();
    const id = await sh('sh -c "sleep 60 & echo \\$!; wait" & wait');
    const child = await eventually(async () => {
      const pid = Number((await terminals.output(id)).output);
      expect(pid).toBeGreaterThan(0);
      return pid;
    });
    const waiting = terminals.waitForExit(id);
    expect(await terminals.kill(id)).toEqual({});
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(await terminals.output(id)).toMatchObject({
      output: `${child}\n`,
      exitStatus: { exitCode: null, signal: 'SIGTERM' },
    });
    await eventually(() => expect(alive(child)).toBe(false));
  });

  test('takes SIGKILL to one that does not listen', async () => {
    const { sh, terminals } = rig();
    const id = await sh("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    await eventually(async () => expect((await terminals.output(id)).output).toBe('ready\n'));
    await terminals.kill(id);
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('of one that has ended changes nothing', async () => {
    const { sh, terminals } = rig();
    const id = await sh('exit 3');
    await terminals.waitForExit(id);
    expect(await terminals.kill(id)).toEqual({});
    expect(await terminals.kill(id)).toEqual({});
    expect((await terminals.output(id)).exitStatus).toEqual({ exitCode: 3, signal: null });
  });
});

describe('release', () => {
  test('ends the command; those who wait are answered, the id is gone, the output stays shown', async () => {
    const { sh, terminals, last } = rig();
    const id = await sh('echo shown; exec sleep 60');
    await eventually(() => expect(last().output).toBe('shown\n'));
    const waiting = terminals.waitForExit(id);
    expect(await terminals.release(id)).toEqual({});
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(last()).toMatchObject({
      output: 'shown\n',
      exit: { exitCode: null, signal: 'SIGTERM' },
    });
    const gone = { code: -32602 };
    await expect(terminals.output(id)).rejects.toMatchObject(gone);
    await expect(terminals.waitForExit(id)).rejects.toMatchObject(gone);
    await expect(terminals.kill(id)).rejects.toMatchObject(gone);
    await expect(terminals.release(id)).rejects.toMatchObject(gone);
  });

  test('dispose ends all, released ones too, and refuses new ones', async () => {
    const { sh, terminals } = rig();
    const stubborn = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
    const ids = [await sh(stubborn), await sh(stubborn)];
    const pids = await eventually(async () => {
      const outputs = await Promise.all(ids.map((id) => terminals.output(id)));
      for (const { output } of outputs) expect(output).not.toBe('');
      return outputs.map(({ output }) => Number(output));
    });
    await terminals.release(ids[0]!);
    await terminals.dispose();
    expect(pids.filter(alive)).toEqual([]);
    await expect(sh('true')).rejects.toThrow(/session has ended/);
  });
});

test('what is told to the transcript: the whole command at once, then output, then the end', async () => {
  const { sh, terminals, states, last, dir } = rig();
  const id = await sh("echo 'hi'");
  expect(states[0]).toEqual({
    id: id.terminalId,
    command: `sh -c 'echo '\\''hi'\\'''`,
    cwd: dir,
    output: '',
    truncated: false,
    exit: null,
  });
  await terminals.waitForExit(id);
  expect(last()).toMatchObject({ output: 'hi\n', exit: { exitCode: 0, signal: null } });
});
