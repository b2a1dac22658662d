import { describe, it } from 'vitest';
import { expectScreen, scriptedAgent, type Nvim, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const HANG: Step = { expect: '_never' };

/** What differs from run to run. */
const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/Thought for \d\.\d s/, 'Thought for 0.0 s'],
  [/\d\.\d s(?= · exit)/, '0.0 s'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
  [/\/tmp\/acp-\w+\/project/, '/'],
];

const settings: Step[] = [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'nanocoder', title: 'Nanocoder', version: '1' },
      agentCapabilities: { promptCapabilities: { embeddedContext: true } },
    },
  },
  { expect: 'session/new', as: 'new' },
  {
    reply: {
      sessionId: 's',
      modes: {
        currentModeId: 'plan',
        availableModes: [{ id: 'plan', name: 'plan' }],
      },
      configOptions: [],
    },
  },
  { update: { sessionUpdate: 'usage_update', used: 29440, size: 128000 } },
];

const toolCall = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call', ...fields },
});
const toolUpdate = (fields: object): Step => ({
  update: { sessionUpdate: 'tool_call_update', ...fields },
});
const thought: Step = {
  update: {
    sessionUpdate: 'agent_thought_chunk',
    content: { type: 'text', text: 'The comparison looks numeric, but it is not.' },
  },
};

const SOURCE = `const parse = (v) => v.split('.');

export function compareIdentifiers(a, b) {
  const x = Number(a), y = Number(b);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function rcompare(a, b) {
  return compareIdentifiers(b, a);
}
`;

async function start(steps: Step[]): Promise<Nvim> {
  const nvim = await startChat(scriptedAgent([...settings, ...steps]), {
    options: { permission: { open: 'manual' } },
  });
  await nvim.command(`edit ${file(nvim, 'semver.js', SOURCE)}`);
  return nvim;
}

describe('the screen', () => {
  it('of an empty chat', async () => {
    const nvim = await start([]);
    await nvim.input(':AcpChat<CR>');
    await idle(nvim);
    await expectScreen(nvim, 'empty', { replace });
  });

  it('while the agent streams', async () => {
    const nvim = await start([
      PROMPT,
      thought,
      chunk('Numeric identifiers are compared as **strings**, so `alpha.10`'),
      chunk(' sorts before `alpha.2`:\n\n```js\nconst n = Number(a) - Number(b);\n```\n\n'),
      chunk(
        '1. convert\n2. compare\n   - [x] tested\n\n> quoted *words* and [a link](https://example.org)\n\nand it goes o',
      ),
      HANG,
    ]);
    await nvim.input(':AcpChat Why is the order wrong?<CR>');
    await nvim.waitForScreen('and it goes o');
    await expectScreen(nvim, 'streaming', { replace });
  });

  it('with tool cards', async () => {
    const nvim = await start([
      PROMPT,
      chunk('I run the tests first.'),
      toolCall({
        toolCallId: 'run',
        kind: 'execute',
        title: 'bash',
        status: 'in_progress',
        rawInput: { command: 'node --test' },
        content: [{ type: 'terminal', terminalId: 'run' }],
      }),
      toolUpdate({
        toolCallId: 'run',
        _meta: {
          terminal_output: {
            terminal_id: 'run',
            data: [...Array(12).keys()]
              .map((i) => `ok ${i + 1}\n`)
              .join('')
              .concat('\u001b[31mnot ok 13\u001b[0m - sorts alpha.10 after alpha.2\n'),
          },
        },
      }),
      { delay: 200 },
      toolUpdate({
        toolCallId: 'run',
        status: 'failed',
        _meta: { terminal_exit: { terminal_id: 'run', exit_code: 1, signal: null } },
      }),
      ...['a', 'b'].flatMap((id) => [
        toolCall({
          toolCallId: id,
          kind: 'read',
          title: 'Read',
          status: 'completed',
          locations: [{ path: `/elsewhere/${id}.js`, line: 4 }],
        }),
      ]),
      toolCall({
        toolCallId: 'edit',
        kind: 'edit',
        title: 'Edit',
        status: 'completed',
        content: [{ type: 'diff', path: '/elsewhere/x.js', oldText: 'a\nb\n', newText: 'a\nc\n' }],
      }),
      toolCall({ toolCallId: 'odd', kind: 'teleport', title: 'Beam me up', status: 'in_progress' }),
      HANG,
    ]);
    await nvim.input(':AcpChat Find the bug<CR>');
    await nvim.waitForScreen('Beam me up');
    await expectScreen(nvim, 'tools', { replace });
  });

  it('with a permission question and the float of its diff', async () => {
    const nvim = await start([
      PROMPT,
      {
        request: {
          method: 'session/request_permission',
          params: {
            toolCall: {
              toolCallId: 'edit',
              kind: 'edit',
              title: 'Edit semver.js',
              content: [
                {
                  type: 'diff',
                  path: '${new.params.cwd}/semver.js',
                  oldText: '  return a < b ? -1 : 1;\n',
                  newText: '  return x - y;\n',
                },
              ],
            },
            options: [
              { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
              { optionId: 'always', name: 'Always allow edits', kind: 'allow_always' },
              { optionId: 'no', name: 'Reject', kind: 'reject_once' },
            ],
          },
        },
      },
    ]);
    await nvim.input(':AcpChat Mend it<CR>');
    await nvim.waitForScreen('Allow once');
    await nvim.input('<Esc>:AcpPermission<CR>');
    await nvim.waitForScreen('hunk 1 of 1');
    await expectScreen(nvim, 'permission', { replace });
  });

  it('with a plan', async () => {
    const entry = (content: string, status: string) => ({ content, status, priority: 'medium' });
    const nvim = await start([
      PROMPT,
      {
        update: {
          sessionUpdate: 'plan',
          entries: [
            entry('Run the tests', 'completed'),
            entry('Find the bug', 'completed'),
            entry('Fix compare()', 'in_progress'),
            entry('Run the tests again', 'pending'),
          ],
        },
      },
      HANG,
    ]);
    await nvim.input(':AcpChat Plan it<CR>');
    await nvim.waitForScreen('Run the tests again');
    await expectScreen(nvim, 'plan', { replace });
  });

  it('after an error', async () => {
    const nvim = await start([
      PROMPT,
      chunk('I begin'),
      { error: { code: -32603, message: 'Internal error', data: { details: 'quota is used up' } } },
    ]);
    await nvim.input(':AcpChat Go<CR>');
    await nvim.waitForScreen('quota');
    await idle(nvim);
    await expectScreen(nvim, 'error', { replace });
  });

  it('after the agent has died', async () => {
    const nvim = await start([
      PROMPT,
      toolCall({
        toolCallId: 'x',
        kind: 'search',
        title: 'Search for "compare"',
        status: 'in_progress',
      }),
      { stderr: 'thread main panicked at src/main.rs:7\n' },
      { exit: 101 },
    ]);
    await nvim.input(':AcpChat Go<CR>');
    await nvim.waitForScreen('exited with code 101');
    await expectScreen(nvim, 'dead', { replace });
  });
});
