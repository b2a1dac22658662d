/** Plans that an agent wants to be approved, and plans in words. */
import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, scriptedAgent, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
  [/(<|\/tmp\/)[\w-]*-\w+\/project/, '/'],
];

const PLAN = `# Compare versions as numbers

1. **Parse** each identifier once, in \`src/semver.js\`:

   \`\`\`js
   const x = Number(a), y = Number(b);
   \`\`\`

2. Keep the order of [the specification](https://semver.org/#spec-item-11).
3. Add tests for \`alpha.2\` and \`alpha.10\`.

> Nothing else changes.

${Array.from({ length: 30 }, (_, i) => `- [ ] step ${i + 1}`).join('\n')}
`;

const ASK: Step[] = [
  {
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'Approve Plan',
      kind: 'switch_mode',
      status: 'pending',
      rawInput: { plan: PLAN },
    },
  },
  {
    request: {
      method: 'session/request_permission',
      params: {
        toolCall: { toolCallId: 't', title: 'Approve Plan', kind: 'switch_mode', content: [] },
        options: [
          {
            optionId: 'exit-plan-default',
            name: 'Yes, manually approve edits',
            kind: 'allow_once',
          },
          { optionId: 'exit-plan-auto', name: 'Yes, and use auto mode', kind: 'allow_always' },
          {
            optionId: 'exit-plan-bypass',
            name: 'Yes, and bypass permissions',
            kind: 'allow_always',
          },
          { optionId: 'reject', name: 'No, keep planning', kind: 'reject_once' },
        ],
      },
    },
    as: 'answer',
  },
  { answer: 'answer' },
];
const SAY: Step = chunk('chosen: ${answer.outcome.optionId}');
const HELLO: Step[] = [
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentInfo: { name: 'nanocoder', title: 'Nanocoder' } } },
];

async function asked(columns: number, more: Step[] = [SAY, END]) {
  const agent = scriptedAgent([...HELLO, PROMPT, ...ASK, ...more]);
  const options = { permission: { quiet_ms: 0 } };
  const nvim = await startChat(agent, { columns, lines: 30, options });
  await nvim.command(`edit ${file(nvim, 'semver.js', 'export {};\n')}`);
  await nvim.input(':AcpChat compare them as numbers<CR>');
  return { agent, nvim };
}

describe('a plan that is to be approved', () => {
  it.each([80, 160])('on a screen of %i columns', async (columns) => {
    const { nvim } = await asked(columns);
    await nvim.waitForScreen('Which?');
    await expectScreen(nvim, `plan-approval-${columns}`, { replace });
  });

  it('is approved by the answer that was chosen, not by its kind', async () => {
    const { nvim } = await asked(80);
    await nvim.waitForScreen('Which?');
    await nvim.input('3<CR>');
    await nvim.waitForScreen('chosen: exit-plan-bypass');
    await idle(nvim);
  });

  it('is rejected with words, which the agent gets', async () => {
    const { nvim, agent } = await asked(80, [SAY, END, PROMPT, chunk('I see'), END]);
    await nvim.waitForScreen('Which?');
    // As if it had been there for as long as it takes to be read.
    await nvim.lua(`require('acp.ui.permission_list').open[1].shown = 0`);
    await nvim.input('gr');
    await nvim.waitForScreen(':AcpReject');
    await nvim.input('test it first<CR>');
    await nvim.waitForScreen('I see');
    expect(nvim.screen()).toContain('chosen: reject');
    expect(agent.received('session/prompt')[1]!.params!.prompt).toEqual([
      { type: 'text', text: 'test it first' },
    ]);
  });

  it('is asked again from its card, when it was put off', async () => {
    const { nvim } = await asked(80);
    await nvim.waitForScreen('Which?');
    await nvim.input('q');
    await eventually(() => expect(nvim.screen()).not.toContain('Which?'));
    await nvim.input('<C-\\><C-n>:AcpPermission<CR>');
    await nvim.waitForScreen('Which?');
    await nvim.input('1<CR>');
    await nvim.waitForScreen('chosen: exit-plan-default');
  });
});

describe('a plan in words', () => {
  it('is Markdown in the transcript, or a link to its file', async () => {
    const agent = scriptedAgent([
      ...HELLO,
      PROMPT,
      {
        update: {
          sessionUpdate: 'plan_update',
          plan: { type: 'markdown', planId: 'a', content: PLAN.split('\n- [ ]')[0] },
        },
      },
      {
        update: {
          sessionUpdate: 'plan_update',
          plan: { type: 'file', planId: 'b', uri: 'file:///home/user/.plans/semver.md' },
        },
      },
      END,
    ]);
    const nvim = await startChat(agent, { columns: 120, lines: 30 });
    await nvim.input(':AcpChat compare them as numbers<CR>');
    await idle(nvim);
    await nvim.waitForScreen('semver.md');
    await expectScreen(nvim, 'plan-words', { replace });
  });
});
