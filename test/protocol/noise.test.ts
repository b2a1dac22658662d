import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { chunk, openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

/** What the client sent beside its own requests. */
const INITIATED = ['initialize', 'session/new', 'session/prompt'];

describe('bad input from an agent', () => {
  it('that is no JSON or no JSON-RPC is never answered', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { raw: 'Welcome to the agent!\n' },
      { raw: '\u001b[32minfo\u001b[0m colours\n' },
      { raw: '42\n"str"\nnull\n[]\n[{"jsonrpc":"2.0"}]\n{}\n{"level":30,"msg":"log"}\n\n  \n' },
      { raw: '{"jsonrpc":"2.0","error":{"code":1,"message":"no id"}}\n' },
      { raw: '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"null id"}}\n' },
      { raw: '{"jsonrpc":"2.0","id":999,"result":{}}\n' },
      { raw: '{"broken":\n' },
      chunk('after the noise'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await eventually(() => expect(editor.text).toContain('after the noise'));
    expect(agent.received().map(({ method }) => method)).toEqual(INITIATED);
    expect(agent.garbage()).toEqual([]);
  });

  it('that is no JSON is logged, and counted when the agent ends', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { raw: 'Welcome!\n42\n{"broken":\n' },
      chunk('bye'),
      { exit: 0 },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    const log = readFileSync(editor.status.log!, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log.flatMap(({ raw }) => raw ?? [])).toEqual(['Welcome!', '42', '{"broken":']);
    expect(log.at(-1)).toMatchObject({ dir: 'ev', exit: 0, noise: 3 });
  });

  it('that comes after the turn is shown below it', async () => {
    const agent = scriptedAgent([PROMPT, chunk('in time'), END, { delay: 50 }, chunk('too late')]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toMatch(/in time[^]*──[^]*too late/));
    expect(editor.status.state).toBe('idle');
    expect(editor.faults).toEqual([]);
  });

  it('of kinds that are not known is shown dimly, and nothing of it is lost', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { update: { sessionUpdate: 'hologram_update', beam: 1 } },
      { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'smell', odour: 'x' } } },
      { update: { sessionUpdate: 'tool_call', title: 'without an id' } },
      { update: { sessionUpdate: 'agent_message_chunk' } },
      { update: { _meta: { vendor: 1 } } },
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          kind: 'teleport',
          status: 'exploded',
          title: null,
          content: [{ type: 'content', content: { type: 'hologram' } }, null, 7, { type: 'text' }],
          locations: [{ line: 3 }, { path: '/x', line: null }],
          rawInput: null,
        },
      },
      chunk('fine'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await eventually(() => expect(editor.text).toContain('fine'));
    expect(editor.text).toContain('hologram_update');
    expect(editor.text).toContain('smell');
    expect(editor.text).toContain('Teleport');
    expect(editor.faults).toEqual([]);
  });

  it('gets exactly one answer to each request, -32601 for those that are not known', async () => {
    const agent = scriptedAgent([
      PROMPT,
      { request: { method: 'craft/drainMidTurnQueue' }, as: 'a' },
      { request: { method: '_vendor/thing', params: { x: 1 } }, as: 'b' },
      { request: { method: 'fs/read_text_file', params: { path: 'relative' } }, as: 'c' },
      { request: { method: 'fs/read_text_file', params: {} }, as: 'd' },
      { request: { method: 'terminal/output', params: { terminalId: 'none' } }, as: 'e' },
      { notify: { method: '_vendor/note', params: {} } },
      { answer: 'a' },
      { answer: 'b' },
      { answer: 'c' },
      { answer: 'd' },
      { answer: 'e' },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    const answers = agent.received().filter(({ id }) => String(id).startsWith('scripted-'));
    expect(new Map(answers.map(({ id, error }) => [id, error?.code]))).toEqual(
      new Map([
        ['scripted-1', -32601],
        ['scripted-2', -32601],
        ['scripted-3', -32602],
        ['scripted-4', -32602],
        ['scripted-5', -32602],
      ]),
    );
    expect(answers).toHaveLength(5);
  });

  it('with `error: null` beside a result, a string for an id, or no version, is taken as meant', async () => {
    const agent = scriptedAgent([
      { expect: 'initialize', as: 'init' },
      { raw: '{"id":"${init.id}","result":{"protocolVersion":1},"error":null}\n' },
      PROMPT,
      chunk('works'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('works'));
  });

  it('for a session that is not known is taken for the only one there is', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        request: {
          method: 'session/request_permission',
          params: {
            sessionId: 'someone-else',
            toolCall: { toolCallId: 't', title: 'mixed up' },
            options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
          },
        },
        as: 'ask',
      },
      { answer: 'ask' },
      END,
    ]);
    const { editor, send, answer } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.opened).toHaveLength(1));
    answer(editor.opened[0]!.id, 'y');
    await eventually(() => expect(editor.status.state).toBe('idle'));
  });

  it('with NUL, escapes, CRLF and invalid UTF-8 reaches the transcript as text', async () => {
    const agent = scriptedAgent([
      PROMPT,
      chunk('nul \u0000 esc \u001b[31m crlf\r\nlone \ud800 \u2028 bidi \u202e end'),
      {
        raw: '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${prompt.params.sessionId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" bad \xff\xfe utf8"}}}}\n',
        encoding: 'latin1',
      },
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('idle'));
    await eventually(() => expect(editor.text).toContain('utf8'));
    // eslint-disable-next-line no-control-regex
    expect(editor.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800]/);
    expect(editor.text).toContain('crlf\nlone');
    expect(editor.faults).toEqual([]);
  });

  it('of 100 MB in one line does not end the connection', async () => {
    const agent = scriptedAgent([
      PROMPT,
      {
        raw: '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${prompt.params.sessionId}","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"big","rawOutput":"',
      },
      { repeat: 100, steps: [{ raw: 'x'.repeat(1024 * 1024) }] },
      { raw: '"}}}\n' },
      chunk('survived'),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.text).toContain('survived'), { timeout: 15_000 });
    expect(JSON.stringify(editor.calls).length).toBeLessThan(1024 * 1024);
  });
});
