import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, lines, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const OPTIONS = [
  { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const told = (fields: object, sessionId = 'child'): Step => ({
  update: { sessionUpdate: 'subagent_update', sessionId, ...fields },
});
const call = (fields: object, session = 'child'): Step => ({
  update: { sessionUpdate: 'tool_call', ...fields },
  session,
});
const says = (text: string, session = 'child'): Step => ({ ...chunk(text), session });

/** What differs from run to run. */
const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
  [/\/tmp\/acp-\w+\/project/, '/'],
];

async function focusTranscript(nvim: Nvim): Promise<void> {
  await nvim.input('<Esc>');
  await nvim.lua(
    `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
  );
}

const WORK: Step[] = [
  PROMPT,
  chunk('Two helpers look for it.'),
  told({ title: 'Look through the tests', state: { state: 'running' } }),
  told({ title: 'Read the history', state: { state: 'running' } }, 'other'),
  call({ toolCallId: 'r', kind: 'read', title: 'a', locations: [{ path: 'test/semver.test.js' }] }),
  says(
    'The tests compare **identifiers** as numbers, which is a long story that needs two rows.\n\n',
  ),
  says('```js\nconst n = Number(a);\n\nreturn n;\n```\n'),
  call(
    { toolCallId: 'l', kind: 'execute', title: 'git log', rawInput: { command: 'git log' } },
    'other',
  ),
  {
    update: { sessionUpdate: 'tool_call_update', toolCallId: 'l', status: 'in_progress' },
    session: 'other',
  },
];

describe('subagents', () => {
  it('are one line each, and unfold to what they did', async () => {
    const nvim = await startChat(scriptedAgent([...WORK, { expect: '_never' }]));
    await nvim.input(':AcpChat Find the bug<CR>');
    await nvim.waitForScreen(/Run git log/);
    await focusTranscript(nvim);
    await expectScreen(nvim, 'subagent-folded', { replace });
    await nvim.input('gg/Look through<CR>za');
    await nvim.waitForScreen('│ The tests compare');
    await nvim.input('j');
    await expectScreen(nvim, 'subagent-open', { replace });
    await nvim.input('/return n<CR>yc');
    await eventually(async () => {
      expect(await nvim.lua('return vim.fn.getreg("\\"")')).toBe(
        'const n = Number(a);\n\nreturn n;\n',
      );
    });
    await nvim.input('gg/Look through<CR><CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('The tests compare'));
  });

  it('that ask are seen and answered while they are folded', async () => {
    const agent = scriptedAgent([
      ...WORK,
      call({ toolCallId: 'x', kind: 'execute', title: 'rm x', rawInput: { command: 'rm x' } }),
      {
        request: {
          method: 'session/request_permission',
          params: { sessionId: 'child', toolCall: { toolCallId: 'x' }, options: OPTIONS },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      END,
    ]);
    const nvim = await startChat(agent, { options: { permission: { open: 'manual' } } });
    await nvim.input(':AcpChat Find the bug<CR>');
    await nvim.waitForScreen('for Look through the tests');
    await focusTranscript(nvim);
    await expectScreen(nvim, 'subagent-question', { replace });
    await nvim.input('gg/rm x<CR><CR>');
    await nvim.waitForScreen(/for the subagent Look/);
    await nvim.input('1<CR>');
    await idle(nvim);
    const answers = agent.received().filter(({ result }) => result !== undefined);
    expect(answers.at(-1)!.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    expect((await lines(nvim)).join('\n')).not.toContain('rm x');
  });

  it('are cancelled by a key, where their agent can', async () => {
    const agent = scriptedAgent([
      PROMPT,
      told({ title: 'Helper', state: { state: 'running' }, capabilities: { cancel: {} } }),
      told({ title: 'Stubborn', state: { state: 'running' } }, 'other'),
      { expect: 'session/cancel' },
      told({ state: { state: 'idle', stopReason: 'cancelled' } }),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat Go<CR>');
    await nvim.waitForScreen('Stubborn');
    await focusTranscript(nvim);
    await nvim.input('gg/Stubborn<CR>X');
    await nvim.waitForScreen('can’t cancel Stubborn by itself');
    await nvim.input('gg/Helper<CR>X');
    await nvim.waitForScreen('⊘ Agent  Helper');
    const cancels = agent.received().filter(({ method }) => method === 'session/cancel');
    expect(cancels.map(({ params }) => params)).toEqual([{ sessionId: 'child' }]);
  });
});
