import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };

describe('cancel', () => {
  it('asks the agent to end the turn, and says so', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('working'),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
      { expect: 'session/prompt' },
      chunk('still here'),
      { reply: { stopReason: 'end_turn' } },
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('working'));
    cancel();
    cancel();
    await eventually(() => expect(editor.text).toMatch(/── cancelled/));
    expect(agent.received('session/cancel')).toHaveLength(1);
    send('again');
    await eventually(() => expect(editor.text).toContain('still here'));
  });

  it('frees the prompt when the agent does not end the turn, and marks what comes late', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', kind: 'search' } },
      { expect: 'session/cancel' },
      { delay: 400 },
      chunk('from the grave'),
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const { editor, send, cancel } = openChat(agent, { cancelTimeoutMs: 100 });
    send('go');
    await eventually(() => expect(editor.text).toContain('Search'));
    cancel();
    await eventually(() => expect(editor.status.state).toBe('cancelling'));
    expect(editor.text).toContain('⊘ Search');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.text).toContain('did not end the turn');
    await eventually(() => expect(editor.text).toContain('from the grave'));
    const late = editor.calls.some(({ params }) => JSON.stringify(params).includes('"late"'));
    expect(late).toBe(true);
  });

  it('gives queued prompts back to where they were typed', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' }, to: 'prompt' },
    ]);
    const { editor, send, cancel } = openChat(agent);
    send('one');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    send('two');
    send('three');
    await eventually(() => expect(editor.status.queue).toHaveLength(2));
    cancel();
    await eventually(() => expect(editor.restored).toEqual(['two\n\nthree']));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.text).not.toContain('two');
    expect(agent.received('session/prompt')).toHaveLength(1);
  });

  it('sends what was typed meanwhile, also when the agent never ends the turn', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { expect: 'session/cancel' },
      { expect: 'session/prompt' },
      chunk('the second'),
      { reply: { stopReason: 'end_turn' } },
    ]);
    const { editor, send, cancel } = openChat(agent, { cancelTimeoutMs: 200 });
    send('one');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    cancel();
    send('two');
    await eventually(() => expect(editor.text).toContain('the second'));
    expect(editor.kinds()).toEqual(['user', 'notice', 'turn', 'user', 'message', 'turn']);
  });

  it('does nothing when nothing runs', async () => {
    const agent = scriptedAgent([]);
    const { editor, cancel } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    cancel();
    await eventually(() => expect(editor.faults).toEqual([]));
    expect(agent.received('session/cancel')).toEqual([]);
  });
});
