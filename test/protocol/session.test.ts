import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };

describe('a session', () => {
  it('streams what the agent says, in order and whole', async () => {
    const words = Array.from({ length: 300 }, (_, i) => `word${i} `);
    const agent = scriptedAgent([PROMPT, ...words.map(chunk), END]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.text).toContain(words.join('').trimEnd());
    expect(editor.kinds()).toEqual(['user', 'message', 'turn']);
    expect(editor.faults).toEqual([]);
  });

  it('sends a prompt that was typed while the agent still starts', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { delay: 200 },
      { reply: { protocolVersion: 1 } },
      PROMPT,
      chunk('late riser'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('early bird');
    await eventually(() => expect(editor.text).toContain('late riser'));
    expect(agent.received('session/prompt')[0]?.params?.prompt).toEqual([
      { type: 'text', text: 'early bird' },
    ]);
  });

  it('tolerates an agent that says nothing of itself and nothing but the session id', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1 } },
      PROMPT,
      { reply: null },
    ]);
    const { editor, send } = openChat(agent);
    send('hello');
    await eventually(() => expect(editor.kinds(), editor.text).toEqual(['user', 'turn']));
    expect(editor.status).toMatchObject({ state: 'idle', config: [], commands: [] });
  });

  it('keeps updates that come before session/new has answered', async () => {
    const agent = scriptedAgent([
      { expect: 'session/new' },
      {
        update: {
          sessionUpdate: 'available_commands_update',
          availableCommands: [{ name: 'tour', description: 'Show all', input: { hint: 'what' } }],
        },
        session: 'known-later',
      },
      { reply: { sessionId: 'known-later' } },
    ]);
    const { editor } = openChat(agent);
    await eventually(() =>
      expect(editor.status.commands).toEqual([
        { name: 'tour', description: 'Show all', hint: 'what' },
      ]),
    );
  });

  it('queues a prompt that is sent while the agent works, and runs it next', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('first'),
      { request: { method: 'fs/read_text_file', params: { path: '/nowhere' } } },
      { delay: 150 },
      END,
      PROMPT,
      chunk('second'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('one');
    send('two');
    await eventually(() => expect(editor.status.queue).toHaveLength(1));
    await eventually(() => expect(editor.text).toContain('second'));
    expect(agent.received('session/prompt')).toHaveLength(2);
    expect(editor.status.queue).toHaveLength(0);
  });

  it('takes a selection along as an embedded resource where the agent takes one', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      {
        reply: {
          protocolVersion: 1,
          agentCapabilities: { promptCapabilities: { embeddedContext: true } },
        },
      },
      PROMPT,
      END,
    ]);
    const { editor, send, cwd } = openChat(agent);
    const path = `${cwd}/src/a b.py`;
    send('explain', [
      { type: 'text', path, startLine: 3, endLine: 4, text: 'x = 1\n', filetype: 'python' },
    ]);
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    expect(agent.received('session/prompt')[0]?.params?.prompt).toEqual([
      { type: 'text', text: 'explain' },
      {
        type: 'resource',
        resource: {
          uri: `file://${cwd}/src/a%20b.py#L3-L4`,
          text: 'x = 1\n',
          mimeType: 'text/plain',
        },
      },
    ]);
    await eventually(() => expect(editor.text).toContain('src/a b.py:3-4'));
  });

  it('takes a selection along as text and link where the agent takes no resources', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize' },
      { reply: { protocolVersion: 1 } },
      PROMPT,
      END,
    ]);
    const { send, cwd } = openChat(agent);
    const path = `${cwd}/a.py`;
    const text = 'a\n```\nb\n';
    send('explain', [{ type: 'text', path, startLine: 3, endLine: 5, text, filetype: 'python' }]);
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    expect(agent.received('session/prompt')[0]?.params?.prompt).toEqual([
      { type: 'text', text: 'explain' },
      { type: 'text', text: 'a.py:3-5:\n````python\na\n```\nb\n````' },
      { type: 'resource_link', name: 'a.py', uri: `file://${path}` },
    ]);
  });

  it('shows what went wrong in a turn and is free for the next', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { error: { code: -32603, message: 'Internal error', data: { details: 'quota used up' } } },
      PROMPT,
      chunk('better'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('one');
    await eventually(() => expect(editor.text).toContain('✗ quota used up'));
    send('two');
    await eventually(() => expect(editor.text).toContain('better'));
  });

  it('names an error without words by its number', async () => {
    const agent = scriptedAgent([PROMPT, { error: { code: 429, message: '' } }]);
    const { editor, send } = openChat(agent);
    send('one');
    await eventually(() => expect(editor.text).toContain('error 429'));
  });

  it('tells what stands beside an error, be it text alone', async () => {
    const error = { code: -32603, message: 'Internal error', data: 'the model is away' };
    const { editor, send } = openChat(scriptedAgent([PROMPT, { error }]));
    send('one');
    await eventually(() => expect(editor.text).toContain('the model is away'));
  });

  it('tells of a stop reason that it does not know', async () => {
    const agent = scriptedAgent([PROMPT, { reply: { stopReason: 'bored' } }]);
    const { editor, send } = openChat(agent);
    send('hello');
    await eventually(() => expect(editor.text).toContain('bored'));
  });
});

describe('a sidecar of another version than the plugin', () => {
  it('says so, and what to do', async () => {
    const { editor } = openChat(scriptedAgent([]), { version: '9.9.9' });
    await eventually(() => expect(editor.messages().join()).toMatch(/9\.9\.9.*`make`/));
  });
});
