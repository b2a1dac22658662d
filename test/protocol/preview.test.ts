/** The streaming-preview contract: drafts of what the agent says, and the text that takes their place. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MessageBlock } from '../../src/session/model';
import { Store } from '../../src/store/store';
import { transcriptOf } from '../../src/store/transcript';
import { eventually, scriptedAgent, tempDir, type Step } from '../harness';
import { chunk, listed, openChat, type Chat } from './fake-editor';

const KEY = 'claude-pty-acp/streaming-preview';
const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const hello = (can: object = { loadSession: true }): Step[] => [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'claude-code-acp', title: 'Claude Code', version: '0.1.0' },
      agentCapabilities: { ...can, _meta: { [KEY]: { provisionalReplace: true, version: 1 } } },
    },
  },
];

function preview(about: object, text: string, sessionId = 'session-1'): Step {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  const params = { sessionId, update, _meta: { [KEY]: about } };
  return { notify: { method: 'session/update', params } };
}
const draft = (turn: number, text: string, session?: string): Step =>
  preview({ provisional: true, turn }, text, session);
const final = (turn: number, text: string, session?: string): Step =>
  preview({ replaceProvisional: true, turn }, text, session);
const ended = (how: object = { code: 1 }): Step => preview({ sessionEnded: true, ...how }, '');
const tool = (status: string): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'look', status },
});
/** Goes on when there is a file of that name in the session's folder. */
const WAIT: Step = { sh: 'until [ -e go ]; do sleep 0.02; done' };
const goOn = (chat: Chat): void => writeFileSync(join(chat.cwd, 'go'), '');

/** Marks of a group that the screen was told, by frame. */
function dimmed(chat: Chat): boolean[] {
  return chat.editor.sent('frame').map((frame) => JSON.stringify(frame).includes('AcpDraft'));
}

const idle = (chat: Chat) => eventually(() => expect(chat.editor.status.state).toBe('idle'));

/** The session as it is found on disk after a crash at this moment. */
async function kept(chat: Chat): Promise<MessageBlock[]> {
  const stateDir = tempDir();
  cpSync(join(chat.stateDir, 'sessions'), join(stateDir, 'sessions'), {
    recursive: true,
    filter: (path) => !path.endsWith('.lock'),
  });
  const store = new Store({
    stateDir,
    limits: { maxAgeMs: 1e10, maxBytes: 1e9 },
    now: Date.now,
    onFault: (_what, error) => expect.fail(String(error)),
  });
  const stored = await store.read(chat.editor.status.key!);
  const { blocks } = transcriptOf(stored!);
  return [...blocks.values()].filter((block) => block.kind === 'message');
}

