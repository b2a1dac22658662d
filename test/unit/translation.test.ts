import { describe, expect, test } from 'vitest';
import { PathMap } from '../../src/acp/path-map';
import { Translation } from '../../src/acp/translation';

const translation = new Translation(new PathMap([{ here: '/home/me/p', there: '/work' }]));

/** A message with all of its paths there, whose other strings name paths, too, and are none. */
const THERE: [what: string, message: { method?: string; params?: unknown; result?: unknown }][] = [
  [
    'session/new',
    {
      method: 'session/new',
      params: {
        cwd: '/work',
        additionalDirectories: ['/work/lib', '/opt/other'],
        mcpServers: [{ name: '/work', command: '/work/bin/mcp', args: ['/work'], env: [] }],
      },
    },
  ],
  ['session/load', { method: 'session/load', params: { sessionId: '/work', cwd: '/work' } }],
  ['session/list', { method: 'session/list', params: { cwd: '/work', cursor: '/work' } }],
  [
    'the answer to session/list',
    { result: { sessions: [{ sessionId: '/work', cwd: '/work/a', title: '/work/a' }] } },
  ],
  [
    'session/prompt',
    {
      method: 'session/prompt',
      params: {
        prompt: [
          { type: 'text', text: '/work/a' },
          { type: 'resource_link', uri: 'file:///work/a%20b', name: '/work/a' },
          { type: 'resource', resource: { uri: 'file:///work/a#L1', text: '/work/a' } },
        ],
      },
    },
  ],
  ['fs/read_text_file', { method: 'fs/read_text_file', params: { path: '/work/a', line: 2 } }],
  [
    'fs/write_text_file',
    { method: 'fs/write_text_file', params: { path: '/work/a', content: '/work/a' } },
  ],
  [
    'terminal/create',
    {
      method: 'terminal/create',
      params: { command: '/work/bin/x', args: ['/work/a'], cwd: '/work', env: [] },
    },
  ],
  [
    'a message',
    {
      method: 'session/update',
      params: {
        sessionId: '/work',
        update: {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: '/work/a file:///work/a' },
        },
      },
    },
  ],
  [
    'a tool call',
    {
      method: 'session/update',
      params: {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: '/work/a',
          title: '/work/a',
          locations: [{ path: '/work/a', line: 3 }],
          content: [
            { type: 'diff', path: '/work/a', oldText: '/work/a', newText: '/work/b' },
            { type: 'content', content: { type: 'text', text: '/work/a' } },
            { type: 'content', content: { type: 'resource_link', uri: 'file:///work/a' } },
          ],
          rawInput: {
            file_path: '/work/a',
            content: '/work/a',
            command: 'cat /work/a',
            edits: [{ path: '/work/b', old_string: '/work/a' }],
            changes: { '/work/c': { type: 'add', content: '/work/a' } },
            paths: ['/work/a', '/etc/a'],
            workdir: '/work/x',
          },
          rawOutput: { path: '/etc/a', output: '/work/a' },
          _meta: { terminal_info: { terminal_id: '/work', cwd: '/work/x' } },
        },
      },
    },
  ],
  [
    'a plan in a file',
    {
      method: 'session/update',
      params: {
        update: { sessionUpdate: 'plan_update', plan: { type: 'file', uri: 'file:///work/p.md' } },
      },
    },
  ],
  [
    'a question',
    {
      method: 'session/request_permission',
      params: {
        toolCall: {
          toolCallId: 't',
          locations: [{ path: '/work/a' }],
          content: [{ type: 'diff', path: '/work/a', oldText: null, newText: '/work' }],
          rawInput: { abs_path: '/work/a' },
        },
        options: [{ optionId: '/work', name: '/work', kind: 'allow_once' }],
      },
    },
  ],
  [
    'a request that is no method of ACP’s',
    { method: 'vendor/plan', params: { planUri: 'file:///work/p', plan: '/work/p' } },
  ],
];

/** Where a path of ours stands in a value; `KEY`: as a name. */
function ours(value: unknown, way: string[] = []): string[] {
  if (typeof value === 'string') return value.includes('/home/me/p') ? [way.join('.')] : [];
  return Object.entries(value ?? {}).flatMap(([key, inner]) => {
    const name = key.startsWith('/home/me/p') ? 'KEY' : key;
    return [...(name === 'KEY' ? [[...way, name].join('.')] : []), ...ours(inner, [...way, name])];
  });
}

const PATHS: Record<string, string[]> = {
  'session/new': ['cwd', 'additionalDirectories.0', 'mcpServers.0.command'],
  'session/load': ['cwd'],
  'session/list': ['cwd'],
  'the answer to session/list': ['sessions.0.cwd'],
  'session/prompt': ['prompt.1.uri', 'prompt.2.resource.uri'],
  'fs/read_text_file': ['path'],
  'fs/write_text_file': ['path'],
  'terminal/create': ['command', 'cwd'],
  'a message': [],
  'a tool call': [
    'update.locations.0.path',
    'update.content.0.path',
    'update.content.2.content.uri',
    'update.rawInput.file_path',
    'update.rawInput.edits.0.path',
    'update.rawInput.changes.KEY',
    'update.rawInput.paths.0',
    'update.rawInput.workdir',
    'update._meta.terminal_info.cwd',
  ],
  'a plan in a file': ['update.plan.uri'],
  'a question': [
    'toolCall.locations.0.path',
    'toolCall.content.0.path',
    'toolCall.rawInput.abs_path',
  ],
  'a request that is no method of ACP’s': ['planUri'],
};

describe('what is a path is put into other words, and no text is', () => {
  test.each(THERE)('in %s', (what, message) => {
    const before = structuredClone(message);
    const here = translation.incoming(message);
    expect(ours(here.params ?? here.result)).toEqual(PATHS[what]);
    expect(translation.outgoing(here)).toEqual(message);
    expect(message).toEqual(before);
  });
});

test('what is wrong with a file is told with its name there', () => {
  const error = (path: string) => ({
    id: 1,
    error: { code: -32602, message: 'm', data: { path } },
  });
  expect(translation.outgoing(error('/home/me/p/a'))).toEqual(error('/work/a'));
});

test('rubbish goes through as it is', () => {
  for (const message of [
    {},
    { method: 'session/new', params: null },
    { method: 'session/new', params: [] },
    { method: 'session/new', params: { cwd: 3, mcpServers: 'x', additionalDirectories: { a: 1 } } },
    { method: 'session/update', params: { update: [null, 1, 'x'] } },
    { method: 'toString', params: { constructor: 1 } },
    { method: 'session/update', params: { update: { rawInput: { path: null, changes: [] } } } },
    { id: 1, result: null },
    { id: 1, error: { code: 1, message: '/work' } },
  ]) {
    expect(translation.incoming(message)).toEqual(message);
  }
});

test('what is nested without end is left alone', () => {
  let nested: object = { path: '/work' };
  for (let i = 0; i < 5000; i++) nested = { nested };
  expect(() => translation.incoming({ method: 'x', params: nested })).not.toThrow();
});
