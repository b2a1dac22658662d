/** Settings of the agent, from the keys to the frames that it gets, with agents of all kinds. */
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type HarnessAgent, type Nvim } from '../harness';
import { idle, startChat, state, type } from './e2e';
import { another, choose, dismiss, rows, run, says } from './sessions';

/** A chat that has been opened by its command. */
async function open(agent: HarnessAgent, opts: Parameters<typeof startChat>[1] = {}) {
  const nvim = await startChat(agent, opts);
  await nvim.input(':AcpChat<CR>');
  await nvim.waitForScreen('<C-s> send');
  await idle(nvim);
  return nvim;
}

/** What the agent was told to set, in order. */
function set(agent: HarnessAgent): unknown[] {
  return agent
    .received()
    .flatMap(({ method, params = {} }) =>
      /^session\/set_/.test(method ?? '') ? Object.values({ ...params, sessionId: undefined }) : [],
    )
    .filter((it) => it !== undefined);
}

/** Words that Neovim completes a command line with. */
function completes(nvim: Nvim, line: string): Promise<string[]> {
  return nvim.lua(`return vim.fn.getcompletion(..., 'cmdline')`, line);
}

/** Waits until the agent's list says so. */
async function settled(nvim: Nvim, id: string, value: unknown): Promise<void> {
  await eventually(async () => {
    const config = (await state(nvim)).config as { id: string; value: unknown }[];
    expect(config.find((option) => option.id === id)?.value).toBe(value);
  });
}

async function winbar(nvim: Nvim): Promise<string> {
  return nvim.lua(`return require('acp').status()`);
}

const select = (id: string, values: string[], more = {}) => ({
  id,
  name: id,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
  ...more,
});

describe('an agent with all kinds of options', () => {
  const agent = () =>
    sessionAgent({
      configOptions: [
        select('mode', ['code', 'plan'], { category: 'mode', description: 'How it works' }),
        {
          ...select('model', [], { category: 'model', currentValue: 'opus' }),
          options: [
            {
              group: 'big',
              name: 'Big ones',
              options: [{ value: 'opus', name: 'Opus 5', description: 'Thinks long' }],
            },
            { group: 'small', name: 'Small ones', options: [{ value: 'haiku', name: 'Haiku 5' }] },
          ],
        },
        select('tone', ['dry', 'warm'], {
          category: '_vendor_tone',
          description: 'Of its answers',
        }),
        select('plain', ['x', 'y']),
        { id: 'web', name: 'Web search', type: 'boolean', currentValue: false },
      ],
    });

  it(':AcpConfig lists each with what it is set to and what it is, and then its values', async () => {
    const keeper = agent();
    const nvim = await open(keeper);
    expect(await rows(nvim, 'AcpConfig')).toEqual([
      'mode: CODE – How it works',
      'model: Opus 5',
      'tone: DRY – Of its answers',
      'plain: X',
      'Web search: Off',
    ]);
    await nvim.input('2<CR>');
    await nvim.waitForScreen('model of scripted');
    await nvim.waitForScreen('1: ● Big ones: Opus 5 – Thinks long');
    await nvim.waitForScreen('2:   Small ones: Haiku 5');
    await nvim.input('2<CR>');
    await nvim.waitForScreen('· Haiku 5');
    expect(set(keeper)).toEqual(['model', 'haiku']);
  });

  it('a boolean is set by choice and by name, as a boolean', async () => {
    const keeper = agent();
    const nvim = await open(keeper);
    await choose(nvim, /^Web search/, 'AcpConfig');
    await nvim.waitForScreen('1:   On');
    await nvim.input('1<CR>');
    await eventually(() => expect(set(keeper)).toEqual(['web', 'boolean', true]));
    await run(nvim, 'AcpConfig Web search off');
    await eventually(() => expect(set(keeper).slice(3)).toEqual(['web', 'boolean', false]));
  });

  it('an option of a category of its own is set like any other', async () => {
    const keeper = agent();
    const nvim = await open(keeper);
    await run(nvim, 'AcpConfig tone warm');
    await eventually(() => expect(set(keeper)).toEqual(['tone', 'warm']));
    // The answer is on its way.
    await eventually(async () => {
      const { config } = (await state(nvim)) as { config: { id: string; value: unknown }[] };
      expect(config.find(({ id }) => id === 'tone')?.value).toBe('warm');
    });
    expect((await rows(nvim, 'AcpConfig'))[2]).toBe('tone: WARM – Of its answers');
    await dismiss(nvim);
  });

  it('the command line completes options, values, models and modes', async () => {
    const nvim = await open(agent());
    expect(await completes(nvim, 'AcpConfig ')).toEqual(['mode', 'model', 'tone', 'plain', 'web']);
    expect(await completes(nvim, 'AcpConfig mod')).toEqual(['mode', 'model']);
    expect(await completes(nvim, 'AcpConfig web ')).toEqual(['on', 'off']);
    expect(await completes(nvim, 'AcpModel ')).toEqual(['opus', 'haiku']);
    expect(await completes(nvim, 'AcpModel h')).toEqual(['haiku']);
    expect(await completes(nvim, 'AcpMode ')).toEqual(['code', 'plan']);
    expect(await completes(nvim, 'AcpEffort ')).toEqual([]);
    await nvim.input('<C-\\><C-n>:AcpMode pl<Tab><CR>');
    await nvim.waitForScreen('· PLAN');
  });

  it('a part of a name is enough where it is clear, and what is not is said with what there is', async () => {
    const keeper = agent();
    const nvim = await open(keeper);
    await run(nvim, 'AcpModel Haiku');
    await nvim.waitForScreen('· Haiku 5');
    await run(nvim, 'AcpModel gpt');
    await nvim.waitForScreen('scripted has no model ‘gpt’; it has: opus, haiku');
    await run(nvim, 'AcpConfig colour red');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('scripted has no setting ‘colour red’; it has: mode'),
    );
    await run(nvim, 'AcpEffort high');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('scripted offers no levels of effort'),
    );
    expect(set(keeper)).toEqual(['model', 'haiku']);
  });
});

