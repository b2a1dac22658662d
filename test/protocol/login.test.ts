import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, sessionAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat, type ChatOptions } from './fake-editor';

const REFUSED: Step = { error: { code: -32000, message: 'Authentication required' } };
const NEW: Step = { expect: 'session/new' };
const PROMPT: Step = { expect: 'session/prompt' };
const DONE: Step = { reply: { stopReason: 'end_turn' } };
const SESSION: Step = { reply: { sessionId: 's' } };

const BROWSER = { id: 'browser', name: 'Browser', description: 'opens a page' };
const KEY = { id: 'api-key', name: 'API Key', _meta: { 'api-key': { provider: 'openai' } } };

const hello = (authMethods: object[], capabilities = {}): Step[] => [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'scripted', title: 'Scripted', version: '1' },
      agentCapabilities: capabilities,
      authMethods,
    },
  },
];

const choices = ({ editor }: Chat) => editor.sent('login.choose');
const states = ({ editor }: Chat) => editor.sent('login.state').map(({ state }) => state);
const start = (chat: Chat, method: string, values?: object) =>
  chat.tell('login.start', { method, ...(values && { values }) });

/** A chat whose agent wants a login, with a prompt that waits for it. */
async function refused(agent: ScriptedAgent, options?: ChatOptions): Promise<Chat> {
  const chat = openChat(agent, options);
  chat.send('hello');
  await eventually(() => expect(choices(chat).at(-1)?.held).toBe(1));
  return chat;
}

