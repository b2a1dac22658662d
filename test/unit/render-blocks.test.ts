import { describe, expect, test } from 'vitest';
import { TranscriptView, type ViewOptions } from '../../src/render/view';
import type { Block, TurnBlock } from '../../src/session/model';
import { Screen, tool, transcript } from './render-screen';

const YES_NO = {
  id: 'q',
  options: [
    { id: '1', name: 'Allow once', kind: 'allow_once' },
    { id: '2', name: 'Always allow\nedits', kind: 'allow_always' },
    { id: '3', name: 'Reject', kind: 'reject_once' },
  ],
};

function shown(
  block: Block,
  options: Partial<ViewOptions> = {},
  output = '',
  exit: object | null = null,
  truncated = false,
) {
  const made = transcript(block);
  const term = { id: 'term', command: null, cwd: null, output, truncated };
  made.terminals.set('term', {
    ...term,
    exit: exit as { exitCode: number | null; signal: string | null },
  });
  const view = new TranscriptView(made, { columns: 60, toolRows: 3, icons: 'unicode', ...options });
  return new Screen().apply(view.full());
}

function numbers(n: number): string {
  return Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join('');
}

describe('a tool card says what it is about', () => {
  test.each([
    [{ title: 'bash', rawInput: { command: 'node --test' } }, '✓ Run   node --test'],
    [{ title: 'Terminal', rawInput: { cmd: 'ls\nrm x' } }, '✓ Run   ls ↵ rm x'],
    [
      { title: 'sh', rawInput: { command: ['bash', '-lc', "echo 'a b'"] } },
      `✓ Run   bash -lc 'echo '\\''a b'\\'''`,
    ],
    [{ title: 'x', rawInput: { command: 'npm', args: ['run', 'a b'] } }, "✓ Run   npm run 'a b'"],
    [{ title: '`touch nope.txt`' }, '✓ Run   touch nope.txt'],
    [{ toolKind: 'other', title: 'bash', rawInput: { command: 'ls' } }, '✓ Tool  ls'],
    [
      { toolKind: 'read', title: 'Read File', locations: [{ path: '/project/src/a.py', line: 3 }] },
      '✓ Read  src/a.py:3',
    ],
    [
      { toolKind: 'read', locations: [{ path: '/project/a', line: 3 }], rawInput: { limit: 7 } },
      '✓ Read  a:3-9',
    ],
    [{ toolKind: 'read', locations: [{ path: '/etc/hosts', line: 1 }] }, '✓ Read  /etc/hosts'],
    [{ toolKind: 'read', title: 'Read src/main.py' }, '✓ Read  src/main.py'],
    [{ toolKind: 'edit', title: 'Edit', status: 'pending' }, '· Edit  Edit'],
    [
      { toolKind: 'move', locations: [{ path: '/project/a' }, { path: '/project/b' }] },
      '✓ Move  a → b',
    ],
    [{ toolKind: 'delete', locations: [{ path: '/project/a' }] }, '✓ Delete  a'],
    [{ toolKind: 'search', title: 'grep "foo"\nin src' }, '✓ Search  grep "foo" in src'],
    [
      { toolKind: 'fetch', title: 'Fetch', rawInput: { url: 'https://a.b' } },
      '✓ Fetch  https://a.b',
    ],
    [{ toolKind: 'switch_mode', title: 'Ready to code?' }, '✓ Switch mode  Ready to code?'],
    [{ toolKind: 'dance_wildly', title: 'x' }, '✓ Dance wildly  x'],
    [{ toolKind: 'constructor', title: 'x' }, '✓ Constructor  x'],
    [{ toolKind: '', title: '' }, '✓ Tool'],
    [{ title: 'a\u202eb\u001b[31m' }, '✓ Run   a<U+202E>b^[[31m'],
  ])('%j', (fields, line) => {
    expect(shown(tool('t', fields)).text).toBe(line);
  });

  test.each([
    ['completed', '✓'],
    ['failed', '✗'],
    ['cancelled', '⊘'],
    ['pending', '·'],
    ['in_progress', '⠋'],
    ['sleeping', '·'],
  ])('%s is %s', (status, glyph) => {
    const screen = shown(tool('t', { status, title: 'x' }));
    expect(screen.text).toBe(`${glyph} Run   x`);
    expect(screen.facts('t')).toEqual(status === 'sleeping' ? ['sleeping'] : []);
    expect(screen.blocks[0]!.facts.some((fact) => 'spin' in fact)).toBe(status === 'in_progress');
  });

  test('with signs of ASCII alone where that is wanted', () => {
    const block = tool('t', { title: 'a\nb', content: [{ type: 'text', text: numbers(9) }] });
    expect(shown(block, { icons: 'ascii' }).text).toMatch(/^[ -~\n]*$/);
  });

  test('a long command leaves room for the facts', () => {
    const block = tool('t', {
      rawInput: { command: 'x'.repeat(100) },
      content: [{ type: 'terminal', terminalId: 'term' }],
    });
    const screen = shown(block, {}, '', { exitCode: 1, signal: null });
    expect(screen.text).toBe(`✓ Run   ${'x'.repeat(43)}…`);
    expect(screen.facts('t')).toEqual(['exit 1']);
  });
});