describe('a draft', () => {
  it('is asked for, shown as it comes, and replaced by the text', async () => {
    const agent = scriptedAgent([
      ...hello(),
      PROMPT,
      draft(1, 'Helo '),
      draft(1, 'wrld'),
      { delay: 50 },
      final(1, 'Hello **world**'),
      END,
    ]);
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain('Helo wrld'));
    expect(dimmed(chat)).toContain(true);
    await idle(chat);
    expect(chat.editor.text).toContain('Hello **world**');
    expect(chat.editor.text).not.toContain('Helo');
    const [initialize] = agent.received('initialize');
    expect(initialize!.params).toMatchObject({
      clientCapabilities: {
        _meta: {
          [KEY]: { provisionalReplace: true },
          'claude-code-acp/streaming-preview': { provisionalReplace: true },
        },
      },
    });
  });

  it('with a tool call in between is said once', async () => {
    const agent = scriptedAgent([
      ...hello(),
      PROMPT,
      draft(1, 'I look.\n'),
      tool('in_progress'),
      draft(1, 'It is fne.\n'),
      tool('completed'),
      final(1, 'I look.It is fine.'),
      END,
    ]);
    const chat = openChat(agent);
    chat.send('hi');
    await idle(chat);
    expect(chat.editor.kinds()).toEqual(['user', 'message', 'tool', 'message', 'turn']);
    expect(chat.editor.text).toMatch(/I look\.\n[^]*look\n[^]*It is fine\./);
    expect(chat.editor.text).not.toContain('fne');
  });

  it('of a turn that was cancelled stays until its text comes, even in the next turn', async () => {
    const agent = scriptedAgent([
      ...hello(),
      PROMPT,
      draft(1, 'frst'),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
      PROMPT,
      draft(2, 'scnd'),
      final(1, 'first'),
      final(2, 'second'),
      END,
    ]);
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain('frst'));
    chat.cancel();
    await idle(chat);
    expect(chat.editor.text).toContain('frst');
    expect(JSON.stringify(chat.editor.sent('frame').at(-1))).not.toContain('AcpDraft');
    chat.send('go on');
    await eventually(() => expect(chat.editor.text).toContain('second'));
    await idle(chat);
    expect(chat.editor.text).toMatch(/hi[^]*first[^]*go on[^]*second/);
    expect(chat.editor.text).not.toMatch(/frst|scnd/);
  });

  it('is joined with others of its turn only, and texts with none', async () => {
    const agent = scriptedAgent([
      ...hello(),
      PROMPT,
      { repeat: 50, steps: [draft(1, 'a')] },
      { repeat: 50, steps: [draft(2, 'b')] },
      { repeat: 2, steps: [final(1, 'one')] },
      { repeat: 2, steps: [final(2, 'two')] },
      END,
    ]);
    const chat = openChat(agent);
    chat.send('hi');
    await idle(chat);
    expect(chat.editor.text).toMatch(/one\n+two\n/);
    expect(chat.editor.text).not.toMatch(/[ab]{2}|oneone|twotwo/);
  });
});

describe('what was drafted', () => {
  it('outlives a crash as a draft, and its text as a text', async () => {
    const agent = scriptedAgent([
      ...hello(),
      PROMPT,
      draft(1, 'Helo '),
      draft(1, 'wrld'),
      WAIT,
      final(1, 'Hello world'),
      END,
    ]);
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain('wrld'));
    const [draftBlock] = await kept(chat);
    expect(draftBlock).toMatchObject({ draft: 'left', done: true });
    expect(String(draftBlock!.text)).toBe('Helo wrld');
    goOn(chat);
    await idle(chat);
    const blocks = await kept(chat);
    expect(blocks.map(({ text, draft: state }) => [String(text), state])).toEqual([
      ['Hello world', null],
    ]);
  });

  it('is told anew by a replay, once', async () => {
    const cwd = tempDir();
    const can = { loadSession: true, sessionCapabilities: { list: {} } };
    const agent = scriptedAgent([
      ...hello(can),
      { expect: 'session/list' },
      { reply: { sessions: [{ sessionId: 'old', cwd, title: 'Old' }] } },
      { expect: 'session/load' },
      { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'hi' } } },
      draft(1, 'Helo', 'old'),
      final(1, 'Hello', 'old'),
      draft(2, 'left behind', 'old'),
      { reply: {} },
      PROMPT,
      draft(1, 'Agan', 'old'),
      final(1, 'Again', 'old'),
      END,
    ]);
    const chat = openChat(agent, { cwd });
    await idle(chat);
    const row = (await listed(chat, agent)).find(({ title }) => title === 'Old')!;
    const spec = { ...agent, name: agent.name };
    chat.sessions.handle('session.open', {
      agent: spec,
      cwd,
      columns: 80,
      session: 's2',
      from: row.id,
    });
    chat.sessions.handle('prompt.send', { session: 's2', text: 'and?' });
    await eventually(() => expect(chat.editor.text).toContain('Again'));
    expect(chat.editor.text).toMatch(/hi[^]*Hello[^]*left behind[^]*and\?[^]*Again/);
    expect(chat.editor.text).not.toMatch(/Helo|Agan/);
  });
});

