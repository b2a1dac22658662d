import { describe, expect, it } from 'vitest';
import { eventually, replayAgent, scriptedAgent, type Step } from '../harness';
import { chunk, openChat, type Chat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const info = (meta: object): Step => ({
  update: { sessionUpdate: 'session_info_update', _meta: meta },
});
const compaction = (fields: object): Step => ({
  update: { sessionUpdate: 'compaction_update', compactionId: 'c1', ...fields },
});
const summary = (text: string): object => ({ summary: [{ type: 'text', text }] });

/** A chat whose agent has done these steps in a turn. */
async function after(steps: Step[], ...later: Step[]): Promise<Chat> {
  const chat = openChat(scriptedAgent([PROMPT, ...steps, END, ...later]));
  chat.send('go');
  await eventually(() => expect(chat.editor.kinds()).toContain('turn'));
  return chat;
}

describe('room that the agent makes in its context', () => {
  it('is one block, however often its end is told', async () => {
    const { editor } = await after([
      compaction({ status: 'in_progress' }),
      compaction({ status: 'completed', ...summary('They fixed the parser.') }),
      compaction({ status: 'completed' }),
    ]);
    expect(editor.kinds()).toEqual(['user', 'compaction', 'turn']);
    expect(editor.text).toContain('Context compacted');
    expect(editor.text).not.toContain('parser');
  });

  it('shows its summary when it is unfolded, chunks and all', async () => {
    const { editor, tell } = await after([
      {
        update: {
          sessionUpdate: 'compaction_summary_chunk',
          compactionId: 'c1',
          content: text('They fixed '),
        },
      },
      {
        update: {
          sessionUpdate: 'compaction_summary_chunk',
          compactionId: 'c1',
          content: text('the parser.'),
        },
      },
      compaction({ status: 'completed' }),
    ]);
    tell('block.fold', { block: editor.idOf('compaction') });
    await eventually(() => expect(editor.text).toContain('They fixed the parser.'));
  });

  it.each([
    ['failed', { error: 'out of tokens' }, 'could not be compacted: out of tokens'],
    ['cancelled', {}, 'was cancelled'],
  ])('says that it %s', async (status, more, words) => {
    const { editor } = await after([
      compaction({ status: 'in_progress' }),
      compaction({ status, ...more }),
    ]);
    expect(editor.text).toContain(words);
  });

  it('does not go on for ever when its end is never told', async () => {
    const { editor } = await after([compaction({ status: 'in_progress' })]);
    expect(editor.kinds()).toEqual(['user', 'compaction', 'turn']);
    expect(editor.text).toContain('· Making room in the context');
    expect(editor.faults).toEqual([]);
  });

  it('without an id is shown as what it is: unknown', async () => {
    const { editor } = await after([{ update: { sessionUpdate: 'compaction_update' } }]);
    expect(editor.kinds()).toContain('unknown');
  });
});

function text(words: string): object {
  return { type: 'text', text: words };
}

describe('notices', () => {
  const notice = (fields: object): Step => ({ update: { sessionUpdate: 'notice', ...fields } });

  it('of one kind in a row are one, and others are not', async () => {
    const slow = notice({ severity: 'warning', title: 'Slow', description: 'Wait.' });
    const { editor } = await after([
      slow,
      slow,
      slow,
      notice({ severity: 'warning', title: 'Slow', description: 'Wait longer.' }),
      chunk('on'),
      slow,
    ]);
    expect(editor.kinds()).toEqual(['user', 'notice', 'notice', 'message', 'notice', 'turn']);
  });

  it('that come as messages are notices where a key tells them apart, never by their words', async () => {
    const said = (words: string, meta?: object): Step => {
      const { update } = chunk(words);
      return { update: { ...update, ...(meta && { _meta: meta }) } };
    };
    const claude = (kind: string, level?: string) => ({ claudeCode: { kind, level } });
    const { editor } = await after([
      said(
        '**Warning:** the gateway is old.\nAsk for a new one.',
        claude('informational', 'warning'),
      ),
      said('**Notice:** going on', claude('informational', 'notice')),
      said('**MCP server "x" failed to start:** Run /mcp.', claude('mcpServerStatus')),
      said('An extension was loaded', { piAcp: { notify: { level: 'info' } } }),
      said('An extension was loaded', { piAcp: { notify: { level: 'info' } } }),
      said('It broke', { piAcp: { notify: { level: 'error' } } }),
      said('**Warning:** this is the answer'),
    ]);
    expect(editor.text).toContain('! the gateway is old.\n  Ask for a new one.');
    expect(editor.text).toContain('• going on');
    expect(editor.text).toContain('• MCP server "x" failed to start\n  Run /mcp.');
    expect(editor.text).toContain('• An extension was loaded');
    expect(editor.text).toContain('✗ It broke');
    expect(editor.text).toContain('**Warning:** this is the answer');
    expect(editor.blocks('notice')).toHaveLength(5);
    expect(editor.blocks('message')).toHaveLength(1);
  });
});

describe('what real agents said', () => {
  /** The transcript of a recorded session, when it has so many turns. */
  async function replayed(log: string, ...prompts: string[]): Promise<Chat['editor']> {
    const { editor, send } = openChat(replayAgent(log));
    for (const [i, prompt] of prompts.entries()) {
      send(prompt);
      await eventually(() => expect(editor.blocks('turn')).toHaveLength(i + 1));
    }
    expect(editor.faults).toEqual([]);
    expect(editor.kinds()).not.toContain('unknown');
    return editor;
  }

  it('of room in the context is one line', async () => {
    const editor = await replayed('claude/compact', '[[say 30]]', '/compact');
    expect(editor.blocks('compaction')).toHaveLength(1);
    expect(editor.text).toContain('▸ Context compacted');
  });

  it('of servers and of itself are notices', async () => {
    const editor = await replayed('claude/mcp', '[[say 3]]');
    expect(editor.text).toContain('• MCP server "broken" failed to start');
    expect(editor.text).toContain("! We're changing auto mode");
    expect(editor.text).not.toContain('**');
  });

  it('of a service that fails is one line, and its answer', async () => {
    const editor = await replayed('codex/error-500', '[[error 500]]');
    expect(editor.kinds()).toEqual(['user', 'notice', 'message', 'turn']);
    expect(editor.text).toContain('! Reconnecting... 5/5');
  });

  it('of a command that it does not know is nothing, and that is said', async () => {
    const editor = await replayed('opencode/slash', '/no-such-command hello');
    expect(editor.text).toContain('the agent ended it without a word');
  });
});

describe('a limit of the service', () => {
  const reached = { status: 'rejected', rateLimitType: 'five_hour', resetsAt: 4e9 };
  const usage = (limit: object): Step => ({
    update: {
      sessionUpdate: 'usage_update',
      used: 1,
      size: 2,
      _meta: { '_claude/rateLimit': limit },
    },
  });

  it('that is reached is told once, with when it begins anew', async () => {
    const { editor } = await after([usage(reached), chunk('hm'), usage(reached), usage(reached)]);
    expect(editor.blocks('notice')).toHaveLength(1);
    expect(editor.text).toContain('! The limit of 5 hours of the agent’s service is reached');
    expect(editor.text).toMatch(/It begins anew on 2096-\d\d-\d\d at \d\d:\d\d\./);
    expect(editor.status.limits).toEqual([{ name: '5 hours', state: 'reached', resets: 4e12 }]);
  });

  it('is told again when it is reached again', async () => {
    const { editor } = await after([
      usage(reached),
      usage({ ...reached, status: 'allowed' }),
      usage({ ...reached, resetsAt: 4.1e9 }),
    ]);
    expect(editor.blocks('notice')).toHaveLength(2);
  });
});

describe('a goal', () => {
  const goal = (it: object | null): Step => info({ jetbrains: { air: { version: 1, goal: it } } });

  it('is part of the status, and what becomes of it is told once', async () => {
    const { editor } = await after([
      goal({ objective: 'All tests pass', status: 'active' }),
      goal({ objective: 'All tests pass', status: 'active', iterations: 2 }),
      goal({ objective: 'All tests pass', status: 'blocked', lastReason: 'no network' }),
    ]);
    expect(editor.status.goal).toEqual({
      objective: 'All tests pass',
      status: 'blocked',
      reason: 'no network',
    });
    expect(editor.text).toContain('• Goal: All tests pass');
    expect(editor.text).toContain('! The goal is blocked: All tests pass\n  no network');
    expect(editor.blocks('notice')).toHaveLength(2);
  });

  it('goes when the agent has none any more; none that never was is told', async () => {
    const { editor } = await after([
      goal(null),
      goal({ objective: 'All tests pass', status: 'active' }),
      goal(null),
      goal({}),
    ]);
    expect(editor.status.goal).toBeUndefined();
    expect(editor.text).toContain('The goal was given up: All tests pass');
    expect(editor.blocks('notice')).toHaveLength(2);
  });
});

describe('what the agent remembered', () => {
  it('is one quiet line', async () => {
    const { editor } = await after([
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 'm1',
          title: 'Recalled memories',
          status: 'completed',
          content: [{ type: 'content', content: text('They like tabs.') }],
          _meta: { claudeCode: { toolName: 'memory_recall', toolResponse: { mode: 'select' } } },
        },
      },
    ]);
    expect(editor.text).toContain('✓ Recall  Recalled memories');
    expect(editor.text).not.toContain('tabs');
  });
});