describe('what is shown is the last complete list', () => {
  it('an option comes and goes with the choice of another', async () => {
    const keeper = sessionAgent();
    const nvim = await open(keeper);
    await run(nvim, 'AcpEffort high');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('scripted offers no levels of effort'),
    );
    await run(nvim, 'AcpModel large');
    await nvim.waitForScreen('· Large');
    await run(nvim, 'AcpEffort high');
    await settled(nvim, 'effort', 'high');
    expect(set(keeper)).toEqual(['model', 'large', 'effort', 'high']);
    expect(await rows(nvim, 'AcpConfig')).toEqual([
      'Mode: Code',
      'Model: Large',
      'Effort: High',
      'Web search: Off',
    ]);
    await dismiss(nvim);
    await run(nvim, 'AcpModel small');
    await nvim.waitForScreen('· Small');
    expect(await rows(nvim, 'AcpConfig')).toEqual([
      'Mode: Code',
      'Model: Small',
      'Web search: Off',
    ]);
    await dismiss(nvim);
    expect(await completes(nvim, 'AcpEffort ')).toEqual([]);
  });

  it('what the agent changes by itself is shown', async () => {
    const nvim = await open(sessionAgent());
    await nvim.input('now plan [[config mode plan]]<C-s>');
    await nvim.waitForScreen('· Plan');
    await idle(nvim);
    expect((await rows(nvim, 'AcpMode'))[2]).toBe('● Plan');
    await dismiss(nvim);
  });

  it('what the agent refuses stays as it was, and is said', async () => {
    const nvim = await open(sessionAgent({ fails: { 'session/set_config_option': -32603 } }));
    await run(nvim, 'AcpMode plan');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('session/set_config_option fails'),
    );
    expect(await winbar(nvim)).toContain('Code');
    expect(await winbar(nvim)).not.toContain('Plan');
  });

  it('settings can be changed while the agent works', async () => {
    const keeper = sessionAgent();
    const nvim = await open(keeper);
    await nvim.input('go [[wait never]]<C-s>');
    await nvim.waitForScreen('echo: go');
    await run(nvim, 'AcpMode plan');
    await nvim.waitForScreen('· Plan');
    expect((await state(nvim)).state).toBe('working');
    await run(nvim, 'AcpCancel');
    await idle(nvim);
  });
});