describe('a session that ended', () => {
  const words = 'Claude Code has ended this session with code 1';
  const load: Step[] = [
    { expect: 'session/load' },
    { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'hi' } } },
    chunk('Hello'),
    { reply: {} },
  ];
  const again: Step[] = [...hello(), ...load, PROMPT, chunk('here again'), END];

  it('is opened again by the next prompt, with what was said', async () => {
    const agent = scriptedAgent(
      [...hello(), PROMPT, final(1, 'Hello'), END, { delay: 50 }, ended()],
      again,
    );
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain(words));
    expect(chat.editor.status.state).toBe('dead');
    chat.send('more');
    await eventually(() => expect(chat.editor.text).toContain('here again'));
    await idle(chat);
    expect(agent.received('session/load')[0]!.params).toMatchObject({ sessionId: 'session-1' });
    expect(chat.editor.text.match(/Hello/g)).toHaveLength(1);
    expect(agent.received('session/new')).toHaveLength(1);
  });

  it('is opened again by what its notice offers', async () => {
    const agent = scriptedAgent([...hello(), PROMPT, END, { delay: 50 }, ended()], again);
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain(words));
    chat.tell('block.act', { block: chat.editor.idOf('notice'), action: 'reopen' });
    await idle(chat);
    expect(agent.received('session/load')).toHaveLength(1);
    expect(chat.editor.text).not.toContain('Open it again');
  });

  it('in a turn waits for the answer to its prompt, and what is said last', async () => {
    const agent = scriptedAgent(
      [
        ...hello(),
        PROMPT,
        draft(1, 'Helo'),
        ended(),
        final(1, 'Hello'),
        { error: { code: -32603, message: 'claude is gone' }, to: 'prompt' },
      ],
      again,
    );
    const chat = openChat(agent);
    chat.send('hi');
    chat.send('later');
    await eventually(() => expect(chat.editor.text).toContain(words));
    expect(chat.editor.text).toContain('Hello');
    expect(chat.editor.text).not.toContain('Helo\n');
    expect(chat.editor.status.state).toBe('dead');
    expect(chat.editor.restored).toEqual(['later']);
  });

  it('in a turn that is never answered ends it', async () => {
    const agent = scriptedAgent([...hello(), PROMPT, draft(1, 'as far'), ended()], again);
    const chat = openChat(agent, { cancelTimeoutMs: 100 });
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain(words));
    expect(chat.editor.text).toMatch(/as far[^]*the agent died/);
    expect(chat.editor.status.state).toBe('dead');
  });

  it('and can’t be loaded goes on with a new one, and says so', async () => {
    const agent = scriptedAgent(
      [...hello({}), PROMPT, chunk('Hello'), END, { delay: 50 }, ended({ signal: 9 })],
      [...hello({}), PROMPT, chunk('who are you?'), END],
    );
    const chat = openChat(agent);
    chat.send('hi');
    await eventually(() => expect(chat.editor.text).toContain('by signal 9'));
    chat.send('more');
    await eventually(() => expect(chat.editor.text).toContain('who are you?'));
    expect(chat.editor.text).toContain('does not remember the conversation above');
  });
});

describe('a flood of drafts', () => {
  it('costs no more than one of texts', async () => {
    const flood = async (step: (text: string) => Step): Promise<number> => {
      const agent = scriptedAgent([
        ...hello(),
        PROMPT,
        { repeat: 20, steps: [chunk('warm ')] },
        END,
        PROMPT,
        { repeat: 20_000, steps: [step('token ')] },
        final(2, 'the end'),
        END,
      ]);
      const chat = openChat(agent);
      chat.send('hi');
      await idle(chat);
      const before = process.cpuUsage();
      chat.send('go');
      await eventually(() => expect(chat.editor.text).toContain('the end'), { timeout: 30_000 });
      await idle(chat);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const texts = await flood(chunk);
    const drafts = await flood((text) => draft(2, text));
    expect(drafts).toBeLessThan(2 * texts + 200);
  }, 60_000);
});