describe('a call of claude’s', () => {
  const call = (fields: object, claudeCode: object): Step => ({
    update: {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't1',
      ...fields,
      _meta: { claudeCode },
    },
  });

  it('that was denied says by what', async () => {
    const { editor } = await after([
      call({ kind: 'execute', title: 'rm -rf', status: 'pending' }, { toolName: 'Bash' }),
      call(
        { status: 'failed' },
        {
          toolName: 'Bash',
          toolResponse: {
            decisionReasonType: 'rule',
            decisionReason: 'Bash(rm:*)',
            message: 'Denied',
          },
        },
      ),
    ]);
    expect(editor.text).toContain('✗ Run   rm -rf\n  Denied\n  Bash(rm:*)');
  });

  it('that was given up has not failed', async () => {
    const { editor } = await after([
      call({ kind: 'execute', title: 'make', status: 'in_progress' }, { toolName: 'Bash' }),
      call({ status: 'failed' }, { toolName: 'Bash', nonExecutionKind: 'interrupted' }),
    ]);
    expect(editor.text).toContain('⊘ Run   make');
  });

  it('that tells how long it runs already says nothing by that', async () => {
    const { editor, tell } = await after([
      call({ kind: 'execute', title: 'make', status: 'in_progress' }, { toolName: 'Bash' }),
      call(
        { status: 'in_progress' },
        { toolName: 'Bash', toolResponse: { elapsedTimeSeconds: 30 } },
      ),
      call({ status: 'completed' }, { toolName: 'Bash' }),
    ]);
    tell('block.inspect', { block: editor.idOf('tool') });
    await eventually(() => expect(editor.sent('detail.show')).toHaveLength(1));
    expect(JSON.stringify(editor.sent('detail.show'))).not.toContain('elapsed');
  });
});
