/** Plans that agents want to be approved, as each of them asks. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const text = (it: string) => [{ type: 'content', content: { type: 'text', text: it } }];
const option = (optionId: string, name: string, kind: string) => ({ optionId, name, kind });

function ask(toolCall: object, options: object[]): Step[] {
  return [
    {
      request: { method: 'session/request_permission', params: { toolCall, options } },
      as: 'answer',
    },
    { answer: 'answer' },
    chunk('chosen: ${answer.outcome.optionId}'),
  ];
}

const CLAUDE = [
  option('reject', 'No, keep planning', 'reject_once'),
  option('exit-plan-default', 'Yes, manually approve edits', 'allow_once'),
  option('exit-plan-auto', 'Yes, and use auto mode', 'allow_always'),
  option('exit-plan-bypass', 'Yes, and bypass permissions', 'allow_always'),
];
const CODEX = [
  option('implement_plan', 'Implement', 'allow_once'),
  option('revise_plan', 'Revise', 'reject_once'),
];

const asks: [string, Step[], chosen: string][] = [
  [
    'claude, which tells it with the call and leaves it out of the question',
    [
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          title: 'Approve Plan',
          kind: 'switch_mode',
          status: 'pending',
          rawInput: { plan: '# Goal\n\n- one' },
        },
      },
      ...ask(
        { toolCallId: 't', name: 'ExitPlanMode', title: 'Approve Plan', content: [], rawInput: {} },
        CLAUDE,
      ),
    ],
    'exit-plan-bypass',
  ],
  [
    'claude without a kind',
    ask(
      {
        toolCallId: 't',
        title: 'Approve Plan',
        rawInput: { plan: '# Goal\n\n- one' },
        _meta: { claudeCode: { toolName: 'ExitPlanMode' } },
      },
      CLAUDE,
    ),
    'reject',
  ],
  [
    'codex',
    ask(
      { toolCallId: 'plan-review:7', title: 'Approve Plan', content: text('# Goal\n\n- one') },
      CODEX,
    ),
    'revise_plan',
  ],
  [
    'any agent that asks to change its mode',
    ask(
      {
        toolCallId: 't',
        title: 'Approve Plan',
        kind: 'switch_mode',
        content: text('# Goal\n\n- one\n'),
      },
      CODEX,
    ),
    'implement_plan',
  ],
];

describe('a plan of', () => {
  it.each(asks)('%s', async (_who, steps, chosen) => {
    const agent = scriptedAgent([PROMPT, ...steps, END]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    const [question] = chat.editor.opened;
    expect(question).toMatchObject({
      title: 'Approve Plan',
      detail: [],
      plan: ['# Goal', '', '- one'],
    });
    expect(chat.editor.text).toContain('# Goal');
    chat.answer(question!.id, chosen);
    await eventually(() => expect(chat.editor.text).toContain(`chosen: ${chosen}`));
  });
});

describe('words with the answer to a plan', () => {
  it('are the next prompt', async () => {
    const agent = scriptedAgent([PROMPT, ...asks[0]![1], END, PROMPT, chunk('I see'), END]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    chat.answer(chat.editor.opened[0]!.id, 'reject', { words: 'test it first' });
    await eventually(() => expect(chat.editor.text).toContain('I see'));
    expect(agent.received('session/prompt')[1]!.params!.prompt).toEqual([
      { type: 'text', text: 'test it first' },
    ]);
  });
});

describe('a change of mode without a plan', () => {
  it('is a question like any other', async () => {
    const call = { toolCallId: 't', title: 'Leave plan mode', kind: 'switch_mode', content: [] };
    const agent = scriptedAgent([PROMPT, ...ask(call, CODEX), END]);
    const chat = openChat(agent);
    chat.send('go');
    await eventually(() => expect(chat.editor.opened).toHaveLength(1));
    expect(chat.editor.opened[0]).not.toHaveProperty('plan');
    expect(chat.editor.opened[0]!.title).toBe('Switch mode Leave plan mode');
  });
});
