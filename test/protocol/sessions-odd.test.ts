/** Sessions that can't be opened as they are wanted: gone, damaged, or open already. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/nvim/protocol';
import { eventually, scriptedAgent, sessionAgent, tempDir, type HarnessAgent } from '../harness';
import { chunk, listed, openChat, type Chat } from './fake-editor';

const said = (chat: Chat, text: string) =>
  eventually(() => expect(chat.editor.text).toContain(text));

const idle = (chat: Chat) => eventually(() => expect(chat.editor.status.state).toBe('idle'));

const spec = ({ name, command, args }: HarnessAgent) => ({ name, command, args });

/** A session that was held and closed. */
async function former(agent: HarnessAgent) {
  const where = { cwd: tempDir(), stateDir: tempDir() };
  const chat = openChat(agent, where);
  chat.send('hello');
  await said(chat, 'echo: hello');
  await idle(chat);
  const from = await eventually(() => {
    expect(chat.editor.status.key).toBeTruthy();
    return chat.editor.status.key!;
  });
  await chat.sessions.end();
  return { ...where, from };
}

/** The oldest first. */
function journals(stateDir: string): string[] {
  const names = readdirSync(stateDir, { recursive: true, encoding: 'utf8' });
  const found = names.filter((name) => /^sessions.*\.jsonl$/.test(name)).sort();
  return found.map((name) => join(stateDir, name));
}

function journal(stateDir: string): string {
  return journals(stateDir)[0]!;
}

/** Another session of the same Neovim, on the agent of the first. */
function open(chat: Chat, agent: HarnessAgent, session: string, from?: string): void {
  const { cwd } = chat;
  chat.sessions.handle('session.open', { session, agent: spec(agent), cwd, columns: 80, from });
}

/** All that was shown and said of a session. */
function shown(chat: Chat, session: string): string {
  const frames: Frame[] = chat.editor.sent('frame').flatMap((sent) => sent.frames);
  return JSON.stringify(frames.filter((frame) => frame.session === session));
}

describe('a session that can’t be had any more', () => {
  it('says so, and gives back what was sent to it', async () => {
    const agent = sessionAgent();
    const options = await former(agent);
    rmSync(journal(options.stateDir));
    const chat = openChat(agent, options);
    chat.send('precious');
    await said(chat, 'not known any more');
    expect(chat.editor.status.state).toBe('saved');
    await eventually(() => expect(chat.editor.restored).toEqual(['precious']));
  });

  it('says so where its file does not begin like one', async () => {
    const agent = sessionAgent();
    const options = await former(agent);
    const path = journal(options.stateDir);
    writeFileSync(path, `\0\0${readFileSync(path, 'utf8')}`);
    const chat = openChat(agent, options);
    await said(chat, 'not known any more');
  });
});

describe('a session that can’t be locked', () => {
  it('is shown, with the reason, and what is sent comes back', async () => {
    const agent = sessionAgent();
    const options = await former(agent);
    mkdirSync(journal(options.stateDir).replace('.jsonl', '.lock'));
    const chat = openChat(agent, options);
    chat.send('precious');
    await said(chat, 'can’t be opened: is a folder');
    expect(chat.editor.text).toContain('echo: hello');
    expect(chat.editor.status.state).toBe('saved');
    await eventually(() => expect(chat.editor.restored).toEqual(['precious']));
  });
});

describe('a session that is open already', () => {
  it('can be read, and is not opened again', async () => {
    const agent = sessionAgent();
    const options = await former(agent);
    const chat = openChat(agent, options);
    await idle(chat);
    open(chat, agent, 's2', options.from);
    await eventually(() => expect(shown(chat, 's2')).toContain('open here already'));
    expect(shown(chat, 's2')).toContain('echo: hello');
    expect(agent.received('session/resume')).toHaveLength(1);
  });

  it('goes on in a new one, which is kept with what was said', async () => {
    const agent = sessionAgent();
    const options = await former(agent);
    const chat = openChat(agent, options);
    await idle(chat);
    open(chat, agent, 's2', options.from);
    await eventually(() => expect(shown(chat, 's2')).toContain('open here already'));
    chat.sessions.handle('session.restart', { session: 's2' });
    await eventually(() =>
      expect(chat.editor.messages()).toEqual([
        'This session is open here already, in another chat',
      ]),
    );
    chat.sessions.handle('prompt.send', { session: 's2', text: 'go on', anew: true });
    await eventually(() => expect(shown(chat, 's2')).toContain('echo: go on'));
    await chat.sessions.end();
    const from = journals(options.stateDir).map((path) => basename(path, '.jsonl'));
    const again = openChat(agent, { ...options, from: from.find((key) => key !== options.from)! });
    await said(again, 'echo: go on');
    expect(again.editor.text).toContain('echo: hello');
    expect(agent.sessions()).toHaveLength(2);
  });

  it('of which only the agent knows is not opened again, nor is what is said in it said elsewhere', async () => {
    const agent = sessionAgent();
    const { cwd, stateDir } = await former(agent);
    rmSync(journal(stateDir));
    const chat = openChat(agent, { cwd, stateDir });
    await idle(chat);
    const row = (await listed(chat, spec(agent))).find(({ state }) => state === 'saved')!;
    open(chat, agent, 's2', row.id);
    await eventually(() => expect(shown(chat, 's2')).toContain('echo: hello'));
    open(chat, agent, 's3', row.id);
    await eventually(() => expect(shown(chat, 's3')).toContain('open here already'));
    chat.sessions.handle('prompt.send', { session: 's2', text: 'mine' });
    await eventually(() => expect(shown(chat, 's2')).toContain('echo: mine'));
    expect(shown(chat, 's3')).not.toContain('echo: mine');
    expect(agent.received('session/load')).toHaveLength(1);
  });

  it('is not taken from its chat by an agent that names it for another', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 'one' } },
      { expect: 'session/new' },
      { reply: { sessionId: 'one' } },
      { expect: 'session/prompt', as: 'prompt' },
      chunk('for the first alone'),
      { reply: { stopReason: 'end_turn' }, to: 'prompt' },
    ]);
    const chat = openChat(agent);
    await idle(chat);
    open(chat, agent, 's2');
    await eventually(() => expect(shown(chat, 's2')).toContain('open here already'));
    chat.send('go');
    await eventually(() => expect(shown(chat, 's1')).toContain('for the first alone'));
    expect(shown(chat, 's2')).not.toContain('for the first alone');
    expect(chat.editor.faults).toEqual([]);
  });
});

describe('a session that is closed in the middle of a turn', () => {
  it('can be opened again at once, whatever its commands do, and says that the turn was cancelled', async () => {
    const agent = scriptedAgent([
      { expect: 'session/prompt' },
      {
        request: {
          method: 'terminal/create',
          params: { command: 'sh', args: ['-c', 'trap "" TERM HUP; sleep 100'] },
        },
      },
      chunk('it runs'),
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await said(chat, 'it runs');
    const from = chat.editor.status.key!;
    chat.tell('session.close');
    open(chat, agent, 's2', from);
    await eventually(() => expect(shown(chat, 's2')).toContain('it runs'));
    expect(shown(chat, 's2')).toContain('cancelled');
    expect(shown(chat, 's2')).not.toContain('open here already');
    expect(shown(chat, 's2')).not.toContain('died');
  });
});
