import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat, type FakeEditor } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const HANG: Step = { expect: '_never' };
const failure = (fields: object): object => ({
  _meta: { jetbrains: { air: { version: 1, sessionFailure: fields } } },
});
const update = (fields: object): Step => ({
  update: { sessionUpdate: 'session_info_update', ...fields },
});
const OVERLOADED = {
  id: 'f1',
  revision: 1,
  category: 'service',
  severity: 'error',
  title: 'The service is overloaded',
  details: 'Try again in a minute.',
  actions: ['retry', 'new_session', 'dance'],
};

/** What the last block of a kind offers to be done. */
function offered(editor: FakeEditor, kind: string): string[] {
  const puts = editor
    .sent('frame')
    .flatMap(({ frames }) => frames)
    .flatMap(({ ops = [] }) => ops)
    .filter((op) => op.op === 'put' && op.id === editor.idOf(kind));
  const last = puts.at(-1);
  return last?.op === 'put' ? (last.actions ?? []).map(({ id }) => id) : [];
}

async function ended(editor: FakeEditor, turns = 1): Promise<void> {
  await eventually(() => {
    expect(editor.blocks('turn')).toHaveLength(turns);
    expect(editor.status.state).toBe('idle');
  });
}

describe('a prompt that is answered with an error', () => {
  it.each([
    [400, 'The model’s service did not take the request (400)', ['retry', 'new_session']],
    [401, 'The model’s service does not accept your login (401)', ['login', 'retry']],
    [429, 'The model’s service got too many requests and wants you to wait (429)', ['retry']],
    [500, 'The model’s service has a fault of its own (500)', ['retry']],
    [529, 'The model’s service has a fault of its own (529)', ['retry']],
    [-32603, '✗ it said so', ['retry']],
    [17, '✗ it said so', ['retry']],
  ])(
    'says in plain words what its code %i means, and what can be done',
    async (code, words, actions) => {
      const agent = scriptedAgent([PROMPT, { error: { code, message: 'it said so' } }]);
      const { editor, send } = openChat(agent);
      send('go');
      await ended(editor);
      expect(editor.text).toContain(words);
      expect(editor.text).toContain('it said so');
      expect(offered(editor, 'notice')).toEqual(actions);
    },
  );

  it('says the details of the error, not that it is internal', async () => {
    const data = { details: 'Server error: out of order' };
    const agent = scriptedAgent([
      PROMPT,
      { error: { code: -32603, message: 'Internal error', data } },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await ended(editor);
    expect(editor.text).toContain('✗ Server error: out of order');
  });

  it('offers a new session where the agent has forgotten this one', async () => {
    const error = { code: -32002, message: 'Resource not found', data: { sessionId: 's' } };
    const { editor, send } = openChat(scriptedAgent([PROMPT, { error }]));
    send('go');
    await ended(editor);
    expect(offered(editor, 'notice')).toEqual(['new_session']);
  });

  it('is sent again, with what went along, when the user wants that', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { error: { code: 500, message: 'fault' } },
      PROMPT,
      chunk('now it works'),
      END,
    ]);
    const { editor, send, tell } = openChat(agent);
    send('go', [{ type: 'text', path: '/x/a.py', text: 'x = 1\n' }]);
    await ended(editor);
    tell('block.act', { block: editor.idOf('notice'), action: 'retry' });
    await eventually(() => expect(editor.text).toContain('now it works'));
    const [first, second] = agent.received('session/prompt');
    expect(second?.params?.prompt).toEqual(first?.params?.prompt);
    expect(offered(editor, 'notice')).toEqual([]);
  });

  it('is not sent twice by two keys, and nothing that was not offered is done', async () => {
    const agent = scriptedAgent([PROMPT, { error: { code: 500, message: 'fault' } }, PROMPT, HANG]);
    const { editor, send, tell } = openChat(agent);
    send('go');
    await ended(editor);
    const block = editor.idOf('notice');
    tell('block.act', { block, action: 'login' });
    tell('block.act', { block: 'nothing', action: 'retry' });
    tell('block.act', { block, action: 'retry' });
    tell('block.act', { block, action: 'retry' });
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(2));
    expect(editor.messages().filter((it) => it.includes('nothing to be done'))).toHaveLength(3);
  });
});

