/** Orders, gaps and shapes in which agents tell of their tool calls, and ask about them. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type ScriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const end = (stopReason = 'end_turn'): Step => ({ reply: { stopReason }, to: 'prompt' });
const call = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId: 't', ...fields },
});
const later = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields },
});
const said = (text: string) => ({ type: 'content', content: { type: 'text', text } });
const ask = (toolCall: object, options: object[] = OPTIONS): Step => ({
  request: {
    method: 'session/request_permission',
    params: { toolCall: { toolCallId: 't', ...toolCall }, options },
  },
});
const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

async function ended({ editor }: Chat, turns = 1): Promise<void> {
  await eventually(() => {
    expect(editor.blocks('turn')).toHaveLength(turns);
    expect(editor.status.state).toBe('idle');
  });
  expect(editor.faults).toEqual([]);
}

/** A turn in which the agent does that; questions are answered one after the other. */
async function turn(
  steps: Step[],
  answers: string[] = [],
): Promise<Chat & { agent: ScriptedAgent }> {
  const isOver = steps.some((step) => 'reply' in step || 'error' in step);
  const agent = scriptedAgent([PROMPT, ...steps, ...(isOver ? [] : [end()])]);
  const chat = openChat(agent);
  chat.send('go');
  for (const [index, option] of answers.entries()) {
    await eventually(() => expect(chat.editor.opened.length).toBeGreaterThan(index));
    chat.answer(chat.editor.opened[index]!.id, option);
  }
  await ended(chat);
  return { ...chat, agent };
}

