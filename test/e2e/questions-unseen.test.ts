/** Questions of agents that come where nobody looks: none makes a turn wait unseen. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Nvim, type ScriptedAgent, type Step } from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, startChat, state } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
/** Goes on when there is a file of that name in the session's folder. */
const WAIT: Step = { sh: 'until [ -e ask ]; do sleep 0.02; done' };

const create = (params: object): Step => ({
  request: { method: 'elicitation/create', params: params as Record<string, unknown> },
  as: 'ask',
});

const FORM = create({
  mode: 'form',
  message: 'Where to?',
  requestedSchema: {
    type: 'object',
    properties: { host: { type: 'string', title: 'Host' }, dry: { type: 'boolean' } },
  },
});
const CHOICE = create({
  mode: 'form',
  message: 'Where to?',
  requestedSchema: { type: 'object', properties: { dry: { type: 'boolean', title: 'Dry run' } } },
});
const PAGE = create({
  mode: 'url',
  message: 'Where to?',
  elicitationId: 'e1',
  url: 'https://example.org/login',
});
const PLAN: Step = {
  request: {
    method: 'session/request_permission',
    params: {
      toolCall: {
        toolCallId: 't',
        title: 'Where to?',
        kind: 'switch_mode',
        rawInput: { plan: '# There\n' },
      },
      options: [
        { optionId: 'go', name: 'Go there', kind: 'allow_once' },
        { optionId: 'stay', name: 'Stay here', kind: 'reject_once' },
      ],
    },
  },
  as: 'ask',
};
const CURSOR: Step = {
  request: {
    method: 'cursor/ask_question',
    params: {
      toolCallId: 't',
      title: 'Where to?',
      questions: [{ id: 'q', prompt: 'Where to?', options: [{ id: 'a', label: 'There' }] }],
    },
  },
  as: 'ask',
};

const KINDS: [string, Step, shown: string | RegExp][] = [
  ['a form', FORM, '<C-s> send'],
  ['a choice', CHOICE, 'Type number'],
  ['a page', PAGE, '<C-s> open'],
  ['a plan', PLAN, 'Which?'],
  ['a question of Cursor’s', CURSOR, 'Type number'],
];

const answered = (agent: ScriptedAgent): unknown[] =>
  agent.received().filter(({ id }) => String(id).startsWith('scripted-'));

/** A turn that asks when it is told to. */
async function start(ask: Step, permission: object = {}) {
  const agent = scriptedAgent([PROMPT, chunk('Working.'), WAIT, ask, { answer: 'ask' }, END]);
  const nvim = await startChat(agent, {
    lines: 30,
    columns: 110,
    options: { permission: { quiet_ms: 0, ...permission } },
  });
  await nvim.input(':AcpChat Go<CR>');
  await nvim.waitForScreen('Working.');
  return { nvim, agent };
}

const asks = (nvim: Nvim): Promise<unknown> =>
  nvim.lua(`vim.fn.writefile({}, vim.fn.getcwd() .. '/ask')`);

const waits = (nvim: Nvim): Promise<void> =>
  eventually(async () => expect((await state(nvim)).questions).toHaveLength(1));

/** It is on the screen, and no key has answered it. */
async function opens(nvim: Nvim, agent: ScriptedAgent, shown: string | RegExp): Promise<void> {
  await nvim.waitForScreen(shown);
  expect(answered(agent)).toEqual([]);
}

describe.each(KINDS)('%s', (_, ask, shown) => {
  it('opens where the chat is hidden', async () => {
    const { nvim, agent } = await start(ask);
    await nvim.input('<Esc>:AcpHide<CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('Working.'));
    await asks(nvim);
    await opens(nvim, agent, shown);
  });

  it('takes no key from who is typing, is told behind that, and opened by the command', async () => {
    const { nvim, agent } = await start(ask, { quiet_ms: 60_000 });
    await nvim.input('<Esc>:tabnew<CR>i');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    await asks(nvim);
    await waits(nvim);
    await nvim.input('1 gr q2');
    await eventually(async () => {
      expect(await nvim.lua('return vim.api.nvim_get_current_line()')).toBe('1 gr q2');
    });
    expect(answered(agent)).toEqual([]);
    await nvim.input('<Esc>');
    await nvim.waitForScreen(/asks: .*· :AcpPermission/);
    await nvim.input(':AcpPermission<CR>');
    await opens(nvim, agent, shown);
  });
});

describe('a form', () => {
  it('opens in another tab', async () => {
    const { nvim, agent } = await start(FORM);
    await nvim.input('<Esc>:tabnew<CR>');
    await asks(nvim);
    await opens(nvim, agent, '<C-s> send');
  });

  it('is told, and shown in the winbar, where questions are opened by hand', async () => {
    const { nvim, agent } = await start(FORM, { open: 'manual' });
    await asks(nvim);
    await nvim.waitForScreen(/\? 1 question/);
    await nvim.input('<Esc>');
    await nvim.waitForScreen(/asks: .*· :AcpPermission/);
    expect(nvim.screen()).not.toContain('<C-s> send');
    await nvim.input(':AcpPermission<CR>');
    await opens(nvim, agent, '<C-s> send');
  });

  it('that was put off is counted as long as it is open, and goes with its turn', async () => {
    const { nvim, agent } = await start(FORM);
    await nvim.input('<Esc>');
    await asks(nvim);
    await nvim.waitForScreen('<C-s> send');
    await nvim.input('q');
    await eventually(() => expect(nvim.screen()).not.toContain('<C-s> send'));
    await nvim.waitForScreen('? 1 question');
    await nvim.input(':AcpCancel<CR>');
    await idle(nvim);
    await eventually(() =>
      expect(answered(agent)).toMatchObject([{ result: { action: 'cancel' } }]),
    );
    expect(nvim.screen()).not.toContain('? 1 question');
  });
});
