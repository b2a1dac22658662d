import { describe, expect, it } from 'vitest';
import { eventually, replayAgent, scriptedAgent, type Step } from '../harness';
import { openChat } from './fake-editor';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };
const SET: Step = { expect: 'session/set_config_option' };
const opened = (result: object): Step[] => [
  { expect: 'session/new' },
  { reply: { sessionId: 'x', ...result } },
];

const select = (
  id: string,
  currentValue: string,
  values: string[],
  category: string | null = id,
) => ({
  id,
  name: id.toUpperCase(),
  ...(category !== null && { category }),
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: `The ${value}` })),
});

const modes = (currentModeId: string, ids = ['auto', 'ask']) => ({
  currentModeId,
  availableModes: ids.map((id) => ({ id, name: id })),
});

describe('what is offered', () => {
  it('is one list: config options, and legacy modes and models where no option is in their place', async () => {
    const agent = scriptedAgent(
      opened({
        modes: modes('auto'),
        models: {
          currentModelId: 'small',
          availableModels: [{ modelId: 'small', name: 'Small' }, { modelId: 'large' }],
        },
        configOptions: [
          // Another thing altogether that is called the same as the modes.
          select('mode', 'dark', ['dark', 'light'], null),
          {
            id: 'fast',
            name: 'Fast',
            type: 'boolean',
            currentValue: true,
            category: 'model_config',
          },
          { id: 'odd', name: 'Odd', type: 'slider', currentValue: 4, options: [{ value: '4' }] },
          null,
        ],
      }),
    );
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(4));
    expect(editor.status).toMatchObject({ mode: 'auto', model: 'Small' });
    expect(editor.status.config?.map(({ id, category, value }) => [id, category, value])).toEqual([
      ['legacy-mode', 'mode', 'auto'],
      ['model', 'model', 'small'],
      ['mode', undefined, 'dark'],
      ['fast', 'model_config', true],
    ]);
    expect(editor.status.config?.[1]?.choices).toEqual([
      { value: 'small', name: 'Small' },
      { value: 'large', name: 'large' },
    ]);
  });

  it('is nothing where lists are empty or null', async () => {
    const agent = scriptedAgent(
      opened({
        modes: null,
        models: { currentModelId: '', availableModels: [] },
        configOptions: null,
      }),
    );
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.status).toMatchObject({ config: [] });
    expect(editor.status.mode ?? editor.status.model).toBeUndefined();
  });

  it.each([
    [
      'claude/init',
      ['mode', 'model', 'effort', 'fast', 'ultracode'],
      'auto',
      'Default (recommended)',
    ],
    [
      'codex/init',
      ['mode', 'collaboration_mode', 'model', 'reasoning_effort', 'fast-mode'],
      'agent',
      '6.1 Sol',
    ],
    ['opencode/init', ['model', 'effort', 'mode'], 'build', 'Fake/Fake model'],
    ['nanocoder/init', ['mode', 'provider', 'model'], 'auto-accept', 'fake-model'],
  ])('of a real agent: %s', async (log, ids, mode, model) => {
    const { editor } = openChat(replayAgent(log));
    await eventually(() => expect(editor.status.config?.map(({ id }) => id)).toEqual(ids));
    expect(editor.status.mode).toBe(mode);
    expect(editor.status.model).toBe(model);
  });
});

