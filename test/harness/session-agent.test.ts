import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, sessionAgent, tempDir } from '.';
import type { SessionAgent, SessionAgentOptions } from '.';
import { LineClient } from './client';

const cwd = tempDir();

async function start(agent: SessionAgent) {
  const client = new LineClient(agent);
  await client.request('initialize', { protocolVersion: 1 });
  return client;
}

async function open(options: SessionAgentOptions = {}) {
  const agent = sessionAgent(options);
  const client = await start(agent);
  const { result } = await client.request('session/new', { cwd, mcpServers: [] });
  const { sessionId } = result as { sessionId: string };
  const prompt = (text: string, ...others: object[]) =>
    client.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text }, ...others],
    });
  return { agent, client, sessionId, prompt, result };
}

const said = (client: LineClient, session?: string, kind = 'agent_message_chunk') =>
  client
    .updates(session)
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) => (content as { text?: string }).text);

test('a prompt is answered with its text and the content that came along', async () => {
  const { agent, client, prompt } = await open();
  const { result } = await prompt('hello', { type: 'image', mimeType: 'image/png', data: '' });
  expect(result).toEqual({ stopReason: 'end_turn' });
  expect(said(client)).toEqual(['echo: hello [image image/png]']);
  expect(agent.sessions()).toEqual([
    {
      id: 'kept-1',
      cwd,
      title: null,
      prompts: ['hello'],
      messages: ['echo: hello [image image/png]'],
    },
  ]);
});

test('it says many pieces that can be told apart, and no echo when it shall be quiet', async () => {
  const { agent, prompt } = await open({ quiet: true });
  await prompt('go [[many 2]] [[many 3 m]]');
  expect(agent.sessions()[0]!.messages).toEqual(['1 2 m#1 m#2 m#3 ']);
});

test('a session is loaded by a new process with all that happened in it', async () => {
  const { agent, client, sessionId, prompt } = await open();
  await prompt('look [[think]] [[tool]] [[plan]] [[say done]] [[title The look]]');
  const kinds = (of: LineClient) => of.updates(sessionId).map((it) => it.sessionUpdate);
  const live = kinds(client).filter((kind) => !/commands|info/.test(kind as string));
  client.end();
  await client.exited;

  const other = await start(agent);
  const { result } = await other.request('session/load', { sessionId, cwd, mcpServers: [] });
  expect(result).toHaveProperty('configOptions');
  expect(kinds(other).slice(0, live.length + 1)).toEqual(['user_message_chunk', ...live]);
  expect(said(other)).toEqual(['echo: look', 'done']);
  const list = await other.request('session/list', { cwd });
  expect(list.result).toMatchObject({ sessions: [{ sessionId, cwd, title: 'The look' }] });
});

test('a session is resumed with its settings, and without a word', async () => {
  const { agent, client, sessionId, prompt } = await open();
  await prompt('hello');
  await client.request('session/set_config_option', {
    sessionId,
    configId: 'model',
    value: 'large',
  });
  client.end();
  await client.exited;
  const other = await start(agent);
  const { result } = await other.request('session/resume', { sessionId, cwd });
  const options = (result as { configOptions: { id: string; currentValue: unknown }[] })
    .configOptions;
  expect(options.map(({ id }) => id)).toEqual(['mode', 'model', 'effort', 'web']);
  expect(options[1]!.currentValue).toBe('large');
  expect(said(other)).toEqual([]);
});

test('a fork has the history, and goes a way of its own', async () => {
  const { agent, client, sessionId, prompt } = await open({ forkReplays: true });
  await prompt('one');
  const { result } = await client.request('session/fork', { sessionId, cwd });
  const fork = (result as { sessionId: string }).sessionId;
  expect(said(client, fork)).toEqual(['echo: one']);
  await prompt('two');
  expect(agent.sessions().map(({ prompts }) => prompts)).toEqual([['one', 'two'], ['one']]);
});

test('closing, deleting and naming', async () => {
  const { agent, client, sessionId, prompt } = await open();
  await client.request('session/set_title', { sessionId, title: 'A name' });
  expect(agent.sessions()[0]!.title).toBe('A name');
  await client.request('session/close', { sessionId });
  expect((await prompt('hello')).error?.code).toBe(-32002);
  await client.request('session/delete', { sessionId });
  expect(agent.sessions()).toEqual([]);
  expect((await client.request('session/load', { sessionId })).error?.code).toBe(-32002);
});

test('what it can not is not advertised and fails, and what it is told to fail fails', async () => {
  const { client } = await open({ can: { list: false }, fails: { 'session/close': -32601 } });
  const answer = client.frames.find((it) => 'protocolVersion' in ((it.result as object) ?? {}))!;
  const { agentCapabilities } = answer.result as {
    agentCapabilities: { sessionCapabilities: object };
  };
  const names = Object.keys(agentCapabilities.sessionCapabilities);
  expect(names).toEqual(['resume', 'fork', 'close', 'delete', 'title', 'additionalDirectories']);
  expect((await client.request('session/list')).error?.code).toBe(-32601);
  expect((await client.request('session/close')).error?.code).toBe(-32601);
});

