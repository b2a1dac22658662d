/** Requests of Cursor's: they name no session, only a tool call. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const CALL: Step = {
  update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Work', kind: 'other' },
};

const request = (method: string, params: object): Step => ({
  request: { method, params: { sessionId: undefined, toolCallId: 't', ...params } },
  as: 'ask',
});
const notify = (method: string, params: object): Step => ({
  notify: { method, params: { toolCallId: 't', ...params } },
});

const answer = (agent: ScriptedAgent): unknown => {
  const found = agent.received().find(({ id }) => String(id).startsWith('scripted-'));
  return found && ((found.result as { outcome?: unknown } | undefined)?.outcome ?? found.error);
};

function start(...steps: Step[]): Chat & { agent: ScriptedAgent } {
  const agent = scriptedAgent([PROMPT, CALL, ...steps, { answer: 'ask' }, END]);
  const chat = openChat(agent);
  chat.send('go');
  return { ...chat, agent };
}

const opened = async ({ editor }: Chat) => {
  await eventually(() => expect(editor.opened).toHaveLength(1));
  return editor.opened[0]!;
};
const idle = ({ editor }: Chat) => eventually(() => expect(editor.status.state).toBe('idle'));

const QUESTIONS = {
  title: 'Before I begin',
  questions: [
    {
      id: 'db',
      prompt: 'Which database?',
      options: [
        { id: 'pg', label: 'Postgres' },
        { id: 'lite', label: 'SQLite' },
      ],
    },
    {
      id: 'db',
      prompt: 'Which tests?',
      options: [{ id: 'unit', label: 'Unit' }, { id: 'e2e' }],
      allowMultiple: true,
    },
  ],
};

describe('cursor/ask_question', () => {
  it('is a form, and is answered by the ids of its options', async () => {
    const chat = start(request('cursor/ask_question', QUESTIONS));
    const question = await opened(chat);
    expect(question).toMatchObject({
      title: 'Before I begin',
      form: {
        fields: [
          {
            title: 'Which database?',
            type: 'choice',
            choices: [{ title: 'Postgres' }, { title: 'SQLite' }],
          },
          {
            title: 'Which tests?',
            type: 'choices',
            choices: [{ title: 'Unit' }, { title: 'e2e' }],
          },
        ],
      },
    });
    const values = { 0: 'lite', 1: ['unit', 'e2e'] };
    chat.tell('question.answer', { question: question.id, option: 'accept', values });
    await idle(chat);
    expect(answer(chat.agent)).toEqual({
      outcome: 'answered',
      answers: [
        { questionId: 'db', selectedOptionIds: ['lite'] },
        { questionId: 'db', selectedOptionIds: ['unit', 'e2e'] },
      ],
    });
    expect(chat.editor.text).toContain('Which database?: SQLite');
    expect(chat.editor.faults).toEqual([]);
  });

  it.each([
    ['decline', { outcome: 'skipped' }],
    ['cancel', { outcome: 'cancelled' }],
  ])('is answered by a %s', async (option, outcome) => {
    const chat = start(request('cursor/ask_question', QUESTIONS));
    chat.answer((await opened(chat)).id, option);
    await idle(chat);
    expect(answer(chat.agent)).toEqual(outcome);
  });

  it('is cancelled with its turn', async () => {
    const chat = start(request('cursor/ask_question', QUESTIONS));
    await opened(chat);
    chat.cancel();
    await idle(chat);
    expect(answer(chat.agent)).toEqual({ outcome: 'cancelled' });
  });

  it.each([
    ['no questions', { questions: null }],
    ['a question without options', { questions: [{ prompt: 'What?' }] }],
    ['nothing', {}],
  ])('with %s is asked all the same', async (_, params) => {
    const chat = start(request('cursor/ask_question', params));
    chat.answer((await opened(chat)).id, 'decline');
    await idle(chat);
    expect(answer(chat.agent)).toEqual({ outcome: 'skipped' });
  });

  it('goes to the session of its tool call', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'one' } },
      { expect: 'session/new' },
      { reply: { sessionId: 'two' } },
      PROMPT,
      CALL,
      request('cursor/ask_question', QUESTIONS),
      { answer: 'ask' },
      END,
    ]);
    const chat = openChat(agent);
    await idle(chat);
    const { name, command, args } = agent;
    chat.sessions.handle('session.open', {
      session: 's2',
      agent: { name, command, args },
      cwd: chat.cwd,
      columns: 80,
    });
    chat.sessions.handle('prompt.send', { session: 's2', text: 'go' });
    await opened(chat);
    expect(chat.editor.sent('question.opened')[0]?.session).toBe('s2');
  });
});

describe('cursor/create_plan', () => {
  const plan = {
    name: 'Sort',
    overview: 'It sorts.',
    plan: '1. compare',
    todos: [{ id: '1', content: 'Compare', status: 'pending' }],
    phases: [{ name: 'First', todos: [{ content: 'Read', status: 'completed' }] }],
  };

  it.each([
    ['accept', undefined, { outcome: 'accepted' }],
    ['decline', 'too long', { outcome: 'rejected', reason: 'too long' }],
    ['decline', undefined, { outcome: 'rejected' }],
  ])('is a plan to be approved: %s', async (option, words, outcome) => {
    const chat = start(request('cursor/create_plan', plan));
    const question = await opened(chat);
    expect(question).toMatchObject({
      title: 'Sort',
      plan: ['It sorts.', '', '1. compare', '', '## First', '', '- [x] Read'],
    });
    chat.answer(question.id, option, words === undefined ? {} : { words });
    await idle(chat);
    expect(answer(chat.agent)).toEqual(outcome);
    expect(chat.editor.text).toContain('Compare');
  });
});

describe('what Cursor only tells', () => {
  const todo = (id: string, content: string, status: string) => ({ id, content, status });

  it('is answered where it is a request', async () => {
    const chat = start(
      request('cursor/update_todos', { todos: [todo('1', 'Compare', 'pending')], merge: false }),
    );
    await idle(chat);
    expect(answer(chat.agent)).toEqual({ outcome: 'completed' });
    expect(chat.editor.opened).toEqual([]);
    expect(chat.editor.text).toContain('Compare');
  });

  it('are tasks of which only some may be told anew', async () => {
    const chat = start(
      notify('cursor/update_todos', {
        todos: [todo('1', 'Compare', 'pending'), todo('2', 'Test', 'pending')],
      }),
      notify('cursor/update_todos', {
        todos: [{ id: '1', status: 'completed' }, todo('3', 'Ship', 'pending')],
        merge: true,
      }),
      request('cursor/generate_image', { description: 'A cat', filePath: '/tmp/cat.png' }),
    );
    await idle(chat);
    expect(chat.editor.text).toMatch(/1\/3[^]*Compare[^]*Test[^]*Ship/);
    expect(chat.editor.text).toContain('A cat');
  });

  it('is a task that it has given to another', async () => {
    const chat = start(
      request('cursor/task', { description: 'Look around', prompt: 'Look.', durationMs: 10 }),
    );
    await idle(chat);
    expect(answer(chat.agent)).toEqual({ outcome: 'completed' });
    expect(chat.editor.text).toContain('Look around');
  });

  it('is refused where nobody knows it', async () => {
    const chat = start(request('cursor/teleport', {}));
    await idle(chat);
    expect(answer(chat.agent)).toMatchObject({ code: -32601 });
  });
});
