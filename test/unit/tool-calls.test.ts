import { describe, expect, it } from 'vitest';
import { permissionRequest, updateEvents } from '../../src/acp/v1';
import { newTranscript, type Block } from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';

const YES = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
const NO = { optionId: 'no', name: 'No', kind: 'reject_once' };
const DIFF = { type: 'diff', path: '/project/a', oldText: 'a\n', newText: 'b\n' };
const DONE = { type: 'content', content: { type: 'text', text: 'It is done.' } };

/** A turn that an agent and its user play, a second a step. */
function play() {
  const transcript = newTranscript('/project');
  const reducer = new Reducer(transcript);
  let now = 0;
  reducer.turnStarted(reducer.user('do it', [], now, false), now);
  const last = <K extends Block['kind']>(kind: K) =>
    [...transcript.blocks.values()].findLast((block) => block.kind === kind) as Extract<
      Block,
      { kind: K }
    >;
  return {
    reducer,
    last,
    says: (update: object) => {
      now += 1000;
      for (const event of updateEvents(update)) reducer.apply(event, now);
    },
    call: (status: string, fields: object = {}) => {
      now += 1000;
      const update = { toolCallId: 'c', status, ...fields };
      const sessionUpdate = status === 'pending' ? 'tool_call' : 'tool_call_update';
      for (const event of updateEvents({ sessionUpdate, ...update })) reducer.apply(event, now);
    },
    asks: (fields: object = {}) => {
      now += 1000;
      const toolCall = { toolCallId: 'c', ...fields };
      const { patch, options } = permissionRequest({ toolCall, options: [YES, NO] });
      reducer.questionAsked('q', reducer.toolOfQuestion('q', patch, now), options, now);
    },
    answers: (which: 0 | 1) => {
      now += 10_000;
      const { id, question } = last('tool');
      reducer.questionAnswered(id, question!.options[which]!, now);
    },
    ends: () => reducer.turnEnded('end_turn', (now += 1000)),
  };
}

describe('the time of a call', () => {
  it('begins when it was allowed, not when the question was asked', () => {
    const turn = play();
    turn.call('pending');
    turn.call('in_progress');
    turn.asks();
    turn.answers(0);
    turn.call('completed');
    const { startedAt, endedAt } = turn.last('tool');
    expect(endedAt! - startedAt!).toBe(1000);
  });

  it('begins with its first word when its agent never says that it runs', () => {
    const turn = play();
    turn.call('pending');
    turn.call('pending', { title: 'sleep 1' });
    turn.call('completed');
    const { startedAt, endedAt } = turn.last('tool');
    expect(endedAt! - startedAt!).toBe(2000);
  });

  it('is not told when it was rejected', () => {
    const turn = play();
    turn.call('pending');
    turn.call('in_progress');
    turn.asks();
    turn.answers(1);
    turn.ends();
    expect(turn.last('tool')).toMatchObject({ startedAt: null, status: 'cancelled' });
  });
});

describe('a call that was answered', () => {
  it('runs, though its agent goes on to call it pending', () => {
    const turn = play();
    turn.call('pending');
    turn.asks();
    expect(turn.last('tool').status).toBe('pending');
    turn.answers(0);
    expect(turn.last('tool').status).toBe('in_progress');
    turn.call('completed');
    const { startedAt, endedAt } = turn.last('tool');
    expect(endedAt! - startedAt!).toBe(1000);
  });

  it.each([
    ['allowed', 0, 'completed'],
    ['rejected', 1, 'failed'],
  ] as const)('still shows what was %s when its end is words alone', (_, answer, status) => {
    const turn = play();
    turn.call('pending');
    turn.asks({ content: [DIFF] });
    turn.answers(answer);
    turn.call(status, { content: [DONE] });
    expect(turn.last('tool').content.map(({ type }) => type)).toEqual(['text', 'diff']);
    turn.ends();
    expect(turn.last('turn').files).toBe(answer === 0 ? 1 : 0);
  });

  it('shows the change that its end tells, in place of the one that was asked about', () => {
    const turn = play();
    turn.call('pending');
    turn.asks({ content: [DIFF] });
    turn.answers(0);
    turn.call('completed', { content: [{ ...DIFF, newText: 'c\n' }] });
    expect(turn.last('tool').content).toMatchObject([{ type: 'diff', newText: 'c\n' }]);
  });
});

describe('the last line of a turn', () => {
  it('counts a call whose end is told when the turn is over', () => {
    const turn = play();
    turn.call('pending', { content: [DIFF] });
    turn.ends();
    expect(turn.last('turn')).toMatchObject({ tools: 1, files: 0 });
    turn.call('completed');
    expect(turn.last('turn')).toMatchObject({ tools: 1, files: 1, added: 1, removed: 1 });
  });
});

describe('an error that ends the turn', () => {
  it.each([
    ['is told', 'Something else.', 'no key', 'The agent could not finish the turn.'],
    ['is not told again', '**Error:** no key', 'The agent could not finish the turn.', ''],
  ])('%s after the message ‘%s’', (_, text, title, detail) => {
    const turn = play();
    turn.says({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    turn.reducer.turnFailed('Internal error: no key', 0);
    expect(turn.last('notice')).toMatchObject({ title, detail });
  });
});

describe('a question', () => {
  const INPUT = { path: 'a', old_str: 'one\ntwo', new_str: 'three' };
  const asked = (told: object, rawInput: object) => {
    const turn = play();
    turn.call('pending', { rawInput: told });
    turn.asks({ rawInput });
    return turn.last('tool').rawInput;
  };

  it('that tells less of the input than the call did leaves it as it was told', () => {
    expect(asked(INPUT, {})).toEqual(INPUT);
    expect(asked(INPUT, { path: 'a' })).toEqual(INPUT);
    expect(asked(INPUT, { ...INPUT, old_str: 'one…' })).toEqual(INPUT);
    expect(asked(INPUT, { ...INPUT, old_str: 'one\nt...' })).toEqual(INPUT);
  });

  it('about another input is about that', () => {
    for (const other of [
      { path: 'b' },
      { ...INPUT, old_str: 'on' },
      { ...INPUT, old_str: 'x…' },
      { ...INPUT, more: 1 },
    ]) {
      expect(asked(INPUT, other)).toEqual(other);
    }
  });

  it('about a change that only its input tells gets the change on its card', () => {
    const turn = play();
    turn.call('pending', { rawInput: INPUT });
    const { reducer } = turn;
    const piece = { path: '/project/a', oldText: 'one\n', newText: 'two\n' };
    const tool = reducer.toolOfQuestion('q', { id: 'c' }, 0);
    reducer.questionAsked('q', tool, [], 0, [piece]);
    expect(turn.last('tool').content).toEqual([{ type: 'diff', ...piece }]);
    turn.call('completed', { content: [DONE] });
    expect(turn.last('tool').content).toContainEqual({ type: 'diff', ...piece });
  });
});