describe('a failure that the agent tells of', () => {
  it('is told once, as it was told last', async () => {
    const agent = scriptedAgent([
      PROMPT,
      update(failure(OVERLOADED)),
      update(failure({ ...OVERLOADED, revision: 3, title: 'The service is down' })),
      update(failure({ ...OVERLOADED, revision: 2, title: 'The service is slow' })),
      {
        reply: {
          stopReason: 'end_turn',
          ...failure({ ...OVERLOADED, revision: 3, title: 'The service is down' }),
        },
      },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await ended(editor);
    expect(editor.kinds()).toEqual(['user', 'notice', 'turn']);
    expect(editor.text).toContain('✗ The service is down\n  Try again in a minute.');
    expect(offered(editor, 'notice')).toEqual(['retry', 'new_session']);
  });

  it('is told again where it happens again', async () => {
    const turn = [PROMPT, update(failure(OVERLOADED)), END];
    const { editor, send } = openChat(scriptedAgent([...turn, ...turn]));
    send('go');
    await ended(editor);
    send('on');
    await ended(editor, 2);
    expect(editor.kinds()).toEqual(['user', 'notice', 'turn', 'user', 'notice', 'turn']);
  });

  it('offers nothing while the turn runs, and nothing any more when the next one begins', async () => {
    const agent = scriptedAgent([
      PROMPT,
      update(failure(OVERLOADED)),
      chunk('I try again'),
      { expect: 'session/cancel' },
      END,
      PROMPT,
      HANG,
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('I try again'));
    expect(offered(editor, 'notice')).toEqual([]);
    cancel();
    await ended(editor);
    expect(offered(editor, 'notice')).toEqual(['retry', 'new_session']);
    send('on');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(2));
    await eventually(() => expect(offered(editor, 'notice')).toEqual([]));
  });

  it.each([{}, { id: 7, title: null }, { title: 'x', actions: 'retry' }, { title: '\u001b[31mx' }])(
    'may be odd: %j',
    async (odd) => {
      const { editor, send } = openChat(
        scriptedAgent([PROMPT, update(failure(odd)), chunk('on'), END]),
      );
      send('go');
      await ended(editor);
      expect(editor.faults).toEqual([]);
      expect(editor.text).not.toContain('\u001b');
    },
  );

  it('of a connection that is tried again is one line, however often', async () => {
    const error = (n: number): Step =>
      update({
        _meta: {
          codex: {
            error: {
              message: `Reconnecting... ${n}/5`,
              additionalDetails: 'stream disconnected',
              turnId: 't1',
              willRetry: true,
            },
          },
        },
      });
    const agent = scriptedAgent([PROMPT, ...[1, 2, 3, 4, 5].map(error), chunk('here I am'), END]);
    const { editor, send } = openChat(agent);
    send('go');
    await ended(editor);
    expect(editor.kinds()).toEqual(['user', 'notice', 'message', 'turn']);
    expect(editor.text).toContain('! Reconnecting... 5/5\n  stream disconnected');
  });
});

describe('a turn', () => {
  it('that ends without a word says so, and can be tried again', async () => {
    const { editor, send } = openChat(scriptedAgent([PROMPT, END]));
    send('go');
    await ended(editor);
    expect(editor.text).toContain('the agent ended it without a word');
    expect(offered(editor, 'turn')).toEqual(['retry']);
  });

  it('has its words when they come behind its end', async () => {
    const { editor, send } = openChat(
      scriptedAgent([PROMPT, END, { delay: 50 }, chunk('sorry, late')]),
    );
    send('go');
    await eventually(() => expect(editor.text).toContain('sorry, late'));
    await eventually(() => expect(editor.text).not.toContain('without a word'));
    expect(offered(editor, 'turn')).toEqual([]);
  });

  it.each([
    ['refusal', ['retry', 'new_session'], 'the agent refused'],
    ['max_tokens', ['retry'], 'token limit'],
    ['max_turn_requests', ['retry'], 'too many model requests'],
    ['cancelled', [], 'cancelled'],
    ['vendor_reason', [], 'vendor_reason'],
  ])('that ends with %s offers what helps', async (stopReason, actions, words) => {
    const { editor, send } = openChat(
      scriptedAgent([PROMPT, chunk('well'), { reply: { stopReason } }]),
    );
    send('go');
    await ended(editor);
    expect(editor.text).toContain(words);
    expect(offered(editor, 'turn')).toEqual(actions);
  });
});