describe('facts', () => {
  const content = [{ type: 'terminal' as const, terminalId: 'term' }];
  test.each([
    [{ exitCode: 0, signal: null }, ['1.2 s · exit 0']],
    [{ exitCode: null, signal: 'SIGKILL' }, ['1.2 s · SIGKILL']],
    [{ exitCode: null, signal: null }, ['1.2 s · exit ?']],
  ])('%j', (exit, facts) => {
    const block = tool('t', { title: 'x', content, startedAt: 1000, endedAt: 2200 });
    expect(shown(block, {}, '', exit).facts('t')).toEqual(facts);
  });
  test('the exit code may stand in the raw output', () => {
    expect(shown(tool('t', { rawOutput: { exit_code: 3 } })).facts('t')).toEqual(['exit 3']);
  });
  test('how a question was answered, and that a call came late', () => {
    const block = tool('t', { answer: 'Allow once', late: true });
    expect(shown(block).facts('t')).toEqual(['allowed: Allow once · late']);
    expect(shown({ ...block, answer: 'No', rejected: true }).facts('t')).toEqual([
      'rejected: No · late',
    ]);
    expect(shown({ ...block, answer: 'cancelled' }).facts('t')).toEqual(['not answered · late']);
  });
});

describe('facts that do not fit beside the subject', () => {
  const title = 'x'.repeat(40);
  const done = { title, startedAt: 1000, endedAt: 2200, rawOutput: { exit_code: 1 } };
  test.each([
    [80, 'allowed: Allow once · 1.2 s · exit 1'],
    [50, '1.2 s · exit 1'],
    [44, 'exit 1'],
    [20, 'exit 1'],
  ])('are left out, the least wanted first (%i columns)', (columns, facts) => {
    const block = tool('t', { ...done, answer: 'Allow once' });
    expect(shown(block, { columns }).facts('t')).toEqual([facts]);
  });
  test('leave out the size before the rejection', () => {
    const diff = { type: 'diff' as const, path: '/project/a', oldText: 'a', newText: 'b' };
    const block = tool('t', {
      toolKind: 'edit',
      title,
      content: [diff],
      answer: 'No',
      rejected: true,
    });
    expect(shown(block, { columns: 80 }).facts('t')).toEqual(['+1 −1 · rejected: No']);
    expect(shown(block, { columns: 30 }).facts('t')).toEqual(['rejected: No']);
  });
  test('are cut where they can be seen to be when even one is too long', () => {
    const answer = 'No, and tell the agent what to do differently';
    const block = tool('t', { title, answer, rejected: true });
    expect(shown(block, { columns: 60 }).facts('t')).toEqual(['rejected: No, and tell th…']);
    expect(shown(block, { columns: 10 }).facts('t')).toEqual(['rejected: N…']);
  });
  test('leave out the hunks before the size', () => {
    const diff = { type: 'diff' as const, path: '/project/a', oldText: 'a', newText: 'b' };
    const block = tool('t', { toolKind: 'edit', content: [diff], question: YES_NO });
    expect(shown(block, { columns: 60 }).facts('t')[0]).toBe('1 hunk · +1 −1');
    expect(shown(block, { columns: 24 }).facts('t')[0]).toBe('+1 −1');
  });
  test('of a question move its options to rows of their own', () => {
    const block = tool('t', { question: YES_NO });
    expect(shown(block, { columns: 90 }).text).toContain(
      '  Allow?   1 Allow once   2 Always allow edits   3 Reject',
    );
    expect(shown(block, { columns: 76 }).text).toContain(
      '  Allow?\n    1 Allow once\n    2 Always allow edits\n    3 Reject',
    );
  });
  test('give way to no more than a short subject needs', () => {
    const block = tool('t', { ...done, title: 'x', answer: 'Allow once' });
    expect(shown(block, { columns: 50 }).facts('t')).toEqual([
      'allowed: Allow once · 1.2 s · exit 1',
    ]);
  });
});