describe('setting an option', () => {
  it('shows the complete list of the answer, whatever else it changes', async () => {
    const agent = scriptedAgent([
      ...opened({
        configOptions: [select('model', 'a', ['a', 'b']), select('effort', 'low', ['low'])],
      }),
      SET,
      { reply: { configOptions: [select('model', 'b', ['a', 'b'])] } },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    tell('config.set', { option: 'model', value: 'b' });
    await eventually(() => expect(editor.status).toMatchObject({ model: 'The b' }));
    expect(editor.status.config).toHaveLength(1);
    expect(agent.received('session/set_config_option')[0]?.params).toEqual({
      sessionId: 'x',
      configId: 'model',
      value: 'b',
    });
  });

  it('shows that value alone where the answer says nothing', async () => {
    const agent = scriptedAgent([
      ...opened({
        configOptions: [
          { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
          select('model', 'a', ['a', 'b']),
        ],
      }),
      SET,
      { reply: { configOptions: null } },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    tell('config.set', { option: 'fast', value: true });
    await eventually(() => expect(editor.status.config?.[0]?.value).toBe(true));
    expect(editor.status.model).toBe('The a');
    expect(agent.received('session/set_config_option')[0]?.params).toMatchObject({
      configId: 'fast',
      type: 'boolean',
      value: true,
    });
  });

  it('of legacy modes and models goes by their own methods', async () => {
    const agent = scriptedAgent([
      ...opened({
        modes: modes('auto'),
        models: { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'b' }] },
      }),
      { expect: 'session/set_mode' },
      { reply: {} },
      { expect: 'session/set_model' },
      { reply: null },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(editor.status.mode).toBe('ask'));
    tell('config.set', { option: 'model', value: 'b' });
    await eventually(() => expect(editor.status.model).toBe('b'));
    expect(agent.received('session/set_model')[0]?.params).toEqual({
      sessionId: 'x',
      modelId: 'b',
    });
  });

  it('believes what the agent tells meanwhile more than an answer that says nothing', async () => {
    const agent = scriptedAgent([
      ...opened({ modes: modes('auto') }),
      { expect: 'session/set_mode' },
      { update: { sessionUpdate: 'current_mode_update', currentModeId: 'auto' } },
      { reply: {} },
      PROMPT,
      END,
    ]);
    const { editor, tell, send } = openChat(agent);
    await eventually(() => expect(editor.status.mode).toBe('auto'));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(agent.received('session/set_mode')).toHaveLength(1));
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(editor.status.mode).toBe('auto');
  });

  it('works while a turn runs, and follows what the agent changes by itself', async () => {
    const agent = scriptedAgent([
      ...opened({ configOptions: [select('mode', 'auto', ['auto', 'ask'])] }),
      PROMPT,
      SET,
      { reply: { configOptions: [select('mode', 'ask', ['auto', 'ask'])] } },
      { expect: 'session/cancel' },
      { update: { sessionUpdate: 'current_mode_update', modeId: 'auto' } },
      END,
    ]);
    const { editor, tell, send, cancel } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('working'));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(editor.status.mode).toBe('ask'));
    cancel();
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'auto', state: 'idle' }));
  });

  it('that is refused is told with the agent’s words, and changes nothing', async () => {
    const agent = scriptedAgent([
      ...opened({ configOptions: [select('model', 'a', ['a', 'b'])] }),
      SET,
      { error: { code: -32602, message: 'b is for members' } },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.model).toBe('The a'));
    tell('config.set', { option: 'model', value: 'b' });
    await eventually(() =>
      expect(editor.messages()).toEqual(['scripted refused model ‘b’: b is for members']),
    );
    expect(editor.status.model).toBe('The a');
  });

  it('that the agent does not offer is refused in words', async () => {
    const { editor, tell } = openChat(scriptedAgent([]));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    tell('config.set', { option: 'mode', value: 'yolo' });
    await eventually(() => expect(editor.messages()).toEqual(['scripted has no mode ‘yolo’']));
  });

  it('waits for the agent where it is not running', async () => {
    const agent = scriptedAgent(
      [...opened({ modes: modes('auto') }), PROMPT, { exit: 3 }],
      [...opened({ modes: modes('auto') }), { expect: 'session/set_mode' }, { reply: {} }],
    );
    const { editor, tell, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.state).toBe('dead'));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'ask', state: 'idle' }));
  });
});

