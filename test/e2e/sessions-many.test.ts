/** Many sessions at a time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type Nvim } from '../harness';
import { idle, startChat, state } from './e2e';
import { run, said, says } from './sessions';

const go = (nvim: Nvim, name = 'go') => {
  writeFileSync(join(nvim.dir, name), '');
};

/** What `vim.notify` and the event told. */
const LISTEN = `
  _G.told, _G.events = {}, {}
  vim.notify = function(text) table.insert(_G.told, text) end
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpAttention',
    callback = function(args) table.insert(_G.events, args.data.kind .. ' ' .. args.data.session) end,
  })
  _G.turns = 0
  vim.api.nvim_create_autocmd('User', {
    pattern = 'AcpTurnEnd',
    callback = function() _G.turns = _G.turns + 1 end,
  })`;
const told = (nvim: Nvim) => nvim.lua<string[]>('return _G.told');
const events = (nvim: Nvim) => nvim.lua<string[]>('return _G.events');

describe('sessions', () => {
  it('are many on one process of their agent, each with its own words', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    for (const [i, word] of ['alpha', 'beta', 'gamma', 'delta'].entries()) {
      await run(nvim, `AcpNew ${word}`);
      await idle(nvim, `s${i + 1}`);
    }
    expect(agent.pids()).toHaveLength(1);
    expect(agent.sessions().map(({ prompts }) => prompts)).toEqual([
      ['alpha'],
      ['beta'],
      ['gamma'],
      ['delta'],
    ]);
    expect(await said(nvim, 's2')).toContain('echo: beta');
    expect(await said(nvim, 's2')).not.toContain('alpha');
  });

  it('work at the same time, and what each says comes to its own transcript', async () => {
    const agent = sessionAgent({ paceMs: 1 });
    const nvim = await startChat(agent);
    for (const word of ['A', 'B', 'C']) await run(nvim, `AcpNew [[many 40 ${word}]]`);
    for (const session of ['s1', 's2', 's3']) await idle(nvim, session);
    for (const [i, word] of ['A', 'B', 'C'].entries()) {
      const text = await said(nvim, `s${i + 1}`);
      expect(text.match(/[ABC]#\d+/g)).toEqual(
        Array.from({ length: 40 }, (_, n) => `${word}#${n + 1}`),
      );
    }
    expect(agent.pids()).toHaveLength(1);
  });

  it('have a process for each agent', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent, { env: { ACP_DEMO_PACE: '0' } });
    await run(nvim, 'AcpChat one');
    await idle(nvim, 's1');
    await run(nvim, 'AcpChat agent=demo two');
    await idle(nvim, 's2');
    await run(nvim, 'AcpNew agent=scripted three');
    await idle(nvim, 's3');
    expect(agent.pids()).toHaveLength(1);
    expect((await state(nvim, 's2')).agent).toBe('demo');
    await says(nvim, 'echo: three', 's3');
  });
});

describe('a tab', () => {
  it('shows a session of its own, and goes back to it', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat in the first tab');
    await idle(nvim, 's1');
    await run(nvim, 'tabnew');
    await run(nvim, 'AcpChat in the second tab');
    await nvim.waitForScreen('echo: in the second tab');
    expect(nvim.screen()).not.toContain('echo: in the first tab');
    await run(nvim, 'tabnext');
    await nvim.waitForScreen('echo: in the first tab');
    expect(nvim.screen()).not.toContain('echo: in the second tab');
    await run(nvim, 'AcpHide');
    await eventually(() => expect(nvim.screen()).not.toContain('echo: in the first tab'));
    await run(nvim, 'AcpChat');
    await nvim.waitForScreen('echo: in the first tab');
  });

  it('may show a session that another shows too: both see what comes, and either can go', async () => {
    const nvim = await startChat(sessionAgent());
    await run(nvim, 'AcpChat one');
    await idle(nvim);
    await run(nvim, 'tabnew');
    await nvim.lua(`require('acp.chat').show(require('acp.chat').get('s1'))`);
    await nvim.waitForScreen('echo: one');
    await nvim.input('two<C-s>');
    await nvim.waitForScreen('echo: two');
    await run(nvim, 'tabnext');
    await nvim.waitForScreen('echo: two');
    await run(nvim, 'tabclose');
    await nvim.waitForScreen('echo: two');
    await run(nvim, 'AcpChat three');
    await nvim.waitForScreen('echo: three');
  });

  it('that is closed leaves its session: it goes on, and can be shown in another', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    await run(nvim, 'tabnew');
    await run(nvim, 'AcpChat before [[wait go]] [[say after]]');
    await nvim.waitForScreen('echo: before');
    await run(nvim, 'tabclose');
    go(nvim);
    await says(nvim, 'after');
    await nvim.lua(`require('acp.chat').show(require('acp.chat').get('s1'))`);
    await nvim.waitForScreen('after');
    expect(agent.alive()).toHaveLength(1);
  });
});

