import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, startNvim, tempDir, type Nvim } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

const settings = (nvim: Nvim, agent: string, cwd: string) =>
  nvim.lua<object | null>(
    `local settings = require('acp.defaults').settings(...)
     return settings and settings or vim.NIL`,
    agent,
    cwd,
  );
const configured = async (options: object): Promise<Nvim> => {
  const nvim = await startNvim();
  await nvim.lua(`require('acp.config').setup(...)`, options);
  return nvim;
};

describe('what a new session is set to', () => {
  test('is nothing where nothing is configured', async () => {
    const nvim = await configured({});
    expect(await settings(nvim, 'claude', '/nowhere')).toBeNull();
    expect(await nvim.lua(`return require('acp.defaults').agent('/nowhere')`)).toBeNull();
  });

  test('is more special the more it counts: all, the agent, its folder, the folder within', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'work/deep'), { recursive: true });
    const nvim = await configured({
      defaults: { mode: 'all', model: 'all', effort: 'all', fast: true, a: 'all' },
      agents: {
        claude: { defaults: { model: 'agent', effort: 'agent', fast: false } },
        other: { command: 'x', defaults: { a: 'other' } },
      },
      projects: {
        [`${root}/work/`]: { agent: 'claude', defaults: { effort: 'work', mode: 'work' } },
        [`${root}/work/deep`]: { defaults: { mode: 'deep' } },
        [`${root}/wo`]: { agent: 'other', defaults: { a: 'no' } },
      },
    });
    const all = { mode: 'all', model: 'agent', effort: 'agent', fast: false, a: 'all' };
    expect(await settings(nvim, 'claude', root)).toEqual(all);
    const work = { ...all, effort: 'work', mode: 'work' };
    expect(await settings(nvim, 'claude', `${root}/work`)).toEqual(work);
    expect(await settings(nvim, 'claude', `${root}/work/deep/er`)).toEqual({
      ...work,
      mode: 'deep',
    });
    expect(await settings(nvim, 'gemini', `${root}/works`)).toEqual({
      ...all,
      model: 'all',
      effort: 'all',
      fast: true,
    });
    const agent = (cwd: string) => nvim.lua(`return require('acp.defaults').agent(...)`, cwd);
    expect(await agent(`${root}/work/deep`)).toBe('claude');
    expect(await agent(root)).toBeNull();
  });

  test('finds projects by ~ and through symlinks', async () => {
    const home = tempDir();
    mkdirSync(join(home, 'real'));
    symlinkSync(join(home, 'real'), join(home, 'link'));
    const nvim = await startNvim({ env: { HOME: home } });
    await nvim.lua(`require('acp.config').setup(...)`, {
      projects: { '~/link': { defaults: { mode: 'plan' } } },
    });
    expect(await settings(nvim, 'claude', join(home, 'real'))).toEqual({ mode: 'plan' });
  });
});

describe('remembered choices', () => {
  const modes = (value: string) => ({
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    type: 'select' as const,
    value,
    choices: ['ask', 'plan', 'auto'].map((id) => ({ value: id, name: id })),
  });
  const open = async (remember: boolean): Promise<ChatFixture> => {
    const options = `{ remember = ${remember}, defaults = { mode = 'auto', model = 'm' } }`;
    const chat = await openChat({ init: `vim.g.test_options = ${options}` });
    await chat.status({ state: 'idle', config: [modes('ask')] });
    return chat;
  };
  const here = async (chat: ChatFixture, agent = 'tester') =>
    settings(chat.nvim, agent, await chat.nvim.lua(`return require('acp.chat').get('s1').cwd`));

  test('count most, for that agent in that folder', async () => {
    const chat = await open(true);
    await chat.nvim.command('AcpMode plan');
    await chat.status({ config: [modes('plan')] });
    await eventually(async () => expect(await here(chat)).toEqual({ mode: 'plan', model: 'm' }));
    expect(await here(chat, 'other')).toEqual({ mode: 'auto', model: 'm' });
    expect(await settings(chat.nvim, 'tester', '/')).toEqual({ mode: 'auto', model: 'm' });
    await chat.nvim.command('AcpMode ask');
    await chat.status({ config: [modes('ask')] });
    await eventually(async () => expect(await here(chat)).toEqual({ mode: 'ask', model: 'm' }));
  });

  test('are those that the agent has taken, and that the user has made', async () => {
    const chat = await open(true);
    await chat.nvim.command('AcpMode plan');
    await chat.status({ config: [modes('ask')] });
    expect(await here(chat)).toEqual({ mode: 'auto', model: 'm' });
    // The agent's own change.
    await chat.nvim.command('AcpMode ask');
    await chat.status({ config: [modes('plan')] });
    expect(await here(chat)).toEqual({ mode: 'ask', model: 'm' });
  });

  test('are none where that is not wanted', async () => {
    const chat = await open(false);
    await chat.nvim.command('AcpMode plan');
    await chat.status({ config: [modes('plan')] });
    expect(await here(chat)).toEqual({ mode: 'auto', model: 'm' });
  });
});
