import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissionRequest, updateEvents } from '../../src/acp/v1';
import { TranscriptView } from '../../src/render/view';
import { blockDetail } from '../../src/session/detail';
import { transcriptMarkdown } from '../../src/session/markdown';
import { newTranscript, type Block, type ToolBlock } from '../../src/session/model';
import { depthOf, endOf, nest } from '../../src/session/nesting';
import { Reducer } from '../../src/session/reduce';
import { saidBy } from '../../src/session/subagents';
import { Screen, tool, transcript } from './render-screen';
import { chunk as anyChunk, other as anyOther, tool as anyTool } from './updates';

/** A session as it is seen, from what its agent sends. */
class Watched {
  readonly transcript = newTranscript('/project');
  readonly reducer = new Reducer(this.transcript);
  readonly view = new TranscriptView(this.transcript, {
    columns: 72,
    toolRows: 4,
    icons: 'unicode',
  });
  readonly screen = new Screen();
  now = 0;

  /** `session`: of the subagent that it is told in. */
  update(update: unknown, session?: string): void {
    const events = saidBy(updateEvents(update), session);
    for (const event of events) this.reducer.apply(event, (this.now += 1000));
  }
  says(text: string, session?: string, kind = 'message'): void {
    const content = { type: 'text', text };
    this.update({ sessionUpdate: `agent_${kind}_chunk`, content }, session);
  }
  call(toolCallId: string, fields: object = {}, session?: string): void {
    this.update({ sessionUpdate: 'tool_call', toolCallId, ...fields }, session);
  }
  spawn(id: string, fields: object = {}, session?: string): void {
    this.update({ sessionUpdate: 'subagent_update', sessionId: id, ...fields }, session);
  }
  ask(toolCallId: string, session = ''): ToolBlock {
    const { patch, options } = permissionRequest({
      toolCall: { toolCallId },
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    });
    const tool = this.reducer.toolOfQuestion('q', patch, this.now, [session]);
    return this.reducer.questionAsked('q', tool, options, this.now);
  }

  flush(budget = { bytes: Infinity, lines: Infinity }): void {
    for (const id of this.reducer.take()) this.view.touch(id);
    this.screen.apply(this.view.take(budget));
  }
  settle(): string {
    do this.flush();
    while (this.view.pending);
    expect(this.screen.blocks).toEqual(new Screen().apply(this.view.full()).blocks);
    return this.screen.text;
  }
  find<K extends Block['kind']>(kind: K, title = ''): Extract<Block, { kind: K }> {
    const found = [...this.transcript.blocks.values()].find(
      (block) => block.kind === kind && (!('title' in block) || block.title.includes(title)),
    );
    return found as Extract<Block, { kind: K }>;
  }
  unfold(kind: Block['kind'], title = ''): string {
    this.reducer.fold(this.find(kind, title).id, true);
    return this.settle();
  }
  /** The tree, as its indentation. */
  get tree(): string[] {
    return this.transcript.order.map((id) => {
      const block = this.transcript.blocks.get(id)!;
      const name = 'title' in block ? block.title : 'text' in block ? String(block.text) : '';
      return `${'  '.repeat(depthOf(this.transcript, block))}${block.kind} ${name}`.trimEnd();
    });
  }
}

const CLAUDE = (parentToolUseId: string, fields: object): object => ({
  ...fields,
  _meta: { claudeCode: { parentToolUseId } },
});
const text = (words: string) => ({ type: 'text', text: words });

