/** Agents that are old or odd: what each leaves out, doubles or says in another way, and what comes of it. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, sessionAgent, tempDir, type Step } from '../harness';
import { chunk, listed, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const INITIALIZE: Step[] = [
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentCapabilities: null, authMethods: null, agentInfo: null } },
];

const update = (fields: object): Step => ({ update: fields as Record<string, unknown> });
const call = (fields: object) => update({ sessionUpdate: 'tool_call', toolCallId: 't', ...fields });
const later = (fields: object) =>
  update({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });

/** A turn in which the agent does that. */
async function turn(...steps: Step[]): Promise<Chat> {
  const chat = openChat(scriptedAgent([PROMPT, ...steps, END]));
  chat.send('go');
  await eventually(() => expect(chat.editor.kinds().at(-1)).toBe('turn'));
  expect(chat.editor.faults).toEqual([]);
  return chat;
}

describe('a session', () => {
  it('whose answer says null for all that it could say can be talked in', async () => {
    const agent = scriptedAgent([
      ...INITIALIZE,
      { expect: 'session/new' },
      { reply: { sessionId: 'x', modes: null, models: null, configOptions: null, _meta: null } },
      PROMPT,
      update({ sessionUpdate: 'available_commands_update', availableCommands: null }),
      update({ sessionUpdate: 'plan', entries: null }),
      chunk('hello'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'message', 'turn']));
    expect(editor.status).toMatchObject({ config: [], commands: [] });
    expect([editor.status.mode, editor.status.model]).toEqual([undefined, undefined]);
    expect(editor.faults).toEqual([]);
  });

  it('with an empty list of models, as one agent sends it, shows none', async () => {
    const agent = scriptedAgent([
      ...INITIALIZE,
      { expect: 'session/new' },
      { reply: { sessionId: 'x', models: { availableModels: [], currentModelId: '' } } },
    ]);
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.status.model).toBeUndefined();
    expect(editor.status.config).toEqual([]);
  });

  it('whose mode is told as `modeId` has that mode', async () => {
    const agent = scriptedAgent([
      ...INITIALIZE,
      { expect: 'session/new' },
      {
        reply: {
          sessionId: 'x',
          modes: {
            currentModeId: 'ask',
            availableModes: [
              { id: 'ask', name: 'Ask' },
              { id: 'https://agent.example/modes#plan', name: 'Plan' },
            ],
          },
        },
      },
      PROMPT,
      update({
        sessionUpdate: 'current_mode_update',
        modeId: 'https://agent.example/modes#plan',
      }),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.mode).toBe('https://agent.example/modes#plan'));
  });

  it.each([
    ['with a slash at its end', (dir: string) => `${dir}/`],
    [
      'through a symbolic link',
      (dir: string) => {
        const link = join(tempDir(), 'link');
        symlinkSync(dir, link);
        return link;
      },
    ],
  ])('is found again in its folder named %s', async (_, other) => {
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(agent, where);
    first.send('hello');
    await eventually(() => expect(first.editor.kinds().at(-1)).toBe('turn'));
    await first.sessions.end();
    const again = openChat(agent, { cwd: other(where.cwd), stateDir: where.stateDir });
    const { name, command, args } = agent;
    const rows = await listed(again, { name, command, args });
    expect(rows.filter(({ title }) => title === 'hello')).toHaveLength(1);
  });
});

describe('a tool call', () => {
  it('without a kind, a title or a status is shown, and ends with its turn', async () => {
    const { editor } = await turn(update({ sessionUpdate: 'tool_call', toolCallId: 't' }));
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
  });

  it('with null in place of its lists and texts is as it was', async () => {
    const { editor } = await turn(
      call({ title: 'a.txt', kind: 'read', status: 'in_progress' }),
      later({ title: null, kind: null, content: null, locations: null, rawInput: null }),
      later({
        status: 'completed',
        locations: [{ path: null }, null, { path: 'a.txt', line: null }],
      }),
    );
    expect(editor.text).toMatch(/✓ Read +a\.txt/);
  });

  it('that is announced a second time, as pending, goes on on the same card', async () => {
    // Asked first, announced then: a kind of agent that does so for each edit.
    const { editor } = await turn(
      later({ title: 'edit', kind: 'edit', status: 'pending' }),
      later({ status: 'in_progress' }),
      call({ title: 'edit', kind: 'edit', status: 'pending' }),
      later({ status: 'completed' }),
    );
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
    expect(editor.text).toContain('✓ Edit');
  });

  it('of an id that an earlier turn has used is another card', async () => {
    const agent = scriptedAgent([
      PROMPT,
      call({ title: 'one', kind: 'read', status: 'completed' }),
      END,
      { expect: 'session/prompt', as: 'second' },
      call({ title: 'two', kind: 'read', status: 'completed' }),
      { reply: { stopReason: 'end_turn' }, to: 'second' },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.kinds().at(-1)).toBe('turn'));
    send('again');
    await eventually(() =>
      expect(editor.kinds()).toEqual(['user', 'tool', 'turn', 'user', 'tool', 'turn']),
    );
    expect(editor.text).toMatch(/Read +one[^]*Read +two/);
  });

  it('never announced, whose end alone is told, has a card', async () => {
    const { editor } = await turn(later({ status: 'completed', title: 'ls', kind: 'execute' }));
    expect(editor.text).toMatch(/✓ Run +ls/);
  });
});

