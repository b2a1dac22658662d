import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const NEW: Step[] = [
  { expect: 'session/new' },
  {
    reply: {
      sessionId: 'q1',
      modes: {
        currentModeId: 'default',
        availableModes: ['plan', 'default', 'yolo'].map((id) => ({ id, name: id })),
      },
      models: {
        currentModelId: 'small(openai)',
        availableModels: [
          { modelId: 'small(openai)', name: 'Small' },
          { modelId: 'large(openai)', name: 'Large' },
        ],
      },
    },
  },
];
const notify = (method: string, params: object = {}): Step => ({
  notify: { method, params: { v: 1, sessionId: 'q1', ...params } },
});

function qwen(...steps: Step[]): ScriptedAgent {
  return scriptedAgent([...NEW, ...steps]);
}

describe('qwen’s own notifications', () => {
  it('of its mode, model and title are shown', async () => {
    const { editor } = openChat(
      qwen(
        notify('qwen/notify/session/mode-update', { currentModeId: 'yolo' }),
        notify('qwen/notify/session/model-update', { currentModelId: 'large' }),
        notify('qwen/notify/session/title-update', { title: 'Fix\nit' }),
      ),
    );
    await eventually(() =>
      expect(editor.status).toMatchObject({ mode: 'yolo', model: 'Large', title: 'Fix it' }),
    );
  });

  it('of what is not offered, without values and of other sessions change nothing', async () => {
    const { editor } = openChat(
      qwen(
        notify('qwen/notify/session/model-update', { currentModelId: 'smal' }),
        notify('qwen/notify/session/model-update'),
        notify('qwen/notify/session/mode-update', { currentModeId: null }),
        notify('qwen/notify/session/mode-update', { sessionId: 'other', currentModeId: 'yolo' }),
        notify('qwen/notify/session/prompt-suggestion', { suggestion: 7 }),
        notify('qwen/notify/session/title-update', { title: 'done' }),
      ),
    );
    await eventually(() => expect(editor.status.title).toBe('done'));
    expect(editor.status).toMatchObject({ mode: 'default', model: 'Small', suggestions: [] });
    expect(editor.faults).toEqual([]);
  });

  it('that are nobody’s business are not shown', async () => {
    const { editor, send } = openChat(
      qwen(
        PROMPT,
        notify('_qwencode/end_turn'),
        notify('qwen/notify/session/terminal-sequence', { sequence: '\u001b]0;x' }),
        notify('qwen/notify/session/something-new'),
        chunk('hello'),
        END,
      ),
    );
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'message', 'turn']));
    expect(editor.faults).toEqual([]);
  });

  it('suggest what to say next, until something is said', async () => {
    const { editor, send } = openChat(
      qwen(
        PROMPT,
        chunk('done'),
        END,
        notify('qwen/notify/session/prompt-suggestion', { suggestion: ' Run the tests ' }),
        PROMPT,
        { expect: '_never' },
      ),
    );
    send('go');
    await eventually(() => expect(editor.status.suggestions).toEqual(['Run the tests']));
    send('no, thanks');
    await eventually(() => expect(editor.status.suggestions).toEqual([]));
  });
});

describe('qwen’s requests to a host that we are not', () => {
  it.each(['craft/drainMidTurnQueue', '_qwencode/start_turn'])(
    '%s is refused, and the turn goes on',
    async (method) => {
      const agent = qwen(PROMPT, { request: { method, params: {} } }, chunk('going on'), END);
      const { editor, send } = openChat(agent);
      send('go');
      await eventually(() => expect(editor.kinds()).toContain('turn'));
      expect(editor.text).toContain('going on');
      expect(agent.received().find(({ error }) => error)?.error?.code).toBe(-32601);
    },
  );
});

describe('qwen’s empty chunks', () => {
  it('tell how full the context is, and begin no message', async () => {
    const used = (totalTokens: number): Step => ({
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: '' },
        _meta: { usage: { inputTokens: 1000, outputTokens: 200, totalTokens }, durationMs: 7 },
      },
    });
    const { editor, send } = openChat(
      qwen(PROMPT, used(1200), chunk('one'), used(1500), chunk(' two'), END),
    );
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'message', 'turn']));
    expect(editor.text).toContain('one two');
    expect(editor.status.usage).toEqual({ used: 1500, size: 0 });
  });
});
