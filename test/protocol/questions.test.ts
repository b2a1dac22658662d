/** Forms and pages that agents ask for: `elicitation/create`, `elicitation/complete`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const create = (params: object, as = 'ask'): Step => ({
  request: { method: 'elicitation/create', params: params as Record<string, unknown> },
  as,
});

const form = (properties: object, more: object = {}, params: object = {}): Step =>
  create({
    mode: 'form',
    message: 'Tell me more.',
    requestedSchema: { type: 'object', properties, ...more },
    ...params,
  });

const page = (url: unknown, more: object = {}): Step =>
  create({ mode: 'url', message: 'Log in there.', elicitationId: 'e1', url, ...more });

/** Until the question has been seen. */
const SEEN: Step = { delay: 500 };

/** Answers that the agent was given, in order. */
const answers = (agent: ScriptedAgent): unknown[] =>
  agent
    .received()
    .filter(({ method, id }) => method === undefined && String(id).startsWith('scripted-'))
    .map(({ result, error }) => result ?? error);

async function asked(...steps: Step[]): Promise<Chat & { agent: ScriptedAgent; id: string }> {
  const agent = scriptedAgent([PROMPT, ...steps, { answer: 'ask' }, END]);
  const chat = openChat(agent);
  chat.send('go');
  await eventually(() => expect(chat.editor.opened).toHaveLength(1));
  return { ...chat, agent, id: chat.editor.opened[0]!.id };
}

const idle = ({ editor }: Chat) =>
  eventually(() => expect(editor.status).toMatchObject({ state: 'idle', questions: [] }));

const accept = (chat: Chat & { id: string }, values: object): void =>
  chat.tell('question.answer', { question: chat.id, option: 'accept', values });

const faults = ({ editor }: Chat) => editor.sent('form.faults').at(-1)?.faults;

