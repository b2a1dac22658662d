/** An agent that means harm, or is broken: every request of its is answered once, and nothing falls over. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

/** Of each request, how often it was answered. */
function answered(agent: ScriptedAgent): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id, method } of agent.received()) {
    if (method === undefined) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
  }
  return counts;
}

const idle = ({ editor }: Chat) =>
  eventually(() => expect(editor.status).toMatchObject({ state: 'idle', questions: [] }));

/** Lines as they go over the wire. */
const lines = (...messages: object[]): Step => ({
  raw: messages.map((it) => `${JSON.stringify({ jsonrpc: '2.0', ...it })}\n`).join(''),
});

const times = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));

const update = (what: object, sessionId = 'session-1'): object => ({
  method: 'session/update',
  params: { sessionId, update: what },
});

const ask = (i: number, more: object = {}): object => ({
  id: `ask-${i}`,
  method: 'elicitation/create',
  params: {
    sessionId: 'session-1',
    mode: 'form',
    message: `Question ${i}`,
    requestedSchema: { properties: { a: { type: 'string' } } },
    ...more,
  },
});

const permit = (i: number): object => ({
  id: `permit-${i}`,
  method: 'session/request_permission',
  params: {
    sessionId: 'session-1',
    toolCall: { toolCallId: `t${i}`, title: `Tool ${i}` },
    options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
  },
});

async function played(steps: Step[]): Promise<Chat & { agent: ScriptedAgent }> {
  const agent = scriptedAgent([PROMPT, ...steps]);
  const chat = openChat(agent);
  chat.send('go');
  return { ...chat, agent };
}

describe('questions by the thousand', () => {
  it('are each answered once when their turn is cancelled', async () => {
    const all = times(500, (i) => [ask(i), permit(i)]).flat();
    const chat = await played([lines(...all)]);
    await eventually(() => expect(chat.editor.status.questions).toHaveLength(1000), {
      timeout: 20_000,
    });
    chat.cancel();
    await eventually(() => expect(answered(chat.agent).size).toBe(1000), { timeout: 20_000 });
    expect([...answered(chat.agent).values()]).toEqual(times(1000, () => 1));
    expect(chat.editor.faults).toEqual([]);
  });

  it('that are withdrawn in the same moment are answered, and not asked', async () => {
    const all = times(200, (i) => [
      ask(i),
      { method: '$/cancel_request', params: { requestId: `ask-${i}` } },
      permit(i),
      { method: '$/cancel_request', params: { requestId: `permit-${i}` } },
    ]).flat();
    const chat = await played([lines(...all), END]);
    await idle(chat);
    await eventually(() => expect(answered(chat.agent).size).toBe(400));
    expect([...answered(chat.agent).values()]).toEqual(times(400, () => 1));
    expect(chat.editor.faults).toEqual([]);
  });

  it('are answered when their session is closed, as are those that come behind', async () => {
    const chat = await played([lines(ask(0)), { expect: 'session/close' }]);
    await eventually(() => expect(chat.editor.status.questions).toHaveLength(1));
    chat.tell('session.close');
    await eventually(() => expect([...answered(chat.agent).values()]).toEqual([1]));
  });
});

