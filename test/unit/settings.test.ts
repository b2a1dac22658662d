import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeLimits } from '../../src/acp/extensions/claude';
import { configOptions, legacyOption } from '../../src/acp/settings';
import { optionFor, valueFor } from '../../src/session/defaults';
import { Settings } from '../../src/session/settings';
import { SettingsSetter } from '../../src/session/settings-setter';
import { eventually } from '../harness';

const select = (id: string, currentValue: string, values: string[], category?: string) => ({
  id,
  name: id,
  ...(category !== undefined && { category }),
  type: 'select',
  currentValue,
  options: values,
});
type Raw = ReturnType<typeof select>;
const wire = (options: Raw[]) => ({
  configOptions: options.map(({ options: values, ...option }) => ({
    ...option,
    options: values.map((value) => ({ value, name: value.toUpperCase() })),
  })),
});

/** A session of an agent that keeps its options as `change` says; without, just so. */
function session(
  options: Raw[],
  {
    change = (all) => all,
    defaults = {},
    answers = true,
    timeoutMs = 5000,
  }: {
    change?: (all: Raw[]) => Raw[];
    defaults?: Record<string, string | boolean>;
    answers?: boolean;
    timeoutMs?: number;
  } = {},
) {
  const settings = new Settings();
  settings.opened(wire(options));
  const told: string[] = [];
  const sent: string[] = [];
  let present = options;
  const setter = new SettingsSetter({
    settings,
    defaults,
    name: 'agent',
    tell: (_level, message) => told.push(message),
    onChange: () => {},
    named: new Set(),
    timeoutMs,
  });
  const request = async (_method: string, params: object) => {
    const { configId, value } = params as { configId: string; value: string };
    sent.push(`${configId}=${value}`);
    if (!answers) await new Promise(() => {});
    present = change(
      present.map((it) => (it.id === configId ? { ...it, currentValue: value } : it)),
    );
    return wire(present);
  };
  return { settings, setter, told, sent, place: { sessionId: 'x', agent: { request } } };
}

describe('a choice of the user', () => {
  const options = [
    select('mode', 'ask', ['ask', 'auto'], 'mode'),
    select('effort', 'low', ['low', 'high'], 'thought_level'),
  ];

  it('is told when it is made, unless the line above the chat shows it', async () => {
    const { setter, place, told } = session(options);
    await setter.choose(place, 'effort', 'high');
    await setter.choose(place, 'mode', 'auto');
    expect(told).toEqual(['effort: HIGH']);
  });

  it('that the agent never answers is told', async () => {
    const { setter, place, told } = session(options, { answers: false, timeoutMs: 10 });
    void setter.choose(place, 'effort', 'high');
    await eventually(() =>
      expect(told).toEqual(['agent has not answered yet: effort may not be ‘high’']),
    );
  });
});

describe('the option that a key means', () => {
  const settings = new Settings();
  settings.opened(
    wire([
      select('vendor', 'v', ['v'], 'model'),
      select('llm', 'a', ['a'], 'model'),
      select('effort', 'x', ['x'], 'video'),
      select('think', 'low', ['low'], 'thought_level'),
      select('variant', 'a', ['a']),
    ]),
  );

  it.each([
    ['model', 'llm'],
    ['vendor', 'vendor'],
    ['effort', 'think'],
    ['variant', 'variant'],
    ['mode', undefined],
  ])('%s: %s', (key, id) => {
    expect(optionFor(settings, key)?.id).toBe(id);
  });

  it('is the one of that id and category where there are several of the category', () => {
    const other = new Settings();
    other.opened(wire([select('model', 'a', ['a'], 'model'), select('size', 'b', ['b'], 'model')]));
    expect(optionFor(other, 'model')?.id).toBe('model');
  });
});

describe('the value that is meant', () => {
  const [option] = configOptions([
    {
      id: 'o',
      type: 'select',
      currentValue: 'a',
      options: [
        { group: 'g', name: 'Group', options: [{ value: 'plan', name: 'Other' }] },
        { group: 'h', name: 'H', options: [{ value: 'x', name: 'Plan' }, { value: 'On' }] },
      ],
    },
  ]);
  const [flag] = configOptions([{ id: 'f', type: 'boolean', currentValue: false }]);

  it.each([
    ['plan', 'plan'],
    ['Plan', 'x'],
    ['PLAN', 'plan'],
    ['other', 'plan'],
    [true, 'On'],
    [false, undefined],
    ['pla', undefined],
  ])('%s: %s', (wanted, value) => {
    expect(valueFor(option!, wanted)).toBe(value);
  });

  it.each([
    [true, true],
    ['off', false],
    ['Yes', true],
    ['maybe', undefined],
  ])('of a boolean, %s: %s', (wanted, value) => {
    expect(valueFor(flag!, wanted)).toBe(value);
  });
});

