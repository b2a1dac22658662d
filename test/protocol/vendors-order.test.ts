import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat, type FakeEditor } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const call = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId: 't', ...fields },
});
const update = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields },
});
const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const ask = (toolCall: object, options: object[] = OPTIONS): Step => ({
  request: {
    method: 'session/request_permission',
    params: { toolCall: { toolCallId: 't', ...toolCall }, options },
  },
});

/** Waits for a question. */
async function asked(editor: FakeEditor): Promise<string> {
  await eventually(() => expect(editor.opened).toHaveLength(1));
  return editor.opened[0]!.id;
}

async function ended(editor: FakeEditor): Promise<void> {
  await eventually(() => {
    expect(editor.blocks('turn')).toHaveLength(1);
    expect(editor.status.state).toBe('idle');
  });
}

describe('auggie asks before any turn, and takes no prompt until it is answered', () => {
  const INDEXING = [
    { optionId: 'always', name: 'Always index', kind: 'allow_always' },
    { optionId: 'never', name: 'Never index', kind: 'reject_always' },
  ];
  const steps: Step[] = [
    { expect: 'session/new' },
    { reply: { sessionId: 's', modes: null, models: { availableModels: [], currentModelId: '' } } },
    ask({ toolCallId: 'workspace-indexing-permission', title: 'Index this workspace?' }, INDEXING),
    PROMPT,
    chunk('indexed'),
    END,
  ];

  it('is seen at once, and its answer lets the prompt through', async () => {
    const agent = scriptedAgent(steps);
    const { editor, answer, send } = openChat(agent);
    const question = await asked(editor);
    expect(editor.text).toContain('Index this workspace?');
    expect(editor.text).toContain('1 Always index   2 Never index');
    send('go');
    await eventually(() => expect(editor.status.state).toBe('waiting'));
    answer(question, 'always');
    await eventually(() => expect(editor.text).toContain('indexed'));
    await ended(editor);
    expect(editor.text).not.toContain('Always index   2');
  });

  it('is done by its answer, whether a prompt follows or not', async () => {
    const { editor, answer } = openChat(scriptedAgent(steps));
    const question = await asked(editor);
    answer(question, 'always');
    await eventually(() => expect(editor.text).toContain('✓ Tool  Index this workspace?'));
  });

  it('can be given up by the key that cancels', async () => {
    const agent = scriptedAgent(steps);
    const { editor, cancel } = openChat(agent);
    await asked(editor);
    cancel();
    await eventually(() => expect(editor.closed).toHaveLength(1));
    await eventually(() =>
      expect(agent.received().filter(({ result }) => result !== undefined)).toContainEqual(
        expect.objectContaining({ result: { outcome: { outcome: 'cancelled' } } }),
      ),
    );
  });
});

describe('cline updates a call before it tells of it, and calls it pending again', () => {
  it.each([
    ['yes', 'completed', '✓ Read'],
    ['no', 'failed', '✗ Read'],
  ])('and when the answer is %s there is one card', async (option, status, shown) => {
    const agent = scriptedAgent([
      PROMPT,
      update({ kind: 'read', title: 'read_file', status: 'pending', rawInput: { path: 'a.py' } }),
      ask({ kind: 'read', title: 'read_file', rawInput: { path: 'a.py' } }),
      update({ status: status === 'completed' ? 'in_progress' : 'failed' }),
      call({ kind: 'read', title: 'read_file', status: 'pending', rawInput: { path: 'a.py' } }),
      update({ status, rawOutput: 'x = 1' }),
      chunk('done'),
      END,
    ]);
    const { editor, answer, send } = openChat(agent);
    send('go');
    answer(await asked(editor), option);
    await ended(editor);
    expect(editor.kinds()).toEqual(['user', 'tool', 'message', 'turn']);
    expect(editor.text).toContain(shown);
  });
});

describe('copilot', () => {
  it('goes from pending to completed, and asks under another title', async () => {
    const agent = scriptedAgent([
      PROMPT,
      call({ kind: 'edit', title: 'Edit a.py', status: 'pending', rawInput: { path: '/p/a.py' } }),
      ask({ kind: 'edit', title: 'Apply the change', rawInput: { diff: '--- a\n+++ b\n' } }),
      update({ status: 'completed' }),
      chunk('done'),
      END,
    ]);
    const { editor, answer, send } = openChat(agent);
    send('go');
    answer(await asked(editor), 'yes');
    await ended(editor);
    expect(editor.kinds()).toEqual(['user', 'tool', 'message', 'turn']);
    expect(editor.text).toContain('✓ Edit');
  });

  it('leaves a call pending when its turn is cancelled, and it is not pending for ever', async () => {
    const agent = scriptedAgent([
      PROMPT,
      call({ kind: 'execute', title: 'sleep 100', status: 'pending' }),
      { expect: 'session/cancel' },
      { reply: { stopReason: 'cancelled' } },
    ]);
    const { editor, cancel, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('sleep 100'));
    cancel();
    await ended(editor);
    expect(editor.text).toContain('⊘ Run   sleep 100');
  });
});

describe('gemini and kilo ask before they tell of a call', () => {
  it('and what is rejected is not left open, though nothing more comes', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ kind: 'execute', title: 'rm -rf build', status: 'pending', content: [] }),
      chunk('I leave it.'),
      END,
    ]);
    const { editor, answer, send } = openChat(agent);
    send('go');
    answer(await asked(editor), 'no');
    await ended(editor);
    expect(editor.text).toContain('⊘ Run   rm -rf build');
  });

  it('and what is allowed ends by an update of what was never told', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ask({ kind: 'execute', title: 'make', status: 'pending', content: [] }),
      update({ status: 'completed', content: [] }),
      chunk('Built.'),
      END,
    ]);
    const { editor, answer, send } = openChat(agent);
    send('go');
    answer(await asked(editor), 'yes');
    await ended(editor);
    expect(editor.kinds()).toEqual(['user', 'tool', 'message', 'turn']);
    expect(editor.text).toContain('✓ Run   make');
  });
});

describe('pi', () => {
  const status = (piAcp: object): Step => ({
    update: { sessionUpdate: 'session_info_update', _meta: { piAcp } },
  });

  it('greets and tells of its own queue; the greeting is a message, the rest is quiet', async () => {
    const startupInfo = 'pi v1.6.0\n---\n';
    const agent = scriptedAgent([
      { expect: 'session/new' },
      { reply: { sessionId: 's', _meta: { piAcp: { startupInfo } } } },
      chunk(startupInfo),
      PROMPT,
      status({ queueDepth: 0, running: true }),
      chunk('Retrying (attempt 1/3, waiting 2s)...\n'),
      status({ queueDepth: 0, running: false }),
      END,
    ]);
    const { editor, send } = openChat(agent);
    await eventually(() => expect(editor.text).toContain('pi v1.6.0'));
    send('go');
    await ended(editor);
    expect(editor.kinds()).toEqual(['message', 'user', 'message', 'turn']);
    expect(editor.text).toContain('Retrying (attempt 1/3');
  });
});
