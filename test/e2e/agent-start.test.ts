/** How an agent is started: by functions, for the folder of the session, and anew by :AcpRestart. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, scriptedAgent, startNvim, type HarnessAgent, type Nvim } from '../harness';
import { idle } from './e2e';

/** The agent by a function, which counts its calls and keeps what it got. */
function start(agent: HarnessAgent): Promise<Nvim> {
  const command = JSON.stringify(JSON.stringify([agent.command, ...agent.args]));
  return startNvim({
    init: `
      vim.o.swapfile = false
      places = {}
      require('acp').setup({ agent = 'mine', unsaved = 'send', agents = { mine = {
        command = function(place)
          table.insert(places, place)
          if fails then error('no luck', 0) end
          return vim.json.decode(${command})
        end,
      } } })`,
  });
}

const places = (nvim: Nvim): Promise<{ name: string; cwd: string }[]> => nvim.lua('return places');

describe('a command that is a function', () => {
  it('is called when a session is opened and when its agent is restarted, not before', async () => {
    const agent = scriptedAgent([]);
    const nvim = await start(agent);
    await nvim.input(':AcpChat agent=m<C-d><Esc>:AcpChat<CR>');
    await nvim.waitForScreen('<C-s> send');
    await eventually(() => expect(agent.received('session/new')).toHaveLength(1));
    await idle(nvim);
    expect(await places(nvim)).toEqual([{ name: 'mine', cwd: nvim.dir }]);
    await nvim.input('<Esc>:AcpRestart<CR>');
    await eventually(() => expect(agent.pids()).toHaveLength(2));
    expect(await places(nvim)).toHaveLength(2);
  });

  it('is called again when the next prompt starts an agent that has ended', async () => {
    const agent = scriptedAgent([{ expect: 'session/prompt' }, { exit: 1 }], []);
    const nvim = await start(agent);
    await nvim.input(':AcpChat go<CR>');
    await nvim.waitForScreen('exited with code 1');
    expect(await places(nvim)).toHaveLength(1);
    await nvim.input('<C-\\><C-n>:AcpChat on<CR>');
    await eventually(() => expect(agent.pids()).toHaveLength(2));
    expect(await places(nvim)).toHaveLength(2);
  });

  it('that fails is told, and what runs goes on', async () => {
    const agent = scriptedAgent([]);
    const nvim = await start(agent);
    await nvim.lua('fails = true');
    await nvim.input(':AcpChat<CR>');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('agents.mine.command: its function failed: no luck'),
    );
    await nvim.lua('fails = false');
    await nvim.input('<C-\\><C-n>:AcpChat<CR>');
    await eventually(() => expect(agent.received('session/new')).toHaveLength(1));
    await idle(nvim);
    await nvim.lua('fails = true');
    await nvim.command('messages clear');
    await nvim.input('<C-\\><C-n>:AcpRestart<CR>');
    await eventually(async () => expect(await nvim.messages()).toContain('no luck'));
    expect(agent.alive()).toHaveLength(1);
  });

  it('is asked for each folder; where it says the same, the process is shared', async () => {
    const agent = scriptedAgent([]);
    const nvim = await start(agent);
    mkdirSync(join(nvim.dir, 'sub'));
    await nvim.input(':AcpChat<CR>');
    await eventually(() => expect(agent.received('session/new')).toHaveLength(1));
    await nvim.input('<C-\\><C-n>:cd sub<CR>:AcpChat!<CR>');
    await eventually(() => expect(agent.received('session/new')).toHaveLength(2));
    const folders = [nvim.dir, join(nvim.dir, 'sub')];
    expect((await places(nvim)).map(({ cwd }) => cwd)).toEqual(folders);
    expect(agent.received('session/new').map(({ params }) => params?.cwd)).toEqual(folders);
    expect(agent.pids()).toHaveLength(1);
  });
});
