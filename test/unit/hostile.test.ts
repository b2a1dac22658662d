/** Agents that mean harm, or are broken beyond what anybody has seen: what is read of them is total, bounded and quick. */
import { describe, expect, it } from 'vitest';
import { authMethods } from '../../src/acp/login';
import { checkForm } from '../../src/acp/form-check';
import { elicitation, type Elicitation } from '../../src/acp/elicitation-request';
import type { Form } from '../../src/acp/elicitation';
import { extendedNotification, extendedRequest } from '../../src/acp/extensions/index';
import { newTranscript } from '../../src/session/model';
import { TerminalCards } from '../../src/session/terminal-cards';
import { page } from '../../src/acp/page-address';
import { updateEvents } from '../../src/acp/v1';

const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

function formOf(params: object): Form {
  const { ask }: Elicitation = elicitation({ mode: 'form', message: 'm', ...params });
  if (ask.type !== 'form') throw new Error('no form');
  return ask.form;
}

const ofFields = (properties: object): Form => formOf({ requestedSchema: { properties } });

describe('a word that all objects know', () => {
  it.each(INHERITED)('%s is no state of a subagent, an account or a limit', (word) => {
    const events = [
      ...updateEvents({
        sessionUpdate: 'subagent_state_update',
        subagentSessionId: 's',
        state: word,
      }),
      ...updateEvents({ sessionUpdate: 'async_task_state_update', asyncTaskId: 's', state: word }),
      ...updateEvents({
        sessionUpdate: 'tool_call',
        toolCallId: 't',
        rawInput: { agentThreadId: 'a', activityKind: word },
      }),
      ...updateEvents({
        sessionUpdate: 'usage_update',
        _meta: { '_claude/rateLimit': { rateLimitType: word, status: word } },
      }),
      ...(extendedNotification('auth/status_update', { state: word })?.events ?? []),
    ];
    expect(events.length).toBeGreaterThan(4);
    expect(events).toEqual(JSON.parse(JSON.stringify(events)));
    expect(JSON.stringify(events)).toContain('"unknown"');
  });
});

/** How long that took, in milliseconds. */
function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const times = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));

describe('a form', () => {
  const fields = (n: number, property: object): object =>
    Object.fromEntries(times(n, (i) => [`question_${i}`, property]));

  it.each([
    ['fields', fields(10_000, { type: 'string' }), '10000 fields are too many, at most 200'],
    [
      'choices',
      { all: { type: 'string', enum: times(100_000, String) } },
      '100000 choices are too many, at most 2000',
    ],
    [
      'choices in all its fields',
      fields(100, {
        type: 'array',
        items: { enum: times(100, String) },
        default: times(1e5, String),
      }),
      '10000 choices are too many, at most 2000',
    ],
  ])('of too many %s is refused, and soon', (_, properties, why) => {
    expect(timed(() => expect(() => ofFields(properties)).toThrow(why))).toBeLessThan(2000);
  });

  it('of Cursor’s with too many questions is skipped, with the reason', () => {
    const asked = extendedRequest('cursor/ask_question', { questions: times(10_000, () => ({})) });
    expect(asked?.question).toBeUndefined();
    expect(asked?.answer(null)).toMatchObject({
      outcome: { outcome: 'skipped', reason: '10000 fields are too many, at most 200' },
    });
  });

  it('with a hundred patterns that take for ever is checked at once', () => {
    const properties = fields(100, { type: 'string', pattern: '^(a+)+$' });
    const form = ofFields({ ...properties, last: { type: 'string', pattern: '\n' } });
    const values = Object.fromEntries(form.fields.map(({ name }) => [name, `${'a'.repeat(40)}!`]));
    let faults: { words: string }[] = [];
    expect(timed(() => (faults = checkForm(form, values).faults))).toBeLessThan(1000);
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)!.words).not.toContain('\n');
  });

  it('whose fields are named as what all objects have is filled in like any other', () => {
    const json = `{${INHERITED.map((name) => `"${name}":{"type":"string"}`).join(',')}}`;
    const form = ofFields(JSON.parse(json) as object);
    expect(form.fields.map(({ name }) => name).sort()).toEqual([...INHERITED].sort());
    expect(checkForm(form, {})).toEqual({ values: {}, faults: [] });
    const given = JSON.parse('{"__proto__":"a","toString":"b"}') as Record<string, unknown>;
    const { values } = checkForm(form, given);
    expect(JSON.parse(JSON.stringify(values))).toEqual(given);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });

  it('whose names, titles and words are hostile is one of harmless text', () => {
    const long = 'x'.repeat(1_000_000);
    const form = formOf({
      message: long,
      requestedSchema: {
        title: long,
        description: long,
        properties: {
          'a\u001b[2J\n\u202eb': { type: 'string', description: long },
          '': { type: 'string', title: long, default: 7, pattern: 7, format: [], minLength: 'x' },
          plain: { type: ['string'], title: {}, enum: 3 },
          last: { type: 'string', pattern: long },
        },
      },
    });
    expect(form.fields.map(({ title }) => title?.slice(0, 40))).toEqual([
      'a^[[2J <U+202E>b',
      'x'.repeat(40),
      undefined,
      undefined,
    ]);
    expect(form.fields[2]).toMatchObject({ type: 'unknown' });
    expect(JSON.stringify(form).length).toBeLessThan(100_000);
  });
});

describe('an address', () => {
  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' java\nscript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>',
    'file:///tmp/evil.desktop',
    'blob:https://a.b/x',
    'about:blank',
    `https://a.b/${'x'.repeat(1_000_000)}`,
    `https://${'\u0430.'.repeat(500_000)}`,
  ])('that would run something, or that nobody can read, is never opened', (url) => {
    let asked = page('https://a.b');
    expect(timed(() => (asked = page(url)))).toBeLessThan(200);
    expect(asked).toMatchObject({ opens: false, host: '' });
    expect(asked.warning).toMatch(/are not opened|too long/);
    expect(asked.url.length).toBeLessThan(3000);
  });
});

describe('a program of a login', () => {
  it.each([
    { command: 'sh\0', args: [] },
    { command: 'sh', args: ['a\0b'] },
    { command: 'sh', env: { A: '\0' } },
    { command: 'sh', env: { 'A\0': '' } },
  ])('with a NUL byte can’t be run, and is not', (program) => {
    const [method] = authMethods([{ id: 'x', _meta: { 'terminal-auth': program } }]);
    expect(method).toMatchObject({ type: 'unknown', kind: 'a program with a NUL byte' });
  });
});

describe('output of terminals that nobody has told of', () => {
  it('is kept for a card that may name them, but not for ever', () => {
    const transcript = newTranscript('/');
    const cards = new TerminalCards(transcript);
    for (let i = 0; i < 10_000; i++) {
      cards.apply({ type: 'terminal', terminalId: `t${i}`, append: 'x'.repeat(1000) });
    }
    expect(transcript.terminals.size).toBe(100);
    expect(cards.endless.size).toBe(100);
    expect(cards.get('t9999')?.output).toHaveLength(1000);
  });
});
