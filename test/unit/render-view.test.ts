import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TranscriptView } from '../../src/render/view';
import {
  TextLog,
  type Block,
  type ThoughtBlock,
  type ToolBlock,
  type Transcript,
} from '../../src/session/model';
import { add, message, Screen, tool, transcript } from './render-screen';

const OPTIONS = { columns: 60, toolRows: 3, icons: 'unicode' } as const;

function drain(
  view: TranscriptView,
  screen: Screen,
  budget?: { bytes: number; lines: number },
): Screen {
  for (let i = 0; view.pending; i++) {
    if (i > 10_000) throw new Error('never done');
    screen.apply(view.take(budget));
  }
  return screen;
}

function shown(made: Transcript): Screen {
  const view = new TranscriptView(made, OPTIONS);
  view.touch(...made.order);
  return drain(view, new Screen());
}

describe('blank lines', () => {
  test('stand between blocks, and not within a run of quiet tools', () => {
    const screen = shown(
      transcript(
        message('a', '\n\nHello.\n\n'),
        tool('b', { toolKind: 'read', locations: [{ path: '/project/x.ts' }] }),
        tool('c', { toolKind: 'search', title: 'needle' }),
        tool('d', { rawInput: { command: 'ls' } }),
        message('e', 'Done.'),
      ),
    );
    expect(screen.text).toBe('Hello.\n\n✓ Read  x.ts\n✓ Search  needle\n\n✓ Run   ls\n\nDone.');
  });

  test('are none for a message without text', () => {
    expect(shown(transcript(message('a', ''), message('b', '\n'), message('c', 'x'))).text).toBe(
      'x',
    );
  });

  test('come and go with what stands before', () => {
    const quiet = tool('a', { toolKind: 'read', title: 'x' });
    const made = transcript(quiet, tool('b', { toolKind: 'read', title: 'y' }));
    const view = new TranscriptView(made, OPTIONS);
    view.touch('a', 'b');
    const screen = drain(view, new Screen());
    expect(screen.text).toBe('✓ Read  x\n✓ Read  y');

    quiet.status = 'failed';
    view.touch('a');
    expect(drain(view, screen).text).toBe('✗ Read  x\n\n✓ Read  y');

    view.remove('a');
    expect(drain(view, screen).text).toBe('✓ Read  y');
  });
});

describe('a growing message', () => {
  test('costs the new chunk alone', () => {
    const block = message('m', 'one **bo');
    const made = transcript(block);
    const view = new TranscriptView(made, OPTIONS);
    view.touch('m');
    view.take();
    block.text.push('ld** two\nthree');
    view.touch('m');
    expect(view.take()).toEqual([
      { op: 'append', id: 'm', text: 'ld** two\nthree', marks: [[0, 4, 12, 'AcpBold']] },
    ]);
    expect(view.pending).toBe(false);
  });

  test('is sent in parts when there is much of it', () => {
    const text = 'a line of **text**\n'.repeat(500) + 'wide 日本 '.repeat(500);
    const view = new TranscriptView(transcript(message('m', text, true)), OPTIONS);
    view.touch('m');
    const screen = new Screen();
    for (let i = 0; view.pending; i++) {
      const ops = view.take({ bytes: 1000, lines: 20 });
      for (const op of ops) {
        const sent = op.op === 'put' ? op.lines.join('\n') : op.op === 'append' ? op.text : '';
        expect(Buffer.byteLength(sent)).toBeLessThan(1100);
        expect(sent.split('\n').length).toBeLessThanOrEqual(22);
      }
      screen.apply(ops);
    }
    expect(screen.text).toBe(text);
  });

  test('keeps its facts when its first line grows', () => {
    const block = message('m', 'la');
    block.late = true;
    const view = new TranscriptView(transcript(block), OPTIONS);
    view.touch('m');
    const screen = drain(view, new Screen());
    block.text.push('te\nmore');
    view.touch('m');
    expect(drain(view, screen).facts('m')).toEqual(['late']);
  });

  test('of many chunks sends each of them once', () => {
    const block = message('m', '');
    const view = new TranscriptView(transcript(block), OPTIONS);
    let sent = 0;
    let marks = 0;
    for (let i = 0; i < 200_000; i++) {
      block.text.push(i % 9 ? 'some **word** ' : 'end.\n');
      view.touch('m');
      if (i % 10 !== 0) continue;
      for (const op of view.take()) {
        sent +=
          op.op === 'append' ? op.text.length : op.op === 'put' ? op.lines.join('\n').length : 0;
        if (op.op !== 'del') marks += op.marks.length;
      }
    }
    expect(sent).toBeLessThanOrEqual(block.text.length);
    expect(marks).toBeLessThan(400_000);
  });

  test('may be one line of a megabyte in small chunks, or eight megabytes at once', () => {
    const block = message('m', '');
    const view = new TranscriptView(transcript(block), OPTIONS);
    for (let i = 0; i < 50_000; i++) {
      block.text.push('twenty *characters* ');
      view.touch('m');
      view.take();
    }
    block.text.push('x'.repeat(8e6));
    view.touch('m');
    let bytes = 0;
    while (view.pending) {
      for (const op of view.take()) if (op.op === 'append') bytes += op.text.length;
    }
    expect(bytes).toBe(8e6);
  });
});

