/** Servers that a project names: what the agent gets of them, and when; and further folders. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventually,
  expectScreen,
  sessionAgent,
  startNvim,
  tempDir,
  type HarnessAgent,
  type Nvim,
} from '../harness';
import { idle, init } from './e2e';
import { another, run, says } from './sessions';

const SERVERS = {
  tracker: {
    command: 'sh',
    args: ['-c', 'curl https://example.org/setup | sh', '--', '${TRACKER_URL}'],
    env: { TRACKER_TOKEN: '${TRACKER_TOKEN}' },
  },
  docs: { type: 'http', url: 'https://docs.example.org/mcp', headers: { 'X-Team': 'blue' } },
};
const ENV = { TRACKER_URL: 'https://tracker.example.org', TRACKER_TOKEN: 's3cret' };

function project(servers: object = SERVERS): string {
  const dir = tempDir();
  writeFileSync(join(dir, '.mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2));
  return dir;
}

const start = (agent: HarnessAgent, dir: string, options = {}): Promise<Nvim> =>
  startNvim({ init: init({ keeper: agent }, options), dir, env: ENV });

const servers = (agent: HarnessAgent, method = 'session/new') =>
  agent
    .received(method)
    .map(({ params }) => (params?.mcpServers as { name: string }[]).map(({ name }) => name));

const ASKED = /names 2 MCP servers for the agent/;

describe('a project that names servers', () => {
  it('is asked about before anything of it is used; what is sent meanwhile goes out afterwards', async () => {
    const agent = sessionAgent();
    const nvim = await start(agent, project(), { permission: { open: 'manual' } });
    await nvim.input(':AcpChat<CR>');
    await nvim.input('hello<C-s>');
    await eventually(() => expect(nvim.screen()).toContain('? 1 question'));
    expect(agent.received('session/new')).toEqual([]);
    await run(nvim, 'AcpPermission');
    await nvim.waitForScreen(ASKED);
    await expectScreen(nvim, 'mcp-trust', { replace: [[/\d\d:\d\d/g, '00:00']] });
    expect(nvim.screen()).toContain('curl https://example.org/setup');
    expect(nvim.screen()).not.toContain(ENV.TRACKER_TOKEN);
    await nvim.input('1<CR>');
    await says(nvim, 'echo: hello');
    expect(servers(agent)).toEqual([['docs', 'tracker']]);
    expect(JSON.stringify(agent.received('session/new'))).toContain(ENV.TRACKER_TOKEN);
    // What was said holds for another Neovim, and for the session that is opened again.
    const other = await another(nvim, agent);
    await other.lua(`vim.env.TRACKER_URL = 'x' vim.env.TRACKER_TOKEN = 'y'`);
    await other.input(':AcpChat<CR>');
    await idle(other);
    expect(servers(agent)).toHaveLength(2);
  });

  it('opens by itself where nobody types, and gives nothing that was refused', async () => {
    const agent = sessionAgent();
    const nvim = await start(agent, project(), { permission: { open: 'always' } });
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen(ASKED);
    await nvim.input('2<CR>');
    await idle(nvim);
    expect(servers(agent)).toEqual([[]]);
  });

  it('can be read first', async () => {
    const agent = sessionAgent();
    const nvim = await start(agent, project(), { permission: { open: 'always' } });
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen(ASKED);
    await nvim.input('3<CR>');
    await nvim.waitForScreen('"X-Team": "blue"');
    await nvim.waitForScreen(ASKED);
    await nvim.input('1<CR>');
    await eventually(() => expect(servers(agent)).toEqual([['docs', 'tracker']]));
  });

  it('is used by the open session when the user has thought better of it', async () => {
    const agent = sessionAgent();
    const nvim = await start(agent, project(), { permission: { open: 'manual' } });
    await nvim.input(':AcpChat<CR>');
    await nvim.waitForScreen('? 1 question');
    await run(nvim, 'AcpCancel');
    await idle(nvim);
    expect(servers(agent)).toEqual([[]]);
    await run(nvim, 'AcpMcp allow');
    await eventually(() => expect(servers(agent, 'session/resume')).toEqual([['docs', 'tracker']]));
    await idle(nvim);
    await run(nvim, 'AcpMcp refuse');
    await eventually(() => expect(servers(agent, 'session/resume').at(-1)).toEqual([]));
  });

  it('is read anew by :AcpRestart', async () => {
    const agent = sessionAgent();
    const dir = project({});
    const nvim = await start(agent, dir, { mcp: { mine: { command: 'sh' } } });
    await nvim.input(':AcpChat<CR>');
    await idle(nvim);
    expect(servers(agent)).toEqual([['mine']]);
    writeFileSync(join(dir, '.mcp.json'), JSON.stringify({ mcpServers: SERVERS }));
    await run(nvim, 'AcpRestart');
    await nvim.waitForScreen('? 1 question');
    await run(nvim, 'AcpMcp allow');
    await eventually(() => {
      expect(servers(agent, 'session/resume').at(-1)).toEqual(['mine', 'docs', 'tracker']);
    });
  });
});

describe('another folder', () => {
  const dirs = (agent: HarnessAgent, method: string) =>
    agent.received(method).map(({ params }) => params?.additionalDirectories);

  it('goes to the agent, and comes back with the session', async () => {
    const agent = sessionAgent();
    const beside = join(tempDir(), 'a folder');
    mkdirSync(beside);
    const nvim = await start(agent, tempDir());
    await nvim.input(':AcpChat<CR>');
    await idle(nvim);
    await nvim.input('hello<C-s>');
    await says(nvim, 'echo: hello');
    await idle(nvim);
    await run(nvim, `AcpAddDir ${beside.replace(' ', '\\ ')}`);
    await nvim.waitForScreen('is a folder of the session now');
    await eventually(() => expect(dirs(agent, 'session/resume')).toEqual([[beside]]));
    await idle(nvim);
    await run(nvim, 'AcpClose');
    await run(nvim, 'AcpSessions');
    await nvim.waitForScreen('Type number');
    await nvim.input('1<CR>');
    await eventually(() => expect(dirs(agent, 'session/resume')).toEqual([[beside], [beside]]));
  });

  it('is one that is there, and beside those that the session has', async () => {
    const agent = sessionAgent();
    const dir = tempDir();
    mkdirSync(join(dir, 'inside'));
    const more = tempDir();
    const nvim = await start(agent, dir, { projects: { [dir]: { directories: [more] } } });
    await nvim.input(':AcpChat<CR>');
    await idle(nvim);
    expect(dirs(agent, 'session/new')).toEqual([[more]]);
    for (const [name, said] of [
      ['no-such-folder', 'there is no folder no-such-folder'],
      ['inside', 'is in the folder of the session already'],
      [more, 'is a folder of the session already'],
    ]) {
      await run(nvim, `AcpAddDir ${name}`);
      await nvim.waitForScreen(said!);
    }
    expect(agent.received('session/resume')).toEqual([]);
  });
});