describe('an agent of the old kind', () => {
  it('with modes and models alone gets session/set_mode and session/set_model', async () => {
    const keeper = sessionAgent({
      configOptions: [],
      modes: ['code', 'plan'],
      models: ['small', 'large'],
    });
    const nvim = await open(keeper);
    await nvim.waitForScreen('scripted · Code · Small');
    await run(nvim, 'AcpMode plan');
    await nvim.waitForScreen('scripted · Plan · Small');
    await choose(nvim, /Large/, 'AcpModel');
    await nvim.waitForScreen('scripted · Plan · Large');
    expect(keeper.received('session/set_mode')[0]?.params).toMatchObject({ modeId: 'plan' });
    expect(keeper.received('session/set_model')[0]?.params).toMatchObject({ modelId: 'large' });
    expect(await rows(nvim, 'AcpConfig')).toHaveLength(2);
    await dismiss(nvim);
    expect(await completes(nvim, 'AcpModel ')).toEqual(['small', 'large']);
  });

  it('with models alone has no modes', async () => {
    const keeper = sessionAgent({ configOptions: [], models: ['small', 'large'] });
    const nvim = await open(keeper);
    await run(nvim, 'AcpMode');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('scripted offers no modes'),
    );
    await run(nvim, 'AcpModel large');
    await nvim.waitForScreen('scripted · Large');
  });

  it('that has both ways is asked by the new one, and each is there once', async () => {
    const keeper = sessionAgent({ modes: ['code', 'ask', 'plan'], models: ['small', 'large'] });
    const nvim = await open(keeper);
    expect(await rows(nvim, 'AcpConfig')).toEqual([
      'Mode: Code',
      'Model: Small',
      'Web search: Off',
    ]);
    await dismiss(nvim);
    await run(nvim, 'AcpMode plan');
    await nvim.waitForScreen('scripted · Plan');
    expect(keeper.received('session/set_mode')).toEqual([]);
    expect(set(keeper)).toEqual(['mode', 'plan']);
  });

  it('that has options, and modes of the old kind which they do not hold, has both', async () => {
    const keeper = sessionAgent({
      modes: ['code', 'plan'],
      configOptions: [select('model', ['small', 'large'], { category: 'model' })],
    });
    const nvim = await open(keeper);
    expect(await rows(nvim, 'AcpConfig')).toHaveLength(2);
    await dismiss(nvim);
    await run(nvim, 'AcpMode plan');
    await eventually(() => expect(keeper.received('session/set_mode')).toHaveLength(1));
    await run(nvim, 'AcpModel large');
    await nvim.waitForScreen('LARGE');
    expect(await winbar(nvim)).toContain('Plan');
  });
});

describe('an agent without settings', () => {
  it('says so to each command', async () => {
    const nvim = await open(sessionAgent({ configOptions: [] }));
    for (const command of ['AcpConfig', 'AcpModel', 'AcpMode plan', 'AcpEffort']) {
      await nvim.command('messages clear');
      await run(nvim, command);
      await eventually(async () =>
        expect(await nvim.messages()).toContain('scripted offers nothing to set'),
      );
      expect(await completes(nvim, `${command.split(' ')[0]} `)).toEqual([]);
    }
  });

  it('or with a list of none, offers nothing to choose', async () => {
    const nvim = await open(sessionAgent({ configOptions: [], models: [], modes: [] }));
    for (const command of ['AcpModel', 'AcpMode', 'AcpConfig']) {
      await nvim.command('messages clear');
      await run(nvim, command);
      await eventually(async () => expect(await nvim.messages()).toContain('scripted offers no'));
      expect(nvim.screen()).not.toContain('Type number');
    }
  });

  it('or one that still starts, says which', async () => {
    const nvim = await startChat(sessionAgent({ hangs: ['session/new'] }));
    await nvim.input(':AcpChat<CR>');
    await run(nvim, 'AcpModel');
    await eventually(async () => expect(await nvim.messages()).toContain('still starting'));
  });
});