test('a thought is dim while it grows, and folds when it ends', () => {
  const thought: ThoughtBlock = {
    id: 't',
    kind: 'thought',
    messageId: null,
    text: new TextLog('I wonder\nwhy'),
    startedAt: 0,
    endedAt: null,
    expanded: false,
  };
  const view = new TranscriptView(transcript(thought), OPTIONS);
  view.touch('t');
  const screen = drain(view, new Screen());
  expect(screen.text).toBe('⠋ Thinking\nI wonder\nwhy');
  expect(screen.marked('AcpThought')).toEqual(['⠋ Thinking', 'I wonder', 'why']);
  thought.endedAt = 12_000;
  view.touch('t');
  expect(drain(view, screen).text).toBe('▸ Thought for 12 s');
  thought.expanded = true;
  view.touch('t');
  expect(drain(view, screen).text).toBe('▾ Thought for 12 s\nI wonder\nwhy');
});

test('nothing is sent for a change that does not show', () => {
  const view = new TranscriptView(transcript(tool('a', { rawInput: { command: 'ls' } })), OPTIONS);
  view.touch('a');
  view.take();
  view.touch('a');
  expect(view.take()).toEqual([]);
});

test('a block that cannot be drawn says so and stands in the way of none', () => {
  const broken = tool('a', { content: null as unknown as ToolBlock['content'] });
  expect(shown(transcript(broken, message('b', 'text'))).text).toMatch(
    /^▸ tool: cannot be shown .*\n\ntext$/,
  );
});

test('a block that moved within the conversation moves on screen', () => {
  const made = transcript(message('a', 'a'), message('b', 'b'), message('c', 'c'));
  const view = new TranscriptView(made, OPTIONS);
  view.touch('a', 'b', 'c');
  const screen = drain(view, new Screen());
  made.order = ['b', 'c', 'a'];
  made.order.forEach((id, i) => made.index.set(id, i));
  view.touch('a');
  expect(drain(view, screen).text).toBe('b\n\nc\n\na');
});

test('after a change of the width, what depends on it is drawn anew', () => {
  const made = transcript(
    message('a', 'text'),
    tool('b', {
      content: [{ type: 'text', text: 'x'.repeat(500) }],
      toolKind: 'other',
      title: 't',
    }),
  );
  const view = new TranscriptView(made, OPTIONS);
  view.touch('a', 'b');
  const screen = drain(view, new Screen());
  view.resize(100);
  const ops = view.take();
  expect(ops.map(({ id }) => id)).toEqual(['b']);
  expect(screen.apply(ops).blocks).toEqual(new Screen().apply(view.full()).blocks);
});