describe('a session that is hidden', () => {
  it('goes on, and raises a notice and the event when its turn ends', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[title Long work]] [[wait go]] [[say done]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpHide');
    go(nvim);
    await eventually(async () => {
      expect(await told(nvim)).toEqual(['scripted has finished “Long work” · :AcpSessions']);
    });
    expect(await events(nvim)).toEqual(['ended s1']);
    await says(nvim, 'done');
  });

  it('raises them when it needs an answer, and shows the question when it is shown', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[wait go]] [[ask]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpHide');
    go(nvim);
    await eventually(async () => {
      expect((await told(nvim)).join()).toMatch(/scripted asks.*:AcpPermission/);
    });
    expect(await events(nvim)).toEqual(['question s1']);
    await run(nvim, 'AcpPermission');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await idle(nvim);
  });

  it('raises them when its agent dies', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[wait go]] [[crash]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpHide');
    go(nvim);
    await eventually(async () => expect(await events(nvim)).toEqual(['failed s1']));
    expect((await told(nvim)).join()).toContain('scripted failed');
  });

  it('raises them when another session, or another tab, is in view', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[title First]] [[wait go1]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpNew second');
    await idle(nvim, 's2');
    go(nvim, 'go1');
    await eventually(async () => expect(await events(nvim)).toEqual(['ended s1']));
    await run(nvim, 'AcpChat [[title Second]] [[wait go2]]');
    await nvim.waitForScreen(/working/);
    await run(nvim, 'tabnew');
    go(nvim, 'go2');
    await eventually(async () => expect(await events(nvim)).toEqual(['ended s1', 'ended s2']));
    expect(await told(nvim)).toHaveLength(2);
  });
});

describe('a session in view', () => {
  it('raises nothing while Neovim has the focus', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[wait go]] [[ask]]');
    await nvim.waitForScreen('echo:');
    go(nvim);
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await idle(nvim);
    await run(nvim, 'AcpChat again');
    await nvim.waitForScreen('echo: again');
    await eventually(async () => expect(await nvim.lua('return _G.turns')).toBe(2));
    // Were there a notice, it would have come before that of the hidden one.
    await run(nvim, 'AcpNew [[title Hidden]] [[wait go3]]');
    await nvim.waitForScreen('echo:');
    await run(nvim, 'AcpHide');
    go(nvim, 'go3');
    await eventually(async () => expect(await events(nvim)).toContain('ended s2'));
    expect(await events(nvim)).toEqual(['ended s2']);
    expect(await told(nvim)).toHaveLength(1);
  });

  it('raises them while Neovim does not have the focus', async () => {
    const nvim = await startChat(sessionAgent());
    await nvim.lua(LISTEN);
    await run(nvim, 'AcpChat [[wait go]]');
    await nvim.waitForScreen('echo:');
    await nvim.request('nvim_ui_set_focus', false);
    go(nvim);
    await eventually(async () => expect(await events(nvim)).toEqual(['ended s1']));
    expect(await told(nvim)).toHaveLength(1);
  });
});
