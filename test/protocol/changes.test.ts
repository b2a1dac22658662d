/** What turns change on disk: recorded, counted, reviewed, taken back. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReviewView, UndoPlan } from '../../src/review/view';
import { eventually, scriptedAgent, tempDir, type ScriptedAgent, type Step } from '../harness';
import { openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

/** A turn in which the agent runs a command by itself. */
const turn = (...commands: string[]): Step[] => [PROMPT, ...commands.map((sh) => ({ sh })), END];

/** The agent tells of a tool call. */
const call = (toolCallId: string, more: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId, title: 'Tool', ...more },
});

/** The agent waits until the test has made a file. */
const until = (file: string): Step => ({ sh: `until [ -e ${file} ]; do sleep 0.02; done` });

interface Worked extends Chat {
  agent: ScriptedAgent;
  path: (name: string) => string;
  text: (name: string) => string;
  /** Sends a prompt and waits for the end of the turn. */
  run: (prompt: string) => Promise<void>;
  review: (scope?: 'turn' | 'session') => Promise<ReviewView>;
  last: <T>(method: string) => T | undefined;
}

function open(
  script: Step[] | ((cwd: string) => Step[]),
  files: Record<string, string> = {},
): Worked {
  const cwd = tempDir();
  const steps = typeof script === 'function' ? script(cwd) : script;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const agent = scriptedAgent(steps);
  const chat = openChat(agent, { cwd });
  const { editor, send, tell } = chat;
  const count = (method: string) => editor.calls.filter((call) => call.method === method).length;
  const last = <T>(method: string) =>
    editor.calls.findLast((call) => call.method === method)?.params as T | undefined;
  return {
    ...chat,
    agent,
    path: (name) => join(cwd, name),
    text: (name) => readFileSync(join(cwd, name), 'utf8'),
    last,
    run: async (prompt) => {
      const before = count('turn.ended');
      send(prompt);
      await eventually(() => expect(count('turn.ended')).toBe(before + 1));
    },
    review: async (scope = 'session') => {
      const before = count('review.show');
      tell('review.open', { cwd, scope });
      await eventually(() => expect(count('review.show')).toBe(before + 1));
      return last<{ review: ReviewView }>('review.show')!.review;
    },
  };
}

describe('a turn', () => {
  it('ends with what changed on disk, though the agent said nothing of it', async () => {
    const { editor, run, last, path } = open(turn('printf "1\\n2\\n3\\n" > new.txt'));
    await run('go');
    await eventually(() => expect(editor.text).toMatch(/1 file changed \(\+3 −0\)/));
    expect(last('turn.ended')).toEqual({
      session: 's1',
      stopReason: 'end_turn',
      files: [path('new.txt')],
    });
    await eventually(() =>
      expect(editor.status.review).toEqual({ files: 1, added: 3, removed: 0 }),
    );
    expect(editor.faults).toEqual([]);
  });

  it('leaves less to review as soon as the user saves over its change', async () => {
    const { editor, run, tell, path } = open(turn('echo agent > a.txt'), { 'a.txt': 'user\n' });
    await run('go');
    await eventually(() => expect(editor.status.review).toMatchObject({ files: 1 }));
    writeFileSync(path('a.txt'), 'user\n');
    tell('buffer.saved', { path: path('a.txt'), before: 'agent\n', text: 'user\n' });
    await eventually(() => expect(editor.status.review).toBeUndefined());
  });

  it('tells the editor of its beginning before the agent gets the prompt', async () => {
    const chat = open(turn('echo > asked'));
    let late: boolean | undefined;
    const request = chat.editor.request.bind(chat.editor);
    chat.editor.request = (method, params) => {
      if (method === 'turn.started') late = existsSync(chat.path('asked'));
      return request(method, params);
    };
    await chat.run('go');
    expect(late).toBe(false);
    expect(existsSync(chat.path('asked'))).toBe(true);
  });

  it('says where the agent works, with the line, as long as it does', async () => {
    const chat = open([
      PROMPT,
      call('a', { kind: 'read', locations: [{ path: '/p/a.txt', line: 7 }] }),
      until('one'),
      call('b', { kind: 'edit', content: [{ type: 'diff', path: '/p/b.txt', newText: 'x' }] }),
      until('two'),
      END,
    ]);
    const { editor } = chat;
    chat.send('go');
    await eventually(() => expect(editor.status.location).toEqual({ path: '/p/a.txt', line: 7 }));
    writeFileSync(chat.path('one'), '');
    await eventually(() => expect(editor.status.location).toEqual({ path: '/p/b.txt' }));
    writeFileSync(chat.path('two'), '');
    await eventually(() => expect(editor.status.location).toBeUndefined());
  });

  it('has files looked at after each tool call, and tells what that changed', async () => {
    const chat = open(
      [
        PROMPT,
        { sh: 'sed -i s/two/TWO/ a.txt' },
        call('a', { kind: 'execute', status: 'completed' }),
        until('one'),
        END,
      ],
      { 'a.txt': 'one\ntwo\n' },
    );
    chat.send('go');
    await eventually(() =>
      expect(chat.editor.sent('file.changed')).toEqual([
        {
          session: 's1',
          path: chat.path('a.txt'),
          hunks: [{ oldStart: 2, oldCount: 1, newStart: 2, newCount: 1 }],
        },
      ]),
    );
    const methods = chat.editor.calls.map(({ method }) => method);
    expect(methods.indexOf('buffers.check')).toBeLessThan(methods.indexOf('file.changed'));
    expect(methods).toContain('buffers.check');
    expect(methods).not.toContain('turn.ended');
    writeFileSync(chat.path('one'), '');
    await eventually(() => expect(chat.last('turn.ended')).toBeDefined());
    const told = chat.editor.sent('file.changed').map(({ path }) => path);
    expect(told).toEqual([chat.path('a.txt'), chat.path('one')]);
  });
});