describe('an agent that wants a login', () => {
  it('has its ways offered, and the prompt goes on by itself after one', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      REFUSED,
      { expect: 'authenticate', as: 'auth' },
      { reply: {} },
      NEW,
      SESSION,
      PROMPT,
      chunk('at last'),
      DONE,
    ]);
    const chat = await refused(agent);
    const [choice] = choices(chat);
    expect(choice).toEqual({
      session: 's1',
      agent: 'Scripted',
      reason: 'Authentication required',
      methods: [{ ...BROWSER, type: 'agent' }],
      held: expect.any(Number) as number,
    });
    expect(chat.editor.text).toContain('Scripted wants you to log in: Authentication required');
    expect(chat.editor.text).toContain('Browser: opens a page');
    expect(chat.editor.status).toMatchObject({ state: 'idle', account: { state: 'out' } });
    expect(chat.editor.status.queue).toMatchObject([{ text: 'hello' }]);
    start(chat, 'browser');
    await eventually(() => expect(chat.editor.text).toContain('at last'));
    expect(agent.received('authenticate')).toMatchObject([{ params: { methodId: 'browser' } }]);
    expect(agent.pids()).toHaveLength(1);
    expect(states(chat)).toEqual(['running', 'done']);
    expect(chat.editor.restored).toEqual([]);
    expect(chat.editor.status.account).toBeUndefined();
    expect(chat.editor.faults).toEqual([]);
  });

  it('keeps the prompt where none is chosen, and says how to go on', async () => {
    const chat = await refused(scriptedAgent([...hello([BROWSER]), NEW, REFUSED]));
    chat.tell('login.cancel');
    await eventually(() => expect(chat.editor.restored).toEqual(['hello']));
    expect(chat.editor.messages().join()).toContain(':AcpLogin');
  });

  it.each([
    ['session/load', { resume: false }],
    ['session/resume', { load: false }],
  ] as const)('may say so when a session is opened again by %s', async (method, can) => {
    const agent = sessionAgent({ can, fails: { [method]: -32000 } });
    const first = openChat(agent);
    first.send('one');
    await eventually(() => expect(first.editor.status.state).toBe('idle'));
    await eventually(() => expect(first.editor.status.key).toBeDefined());
    await first.sessions.end();
    const { stateDir, cwd } = first;
    const chat = openChat(agent, { stateDir, cwd, from: first.editor.status.key! });
    await eventually(() => expect(chat.editor.text).toContain('wants you to log in'));
  });

  it('may say so when it gets the prompt, which then waits and goes on', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      SESSION,
      PROMPT,
      REFUSED,
      { expect: 'authenticate' },
      { reply: {} },
      PROMPT,
      chunk('at last'),
      DONE,
    ]);
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(choices(chat)).toEqual([]);
    chat.send('hello');
    await eventually(() => expect(choices(chat)).toMatchObject([{ held: 1 }]));
    await eventually(() => expect(chat.editor.status.held).toBe(true));
    start(chat, 'browser');
    await eventually(() => expect(chat.editor.text).toContain('at last'));
    expect(chat.editor.kinds().filter((kind) => kind === 'user')).toHaveLength(1);
    await eventually(() => expect(chat.editor.status.account).toBeUndefined());
  });

  it('may list ways in the error', async () => {
    const data = { authMethods: [{ id: 'x', name: 'X', type: 'agent' }] };
    const agent = scriptedAgent([
      ...hello([]),
      NEW,
      { error: { code: -32000, message: 'Log in', data } },
    ]);
    const chat = await refused(agent);
    expect(choices(chat)[0]?.methods).toEqual([{ id: 'x', name: 'X', type: 'agent' }]);
    expect(chat.editor.status.login?.methods).toEqual([{ id: 'x', name: 'X' }]);
  });

  it('may name no way: then it is said where to look, and the prompt is kept', async () => {
    const chat = openChat(scriptedAgent([...hello([]), NEW, REFUSED]));
    chat.send('hello');
    await eventually(() => expect(chat.editor.restored).toEqual(['hello']));
    expect(chat.editor.text).toContain('own program in a terminal');
    expect(choices(chat)).toEqual([]);
  });

  it('is tried once after a login that did not help; the ways that are left are offered', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER, KEY]),
      NEW,
      REFUSED,
      { expect: 'authenticate' },
      { reply: {} },
      NEW,
      REFUSED,
    ]);
    const chat = await refused(agent);
    start(chat, 'browser');
    await eventually(() => expect(choices(chat)).toHaveLength(2));
    expect(choices(chat)[1]?.methods.map(({ id }) => id)).toEqual(['api-key']);
    expect(chat.editor.text).toContain('still wants a login after ‘Browser’');
    expect(chat.editor.text).toContain('Ways that are left');
    expect(states(chat)).toEqual(['running', 'failed']);
    expect(agent.received('session/new')).toHaveLength(2);
    expect(chat.editor.status.queue).toMatchObject([{ text: 'hello' }]);
  });

  it('gets a process of its own where the prompt is sent once more: it may look only when it starts', async () => {
    const agent = scriptedAgent([...hello([BROWSER]), NEW, REFUSED], [PROMPT, chunk('hi'), DONE]);
    const chat = await refused(agent);
    chat.send('again');
    await eventually(() => expect(chat.editor.text).toContain('hi'));
    expect(agent.pids()).toHaveLength(2);
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(2));
  });
});