describe('a subagent', () => {
  it('of a tool call stands under its card, however much is said meanwhile', () => {
    const it = new Watched();
    it.call('a', { title: 'Look around', kind: 'think', status: 'in_progress' });
    it.says('Meanwhile ');
    it.update(
      CLAUDE('a', { sessionUpdate: 'tool_call', toolCallId: 'r', title: 'Read x', kind: 'read' }),
    );
    it.says('I wait.');
    it.update(CLAUDE('a', { sessionUpdate: 'agent_message_chunk', content: text('found it') }));
    expect(it.tree).toEqual([
      'tool Look around',
      '  tool Read x',
      '  message found it',
      'message Meanwhile I wait.',
    ]);
  });

  it('is one line until it is unfolded, and says what it does and how much it did', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper', state: { state: 'running' } });
    it.call('r', { title: 'README.md', kind: 'read', status: 'in_progress' }, 's');
    expect(it.settle()).toBe('⠋ Agent  Helper');
    expect(it.screen.facts(it.find('subagent').id)).toEqual(['Read README.md · ▸ 1 tool']);
    it.says('It is **short**.\n\nYes.', 's');
    it.spawn('s', { state: { state: 'idle', stopReason: 'end_turn' } });
    expect(it.settle()).toBe('✓ Agent  Helper');
    expect(it.screen.facts(it.find('subagent').id)).toEqual(['▸ 1 tool · 3.0 s']);
    expect(it.unfold('subagent')).toBe(
      '✓ Agent  Helper\n│ · Read  README.md\n│\n│ It is **short**.\n│\n│ Yes.',
    );
    it.reducer.fold(it.find('subagent').id);
    expect(it.settle()).toBe('✓ Agent  Helper');
  });

  it('that is unfolded grows by what it says, and code fences stay inside of it', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.says('See:\n', 's');
    it.unfold('subagent');
    for (const piece of ['```js', '\nlet a', ' = 1;\n\n', 'f();\n```\n', 'So.']) {
      it.says(piece, 's');
      it.flush();
    }
    expect(it.settle()).toBe(
      '⠋ Agent  Helper\n│ See:\n│ ```js\n│ let a = 1;\n│\n│ f();\n│ ```\n│ So.',
    );
    expect(it.screen.blocks[1]!.fences).toEqual([{ first: 2, last: 4, lang: 'js', indent: 4 }]);
    expect(it.screen.marked('AcpSubagentBar')).toHaveLength(7);
  });

  it('is folded from within, by what can’t be folded itself', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.says('words', 's');
    it.unfold('subagent');
    expect(it.screen.blocks[1]).toMatchObject({ kind: 'message', foldable: true });
    it.reducer.fold(it.find('message').id);
    expect(it.settle()).toBe('⠋ Agent  Helper');
  });

  it('has tool calls of its own, though others use the same ids', () => {
    const it = new Watched();
    it.spawn('one', { title: 'One' });
    it.spawn('two', { title: 'Two' });
    for (const [session, name] of [
      ['one', 'first'],
      ['two', 'second'],
      [undefined, 'mine'],
    ] as const) {
      it.call('t', { title: name, kind: 'other' }, session);
    }
    it.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }, 'two');
    expect(it.tree).toEqual([
      'subagent One',
      '  tool first',
      'subagent Two',
      '  tool second',
      'tool mine',
    ]);
    expect(it.find('tool', 'second').status).toBe('completed');
    expect(it.find('tool', 'first').status).toBe('pending');
    expect(it.find('tool', 'mine').status).toBe('pending');
  });

  it('may start others', () => {
    const it = new Watched();
    it.spawn('outer', { title: 'Outer' });
    it.call('x', { title: 'x' }, 'outer');
    it.spawn('inner', { title: 'Inner' }, 'outer');
    it.says('deep', 'inner');
    it.says('shallow', 'outer');
    it.call('y', { title: 'y' }, 'inner');
    expect(it.tree).toEqual([
      'subagent Outer',
      '  tool x',
      '  subagent Inner',
      '    message deep',
      '    tool y',
      '  message shallow',
    ]);
    expect(it.unfold('subagent', 'Outer')).not.toContain('deep');
    expect(it.unfold('subagent', 'Inner')).toContain('\n│ │ deep');
  });

  it('that asks is seen with whose the question is, though it is folded', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.says('quiet', 's');
    it.call('e', { title: 'rm -r x', kind: 'execute', rawInput: { command: 'rm -r x' } }, 's');
    const card = it.ask('e', 's');
    const shown = it.settle();
    expect(shown).toContain('│ ? Run   rm -r x');
    expect(shown).not.toContain('quiet');
    expect(it.screen.facts(card.id)[0]).toBe('for Helper');
    it.reducer.questionAnswered(card.id, { id: 'y', name: 'Yes', kind: 'allow_once' }, it.now);
    expect(it.settle()).toBe('⠋ Agent  Helper');
  });

  it('that gets its name after it has asked is named by its question', () => {
    const it = new Watched();
    it.spawn('s', {});
    it.call('e', { title: 'rm -r x', kind: 'execute' }, 's');
    const card = it.ask('e', 's');
    it.settle();
    expect(it.screen.facts(card.id)[0]).toBe('for subagent');
    it.spawn('s', { title: 'Helper' });
    it.settle();
    expect(it.screen.facts(card.id)[0]).toBe('for Helper');
  });

  it('that asks twice about one call has both cards inside', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.call('e', { title: 'go' }, 's');
    it.ask('e', 's');
    const second = it.ask('e', 's');
    expect(second.parent).toBe(it.find('subagent').id);
  });

  it('is asked about in its own call, though the request names nobody', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.call('e', { title: 'go' }, 's');
    expect(it.ask('e')).toBe(it.find('tool', 'go'));
  });

  it('that nobody has told of is shown as soon as it does something', () => {
    const it = new Watched();
    it.update(CLAUDE('hidden', { sessionUpdate: 'tool_call', toolCallId: 'r', title: 'Read' }));
    expect(it.tree).toEqual(['subagent', '  tool Read']);
  });

  it('is not taken for idle when its state is not known', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper', state: { state: 'running' } });
    it.spawn('s', { state: { state: 'hibernating' } });
    expect(it.settle()).toBe('· Agent  Helper');
    expect(it.screen.facts(it.find('subagent').id)).toEqual(['state unknown · 1.0 s']);
  });

  it('goes on when the turn is over if its agent says so, and counts to the turn', () => {
    const it = new Watched();
    it.reducer.turnStarted(null, 0);
    it.spawn('s', { title: 'Helper', state: { state: 'running' } });
    it.call('r', { title: 'r', status: 'in_progress' }, 's');
    it.reducer.turnEnded('end_turn', it.now);
    expect(it.find('turn').tools).toBe(1);
    expect(it.find('tool').status).toBe('in_progress');
    expect(it.reducer.subagentRuns).toBe(true);
    it.spawn('s', { state: { state: 'idle' } });
    expect(it.find('tool').status).toBe('ended');
    expect(it.reducer.subagentRuns).toBe(false);
  });

  it('of which only a call is known has no known state when the turn is over', () => {
    const it = new Watched();
    it.reducer.turnStarted(null, 0);
    it.call('a', { title: 'Task', kind: 'think', status: 'pending' });
    it.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'a',
      _meta: { claudeCode: { toolResponse: { isAsync: true, status: 'async_launched' } } },
    });
    it.update({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' });
    it.update(CLAUDE('a', { sessionUpdate: 'tool_call', toolCallId: 'r', title: 'Read' }));
    expect(it.settle()).toBe('⠋ Agent  Task');
    it.reducer.turnEnded('end_turn', it.now);
    expect(it.settle()).toContain('· Agent  Task');
    expect(it.find('tool', 'Read').status).toBe('ended');
  });

  it('ends with its agent', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper', state: { state: 'running' } });
    it.reducer.turnEnded('lost', it.now);
    expect(it.find('subagent').subagent.state).toBe('unknown');
  });

  it('says why it failed, also while it is folded', () => {
    const it = new Watched();
    const state = { state: 'idle', stopReason: 'error', error: { message: 'no quota' } };
    it.spawn('s', { title: 'Helper', state });
    expect(it.settle()).toBe('✗ Agent  Helper\n  no quota');
  });
});