describe('a call', () => {
  it('that begins without its input, under a name in its place, is shown as it fills', async () => {
    const { editor } = await turn([
      call({ title: 'Read File', kind: 'read', status: 'pending', rawInput: {} }),
      later({ title: 'Read src/a.ts', locations: [{ path: '/p/src/a.ts' }] }),
      later({ rawInput: { file_path: '/p/src/a.ts' } }),
      later({ status: 'completed' }),
    ]);
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
    expect(editor.text).toMatch(/✓ Read +\/p\/src\/a\.ts/);
  });

  it('whose result comes first, and its status in an update of its own, has both', async () => {
    const { editor } = await turn([
      call({ title: 'ls', kind: 'execute', status: 'pending' }),
      later({ content: [said('one\ntwo')] }),
      later({ status: 'completed' }),
    ]);
    expect(editor.text).toMatch(/✓ Run +ls[^]*one[^]*two/);
  });

  it('that is told of after its end is not begun again', async () => {
    const { editor } = await turn([
      call({ title: 'ls', kind: 'execute', status: 'completed' }),
      later({ _meta: { claudeCode: { toolName: 'Bash', toolResponse: { stdout: 'x' } } } }),
      later({ content: [said('more')] }),
    ]);
    expect(editor.text).toMatch(/✓ Run +ls/);
    expect(editor.text).toContain('more');
  });

  it('that is told of after its turn has its end there', async () => {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ title: 'make', kind: 'execute', status: 'in_progress' }),
        chunk('in the background'),
        end(),
        { delay: 30 },
        later({ status: 'completed' }),
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toMatch(/✓ Run +make/));
    expect(chat.editor.faults).toEqual([]);
  });

  it('that is begun and ended after the turn has a card below it', async () => {
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        chunk('well'),
        end(),
        { delay: 30 },
        call({
          toolCallId: 'late',
          title: 'Subagent completed',
          kind: 'other',
          status: 'completed',
        }),
      ]),
    );
    chat.send('go');
    await eventually(() =>
      expect(chat.editor.kinds()).toEqual(['user', 'message', 'turn', 'tool']),
    );
    expect(chat.editor.status.state).toBe('idle');
  });

  it('called running again and again is one that runs', async () => {
    const { editor } = await turn([
      call({ title: 'bash', kind: 'execute', status: 'pending', rawInput: {} }),
      ...Array.from({ length: 4 }, () =>
        later({ status: 'in_progress', rawInput: { command: 'make' } }),
      ),
      later({ status: 'completed', content: [said('built')] }),
    ]);
    expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
    expect(editor.text).toMatch(/✓ Run +make[^]*built/);
  });

  it('whose result stands in its raw output alone shows that', async () => {
    const { editor, tell } = await turn([
      call({ title: 'find', kind: 'search', status: 'pending', rawInput: { pattern: '*.ts' } }),
      later({ status: 'in_progress' }),
      later({ status: 'completed', rawOutput: 'src/a.ts\nsrc/b.ts' }),
    ]);
    tell('block.fold', { block: editor.idOf('tool'), expanded: true });
    await eventually(() => expect(editor.text).toContain('src/b.ts'));
  });

  it('that ends with no output at all says nothing of it', async () => {
    const { editor } = await turn([
      call({ title: 'true', kind: 'execute', status: 'in_progress', content: [] }),
      later({ status: 'completed', content: [] }),
    ]);
    expect(editor.text).toMatch(/✓ Run +true\n/);
  });

  it('whose content is bare text, not wrapped as the schema wants, shows it', async () => {
    const { editor } = await turn([
      call({
        title: 'ls',
        kind: 'execute',
        status: 'completed',
        content: [{ type: 'text', text: 'bare' }],
      }),
    ]);
    expect(editor.text).toContain('bare');
  });

  it('that is failed by its exit code, or is completed all the same, is what its agent says', async () => {
    const { editor } = await turn([
      call({ title: 'a', kind: 'execute', status: 'failed' }),
      call({
        toolCallId: 'u',
        title: 'b',
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: 'u' }],
        _meta: { terminal_info: { terminal_id: 'u' } },
      }),
      later({
        toolCallId: 'u',
        status: 'completed',
        _meta: { terminal_exit: { terminal_id: 'u', exit_code: 3, signal: null } },
      }),
    ]);
    expect(editor.text).toMatch(/✗ Run +a/);
    expect(editor.text).toMatch(/✓ Run +b/);
    expect(JSON.stringify(editor.sent('frame'))).toContain('exit 3');
  });

  it('with several files in it shows each of them, made anew where no old text is told', async () => {
    const { editor } = await turn([
      call({
        title: 'patch',
        kind: 'edit',
        status: 'completed',
        content: [
          { type: 'diff', path: '/p/a.txt', newText: 'new\n' },
          { type: 'diff', path: '/p/b.txt', oldText: '', newText: 'two\n' },
          { type: 'diff', path: '/p/c.txt', oldText: 'old\n', newText: 'other\n' },
        ],
      }),
    ]);
    expect(editor.text).toContain('a.txt');
    expect(editor.text).toContain('b.txt');
    expect(editor.text).toContain('c.txt');
  });

  it('that writes 300 KB in one update is cut where it is shown, and holds nothing up', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => String(n + 1)).join('\n');
    const { editor } = await turn([
      call({ title: 'seq 1 20000', kind: 'execute', status: 'in_progress' }),
      later({ status: 'completed', content: [said(lines)], rawOutput: { output: lines } }),
      chunk('done'),
    ]);
    expect(editor.text).toContain('done');
    expect(JSON.stringify(editor.calls).length).toBeLessThan(100_000);
  });
});

describe('a call that is still open when its turn ends', () => {
  it.each([
    ['cancelled', 'as one agent answers a rejection'],
    ['end_turn', 'as others do'],
  ])('by %s, %s, is not open for ever when it was rejected', async (stopReason) => {
    const { editor } = await turn(
      [
        call({ title: 'rm x', kind: 'execute', status: 'in_progress' }),
        ask({ title: 'Run rm x?', kind: 'execute', status: 'pending' }),
        end(stopReason),
      ],
      ['no'],
    );
    expect(editor.text).toMatch(/⊘ Run/);
    expect(editor.text).not.toMatch(/[◐○] Run/);
  });

  it.each(['pending', 'in_progress'])('as %s, on cancel, is cancelled', async (status) => {
    const agent = scriptedAgent([
      PROMPT,
      call({ title: 'sleep 9', kind: 'execute', status }),
      { expect: 'session/cancel' },
      chunk('still talking'),
      { reply: { stopReason: 'cancelled', usage: null }, to: 'prompt' },
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.text).toContain('sleep 9'));
    chat.cancel();
    await ended(chat);
    expect(chat.editor.text).toMatch(/⊘ Run +sleep 9/);
    expect(chat.editor.text).toContain('still talking');
  });
});