describe('content', () => {
  test('of a command is its end, in screen rows', () => {
    const block = tool('t', { title: 'x', content: [{ type: 'terminal', terminalId: 'term' }] });
    expect(shown(block, {}, numbers(44)).text).toBe(
      '✓ Run   x\n  … 41 more lines\n  line 42\n  line 43\n  line 44',
    );
    expect(shown(block, {}, numbers(4)).text).toBe(
      '✓ Run   x\n  line 1\n  line 2\n  line 3\n  line 4',
    );
    expect(shown(block, { columns: 30 }, `a\n${'x'.repeat(28 * 50)}\nz\n`).text).toBe(
      `✓ Run   x\n  … 1 more line\n  ${'x'.repeat(55)}…\n  z`,
    );
    const long = `${'y'.repeat(200)}\n`.repeat(1e5);
    expect(shown({ ...block, expanded: true }, {}, long).blocks[0]!.lines.length).toBe(2002);
  });
  test('of a command of which the beginning was not kept says so', () => {
    const block = tool('t', { title: 'x', content: [{ type: 'terminal', terminalId: 'term' }] });
    expect(shown(block, {}, 'end', null, true).text).toBe(
      '✓ Run   x\n  … earlier output was not kept\n  end',
    );
    expect(shown(block, {}, numbers(9), null, true).text).toContain('… 6+ more lines');
  });
  test('of other tools is its beginning', () => {
    const block = tool('t', {
      toolKind: 'other',
      title: 'x',
      content: [{ type: 'text', text: numbers(9) }],
    });
    expect(shown(block).text).toBe('✓ Tool  x\n  line 1\n  line 2\n  line 3\n  … 6 more lines');
    expect(shown(block).blocks[0]!.foldable).toBe(true);
  });
  test('of a read file is hidden until it is unfolded', () => {
    const text = '```\n1\tfirst\n```';
    const block = tool('t', { toolKind: 'read', title: 'x', content: [{ type: 'text', text }] });
    expect(shown(block).text).toBe('✓ Read  x');
    expect(shown({ ...block, expanded: true }).text).toBe('✓ Read  x\n  1\tfirst');
  });
  test('in a fence is what is inside, with its colours', () => {
    const text = '```console\n\u001b[31mred\u001b[0m\n```\n';
    const screen = shown(tool('t', { title: 'x', content: [{ type: 'text', text }] }));
    expect(screen.text).toBe('✓ Run   x\n  red');
    expect(screen.marked('AcpAnsiRed')).toEqual(['red']);
    const two = '```\na\n```\nb\n```\nc\n```';
    expect(
      shown(tool('t', { title: 'x', content: [{ type: 'text', text: two }] }), { toolRows: 9 })
        .text,
    ).toContain('```');
  });
  test.each([
    ['text', 'text'],
    [{ stdout: 'out\n', stderr: 'err' }, 'out\n  err'],
    [{ output: 'o' }, 'o'],
    [{ error: 'no' }, 'no'],
  ])('comes from the raw output where there is no other: %j', (rawOutput, text) => {
    expect(shown(tool('t', { title: 'x', rawOutput })).text).toBe(`✓ Run   x\n  ${text}`);
  });
  test('of unknown raw output shows only when the call failed', () => {
    const block = tool('t', { title: 'x', rawOutput: { code: 7 } });
    expect(shown(block).text).toBe('✓ Run   x');
    expect(shown({ ...block, status: 'failed' }).text).toBe('✗ Run   x\n  {"code":7}');
  });
});

describe('a call that failed', () => {
  const what = { type: 'text' as const, text: 'what is to be done' };
  test('says why, though its content says only what it was to do', () => {
    const block = tool('t', { status: 'failed', title: 'x', content: [what], rawOutput: 'No way' });
    expect(shown(block).text).toBe('✗ Run   x\n  No way\n  what is to be done');
    expect(shown({ ...block, status: 'completed' }).text).not.toContain('No way');
  });
  test.each(['what is to be done\n', 'Error: what is to be done'])(
    'does not say it twice (%j)',
    (rawOutput) => {
      const block = tool('t', { status: 'failed', title: 'x', content: [what], rawOutput });
      expect(shown(block).text).toBe('✗ Run   x\n  what is to be done');
    },
  );
});

