import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { agentInfo, initializeParams } from '../../src/acp/capabilities';
import { accountOf } from '../../src/acp/extensions/auth-status';
import { extendedNotification } from '../../src/acp/extensions/index';
import { authMethods, methodsOfError, type AuthMethod } from '../../src/acp/login';
import type { AgentSpec } from '../../src/nvim/protocol';
import { shown } from '../../src/session/login-method';
import { withoutSecrets } from '../../src/wire/redact';

const LOGS = resolve(import.meta.dirname, '../fixtures/logs');

const one = (method: object): AuthMethod => authMethods([{ id: 'x', name: 'X', ...method }])[0]!;
const spec = (env: Record<string, string> = {}): AgentSpec => {
  return { name: 'codex', command: 'codex', args: [], env };
};

describe('a way to log in', () => {
  it('without a type is done by the agent', () => {
    expect(one({ description: 'in a\nbrowser' })).toEqual({
      id: 'x',
      name: 'X',
      description: 'in a browser',
      type: 'agent',
    });
    expect(one({ type: 'agent' }).type).toBe('agent');
  });

  it.each([
    ['ACP’s own', { type: 'terminal', args: ['--login', 7], env: { A: 'b', C: null } }],
    [
      'qwen’s, which says so in its _meta',
      { _meta: { type: 'terminal', args: ['--login'], env: { A: 'b' } } },
    ],
  ])('runs the agent’s own program in a terminal: %s', (_, method) => {
    expect(one(method)).toMatchObject({
      type: 'terminal',
      program: { args: ['--login'], env: { A: 'b' } },
    });
    expect(one(method)).not.toHaveProperty('program.command');
  });

  it('runs the command that stands in `terminal-auth`, with a type of ACP’s or without', () => {
    const meta = { 'terminal-auth': { command: 'it', args: ['login'], label: 'Log in' } };
    const program = { command: 'it', args: ['login'], env: {} };
    expect(one({ _meta: meta })).toMatchObject({ type: 'terminal', program });
    // The agent's own program is the one that the user has configured.
    expect(one({ type: 'terminal', args: ['-x'], _meta: meta })).toMatchObject({
      program: { args: ['-x'], env: {} },
    });
    expect(one({ _meta: { 'terminal-auth': { args: ['no command'] } } }).type).toBe('agent');
  });

  it.each([
    ['codex', 'openai', { 'api-key': { apiKey: 'k' } }],
    ['gemini', 'google', { 'api-key': 'k' }],
  ])('takes a key as %s wants it, or the one in its environment', (_, provider, meta) => {
    const method = one({ _meta: { 'api-key': { provider } } });
    if (method.type !== 'fields') throw new Error('no fields');
    expect(method.fields).toMatchObject([{ name: 'apiKey', secret: true, required: false }]);
    expect(method.meta({ apiKey: 'k' })).toEqual(meta);
    expect(method.meta({})).toEqual({});
  });

  it.each([
    ['k', { Authorization: 'Bearer k' }],
    ['x-api-key: k:k', { 'x-api-key': 'k:k' }],
    ['x-api-key:', { 'x-api-key': '' }],
  ])('takes the address of a gateway, and %s as its header', (header, headers) => {
    const method = one({ _meta: { gateway: { protocol: 'anthropic' } } });
    if (method.type !== 'fields') throw new Error('no fields');
    expect(method.fields.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'header',
    ]);
    const baseUrl = 'https://example.org';
    expect(method.meta({ baseUrl, header })).toEqual({ gateway: { baseUrl, headers } });
    expect(method.meta({ baseUrl })).toEqual({ gateway: { baseUrl } });
  });

  it('takes the name of a provider, too, for a gateway of that protocol', () => {
    const method = one({ _meta: { gateway: { protocol: 'openai' } } });
    if (method.type !== 'fields') throw new Error('no fields');
    expect(method.meta({ baseUrl: 'u', providerName: 'p' })).toEqual({
      gateway: { baseUrl: 'u', providerName: 'p' },
    });
  });

  it.each([
    [{ vars: [{ name: 'SOME_KEY' }, { name: 'MAYBE', optional: true }] }, ['SOME_KEY']],
    [{ varName: 'OLD_KEY' }, ['OLD_KEY']],
    [{ vars: [{ name: 'no name; rm' }, {}, null] }, []],
    [{ vars: 'none' }, []],
  ])('names variables: %j', (more, variables) => {
    expect(one({ type: 'env_var', ...more })).toMatchObject({ type: 'variables', variables });
  });

  it('of another kind can’t be gone from here, and says so', () => {
    const method = one({ type: 'telepathy\n' });
    expect(method).toMatchObject({ type: 'unknown', kind: 'telepathy' });
    expect(shown(method, spec())).toMatchObject({
      type: 'manual',
      description: expect.stringContaining('telepathy') as string,
    });
  });

  it('by variables is one of the agent’s where they are set, else it says where to set which', () => {
    const method = one({ type: 'env_var', vars: [{ name: 'ACP_TEST_KEY' }] });
    expect(shown(method, spec())).toMatchObject({
      type: 'manual',
      description: expect.stringMatching(/ACP_TEST_KEY .*agents\.codex\.env/) as string,
    });
    const set = shown(method, spec({ ACP_TEST_KEY: 'secret' }));
    expect(set.type).toBe('agent');
    expect(JSON.stringify(set)).not.toContain('secret');
  });
});

