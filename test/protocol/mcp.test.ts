/** MCP servers and further folders: what of them goes to the agent, when, and what is told of the rest. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { McpAsk, McpServer, McpWanted } from '../../src/acp/mcp';
import {
  eventually,
  scriptedAgent,
  sessionAgent,
  tempDir,
  type SessionAgent,
  type Step,
} from '../harness';
import { openChat, type Chat, type ChatOptions } from './fake-editor';

const SECRET = 'p4ssw0rd-of-mine';
const STDIO: McpServer = {
  name: 'files',
  type: 'stdio',
  command: '/usr/bin/files',
  args: ['--root', `/srv/${SECRET}`],
  env: { PLAIN: SECRET },
};
const HTTP: McpServer = {
  name: 'docs',
  type: 'http',
  url: `https://example.org/${SECRET}`,
  headers: { 'X-Any': SECRET },
};
const SSE: McpServer = { name: 'old', type: 'sse', url: 'https://example.org/sse', headers: {} };

const ON_WIRE = [
  {
    name: 'files',
    command: '/usr/bin/files',
    args: ['--root', `/srv/${SECRET}`],
    env: [{ name: 'PLAIN', value: SECRET }],
  },
  {
    type: 'http',
    name: 'docs',
    url: `https://example.org/${SECRET}`,
    headers: [{ name: 'X-Any', value: SECRET }],
  },
  { type: 'sse', name: 'old', url: 'https://example.org/sse', headers: [] },
];

const wanted = (servers: McpServer[], asks: McpAsk[] = []): McpWanted => ({
  servers,
  left: [],
  asks,
});

const idle = (chat: Chat) =>
  eventually(() => expect(chat.editor.status.state, chat.editor.text).toBe('idle'));

const given = (agent: SessionAgent, method: string) =>
  agent.received(method).map(({ params }) => ({
    servers: params?.mcpServers,
    dirs: params?.additionalDirectories,
  }));

async function talk(chat: Chat, text: string): Promise<void> {
  chat.send(text);
  await eventually(() => expect(chat.editor.text).toContain(`echo: ${text.split(' [')[0]}`));
  await idle(chat);
}

/** A session that was held and closed, and what opens it again. */
async function former(agent: SessionAgent, options: ChatOptions) {
  const where = { cwd: tempDir(), stateDir: tempDir(), ...options };
  const chat = openChat(agent, where);
  await talk(chat, 'hello');
  await eventually(() => expect(chat.editor.status.key).toBeTruthy());
  const from = chat.editor.status.key!;
  await chat.sessions.end();
  return { ...where, from };
}

describe('MCP servers', () => {
  it('go along when a session is begun, loaded, resumed and forked', async () => {
    const mcp = wanted([STDIO, HTTP, SSE]);
    const all = { servers: ON_WIRE, dirs: undefined };
    const agent = sessionAgent();
    const held = await former(agent, { mcp });
    expect(given(agent, 'session/new')).toEqual([all]);
    const resumed = openChat(agent, held);
    await idle(resumed);
    expect(given(agent, 'session/resume')).toEqual([all]);
    await resumed.sessions.end();
    await idle(openChat(agent, { ...held, fork: true }));
    expect(given(agent, 'session/fork')).toEqual([all]);
    const loads = sessionAgent({ can: { resume: false } });
    await idle(openChat(loads, await former(loads, { mcp })));
    expect(given(loads, 'session/load')).toEqual([all]);
  });

  it('are left out where the agent can’t take them, and named once', async () => {
    const agent = sessionAgent({ mcp: { http: false, sse: false } });
    const chat = openChat(agent, { mcp: wanted([STDIO, HTTP, SSE]), idleTimeoutMs: 50 });
    await idle(chat);
    expect(given(agent, 'session/new')).toEqual([{ servers: [ON_WIRE[0]], dirs: undefined }]);
    expect(chat.editor.text).toContain('Keeper does not get 2 MCP servers');
    expect(chat.editor.text).toContain('docs: it takes none by HTTP');
    await eventually(() => expect(agent.alive()).toEqual([]));
    await talk(chat, 'again');
    expect(given(agent, 'session/resume')).toHaveLength(1);
    expect(chat.editor.text.match(/does not get/g)).toHaveLength(1);
  });

  it('that could not be had here are told, too', async () => {
    const left = [{ name: 'git\nhub', why: 'the variable TOKEN is not set' }];
    const chat = openChat(sessionAgent(), { mcp: { servers: [], left, asks: [] } });
    await idle(chat);
    expect(chat.editor.text).toContain(
      'Keeper does not get the MCP server git hub: the variable TOKEN is not set',
    );
  });

  it('leave no secret in any file of ours', async () => {
    const agent = sessionAgent();
    const held = await former(agent, { mcp: wanted([STDIO, HTTP, SSE]) });
    const chat = openChat(agent, held);
    await idle(chat);
    await chat.sessions.end();
    const files = readdirSync(held.stateDir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(held.stateDir, name))
      .filter((path) => statSync(path).isFile());
    const texts = files.map((path) => readFileSync(path, 'utf8'));
    expect(texts.join('\n')).toContain('/usr/bin/files');
    expect(files.filter((_, i) => texts[i]!.includes(SECRET))).toEqual([]);
  });
});