describe('a login by the agent itself', () => {
  it('can be given up where it never answers, and the agent is told', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      REFUSED,
      { expect: 'authenticate', as: 'auth' },
      { expect: '$/cancel_request', as: 'cancel' },
      { expect: 'never' },
    ]);
    const chat = await refused(agent);
    start(chat, 'browser');
    await eventually(() => expect(agent.received('authenticate')).toHaveLength(1));
    chat.tell('login.cancel');
    await eventually(() => expect(chat.editor.restored).toEqual(['hello']));
    const [{ id }] = agent.received('authenticate') as [{ id: number }];
    await eventually(() =>
      expect(agent.received('$/cancel_request')).toMatchObject([{ params: { requestId: id } }]),
    );
    expect(states(chat)).toEqual(['running', 'failed']);
    // Another one can be begun.
    chat.tell('login.open');
    await eventually(() => expect(choices(chat)).toHaveLength(2));
  });

  it('is offered again where it fails, with the reason', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      REFUSED,
      { expect: 'authenticate' },
      { error: { code: -32603, message: 'no browser' } },
    ]);
    const chat = await refused(agent);
    start(chat, 'browser');
    await eventually(() => expect(choices(chat).at(-1)?.reason).toBe('no browser'));
    expect(chat.editor.text).toContain('could not log in by ‘Browser’: no browser');
    expect(choices(chat).at(-1)?.held).toBe(1);
  });

  it('ends with the agent, and the prompt is kept', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      REFUSED,
      { expect: 'authenticate' },
      { exit: 3 },
    ]);
    const chat = await refused(agent);
    start(chat, 'browser');
    await eventually(() => expect(chat.editor.restored).toEqual(['hello']));
    await eventually(() => expect(chat.editor.text).toContain('exited with code 3'));
    await eventually(() => expect(states(chat)).toEqual(['running', 'failed']));
  });

  it('is not disturbed by a prompt that is sent meanwhile', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      NEW,
      REFUSED,
      { expect: 'authenticate', as: 'auth' },
      { delay: 200 },
      { reply: {}, to: 'auth' },
      NEW,
      SESSION,
      PROMPT,
      DONE,
      PROMPT,
      chunk('both'),
      DONE,
    ]);
    const chat = await refused(agent);
    start(chat, 'browser');
    chat.send('second');
    await eventually(() => expect(chat.editor.text).toContain('both'));
    expect(agent.pids()).toHaveLength(1);
  });
});

describe('a login in a terminal', () => {
  const OWN = {
    id: 'own',
    name: 'Subscription',
    type: 'terminal',
    args: ['--cli', 'login'],
    env: { MODE: 'x' },
  };

  it('runs the agent’s own program; afterwards its process is had anew, and the prompt goes on', async () => {
    const agent = scriptedAgent(
      [...hello([OWN]), NEW, REFUSED],
      [...hello([OWN]), NEW, SESSION, PROMPT, chunk('at last'), DONE],
    );
    const chat = await refused(agent);
    start(chat, 'own');
    await eventually(() => expect(chat.editor.sent('login.terminal')).toHaveLength(1));
    expect(chat.editor.sent('login.terminal')[0]).toEqual({
      session: 's1',
      method: 'own',
      name: 'Subscription',
      command: agent.command,
      args: [...agent.args, '--cli', 'login'],
      env: { MODE: 'x' },
      cwd: chat.cwd,
    });
    chat.tell('login.ended', { method: 'own', code: 0 });
    await eventually(() => expect(chat.editor.text).toContain('at last'));
    expect(agent.pids()).toHaveLength(2);
    await eventually(() => expect(agent.alive()).toHaveLength(1));
    expect(agent.received('authenticate')).toEqual([]);
    expect(states(chat)).toEqual(['done']);
    expect(chat.editor.faults).toEqual([]);
  });

  it('runs the very command that the agent names, and says that it is the agent’s', async () => {
    const meta = { command: 'other', args: ['auth', 'login'], env: { A: 'b' }, label: 'Log in' };
    const way = { id: 'named', name: 'Named', _meta: { 'terminal-auth': meta } };
    const chat = await refused(scriptedAgent([...hello([way]), NEW, REFUSED]));
    start(chat, 'named');
    await eventually(() =>
      expect(chat.editor.sent('login.terminal')).toMatchObject([
        { command: 'other', args: ['auth', 'login'], env: { A: 'b' }, foreign: true },
      ]),
    );
  });

  it.each([
    [1, 'ended with code 1'],
    [undefined, 'could not be started'],
  ])('keeps the prompt where it ends with %s', async (code, words) => {
    const chat = await refused(scriptedAgent([...hello([OWN]), NEW, REFUSED]));
    start(chat, 'own');
    chat.tell('login.ended', { method: 'own', ...(code !== undefined && { code }) });
    await eventually(() => expect(chat.editor.restored).toEqual(['hello']));
    expect(chat.editor.messages().join()).toContain(words);
  });

  it('helps all sessions of the agent that rest, and leaves alone what works', async () => {
    const agent = scriptedAgent(
      [
        ...hello([OWN], { sessionCapabilities: { resume: {} } }),
        NEW,
        { reply: { sessionId: 'a' } },
        NEW,
        REFUSED,
        PROMPT,
        { expect: 'finish', as: 'finish' },
      ],
      [...hello([OWN]), NEW, { reply: { sessionId: 'b' } }, PROMPT, chunk('second'), DONE],
    );
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    const second = { session: 's2', agent: { ...agent }, cwd: chat.cwd, columns: 80 };
    chat.sessions.handle(
      'session.open',
      JSON.parse(
        JSON.stringify({
          ...second,
          agent: { name: agent.name, command: agent.command, args: agent.args },
        }),
      ),
    );
    await eventually(() => expect(choices(chat)).toHaveLength(1));
    chat.send('first');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    chat.sessions.handle('login.start', { session: 's2', method: 'own' });
    chat.sessions.handle('login.ended', { session: 's2', method: 'own', code: 0 });
    chat.sessions.handle('prompt.send', { session: 's2', text: 'two' });
    await eventually(() => expect(chat.editor.text).toContain('second'));
    expect(agent.alive()).toHaveLength(2);
  });
});

