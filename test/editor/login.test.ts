import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToEditor } from '../../src/nvim/protocol';
import { eventually } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

type Choice = ToEditor['login.choose'][0];
type Program = ToEditor['login.terminal'][0];

const BROWSER = { id: 'browser', name: 'Browser', description: 'opens a page', type: 'agent' };
const OWN = { id: 'own', name: 'Subscription', type: 'terminal' };
const KEY = {
  id: 'api-key',
  name: 'API Key',
  type: 'fields',
  fields: [{ name: 'apiKey', title: 'API key', required: false, secret: true }],
};
const GATEWAY = {
  id: 'gateway',
  name: 'Gateway',
  type: 'fields',
  fields: [
    { name: 'baseUrl', title: 'Address', required: true, secret: false },
    { name: 'header', title: 'Key', required: false, secret: true },
  ],
};
const MANUAL = { id: 'env', name: 'Variable', description: 'set OPENAI_API_KEY', type: 'manual' };
const METHODS = [BROWSER, OWN, KEY, GATEWAY, MANUAL] as Choice['methods'];

const call = (chat: ChatFixture, method: string, params: object) =>
  chat.nvim.lua(`return require('acp.rpc').call(...)`, method, params);
const choose = (chat: ChatFixture, more: Partial<Choice> = {}) =>
  call(chat, 'login.choose', {
    session: 's1',
    agent: 'Tester',
    methods: METHODS,
    held: 0,
    ...more,
  });
const expectSent = (chat: ChatFixture, method: string, ...params: object[]) =>
  eventually(() => expect(chat.sent(method)).toEqual(params));
const expectMessage = (chat: ChatFixture, text: string) =>
  eventually(async () => expect(await chat.nvim.messages()).toContain(text));

/** A chat in whose code window the cursor stands, in normal mode. */
async function quiet(options: Parameters<typeof openChat>[0] = {}): Promise<ChatFixture> {
  const chat = await openChat(options);
  await chat.nvim.lua(`vim.cmd.stopinsert()`);
  await eventually(() => expect(chat.nvim.mode).toBe('normal'));
  return chat;
}

/** The user asks for the ways by `:AcpLogin`, and they come. */
async function asked(chat: ChatFixture, name = '', more: Partial<Choice> = {}): Promise<void> {
  await chat.nvim.input(`:AcpLogin ${name}<CR>`);
  await eventually(() => expect(chat.sent('login.open')).toHaveLength(1));
  await choose(chat, more);
}

const inTerminal = (chat: ChatFixture) =>
  eventually(async () => expect(await chat.nvim.lua(`return vim.fn.mode()`)).toBe('t'));

describe(':AcpLogin', () => {
  it('offers the ways with their descriptions, and tells what was chosen', async () => {
    const chat = await quiet();
    await asked(chat);
    await chat.nvim.waitForScreen('1: Browser – opens a page');
    await chat.nvim.waitForScreen('5: Variable – set OPENAI_API_KEY');
    await chat.nvim.input('1<CR>');
    await expectSent(chat, 'login.start', { session: 's1', method: 'browser' });
  });

  it('says who is logged in', async () => {
    const chat = await quiet();
    await chat.status({ state: 'idle', account: { state: 'in', label: 'ann@example.org' } });
    expect(await chat.nvim.lua(`return require('acp').status()`)).toContain('ann@example.org');
    expect(chat.nvim.find(/idle.*ann@example/)).toBeUndefined();
    await asked(chat);
    await chat.nvim.waitForScreen('Log in at Tester (now ann@example.org):');
  });

  it('takes the name of a way, and completes it', async () => {
    const chat = await quiet();
    await chat.status({
      login: { methods: METHODS.map(({ id, name }) => ({ id, name })), out: false },
    });
    expect(await chat.nvim.lua(`return vim.fn.getcompletion('AcpLogin b', 'cmdline')`)).toEqual([
      'browser',
    ]);
    await asked(chat, 'subscription');
    await expectSent(chat, 'login.start', { session: 's1', method: 'own' });
  });

  it('knows no other name', async () => {
    const chat = await quiet();
    await asked(chat, 'nothing');
    await expectMessage(chat, 'no way to log in called ‘nothing’');
    expect(chat.sent('login.start')).toEqual([]);
  });

  it('gives up where none is chosen', async () => {
    const chat = await quiet();
    await asked(chat);
    await chat.nvim.waitForScreen('1: Browser');
    await chat.nvim.input('<Esc>');
    await expectSent(chat, 'login.cancel', { session: 's1' });
  });

  it('shows what is to be done by hand', async () => {
    const chat = await quiet();
    await asked(chat, 'env');
    await chat.nvim.waitForScreen('set OPENAI_API_KEY');
    await expectSent(chat, 'login.cancel', { session: 's1' });
    expect(chat.sent('login.start')).toEqual([]);
  });

  it('offers to give up a login that takes its time', async () => {
    const chat = await quiet();
    await call(chat, 'login.state', { session: 's1', name: 'Browser', state: 'running' });
    await chat.nvim.waitForScreen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] logging in/);
    await expectMessage(chat, 'logging in by ‘Browser’');
    await chat.nvim.input(':AcpLogin<CR>');
    await chat.nvim.waitForScreen('2: Give it up');
    await chat.nvim.input('2<CR>');
    await expectSent(chat, 'login.cancel', { session: 's1' });
    await call(chat, 'login.state', { session: 's1', name: 'Browser', state: 'failed' });
    await eventually(() => expect(chat.nvim.find(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] logging in/)).toBeUndefined());
  });

  it('asks for the ways once more when the sidecar has ended meanwhile', async () => {
    const chat = await quiet();
    await call(chat, 'login.state', { session: 's1', name: 'Browser', state: 'running' });
    await chat.status({ state: 'dead' });
    await chat.nvim.input(':AcpLogin<CR>');
    await expectSent(chat, 'login.open', { session: 's1' });
  });
});