describe('a form', () => {
  it('is advertised, asked, counted, on a card, and answered once', async () => {
    const chat = await asked(
      form({ colour: { type: 'string', title: 'Colour', enum: ['Red', 'Green'] } }),
    );
    const { editor, agent, id } = chat;
    const [initialize] = agent.received('initialize');
    expect(initialize).toMatchObject({
      params: { clientCapabilities: { elicitation: { form: {}, url: {} } } },
    });
    expect(editor.opened[0]).toMatchObject({
      title: 'Tell me more.',
      options: [{ id: 'accept' }, { id: 'decline' }, { id: 'cancel' }],
      form: {
        message: 'Tell me more.',
        fields: [
          {
            name: 'colour',
            title: 'Colour',
            required: false,
            type: 'choice',
            choices: [
              { value: 'Red', title: 'Red' },
              { value: 'Green', title: 'Green' },
            ],
          },
        ],
      },
    });
    await eventually(() => expect(editor.status).toMatchObject({ state: 'waiting' }));
    expect(editor.status.questions).toHaveLength(1);
    expect(editor.text).toMatch(/\? Question +Tell me more\.[^]*Colour[^]*· Red[^]*· Green/);
    accept(chat, { colour: 'Green' });
    accept(chat, { colour: 'Red' });
    await idle(chat);
    expect(answers(agent)).toEqual([{ action: 'accept', content: { colour: 'Green' } }]);
    expect(editor.closed).toEqual([id]);
    expect(editor.text).toContain('Colour: Green');
    expect(editor.text).not.toContain('end unknown');
    expect(editor.faults).toEqual([]);
  });

  it.each([
    ['decline', { action: 'decline' }],
    ['cancel', { action: 'cancel' }],
  ])('tells a %s as one', async (option, result) => {
    const chat = await asked(form({ name: { type: 'string' } }));
    chat.answer(chat.id, option);
    await idle(chat);
    expect(answers(chat.agent)).toEqual([result]);
    expect(chat.editor.text).toMatch(/⊘ Question/);
  });

  it('is cancelled with its turn', async () => {
    const chat = await asked(form({ name: { type: 'string' } }));
    chat.cancel();
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'cancel' }]);
    expect(chat.editor.closed).toEqual([chat.id]);
  });

  it('is withdrawn by the agent, and no answer reaches it any more', async () => {
    const chat = await asked(form({ name: { type: 'string' } }), SEEN, {
      notify: { method: '$/cancel_request', params: { requestId: 'scripted-1' } },
    });
    await eventually(() => expect(chat.editor.closed).toEqual([chat.id]));
    accept(chat, { name: 'late' });
    await idle(chat);
    expect(answers(chat.agent)).toHaveLength(1);
    expect(answers(chat.agent)[0]).not.toMatchObject({ action: 'accept' });
  });

  it('goes on the card of its tool call', async () => {
    const chat = await asked(
      { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Asking', kind: 'other' } },
      form({ name: { type: 'string', title: 'Your name' } }, {}, { toolCallId: 't' }),
    );
    expect(chat.editor.blocks('tool')).toHaveLength(1);
    accept(chat, { name: 'Ada' });
    await idle(chat);
    expect(chat.editor.text).toContain('Your name: Ada');
  });

  it('about a tool call that nobody has told of has a card of its own, and is no tool', async () => {
    const chat = await asked(form({ name: { type: 'string' } }, {}, { toolCallId: 'nobody' }));
    accept(chat, { name: 'Ada' });
    await idle(chat);
    expect(chat.editor.text).not.toMatch(/\d+ tools?/);
  });

  it('of a request, not a session, is asked in the session that has made that request', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new', as: 'new' },
      {
        request: {
          method: 'elicitation/create',
          params: {
            sessionId: undefined,
            requestId: '${new.id}',
            mode: 'url',
            elicitationId: 'x',
            message: 'Log in',
            url: 'https://example.org/login',
          },
        },
      },
      { reply: { sessionId: 's' }, to: 'new' },
    ]);
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.answer(chat.editor.opened[0]!.id, 'accept');
    await idle(chat);
    expect(answers(agent)).toEqual([{ action: 'accept' }]);
  });

  it('that the agent can do without does not make the turn wait', async () => {
    const meta = { _meta: { codex: { delivery: 'async', autoResolutionMs: 60000 } } };
    const chat = await asked(form({ name: { type: 'string' } }, {}, meta));
    await eventually(() => expect(chat.editor.status.questions).toHaveLength(1));
    expect(chat.editor.status.state).toBe('working');
    expect(chat.editor.text).toContain('It goes on by itself after 60 seconds.');
    chat.answer(chat.id, 'decline');
    await idle(chat);
  });

  it('of a mode that nobody knows is refused', async () => {
    const agent = scriptedAgent([
      PROMPT,
      create({ mode: 'telepathy', message: 'Think.' }, 'a'),
      { answer: 'a' },
      create({ message: 'Think.' }, 'b'),
      { answer: 'b' },
      create({ mode: 'url', message: 'Go.', elicitationId: 'x' }, 'c'),
      { answer: 'c' },
      END,
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await idle(chat);
    await eventually(() => expect(answers(agent)).toHaveLength(3));
    for (const answer of answers(agent)) expect(answer).toMatchObject({ code: -32602 });
    expect(chat.editor.opened).toEqual([]);
  });
});

describe('a mode that is withheld', () => {
  it('is not advertised, and refused; the other is asked', async () => {
    const agent = scriptedAgent([
      PROMPT,
      create({ mode: 'url', message: 'Go.', elicitationId: 'x', url: 'https://a.b/' }, 'a'),
      { answer: 'a' },
      form({ name: { type: 'string' } }),
      { answer: 'ask' },
      END,
    ]);
    const { name, command, args } = agent;
    const chat = openChat({ name, command, args, withhold: ['elicitation.url'] });
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    const [initialize] = agent.received('initialize');
    expect(initialize?.params?.clientCapabilities).toMatchObject({ elicitation: { form: {} } });
    expect(JSON.stringify(initialize)).not.toContain('"url"');
    expect(answers(agent)).toMatchObject([{ code: -32602 }]);
    chat.answer(chat.editor.opened[0]!.id, 'decline');
    await idle(chat);
  });
});