describe('a login with values', () => {
  const SECRET = 'correct-horse-battery-staple';

  /** All that is kept of this Neovim, in one text. */
  function kept(dir: string): string {
    const files = readdirSync(dir, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
      .join('\n');
  }

  it('sends a key in that one call, and keeps, logs and shows it nowhere, whatever the agent says', async () => {
    const agent = scriptedAgent([
      ...hello([KEY]),
      NEW,
      REFUSED,
      { expect: 'authenticate', as: 'auth' },
      { notify: { method: '_note', params: { got: `the key ${SECRET}` } } },
      { stderr: `got ${SECRET}\n` },
      { error: { code: -32603, message: `bad key ${SECRET}`, data: { key: SECRET } }, to: 'auth' },
    ]);
    const chat = await refused(agent);
    expect(choices(chat)[0]?.methods).toMatchObject([
      { id: 'api-key', type: 'fields', fields: [{ name: 'apiKey', secret: true }] },
    ]);
    start(chat, 'api-key', { apiKey: SECRET });
    await eventually(() => expect(choices(chat)).toHaveLength(2));
    expect(agent.received('authenticate')).toMatchObject([
      { params: { methodId: 'api-key', _meta: { 'api-key': { apiKey: SECRET } } } },
    ]);
    expect(chat.editor.text).toContain('bad key …');
    await chat.sessions.end();
    // The log is written a little later.
    await eventually(() => expect(kept(chat.stateDir)).toContain('"exit"'));
    const all = kept(chat.stateDir);
    expect(all).toContain('"methodId":"api-key"');
    expect(all).toContain('the key [redacted]');
    expect(all).not.toContain(SECRET);
    expect(JSON.stringify(chat.editor.calls)).not.toContain(SECRET);
    expect(chat.editor.faults.join()).not.toContain(SECRET);
  });

  it('does not show a key that an agent says as it ends', async () => {
    const agent = scriptedAgent([
      ...hello([KEY]),
      NEW,
      REFUSED,
      { expect: 'authenticate' },
      { stderr: `fatal: ${SECRET}\n` },
      { exit: 1 },
    ]);
    const chat = await refused(agent);
    start(chat, 'api-key', { apiKey: SECRET });
    await eventually(() => expect(chat.editor.text).toContain('fatal: …'));
    await chat.sessions.end();
    expect(kept(chat.stateDir)).not.toContain(SECRET);
  });

  it('sends the address and the key of a gateway', async () => {
    const way = { id: 'gateway', name: 'Gateway', _meta: { gateway: { protocol: 'anthropic' } } };
    const agent = scriptedAgent([
      ...hello([way]),
      NEW,
      REFUSED,
      { expect: 'authenticate' },
      { reply: {} },
      NEW,
      SESSION,
    ]);
    const chat = await refused(agent);
    start(chat, 'gateway', { baseUrl: 'https://example.org', header: SECRET });
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    expect(agent.received('authenticate')[0]?.params).toEqual({
      methodId: 'gateway',
      _meta: {
        gateway: {
          baseUrl: 'https://example.org',
          headers: { Authorization: `Bearer ${SECRET}` },
        },
      },
    });
    await chat.sessions.end();
    await eventually(() => expect(kept(chat.stateDir)).toContain('"exit"'));
    expect(kept(chat.stateDir)).not.toContain(SECRET);
  });
});

describe('what is not asked for', () => {
  it('no login, where the agent works', async () => {
    const agent = scriptedAgent([...hello([BROWSER, KEY]), NEW, SESSION, PROMPT, DONE]);
    const chat = openChat(agent);
    chat.send('hello');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(agent.received('authenticate')).toEqual([]);
    expect(choices(chat)).toEqual([]);
  });

  it('nothing of an agent that says it is logged out, before it is needed', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER]),
      { notify: { method: '_auth/status_update', params: { authStatus: { kind: 'none' } } } },
      NEW,
      SESSION,
    ]);
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.account).toEqual({ state: 'out' }));
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    expect(choices(chat)).toEqual([]);
  });
});

