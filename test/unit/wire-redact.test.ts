import { describe, expect, test } from 'vitest';
import { redactText, writeFrame, writeRaw } from '../../src/wire/redact';

/** The JSON that the log holds of a frame. */
const written = (frame: unknown) => writeFrame(frame, JSON.stringify(frame));

/** What the log holds of a frame. */
function logged(frame: unknown): unknown {
  return JSON.parse(written(frame));
}

describe('names that tell of a secret', () => {
  test.each([
    'apiKey',
    'api_key',
    'OPENAI_API_KEY',
    'accessToken',
    'GITHUB_TOKEN',
    'token',
    'Authorization',
    'password',
    'clientSecret',
    'x-api-key',
    'set-cookie',
    'AUGMENT_SESSION_AUTH',
    'DEEPSEEK_KEY',
  ])('the value of %s is hidden, its length is kept', (name) => {
    expect(logged({ params: { [name]: 'hunter2 hunter2' } })).toEqual({
      params: { [name]: '[redacted 15 chars]' },
    });
  });

  test.each(['inputTokens', 'tokenizer', 'keyword', 'path', 'description', 'PWD', 'keys'])(
    'the value of %s is not',
    (name) => {
      expect(logged({ params: { [name]: 'plain' } })).toEqual({ params: { [name]: 'plain' } });
    },
  );

  test('numbers, booleans, null and empty strings stay', () => {
    const frame = { token: 3, secret: true, password: null, apiKey: '' };
    expect(logged(frame)).toEqual(frame);
  });

  test('everything below such a name is hidden, the shape is kept', () => {
    expect(logged({ credentials: { user: 'ann', parts: ['one', 'three'], n: 1 } })).toEqual({
      credentials: {
        user: '[redacted 3 chars]',
        parts: ['[redacted 3 chars]', '[redacted 5 chars]'],
        n: 1,
      },
    });
  });
});

describe('places of the protocol that carry secrets', () => {
  test('environment variables of MCP servers and terminals', () => {
    const env = [
      { name: 'LANG', value: 'C.UTF-8' },
      { name: 'STRIPE_SECRET', value: 'abcdef' },
    ];
    expect(logged({ method: 'terminal/create', params: { command: 'make', env } })).toEqual({
      method: 'terminal/create',
      params: {
        command: 'make',
        env: [
          { name: 'LANG', value: 'C.UTF-8' },
          { name: 'STRIPE_SECRET', value: '[redacted 6 chars]' },
        ],
      },
    });
  });

  test('HTTP headers, whatever their name', () => {
    expect(
      logged({
        params: { headers: [{ name: 'X-Team', value: 'blue' }] },
        _meta: { gateway: { headers: { 'x-team': 'blue' }, baseUrl: 'https://example.org' } },
      }),
    ).toEqual({
      params: { headers: [{ name: 'X-Team', value: '[redacted 4 chars]' }] },
      _meta: {
        gateway: { headers: { 'x-team': '[redacted 4 chars]' }, baseUrl: 'https://example.org' },
      },
    });
  });

  test('all of an MCP server but how it is called', () => {
    const servers = [
      {
        name: 'files',
        command: '/usr/bin/files',
        args: ['--root', '/srv/plain'],
        env: [{ name: 'PLAIN', value: 'abc' }],
      },
      { type: 'http', name: 'docs', url: 'https://example.org', headers: [] },
      null,
      'odd',
    ];
    expect(logged({ method: 'session/new', params: { mcpServers: servers } })).toEqual({
      method: 'session/new',
      params: {
        mcpServers: [
          {
            name: 'files',
            command: '/usr/bin/files',
            args: ['[redacted 6 chars]', '[redacted 10 chars]'],
            env: [{ name: 'PLAIN', value: '[redacted 3 chars]' }],
          },
          { type: 'http', name: 'docs', url: '[redacted 19 chars]', headers: [] },
          null,
          '[redacted 3 chars]',
        ],
      },
    });
  });

  test('all of an authenticate request but the id of its method', () => {
    expect(
      logged({
        id: 1,
        method: 'authenticate',
        params: { methodId: 'api-key', _meta: { 'api-key': { value: 'abc' } } },
      }),
    ).toEqual({
      id: 1,
      method: 'authenticate',
      params: { methodId: 'api-key', _meta: { 'api-key': { value: '[redacted 3 chars]' } } },
    });
  });

  test('the argument behind a flag', () => {
    expect(logged({ args: ['--api-key', 'abcdefgh', '--verbose', 'yes'] })).toEqual({
      args: ['--api-key', '[redacted 8 chars]', '--verbose', 'yes'],
    });
  });
});