describe('a value', () => {
  const TYPES: [string, object, unknown, unknown, string?][] = [
    ['text', { type: 'string' }, 'x', 'x'],
    ['text of several lines', { type: 'string' }, 'x\ny', 'x\ny'],
    ['too short', { type: 'string', minLength: 3 }, 'ab', null, 'at least 3 characters'],
    ['counted in characters', { type: 'string', maxLength: 1 }, '😀', '😀'],
    ['too long', { type: 'string', maxLength: 1 }, 'ab', null, 'at most 1 character, now 2'],
    ['of a pattern', { type: 'string', pattern: '^\\p{L}+$' }, 'äß', 'äß'],
    ['off its pattern', { type: 'string', pattern: '^a$' }, 'b', null, 'it must match ^a$'],
    [
      'with a pattern that takes for ever',
      { type: 'string', pattern: '^(a+)+$' },
      `${'a'.repeat(50)}!`,
      null,
      'it takes too long to see whether it matches ^(a+)+$',
    ],
    ['with a pattern that is none', { type: 'string', pattern: '(' }, 'x', 'x'],
    ['an address of mail', { type: 'string', format: 'email' }, 'a@b.c', 'a@b.c'],
    [
      'no address of mail',
      { type: 'string', format: 'email' },
      'a@',
      null,
      'it is no e-mail address',
    ],
    ['an address', { type: 'string', format: 'uri' }, 'https://a.b/c', 'https://a.b/c'],
    ['no address', { type: 'string', format: 'uri' }, '/c', null, 'it is no address: https://…'],
    ['a date', { type: 'string', format: 'date' }, '2024-02-29', '2024-02-29'],
    [
      'no date',
      { type: 'string', format: 'date' },
      '2023-02-29',
      null,
      'it is no date: 2026-01-31',
    ],
    [
      'a moment',
      { type: 'string', format: 'date-time' },
      '2024-02-29T23:59:60+01:00',
      '2024-02-29T23:59:60+01:00',
    ],
    [
      'no moment',
      { type: 'string', format: 'date-time' },
      '2024-02-29',
      null,
      'it is no date with a time and a zone: 2026-01-31T12:00:00Z',
    ],
    ['of a format that nobody knows', { type: 'string', format: 'smell' }, 'x', 'x'],
    ['a number', { type: 'number' }, '-1.5e3', -1500],
    ['no number', { type: 'number' }, '0x10', null, 'it is no number'],
    ['a whole number', { type: 'integer' }, '42', 42],
    ['no whole number', { type: 'integer' }, '4.2', null, 'it is no whole number'],
    ['too small', { type: 'integer', minimum: 3 }, '2', null, 'at least 3'],
    ['too large', { type: 'number', maximum: 3 }, '3.1', null, 'at most 3'],
    ['yes', { type: 'boolean' }, true, true],
    ['neither yes nor no', { type: 'boolean' }, 'perhaps', null, 'yes or no'],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
    ['no choice', { type: 'string', enum: ['a'] }, 'b', null, 'that is none of the choices'],
    [
      'two for one',
      { type: 'string', enum: ['a', 'b'] },
      ['a', 'b'],
      null,
      'only one can be chosen',
    ],
    [
      'a choice with a title',
      { type: 'string', oneOf: [{ const: 'a', title: 'First' }] },
      'a',
      'a',
    ],
    ['choices', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, ['b'], ['b']],
    [
      'choices with titles',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'First' }] } },
      ['a'],
      ['a'],
    ],
    [
      'too few choices',
      { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } },
      ['a'],
      null,
      'at least 2 choices',
    ],
    [
      'too many choices',
      { type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } },
      ['a', 'b'],
      null,
      'at most 1 choice',
    ],
  ];

  it.each(TYPES)('%s', async (_, property, given, taken, fault) => {
    const chat = await asked(form({ it: property }, { required: ['it'] }));
    accept(chat, { it: given });
    if (fault === undefined) {
      await idle(chat);
      expect(answers(chat.agent)).toEqual([{ action: 'accept', content: { it: taken } }]);
    } else {
      await eventually(() => expect(faults(chat)).toEqual([{ field: 'it', words: fault }]));
      expect(chat.editor.status.state).toBe('waiting');
      expect(answers(chat.agent)).toEqual([]);
    }
  });

  it('that is missing is told where it is required, else left out', async () => {
    const chat = await asked(
      form({ a: { type: 'string' }, b: { type: 'integer' } }, { required: ['a'] }),
    );
    accept(chat, { a: '', b: '' });
    await eventually(() => expect(faults(chat)).toEqual([{ field: 'a', words: 'it is required' }]));
    chat.tell('form.check', { question: chat.id, values: { a: 'x' } });
    await eventually(() => expect(faults(chat)).toEqual([]));
    accept(chat, { a: 'x', b: '' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept', content: { a: 'x' } }]);
  });
});

