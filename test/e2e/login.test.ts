/** A person who has to log in first: from the key to the frames, and back to the screen. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventually,
  expectScreen,
  scriptedAgent,
  startNvim,
  type Nvim,
  type Step,
} from '../harness';
import { chunk } from '../protocol/fake-editor';
import { idle, init, startChat, state } from './e2e';
import { prompt, run, says } from './sessions';
import { tells } from './prompts';

const REFUSED: Step = { error: { code: -32000, message: 'Authentication required' } };
const NEW: Step = { expect: 'session/new' };
const SESSION: Step = { reply: { sessionId: 's' } };
const PROMPT: Step = { expect: 'session/prompt' };
const DONE: Step = { reply: { stopReason: 'end_turn' } };

const METHODS = [
  {
    id: 'subscription',
    name: 'Claude Subscription',
    description: 'Use a Claude subscription',
    type: 'terminal',
    args: ['login'],
  },
  { id: 'browser', name: 'Browser', description: 'Sign in on a page that opens' },
  { id: 'api-key', name: 'API Key', _meta: { 'api-key': { provider: 'openai' } } },
];

const HELLO: Step[] = [
  { expect: 'initialize' },
  {
    reply: {
      protocolVersion: 1,
      agentInfo: { name: 'nanocoder', title: 'Nanocoder', version: '1' },
      authMethods: METHODS,
    },
  },
];

const ANSWERED: Step[] = [NEW, SESSION, PROMPT, chunk('Here I am.'), DONE];

const replace: [RegExp, string][] = [
  [/\b\d\d:\d\d\b/, '00:00'],
  [/\b0:\d\d\b/, '0:00'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

/** Sends a prompt to an agent that wants a login, and waits for the choice. */
async function refused(nvim: Nvim): Promise<void> {
  await nvim.input(':AcpChat<CR>');
  await tells(nvim, 'Nanocoder wants you to log in');
  await nvim.input('Mend the test<C-s>');
  await nvim.waitForScreen('1: Claude Subscription');
}

const options = { permission: { quiet_ms: 50 } };

describe('an agent that wants a login', () => {
  it('answers the prompt that waited, when its user has logged in by the agent itself', async () => {
    const agent = scriptedAgent(
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED, { expect: 'authenticate' }, { reply: {} }, ...ANSWERED],
    );
    const nvim = await startChat(agent, { options });
    await refused(nvim);
    await expectScreen(nvim, 'login', { replace });
    await nvim.input('2<CR>');
    await nvim.waitForScreen('Here I am.');
    await idle(nvim);
    expect(await prompt(nvim)).toBe('');
    expect(agent.received('session/prompt')).toHaveLength(1);
    await eventually(async () => expect(await state(nvim)).not.toHaveProperty('account'));
    expect(nvim.find('not logged in')).toBeUndefined();
  });

  it('gives the prompt back where no way is chosen, and takes it afterwards', async () => {
    const agent = scriptedAgent(
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED, { expect: 'authenticate' }, { reply: {} }, ...ANSWERED],
    );
    const nvim = await startChat(agent, { options });
    await refused(nvim);
    await nvim.input('<Esc>');
    await eventually(async () => expect(await prompt(nvim)).toBe('Mend the test'));
    await tells(nvim, 'the prompt was kept: :AcpLogin logs in');
    await nvim.waitForScreen('not logged in');
    await run(nvim, 'AcpLogin browser');
    await tells(nvim, 'logged in by ‘Browser’');
    await idle(nvim);
    await nvim.input('i<C-s>');
    await nvim.waitForScreen('Here I am.');
  });

  it('can be left while it waits for its browser', async () => {
    const agent = scriptedAgent(
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED, { expect: 'authenticate' }, { expect: '$/cancel_request' }],
    );
    const nvim = await startChat(agent, { options });
    await refused(nvim);
    await nvim.input('2<CR>');
    await nvim.waitForScreen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] logging in/);
    await run(nvim, 'AcpLogin');
    await nvim.waitForScreen('2: Give it up');
    await nvim.input('2<CR>');
    await eventually(async () => expect(await prompt(nvim)).toBe('Mend the test'));
    await eventually(() => expect(agent.received('$/cancel_request')).toHaveLength(1));
  });

  it('keeps a key for itself: nothing in the folders of Neovim knows it', async () => {
    const secret = 'correct-horse-battery';
    const agent = scriptedAgent(
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED, { expect: 'authenticate' }, { reply: {} }, ...ANSWERED],
    );
    const nvim = await startChat(agent, { options });
    await refused(nvim);
    await nvim.input('3<CR>');
    await nvim.waitForScreen('API key');
    await nvim.input(`${secret}<CR>`);
    await nvim.waitForScreen('Here I am.');
    expect(agent.received('authenticate')).toMatchObject([
      { params: { _meta: { 'api-key': { apiKey: secret } } } },
    ]);
    expect(await nvim.messages()).not.toContain(secret);
    await nvim.close();
    const kept = () =>
      readdirSync(nvim.home, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
        .join('\n');
    // The log is written a little later.
    await eventually(() => expect(kept()).toContain('"result":{"stopReason"'));
    expect(kept()).toContain('"authenticate"');
    expect(kept()).not.toContain(secret);
  });
});

describe('a login in a terminal', () => {
  /** The agent's program: a shell that logs in with that script, and else speaks ACP. */
  async function start(script: string, ...lives: Step[][]) {
    const agent = scriptedAgent(lives[0]!, ...lives.slice(1));
    const { command, args } = agent;
    const shell = [
      'for last; do :; done',
      `if [ "$last" = login ]; then ${script}`,
      `else exec "$@"; fi`,
    ].join('\n');
    const config = { claude: { command: ['sh', '-c', shell, 'sh', command, ...args] } };
    const nvim = await startNvim({
      // Where the cursor of a terminal stands is drawn when there is time for it.
      init: `vim.o.ruler = false
        ${init({}, { agents: config, agent: 'claude', unsaved: 'send', ...options })}`,
    });
    return { nvim, agent };
  }

  it('goes on with the prompt that waited, in a new process', async () => {
    const { nvim, agent } = await start(
      'printf "Visit https://example.org/device\\n\\nCode: "; read code; [ "$code" = 42 ]; exit; ',
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED],
      [...HELLO, ...ANSWERED],
    );
    await refused(nvim);
    await nvim.input('1<CR>');
    await nvim.waitForScreen('Code: ');
    await expectScreen(nvim, 'login-terminal', {
      replace: [
        ...replace,
        [/Subscription: .*?(?= ?[─╮])/, 'Subscription: claude login'.padEnd(200)],
      ],
    });
    await nvim.input('42<CR>');
    await nvim.waitForScreen('Here I am.');
    expect(nvim.find('Code: ')).toBeUndefined();
    expect(agent.pids()).toHaveLength(3);
    await eventually(() => expect(agent.alive()).toHaveLength(1));
    expect(agent.received('authenticate')).toEqual([]);
  });

  it('keeps the prompt where it fails, and what it said is there to be read', async () => {
    const { nvim } = await start(
      'echo "no such account"; exit 2; ',
      [...HELLO, NEW, REFUSED],
      [...HELLO, NEW, REFUSED],
    );
    await refused(nvim);
    await nvim.input('1<CR>');
    await nvim.waitForScreen('ended with code 2');
    await nvim.waitForScreen('no such account');
    await eventually(async () => expect(await prompt(nvim)).toBe('Mend the test'));
    await tells(nvim, 'ended with code 2');
    await says(nvim, 'wants you to log in');
  });
});
