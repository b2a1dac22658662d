import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { eventually, replayAgent, scriptedAgent, whenDone } from '.';
import type { RpcMessage, ScriptedAgent } from '.';

/** A client without any ACP in it: lines in, lines out. */
function start(agent: ScriptedAgent) {
  const child = spawn(agent.command, agent.args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const frames: RpcMessage[] = [];
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line.startsWith('{')) frames.push(JSON.parse(line) as RpcMessage);
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const exited = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
  whenDone(() => void child.kill('SIGKILL'));
  return {
    frames,
    lines,
    exited,
    stderr: () => stderr,
    end: () => child.stdin.end(),
    send: (message: RpcMessage) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
  };
}

type Client = ReturnType<typeof start>;

const answerTo = (client: Client, id: number | string) =>
  eventually(() => {
    const found = client.frames.find((it) => it.id === id && it.method === undefined);
    if (!found) throw new Error(`no answer to ${id}`);
    return found;
  });

const requestOf = (client: Client, method: string) =>
  eventually(() => {
    const found = client.frames.find((it) => it.method === method);
    if (!found) throw new Error(`no ${method}`);
    return found;
  });

test('a script answers the handshake by itself and refuses what it does not know', async () => {
  const client = start(scriptedAgent([]));
  client.send({ id: 0, method: 'initialize' });
  client.send({ id: 1, method: 'session/new' });
  client.send({ id: 2, method: 'session/fork' });
  expect((await answerTo(client, 0)).result).toMatchObject({ protocolVersion: 1 });
  expect((await answerTo(client, 1)).result).toEqual({ sessionId: 'session-1' });
  expect((await answerTo(client, 2)).error?.code).toBe(-32601);
});

test('a script streams updates between a prompt and its answer, and records what it received', async () => {
  const agent = scriptedAgent([
    { expect: 'session/prompt' },
    { repeat: 3, steps: [{ update: { sessionUpdate: 'agent_message_chunk', text: 'word ${i}' } }] },
    { reply: { stopReason: 'end_turn' } },
  ]);
  const client = start(agent);
  client.send({ id: 7, method: 'session/prompt', params: { sessionId: 's' } });
  await answerTo(client, 7);
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
  const { id } = await requestOf(client, 'terminal/create');
  client.send({ id: id!, result: { terminalId: 't-9' } });
  expect(await requestOf(client, 'terminal/kill')).toMatchObject({ params: { terminalId: 't-9' } });
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
  expect((await answerTo(client, 'a')).result).toMatchObject({ protocolVersion: 1 });
  client.send({ id: 'b', method: 'session/new', params: { cwd: '/somewhere/else' } });
  const { result } = await answerTo(client, 'b');
  expect(result).toHaveProperty('sessionId');
  client.send({ id: 'c', method: 'session/prompt', params: {} });
  const question = await requestOf(client, 'session/request_permission');
  expect(JSON.stringify(question)).toContain('/somewhere/else/');
  expect(JSON.stringify(question)).not.toContain('/project');
  const outcome = { outcome: 'selected', optionId: 'allow' };
  client.send({ id: question.id!, result: { outcome } });
  expect((await answerTo(client, 'c')).result).toMatchObject({ stopReason: 'end_turn' });
});