describe('an odd form', () => {
  it.each([
    ['of an unknown type', { type: 'colour' }, 'colour'],
    ['without a type', {}, 'none'],
    ['that is no object', 7, 'none'],
    ['of several types', { type: ['string', 'null'] }, 'none'],
    ['of a choice without choices', { type: 'string', enum: [] }, 'string'],
    ['of several without choices', { type: 'array', items: { type: 'object' } }, 'array'],
  ])('names a property %s, and sends the others', async (_, property, kind) => {
    const chat = await asked(form({ odd: property, name: { type: 'string' } }));
    expect(chat.editor.opened[0]?.form?.fields[0]).toEqual({
      name: 'odd',
      required: false,
      type: 'unknown',
      kind,
    });
    expect(chat.editor.text).toContain('can’t be filled in here');
    accept(chat, { odd: 'x', name: 'Ada' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept', content: { name: 'Ada' } }]);
  });

  it('can’t be accepted where such a property is required', async () => {
    const chat = await asked(form({ odd: { type: 'colour' } }, { required: ['odd'] }));
    expect(chat.editor.opened[0]?.options.map(({ id }) => id)).toEqual(['decline', 'cancel']);
    accept(chat, {});
    chat.answer(chat.id, 'decline');
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'decline' }]);
  });

  it.each([
    ['limits that are none', { type: 'string', minLength: 'x', maxLength: null, pattern: 7 }],
    ['a default of another type', { type: 'string', default: 7, title: null, description: [] }],
    ['a name with a line break', { type: 'string', title: 'a\nb' }],
  ])('with %s is asked all the same', async (_, property) => {
    const chat = await asked(form({ it: property }, { required: 'all' }));
    accept(chat, { it: 'x' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept', content: { it: 'x' } }]);
  });

  it('without fields is asked all the same', async () => {
    const chat = await asked(create({ mode: 'form', message: 'Really?', requestedSchema: null }));
    expect(chat.editor.opened[0]?.title).toBe('Really?');
    accept(chat, []);
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept', content: {} }]);
  });

  it('tells choices that look alike apart, and takes values twice but once', async () => {
    const oneOf = [
      { const: 'a', title: 'Same' },
      { const: 'b', title: 'Same' },
      { const: 'b', title: 'Same' },
      { const: '', title: null },
      null,
      { title: 'no value' },
    ];
    const chat = await asked(form({ it: { type: 'string', oneOf } }));
    const [field] = chat.editor.opened[0]!.form!.fields;
    expect(field).toMatchObject({
      choices: [
        { value: 'a', title: 'Same' },
        { value: 'b', title: 'Same (b)' },
        { value: '', title: '(empty)' },
      ],
    });
  });

  it('shows no control characters', async () => {
    const chat = await asked(form({ it: { type: 'string', title: 'a\u001b[2Jb\u202ec' } }));
    expect(chat.editor.text).toContain('a^[[2Jb<U+202E>c');
  });
});

describe('answers beside the choices', () => {
  const choice = { type: 'string', title: 'Colour', oneOf: [{ const: 'Red', title: 'Red' }] };

  it('are one question with them where the agent’s dialect says so', async () => {
    const chat = await asked(
      form({ question_0: choice, question_0_custom: { type: 'string', title: 'Other' } }),
    );
    expect(chat.editor.opened[0]?.form?.fields).toMatchObject([
      { name: 'question_0', other: { name: 'question_0_custom' } },
    ]);
    accept(chat, { question_0_custom: 'Mauve' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([
      { action: 'accept', content: { question_0_custom: 'Mauve' } },
    ]);
    expect(chat.editor.text).toContain('Colour: Mauve');
  });

  it('go with the choice that stands for them', async () => {
    const q1 = {
      ...choice,
      oneOf: [...choice.oneOf, { const: 'None of the above', title: 'None of the above' }],
      _meta: { codex: { isOther: true } },
    };
    const note = { type: 'string', _meta: { codex: { questionId: 'q1', role: 'user_note' } } };
    const chat = await asked(form({ q1, q1_note: note }, { required: ['q1'] }));
    accept(chat, { q1_note: 'Mauve' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([
      { action: 'accept', content: { q1: 'None of the above', q1_note: 'Mauve' } },
    ]);
  });

  it('are two where nothing says so', async () => {
    const chat = await asked(form({ colour: choice, colour_custom: { type: 'string' } }));
    expect(chat.editor.opened[0]?.form?.fields).toHaveLength(2);
  });

  it('show what a choice would be like', async () => {
    const oneOf = [
      {
        const: 'a',
        title: 'A',
        _meta: { '_claude/askUserQuestionOption': { preview: '+--+\n|  |' } },
      },
    ];
    const chat = await asked(form({ question_0: { type: 'string', oneOf } }));
    expect(chat.editor.text).toMatch(/\+--\+\n +\| {2}\|/);
  });
});

describe('a secret', () => {
  it('reaches the agent and stands nowhere else', async () => {
    const secret = { type: 'string', title: 'Word', _meta: { codex: { isSecret: true } } };
    const chat = await asked(form({ q1: secret }));
    expect(chat.editor.opened[0]?.form?.fields[0]).toMatchObject({ secret: true });
    accept(chat, { q1: 'open sesame' });
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept', content: { q1: 'open sesame' } }]);
    expect(chat.editor.text).toContain('Word: ••••••');
    expect(chat.editor.text).not.toContain('sesame');
    const log = chat.editor.status.log!;
    await chat.sessions.end();
    await eventually(() => expect(readFileSync(log, 'utf8')).toContain('[redacted]'));
    expect(readFileSync(log, 'utf8')).not.toContain('sesame');
    const kept = readdirSync(chat.stateDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(kept.join('\n')).toContain('••••••');
    expect(kept.join('\n')).not.toContain('sesame');
  });
});

describe('a page', () => {
  it('is shown as what would be opened, and opened by nobody but the user', async () => {
    const chat = await asked(page('https://example.org/a?b=c'));
    expect(chat.editor.opened[0]).toMatchObject({
      title: 'open example.org',
      options: [{ id: 'accept', name: 'Open' }, { id: 'decline' }, { id: 'cancel' }],
      url: { url: 'https://example.org/a?b=c', host: 'example.org', message: 'Log in there.' },
    });
    expect(chat.editor.opened[0]?.url).not.toHaveProperty('warning');
    chat.answer(chat.id, 'accept');
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'accept' }]);
    expect(chat.editor.text).toMatch(/https:\/\/example\.org\/a\?b=c/);
  });

  it('that the agent is done with is asked about no longer', async () => {
    const done: Step = {
      notify: { method: 'elicitation/complete', params: { elicitationId: 'e1' } },
    };
    const other: Step = {
      notify: { method: 'elicitation/complete', params: { elicitationId: '?' } },
    };
    const chat = await asked(page('https://example.org/'), SEEN, other, done);
    await idle(chat);
    expect(answers(chat.agent)).toEqual([{ action: 'cancel' }]);
    expect(chat.editor.closed).toEqual([chat.id]);
    expect(chat.editor.faults).toEqual([]);
  });

  it('that was opened says when the agent is done with it', async () => {
    const agent = scriptedAgent([
      PROMPT,
      page('https://example.org/'),
      { answer: 'ask' },
      { notify: { method: 'elicitation/complete', params: { elicitationId: 'e1' } } },
      END,
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.answer(chat.editor.opened[0]!.id, 'accept');
    await eventually(() => expect(chat.editor.text).toContain('The agent says that it is done.'));
  });

  it('that is no address can only be declined', async () => {
    const chat = await asked(page('not an address'));
    expect(chat.editor.opened[0]).toMatchObject({
      options: [{ id: 'decline' }, { id: 'cancel' }],
      url: { url: 'not an address', warning: 'this is no address that can be opened' },
    });
  });
});