describe('a file that names servers', () => {
  const ask = (cwd: string): McpAsk => ({
    path: join(cwd, '.mcp.json'),
    digest: 'abc',
    lines: ['files   /usr/bin/files --root \u001b[31m/srv', 'docs   https://example.org'],
  });
  const asked = (options: Parameters<typeof sessionAgent>[0] = {}) => {
    const cwd = tempDir();
    const agent = sessionAgent(options);
    const chat = openChat(agent, { cwd, mcp: wanted([], [ask(cwd)]) });
    return { cwd, agent, chat };
  };
  const question = async (chat: Chat, nth = 1) => {
    await eventually(() => expect(chat.editor.opened).toHaveLength(nth));
    return chat.editor.opened[nth - 1]!;
  };

  it('is asked about before the session begins, while prompts can be sent', async () => {
    const { agent, chat, cwd } = asked();
    chat.editor.onDecide = () => wanted([STDIO]);
    const { id, title, detail, options } = await question(chat);
    expect(title).toBe('.mcp.json names 2 MCP servers for the agent');
    expect(detail.join('\n')).toContain('/usr/bin/files --root ^[[31m/srv');
    expect(options.map(({ name }) => name)).toEqual([
      'Use them',
      'Don’t use them',
      'Show the file first',
    ]);
    expect(chat.editor.text).toContain('docs   https://example.org');
    await eventually(() => expect(chat.editor.status.state).toBe('waiting'));
    chat.send('hello');
    expect(agent.received('initialize')).toHaveLength(1);
    expect(agent.received('session/new')).toEqual([]);
    chat.answer(id, 'allow');
    await eventually(() => expect(chat.editor.text).toContain('echo: hello'));
    expect(given(agent, 'session/new')).toEqual([{ servers: [ON_WIRE[0]], dirs: undefined }]);
    expect(chat.editor.sent('mcp.decide')).toEqual([
      { session: 's1', path: join(cwd, '.mcp.json'), digest: 'abc', choice: 'allow' },
    ]);
    // It was no part of the conversation.
    expect(chat.editor.text).not.toContain('example.org');
    expect(chat.editor.faults).toEqual([]);
  });

  it('is asked about again when it was shown, or has changed meanwhile', async () => {
    const { agent, chat, cwd } = asked();
    const answers = [wanted([], [ask(cwd)]), wanted([STDIO])];
    chat.editor.onDecide = () => answers.shift()!;
    chat.answer((await question(chat)).id, 'show');
    const again = await question(chat, 2);
    expect(agent.received('session/new')).toEqual([]);
    chat.answer(again.id, 'refuse');
    await idle(chat);
    expect(chat.editor.sent('mcp.decide').map(({ choice }) => choice)).toEqual(['show', 'refuse']);
  });

  it('gives nothing when it is refused', async () => {
    const { agent, chat } = asked();
    chat.answer((await question(chat)).id, 'refuse');
    await idle(chat);
    expect(given(agent, 'session/new')).toEqual([{ servers: [], dirs: undefined }]);
  });

  it('holds no session up that is to go on without an answer', async () => {
    const { agent, chat } = asked();
    await question(chat);
    chat.cancel();
    await idle(chat);
    expect(given(agent, 'session/new')).toEqual([{ servers: [], dirs: undefined }]);
    expect(chat.editor.messages().join()).toContain(':AcpMcp decides');
    expect(chat.editor.sent('mcp.decide')).toEqual([]);
  });

  it('is asked about anew when the agent ended meanwhile', async () => {
    const { agent, chat } = asked();
    await question(chat);
    process.kill(agent.pids()[0]!, 'SIGKILL');
    await eventually(() => expect(chat.editor.status.state).toBe('dead'));
    chat.editor.onDecide = () => wanted([STDIO]);
    chat.send('hello');
    chat.answer((await question(chat, 2)).id, 'allow');
    await eventually(() => expect(chat.editor.text).toContain('echo: hello'));
    expect(given(agent, 'session/new')).toEqual([{ servers: [ON_WIRE[0]], dirs: undefined }]);
  });

  it('of which the user has thought better is used by an open session after its turn', async () => {
    const agent = sessionAgent();
    const chat = openChat(agent, { mcp: wanted([]) });
    chat.send('hello [[wait go]]');
    await eventually(() => expect(chat.editor.text).toContain('echo: hello'));
    chat.tell('session.mcp', { mcp: wanted([STDIO]) });
    expect(agent.received('session/resume')).toEqual([]);
    writeFileSync(join(chat.cwd, 'go'), '');
    await eventually(() => {
      expect(given(agent, 'session/resume')).toEqual([{ servers: [ON_WIRE[0]], dirs: undefined }]);
    });
    await talk(chat, 'on');
    expect(agent.pids()).toHaveLength(1);
    expect(agent.sessions()).toMatchObject([{ prompts: ['hello [[wait go]]', 'on'] }]);
  });
});

