/** How agents tell a former conversation again, and what they answer who asks for it or leaves it. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, listed, openChat } from './fake-editor';

const CAN = { loadSession: true, sessionCapabilities: { list: {}, close: {} } };
const HELLO: Step[] = [
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentCapabilities: CAN } },
  { expect: 'session/new', as: 'new' },
  { reply: { sessionId: 'other' } },
  { expect: 'session/list' },
  { reply: { sessions: [{ sessionId: 'former', cwd: '${new.params.cwd}', title: 'Former' }] } },
];

const text = (words: string) => ({ type: 'text', text: words });
const said = (sessionUpdate: string, fields: object): Step => ({
  update: { sessionUpdate, ...fields },
  session: 'former',
});
const piece = (who: 'user' | 'agent', words: string, messageId?: string): Step =>
  said(`${who}_message_chunk`, { content: text(words), ...(messageId && { messageId }) });
const thought = (words: string): Step => said('agent_thought_chunk', { content: text(words) });
const call = (fields: object): Step => said('tool_call', { toolCallId: 't', ...fields });
const update = (fields: object): Step => said('tool_call_update', { toolCallId: 't', ...fields });

/** Opens the session that only the agent knows, which is told again by the steps. */
async function load(...steps: Step[]) {
  const agent = scriptedAgent([...HELLO, ...steps]);
  const chat = openChat(agent);
  const { editor, sessions, cwd } = chat;
  await eventually(() => expect(editor.status.state).toBe('idle'));
  const [row] = await listed(chat, agent);
  sessions.handle('session.open', { session: 's2', agent, cwd, columns: 80, from: row!.id });
  return { ...chat, agent };
}

/** The transcript when the replay is over. */
async function replayed(...steps: Step[]): Promise<string> {
  const { editor, agent } = await load(
    { expect: 'session/load' },
    ...steps,
    piece('agent', 'The end.', 'last'),
    { reply: {} },
  );
  await eventually(() => expect(editor.text).toContain('The end.'));
  await eventually(() => expect(editor.status.state).toBe('idle'));
  expect(editor.faults).toEqual([]);
  expect(agent.faults()).toEqual([]);
  return editor.text;
}

describe('a replay', () => {
  it('of calls without a kind, with null for their input, completed and then updated, shows each once', async () => {
    const shown = await replayed(
      piece('user', 'Read it'),
      call({ title: 'notes.txt', status: 'completed', rawInput: null, content: null }),
      update({ status: 'completed', rawOutput: 'what it holds' }),
    );
    expect(shown.match(/notes\.txt/g)).toHaveLength(1);
    expect(shown).toContain('what it holds');
  });

  it('of calls that were never ended leaves none running', async () => {
    const shown = await replayed(
      call({ title: 'make', kind: 'execute', status: 'in_progress' }),
      call({ toolCallId: 'u', title: 'more', kind: 'execute', status: 'pending' }),
    );
    expect(shown).not.toMatch(/⠋/);
  });

  it('of an end after the end keeps what was told last', async () => {
    const shown = await replayed(
      call({ title: 'make', kind: 'execute', status: 'completed' }),
      update({ status: 'failed', content: [{ type: 'content', content: text('no rule') }] }),
    );
    expect(shown).toContain('✗ Run   make');
    expect(shown).toContain('no rule');
  });

  it('word by word, or a chunk a message, is the same text', async () => {
    const whole = await replayed(piece('user', 'Say it'), piece('agent', 'One two three.', 'm'));
    const words = ['One ', 'two ', 'three.'].map((word) => piece('agent', word, 'm'));
    const pieces = await replayed(piece('user', 'Say'), piece('user', ' it'), ...words);
    expect(pieces).toBe(whole);
  });

  it('tells thoughts where they come, be it behind their message', async () => {
    const shown = await replayed(piece('agent', 'Done.', 'm'), thought('I was thinking.'));
    expect(shown.indexOf('Done.')).toBeLessThan(shown.indexOf('Thought'));
  });

  it('of plans shows the last of them', async () => {
    const plan = (status: string): Step =>
      said('plan', { entries: [{ content: 'Look', priority: 'high', status }] });
    const shown = await replayed(plan('pending'), plan('in_progress'), plan('completed'));
    expect(shown.match(/Look/g)).toHaveLength(1);
  });

  it('under an answer that repeats the id, or is null, is a session as any', async () => {
    for (const result of [{ sessionId: 'former' }, null]) {
      const { editor, sessions, agent } = await load(
        { expect: 'session/load' },
        piece('agent', 'before'),
        { reply: result },
        { expect: 'session/prompt' },
        piece('agent', 'and on'),
        { reply: { stopReason: 'end_turn' } },
      );
      await eventually(() => expect(editor.text).toContain('before'));
      sessions.handle('prompt.send', { session: 's2', text: 'go on' });
      await eventually(() => expect(editor.text).toContain('and on'));
      expect(agent.received('session/prompt')[0]?.params).toMatchObject({ sessionId: 'former' });
    }
  });
});

describe('a session that can’t be loaded', () => {
  it.each([
    [-32002, 'Resource not found'],
    [-32602, 'Unknown sessionId'],
    [-32603, 'No previous sessions found for this project'],
    [500, 'Internal Server Error'],
  ])('says why, by whatever code: %d', async (code, message) => {
    const { editor } = await load({ expect: 'session/load' }, { error: { code, message } });
    await eventually(() => expect(editor.text).toContain(message));
    expect(editor.text).toMatch(/could not open this session again|has forgotten this session/);
    expect(editor.faults).toEqual([]);
  });
});

describe('a session that is closed', () => {
  it('is closed though its agent has no such method after all', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1, agentCapabilities: CAN } },
      { expect: 'session/close' },
      { error: { code: -32601, message: 'Method not found' } },
      { expect: '_more' },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    tell('session.close');
    await eventually(() => expect(agent.received('session/close')).toHaveLength(1));
    await eventually(() => expect(agent.alive()).toEqual([]));
    expect(editor.sent('notify')).toEqual([]);
    expect(editor.faults).toEqual([]);
  });
});

describe('a history that is told under a new id before that is known', () => {
  it('is shown in the session that was forked', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      {
        reply: {
          protocolVersion: 1,
          agentCapabilities: { sessionCapabilities: { list: {}, fork: {} } },
        },
      },
      { expect: 'session/new', as: 'new' },
      { reply: { sessionId: 'other' } },
      { expect: 'session/list' },
      { reply: { sessions: [{ sessionId: 'former', cwd: '${new.params.cwd}', title: 'F' }] } },
      { expect: 'session/fork' },
      { ...chunk('told before the answer'), session: 'forked' },
      { reply: { sessionId: 'forked' } },
    ]);
    const chat = openChat(agent);
    const { editor, sessions, cwd } = chat;
    await eventually(() => expect(editor.status.state).toBe('idle'));
    const [row] = await listed(chat, agent);
    const open = { session: 's2', agent, cwd, columns: 80, from: row!.id, fork: true };
    sessions.handle('session.open', open);
    await eventually(() => expect(editor.text).toContain('told before the answer'));
  });
});
