/** Questions of agents, from the keys to the frames and the screen. */
import { describe, expect, it } from 'vitest';
import {
  eventually,
  expectScreen,
  scriptedAgent,
  type Nvim,
  type ScriptedAgent,
  type Step,
} from '../harness';
import { chunk } from '../protocol/fake-editor';
import { file, idle, lines, startChat } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

const create = (params: object): Step => ({
  request: { method: 'elicitation/create', params: params as Record<string, unknown> },
  as: 'ask',
});

const form = (properties: object, more: object = {}, params: object = {}): Step =>
  create({
    mode: 'form',
    message: 'Where shall it be deployed to?',
    requestedSchema: { type: 'object', properties, ...more },
    ...params,
  });

const DEPLOY = form(
  {
    host: { type: 'string', title: 'Host', description: 'A name or an address.', minLength: 3 },
    port: { type: 'integer', title: 'Port', minimum: 1, maximum: 65535, default: 443 },
    region: {
      type: 'string',
      title: 'Region',
      oneOf: [
        { const: 'eu', title: 'Europe', description: 'Frankfurt' },
        { const: 'us', title: 'America', description: 'Virginia' },
      ],
    },
    checks: {
      type: 'array',
      title: 'Checks',
      items: { type: 'string', enum: ['lint', 'test', 'audit'] },
      default: ['test'],
    },
    dry: { type: 'boolean', title: 'Dry run' },
  },
  { required: ['host', 'region'] },
);

const COLOUR = form(
  {
    question_0: {
      type: 'string',
      title: 'Colour',
      description: 'Which colour do you prefer?',
      oneOf: [
        { const: 'Red', title: 'Red', description: 'Like blood' },
        { const: 'Green', title: 'Green', description: 'Like grass' },
      ],
    },
    question_0_custom: { type: 'string', title: 'Other' },
  },
  {},
  { message: 'Please answer the following questions.' },
);

const result = (agent: ScriptedAgent): unknown =>
  agent.received().find(({ id }) => String(id).startsWith('scripted-'))?.result;

async function start(...steps: Step[]): Promise<{ nvim: Nvim; agent: ScriptedAgent }> {
  const agent = scriptedAgent([PROMPT, ...steps, { answer: 'ask' }, chunk('Thank you.'), END]);
  const nvim = await startChat(agent, {
    lines: 32,
    options: { permission: { open: 'manual' } },
  });
  await nvim.lua('urls = {} vim.ui.open = function(url) table.insert(urls, url) end');
  await nvim.input(':AcpChat Deploy it<CR>');
  return { nvim, agent };
}

/** Opens what is asked, which then shows that. */
async function openQuestion(nvim: Nvim, shows: string): Promise<void> {
  await nvim.waitForScreen('? 1 question');
  // Told a moment later, it would stand on the screen below.
  await eventually(async () => expect(await nvim.messages()).toContain(':AcpPermission'));
  await nvim.input('<Esc>:AcpPermission<CR>');
  await nvim.waitForScreen(shows);
}