describe('after a restart of the agent', () => {
  const resumes: Step[] = [
    { expect: 'initialize' },
    {
      reply: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
    },
  ];
  const first: Step[] = [
    ...resumes,
    ...opened({ modes: modes('auto') }),
    { expect: 'session/set_mode' },
    { reply: {} },
  ];
  const resumed = (result: object | null): Step[] => [
    ...resumes,
    { expect: 'session/resume' },
    { reply: result },
  ];

  it('what was set is set again, models first, before the next prompt is sent', async () => {
    const options = (model: string, effort: string) => [
      select('effort', effort, ['low', 'high'], 'thought_level'),
      select('other', 'x', ['x', 'y']),
      select('model', model, ['a', 'b']),
    ];
    const agent = scriptedAgent(
      [
        ...resumes,
        ...opened({ configOptions: options('a', 'low') }),
        SET,
        { reply: { configOptions: options('a', 'high') } },
        SET,
        { reply: { configOptions: options('b', 'high') } },
      ],
      [
        ...resumed({ configOptions: options('a', 'low') }),
        SET,
        { reply: { configOptions: options('b', 'low') } },
        SET,
        { reply: { configOptions: options('b', 'high') } },
        PROMPT,
        END,
      ],
    );
    const { editor, tell, send } = openChat(agent);
    await eventually(() => expect(editor.status.model).toBe('The a'));
    tell('config.set', { option: 'effort', value: 'high' });
    await eventually(() => expect(editor.status.config?.[0]?.value).toBe('high'));
    tell('config.set', { option: 'model', value: 'b' });
    await eventually(() => expect(editor.status.model).toBe('The b'));
    tell('session.restart');
    send('go');
    await eventually(() => expect(agent.received('session/prompt')).toHaveLength(1));
    const set = agent.received('session/set_config_option').slice(2);
    expect(set.map(({ params }) => params?.value)).toEqual(['b', 'high']);
    expect(agent.faults()).toEqual([]);
  });

  it('is not set where the agent has kept it, and told where it refuses', async () => {
    const agent = scriptedAgent(first, resumed({ modes: modes('ask') }), [
      ...resumed({ modes: modes('auto') }),
      { expect: 'session/set_mode' },
      { error: { code: -32603, message: 'not now' } },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.mode).toBe('auto'));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(editor.status.mode).toBe('ask'));
    tell('session.restart');
    await eventually(() => expect(agent.received('session/resume')).toHaveLength(1));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(agent.received('session/set_mode')).toHaveLength(1);
    tell('session.restart');
    await eventually(() =>
      expect(editor.messages()).toEqual([expect.stringContaining('refused mode ‘ask’: not now')]),
    );
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'auto', state: 'idle' }));
  });

  it('a mode that the agent was in by itself is set again too', async () => {
    const agent = scriptedAgent(
      [
        ...resumes,
        ...opened({ modes: modes('ask') }),
        PROMPT,
        { update: { sessionUpdate: 'current_mode_update', currentModeId: 'auto' } },
        END,
      ],
      [...resumed({ modes: modes('ask') }), { expect: 'session/set_mode' }, { reply: {} }],
    );
    const { editor, tell, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'auto', state: 'idle' }));
    tell('session.restart');
    await eventually(() => expect(agent.received('session/set_mode')).toHaveLength(1));
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'auto', state: 'idle' }));
  });

  it('is set again where the agent says nothing of its settings then', async () => {
    const agent = scriptedAgent(first, [
      ...resumed({}),
      { expect: 'session/set_mode' },
      { reply: {} },
      PROMPT,
      END,
    ]);
    const { editor, tell, send } = openChat(agent);
    await eventually(() => expect(editor.status.mode).toBe('auto'));
    tell('config.set', { option: 'mode', value: 'ask' });
    await eventually(() => expect(editor.status.mode).toBe('ask'));
    tell('session.restart');
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(agent.received('session/set_mode')).toHaveLength(2);
    expect(editor.status.mode).toBe('ask');
  });
});

