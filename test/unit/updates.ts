/** Updates as agents send them, odd ones too. */
import fc from 'fast-check';

const text = fc.oneof(
  fc.constantFrom(
    '',
    '\n',
    '\n\n',
    '**',
    '```',
    '```js\n',
    '`',
    '| a | b |\n',
    '- x\n',
    '\r\n',
    '\u001b[31m',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const preview = (about: object) => ({ 'claude-pty-acp/streaming-preview': about });
const content = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constantFrom('image', 'resource_link', 'resource', 'hologram') }),
  fc.constant(null),
);
export const chunk = fc.record(
  {
    sessionUpdate: fc.constantFrom(
      'agent_message_chunk',
      'agent_thought_chunk',
      'user_message_chunk',
    ),
    content,
    messageId: fc.constantFrom(null, 'm1', 'm2'),
    _meta: fc.constantFrom(
      undefined,
      preview({ provisional: true, turn: 1 }),
      preview({ provisional: true, turn: 2 }),
      preview({ replaceProvisional: true, turn: 1 }),
      preview({ replaceProvisional: true }),
    ),
  },
  { requiredKeys: ['sessionUpdate', 'content'] },
);
export const tool = fc.record(
  {
    sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'),
    toolCallId: fc.constantFrom('t1', 't2', 't3', ''),
    title: fc.oneof(text, fc.constant(null)),
    kind: fc.constantFrom('read', 'edit', 'execute', 'teleport', null),
    status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'exploded', null),
    content: fc.oneof(
      fc.constant(null),
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('content'), content }),
          fc.record({
            type: fc.constant('diff'),
            path: fc.constantFrom('/project/a.txt', '/other/b', ''),
            oldText: fc.oneof(text, fc.constant(null)),
            newText: text,
          }),
          fc.constant({ type: 'terminal', terminalId: 't1' }),
        ),
        { maxLength: 3 },
      ),
    ),
    locations: fc.constantFrom(null, [], [{ path: '/project/a.txt', line: 3 }], [{ line: 1 }]),
    rawInput: fc.constantFrom(null, {}, { command: 'ls -l' }, { command: ['a', 'b c'] }, 'x'),
    rawOutput: fc.constantFrom(null, 'out', { stdout: 'o', stderr: 'e' }, 7),
    _meta: fc.constantFrom(
      undefined,
      { terminal_output: { terminal_id: 't1', data: 'line\n\u001b[32mgreen\rback' } },
      { terminal_exit: { terminal_id: 't1', exit_code: null, signal: null } },
    ),
  },
  { requiredKeys: ['sessionUpdate'] },
);
export const other = fc.oneof(
  fc.record({
    sessionUpdate: fc.constant('plan'),
    entries: fc.array(
      fc.record({ content: text, status: fc.constantFrom('pending', 'completed', 'odd', null) }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    sessionUpdate: fc.constant('plan_update'),
    plan: fc.oneof(
      fc.record({
        type: fc.constant('markdown'),
        planId: fc.constantFrom('p', 'q'),
        content: text,
      }),
      fc.record({
        type: fc.constantFrom('file', 'items', 'hologram'),
        planId: fc.constantFrom('p', 'q'),
        uri: fc.constantFrom('file:///project/plan.md', 'memo://x', null),
        entries: fc.constantFrom(null, [{ content: 'do' }]),
      }),
    ),
  }),
  fc.record({
    sessionUpdate: fc.constant('plan_removed'),
    planId: fc.constantFrom('p', 'q', null),
  }),
  fc.record({ sessionUpdate: fc.constant('notice'), title: text, severity: text }),
  fc.record({
    sessionUpdate: fc.constantFrom('compaction_update', 'compaction_summary_chunk'),
    compactionId: fc.constantFrom('c1', 'c2', '', null),
    status: fc.constantFrom('in_progress', 'completed', 'failed', 'odd', null),
    summary: fc.oneof(fc.constant(null), fc.array(content, { maxLength: 2 })),
    content,
    error: fc.oneof(text, fc.constant(null)),
  }),
  fc.record({
    sessionUpdate: fc.constant('session_info_update'),
    _meta: fc.record({
      jetbrains: fc.record({
        air: fc.record({
          sessionFailure: fc.record({
            id: fc.constantFrom('f1', 'f2', null),
            revision: fc.constantFrom(0, 1, 2, null),
            title: text,
            details: text,
            actions: fc.constantFrom(null, [], ['retry', 'login'], ['dance']),
          }),
        }),
      }),
    }),
  }),
  fc.record({ sessionUpdate: fc.string() }),
  fc.anything(),
);