describe('a form', () => {
  it('is filled in by keys; what is wrong is said, and what is right sent', async () => {
    const { nvim, agent } = await start(DEPLOY);
    await openQuestion(nvim, 'A name or an address.');
    await expectScreen(nvim, 'form', { replace });
    await nvim.input('ix<Esc>jA1<Esc>');
    await nvim.waitForScreen('! at least 3 characters');
    await nvim.input('<C-s>');
    await nvim.waitForScreen('not sent: Host: at least 3 characters');
    await expectScreen(nvim, 'form-faults', { replace });
    await nvim.input('ccexample.org<Esc>jj<CR>:w<CR>');
    await idle(nvim);
    expect(result(agent)).toEqual({
      action: 'accept',
      content: { host: 'example.org', port: 4431, region: 'eu', checks: ['test'] },
    });
    const text = (await lines(nvim)).join('\n');
    expect(text).toContain('Host: example.org');
    expect(text).toContain('Region: Europe');
    expect(text).toContain('Checks: test');
  });

  it('is checked as a field is left, not before: insert mode and all', async () => {
    const { nvim, agent } = await start(DEPLOY);
    await openQuestion(nvim, 'A name or an address.');
    await nvim.input('ix<Esc>');
    await eventually(() => expect(nvim.mode).toBe('normal'));
    expect(nvim.screen()).not.toContain('! ');
    await nvim.input('A<Down>');
    await nvim.waitForScreen('! at least 3 characters');
    await nvim.input('<Up>yz<Down>');
    await eventually(() => expect(nvim.screen()).not.toContain('! at least'));
    expect(result(agent)).toBeUndefined();
    await nvim.input('<Esc>');
    await eventually(() => expect(nvim.mode).toBe('normal'));
    await nvim.input('<C-c>');
    await idle(nvim);
    expect(result(agent)).toEqual({ action: 'cancel' });
  });

  it('that is closed waits, and keeps what was typed', async () => {
    const { nvim, agent } = await start(DEPLOY);
    await openQuestion(nvim, 'A name or an address.');
    await nvim.input('ihere<Esc>q');
    await eventually(() => expect(nvim.screen()).not.toContain('A name or an address.  '));
    await nvim.input('<C-y>');
    await nvim.waitForScreen('› here');
    await nvim.input('gr');
    await idle(nvim);
    expect(result(agent)).toEqual({ action: 'decline' });
  });

  it('of one choice is a list', async () => {
    const { nvim, agent } = await start(COLOUR);
    await openQuestion(nvim, 'Type number');
    await expectScreen(nvim, 'form-choice', { replace });
    await nvim.input('3<CR>');
    await nvim.waitForScreen('Colour: ');
    await nvim.input('Mauve<CR>');
    await idle(nvim);
    expect(result(agent)).toEqual({ action: 'accept', content: { question_0_custom: 'Mauve' } });
  });

  it('is given up with its turn', async () => {
    const { nvim, agent } = await start(DEPLOY);
    await openQuestion(nvim, 'A name or an address.');
    await nvim.input(':AcpCancel<CR>');
    await idle(nvim);
    expect(result(agent)).toEqual({ action: 'cancel' });
  });
});

describe('a page', () => {
  const page = create({
    mode: 'url',
    message: 'Log in to go on.',
    elicitationId: 'login',
    url: 'https://раураӏ.com:8443/login?code=ABCD',
  });

  it('is opened after consent, and not before', async () => {
    const { nvim, agent } = await start(page);
    await openQuestion(nvim, 'it looks like paypal.com');
    await expectScreen(nvim, 'url-consent', { replace });
    expect(await nvim.lua('return urls')).toEqual([]);
    expect(result(agent)).toBeUndefined();
    await nvim.input('<C-s>');
    await idle(nvim);
    expect(result(agent)).toEqual({ action: 'accept' });
    expect(await nvim.lua('return urls')).toEqual([
      'https://xn--80aa0cbo65f.com:8443/login?code=ABCD',
    ]);
  });

  it('goes from the screen when the agent is done with it, and was not opened', async () => {
    const done = { method: 'elicitation/complete', params: { elicitationId: 'login' } };
    const { nvim, agent } = await start(
      page,
      { sh: 'until [ -e done ]; do sleep 0.02; done' },
      { notify: done },
    );
    await openQuestion(nvim, '<C-s> open');
    file(nvim, 'done', '');
    await idle(nvim);
    await eventually(() => expect(nvim.screen()).not.toContain('<C-s> open'));
    expect(result(agent)).toEqual({ action: 'cancel' });
    expect(await nvim.lua('return urls')).toEqual([]);
    await nvim.waitForScreen('Thank you.');
  });

  it.each([
    ['gr', 'decline'],
    ['<C-c>', 'cancel'],
  ])('is not opened by %s: the agent gets %s', async (key, action) => {
    const { nvim, agent } = await start(page);
    await openQuestion(nvim, '<C-s> open');
    await nvim.input(key);
    await idle(nvim);
    expect(result(agent)).toEqual({ action });
    expect(await nvim.lua('return urls')).toEqual([]);
  });
});
