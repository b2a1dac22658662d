/** Sessions over restarts: opened again by what the agent can, or read. */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Store } from '../../src/store/store';
import { eventually, sessionAgent, tempDir, type SessionAgent } from '../harness';
import { listed, openChat, type Chat, type ChatOptions } from './fake-editor';

const idle = (chat: Chat) =>
  eventually(() => expect(chat.editor.status.state, chat.editor.text).toBe('idle'));

const settled = async (chat: Chat, text: string) => {
  await eventually(() => expect(chat.editor.text).toContain(text));
  await idle(chat);
};

/** A conversation that was held and closed, and what is needed to open it again. */
async function former(agent: SessionAgent, prompts = ['hello']) {
  const where = { cwd: tempDir(), stateDir: tempDir() };
  const chat = openChat(agent, where);
  for (const prompt of prompts) {
    chat.send(prompt);
    await settled(chat, `echo: ${prompt.split(' [')[0]}`);
  }
  await eventually(() => expect(chat.editor.status.key).toBeTruthy());
  const from = chat.editor.status.key!;
  await chat.sessions.end();
  return { ...where, from, shown: chat.editor.text };
}

async function again(agent: SessionAgent, options: ChatOptions): Promise<Chat> {
  const chat = openChat(agent, options);
  await eventually(() => expect(chat.editor.status.state).toMatch(/idle|saved|dead/));
  return chat;
}