describe('a list of tasks in the input of a tool', () => {
  const todos = [
    { content: 'one', status: 'completed', priority: 'high' },
    { content: 'two', status: 'in_progress' },
  ];
  const output = [{ type: 'content', content: { type: 'text', text: JSON.stringify(todos) } }];

  it('is the plan, and stands there once', async () => {
    const { editor } = await turn(
      call({ title: 'todowrite', rawInput: {} }),
      later({ status: 'in_progress', rawInput: { todos } }),
      later({
        status: 'completed',
        title: '2 todos',
        content: output,
        rawOutput: { output: JSON.stringify(todos) },
      }),
    );
    expect(editor.kinds()).toEqual(['user', 'tool', 'plan', 'turn']);
    expect(editor.text).toMatch(/Plan 1\/2/);
    expect(editor.text.match(/two/g)).toHaveLength(1);
  });

  it('that is none stays what it is', async () => {
    const { editor } = await turn(
      call({ title: 'x', rawInput: { todos: [...todos, 'three'] } }),
      later({
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: '["status"]' } }],
      }),
    );
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
    expect(editor.text).toContain('["status"]');
  });
});

describe('a permission request', () => {
  const asking = (params: object): Step[] => [
    PROMPT,
    { request: { method: 'session/request_permission', params: params as never }, as: 'ask' },
    { answer: 'ask' },
    END,
  ];
  const outcomeOf = (agent: ReturnType<typeof scriptedAgent>) =>
    agent.received().find(({ id, method }) => method === undefined && id === 'scripted-1')?.result;

  it.each([['empty'], ['null'], ['absent']])(
    'with an %s list of answers stalls nothing: it can be cancelled',
    async (kind) => {
      const options = { empty: { options: [] }, null: { options: null }, absent: {} }[kind]!;
      const agent = scriptedAgent(
        asking({ toolCall: { toolCallId: 't', title: 'go on?' }, ...options }),
      );
      const { editor, send, cancel } = openChat(agent);
      send('go');
      await eventually(() => expect(editor.status.questions).toHaveLength(1));
      expect(editor.status.state).toBe('waiting');
      cancel();
      await eventually(() =>
        expect(outcomeOf(agent)).toEqual({ outcome: { outcome: 'cancelled' } }),
      );
    },
  );

  it('whose answers are all of one kind, or of none that is known, is answered by their ids', async () => {
    const agent = scriptedAgent(
      asking({
        toolCall: { toolCallId: 't', title: 'Which?' },
        options: [
          { optionId: 'a', name: 'Red', kind: 'allow_once' },
          { optionId: 'b', name: 'Blue', kind: 'allow_once' },
          { optionId: 'c', name: 'None', kind: 'maybe' },
          { optionId: 'd', name: 'Later' },
        ],
      }),
    );
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() =>
      expect(editor.opened[0]?.options.map(({ name }) => name)).toEqual([
        'Red',
        'Blue',
        'None',
        'Later',
      ]),
    );
    answer(editor.opened[0]!.id, 'd');
    await eventually(() =>
      expect(outcomeOf(agent)).toEqual({ outcome: { outcome: 'selected', optionId: 'd' } }),
    );
  });
});

describe('an agent', () => {
  it('that greets on stdout, and has children that write there too, is understood', async () => {
    const half = JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 'session-1',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'whole' } },
      },
    });
    const { editor } = await turn(
      { raw: 'Welcome to the agent v1.2\n\u001b[32mready\u001b[0m\n' },
      { raw: 'npm warn deprecated thing\n' },
      { raw: `${half}\n` },
      { raw: '[child] {"not": "a message"}\n{"level":"info","msg":"log as JSON"}\n' },
    );
    expect(editor.text).toContain('whole');
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
  });

  it('that answers a prompt before it has told all marks nothing as lost', async () => {
    const agent = scriptedAgent([PROMPT, chunk('first '), END, chunk('and the rest')]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('and the rest'));
    expect(editor.faults).toEqual([]);
  });
});