describe('a transcript that was read', () => {
  const ids = (parents: Record<string, string>, ...order: string[]) => {
    const read = transcript(...order.map((id) => ({ ...tool(id), parent: parents[id]! })));
    for (const block of read.blocks.values()) if (!block.parent) delete block.parent;
    nest(read);
    return Object.fromEntries(order.map((id) => [id, read.blocks.get(id)!.parent ?? null]));
  };

  it('has what stands where it says under its parent', () => {
    const parents = { b: 'a', c: 'b', d: 'a' };
    expect(ids(parents, 'a', 'b', 'c', 'd', 'e')).toEqual({ ...parents, a: null, e: null });
  });

  it('has what stands elsewhere, or names nobody, under none', () => {
    const parents = { b: 'gone', d: 'a', a: 'a' };
    expect(ids(parents, 'a', 'b', 'c', 'd')).toEqual({ a: null, b: null, c: null, d: null });
  });
});

it('hundreds of subagents cost little more than their calls would without them', () => {
  const calls = Array.from({ length: 10_000 }, (_, n) => `call-${n}`);
  const spent = (session: (n: number) => string | undefined): number => {
    const watched = new Watched();
    const before = process.cpuUsage();
    for (const [n, id] of calls.entries()) watched.call(id, { status: 'completed' }, session(n));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const alone = spent(() => undefined);
  expect(spent((n) => `child-${Math.floor(n / 20)}`)).toBeLessThan(5 * alone + 500);
});

describe('what is kept of a subagent for people', () => {
  it('is quoted in the export, once for each that it stands under', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Outer', state: { state: 'running' } });
    it.spawn('t', { title: 'Inner' }, 's');
    it.says('deep', 't');
    it.says('shallow', 's');
    expect(transcriptMarkdown(it.transcript)).toBe(
      '**Agent** `Outer` — running\n\n> **Agent** `Inner` — running\n\n> > deep\n\n> shallow',
    );
  });

  it('stands in its details', () => {
    const it = new Watched();
    const state = { state: 'idle', stopReason: 'refusal' };
    it.spawn('s', { title: 'Helper', description: 'looks', state, capabilities: { cancel: {} } });
    const { title, lines } = blockDetail(it.find('subagent'), it.transcript);
    expect(title).toBe('Helper');
    expect(lines).toEqual(
      expect.arrayContaining([
        'What     looks',
        'State    failed',
        'Session  s',
        'Error    it refused',
      ]),
    );
  });
});