describe('what is told by the thousand', () => {
  it('ends in a chat that goes on', async () => {
    const chat = await played([
      lines(
        ...times(300, (i) =>
          update({
            sessionUpdate: 'compaction_update',
            compactionId: `c${i}`,
            status: i % 2 ? 'x'.repeat(1000) : 'in_progress',
            error: i,
          }),
        ),
        ...times(300, (i) =>
          update({
            sessionUpdate: 'session_info_update',
            _meta: {
              jetbrains: {
                air: {
                  sessionFailure: {
                    id: `f${i}`,
                    title: `F${i}`,
                    revision: -i,
                    actions: ['retry', '__proto__', 7],
                  },
                },
              },
            },
          }),
        ),
        ...times(300, (i) =>
          update({
            sessionUpdate: 'subagent_update',
            sessionId: `child-${i}`,
            title: 'x',
            state: i % 3 ? { state: 'running' } : i,
            capabilities: i,
          }),
        ),
        ...times(300, (i) =>
          update(
            { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${i}` } },
            `child-${i}`,
          ),
        ),
        ...times(300, (i) =>
          update({
            sessionUpdate: 'tool_call_update',
            toolCallId: 't',
            _meta: { terminal_output: { terminal_id: `x${i}`, data: 'x'.repeat(100) } },
          }),
        ),
        update({
          sessionUpdate: 'session_info_update',
          _meta: {
            jetbrains: { air: { goal: { objective: 'g'.repeat(1e6), status: 's'.repeat(1e6) } } },
            promptSuggestions: { suggestions: ['\u001b[2J\u202e', null, 'x'.repeat(1e6)] },
          },
        }),
      ),
      chunk('Done.'),
      END,
    ]);
    await eventually(() => expect(chat.editor.text.includes('Done.')).toBe(true), {
      timeout: 20_000,
    });
    await idle(chat);
    expect(chat.editor.faults).toEqual([]);
    expect(JSON.stringify(chat.editor.status).length).toBeLessThan(1e6);
  });
});

describe('a form', () => {
  it('whose fields are named as what all objects have says nothing of those left empty', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const properties = `{${names.map((name) => `"${name}":{"type":"string"}`).join(',')}}`;
    const params = JSON.stringify(ask(0, { requestedSchema: { properties: 0 } }));
    const chat = await played([
      { raw: `${params.replace('"properties":0', `"properties":${properties}`)}\n` },
      END,
    ]);
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    const values = JSON.parse('{"__proto__":"a"}') as object;
    const { id } = chat.editor.opened[0]!;
    chat.tell('question.answer', { question: id, option: 'accept', values });
    await idle(chat);
    expect(chat.editor.text).toContain('__proto__: a');
    expect(chat.editor.text).not.toMatch(/native code|\[object/);
  });
});

describe('a request of Cursor’s', () => {
  const BROKEN: unknown[] = [
    null,
    [],
    7,
    {},
    { toolCallId: 7, questions: 'x', todos: 'x', phases: 7, name: {}, plan: [] },
    { questions: [null, 7, { id: {}, prompt: 7, options: [null, { id: 7 }, {}] }] },
    { questions: [{ options: [{ id: 'a' }, { id: 'a', label: {} }] }], toolCallId: '__proto__' },
    { plan: '\u001b[2J\u202e', name: 'x\ny', phases: [null, { todos: [null, 7, {}] }] },
  ];

  it('of a broken shape is answered once, whatever it lacks', async () => {
    const methods = ['ask_question', 'create_plan', 'update_todos', 'task', 'generate_image', 'x'];
    const all = methods.flatMap((name) =>
      BROKEN.map((params, i) => ({ id: `${name}-${i}`, method: `cursor/${name}`, params })),
    );
    const chat = await played([lines(...all)]);
    // Questions and plans are asked, as far as they can be.
    await eventually(() => expect(chat.editor.opened).toHaveLength(2 * BROKEN.length));
    await eventually(() => expect(answered(chat.agent).size).toBe(4 * BROKEN.length));
    chat.cancel();
    await eventually(() => expect(answered(chat.agent).size).toBe(all.length));
    expect([...answered(chat.agent).values()]).toEqual(all.map(() => 1));
    expect(chat.editor.faults).toEqual([]);
  });
});

describe('a file that names MCP servers', () => {
  it('is asked about whole: nothing is so long, or so well hidden, that it is left out', async () => {
    const line = `nice: sh -c 'echo nice ${' '.repeat(5000)} ; evil\u202e ${'x'.repeat(5000)} more evil'`;
    const mcp = {
      servers: [],
      left: [],
      asks: [{ path: '/p/.mcp.json', digest: 'd', lines: [line] }],
    };
    const { editor } = openChat(scriptedAgent([]), { cwd: '/', mcp });
    await eventually(() => expect(editor.opened).toHaveLength(1));
    const { detail = [] } = editor.opened[0]!;
    expect(detail.join('')).toBe(
      line.replace(/ {2,}/, ' <5002 blanks> ').replace('\u202e', '<U+202E>'),
    );
    expect(Math.max(...detail.map((it) => it.length))).toBeLessThan(2000);
  });
});

describe('what is nested deeper than anybody can go down', () => {
  const deep = `${'{"a":['.repeat(25_000)}1${']}'.repeat(25_000)}`;
  const put = (message: object): Step => ({
    raw: `${JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"DEEP"', deep)}\n`,
  });
  const call = { toolCallId: 't', title: 'Deep' };

  it.each([
    ['an input', { sessionUpdate: 'tool_call', ...call, rawInput: 'DEEP' }],
    ['a content', { sessionUpdate: 'tool_call', ...call, content: ['DEEP'] }],
    [
      'a response',
      { sessionUpdate: 'tool_call', ...call, _meta: { claudeCode: { toolResponse: 'DEEP' } } },
    ],
    ['an unknown update', { sessionUpdate: 'zzz', what: 'DEEP' }],
    ['a _meta', { sessionUpdate: 'session_info_update', _meta: 'DEEP' }],
  ])('ends nothing: %s', async (_, what) => {
    const chat = await played([put(update(what)), chunk('Done.'), END]);
    await eventually(() => expect(chat.editor.text.includes('Done.')).toBe(true));
    await idle(chat);
    expect(chat.editor.faults).toEqual([]);
  });

  it('takes no answer from a request', async () => {
    const params = { sessionId: 'session-1' };
    const schema = { properties: { a: 'DEEP' } };
    const chat = await played([
      put({
        id: 'a',
        method: 'session/request_permission',
        params: {
          ...params,
          toolCall: { ...call, rawInput: 'DEEP' },
          options: [{ optionId: 'y', name: 'Y' }],
        },
      }),
      put({
        id: 'b',
        method: 'elicitation/create',
        params: { ...params, mode: 'form', message: 'm', requestedSchema: schema },
      }),
      put({ id: 'c', method: 'cursor/create_plan', params: { plan: 'x', phases: ['DEEP'] } }),
      put({ id: 'd', method: 'nobody/knows', params: 'DEEP' }),
    ]);
    await eventually(() => expect(chat.editor.opened).toHaveLength(3));
    chat.cancel();
    await eventually(() => expect(answered(chat.agent).size).toBe(4));
    expect(chat.editor.faults).toEqual([]);
  });
});
