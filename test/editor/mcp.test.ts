/** MCP servers: what is made of the options and of files of a project, and what is known of it. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startNvim, tempDir, type Nvim } from '../harness';

interface Wanted {
  servers: Record<string, unknown>[];
  left: { name: string; why: string }[];
  asks: { path: string; digest: string; lines: string[] }[];
}

const SECRET = 'p4ssw0rd';
const start = async (options: object = {}, env: Record<string, string> = {}): Promise<Nvim> => {
  const nvim = await startNvim({ env: { MCP_SECRET: SECRET, EMPTY: '', ...env } });
  await nvim.lua(`require('acp.config').setup(...)`, options);
  return nvim;
};
const wanted = (nvim: Nvim, cwd: string, agent: object = { name: 'claude' }): Promise<Wanted> =>
  nvim.lua(
    `local cwd, agent = ...
    return require('acp.mcp').wanted({ cwd = cwd, agent = agent })`,
    cwd,
    agent,
  );
const project = (servers: unknown, cwd = tempDir()): string => {
  const text = typeof servers === 'string' ? servers : JSON.stringify({ mcpServers: servers });
  writeFileSync(join(cwd, '.mcp.json'), text);
  return cwd;
};
const decide = (nvim: Nvim, { path, digest }: Wanted['asks'][0], choice: string) =>
  nvim.lua(`return require('acp.mcp').decide(...)`, { session: 'none', path, digest, choice });
const report = (nvim: Nvim, cwd: string) =>
  nvim.lua<{ text: string; ok: boolean }[]>(`return require('acp.mcp').report('claude', ...)`, cwd);

describe('servers of the options', () => {
  test('go to the agent with their variables filled in and their programs found', async () => {
    const nvim = await start({
      mcp: {
        files: {
          command: ['sh', '-c', 'x'],
          args: ['${MCP_SECRET}', '${EMPTY:-fallback}', '$HOME ${not a name}'],
          env: { TOKEN: 'a${MCP_SECRET}b', NONE: '${EMPTY}' },
        },
        docs: { url: 'https://${NO_HOST:-example.org}/mcp', headers: { Auth: '${MCP_SECRET}' } },
        old: { url: 'https://example.org/sse', type: 'sse' },
      },
    });
    const { servers, left, asks } = await wanted(nvim, tempDir());
    expect([left, asks]).toEqual([[], []]);
    expect(servers).toEqual([
      { name: 'docs', type: 'http', url: 'https://example.org/mcp', headers: { Auth: SECRET } },
      {
        name: 'files',
        type: 'stdio',
        command: expect.stringMatching(/^\/.*\/sh$/) as string,
        args: ['-c', 'x', SECRET, 'fallback', '$HOME ${not a name}'],
        env: { TOKEN: `a${SECRET}b`, NONE: '' },
      },
      { name: 'old', type: 'sse', url: 'https://example.org/sse', headers: {} },
    ]);
  });

  test('that lack a variable, a program or an address are left out, with why', async () => {
    const nvim = await start({
      mcp: {
        a: { command: 'sh', args: ['${NOT_SET}', '${NOR_THIS}'] },
        b: { command: 'no-such-program' },
        c: { command: './no-such-script' },
        d: { type: 'sse' },
      },
    });
    const { servers, left } = await wanted(nvim, tempDir());
    expect(servers).toEqual([]);
    expect(left.sort((x, y) => x.name.localeCompare(y.name))).toEqual([
      { name: 'a', why: 'the variables NOR_THIS, NOT_SET are not set' },
      { name: 'b', why: 'there is no program `no-such-program`' },
      { name: 'c', why: 'there is no program `./no-such-script`' },
      { name: 'd', why: 'option mcp.d: it names no url' },
    ]);
  });

  test('are switched for agents and folders, the more special one counts', async () => {
    const cwd = tempDir();
    const nvim = await start({
      mcp: { one: { command: 'sh' }, two: { command: 'sh', enabled: false } },
      agents: { claude: { mcp: { two: true } }, codex: { command: 'codex', mcp: false } },
      projects: { [cwd]: { mcp: { one: false } } },
    });
    const names = async (name: string, folder: string) =>
      (await wanted(nvim, folder, { name })).servers.map((server) => server.name);
    expect(await names('gemini', tempDir())).toEqual(['one']);
    expect(await names('claude', tempDir())).toEqual(['one', 'two']);
    expect(await names('codex', tempDir())).toEqual([]);
    expect(await names('claude', cwd)).toEqual(['two']);
  });

  test('are not looked for here where the agent runs elsewhere', async () => {
    const nvim = await start({ mcp: { one: { command: 'only-in-there' } } });
    const agent = { name: 'claude', paths: [{ here: '/a', there: '/b' }] };
    expect((await wanted(nvim, tempDir(), agent)).servers).toMatchObject([
      { command: 'only-in-there' },
    ]);
  });
});

describe('a file of the project', () => {
  const SERVERS = {
    files: { command: 'sh', args: ['-c', "it's; x"], env: { B: '${MCP_SECRET}', A: 'plain' } },
    docs: { type: 'http', url: 'https://example.org/${MCP_SECRET}', headers: { Auth: 'x' } },
  };

  test('is asked about first: nothing of it is expanded or looked for before', async () => {
    const nvim = await start();
    const cwd = project({ ...SERVERS, gone: { command: 'no-such-program', args: ['${NOT_SET}'] } });
    const { servers, left, asks } = await wanted(nvim, cwd);
    expect([servers, left]).toEqual([[], []]);
    expect(asks).toEqual([
      {
        path: join(cwd, '.mcp.json'),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        lines: [
          'docs: https://example.org/${MCP_SECRET}  (headers: Auth)',
          `files: sh -c 'it'\\''s; x'  (env: A, B)`,
          `gone: no-such-program '\${NOT_SET}'`,
        ],
      },
    ]);
    expect(JSON.stringify(asks)).not.toContain(SECRET);
  });

  test('is used when it was allowed, for as long as it is the same', async () => {
    const nvim = await start();
    const cwd = project(SERVERS);
    const [ask] = (await wanted(nvim, cwd)).asks;
    await decide(nvim, ask!, 'allow');
    const { servers, asks } = await wanted(nvim, cwd);
    expect(asks).toEqual([]);
    expect(servers).toMatchObject([{ name: 'docs' }, { name: 'files', env: { B: SECRET } }]);
    project({ ...SERVERS, more: { command: 'sh' } }, cwd);
    const changed = await wanted(nvim, cwd);
    expect([changed.servers, changed.asks.length]).toEqual([[], 1]);
    project(SERVERS, cwd);
    expect((await wanted(nvim, cwd)).servers).toHaveLength(2);
  });

  test('that was refused stays refused, in another Neovim too', async () => {
    const nvim = await start();
    const cwd = project(SERVERS);
    await decide(nvim, (await wanted(nvim, cwd)).asks[0]!, 'refuse');
    const other = await startNvim({ home: nvim.home });
    expect(await wanted(other, cwd)).toEqual({ servers: [], left: [], asks: [] });
  });

  test('is known by its real path, and what was said by its owner alone', async () => {
    const nvim = await start();
    const cwd = project(SERVERS);
    const link = join(tempDir(), 'link');
    symlinkSync(cwd, link);
    await decide(nvim, (await wanted(nvim, link)).asks[0]!, 'allow');
    expect((await wanted(nvim, cwd)).servers).toHaveLength(2);
    const path = await nvim.lua<string>(`return require('acp.store').path('trust.json')`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object)).toEqual([
      join(cwd, '.mcp.json'),
    ]);
  });

  test('is found at the root of the repository, too; the nearer one goes first', async () => {
    const nvim = await start();
    const root = project({ one: { command: 'sh', args: ['root'] }, two: { command: 'sh' } });
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'deep'));
    const cwd = project({ one: { command: 'sh', args: ['near'] } }, join(root, 'deep'));
    for (const ask of (await wanted(nvim, cwd)).asks) await decide(nvim, ask, 'allow');
    expect((await wanted(nvim, cwd)).servers).toMatchObject([
      { name: 'one', args: ['near'] },
      { name: 'two' },
    ]);
  });

  test('gives way to the options where both have a name, which is said', async () => {
    const nvim = await start({ mcp: { files: { command: 'sh', args: ['mine'] } } });
    const cwd = project(SERVERS);
    const [ask] = (await wanted(nvim, cwd)).asks;
    expect(ask!.lines[1]).toContain('(not used: your configuration has one of that name)');
    await decide(nvim, ask!, 'allow');
    expect((await wanted(nvim, cwd)).servers).toMatchObject([
      { name: 'files', args: ['mine'] },
      { name: 'docs' },
    ]);
  });

  test.each([
    ['{', 'it is no JSON'],
    ['[]', 'it has no table `mcpServers`'],
    ['{"mcpServers": ["a"]}', 'it has no table `mcpServers`'],
    ['{"mcpServers": null}', 'it has no table `mcpServers`'],
    ['null', 'it has no table `mcpServers`'],
  ])('that is broken is named: %s', async (text, why) => {
    const nvim = await start();
    expect(await wanted(nvim, project(text))).toEqual({
      servers: [],
      left: [{ name: '.mcp.json', why }],
      asks: [],
    });
  });

  test('may hold anything: what is no server is named, the others are asked about', async () => {
    const nvim = await start();
    const cwd = project({
      fine: { command: 'sh', args: [1, true] },
      off: { command: 'sh', disabled: true },
      list: ['sh'],
      nothing: null,
      text: 'sh',
      kind: { type: 'pigeon', url: 'x' },
      args: { command: 'sh', args: [{}] },
      env: { command: 'sh', env: ['A=b'] },
      url: { type: 'http' },
    });
    const [ask] = (await wanted(nvim, cwd)).asks;
    expect(ask!.lines).toEqual(['fine: sh 1 true']);
    await decide(nvim, ask!, 'allow');
    const { servers, left } = await wanted(nvim, cwd);
    expect(servers).toMatchObject([{ name: 'fine', args: ['1', 'true'] }]);
    expect(left.map(({ name }) => name)).toEqual(['args', 'env', 'kind', 'list', 'text', 'url']);
  });

  test.each([
    ['its command', { command: 'sh\0' }],
    ['an argument', { command: 'sh', args: ['a\0b'] }],
    ['a variable', { command: 'sh', env: { 'A\0': 'x' } }],
    ['a header', { url: 'https://a.b', headers: { A: 'x\0y' } }],
  ])('with a NUL byte in %s keeps the others from nothing', async (_, server) => {
    const nvim = await start();
    const cwd = project({ bad: server, fine: { command: 'sh' } });
    const { asks } = await wanted(nvim, cwd);
    await decide(nvim, asks[0]!, 'allow');
    const { servers, left } = await wanted(nvim, cwd);
    expect(servers).toMatchObject([{ name: 'fine' }]);
    expect(left).toEqual([{ name: 'bad', why: 'it holds a NUL byte' }]);
  });

  test('of thousands of servers is not asked about', async () => {
    const nvim = await start();
    const names = Array.from({ length: 20_000 }, (_, i) => [`s${i}`, { command: 'sh' }] as const);
    const { left, asks } = await wanted(nvim, project(Object.fromEntries(names)));
    expect(asks).toEqual([]);
    expect(left).toEqual([{ name: '.mcp.json', why: 'it names more than 200 servers' }]);
  });

  test('that asks for nothing is not asked about', async () => {
    const nvim = await start({ projects: { '/': { mcp: false } } });
    const nothing = { servers: [], left: [], asks: [] };
    expect(await wanted(nvim, project({}))).toEqual(nothing);
    expect(await wanted(nvim, project(SERVERS))).toEqual(nothing);
    expect(await wanted(nvim, tempDir())).toEqual(nothing);
  });

  test('that is none, such as a folder, is named and not read', async () => {
    const nvim = await start();
    const cwd = tempDir();
    mkdirSync(join(cwd, '.mcp.json'));
    expect((await wanted(nvim, cwd)).left).toEqual([{ name: '.mcp.json', why: 'it is no file' }]);
  });

  test('is shown on demand, and then asked about again', async () => {
    const nvim = await start();
    const cwd = project(SERVERS);
    await decide(nvim, (await wanted(nvim, cwd)).asks[0]!, 'show');
    await nvim.waitForScreen('"mcpServers"');
    expect((await wanted(nvim, cwd)).asks).toHaveLength(1);
  });
});

describe('what is known of the servers', () => {
  test('stands in a report without any secret', async () => {
    const nvim = await start({
      mcp: {
        one: { command: 'sh', args: ['--key', 'literal'], env: { T: '${MCP_SECRET}' } },
        two: { command: 'sh', args: ['${NOT_SET}'] },
        web: { url: 'https://me:${MCP_SECRET}@example.org/literal?k=literal', enabled: false },
      },
    });
    const cwd = project({ near: { command: 'sh' } });
    const text = async () =>
      (await report(nvim, cwd)).map(({ ok, text }) => `${ok ? '+' : '!'} ${text}`);
    expect(await text()).toEqual([
      `! ${join(cwd, '.mcp.json')}: not allowed yet: :AcpMcp allow or :AcpMcp refuse`,
      '+ one: sh (options)',
      '! two: sh (options), left out: the variable NOT_SET is not set',
      '+ web: https://example.org (options), not used: switched off in the options',
      '+ near: sh (.mcp.json), not used: not allowed yet',
    ]);
    await nvim.lua(`vim.fn.chdir(...) require('acp.mcp').run('allow')`, cwd);
    expect((await text())[0]).toBe(`+ ${join(cwd, '.mcp.json')}: allowed`);
    expect((await text()).at(-1)).toBe('+ near: sh (.mcp.json)');
    await nvim.command('AcpMcp refuse');
    expect((await text()).join('\n')).toContain('refused: :AcpMcp allow changes that');
    await nvim.command('AcpMcp');
    await nvim.waitForScreen('near: sh (.mcp.json), not used: refused');
    await nvim.command('silent checkhealth acp');
    const health = await nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`);
    expect(health.join('\n')).toContain('two: sh (options), left out: the variable NOT_SET');
    expect(health.join('\n')).toContain('no further folders');
    expect(health.join('\n')).not.toMatch(new RegExp(`${SECRET}|literal`));
  });
});

test('further folders stand in :checkhealth, those that are gone as a warning', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'in'));
  const more = tempDir();
  const nvim = await start({
    agents: { claude: { directories: [more, '/no/such/folder'] }, codex: {} },
    projects: { [cwd]: { directories: ['in', more] } },
  });
  await nvim.lua(`vim.fn.chdir(...)`, cwd);
  expect(await nvim.lua(`return require('acp.dirs').report(...)`, cwd)).toEqual([
    { text: `claude: ${more}`, ok: true },
    { text: 'claude: /no/such/folder, which is not there', ok: false },
    { text: `codex: ${more}`, ok: true },
  ]);
});