describe('defaults', () => {
  it('are set in the order in which they depend on each other', async () => {
    const keeper = sessionAgent();
    const nvim = await open(keeper, {
      options: { defaults: { effort: 'high', mode: 'plan', model: 'large' } },
    });
    await nvim.waitForScreen('scripted · Plan · Large');
    await eventually(async () => {
      const rowsNow = await nvim.lua<string[]>(`
        return vim.tbl_map(function(option) return option.id .. '=' .. tostring(option.value) end,
          require('acp.state').get('s1').config)`);
      expect(rowsNow).toEqual(['mode=plan', 'model=large', 'effort=high', 'web=false']);
    });
    expect(await nvim.messages()).toBe('');
  });

  it('are there before the first prompt is sent, however early it was typed', async () => {
    const keeper = sessionAgent();
    const nvim = await startChat(keeper, { options: { defaults: { mode: 'plan', web: true } } });
    await nvim.input(':AcpChat hello<CR>');
    await nvim.waitForScreen('echo: hello');
    const order = keeper.received().map(({ method }) => method);
    expect(order.indexOf('session/prompt')).toBeGreaterThan(
      order.lastIndexOf('session/set_config_option'),
    );
    expect(set(keeper)).toEqual(expect.arrayContaining(['mode', 'plan', 'web', true]));
  });

  it('of the agent and of the project count more than those of all', async () => {
    const keeper = sessionAgent();
    const { dir, home } = await startChat(keeper);
    const agents = {
      scripted: {
        command: keeper.command,
        args: keeper.args,
        defaults: { mode: 'ask', model: 'large' },
      },
    };
    const options = {
      agents,
      defaults: { mode: 'plan', web: true },
      projects: { [dir]: { defaults: { model: 'small' } } },
    };
    const nvim = await open(keeper, { dir, home, options });
    await nvim.waitForScreen('scripted · Ask · Small');
    await eventually(() => expect(set(keeper)).toEqual(expect.arrayContaining(['web', true])));
  });

  it('that the agent no longer has are named once, and the others are set', async () => {
    const keeper = sessionAgent();
    const nvim = await open(keeper, {
      options: { defaults: { model: 'vanished', mode: 'plan', temperature: 'hot' } },
    });
    await nvim.waitForScreen('scripted · Plan');
    await eventually(async () => expect(await nvim.messages()).toMatch(/vanished/));
    await run(nvim, 'AcpNew');
    await idle(nvim, 's2');
    await run(nvim, 'AcpMode code');
    await eventually(async () =>
      expect(await nvim.lua(`return require('acp').status()`)).toContain('Code'),
    );
    const said = await nvim.messages();
    expect(said.match(/vanished/g)).toHaveLength(1);
    expect(said.match(/temperature/g)).toHaveLength(1);
  });

  it('work with modes and models of the old kind', async () => {
    const keeper = sessionAgent({
      configOptions: [],
      modes: ['code', 'plan'],
      models: ['small', 'large'],
    });
    const nvim = await open(keeper, { options: { defaults: { mode: 'plan', model: 'large' } } });
    await nvim.waitForScreen('scripted · Plan · Large');
    expect(keeper.received('session/set_mode')).toHaveLength(1);
    expect(keeper.received('session/set_model')).toHaveLength(1);
  });

  it('are not set in a session that is opened again', async () => {
    const keeper = sessionAgent();
    const options = { defaults: { mode: 'plan' } };
    const nvim = await open(keeper, { options });
    await nvim.waitForScreen('scripted · Plan');
    await run(nvim, 'AcpMode ask');
    await nvim.waitForScreen('scripted · Ask');
    await type(nvim, 'remember me');
    await says(nvim, 'echo: remember me');
    await idle(nvim);
    await nvim.close();
    const next = await another(nvim, keeper, options);
    await choose(next, /remember me/);
    await next.waitForScreen('scripted · Ask');
  });
});

