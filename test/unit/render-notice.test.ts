import { describe, expect, test } from 'vitest';
import { TranscriptView } from '../../src/render/view';
import {
  TextLog,
  type Block,
  type CompactionBlock,
  type NoticeBlock,
  type TurnBlock,
} from '../../src/session/model';
import type { PutOp } from '../../src/render/ops';
import { transcript } from './render-screen';

/** The operation that puts a block on an empty screen. */
function put(block: Block, columns = 60): PutOp {
  const view = new TranscriptView(transcript(block), { columns, toolRows: 3, icons: 'unicode' });
  return view.full()[0] as PutOp;
}

const facts = ({ facts: list = [] }: PutOp) =>
  list.map(({ right = [] }) => right.map(([text]) => text).join(''));

const notice = (fields: Partial<NoticeBlock> = {}): NoticeBlock => ({
  kind: 'notice',
  id: 'n',
  severity: 'error',
  title: 'It broke',
  detail: '',
  ...fields,
});

const compaction = (fields: Partial<CompactionBlock> = {}): CompactionBlock => ({
  kind: 'compaction',
  id: 'c',
  compactionId: 'c1',
  status: 'completed',
  text: new TextLog('They fixed it.'),
  error: null,
  startedAt: 1000,
  endedAt: 13_000,
  expanded: false,
  ...fields,
});

const turn: TurnBlock = {
  kind: 'turn',
  id: 't',
  stopReason: 'max_tokens',
  startedAt: 0,
  endedAt: 2000,
  tools: 0,
  unasked: 0,
  files: 0,
  added: 0,
  removed: 0,
  measured: true,
};

describe('a notice', () => {
  test('that was told several times says how often', () => {
    expect(facts(put(notice({ times: 3 })))).toEqual(['3 times']);
  });

  test('says what can be done: one thing without a number, several with theirs', () => {
    const one = put(notice({ actions: ['retry'] }));
    expect(one.lines).toEqual(['✗ It broke', '  Try again']);
    expect(one.actions).toEqual([{ id: 'retry', name: 'Try again' }]);
    expect(facts(one)).toEqual(['<CR>']);
    const several = put(notice({ detail: 'badly', actions: ['retry', 'login', 'new_session'] }));
    expect(several.lines.at(-1)).toBe('  1 Try again   2 Log in   3 New session');
    expect(facts(several)).toEqual(['<CR> choose']);
  });

  test('has no room for the key in a narrow window, and still its action', () => {
    const narrow = put(notice({ actions: ['retry', 'login'] }), 28);
    expect(narrow.actions).toHaveLength(2);
    expect(facts(narrow)).toEqual([]);
  });

  test('that offers nothing any more has no line for it', () => {
    const { lines, actions } = put(notice({ actions: [] }));
    expect({ lines, actions }).toEqual({ lines: ['✗ It broke'], actions: undefined });
  });
});

describe('the last line of a turn', () => {
  test('has what can be done below it', () => {
    const { lines, actions } = put({ ...turn, actions: ['retry'] });
    expect(lines[0]).toContain('stopped: the answer reached the token limit');
    expect(lines[1]).toBe('  Try again');
    expect(actions).toHaveLength(1);
  });

  test('says that the agent said nothing', () => {
    const { lines } = put({ ...turn, stopReason: 'end_turn', silent: true });
    expect(lines[0]).toContain('the agent ended it without a word · 0:02');
  });
});

describe('room made in the context', () => {
  test('says how long it goes on already', () => {
    const running = put(compaction({ status: 'in_progress', endedAt: null }));
    expect(running.lines).toEqual(['⠋ Making room in the context']);
    expect(running.facts).toEqual([{ row: 0, spin: true, since: 1000 }]);
  });

  test('has its summary folded, and unfolded below it', () => {
    const folded = put(compaction());
    expect(folded.lines).toEqual(['▸ Context compacted']);
    expect(folded.foldable).toBe(true);
    expect(facts(folded)).toEqual(['12 s']);
    const open = put(compaction({ expanded: true }));
    expect(open.lines).toEqual(['▾ Context compacted', 'They fixed it.']);
  });

  test.each([
    ['completed', null, '✓ Context compacted', []],
    ['failed', 'no\nmoney', '✗ The context could not be compacted: no money', []],
    ['cancelled', null, '⊘ Compacting the context was cancelled', []],
    ['ended', null, '· Making room in the context', ['end unknown']],
    ['postponed', null, '· Making room in the context', ['postponed']],
  ])('that is %s says so', (status, error, line, more) => {
    const told = put(compaction({ status, error, text: new TextLog(), endedAt: 1500 }));
    expect(told.lines).toEqual([line]);
    expect(told.foldable).toBeUndefined();
    expect(facts(told)).toEqual(more);
  });
});
