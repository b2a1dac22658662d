/** How agents begin and end as processes, and what they leave behind. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventually,
  isAlive,
  scriptedAgent,
  whenDone,
  type ScriptedAgent,
  type Step,
} from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const NEW: Step[] = [{ expect: 'session/new' }, { reply: { sessionId: 'x' } }];
const hello = (agentCapabilities: object, more: object = {}): Step[] => [
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentCapabilities, ...more } },
];

/** No signal to the agent’s group reaches it. */
const DAEMON: Step = { daemon: ['sleep', '60'] };

function endDaemons(agent: ScriptedAgent): void {
  for (const pid of agent.children()) process.kill(pid, 'SIGKILL');
}

describe('a daemon that an agent leaves in a session of its own, with its pipes', () => {
  it('does not hide that the agent has ended', async () => {
    const agent = scriptedAgent(
      [PROMPT, DAEMON, chunk('one'), { exit: 3 }],
      [PROMPT, chunk('two'), END],
    );
    whenDone(() => endDaemons(agent));
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('exited with code 3'));
    expect(editor.status.state).toBe('dead');
    send('on');
    await eventually(() => expect(editor.text).toContain('two'));
  });

  it('does not hold up who ends', async () => {
    const agent = scriptedAgent([PROMPT, DAEMON, chunk('one'), END, { expect: '_more' }]);
    whenDone(() => endDaemons(agent));
    const { editor, send, sessions } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('one'));
    await sessions.end();
    expect(agent.pids().filter(isAlive)).toEqual([]);
  });
});

describe('an agent that takes its time to start', () => {
  it('is said to start, and gets what was sent meanwhile', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize', as: 'hello' },
      { sh: 'until [ -e go ]; do sleep 0.02; done' },
      { reply: { protocolVersion: 1 }, to: 'hello' },
      ...NEW,
      PROMPT,
      chunk('there'),
      END,
    ]);
    const { editor, send, cwd } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('starting'));
    send('at once');
    await eventually(() => expect(editor.text).toContain('at once'));
    expect(editor.status).toMatchObject({ state: 'starting', since: expect.any(Number) as number });
    writeFileSync(join(cwd, 'go'), '');
    await eventually(() => expect(editor.text).toContain('there'));
  });
});

describe('an agent that says little of itself', () => {
  it.each([
    ['no name at all', {}],
    ['null for its name', { agentInfo: null, authMethods: null }],
    ['a name without a title', { agentInfo: { name: 'x', version: '0.36.0 (commit 1)' } }],
  ])('has the name of its configuration: %s', async (_, more) => {
    const { editor, send } = openChat(scriptedAgent([...hello({}, more), ...NEW, PROMPT, END]));
    send('go');
    await eventually(() => expect(editor.text).toContain('──'));
    expect(editor.status.agent).toBe('scripted');
    expect(editor.faults).toEqual([]);
  });

  it('can do nothing that it says null of', async () => {
    const agent = scriptedAgent([
      ...hello({
        loadSession: null,
        promptCapabilities: null,
        mcpCapabilities: null,
        sessionCapabilities: null,
        auth: null,
        _meta: null,
      }),
      ...NEW,
    ]);
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.status).toMatchObject({
      takes: { image: false, audio: false, embedded: false },
      can: { fork: false, close: false, delete: false },
    });
  });
});

describe('an error of a login', () => {
  const REFUSED: Step = { error: { code: -32000, message: 'Authentication required' } };

  it('in the middle of a turn that had begun says so, and offers nothing that the agent lacks', async () => {
    const agent = scriptedAgent([
      ...hello({}, { authMethods: [] }),
      ...NEW,
      PROMPT,
      chunk('half'),
      REFUSED,
      PROMPT,
      chunk('whole'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('Authentication required'));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.text).toContain('half');
    send('on');
    await eventually(() => expect(editor.text).toContain('whole'));
  });

  it('is no reason to call authenticate where the agent already works', async () => {
    const authMethods = [{ id: 'browser', name: 'Browser' }];
    const agent = scriptedAgent([
      ...hello({}, { authMethods }),
      ...NEW,
      PROMPT,
      chunk('fine'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('fine'));
    expect(agent.received('authenticate')).toEqual([]);
  });
});