describe('secrets in text', () => {
  const secrets = {
    openai: 'sk-proj-Ab3dEf6hIj9lMn2pQr5t',
    aws: 'AKIAIOSFODNN7EXAMPLE',
    github: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'github, fine-grained': 'github_pat_11ABCDEFG0abcdefghijkl_mnop',
    gitlab: 'glpat-abcdefghij0123456789',
    slack: 'xoxb-123456789012-abcdefghij',
    google: 'AIzaSyA1234567890abcdefghijklmnopqrstuv',
    jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123',
    'private key': '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----',
  };

  test.each(Object.entries(secrets))('%s', (_name, secret) => {
    const text = `before ${secret} after`;
    expect(redactText(text)).toBe(`before [redacted ${secret.length} chars] after`);
    expect(written({ text })).not.toContain(secret.slice(-8));
  });

  test.each([
    ['Authorization: Bearer abcdefghijklmnop', 'Authorization: Bearer [redacted 16 chars]'],
    ['export OPENAI_API_KEY="abcdefgh"', 'export OPENAI_API_KEY="[redacted 8 chars]"'],
    ['{ "apiKey": "abcdefgh" }', '{ "apiKey": "[redacted 8 chars]" }'],
    ['tool --token abcdefgh -v', 'tool --token [redacted 8 chars] -v'],
    ['https://ann:abcdefgh@example.org/x', 'https://ann:[redacted 8 chars]@example.org/x'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(JSON.parse(written({ text }))).toEqual({ text: expected });
  });

  test.each([
    'const token = nextToken();',
    'The task-list-of-2026 is a risk-free desk-top.',
    'if (password.length < 8) throw new Error("too short")',
    'git@github.com:owner/repo.git',
    'user@example.org asked for the secret of success',
  ])('prose and code stay: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('a line that is not JSON', () => {
    expect(JSON.parse(writeRaw('debug: key sk-proj-Ab3dEf6hIj9lMn2pQr5t'))).toBe(
      'debug: key [redacted 28 chars]',
    );
  });
});

describe('message chunks', () => {
  const chunk = (content: object, more: object = {}) => ({
    method: 'session/update',
    params: { update: { sessionUpdate: 'agent_message_chunk', content, ...more } },
  });

  test('a plain one is written as it is', () => {
    expect(logged(chunk({ type: 'text', text: 'Hello' }))).toEqual(
      chunk({ type: 'text', text: 'Hello' }),
    );
  });

  test.each([
    chunk({ type: 'text', text: 'use sk-proj-Ab3dEf6hIj9lMn2pQr5t' }),
    chunk({ type: 'text', text: 'Hello', _meta: { token: 'sk-proj-Ab3dEf6hIj9lMn2pQr5t' } }),
    chunk({ type: 'text', text: 'Hello' }, { _meta: { token: 'sk-proj-Ab3dEf6hIj9lMn2pQr5t' } }),
  ])('a secret anywhere in it is hidden', (frame) => {
    expect(JSON.stringify(logged(frame))).toContain('[redacted 28 chars]');
    expect(JSON.stringify(logged(frame))).not.toContain('sk-proj');
  });
});

describe('size', () => {
  test('a long string is cut and says how long it was', () => {
    const text = 'x'.repeat(200_000);
    const line = written({ params: { text, path: '/a' } });
    const { params } = JSON.parse(line) as { params: { text: string; path: string } };
    expect(params.text).toBe(`${'x'.repeat(65_536)}[cut, 200000 chars]`);
    expect(params.path).toBe('/a');
  });

  test('a frame of many strings takes a bounded line', () => {
    const items = Array.from({ length: 100_000 }, (_, i) => ({
      text: `item ${i} ${'y'.repeat(80)}`,
    }));
    const line = written({ items });
    expect(line.length).toBeLessThan(800_000);
    const kept = (JSON.parse(line) as { items: unknown[] }).items;
    expect(kept.at(-1)).toMatch(/^\[cut, \d+ items\]$/);
  });

  test('secrets in what was cut off are not written either', () => {
    const line = written({ text: 'x'.repeat(65_530) + 'sk-proj-Ab3dEf6hIj9lMn2pQr5t' });
    expect(line).not.toContain('Ab3dEf6h');
  });

  test('hostile text takes no more than linear time', () => {
    const hostile = [
      'eyJ'.repeat(20_000),
      '-eyJabcdefgh'.repeat(5_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(2_000),
      'A_KEY'.repeat(12_000),
      '"'.repeat(60_000),
      '://:'.repeat(15_000),
      'sk-'.repeat(20_000),
      '--token'.repeat(9_000),
    ];
    const start = performance.now();
    for (const text of hostile) written({ text });
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