describe('further folders', () => {
  const folder = () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'beside.txt'), 'beside\n');
    return dir;
  };

  it('go along in full each time, and come back with the session', async () => {
    const [one, two] = [folder(), folder()];
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir(), dirs: [one] };
    const chat = openChat(agent, where);
    await talk(chat, 'hello');
    expect(given(agent, 'session/new')).toEqual([{ servers: [], dirs: [one] }]);
    chat.tell('session.dirs', { dirs: [one, two] });
    await eventually(() => {
      expect(given(agent, 'session/resume')).toEqual([{ servers: [], dirs: [one, two] }]);
    });
    await idle(chat);
    await eventually(() => expect(chat.editor.status.dirs).toEqual([one, two]));
    expect(chat.editor.text.match(/echo: hello/g)).toHaveLength(1);
    const from = chat.editor.status.key!;
    await chat.sessions.end();
    const again = openChat(agent, { ...where, from });
    await idle(again);
    expect(given(agent, 'session/resume').at(-1)).toEqual({ servers: [], dirs: [one, two] });
    expect(again.editor.status.dirs).toEqual([one, two]);
  });

  it('that are added while the session opens are given as soon as it is open', async () => {
    const dir = folder();
    const sessionCapabilities = { resume: {}, additionalDirectories: {} };
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: { sessionCapabilities } } },
      { expect: 'session/new', as: 'new' },
      { sh: 'until [ -e go ]; do sleep 0.02; done' },
      { reply: { sessionId: 'a' }, to: 'new' },
      { expect: 'session/resume' },
      { reply: {} },
    ]);
    const chat = openChat(agent);
    await eventually(() => expect(agent.received('session/new')).toHaveLength(1));
    chat.tell('session.dirs', { dirs: [dir] });
    writeFileSync(join(chat.cwd, 'go'), '');
    await eventually(() => {
      const [resume] = agent.received('session/resume');
      expect(resume?.params).toMatchObject({ sessionId: 'a', additionalDirectories: [dir] });
    });
    await idle(chat);
  });

  it('are read and written through us, and others are not', async () => {
    const [dir, other] = [folder(), folder()];
    const read = (path: string): Step => ({
      request: { method: 'fs/read_text_file', params: { path: join(path, 'beside.txt') } },
    });
    const agent = scriptedAgent([
      { expect: 'session/prompt', as: 'prompt' },
      read(dir),
      read(other),
      { reply: { stopReason: 'end_turn' }, to: 'prompt' },
    ]);
    const chat = openChat(agent);
    await idle(chat);
    chat.tell('session.dirs', { dirs: [dir] });
    chat.send('read');
    await eventually(() => {
      const answers = agent.received().filter(({ method }) => method === undefined);
      expect(answers).toMatchObject([
        { result: { content: 'beside\n' } },
        { error: { code: -32602 } },
      ]);
    });
  });

  it('are those of a fork, too, for good', async () => {
    const dir = folder();
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const chat = openChat(agent, where);
    await talk(chat, 'hello');
    chat.tell('session.dirs', { dirs: [dir] });
    await eventually(() => expect(given(agent, 'session/resume')).toHaveLength(1));
    await idle(chat);
    const key = chat.editor.status.key!;
    await chat.sessions.end();
    const fork = openChat(agent, { ...where, from: key, fork: true });
    await talk(fork, 'aside');
    const from = fork.editor.status.key!;
    await fork.sessions.end();
    await idle(openChat(agent, { ...where, from }));
    expect(given(agent, 'session/fork')).toEqual([{ servers: [], dirs: [dir] }]);
    expect(given(agent, 'session/resume').at(-1)).toEqual({ servers: [], dirs: [dir] });
  });

  it('are given by a load that says nothing twice where the agent can’t resume', async () => {
    const dir = folder();
    const agent = sessionAgent({ can: { resume: false } });
    const chat = openChat(agent);
    await talk(chat, 'hello');
    const before = chat.editor.text;
    chat.tell('session.dirs', { dirs: [dir] });
    await eventually(() => {
      expect(given(agent, 'session/load')).toEqual([{ servers: [], dirs: [dir] }]);
    });
    await idle(chat);
    expect(chat.editor.text).toBe(before);
  });

  it('wait for the end of a turn, and prompts that wait go behind them', async () => {
    const dir = folder();
    const agent = sessionAgent();
    const chat = openChat(agent);
    chat.send('one [[wait go]]');
    await eventually(() => expect(chat.editor.text).toContain('echo: one'));
    chat.send('two');
    chat.tell('session.dirs', { dirs: [dir] });
    writeFileSync(join(chat.cwd, 'go'), '');
    await eventually(() => expect(chat.editor.text).toContain('echo: two'));
    const order = agent.received().flatMap(({ method }) => method ?? []);
    expect(order.filter((method) => /prompt|resume/.test(method))).toEqual([
      'session/prompt',
      'session/resume',
      'session/prompt',
    ]);
  });

  it('are kept from an agent that takes none, which is said', async () => {
    const [one, two] = [folder(), folder()];
    const agent = sessionAgent({ can: { additionalDirectories: false } });
    const chat = openChat(agent, { dirs: [one] });
    await talk(chat, 'hello');
    const said = () =>
      chat.editor.messages().filter((it) => it.includes('Keeper takes no further folders'));
    expect(said()).toHaveLength(1);
    chat.tell('session.dirs', { dirs: [one, two] });
    await eventually(() => expect(said()).toHaveLength(2));
    expect(given(agent, 'session/new')).toEqual([{ servers: [], dirs: undefined }]);
    expect(agent.received('session/resume')).toEqual([]);
    await eventually(() => expect(chat.editor.status.dirs).toEqual([one, two]));
  });

  it('leave the session as it was where the agent fails to take them', async () => {
    const dir = folder();
    const agent = sessionAgent({
      fails: { 'session/resume': -32603, 'session/load': -32603 },
    });
    const chat = openChat(agent);
    await talk(chat, 'hello');
    chat.tell('session.dirs', { dirs: [dir] });
    await eventually(() => expect(chat.editor.text).toContain('could not open this session with'));
    await talk(chat, 'on');
    expect(agent.sessions()).toMatchObject([{ prompts: ['hello', 'on'] }]);
  });

  it('that are gone are left out, and named', async () => {
    const dir = folder();
    rmSync(dir, { recursive: true });
    const agent = sessionAgent();
    const chat = openChat(agent, { dirs: [dir] });
    await idle(chat);
    expect(given(agent, 'session/new')).toEqual([{ servers: [], dirs: undefined }]);
    expect(chat.editor.text).toContain(`There is no folder ${dir} any more`);
  });

  it('hold files that are found for mentions', async () => {
    const dir = folder();
    const chat = openChat(sessionAgent());
    await idle(chat);
    chat.tell('session.dirs', { dirs: [dir] });
    await idle(chat);
    chat.tell('files.find', { id: 1, query: 'beside', limit: 5 });
    await eventually(() => {
      expect(chat.editor.sent('files.found')).toMatchObject([{ paths: [join(dir, 'beside.txt')] }]);
    });
  });

  it('are reviewed from the next turn on', async () => {
    const dir = folder();
    const agent = sessionAgent();
    const chat = openChat(agent);
    await talk(chat, 'hello');
    writeFileSync(join(dir, 'mine.txt'), 'mine\n');
    chat.tell('session.dirs', { dirs: [dir] });
    await idle(chat);
    const path = relative(chat.cwd, join(dir, 'beside.txt'));
    await talk(chat, `change [[edit ${path} other]]`);
    await eventually(() => {
      expect(chat.editor.status.review).toEqual({ files: 1, added: 1, removed: 1 });
    });
    expect(readFileSync(join(dir, 'beside.txt'), 'utf8')).toBe('other\n');
    expect(chat.editor.faults).toEqual([]);
  });
});
