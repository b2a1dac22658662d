/** How agents answer when a setting is changed, and what they offer that nobody expects. */
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, type Step } from '../harness';
import { openChat } from './fake-editor';

const SET_MODE: Step = { expect: 'session/set_mode' };
const SET: Step = { expect: 'session/set_config_option' };
const opened = (result: object): Step[] => [
  { expect: 'session/new' },
  { reply: { sessionId: 'x', ...result } },
];

const select = (id: string, currentValue: string, values: string[], category?: string) => ({
  id,
  name: id,
  ...(category !== undefined && { category }),
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value })),
});

const IDS = ['act', 'plan'];
const MODES = { currentModeId: 'act', availableModes: IDS.map((id) => ({ id, name: id })) };
const both = (mode: string) => ({ configOptions: [select('mode', mode, IDS, 'mode')] });

const told = (sessionUpdate: string, fields: object): Step => ({
  update: { sessionUpdate, ...fields },
});
const byMode = (currentModeId: string) => told('current_mode_update', { currentModeId });
const byConfig = (mode: string) => told('config_option_update', both(mode));
const DONE: Step = { reply: {} };

/** Sets the mode of a session that was opened with that, and waits until it is shown. */
async function setMode(result: object, ...answer: Step[]) {
  const agent = scriptedAgent([...opened(result), ...answer]);
  const chat = openChat(agent);
  const { editor, tell } = chat;
  await eventually(() => expect(editor.status.mode).toBe('act'));
  const option = editor.status.config!.find(({ category }) => category === 'mode')!;
  tell('config.set', { option: option.id, value: 'plan' });
  await eventually(() => expect(editor.status.mode).toBe('plan'));
  expect(editor.faults).toEqual([]);
  return { ...chat, agent };
}

describe('a mode that is set', () => {
  it.each<[string, Step[]]>([
    ['config_option_update alone', [byConfig('plan'), DONE]],
    ['current_mode_update alone', [byMode('plan'), DONE]],
    ['both', [byMode('plan'), byConfig('plan'), DONE]],
    ['both, behind the answer', [DONE, byConfig('plan'), byMode('plan')]],
    ['nothing', [DONE]],
    ['a null for an answer', [{ reply: null }]],
    ['words in the chat', [{ update: said('[MODE_UPDATE] plan') }, DONE]],
    [
      'a notification of the vendor’s',
      [
        DONE,
        {
          notify: {
            method: 'qwen/notify/session/mode-update',
            params: { sessionId: 'x', currentModeId: 'plan' },
          },
        },
      ],
    ],
  ])('is shown where the agent says so by %s', async (_, answer) => {
    await setMode({ modes: MODES }, SET_MODE, ...answer);
    await setMode(both('act'), SET, ...answer);
  });

  it('is one list with the option in its place, however both are told', async () => {
    const { editor, agent } = await setMode({ modes: MODES, ...both('act') }, SET, byMode('plan'), {
      reply: both('plan'),
    });
    expect(editor.status.config).toHaveLength(1);
    expect(agent.received('session/set_mode')).toEqual([]);
  });

  it('may be an address, and is called by its name', async () => {
    const id = (name: string) => `https://example.org/protocol/session-modes#${name}`;
    const modes = {
      currentModeId: id('agent'),
      availableModes: ['agent', 'plan'].map((name) => ({ id: id(name), name: name.toUpperCase() })),
    };
    const agent = scriptedAgent([...opened({ modes }), SET_MODE, DONE, byMode(id('plan'))]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.mode).toBe(id('agent')));
    expect(editor.status.config![0]!.choices).toContainEqual({ value: id('plan'), name: 'PLAN' });
    tell('config.set', { option: 'mode', value: id('plan') });
    await eventually(() => expect(editor.status.mode).toBe(id('plan')));
    expect(agent.received('session/set_mode')[0]?.params).toMatchObject({ modeId: id('plan') });
  });

  it('is the one that the agent takes by itself, in the middle of a turn too', async () => {
    const agent = scriptedAgent([
      ...opened({ modes: MODES }),
      { expect: 'session/prompt' },
      byMode('plan'),
      byMode('nobody knows it'),
      { reply: { stopReason: 'end_turn' } },
    ]);
    const { editor, send } = openChat(agent);
    send('go');
    await eventually(() => expect(editor.status.mode).toBe('nobody knows it'));
    await eventually(() => expect(editor.status.state).toBe('idle'));
    expect(editor.faults).toEqual([]);
  });
});