describe('a question about a call', () => {
  it('that has another title, no content, and is pending again takes nothing from its card', async () => {
    const diff = { type: 'diff', path: '/p/a.txt', oldText: 'old\n', newText: 'new\n' };
    const chat = openChat(
      scriptedAgent([
        PROMPT,
        call({ title: 'Edit a.txt', kind: 'edit', status: 'in_progress', content: [diff] }),
        ask({ title: 'Apply changes?', kind: 'edit', status: 'pending' }),
        later({ status: 'completed' }),
        end(),
      ]),
    );
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    expect(chat.editor.opened[0]?.hasDiff).toBe(true);
    expect(chat.editor.text).toMatch(/old[^]*new/);
    chat.answer(chat.editor.opened[0]!.id, 'yes');
    await ended(chat);
    expect(chat.editor.kinds()).toEqual(['user', 'tool', 'turn']);
  });

  describe('under an id of its own', () => {
    const edit = { title: 'Edit: a.txt', kind: 'edit' };
    const rawInput = { file_path: 'a.txt', old_string: 'a', new_string: 'b' };
    const announced = call({ ...edit, status: 'in_progress', rawInput });
    const asked = ask({
      toolCallId: '6f1e',
      ...edit,
      status: 'pending',
      rawInput: { replace_all: false, ...rawInput },
    });

    it.each([
      ['told of before', [announced, asked]],
      ['told of afterwards', [asked, announced]],
    ])('is on the card of the call, %s', async (_, steps) => {
      const { editor } = await turn([...steps, later({ status: 'completed' })], ['yes']);
      expect(editor.kinds()).toEqual(['user', 'tool', 'turn']);
      expect(editor.text).toMatch(/✓ Edit/);
      expect(editor.text).not.toContain('without asking');
    });

    it('that was rejected is another call than the one that is tried next', async () => {
      const { editor } = await turn([asked, announced, later({ status: 'completed' })], ['no']);
      expect(editor.kinds()).toEqual(['user', 'tool', 'tool', 'turn']);
      expect(editor.text).toMatch(/⊘ Edit[^]*✓ Edit/);
    });

    it.each([{ ...rawInput, new_string: 'c' }, { file_path: 'a.txt', limit: 3 }, {}, null])(
      'with another input is another call: %j',
      async (other) => {
        const { editor } = await turn(
          [
            call({ ...edit, status: 'in_progress', rawInput: other }),
            asked,
            later({ status: 'completed' }),
          ],
          ['yes'],
        );
        expect(editor.kinds()).toEqual(['user', 'tool', 'tool', 'turn']);
      },
    );
  });

  it('with a UUID for the id of the request is answered under it', async () => {
    const id = 'b1f7a2c4-0d7e-4a55-9a0f-6c8e1d2f3a4b';
    const params = {
      sessionId: '${prompt.params.sessionId}',
      toolCall: { toolCallId: 't', title: 'x' },
      options: OPTIONS,
    };
    const frame = { jsonrpc: '2.0', id, method: 'session/request_permission', params };
    const agent = scriptedAgent([PROMPT, { raw: `${JSON.stringify(frame)}\n` }, { delay: 30 }]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.answer(chat.editor.opened[0]!.id, 'yes');
    await eventually(() =>
      expect(agent.received().find((frame) => frame.id === id)?.result).toEqual({
        outcome: { outcome: 'selected', optionId: 'yes' },
      }),
    );
  });

  it('that its agent never withdraws though it has answered the prompt is closed with the turn', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { ...ask({ title: 'rm x', kind: 'execute' }), as: 'ask' },
      { expect: 'session/cancel' },
      end('cancelled'),
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.cancel();
    await ended(chat);
    expect(chat.editor.closed).toHaveLength(1);
    expect(chat.editor.status.questions).toEqual([]);
  });

  it('that stays open when the agent ends the turn by itself can still be answered', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { ...ask({ title: 'rm x', kind: 'execute' }), as: 'ask' },
      { delay: 50 },
      end(),
    ]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    await eventually(() => expect(chat.editor.blocks('turn')).toHaveLength(1));
    expect(chat.editor.status.questions).toHaveLength(1);
    expect(chat.editor.closed).toEqual([]);
    chat.answer(chat.editor.opened[0]!.id, 'no');
    await ended(chat);
    expect(chat.editor.closed).toHaveLength(1);
  });
});