describe('a diff', () => {
  test('of one file has no title of its own beside other content', () => {
    const diff = { type: 'diff' as const, path: '/project/a', oldText: 'a', newText: 'b' };
    const content = [{ type: 'text' as const, text: 'It is done.' }, diff];
    const block = tool('t', { toolKind: 'edit', content, locations: [{ path: '/project/a' }] });
    expect(shown(block, { toolRows: 9 }).text.split('\n').slice(1)).toEqual([
      '  It is done.',
      '  - a',
      '  + b',
    ]);
  });

  const diff = {
    type: 'diff' as const,
    path: '/project/a.js',
    oldText: 'a\nb\nc\n',
    newText: 'a\nB\nc\nd\n',
  };
  test('shows the changed lines and their number', () => {
    const block = tool('t', {
      toolKind: 'edit',
      content: [diff],
      locations: [{ path: '/project/a.js', line: 41 }],
    });
    const screen = shown(block);
    expect(screen.text).toBe('✓ Edit  a.js:41\n  42 - b\n  42 + B\n  44 + d');
    expect(screen.facts('t')).toEqual(['+2 −1']);
    expect(screen.marked('AcpDiffAdd')).toEqual(['+ B', '+ d']);
    expect(screen.blocks[0]!.links).toContainEqual({ row: 3, path: '/project/a.js', line: 44 });
  });
  test('has no line numbers where nobody knows them', () => {
    expect(shown(tool('t', { toolKind: 'edit', content: [diff] })).text).toBe(
      '✓ Edit  a.js\n  - b\n  + B\n  + d',
    );
  });
  test('of a whole file has those of the file', () => {
    const around = numbers(30);
    const whole = { ...diff, oldText: `${around}x\n`, newText: `${around}y\n` };
    expect(shown(tool('t', { toolKind: 'edit', content: [whole] })).text).toContain('31 + y');
  });
  test('of several files names each, and sums up', () => {
    const other = { ...diff, path: '/project/b.js', oldText: null, newText: 'x\n' };
    const screen = shown(tool('t', { toolKind: 'edit', content: [diff, other] }), { toolRows: 9 });
    expect(screen.text).toContain('  b.js  +1 −0\n  1 + x');
    expect(screen.facts('t')).toEqual(['2 files · +3 −1']);
  });
  test('does not show line endings that did not change', () => {
    const windows = { ...diff, oldText: 'a\r\nb\r\n', newText: 'a\r\nc\r\n' };
    expect(shown(tool('t', { toolKind: 'edit', content: [windows] })).text).toContain('- b\n  + c');
  });
  test('of files that have nothing in common is shown in bounded time', () => {
    const lines = (of: string): string =>
      Array.from({ length: 20_000 }, (_, i) => `${of}${i}\n`).join('');
    const huge = { ...diff, oldText: lines('a'), newText: lines('b') };
    expect(shown(tool('t', { toolKind: 'edit', content: [huge] })).facts('t')).toEqual([
      '+20000 −20000',
    ]);
  });
});

describe('a question', () => {
  test('stands on its card, with all that is asked and all answers', () => {
    const command = `cd src &&\nrm -rf ${'x'.repeat(80)}`;
    const screen = shown(
      tool('t', { rawInput: { command }, question: YES_NO, status: 'in_progress' }),
      { columns: 90 },
    );
    expect(screen.text.split('\n').slice(1)).toEqual([
      '  cd src &&',
      `  rm -rf ${'x'.repeat(80)}`,
      '  Allow?   1 Allow once   2 Always allow edits   3 Reject',
    ]);
    expect(screen.text).toMatch(/^\? Run {3}cd src && ↵ rm/);
    expect(screen.blocks[0]).toMatchObject({ question: 'q' });
    expect(screen.facts('t')).toEqual(['<CR> choose · K details']);
  });
  test('names every path that does not fit into the first line', () => {
    const locations = ['a', 'b', 'c'].map((name) => ({ path: `/project/${name.repeat(30)}` }));
    const { text } = shown(tool('t', { toolKind: 'edit', locations, question: YES_NO }));
    for (const name of ['a', 'b', 'c']) expect(text).toContain(`  ${name.repeat(30)}\n`);
  });
  test('has a line for each answer where the window is narrow', () => {
    expect(shown(tool('t', { title: 'x', question: YES_NO }), { columns: 40 }).text).toBe(
      '? Run   x\n  Allow?\n    1 Allow once\n    2 Always allow edits\n    3 Reject',
    );
  });
});

test("the user's words have a bar, a time and what was sent along", () => {
  const time = new Date(2026, 1, 3, 14, 2).getTime();
  const attachments = [{ label: 'src/a.py:3-9', path: '/project/src/a.py', line: 3 }];
  const screen = shown({
    id: 'u',
    kind: 'user',
    text: 'Fix\nit.\n',
    attachments,
    time,
    queued: false,
  });
  expect(screen.text).toBe('▌ Fix\n▌ it.\n▌ @src/a.py:3-9');
  expect(screen.marked('AcpUserBar')).toEqual(['▌', '▌', '▌']);
  expect(screen.marked('AcpUserLine').length).toBe(3);
  expect(screen.facts('u')).toEqual(['14:02']);
  expect(screen.blocks[0]!.links).toEqual([{ row: 2, path: '/project/src/a.py', line: 3 }]);
});