describe('the last choice', () => {
  it('is remembered over a restart where the user asked for that', async () => {
    const keeper = sessionAgent();
    const options = { remember: true, defaults: { model: 'small' } };
    const nvim = await open(keeper, { options });
    await run(nvim, 'AcpModel large');
    await nvim.waitForScreen('· Large');
    await run(nvim, 'AcpEffort high');
    await settled(nvim, 'effort', 'high');
    await nvim.close();
    const next = await another(nvim, keeper, options);
    await next.input(':AcpChat<CR>');
    await next.waitForScreen('· Large');
    await settled(next, 'effort', 'high');
  });

  it('is not remembered by default', async () => {
    const keeper = sessionAgent();
    const nvim = await open(keeper);
    await run(nvim, 'AcpModel large');
    await nvim.waitForScreen('· Large');
    await run(nvim, 'AcpNew');
    await idle(nvim, 's2');
    await nvim.waitForScreen('· Small');
  });
});

describe('the meter', () => {
  it('takes in what comes in parts, and is there for status lines', async () => {
    const nvim = await open(sessionAgent(), { columns: 160 });
    await nvim.input('a [[usage 20000 200000 0.05]]<C-s>');
    await nvim.waitForScreen('10% of 200k · $0.05');
    await idle(nvim);
    await nvim.input('ib [[update {"sessionUpdate":"usage_update","used":50000}]]<C-s>');
    await nvim.waitForScreen('25% of 200k · $0.05');
    await idle(nvim);
    const cost = '{"sessionUpdate":"usage_update","cost":{"amount":1.5,"currency":"EUR"}}';
    await nvim.input(`ic [[update ${cost}]]<C-s>`);
    await nvim.waitForScreen('25% of 200k · €1.50');
    await idle(nvim);
    expect(await winbar(nvim)).toBe('scripted · Code · Small · idle · ▃ 25% of 200k · €1.50');
    await nvim.command(`set statusline=%{v:lua.require'acp'.status()}`);
    await eventually(() => expect(nvim.screen().match(/25% of 200k/g)!.length).toBeGreaterThan(1));
  });

  it('warns near the limit by colour and by a sign', async () => {
    const nvim = await open(sessionAgent(), { columns: 160 });
    const looks = async (wanted: string) => {
      const { row, col } = await nvim.waitForScreen(wanted);
      return nvim.attrsAt(row, col);
    };
    await nvim.input('a [[usage 50 100]]<C-s>');
    const calm = await looks('▅ 50% of 100');
    await idle(nvim);
    await nvim.input('ib [[usage 85 100]]<C-s>');
    const near = await looks('! ▇ 85% of 100');
    await idle(nvim);
    await nvim.input('ic [[usage 99 100]]<C-s>');
    const full = await looks('!! █ 99% of 100');
    expect(near).not.toEqual(calm);
    expect(full).not.toEqual(near);
  });

  it('is not there without a size, and nothing odd breaks it', async () => {
    const nvim = await open(sessionAgent());
    for (const update of [
      '{"sessionUpdate":"usage_update","used":null,"size":null,"cost":null}',
      '{"sessionUpdate":"usage_update","used":-5,"size":0}',
      '{"sessionUpdate":"usage_update","used":"many"}',
      '{"sessionUpdate":"usage_update","used":1e300,"size":1e300,"cost":{"amount":"much"}}',
    ]) {
      await nvim.input(`Go [[update ${update}]]<C-s>`);
      await idle(nvim);
    }
    await type(nvim, 'still here');
    await says(nvim, 'echo: still here');
    expect(await winbar(nvim)).toMatch(/^scripted · Code · Small/);
  });

  it('gives way where there is little room', async () => {
    const nvim = await open(sessionAgent(), { columns: 80 });
    await nvim.input('a [[usage 20000 200000 0.05]]<C-s>');
    const { row } = await nvim.waitForScreen('▁ 10%');
    expect(nvim.screen().split('\n')[row]).toMatch(/scripted · Code .*idle · ▁ 10%/);
  });
});