test('it lists in pages, the last that were used first, with whatever else it is told', async () => {
  const link = join(tempDir(), 'link');
  symlinkSync(cwd, link);
  const options = { pageSize: 2, rows: [null], folders: { [cwd]: link }, nulls: true };
  const { client } = await open(options);
  const elsewhere = tempDir();
  for (const folder of [cwd, elsewhere]) await client.request('session/new', { cwd: folder });
  const first = await client.request('session/list', { cwd });
  expect(first.result).toMatchObject({ sessions: [null, { cwd: link, title: null }] });
  const { nextCursor: cursor } = first.result as { nextCursor: string };
  const last = await client.request('session/list', { cwd, cursor });
  expect(last.result).toMatchObject({ sessions: [{ cwd: link }], nextCursor: null });
});

test('a turn waits for a file, and ends when it is cancelled', async () => {
  const { client, sessionId, prompt } = await open();
  const first = prompt('[[wait go]] [[say went]]');
  writeFileSync(join(cwd, 'go'), '');
  await first;
  expect(said(client)).toContain('went');
  const second = prompt('[[wait never]] [[say no]]');
  await eventually(() => expect(said(client)).toHaveLength(3));
  client.send({ method: 'session/cancel', params: { sessionId } });
  expect((await second).result).toEqual({ stopReason: 'cancelled' });
  expect(said(client)).not.toContain('no');
});

test('it asks for permission, and says what was chosen', async () => {
  const { client, prompt } = await open();
  const turn = prompt('[[ask]]');
  const { id } = await client.requestOf('session/request_permission');
  client.send({ id: id!, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
  await turn;
  expect(said(client)).toContain('chosen: yes');
});

test('it edits a file of its folder', async () => {
  const { client, prompt } = await open();
  mkdirSync(join(cwd, 'sub'), { recursive: true });
  await prompt('[[edit sub/a.txt some text]]');
  expect(readFileSync(join(cwd, 'sub/a.txt'), 'utf8')).toBe('some text\n');
  const content = [{ type: 'diff', path: join(cwd, 'sub/a.txt'), newText: 'some text\n' }];
  expect(client.updates()).toContainEqual(
    expect.objectContaining({
      status: 'completed',
      content: [expect.objectContaining(content[0])],
    }),
  );
});

test('options, modes and models are told as it is bid, commands early or late', async () => {
  const { client, sessionId, prompt, result } = await open({
    modes: ['code', 'plan'],
    models: ['small', 'large'],
    configOptions: [],
    commandsEarly: true,
  });
  expect(result).toMatchObject({ modes: { currentModeId: 'code' } });
  expect(result).toMatchObject({ models: { currentModelId: 'small' } });
  expect(result).not.toHaveProperty('configOptions');
  const commands = client.frames.findIndex((it) => it.method === 'session/update');
  expect(commands).toBeLessThan(
    client.frames.findIndex((it) => (it.result as { sessionId?: string })?.sessionId),
  );
  const bad = await client.request('session/set_mode', { sessionId, modeId: 'none' });
  expect(bad.error?.code).toBe(-32602);
  await client.request('session/set_mode', { sessionId, modeId: 'plan' });
  await prompt('[[config mode code]] [[usage 10 100 0.5]]');
  const told = client.updates().filter((it) => /mode|usage/.test(it.sessionUpdate as string));
  expect(told).toEqual([
    { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
    { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
    { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } },
  ]);
});

test('a steered prompt goes into the turn that runs, and else needs one', async () => {
  const { agent, client, sessionId, prompt } = await open({ steering: true });
  const steer = (text: string) =>
    client.request('_session/steering', {
      sessionId,
      prompt: [{ type: 'text', text }],
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
  expect((await steer('early')).result).toMatchObject({ outcome: 'promptRequired' });
  const turn = prompt('[[wait steered]]');
  await eventually(() => expect(said(client)).toHaveLength(1));
  expect((await steer('left')).result).toEqual({ outcome: 'injected' });
  writeFileSync(join(cwd, 'steered'), '');
  await turn;
  expect(said(client)).toContain('steered: left');
  expect(agent.sessions()[0]!.prompts).toEqual(['[[wait steered]]', 'left']);
});

test('it exits, and it crashes, in the middle of a turn', async () => {
  const { client, prompt } = await open();
  void prompt('[[exit]]').catch(() => {});
  expect(await client.exited).toBe(0);
  const other = await open();
  void other.prompt('[[crash]]').catch(() => {});
  expect(await other.client.exited).toBe('SIGKILL');
});