test('ways without an id, twice, or beyond all bounds are left out; a bad one takes no other along', () => {
  const list = [
    null,
    7,
    {},
    { id: '' },
    { id: 'a' },
    { id: 'a', name: 'twice' },
    { methodId: 'b' },
  ];
  expect(authMethods(list).map(({ id, name }) => [id, name])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(authMethods(Array.from({ length: 1000 }, (_, id) => ({ id: `m${id}` })))).toHaveLength(50);
});

test('the ways in an error are found', () => {
  const data = { authMethods: [{ id: 'a' }] };
  expect(methodsOfError(new RequestError(-32000, 'log in', data))).toMatchObject([{ id: 'a' }]);
  expect(methodsOfError(new RequestError(-32000, 'log in', 'words'))).toEqual([]);
  expect(methodsOfError(new Error('other'))).toEqual([]);
});

test('whatever an agent lists, nothing is thrown', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      for (const list of [value, [value], [{ id: 'x', ...(value as object) }]]) {
        for (const method of authMethods(list)) shown(method, spec());
      }
      agentInfo({ authMethods: value, agentCapabilities: { auth: value, _meta: value } });
      accountOf({ state: value, accounts: value });
      extendedNotification('_auth/status_update', { authStatus: value });
    }),
  );
});

describe('who is logged in', () => {
  const told = (method: string, params: object) => extendedNotification(method, params)?.events;
  const account = (params: object) => [{ type: 'account', account: params }];

  it.each([
    [{ kind: 'none', label: 'x' }, { state: 'out' }],
    [
      { kind: 'account', label: 'Claude Max', account: { email: 'a@b' } },
      { state: 'in', label: 'Claude Max, a@b' },
    ],
    [
      { kind: 'account', label: 'a@b', account: { email: 'a@b' } },
      { state: 'in', label: 'a@b' },
    ],
    [
      { kind: 'gateway', label: 'Gateway\n', detail: 'fake' },
      { state: 'in', label: 'Gateway, fake' },
    ],
    [{ kind: 'new' }, { state: 'unknown' }],
    [undefined, { state: 'unknown' }],
  ])('by _auth/status_update: %j', (authStatus, expected) => {
    expect(told('_auth/status_update', { authStatus })).toEqual(account(expected));
  });

  it.each([
    [{ state: 'unauthenticated' }, { state: 'out' }],
    [{ state: 'not_required' }, { state: 'unneeded' }],
    [{ state: 'odd' }, { state: 'unknown' }],
    [
      { state: 'authenticated', accounts: [{ label: 'A' }, { label: 'B', active: true }] },
      { state: 'in', label: 'B' },
    ],
  ])('by auth/status_update: %j', (params, expected) => {
    expect(told('auth/status_update', params)).toEqual(account(expected));
  });
});

test('codex-acp without ACP’s own requests is asked by its former ones; others are not', () => {
  const info = (name: string, agentCapabilities = {}) =>
    agentInfo({ agentInfo: { name, version: '1' }, agentCapabilities }).auth;
  const codex = '@agentclientprotocol/codex-acp';
  expect(info('other')).toEqual({ logout: null, status: null });
  expect(info(codex).logout).toBe('authentication/logout');
  expect(info(codex, { auth: { logout: {} } }).logout).toBe('logout');
  expect(info(codex, { _meta: { authStatus: {} } }).status).toBeNull();
  const { status } = info(codex);
  expect(status?.method).toBe('authentication/status');
  expect(status?.account({ type: 'unauthenticated' })).toEqual({ state: 'out' });
  expect(status?.account({ type: 'chat-gpt', email: 'a@b' })).toEqual({
    state: 'in',
    label: 'a@b',
  });
  expect(status?.account({ type: 'api-key' })).toEqual({ state: 'in', label: 'api-key' });
  expect(status?.account({})).toEqual({ state: 'unknown' });
});

test('what agents need to know before they list their ways is said', () => {
  expect(initializeParams().clientCapabilities).toMatchObject({
    auth: { terminal: true, _meta: { gateway: true } },
    _meta: { 'terminal-auth': true },
  });
});

test('words of an agent lose the key that it says', () => {
  expect(withoutSecrets('no: KEY-1 (KEY-1)', ['KEY-1'])).toBe('no: … (…)');
});

describe('the ways that real agents list', () => {
  const listed = (agent: string): AuthMethod[] => {
    const folder = join(LOGS, agent);
    const lines = readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
    const lists = lines.map((line) => {
      const { frame } = JSON.parse(line) as { frame?: { result?: { authMethods?: unknown } } };
      return authMethods(frame?.result?.authMethods);
    });
    return lists.find((methods) => methods.length > 0) ?? [];
  };

  it.each([
    [
      'claude',
      [
        ['claude-ai-login', 'terminal'],
        ['console-login', 'terminal'],
      ],
    ],
    ['codex', [['api-key', 'fields']]],
    ['opencode', [['opencode-login', 'terminal']]],
    ['nanocoder', []],
  ])('%s', (agent, expected) => {
    expect(listed(agent).map(({ id, type }) => [id, type])).toEqual(expected);
  });
});