describe(':AcpLogout', () => {
  it('logs out', async () => {
    const chat = await quiet();
    await chat.nvim.input(':AcpLogout<CR>');
    await expectSent(chat, 'login.out', { session: 's1' });
  });

  it('leaves a word in the winbar', async () => {
    const chat = await quiet();
    await chat.status({ state: 'idle', account: { state: 'out' } });
    await chat.nvim.waitForScreen('not logged in');
  });
});

describe('a login that the agent wants', () => {
  it('is offered when nobody types', async () => {
    const chat = await quiet({ init: `vim.g.test_options = { permission = { quiet_ms = 50 } }` });
    await choose(chat, { reason: 'Authentication required', held: 1 });
    await chat.nvim.waitForScreen('Log in at Tester (Authentication required):');
    await chat.nvim.input('1<CR>');
    await expectSent(chat, 'login.start', { session: 's1', method: 'browser' });
  });

  it('takes no key from somebody who types: it is told, and :AcpLogin asks', async () => {
    const chat = await openChat();
    await chat.nvim.input('half a prom');
    await eventually(async () => expect(await chat.prompt()).toBe('half a prom'));
    await choose(chat, { reason: 'Authentication required' });
    await expectMessage(chat, 'Tester wants you to log in · :AcpLogin');
    await chat.nvim.input('1pt');
    await eventually(async () => expect(await chat.prompt()).toBe('half a prom1pt'));
    expect(chat.sent('login.start')).toEqual([]);
  });

  it('is told where the chat can’t be seen', async () => {
    const chat = await quiet();
    await chat.nvim.command('AcpHide');
    await choose(chat, { reason: 'Authentication required' });
    await expectMessage(chat, 'wants you to log in');
    expect(chat.nvim.find('1: Browser')).toBeUndefined();
  });
});

describe('a secret', () => {
  const SECRET = 'hunter2-hunter2';

  it('goes along in that one call; it stands on no screen, in no message, history or register', async () => {
    const chat = await quiet();
    await asked(chat, 'api-key');
    await chat.nvim.waitForScreen('API key:');
    await chat.nvim.input(SECRET);
    await chat.nvim.waitForScreen(/API key: \*+/);
    expect(chat.nvim.screen()).not.toContain(SECRET);
    await chat.nvim.input('<CR>');
    await expectSent(chat, 'login.start', {
      session: 's1',
      method: 'api-key',
      values: { apiKey: SECRET },
    });
    const found = await chat.nvim.lua<string>(`
      local texts = { vim.fn.execute('messages'), vim.fn.execute('registers') }
      for _, kind in ipairs({ 'cmd', 'input', 'search', 'expr', 'debug' }) do
        for i = 1, vim.fn.histnr(kind) do
          table.insert(texts, vim.fn.histget(kind, i))
        end
      end
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        vim.list_extend(texts, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
      end
      return table.concat(texts, '\\n')`);
    expect(found).toContain('AcpLogin');
    expect(found).not.toContain(SECRET);
    expect(chat.nvim.screen()).not.toContain(SECRET);
  });

  it('that is left empty is not sent', async () => {
    const chat = await quiet();
    await asked(chat, 'api-key');
    await chat.nvim.waitForScreen('API key:');
    await chat.nvim.input('<CR>');
    await expectSent(chat, 'login.start', { session: 's1', method: 'api-key', values: {} });
  });

  it('is asked for after what is none', async () => {
    const chat = await quiet();
    await asked(chat, 'gateway');
    await chat.nvim.waitForScreen('Address:');
    await chat.nvim.input('https://example.org<CR>');
    await chat.nvim.waitForScreen('Key:');
    await chat.nvim.input(`${SECRET}<CR>`);
    await expectSent(chat, 'login.start', {
      session: 's1',
      method: 'gateway',
      values: { baseUrl: 'https://example.org', header: SECRET },
    });
  });

  it.each(['<Esc>', '<C-c>'])('that is not given by %s gives the login up', async (key) => {
    const chat = await quiet();
    await asked(chat, 'api-key');
    await chat.nvim.waitForScreen('API key:');
    await chat.nvim.input(`abc${key}`);
    await expectSent(chat, 'login.cancel', { session: 's1' });
    expect(chat.sent('login.start')).toEqual([]);
  });

  it('is not asked for where something that is needed was left empty', async () => {
    const chat = await quiet();
    await asked(chat, 'gateway');
    await chat.nvim.waitForScreen('Address:');
    await chat.nvim.input('<CR>');
    await expectMessage(chat, 'Address is needed');
    await expectSent(chat, 'login.cancel', { session: 's1' });
  });
});