describe('who is logged in', () => {
  it('is asked where the agent takes that, and told to all its sessions', async () => {
    const accounts = [{ label: 'old' }, { label: 'Team', email: 'ann@example.org', active: true }];
    const agent = scriptedAgent([
      ...hello([], { auth: { status: {}, logout: {} } }),
      { expect: 'auth/status' },
      { reply: { state: 'authenticated', accounts } },
    ]);
    const chat = openChat(agent);
    await eventually(() =>
      expect(chat.editor.status.account).toEqual({ state: 'in', label: 'Team, ann@example.org' }),
    );
    expect(chat.editor.status.login).toEqual({ methods: [], out: true });
    const spec = { name: agent.name, command: agent.command, args: agent.args };
    delete chat.editor.status.account;
    const later = { session: 's2', agent: spec, cwd: chat.cwd, columns: 80 };
    chat.sessions.handle('session.open', later);
    await eventually(() => expect(chat.editor.status.account?.label).toContain('Team'));
  });

  it('is told by pushes of both kinds', async () => {
    const label = 'Anthropic API key';
    const agent = scriptedAgent([
      NEW,
      SESSION,
      {
        notify: {
          method: '_auth/status_update',
          params: { authStatus: { kind: 'api_key', label, detail: 'ANTHROPIC_API_KEY' } },
        },
      },
      PROMPT,
      { notify: { method: 'auth/status_update', params: { state: 'unauthenticated' } } },
      DONE,
    ]);
    const chat = openChat(agent);
    await eventually(() =>
      expect(chat.editor.status.account).toEqual({
        state: 'in',
        label: 'Anthropic API key, ANTHROPIC_API_KEY',
      }),
    );
    chat.send('hello');
    await eventually(() => expect(chat.editor.status.account).toEqual({ state: 'out' }));
  });

  it('is logged out by ACP’s own request', async () => {
    const agent = scriptedAgent([
      ...hello([BROWSER], { auth: { logout: {} } }),
      NEW,
      SESSION,
      { expect: 'logout' },
      { reply: {} },
    ]);
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.state).toBe('idle'));
    chat.tell('login.out');
    await eventually(() => expect(chat.editor.status.account).toEqual({ state: 'out' }));
    expect(chat.editor.messages().join()).toContain('logged out at Scripted');
  });

  it('is not logged out where the agent does not take that', async () => {
    const agent = scriptedAgent([...hello([BROWSER]), NEW, SESSION]);
    const chat = openChat(agent);
    chat.tell('login.out');
    await eventually(() => expect(chat.editor.messages().join()).toContain('can’t be logged out'));
    expect(agent.received('logout')).toEqual([]);
  });

  it('hears why it could not be logged out', async () => {
    const agent = scriptedAgent([
      ...hello([], { auth: { logout: {} } }),
      NEW,
      SESSION,
      { expect: 'logout' },
      { error: { code: -32603, message: 'not now' } },
    ]);
    const chat = openChat(agent);
    chat.tell('login.out');
    await eventually(() => expect(chat.editor.messages().join()).toContain('not now'));
  });
});