/** A state folder as it is when its process is killed now: what was written, and nobody who holds it. */
function killed(stateDir: string): string {
  const copy = tempDir();
  cpSync(join(stateDir, 'sessions'), join(copy, 'sessions'), { recursive: true });
  for (const name of readdirSync(copy, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.lock')) rmSync(join(copy, name));
  }
  return copy;
}

const FORGOTTEN = 'has forgotten this session';

describe('a session that is opened again', () => {
  it('is resumed where we hold its transcript and the agent can', async () => {
    const agent = sessionAgent();
    const { shown, ...options } = await former(agent);
    const chat = await again(agent, options);
    await idle(chat);
    expect(chat.editor.text).toBe(shown);
    expect(agent.received('session/resume')).toHaveLength(1);
    expect(agent.received('session/load')).toHaveLength(0);
    chat.send('more');
    await settled(chat, 'echo: more');
    expect(agent.sessions()).toMatchObject([{ prompts: ['hello', 'more'] }]);
    expect(chat.editor.faults).toEqual([]);
  });

  it('takes what comes right behind its opening', async () => {
    const agent = sessionAgent();
    const chat = openChat(agent, await former(agent));
    chat.send('at once');
    await settled(chat, 'echo: at once');
    expect(chat.editor.faults).toEqual([]);
    expect(agent.sessions()).toMatchObject([{ prompts: ['hello', 'at once'] }]);
  });

  it('is loaded where it can’t be resumed, and its replay says nothing twice', async () => {
    const agent = sessionAgent({ can: { resume: false } });
    const { shown, ...options } = await former(agent, ['hello', 'and [[tool]] [[think]]']);
    const chat = await again(agent, options);
    await idle(chat);
    expect(agent.received('session/load')).toHaveLength(1);
    expect(chat.editor.text).toBe(shown);
  });

  it('can be read where the agent has forgotten it, with why', async () => {
    const agent = sessionAgent({
      fails: { 'session/load': -32002, 'session/resume': -32603 },
    });
    const { shown, ...options } = await former(agent);
    const chat = await again(agent, options);
    expect(chat.editor.status.state).toBe('saved');
    expect(chat.editor.text).toContain(shown);
    expect(chat.editor.text).toContain(FORGOTTEN);
    expect(agent.received('session/new')).toHaveLength(1);
  });

  it('gives a prompt back while it can only be read, and begins anew when that is wanted', async () => {
    const agent = sessionAgent({ can: { load: false, resume: false } });
    const chat = await again(agent, await former(agent));
    expect(chat.editor.status.state).toBe('saved');
    chat.send('go on');
    await eventually(() => expect(chat.editor.restored).toEqual(['go on']));
    chat.tell('prompt.send', {
      text: 'go on',
      attachments: [{ type: 'conversation' }],
      anew: true,
      draft: { text: '', attachments: [] },
    });
    await settled(chat, 'echo: go on');
    const [, prompt] = agent.received('session/prompt');
    expect(JSON.stringify(prompt?.params?.prompt)).toContain('echo: hello');
    expect(agent.sessions()).toHaveLength(2);
  });

  it('gives back what was sent while it was not yet known that the agent has forgotten it', async () => {
    const agent = sessionAgent({ can: { load: false, resume: false } });
    const chat = openChat(agent, await former(agent));
    chat.send('go on');
    await eventually(() => expect(chat.editor.status.state).toBe('saved'));
    await eventually(() => expect(chat.editor.restored).toEqual(['go on']));
  });

  it('says so when the agent loads it and tells nothing of it', async () => {
    const agent = sessionAgent({ can: { resume: false } });
    const options = await former(agent);
    const forgetful = sessionAgent({ can: { resume: false }, opensUnknown: true });
    const chat = await again(forgetful, options);
    await idle(chat);
    expect(chat.editor.text).toContain('told nothing of it');
  });

  it('has what Neovim said with its last breath', async () => {
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(sessionAgent(), where);
    first.send('last words');
    await first.sessions.end();
    const limits = { maxAgeMs: 1e9, maxBytes: 1e9 };
    const onFault = () => {};
    const store = new Store({ stateDir: where.stateDir, limits, now: Date.now, onFault });
    expect(await store.list(where.cwd)).toMatchObject([{ first: 'last words' }]);
  });

  it('takes a prompt that was sent to its former process, once', async () => {
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(agent, where);
    first.tell('prompt.send', { text: 'hello', at: 1001 });
    await settled(first, 'echo: hello');
    const from = first.editor.status.key!;
    expect(first.editor.sent('prompt.taken')).toEqual([{ session: 's1', at: 1001, key: from }]);
    const chat = await again(agent, { ...where, stateDir: killed(where.stateDir), from });
    chat.tell('prompt.send', { text: 'hello', at: 1001 });
    chat.tell('prompt.send', { text: 'hello', at: 1002 });
    await eventually(() =>
      expect(chat.editor.sent('prompt.taken').map(({ at }) => at)).toEqual([1001, 1002]),
    );
    await eventually(() => expect(agent.sessions()[0]!.prompts).toEqual(['hello', 'hello']));
    await eventually(() => expect(chat.editor.blocks('user')).toHaveLength(2));
    await idle(chat);
    expect(chat.editor.blocks('user')).toHaveLength(2);
  });

  it('keeps what it gives back until Neovim has told that it is in the prompt', async () => {
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(agent, where);
    first.send('first [[wait never]]');
    await eventually(() => expect(first.editor.text).toContain('echo: first'));
    first.send('second');
    await eventually(() => expect(first.editor.status.queue).toHaveLength(1));
    const from = first.editor.status.key!;
    const draft = (text: string, returned?: number) =>
      first.tell('draft.save', { draft: { text, attachments: [], ...(returned && { returned }) } });
    const kept = async () => {
      const stateDir = killed(where.stateDir);
      const chat = await again(agent, { ...where, stateDir, from });
      await eventually(() => expect(chat.editor.sent('draft.restore')).toHaveLength(1));
      return chat.editor.sent('draft.restore')[0]!.draft.text;
    };
    draft('third');
    first.cancel();
    await eventually(() => expect(first.editor.restored).toEqual(['second']));
    draft('third, typed on');
    await idle(first);
    expect(await kept()).toBe('second\nthird, typed on');
    draft('changed', 1);
    await eventually(async () => expect(await kept()).toBe('changed'));
  });

  it('is as it was where the process had to be killed in the middle of a turn', async () => {
    const agent = sessionAgent();
    const where = { cwd: tempDir(), stateDir: tempDir() };
    const first = openChat(agent, where);
    first.send('first [[many 20]] [[wait never]]');
    await eventually(() => expect(first.editor.text).toContain('19 20'));
    first.send('second');
    first.tell('draft.save', { draft: { text: 'third', attachments: [] } });
    await eventually(() => expect(first.editor.status.queue).toHaveLength(1));
    const from = first.editor.status.key!;
    const copy = killed(where.stateDir);
    const chat = await again(agent, { ...where, stateDir: copy, from });
    await idle(chat);
    expect(chat.editor.text).toContain('19 20');
    expect(chat.editor.status.queue).toMatchObject([{ text: 'second' }]);
    expect(chat.editor.status.held).toBe(true);
    expect(chat.editor.sent('draft.restore')).toMatchObject([{ draft: { text: 'third' } }]);
    expect(agent.received('session/prompt')).toHaveLength(1);
  });
});

describe('a session that only the agent has', () => {
  it('is loaded, and its replay is shown', async () => {
    const agent = sessionAgent();
    const { cwd } = await former(agent, ['hello', 'look [[tool]] [[think]] [[plan]]']);
    const chat = openChat(agent, { cwd });
    await idle(chat);
    const row = (await listed(chat, agent)).find(({ state }) => state === 'saved')!;
    const params = { agent: { ...agent, name: agent.name }, cwd, columns: 80 };
    chat.sessions.handle('session.open', { ...params, session: 's2', from: row.id });
    await eventually(() =>
      expect(chat.editor.text, chat.editor.faults.join()).toContain('echo: look'),
    );
    expect(chat.editor.kinds()).toEqual(expect.arrayContaining(['user', 'message', 'tool']));
    expect(agent.received('session/load')).toHaveLength(1);
  });
});

describe('a fork', () => {
  it('begins like the session that it was made of, and leaves that alone', async () => {
    for (const forkReplays of [false, true]) {
      const agent = sessionAgent({ forkReplays });
      const { shown, ...options } = await former(agent);
      const chat = await again(agent, { ...options, fork: true });
      await idle(chat);
      expect(chat.editor.text).toBe(shown);
      chat.send('elsewhere');
      await settled(chat, 'echo: elsewhere');
      expect(agent.sessions().map(({ prompts }) => prompts.at(-1))).toEqual(['hello', 'elsewhere']);
      expect(chat.editor.status.key).not.toBe(options.from);
    }
  });
});

describe('a prompt that is changed', () => {
  it('stands in the prompt of a fork that ends before it', async () => {
    const agent = sessionAgent();
    const options = await former(agent, ['one', 'two', 'three']);
    const first = openChat(agent, options);
    await settled(first, 'echo: three');
    const before = first.editor.blocks('user')[1]!;
    await first.sessions.end();
    const chat = await again(agent, { ...options, fork: true, before });
    await idle(chat);
    expect(chat.editor.text).toContain('echo: one');
    expect(chat.editor.text).not.toContain('echo: two');
    expect(chat.editor.text).toContain('still remembers what came after');
    expect(chat.editor.sent('draft.restore')).toMatchObject([{ draft: { text: 'two' } }]);
  });

  it('begins a new session where it was the first', async () => {
    const agent = sessionAgent({ can: { fork: false } });
    const options = await former(agent, ['one']);
    const chat = await again(agent, { ...options, fork: true, before: 'b1' });
    await idle(chat);
    expect(chat.editor.kinds()).toEqual([]);
    expect(chat.editor.sent('draft.restore')).toMatchObject([{ draft: { text: 'one' } }]);
    expect(agent.received('session/new')).toHaveLength(2);
  });
});

describe('an agent that does nothing', () => {
  it('is ended after a while, and resumed with the next prompt', async () => {
    const agent = sessionAgent();
    const chat = openChat(agent, { idleTimeoutMs: 150 });
    chat.send('hello');
    await settled(chat, 'echo: hello');
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect(chat.editor.status.state).toBe('idle');
    chat.send('more');
    await settled(chat, 'echo: more');
    expect(agent.received('session/resume')).toHaveLength(1);
    expect(agent.sessions()).toMatchObject([{ prompts: ['hello', 'more'] }]);
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'turn', 'user', 'message', 'turn']);
  });

  it('is not ended while it works, asks, or could not come back', async () => {
    const working = sessionAgent();
    const chat = openChat(working, { idleTimeoutMs: 40 });
    chat.send('hello [[wait never]]');
    const asking = sessionAgent();
    const other = openChat(asking, { idleTimeoutMs: 40 });
    other.send('hello [[ask]]');
    const forgetful = sessionAgent({ can: { load: false, resume: false } });
    const third = openChat(forgetful, { idleTimeoutMs: 40 });
    third.send('hello');
    await settled(third, 'echo: hello');
    await eventually(() => expect(other.editor.status.state).toBe('waiting'));
    const restful = sessionAgent();
    openChat(restful, { idleTimeoutMs: 200 });
    await eventually(() => expect(restful.pids()).toHaveLength(1));
    await eventually(() => expect(restful.alive()).toEqual([]));
    for (const agent of [working, asking, forgetful]) expect(agent.alive()).toHaveLength(1);
  });
});
