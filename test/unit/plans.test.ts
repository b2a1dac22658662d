import { describe, expect, it } from 'vitest';
import { initializeParams } from '../../src/acp/capabilities';
import { updateEvents } from '../../src/acp/v1';
import { TranscriptView } from '../../src/render/view';
import { newTranscript } from '../../src/session/model';
import { askedPlan } from '../../src/session/plans';
import { Reducer } from '../../src/session/reduce';
import { Screen, tool } from './render-screen';

class Talk {
  readonly transcript = newTranscript('/project');
  readonly reducer = new Reducer(this.transcript);
  readonly screen = new Screen();
  readonly view = new TranscriptView(this.transcript, {
    columns: 80,
    toolRows: 6,
    icons: 'unicode',
  });

  tell(update: object): this {
    for (const event of updateEvents(update)) this.reducer.apply(event, 0);
    return this.flush();
  }

  plan(plan: object, _meta?: object): this {
    return this.tell({ sessionUpdate: 'plan_update', plan, _meta });
  }

  flush(): this {
    for (const id of this.reducer.take()) this.view.touch(id);
    this.screen.apply(this.view.take());
    return this;
  }
}

const words = (content: unknown, planId = 'p') => ({ type: 'markdown', planId, content });

describe('a plan', () => {
  it('is advertised', () => {
    expect(initializeParams().clientCapabilities).toMatchObject({ plan: {} });
  });

  it('in words is Markdown, and grows where it stands', () => {
    const talk = new Talk().plan(words('# Goal\n')).plan(words('# Goal\n\nUse `x`.'));
    expect(talk.screen.text).toBe('Plan\n# Goal\n\nUse `x`.');
    expect(talk.screen.marked('AcpHeading')).toEqual(['# Goal']);
    expect(talk.screen.marked('AcpCode')).toEqual(['`x`']);
    expect(talk.screen.blocks).toHaveLength(1);
    talk.plan(words('Something else'));
    expect(talk.screen.text).toBe('Plan\nSomething else');
  });

  it('in a file is a link to it', () => {
    const talk = new Talk().plan({ type: 'file', planId: 'p', uri: 'file:///project/a%20b.md' });
    expect(talk.screen.text).toBe('Plan  a b.md');
    expect(talk.screen.blocks[0]!.links).toEqual([{ row: 0, path: '/project/a b.md' }]);
    talk.plan({ type: 'file', planId: 'p', uri: 'memo://7' });
    expect(talk.screen.text).toBe('Plan  memo://7');
    expect(talk.screen.blocks[0]!.links).toEqual([]);
  });

  it('may become another kind of plan', () => {
    const talk = new Talk().plan(words('First this'));
    talk.plan({ type: 'items', planId: 'p', entries: [{ content: 'do', status: 'pending' }] });
    expect(talk.screen.text).toBe('Plan 0/1\n  ○ do');
    talk.plan(words('then that'));
    expect(talk.screen.text).toBe('Plan\nthen that');
    expect(talk.screen.blocks).toHaveLength(1);
  });

  it('goes when it is removed, in a later turn too, and others stay', () => {
    const talk = new Talk().plan(words('one', 'a')).plan(words('two', 'b'));
    talk.reducer.turnEnded('end_turn', 0);
    talk.reducer.turnStarted(talk.reducer.user('go', [], 0, false), 0);
    talk.tell({ sessionUpdate: 'plan_removed', planId: 'a' });
    expect(talk.screen.text).not.toContain('one');
    expect(talk.screen.text).toContain('two');
    talk.plan(words('three', 'b'));
    expect(talk.screen.text).toMatch(/two[^]*three/);
    expect(talk.tell({ sessionUpdate: 'plan_removed' }).screen.text).toContain('three');
  });

  it('may come in pieces', () => {
    const air = (contentDelta: unknown) => ({ jetbrains: { air: { version: 1, contentDelta } } });
    const talk = new Talk().plan(words('# Plan\n')).plan(words(''), air('1. Step'));
    expect(talk.screen.text).toBe('Plan\n# Plan\n1. Step');
  });

  it('of an unknown kind is not shown as a known one', () => {
    const talk = new Talk().plan({ type: 'hologram', planId: 'p' });
    expect(talk.screen.blocks[0]!.kind).toBe('unknown');
    expect(new Talk().plan({ type: 'file', planId: 'p', uri: 7 }).screen.blocks).toMatchObject([
      { kind: 'unknown' },
    ]);
  });
});

describe('a plan that is to be approved', () => {
  const text = (it: string) => ({ type: 'text' as const, text: it });

  it('is what the call of a change of mode says', () => {
    const call = tool('t', { title: 'Ready to code?', toolKind: 'switch_mode' });
    expect(askedPlan({ ...call, content: [text('# Plan\n\ndo it\n')] }, false)).toEqual({
      lines: ['# Plan', '', 'do it'],
      about: { title: 'Ready to code?', more: { plan: ['# Plan', '', 'do it'] } },
    });
    expect(askedPlan({ ...call, rawInput: { plan: 'do \u001b[31mthat' } }, false)!.lines).toEqual([
      'do ^[[31mthat',
    ]);
    expect(askedPlan(call, false)).toBeNull();
  });

  it('stands on its card once, folded or not', () => {
    const talk = new Talk();
    const call = { toolCallId: 't', kind: 'switch_mode', title: 'Approve Plan' };
    const content = [{ type: 'content', content: text('one\ntwo\n') }];
    talk.tell({ sessionUpdate: 'tool_call', ...call, content });
    const card = talk.reducer.toolCall('t')!;
    talk.reducer.asks(card.id, askedPlan(card, false)!.lines);
    talk.flush();
    for (const expanded of [false, true]) {
      talk.reducer.fold(card.id, expanded);
      talk.flush();
      expect(talk.screen.text.match(/two/g)).toHaveLength(1);
    }
  });

  it('is found in other calls where their agent says so', () => {
    const call = tool('t', { content: [text('do it')] });
    expect(askedPlan(call, false)).toBeNull();
    expect(askedPlan(call, true)).toMatchObject({
      about: { title: 'Approve the plan' },
      lines: ['do it'],
    });
  });
});
