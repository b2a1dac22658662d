import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, startChat } from './e2e';
import { holds } from './prompts';

const PROMPT: Step = { expect: 'session/prompt' };
const END: Step = { reply: { stopReason: 'end_turn' } };
const HANG: Step = { expect: '_never' };
const update = (sessionUpdate: string, fields: object): Step => ({
  update: { sessionUpdate, ...fields },
});
const compaction = (fields: object): Step => update('compaction_update', fields);

/** What differs from run to run. */
const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

const SUMMARY = `The parser drops the last line of a file. **Found:** \`lines.pop()\` in \`src/parse.js\`.

1. the test is written
2. the fix is to come`;

const compacted: Step[] = [
  PROMPT,
  chunk('The history is long by now.'),
  compaction({ compactionId: 'a', status: 'in_progress' }),
  compaction({
    compactionId: 'a',
    status: 'completed',
    summary: [{ type: 'text', text: SUMMARY }],
  }),
  compaction({ compactionId: 'a', status: 'completed' }),
  chunk('I go on with the fix.'),
  compaction({ compactionId: 'b', status: 'failed', error: 'the summary came out too long' }),
  compaction({ compactionId: 'c', status: 'in_progress' }),
  HANG,
];

describe('room made in the context', () => {
  it('is a line each time, with its summary behind a key', async () => {
    const nvim = await startChat(scriptedAgent(compacted));
    await nvim.input(':AcpChat Go on<CR>');
    await nvim.waitForScreen('Making room');
    await nvim.input('<C-w>k/Context compacted<CR>za');
    await nvim.waitForScreen('the fix is to come');
    await expectScreen(nvim, 'compaction', { replace });
  });
});

const FAILED: Step[] = [
  PROMPT,
  chunk('I look at it.'),
  update('session_info_update', {
    _meta: {
      jetbrains: {
        air: {
          version: 1,
          sessionFailure: {
            id: 'f',
            revision: 1,
            severity: 'error',
            category: 'access',
            title: 'Your plan does not include this model',
            details: 'Log in with another account, or choose another model.',
            actions: ['retry', 'login', 'new_session'],
          },
        },
      },
    },
  }),
  { reply: { stopReason: 'end_turn' } },
];

async function failed(...then: Step[]): Promise<{ nvim: Nvim; prompts: () => number }> {
  const agent = scriptedAgent([...FAILED, ...then]);
  const nvim = await startChat(agent);
  await nvim.input(':AcpChat Fix it<CR>');
  await nvim.waitForScreen('3 New session');
  await idle(nvim);
  await nvim.input('<Esc><C-w>k/Your plan<CR>');
  return { nvim, prompts: () => agent.received('session/prompt').length };
}

describe('a failure', () => {
  it('says why, and what can be done', async () => {
    const { nvim } = await failed();
    await expectScreen(nvim, 'failure', { replace });
  });

  it('is tried again by the number of that', async () => {
    const { nvim, prompts } = await failed(PROMPT, chunk('Now it works.'), END);
    await nvim.input('1<CR>');
    await nvim.waitForScreen('Now it works.');
    expect(prompts()).toBe(2);
    await eventually(() => expect(nvim.screen()).not.toContain('3 New session'));
  });

  it('begins a new session where that is chosen', async () => {
    const { nvim } = await failed();
    await nvim.input('<CR>');
    await nvim.waitForScreen('3: New session');
    await nvim.input('3<CR>');
    await eventually(async () =>
      expect(await nvim.lua(`return require('acp.chat').current().session`)).toBe('s2'),
    );
  });
});

const SUGGESTED: Step[] = [
  PROMPT,
  chunk('The parser keeps the last line now.'),
  END,
  update('session_info_update', {
    _meta: {
      promptSuggestions: { suggestions: [{ text: 'Run the tests' }, { text: 'Commit it' }] },
    },
  }),
];

describe('suggestions', () => {
  it('stand in the empty prompt', async () => {
    const nvim = await startChat(scriptedAgent(SUGGESTED));
    await nvim.input(':AcpChat Fix it<CR>');
    await nvim.waitForScreen('<Tab> shows 2');
    await idle(nvim);
    await expectScreen(nvim, 'suggestions', { replace });
  });

  it('are taken over, changed and sent by the user, and are gone then', async () => {
    const agent = scriptedAgent([...SUGGESTED, PROMPT, chunk('All pass.'), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat Fix it<CR>');
    await nvim.waitForScreen('<Tab> shows 2');
    await nvim.input('<Tab>');
    await nvim.waitForScreen('2: Commit it');
    await nvim.input('1<CR>');
    await holds(nvim, 'Run the tests');
    await nvim.input(' twice<C-s>');
    await nvim.waitForScreen('All pass.');
    const [, second] = agent.received('session/prompt');
    expect(second?.params?.prompt).toEqual([{ type: 'text', text: 'Run the tests twice' }]);
    await idle(nvim);
    expect(nvim.screen()).not.toContain('<Tab>');
  });
});