describe('defaults', () => {
  const list = (model: string, effort: string | null, mode = 'auto') => [
    select('m', mode, ['auto', 'plan'], 'mode'),
    ...(effort === null ? [] : [select('e', effort, ['low', 'high'], 'thought_level')]),
    select('provider', 'p', ['p'], 'model'),
    select('llm', model, ['a', 'b'], 'model'),
  ];
  const sets = (agent: ReturnType<typeof scriptedAgent>) =>
    agent
      .received('session/set_config_option')
      .map(({ params }) => `${String(params?.configId)}=${String(params?.value)}`);

  it('are set in a new session before its first prompt, the model first, as its lists change', async () => {
    const agent = scriptedAgent([
      ...opened({ configOptions: list('a', null) }),
      SET,
      { reply: { configOptions: list('b', 'low') } },
      SET,
      { reply: { configOptions: list('b', 'low', 'plan') } },
      SET,
      { reply: { configOptions: list('b', 'high', 'plan') } },
      PROMPT,
      END,
    ]);
    const settings = { effort: 'The High', mode: 'plan', model: 'B' };
    const { editor, send } = openChat(agent, { settings });
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(sets(agent)).toEqual(['llm=b', 'm=plan', 'e=high']);
    expect(editor.messages()).toEqual([]);
    expect(editor.status).toMatchObject({ mode: 'plan', model: 'The b' });
  });

  it('that are so already are not set', async () => {
    const agent = scriptedAgent(opened({ configOptions: list('a', 'low') }));
    const { editor } = openChat(agent, { settings: { model: 'a', e: 'low', mode: 'auto' } });
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(sets(agent)).toEqual([]);
  });

  it('are set in sessions with legacy modes and models too', async () => {
    const agent = scriptedAgent([
      ...opened({
        modes: modes('auto'),
        models: { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'b' }] },
      }),
      { expect: 'session/set_model' },
      { reply: {} },
      { expect: 'session/set_mode' },
      { reply: {} },
    ]);
    const { editor } = openChat(agent, { settings: { mode: 'ASK', model: 'b' } });
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'ask', model: 'b' }));
  });

  it('that the agent does not offer are named once, for all sessions', async () => {
    const agent = scriptedAgent([]);
    const settings = { mode: 'yolo', thinking: true };
    const { editor, tell } = openChat(agent, { settings });
    await eventually(() => expect(editor.messages()).toHaveLength(1));
    expect(editor.messages()[0]).toBe(
      'scripted does not offer mode ‘yolo’, thinking ‘true’: see :AcpConfig for what there is',
    );
    const { name, command, args } = agent;
    const other = { session: 's2', agent: { name, command, args }, cwd: '/', columns: 80 };
    tell('session.open', { ...other, settings: { ...settings, effort: 'max' } });
    await eventually(() => expect(editor.messages()).toHaveLength(2));
    expect(editor.messages()[1]).toContain('does not offer effort ‘max’: see');
  });

  it('that are refused are told, and the others are set', async () => {
    const agent = scriptedAgent([
      ...opened({ configOptions: list('a', 'low') }),
      SET,
      { error: { code: -32602, message: 'b is for members' } },
      SET,
      { reply: { configOptions: list('a', 'low', 'plan') } },
      PROMPT,
      END,
    ]);
    const { editor, send } = openChat(agent, { settings: { mode: 'plan', model: 'b' } });
    send('go');
    await eventually(() => expect(editor.kinds()).toEqual(['user', 'turn']));
    expect(editor.messages()).toEqual(['scripted refused llm ‘b’: b is for members']);
    expect(editor.status.mode).toBe('plan');
  });

  it('go with the agent to its next session, should it end before', async () => {
    const agent = scriptedAgent(
      [...opened({ modes: modes('auto') }), { expect: 'session/set_mode' }, { exit: 1 }],
      [
        ...opened({ modes: modes('auto') }),
        { expect: 'session/set_mode' },
        { reply: {} },
        PROMPT,
        END,
      ],
    );
    const { editor, send } = openChat(agent, { settings: { mode: 'ask' } });
    await eventually(() => expect(editor.status.state).toBe('dead'));
    send('go');
    await eventually(() => expect(editor.status).toMatchObject({ mode: 'ask', state: 'idle' }));
  });
});

describe('usage', () => {
  const usage = (more: object): Step => ({ update: { sessionUpdate: 'usage_update', ...more } });

  it('is merged from what is told bit by bit', async () => {
    const step = (more: object): Step[] => [PROMPT, usage(more), END];
    const agent = scriptedAgent([
      ...step({ used: 10, size: 100 }),
      ...step({ cost: { amount: 0.5, currency: 'USD' } }),
      ...step({ used: 20 }),
      ...step({ used: null, size: 200 }),
      ...step({ used: 1e300, size: -1, cost: { amount: 1e300, currency: 'USD' } }),
      ...step({ cost: null }),
    ]);
    const { editor, send } = openChat(agent);
    const after = async (expected: object) => {
      send('go');
      await eventually(() => expect(editor.status.usage).toEqual(expected));
    };
    const cost = { amount: 0.5, currency: 'USD' };
    await after({ used: 10, size: 100 });
    await after({ used: 10, size: 100, cost });
    await after({ used: 20, size: 100, cost });
    await after({ used: 20, size: 200, cost });
    await after({ used: 20, size: 200, cost });
    await after({ used: 20, size: 200 });
  });

  it('brings limits of the service where the agent tells of them', async () => {
    const limit = (rateLimitType: string, status: string, more: object = {}): Step =>
      usage({
        used: 1,
        size: 2,
        _meta: { '_claude/rateLimit': { status, rateLimitType, ...more } },
      });
    const agent = scriptedAgent([
      PROMPT,
      limit('five_hour', 'allowed_warning', { utilization: 0.91, resetsAt: 1_900_000_000 }),
      limit('seven_day_opus', 'rejected'),
      END,
      PROMPT,
      limit('five_hour', 'allowed', { utilization: 0.02 }),
      END,
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() =>
      expect(editor.status.limits).toEqual([
        { name: '5 hours', state: 'near', used: 0.91, resets: 1_900_000_000_000 },
        { name: 'week of Opus', state: 'reached' },
      ]),
    );
    expect(editor.status.usage).toEqual({ used: 1, size: 2 });
    send('go');
    await eventually(() =>
      expect(editor.status.limits?.[0]).toEqual({ name: '5 hours', state: 'ok', used: 0.02 }),
    );
  });
});