describe('what agents say to each other', () => {
  it('stands once under the subagent, whichever sessions tell of it', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    const sent = {
      sessionUpdate: 'session_message',
      senderSessionId: 'main',
      recipientSessionId: 's',
    };
    it.update({
      ...sent,
      messageId: 'm1',
      recipientMessageId: 'm2',
      content: [text('look\nhere')],
    });
    it.update(
      { ...sent, messageId: 'm2', senderMessageId: 'm1', content: [text('look\nhere')] },
      's',
    );
    it.says('done', 's');
    const reply = { senderSessionId: 's', recipientSessionId: 'main', messageId: 'm3' };
    it.update({ sessionUpdate: 'session_message', ...reply, content: [text('done')] });
    expect(it.tree).toEqual(['subagent Helper', '  letter look\nhere', '  message done']);
    expect(it.unfold('subagent')).toContain('│ ▸ from agent  look\n');
    expect(it.unfold('letter')).toContain('│ ▾ from agent\n│   look\n│   here');
  });

  it('may come in pieces', () => {
    const it = new Watched();
    it.spawn('s', { title: 'Helper' });
    it.spawn('o', { title: 'Other' });
    const of = { messageId: 'm', senderSessionId: 'o', recipientSessionId: 's' };
    it.update({ sessionUpdate: 'session_message', ...of, content: [text('a')] }, 's');
    it.update({ sessionUpdate: 'session_message_chunk', messageId: 'm', content: text('b') }, 's');
    expect(it.find('letter')).toMatchObject({ text: 'ab', with: 'Other', received: true });
  });
});