describe('whatever comes', () => {
  const text = fc
    .array(
      fc.constantFrom(
        'word ',
        '**',
        '```',
        '\n',
        '\r\n',
        '\r',
        '日本',
        '😀',
        '\ud83d',
        '\u001b[31m',
        '# ',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  const content = fc.oneof(
    text.map((value) => ({ type: 'text' as const, text: value })),
    fc.record({
      type: fc.constant('diff' as const),
      path: fc.constantFrom('/project/a', '/b'),
      oldText: fc.option(text),
      newText: text,
    }),
    fc.constant({ type: 'terminal' as const, terminalId: 'term' }),
    text.map((label) => ({ type: 'other' as const, label })),
  );
  const toolFields = fc.record({
    status: fc.constantFrom(
      'pending',
      'in_progress',
      'completed',
      'failed',
      'cancelled',
      'strange',
    ),
    toolKind: fc.constantFrom('read', 'search', 'execute', 'edit', 'other', '', 'new_kind'),
    title: text,
    content: fc.array(content, { maxLength: 2 }),
    expanded: fc.boolean(),
    rawInput: fc.constantFrom<unknown>(
      undefined,
      { command: 'ls\n-l' },
      { command: ['a', 'b c'] },
      7,
    ),
    rawOutput: fc.oneof(
      fc.constant(undefined),
      text,
      fc.record({ stdout: text, exit_code: fc.nat(3) }),
    ),
    question: fc.constantFrom(null, {
      id: 'q',
      options: [{ id: 'y', name: 'Yes', kind: 'allow_once' }],
    }),
  });
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('text' as const), at: fc.nat(7), text }) },
    fc.record({ do: fc.constant('tool' as const), at: fc.nat(7), fields: toolFields }),
    fc.record({ do: fc.constant('flip' as const), at: fc.nat(7) }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(7) }),
    fc.record({ do: fc.constant('output' as const), text }),
    fc.record({ do: fc.constant('columns' as const), columns: fc.integer({ min: 20, max: 90 }) }),
    fc.record({
      do: fc.constant('take' as const),
      budget: fc.record({
        bytes: fc.integer({ min: 1, max: 60 }),
        lines: fc.integer({ min: 1, max: 5 }),
      }),
    }),
  );

  /** Eight places, each of which holds a block of its kind or nothing yet. */
  function create(at: number): Block {
    const id = String(at);
    if (at % 3 === 0) return message(id, '');
    if (at === 7) {
      const entries = [{ content: 'one\ntwo', priority: 'high', status: 'odd' }];
      return { id, kind: 'plan', planId: 'p', entries };
    }
    if (at === 5) {
      const text = new TextLog();
      return {
        id,
        kind: 'thought',
        messageId: null,
        text,
        startedAt: 0,
        endedAt: null,
        expanded: false,
      };
    }
    return tool(id, { toolKind: 'read' });
  }

  test('a full render equals all increments', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const made = transcript();
        const view = new TranscriptView(made, OPTIONS);
        const screen = new Screen();
        const block = (at: number): Block => {
          if (!made.blocks.has(String(at))) add(made, create(at));
          view.touch(String(at));
          return made.blocks.get(String(at))!;
        };
        for (const step of actions) {
          if (step.do === 'text') {
            const target = block(step.at);
            if (target.kind === 'message' || target.kind === 'thought') target.text.push(step.text);
          } else if (step.do === 'tool') {
            const target = block(step.at);
            if (target.kind === 'tool') Object.assign(target, step.fields as Partial<ToolBlock>);
          } else if (step.do === 'flip') {
            const target = block(step.at);
            if (target.kind === 'message') target.done = !target.done;
            if (target.kind === 'thought' && target.endedAt !== null)
              target.expanded = !target.expanded;
            if (target.kind === 'thought') target.endedAt ??= 5000;
            if (target.kind === 'plan') target.entries = target.entries.slice(1);
          } else if (step.do === 'remove') {
            const id = String(step.at);
            made.blocks.delete(id);
            made.order = made.order.filter((other) => other !== id);
            made.index = new Map(made.order.map((other, i) => [other, i]));
            view.remove(id);
          } else if (step.do === 'output') {
            const output = (made.terminals.get('term')?.output ?? '') + step.text;
            const term = {
              id: 'term',
              command: null,
              cwd: null,
              output,
              truncated: false,
              exit: null,
            };
            made.terminals.set('term', term);
            view.touch(...made.order);
          } else if (step.do === 'columns') view.resize(step.columns);
          else screen.apply(view.take(step.budget));
        }
        drain(view, screen, { bytes: 40, lines: 3 });
        expect(screen.blocks).toEqual(new Screen().apply(view.full()).blocks);
        expect(screen.text).not.toMatch(/^\n|\n$|\r/);
      }),
      { numRuns: 500 },
    );
  });
});