describe('a turn that is cancelled while the tree is recorded', () => {
  it('is over at once, and the agent never gets the prompt', async () => {
    const { editor, agent, send, cancel, last } = open(turn());
    await eventually(() => expect(editor.status.state).toBe('idle'));
    editor.onCall = (method) => method === 'turn.started' && cancel();
    send('go');
    await eventually(() => expect(last('turn.ended')).toMatchObject({ stopReason: 'cancelled' }));
    expect(agent.received('session/prompt')).toEqual([]);
    editor.onCall = () => {};
    send('again');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
  });
});

describe('the review', () => {
  it('shows what a command changed, and rejecting it brings it back', async () => {
    const chat = open(turn('sed -i s/two/TWO/ a.txt', 'chmod +x a.txt', 'rm b.txt'), {
      'a.txt': 'one\ntwo\nthree\n',
      'b.txt': 'gone\n',
    });
    chmodSync(chat.path('a.txt'), 0o644);
    await chat.run('go');
    const view = await chat.review();
    expect(
      view.files.map(({ name, change, added, removed }) => [name, change, added, removed]),
    ).toEqual([
      ['a.txt', 'modified', 1, 1],
      ['b.txt', 'deleted', 0, 1],
    ]);
    expect(view.files[0]!.hunks).toEqual([{ line: 2, count: 1, deleted: ['two'] }]);
    expect(view.files[0]!.note).toMatch(/mode/);
    chat.tell('review.decide', { cwd: chat.cwd, scope: 'session', action: 'reject' });
    await eventually(() => expect(existsSync(chat.path('b.txt'))).toBe(true));
    await eventually(() => expect(chat.text('a.txt')).toBe('one\ntwo\nthree\n'));
    await eventually(() => expect(statSync(chat.path('a.txt')).mode & 0o111).toBe(0));
    await eventually(() =>
      expect(chat.last<{ review: ReviewView }>('review.show')!.review.files).toEqual([]),
    );
    await eventually(() => expect(chat.editor.status.review).toBeUndefined());
    expect(chat.editor.faults).toEqual([]);
  });

  it('sends rejected hunks back with a word of why', async () => {
    const chat = open([...turn('echo x >> a.txt'), ...turn()], { 'a.txt': 'one\n' });
    await chat.run('go');
    chat.tell('review.decide', { cwd: chat.cwd, scope: 'session', action: 'reject' });
    await eventually(() => expect(chat.text('a.txt')).toBe('one\n'));
    chat.tell('review.resend', { why: 'no x please' });
    await eventually(() => expect(chat.agent.received('session/prompt')).toHaveLength(2));
    const [{ text }] = chat.agent.received('session/prompt')[1]!.params!.prompt as [
      { text: string },
    ];
    expect(text).toMatch(/no x please[^]*```diff\n[^]*\+x\n/);
  });

  it('is there for the next process of the same folder', async () => {
    const chat = open(turn('echo x >> a.txt'), { 'a.txt': 'one\n' });
    await chat.run('go');
    await chat.sessions.end();
    const next = openChat(scriptedAgent([]), { cwd: chat.cwd, stateDir: chat.stateDir });
    next.tell('review.open', { cwd: chat.cwd, scope: 'session' });
    await eventually(() =>
      expect(
        next.editor.calls.find(({ method }) => method === 'review.show')?.params,
      ).toMatchObject({
        review: { session: null, agent: 'scripted', files: [{ name: 'a.txt' }] },
      }),
    );
  });

  it('is waited for while the process of before has yet to end', async () => {
    const chat = open(turn('echo x >> a.txt'), { 'a.txt': 'one\n' });
    await chat.run('go');
    await chat.sessions.end();
    const folder = join(chat.stateDir, 'review');
    const [mine] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
    const theirs = mine!.replace(`-${process.pid}-`, `-${process.ppid}-`);
    renameSync(mine!, theirs);
    const next = openChat(scriptedAgent([]), { cwd: chat.cwd, stateDir: chat.stateDir });
    next.tell('review.open', { cwd: chat.cwd, scope: 'session' });
    await expect.poll(() => next.editor.calls.length).toBeGreaterThan(0);
    expect(next.editor.sent('review.show')).toEqual([]);
    renameSync(theirs, mine!);
    await eventually(() =>
      expect(next.editor.sent('review.show')).toMatchObject([
        { review: { files: [{ name: 'a.txt' }] } },
      ]),
    );
  });

  it('is there when the chat was closed, and not that of another folder', async () => {
    const chat = open(turn('echo x >> a.txt'), { 'a.txt': 'one\n' });
    await chat.run('go');
    chat.tell('session.close');
    await eventually(async () =>
      expect((await chat.review()).files.map(({ name }) => name)).toEqual(['a.txt']),
    );
    chat.tell('review.open', { cwd: tempDir(), scope: 'session', session: undefined });
    await eventually(() => expect(chat.editor.messages()).toContain('there is nothing to review'));
  });

  it('is found from a tab without a chat, and is shared by all that ask for it', async () => {
    const chat = open(turn('echo x >> a.txt'), { 'a.txt': 'one\n' });
    await chat.run('go');
    chat.tell('review.open', { cwd: chat.cwd, scope: 'session', session: undefined });
    await eventually(() =>
      expect(chat.last('review.show')).toMatchObject({
        review: { session: 's1', files: [{ name: 'a.txt' }] },
      }),
    );
    chat.tell('review.decide', {
      cwd: chat.cwd,
      scope: 'session',
      action: 'keep',
      session: undefined,
    });
    await eventually(() => expect(chat.editor.status.review).toBeUndefined());
    await eventually(() => expect(chat.editor.sent('review.show')).toHaveLength(2));
    expect((await chat.review()).files).toEqual([]);
    expect(chat.editor.faults).toEqual([]);
  });

  it('of a folder without git has what was in a large file that a tool call named', async () => {
    const big = '0123456789abcde\n'.repeat(20_000);
    const permission = {
      toolCall: { toolCallId: 'a' },
      options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
    };
    const chat = open(
      (cwd) => [
        PROMPT,
        call('a', { kind: 'edit', locations: [{ path: join(cwd, 'big.txt') }] }),
        { request: { method: 'session/request_permission', params: permission } },
        { sh: 'echo x >> big.txt; echo x >> other.txt' },
        END,
      ],
      { 'big.txt': big, 'other.txt': big.replaceAll('0', 'x') },
    );
    const { editor } = chat;
    const ended = chat.run('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    chat.answer(editor.opened[0]!.id, 'yes');
    await ended;
    const { files } = await chat.review();
    expect(files.map(({ name, locked }) => [name, locked === undefined])).toEqual([
      ['big.txt', true],
      ['other.txt', false],
    ]);
    chat.tell('review.decide', { cwd: chat.cwd, scope: 'session', action: 'reject' });
    await eventually(() => expect(chat.text('big.txt') === big).toBe(true));
  });

  it('is given as a plain diff, until all is decided', async () => {
    const chat = open([...turn('echo x >> a.txt'), ...turn('echo y >> a.txt')], {
      'a.txt': 'one\n',
    });
    await chat.run('go');
    await chat.run('go on');
    const diff = async (scope: 'turn' | 'session') => {
      const before = chat.editor.sent('review.text').length;
      chat.tell('review.diff', { cwd: chat.cwd, scope });
      await eventually(() => expect(chat.editor.sent('review.text')).toHaveLength(before + 1));
      return chat.editor.sent('review.text').at(-1)!;
    };
    const whole = await diff('session');
    expect(whole.title).toBe('changes of the session');
    expect(whole.lines.filter((line) => /^[-+]/.test(line))).toEqual([
      '--- a/a.txt',
      '+++ b/a.txt',
      '+x',
      '+y',
    ]);
    expect((await diff('turn')).lines.filter((line) => /^[-+]\w/.test(line))).toEqual(['+y']);
    chat.tell('review.decide', { cwd: chat.cwd, scope: 'session', action: 'keep' });
    chat.tell('review.diff', { cwd: chat.cwd, scope: 'session' });
    await eventually(() =>
      expect(chat.editor.messages()).toContain('nothing was changed that is not decided'),
    );
  });

  it('that is dropped is gone with what was recorded, also of former sessions of the folder; the files stay', async () => {
    const former = open(turn('echo x >> a.txt'), { 'a.txt': 'one\n' });
    await former.run('go');
    await former.sessions.end();
    const { cwd, stateDir } = former;
    const chat = openChat(scriptedAgent(turn('echo y >> a.txt')), { cwd, stateDir });
    chat.send('go');
    await eventually(() => expect(chat.editor.status.review).toMatchObject({ added: 1 }));
    chat.tell('review.drop', { cwd });
    await eventually(() =>
      expect(chat.editor.messages()).toContain(
        'the record is dropped: nothing is left to review or to undo',
      ),
    );
    await eventually(() => expect(chat.editor.status.review).toBeUndefined());
    expect(former.text('a.txt')).toBe('one\nx\ny\n');
    chat.tell('review.open', { cwd, scope: 'session' });
    chat.tell('review.undo', { cwd });
    chat.tell('review.drop', { cwd });
    await eventually(() =>
      expect(chat.editor.messages()).toEqual(
        expect.arrayContaining(['no turn to take back', 'there is no record to drop']),
      ),
    );
    expect(chat.editor.sent('review.show').flatMap(({ review }) => review.files)).toEqual([]);
    expect(chat.editor.faults).toEqual([]);
  });
});

describe(':AcpUndo', () => {
  it('says what it will do, takes the turn back when that is confirmed, and can be taken back', async () => {
    const chat = open(turn('echo x >> a.txt', 'echo new > b.txt'), { 'a.txt': 'one\n' });
    await chat.run('add an x');
    chat.tell('review.undo', { cwd: chat.cwd });
    await eventually(() => expect(chat.last('undo.ask')).toBeDefined());
    const { plan } = chat.last<{ plan: UndoPlan }>('undo.ask')!;
    expect(plan.title).toContain('add an x');
    expect(plan.steps).toHaveLength(2);
    expect(chat.text('a.txt')).toBe('one\nx\n');
    chat.tell('review.undo', { cwd: chat.cwd, confirmed: plan.id });
    await eventually(() => expect(existsSync(chat.path('b.txt'))).toBe(false));
    await eventually(() => expect(chat.text('a.txt')).toBe('one\n'));
    await eventually(() => expect(chat.editor.messages()).toContain('the turn was taken back'));
    chat.tell('review.undo', { cwd: chat.cwd, redo: true });
    await eventually(() =>
      expect(chat.last<{ redo: boolean }>('undo.ask')).toMatchObject({ redo: true }),
    );
    const redo = chat.last<{ plan: UndoPlan }>('undo.ask')!.plan;
    chat.tell('review.undo', { cwd: chat.cwd, redo: true, confirmed: redo.id });
    await eventually(() => expect(chat.text('a.txt')).toBe('one\nx\n'));
    await eventually(() => expect(chat.text('b.txt')).toBe('new\n'));
  });
});
