import { expect, test } from 'vitest';
import { eventually, replayAgent, scriptedAgent } from '.';
import type { ScriptedAgent } from '.';
import { LineClient } from './client';

const start = (agent: ScriptedAgent) => new LineClient(agent);

test('a script answers the handshake by itself and refuses what it does not know', async () => {
  const client = start(scriptedAgent([]));
  client.send({ id: 0, method: 'initialize' });
  client.send({ id: 1, method: 'session/new' });
  client.send({ id: 2, method: 'session/fork' });
  expect((await client.answerTo(0)).result).toMatchObject({ protocolVersion: 1 });
  expect((await client.answerTo(1)).result).toEqual({ sessionId: 'session-1' });
  expect((await client.answerTo(2)).error?.code).toBe(-32601);
});

test('a script streams updates between a prompt and its answer, and records what it received', async () => {
  const agent = scriptedAgent([
    { expect: 'session/prompt' },
    { repeat: 3, steps: [{ update: { sessionUpdate: 'agent_message_chunk', text: 'word ${i}' } }] },
    { reply: { stopReason: 'end_turn' } },
  ]);
  const client = start(agent);
  client.send({ id: 7, method: 'session/prompt', params: { sessionId: 's' } });
  await client.answerTo(7);
  const updates = client.frames.filter((it) => it.method === 'session/update');
  expect(updates.map((it) => it.params)).toMatchObject([
    { sessionId: 's', update: { text: 'word 0' } },
    { sessionId: 's', update: { text: 'word 1' } },
    { sessionId: 's', update: { text: 'word 2' } },
  ]);
  expect(agent.received('session/prompt')).toMatchObject([{ id: 7, params: { sessionId: 's' } }]);
});

test('a script uses the answer to its own request', async () => {
  const agent = scriptedAgent([
    { request: { method: 'terminal/create', params: { command: 'ls' } }, as: 'terminal' },
    { answer: 'terminal' },
    { request: { method: 'terminal/kill', params: { terminalId: '${terminal.terminalId}' } } },
  ]);
  const client = start(agent);
  const { id } = await client.requestOf('terminal/create');
  client.send({ id: id!, result: { terminalId: 't-9' } });
  expect(await client.requestOf('terminal/kill')).toMatchObject({ params: { terminalId: 't-9' } });
});

test('a script writes raw bytes and stderr, and exits as told', async () => {
  const client = start(scriptedAgent([{ raw: 'no JSON\n' }, { stderr: 'oh no\n' }, { exit: 3 }]));
  expect(await client.exited).toBe(3);
  expect(client.lines).toEqual(['no JSON']);
  expect(client.stderr()).toBe('oh no\n');
});

test('a script is ended by a signal, and plays the next steps when it is started again', async () => {
  const agent = scriptedAgent([{ kill: 'SIGKILL' }], [{ exit: 5 }]);
  expect(await start(agent).exited).toBe('SIGKILL');
  expect(await start(agent).exited).toBe(5);
  expect(agent.pids()).toHaveLength(2);
});

test('an agent ends with its input, unless it is stubborn', async () => {
  const client = start(scriptedAgent([]));
  client.end();
  expect(await client.exited).toBe(0);

  const agent = scriptedAgent([{ stubborn: true }, { expect: 'session/cancel' }]);
  const other = start(agent);
  await eventually(() => expect(agent.alive()).toHaveLength(1));
  other.send({ method: 'session/cancel' });
  other.end();
  await eventually(() => expect(agent.received('session/cancel')).toHaveLength(1));
  expect(agent.alive()).toHaveLength(1);
});

test('a script that is no script says so', async () => {
  const agent = scriptedAgent([{ reply: 1, to: 'nobody' }]);
  expect(await start(agent).exited).toBe(70);
  expect(agent.faults()[0]).toContain('TypeError');
});

test("a recorded log is played with the client's own ids and folder", async () => {
  const agent = replayAgent('claude/edit-allow');
  const client = start(agent);
  client.send({ id: 'a', method: 'initialize' });
  expect((await client.answerTo('a')).result).toMatchObject({ protocolVersion: 1 });
  client.send({ id: 'b', method: 'session/new', params: { cwd: '/somewhere/else' } });
  const { result } = await client.answerTo('b');
  expect(result).toHaveProperty('sessionId');
  client.send({ id: 'c', method: 'session/prompt', params: {} });
  const question = await client.requestOf('session/request_permission');
  expect(JSON.stringify(question)).toContain('/somewhere/else/');
  expect(JSON.stringify(question)).not.toContain('/project');
  const outcome = { outcome: 'selected', optionId: 'allow' };
  client.send({ id: question.id!, result: { outcome } });
  expect((await client.answerTo('c')).result).toMatchObject({ stopReason: 'end_turn' });
});