describe('older drafts', () => {
  it('of sessions that are spawned are subagents', () => {
    const it = new Watched();
    const id = { subagentSessionId: 's' };
    it.update({ sessionUpdate: 'subagent_spawned', ...id, name: 'Scout', task: 'find it' });
    it.says('found', 's');
    it.update({ sessionUpdate: 'subagent_state_update', ...id, state: 'failed' });
    expect(it.settle()).toBe('✗ Agent  Scout\n  it failed');
    expect(it.unfold('subagent')).toContain('│ found');
  });

  it('of tasks in the background stand for the call that began them', () => {
    const it = new Watched();
    it.call('c', { title: 'npm test', kind: 'execute', status: 'completed' });
    const id = { asyncTaskId: 'x' };
    it.update({ sessionUpdate: 'async_task_spawned', ...id, name: 'tests', toolCallId: 'c' });
    expect(it.tree).toEqual(['tool npm test']);
    expect(it.find('tool').subagent!.state).toBe('running');
    it.update({ sessionUpdate: 'async_task_state_update', ...id, state: 'completed' });
    expect(it.find('tool').subagent!.state).toBe('completed');
  });

  it('that tell of the end by a tool call say so on the card that began it', () => {
    const it = new Watched();
    const input = (activityKind: string) => ({
      agentThreadId: 'th',
      agentPath: '/root/helper',
      activityKind,
    });
    it.call('s1', {
      title: 'Start subagent helper',
      status: 'completed',
      rawInput: input('started'),
    });
    expect(it.settle()).toBe('⠋ Agent  Start subagent helper');
    const id = 'subagent-completed-1';
    it.call(id, { title: 'Complete', status: 'in_progress', rawInput: input('completed') });
    it.update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
    expect(it.settle()).toBe('✓ Agent  Start subagent helper');
  });

  it('that name the subagent of an update put it there', () => {
    const it = new Watched();
    const _meta = { 'github.com/copilot': { agentId: 'x' } };
    it.update({ sessionUpdate: 'agent_message_chunk', content: text('hi'), _meta });
    expect(it.tree).toEqual(['subagent', '  message hi']);
  });
});

type Action = (it: Watched) => void;
const session = fc.constantFrom(undefined, undefined, 's1', 's2', 't1', 't2');
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.oneof(anyChunk, anyChunk, anyTool, anyOther), session).map(
      ([update, of]): Action =>
        (it) =>
          it.update(update, of),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('s1', 's2', 's3', 't1'),
        fc.constantFrom('running', 'idle', 'requires_action', 'odd', null),
        session,
      )
      .map(
        ([id, state, of]): Action =>
          (it) =>
            it.spawn(id, { title: id, state: { state } }, of),
      ),
  },
  { weight: 4, arbitrary: fc.constant<Action>((it) => it.flush({ bytes: 64, lines: 4 })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('t1', 't2', 't3'), session, fc.boolean())
      .map(([call, of, answered]): Action => (it) => {
        const card = it.ask(call, of);
        it.flush();
        if (answered) it.reducer.questionAnswered(card.id, null, it.now);
      }),
  },
  {
    weight: 3,
    arbitrary: fc.nat().map((n): Action => (it) => {
      const { order } = it.transcript;
      const id = order[n % Math.max(1, order.length)];
      if (id !== undefined) it.reducer.fold(id);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Action>(
      (it) => it.reducer.turnStarted(null, it.now),
      (it) => it.reducer.turnEnded('end_turn', it.now),
      (it) => it.reducer.turnEnded('lost', it.now),
      (it) => it.reducer.settleTools('cancelled', it.now),
      (it) => it.view.resize(40),
      (it) => void it.reducer.user('later', [], it.now, true),
    ),
  },
);

describe('however subagents interleave', () => {
  it('what is shown is what a full render gives, and each stands in one piece behind its parent', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const it = new Watched();
        for (const act of actions) act(it);
        it.settle();
        const { order, blocks, nested, index } = it.transcript;
        for (const id of order) {
          const { parent } = blocks.get(id)!;
          if (parent === undefined) continue;
          expect(index.get(id)).toBeGreaterThan(index.get(parent)!);
          expect(index.get(id)).toBeLessThan(endOf(it.transcript, parent));
        }
        for (const [id, { tools, last }] of nested) {
          const inside = order.slice(index.get(id)! + 1, endOf(it.transcript, id));
          expect(tools).toBe(inside.filter((child) => blocks.get(child)!.kind === 'tool').length);
          expect(last).toBe(inside.findLast((child) => blocks.get(child)!.parent === id));
        }
      }),
      { numRuns: 400 },
    );
  });
});