describe('a login in a terminal', () => {
  /** Runs a shell script as the agent's program. */
  async function run(chat: ChatFixture, script: string, more: Partial<Program> = {}) {
    const command = join(chat.nvim.dir, 'agent');
    writeFileSync(command, `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
    await call(chat, 'login.terminal', {
      session: 's1',
      method: 'own',
      name: 'Subscription',
      command,
      args: ['--login', 'a b'],
      env: { LOGIN_MODE: 'x' },
      cwd: chat.nvim.dir,
      ...more,
    });
    return command;
  }
  const ended = (chat: ChatFixture, code?: number) =>
    expectSent(chat, 'login.ended', {
      session: 's1',
      method: 'own',
      ...(code !== undefined && { code }),
    });

  it('runs in a large window, takes keys at once, and says how it ended', async () => {
    const chat = await quiet();
    await run(
      chat,
      'echo "in $(pwd) as $LOGIN_MODE: $1 $2"; printf "code? "; read code; test "$code" = 42',
    );
    await chat.nvim.waitForScreen(/ as x: --login a b/);
    await chat.nvim.waitForScreen(/Subscription: \/.*/);
    await chat.nvim.waitForScreen('code?');
    await inTerminal(chat);
    await chat.nvim.input('42<CR>');
    await ended(chat, 0);
    await eventually(() => expect(chat.nvim.find('code?')).toBeUndefined());
    expect(await chat.nvim.lua(`return #vim.api.nvim_list_wins()`)).toBe(3);
  });

  it('stays on the screen where it failed, so that it can be read why', async () => {
    const chat = await quiet();
    await run(chat, 'echo "no such account"; exit 3');
    await ended(chat, 3);
    await chat.nvim.waitForScreen('ended with code 3');
    await chat.nvim.waitForScreen('no such account');
    await chat.nvim.input('q');
    await eventually(() => expect(chat.nvim.find('no such account')).toBeUndefined());
  });

  it('ends with its window', async () => {
    const chat = await quiet();
    await run(chat, 'echo waiting; read line');
    await chat.nvim.waitForScreen('waiting');
    await chat.nvim.input('<C-\\><C-n>:q!<CR>');
    await eventually(() => expect(chat.sent('login.ended')).toHaveLength(1));
    expect(chat.sent('login.ended')).not.toMatchObject([{ code: 0 }]);
  });

  it('is there again by :AcpLogin', async () => {
    const chat = await quiet();
    await run(chat, 'echo waiting; read line');
    await chat.nvim.waitForScreen('waiting');
    await chat.nvim.input('<C-\\><C-n><C-w>w');
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
    await chat.nvim.input(':AcpLogin<CR>');
    await inTerminal(chat);
    expect(chat.sent('login.open')).toEqual([]);
    await chat.nvim.input('<CR>');
    await ended(chat, 0);
  });

  it('says so where its program is not there', async () => {
    const chat = await quiet();
    await run(chat, '', { command: '/no/such/program' });
    await expectMessage(chat, '/no/such/program');
    await ended(chat);
    expect(await chat.nvim.lua(`return #vim.api.nvim_list_wins()`)).toBe(3);
  });

  it('runs a command that the agent has named only when it was seen whole', async () => {
    const chat = await quiet();
    const more = { foreign: true as const, args: ['--login', `${'x'.repeat(150)}\nend`] };
    await run(chat, 'echo it runs', more);
    await chat.nvim.waitForScreen('LOGIN_MODE=x');
    await chat.nvim.waitForScreen('^@end');
    await chat.nvim.waitForScreen('1: Run it');
    expect(chat.nvim.screen().match(/x/g)!.length).toBeGreaterThan(150);
    await chat.nvim.input('1<CR>');
    await ended(chat, 0);
  });

  it('does not run it where that was not wanted', async () => {
    const chat = await quiet();
    await run(chat, 'echo it runs > ran', { foreign: true });
    await chat.nvim.waitForScreen('1: Run it');
    await chat.nvim.input('2<CR>');
    await expectSent(chat, 'login.cancel', { session: 's1' });
    expect(chat.sent('login.ended')).toEqual([]);
    await eventually(() => expect(chat.nvim.find('LOGIN_MODE')).toBeUndefined());
  });
});