describe('defaults', () => {
  it('are set once more where another one has changed them, and no more', async () => {
    // A change of `b` sets `a` back.
    const resets = session([select('a', '1', ['1', '2']), select('b', '1', ['1', '2'])], {
      defaults: { a: '2', b: '2' },
      change: (() => {
        let before = '1';
        return (all: Raw[]) => {
          const { currentValue } = all[1]!;
          const changed = currentValue !== before;
          before = currentValue;
          return changed ? [{ ...all[0]!, currentValue: '1' }, all[1]!] : all;
        };
      })(),
    });
    await resets.setter.prepare(resets.place);
    expect(resets.sent).toEqual(['a=2', 'b=2', 'a=2']);
    expect(resets.settings.get('a')?.value).toBe('2');
  });

  it('that will not stay end after a few tries', async () => {
    const { setter, sent, place } = session([select('a', '1', ['1', '2'])], {
      defaults: { a: '2' },
      change: () => [select('a', '1', ['1', '2'])],
    });
    await setter.prepare(place);
    expect(sent).toEqual(['a=2', 'a=2']);
  });

  it('by an id count more than by what it is called in general', async () => {
    const options = [select('llm', 'a', ['a', 'b', 'c'], 'model')];
    for (const defaults of [
      { model: 'b', llm: 'c' },
      { llm: 'c', model: 'b' },
    ]) {
      const { setter, sent, place } = session(options, { defaults });
      await setter.prepare(place);
      expect(sent).toEqual(['llm=c']);
    }
  });

  it('do not hold the first prompt for ever, and nothing is set when it was sent', async () => {
    const options = [select('a', '1', ['1', '2']), select('b', '1', ['1', '2'])];
    const { setter, sent, told, place } = session(options, {
      defaults: { a: '2', b: '2' },
      answers: false,
      timeoutMs: 20,
    });
    await setter.prepare(place);
    expect(sent).toEqual(['a=2']);
    expect(told).toEqual(['agent was not set as you want within 0.02 s: see :AcpConfig']);
  });

  it('are kept for the next try where the agent was lost', async () => {
    const { setter, place } = session([select('a', '1', ['1', '2'])], { defaults: { a: '2' } });
    const agent = { request: () => Promise.reject(new Error('gone')) };
    await expect(setter.prepare({ ...place, agent })).rejects.toThrow('gone');
    expect(setter.kept).toEqual({ a: '2' });
    await setter.prepare(place);
    expect(setter.kept).toEqual({ a: '2' });
  });
});

describe('what is kept over a restart', () => {
  it('is what was set, as it was last, and the mode in any case', async () => {
    const options = [
      select('m', 'auto', ['auto', 'ask'], 'mode'),
      select('a', '1', ['1', '2']),
      select('b', '1', ['1', '2']),
    ];
    const { settings, setter, place } = session(options);
    await setter.set(place, 'a', '2');
    expect(setter.kept).toEqual({ m: 'auto', a: '2' });
    settings.apply({ type: 'mode', modeId: 'ask' });
    setter.lost();
    settings.opened(wire(options));
    setter.wish('b', '2');
    expect(setter.kept).toEqual({ m: 'ask', a: '2', b: '2' });
    await setter.prepare(place);
    expect(settings.options.map(({ value }) => value)).toEqual(['ask', '2', '2']);
  });
});

describe('what agents send', () => {
  it('of options never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (options, result) => {
        const settings = new Settings();
        configOptions(options);
        legacyOption(options, 'mode');
        claudeLimits({ '_claude/rateLimit': options });
        settings.opened({ configOptions: options, modes: result, models: options });
        settings.request('x', 'y')?.answered({ configOptions: result });
      }),
    );
  });

  it('of options has each id once', () => {
    const options = configOptions([
      { id: 'a', type: 'boolean', currentValue: false },
      { id: 'a', type: 'boolean', currentValue: true },
      { id: '', type: 'boolean' },
    ]);
    expect(options).toEqual([{ id: 'a', name: 'a', type: 'boolean', value: true }]);
  });

  it('of names is one line of text', () => {
    const [option] = configOptions([
      { id: 'a', name: 'A\nb\u001b[31m', type: 'select', options: [{ value: 'x', name: 'X\ty' }] },
    ]);
    expect(option?.name).not.toMatch(/\p{Cc}/u);
    expect(option).toMatchObject({ choices: [{ value: 'x' }] });
  });

  it('of limits names each window, and tells that paid usage goes on', () => {
    const limits = claudeLimits({
      '_claude/rateLimit': {
        status: 'rejected',
        rateLimitType: 'five_hour',
        resetsAt: 100,
        isUsingOverage: true,
        unifiedWindows: {
          five_hour: { utilization: 1.2, resetsAt: 100, status: 'rejected' },
          seven_day: { utilization: 0.4, resetsAt: 200 },
          seven_day_cowork: { utilization: -1 },
          broken: null,
        },
      },
    });
    expect(limits.map((event) => 'limit' in event && event.limit)).toEqual([
      { name: '5 hours', state: 'near', used: 1, resets: 100_000 },
      { name: 'week', state: 'ok', used: 0.4, resets: 200_000 },
      { name: 'seven day cowork', state: 'ok', used: 0 },
    ]);
  });
});