describe('a list of settings', () => {
  it('may have two of one category: both can be set, and the last one is shown', async () => {
    const provider = select('provider', 'p', ['p', 'q'], 'model');
    const agent = scriptedAgent([
      ...opened({ configOptions: [provider, select('model', 'a', ['a', 'b'], 'model')] }),
      SET,
      {
        reply: { configOptions: [{ ...provider, currentValue: 'q' }, select('model', 'c', ['c'])] },
      },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.model).toBe('a'));
    tell('config.set', { option: 'provider', value: 'q' });
    await eventually(() => expect(editor.status.config?.[1]?.value).toBe('c'));
    expect(agent.received('session/set_config_option')[0]?.params).toMatchObject({
      configId: 'provider',
    });
  });

  it('may have what has no category, or one that nobody knows', async () => {
    const agent = scriptedAgent([
      ...opened({
        configOptions: [
          { id: 'auto_approve', name: 'Auto', type: 'boolean', currentValue: false },
          select('allow_all', 'off', ['off', 'on'], 'permissions'),
        ],
      }),
      SET,
      { reply: { configOptions: null } },
      SET,
      { reply: {} },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    expect(editor.status.mode ?? editor.status.model).toBeUndefined();
    tell('config.set', { option: 'auto_approve', value: true });
    tell('config.set', { option: 'allow_all', value: 'on' });
    await eventually(() =>
      expect(editor.status.config?.map(({ value }) => value)).toEqual([true, 'on']),
    );
    const [first] = agent.received('session/set_config_option');
    expect(first?.params).toMatchObject({ configId: 'auto_approve', type: 'boolean', value: true });
  });

  it('may lose what hung on a model: it is offered no longer, and refused in words', async () => {
    const model = (value: string) => select('model', value, ['a', 'b'], 'model');
    const effort = select('effort', 'low', ['low', 'high'], 'thought_level');
    const agent = scriptedAgent([
      ...opened({ configOptions: [model('a'), effort] }),
      SET,
      { reply: { configOptions: [model('b')] } },
    ]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    tell('config.set', { option: 'model', value: 'b' });
    await eventually(() => expect(editor.status.config).toHaveLength(1));
    tell('config.set', { option: 'effort', value: 'high' });
    await eventually(() => expect(editor.sent('notify').at(-1)?.message).toMatch(/effort/));
    expect(agent.received('session/set_config_option')).toHaveLength(1);
  });

  it('may have hundreds of choices', async () => {
    const values = Array.from({ length: 391 }, (_, i) => `provider/model-${i}`);
    const agent = scriptedAgent(opened({ configOptions: [select('model', values[7]!, values)] }));
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.config?.[0]?.choices).toHaveLength(391));
  });

  it('of modes that are levels of thought is still one of modes', async () => {
    const levels = ['off', 'medium', 'high'];
    const modes = {
      currentModeId: 'medium',
      availableModes: levels.map((id) => ({ id, name: `Thinking: ${id}` })),
    };
    const agent = scriptedAgent(
      opened({
        modes,
        configOptions: [select('thought_level', 'medium', levels, 'thought_level')],
      }),
    );
    const { editor } = openChat(agent);
    await eventually(() => expect(editor.status.config).toHaveLength(2));
    expect(editor.status.config?.map(({ category }) => category)).toEqual([
      'mode',
      'thought_level',
    ]);
  });
});

describe('a setting that is refused', () => {
  it.each([
    ['-32602', { code: -32602, message: 'Invalid params', data: { details: 'no such mode' } }],
    ['-32603', { code: -32603, message: 'no such mode' }],
  ])('by %s is told, and the former one stays', async (_, error) => {
    const agent = scriptedAgent([...opened({ modes: MODES }), SET_MODE, { error }]);
    const { editor, tell } = openChat(agent);
    await eventually(() => expect(editor.status.mode).toBe('act'));
    tell('config.set', { option: 'mode', value: 'plan' });
    await eventually(() => {
      expect(
        editor
          .sent('notify')
          .map(({ message }) => message)
          .join(),
      ).toContain('no such mode');
    });
    expect(editor.status.mode).toBe('act');
  });
});

function said(text: string) {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}