describe(':AcpLogin', () => {
  it('tells the ways of an agent that works', async () => {
    const chat = openChat(scriptedAgent([...hello([BROWSER]), NEW, SESSION]));
    chat.tell('login.open');
    await eventually(() => expect(choices(chat)).toMatchObject([{ held: 0 }]));
    expect(choices(chat)[0]).not.toHaveProperty('reason');
  });

  it('says so where there is none', async () => {
    const chat = openChat(scriptedAgent([]));
    chat.tell('login.open');
    await eventually(() => expect(chat.editor.messages().join()).toContain('no way to log in'));
  });

  it('starts an agent that does not run', async () => {
    const agent = scriptedAgent([...hello([BROWSER]), NEW, SESSION, { exit: 0 }], hello([BROWSER]));
    const chat = openChat(agent);
    await eventually(() => expect(chat.editor.status.state).toBe('dead'));
    chat.tell('login.open');
    await eventually(() => expect(choices(chat)).toHaveLength(1));
  });

  it('starts one whose options are functions, too, as they say now', async () => {
    const agent = scriptedAgent([...hello([BROWSER]), NEW, SESSION, { exit: 0 }], hello([BROWSER]));
    const { name, command, args } = agent;
    const chat = openChat({ name, command, args, live: true });
    chat.editor.onSpec = () => ({ agent: { name, command, args, live: true } });
    await eventually(() => expect(chat.editor.status.state).toBe('dead'));
    chat.tell('login.open');
    await eventually(() => expect(choices(chat)).toHaveLength(1));
    expect(chat.editor.sent('agent.spec')).toHaveLength(1);
    expect(chat.editor.sent('notify')).toEqual([]);
  });
});

it('a page that the agent wants to be opened for its login is asked in the session that logs in', async () => {
  const url = 'https://example.org/device?code=ABCD';
  const agent = scriptedAgent([
    ...hello([BROWSER]),
    NEW,
    REFUSED,
    { expect: 'authenticate', as: 'auth' },
    {
      request: {
        method: 'elicitation/create',
        params: {
          sessionId: '',
          requestId: '${auth.id}',
          mode: 'url',
          elicitationId: 'e',
          url,
          message: 'Enter the code ABCD',
        },
      },
      as: 'answer',
    },
    { answer: 'answer' },
    { reply: {}, to: 'auth' },
    NEW,
    SESSION,
  ]);
  const chat = await refused(agent);
  start(chat, 'browser');
  await eventually(() => expect(chat.editor.opened).toMatchObject([{ url: { url } }]));
  chat.answer(chat.editor.opened[0]!.id, 'accept');
  await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
  expect(agent.faults()).toEqual([]);
});

it('what the agent asks outside of any session while it logs in is asked in that session', async () => {
  const agent = scriptedAgent([
    ...hello([BROWSER]),
    NEW,
    REFUSED,
    { expect: 'authenticate', as: 'auth' },
    {
      request: {
        method: 'session/request_permission',
        params: {
          sessionId: '',
          toolCall: { toolCallId: 't', title: 'Open a page' },
          options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
        },
      },
      as: 'answer',
    },
    { answer: 'answer' },
    { reply: {}, to: 'auth' },
    NEW,
    SESSION,
  ]);
  const chat = await refused(agent);
  start(chat, 'browser');
  await eventually(() => expect(chat.editor.opened).toHaveLength(1));
  chat.answer(chat.editor.opened[0]!.id, 'yes');
  await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
});