test.each([
  [{ queued: true }, 'queued', 'AcpToolPending'],
  [{ queued: true, steered: true }, 'steering', 'AcpToolPending'],
  [{ queued: false, steered: true }, 'steered', 'AcpUser'],
])('a prompt says what becomes of it, and is dim while it waits: %j', (how, fact, group) => {
  const attachments = [{ label: 'shot.png (3 KB)' }, { label: 'diff\nof main' }];
  const screen = shown({ id: 'u', kind: 'user', text: 'Fix it.', attachments, time: null, ...how });
  expect(screen.text).toBe('▌ Fix it.\n▌ @shot.png (3 KB)\n▌ @diff of main');
  expect(screen.facts('u')).toEqual([fact]);
  expect(screen.marked(group)).toEqual(['Fix it.']);
});

test('a plan is a checklist', () => {
  const entry = (content: string, status: string, priority = 'medium') => ({
    content,
    status,
    priority,
  });
  const entries = [
    entry('one', 'completed'),
    entry('two\nlines', 'in_progress', 'high'),
    entry('three', 'pending'),
    entry('four', 'cancelled'),
    entry('five', 'postponed'),
  ];
  const screen = shown({ id: 'p', kind: 'plan', planId: 'x', entries });
  expect(screen.text).toBe('Plan 1/5\n  ✓ one\n  ● two lines\n  ○ three\n  ⊘ four\n  · five');
  expect(screen.facts('p')).toEqual(['postponed']);
});

test('notices say what happened and further lines', () => {
  const notice = {
    id: 'n',
    kind: 'notice',
    severity: 'error',
    title: 'It died',
    detail: 'exit 1\nagain: R',
  } as const;
  expect(shown(notice).text).toBe('✗ It died\n  exit 1\n  again: R');
});

test('what is not known is a dim line, with all of it when unfolded', () => {
  const unknown = {
    id: 'x',
    kind: 'unknown',
    label: 'new\nthing',
    payload: { a: 1 },
    expanded: false,
  } as const;
  expect(shown(unknown).text).toBe('▸ new thing');
  expect(shown({ ...unknown, expanded: true }).text).toBe('▾ new thing\n  {\n    "a": 1\n  }');
});

describe('the last line of a turn', () => {
  const turn: TurnBlock = {
    id: 'e',
    kind: 'turn',
    stopReason: 'end_turn',
    startedAt: 0,
    endedAt: 34_000,
    tools: 5,
    unasked: 3,
    files: 2,
    added: 9,
    removed: 4,
    measured: false,
  };
  test('sums it up over the whole width', () => {
    const screen = shown(turn, { columns: 80 });
    expect(screen.text).toMatch(
      /^── 0:34 · 2 files changed \(\+9 −4\) · 5 tools, 3 ran without asking ─+$/,
    );
    expect(screen.text.length).toBe(80);
  });
  test('is the door to the review when what changed is known, where there is room for it', () => {
    const measured = { ...turn, measured: true };
    const line = (block: TurnBlock, columns: number) => shown(block, { columns }).text;
    expect(line(measured, 90)).toMatch(/asking ─+ :AcpReview ──$/);
    for (const columns of [46, 52, 60, 72, 80, 90]) {
      expect(line(measured, columns).length).toBe(columns);
    }
    expect(line(measured, 50)).not.toContain('AcpReview');
    expect(line({ ...measured, files: 0 }, 90)).not.toContain('AcpReview');
  });
  test('says it in fewer words where there is less room, and never wraps', () => {
    const line = (columns: number) => shown(turn, { columns }).text;
    expect(line(50)).toMatch(/^── 0:34 · 2 files \(\+9 −4\) · 5 tools, 3 unasked ─+$/);
    for (const columns of [46, 48, 52, 56, 60, 64, 68, 72, 120]) {
      expect(line(columns).length).toBeLessThanOrEqual(columns);
    }
  });
  test.each([
    ['cancelled', 'cancelled'],
    ['refusal', "the agent refused; this turn isn't part of its memory"],
    ['max_tokens', 'token limit'],
    ['lost', 'the agent died'],
    ['interrupted', 'interrupted'],
    ['because\nreasons', 'because reasons'],
  ])('says why it ended: %s', (stopReason, words) => {
    expect(shown({ ...turn, stopReason }).text).toContain(words);
  });
});
