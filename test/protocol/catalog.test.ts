import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { AgentPool } from '../../src/agent/pool';
import type { AgentSpec, SidecarConfig } from '../../src/nvim/protocol';
import { Catalog, type OpenSession } from '../../src/session/catalog';
import { SessionBusy, type StoredSummary } from '../../src/store/store';
import { sessionAgent, tempDir, whenDone } from '../harness';
import type { SessionAgent, SessionAgentOptions } from '../harness';
import { LineClient } from '../harness/client';

/** A store that is a list. */
class Shelf {
  stored: StoredSummary[] = [];
  fault: Error | null = null;

  async list(folder?: string): Promise<StoredSummary[]> {
    if (this.fault) throw this.fault;
    return this.stored.filter((it) => folder === undefined || it.cwd === folder);
  }
  async rename(key: string, title: string): Promise<void> {
    this.#free(key).title = title;
  }
  async remove(key: string): Promise<void> {
    this.#free(key);
    this.stored = this.stored.filter((it) => it.key !== key);
  }
  #free(key: string): StoredSummary {
    const found = this.stored.find((it) => it.key === key)!;
    if (found.busy) throw new SessionBusy(key, 1);
    return found;
  }
}

const NOW = Date.parse('2026-06-01T12:00:00Z');

let cwd: string;
let shelf: Shelf;
let open: OpenSession[];
let renamed: string[];
let faults: string[];
let pool: AgentPool;
let catalog: Catalog;

beforeEach(() => {
  cwd = tempDir();
  shelf = new Shelf();
  open = [];
  renamed = [];
  faults = [];
  const wire = { enabled: false, maxBytes: 1e6, maxFiles: 1 };
  pool = new AgentPool({ stateDir: tempDir(), wire } as SidecarConfig, () => {});
  whenDone(() => pool.end());
  catalog = catalogWithin(8000);
});

function catalogWithin(limitMs: number) {
  return new Catalog({
    store: shelf,
    pool,
    sessions: () => open,
    now: () => NOW,
    onFault: (where) => faults.push(where),
    limitMs,
  });
}

/** A session of ours. */
function store(of: Partial<StoredSummary>): void {
  shelf.stored.push({
    key: `key-${shelf.stored.length + 1}`,
    agent: 'keeper',
    cwd,
    agentSession: null,
    title: null,
    first: '',
    last: [],
    updated: NOW - 1000,
    prompts: 1,
    draft: false,
    running: false,
    busy: false,
    ...of,
  });
}

const row = (sessionId: string, more: object = {}) => ({ sessionId, cwd, ...more });

/** A session that is open here. */
function opened(of: Partial<OpenSession>): OpenSession {
  const rename = (title: string) => void renamed.push(title);
  const none = { id: 's1', key: null, agentSession: null, title: null };
  return { ...none, agent: 'keeper', cwd, rename, ...of };
}

/** An agent that has only these rows. */
const lister = (rows: unknown[], options: SessionAgentOptions = {}) =>
  sessionAgent({ rows, ...options });

const list = (agents: AgentSpec[], all = false) => catalog.list({ cwd, all, agents });

async function rowsOf(...agents: AgentSpec[]) {
  return (await list(agents)).rows;
}

/** Has `agent` make sessions, as another client would. */
async function made(agent: SessionAgent, ...folders: string[]): Promise<string[]> {
  const client = new LineClient(agent);
  const ids: string[] = [];
  for (const folder of folders) {
    const { result } = await client.request('session/new', { cwd: folder });
    ids.push((result as { sessionId: string }).sessionId);
  }
  client.end();
  return ids;
}

describe('the list', () => {
  test('has what the agent has, what is stored and what is open, the newest first', async () => {
    const agent = lister([
      row('a', { title: 'Of the agent', updatedAt: '2026-05-30T00:00:00Z' }),
      row('b', { updatedAt: '2026-05-31T00:00:00Z' }),
    ]);
    store({ agentSession: 'b', first: 'The first line\nand more', updated: 5 });
    store({ title: 'Ours', updated: NOW - 1, draft: true });
    open = [opened({ agentSession: 'n', title: 'Here' })];
    const { rows, notes } = await list([agent]);
    expect(notes).toEqual([]);
    expect(rows).toEqual([
      expect.objectContaining({
        id: 'key-2',
        title: 'Ours',
        state: 'saved',
        stored: true,
        draft: true,
        updated: NOW - 1,
      }),
      expect.objectContaining({
        id: 'key-1',
        title: 'The first line',
        state: 'saved',
        stored: true,
        updated: Date.parse('2026-05-31T00:00:00Z'),
        can: ['fork', 'rename', 'delete'],
      }),
      expect.objectContaining({
        title: 'Of the agent',
        state: 'saved',
        stored: false,
        agent: 'keeper',
        cwd,
        can: ['fork', 'rename', 'delete'],
        preview: [],
      }),
      expect.objectContaining({ title: 'Here', state: 'open', session: 's1' }),
    ]);
  });

  test('has a session once that is stored, listed and open', async () => {
    store({ agentSession: 'a' });
    open = [opened({ key: 'key-1', agentSession: 'a' })];
    const rows = await rowsOf(lister([row('a', { title: 'A' }), row('a', { title: 'A' })]));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ id: 'key-1', title: 'A', state: 'open', session: 's1' });
  });

  test('never tells an agent’s own id', async () => {
    const { rows } = await list([lister([row('secret-id')])]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('secret-id');
  });

  test('has all pages', async () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => row(id, { title: id }));
    const agent = lister(rows, { pageSize: 1, nulls: true });
    expect((await rowsOf(agent)).map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const asked = agent.received('session/list').map(({ params }) => params);
    expect(asked).toHaveLength(5);
    expect(asked).toContainEqual({ cwd, cursor: '4' });
  });

  test.each([
    ['same', 'keeper lists the same sessions over and over', 2],
    ['endless', 'keeper has more sessions than are shown', 100],
  ] as const)(
    'stops at a cursor that never ends (%s), and says so',
    async (cursors, note, most) => {
      store({ agentSession: 'not listed' });
      const agent = lister([row('a')], { cursors, pageSize: 1 });
      const { rows, notes } = await list([agent]);
      expect(notes).toEqual([note]);
      expect(agent.received('session/list')).toHaveLength(most);
      // A list that was cut says nothing of what is not in it.
      expect(rows.map(({ state }) => state)).toEqual(['saved', 'saved']);
    },
  );

  test('knows a folder by its real path, and asks in each notation that was used', async () => {
    const link = join(tempDir(), 'link');
    symlinkSync(cwd, link);
    store({ agentSession: 'a' });
    store({ agentSession: 'b' });
    const agent = lister([row('a', { cwd: link }), row('b', { cwd: `${cwd}/` })]);
    const { rows } = await catalog.list({ cwd: link, all: false, agents: [agent] });
    expect(rows.map(({ id, cwd: folder, state }) => [id, folder, state])).toEqual([
      ['key-1', cwd, 'saved'],
      ['key-2', cwd, 'saved'],
    ]);
    const asked = agent.received('session/list').map(({ params }) => params!.cwd);
    expect(asked).toEqual([link, cwd]);
  });

  test('of an agent that knows folders by other names is asked for in them, and told in ours', async () => {
    const agent = lister([row('a', { cwd: '/work' }), row('b', { cwd: '/work/sub' })]);
    const { name, command, args } = agent;
    const spec = { name, command, args, paths: [{ here: cwd, there: '/work' }] };
    store({ agentSession: 'a', title: 'Both' });
    const { rows } = await list([spec]);
    expect(rows.map(({ id, cwd: folder, state }) => [id, folder, state])).toEqual([
      ['key-1', cwd, 'saved'],
    ]);
    const asked = agent.received('session/list').map(({ params }) => params!.cwd);
    expect(asked).toEqual(['/work']);
    const all = await list([spec], true);
    expect(all.rows.map(({ cwd: folder }) => folder).sort()).toEqual([cwd, join(cwd, 'sub')]);
  });

  test('has other folders’ sessions only when all are asked for', async () => {
    const elsewhere = tempDir();
    const agent = sessionAgent({ listsAll: true });
    await made(agent, cwd, elsewhere);
    store({ cwd: elsewhere, title: 'Stored elsewhere' });
    open = [opened({ cwd: elsewhere })];
    expect(await rowsOf(agent)).toHaveLength(1);
    const { rows } = await list([agent], true);
    expect(rows.map(({ cwd: folder }) => folder).sort()).toEqual(
      [cwd, elsewhere, elsewhere, elsewhere].sort(),
    );
    expect(agent.received('session/list').at(-1)!.params).toEqual({});
  });

  test('keeps sessions of two agents apart that are the same program', async () => {
    const file = join(tempDir(), 'sessions.jsonl');
    const one = sessionAgent({ file, name: 'one' });
    const two = sessionAgent({ file, name: 'two' });
    const [id] = await made(one, cwd);
    store({ agent: 'two', agentSession: id! });
    const rows = await rowsOf(one, two);
    expect(rows.map(({ agent, stored }) => [agent, stored]).sort()).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  test('says “gone” only of what an agent that lists all does not list', async () => {
    const agents = [
      sessionAgent({ name: 'complete' }),
      sessionAgent({ name: 'mute', can: { list: false } }),
      sessionAgent({ name: 'failing', fails: { 'session/list': -32603 } }),
      lister([row('archived', { archived: true })], { name: 'archiver' }),
    ];
    for (const agent of ['complete', 'mute', 'failing', 'unasked']) {
      store({ agent, agentSession: 'x', title: agent });
    }
    store({ agent: 'complete', title: 'never begun there' });
    store({ agent: 'archiver', agentSession: 'archived', title: 'archived' });
    const { rows, notes } = await list(agents);
    expect(Object.fromEntries(rows.map(({ title, state }) => [title, state]))).toEqual({
      complete: 'gone',
      mute: 'saved',
      failing: 'saved',
      unasked: 'saved',
      'never begun there': 'saved',
      archived: 'saved',
    });
    expect(notes).toEqual(['failing could not list its sessions: session/list fails']);
  });

  test('marks what another Neovim has open, and leaves it alone', async () => {
    store({ agentSession: 'a', busy: true });
    const [busy] = await rowsOf(lister([row('a')]));
    expect(busy).toMatchObject({ state: 'busy', can: ['fork'] });
  });

  test('offers what the agent can do with a session, and what we can with ours', async () => {
    const can = { fork: false, delete: false, title: false };
    store({ agentSession: 'a', title: 'a' });
    store({ agentSession: 'c', title: 'c' });
    const rows = await rowsOf(lister([row('a'), row('b', { title: 'b' })], { can }));
    expect(Object.fromEntries(rows.map((it) => [it.title, it.can]))).toEqual({
      a: ['rename', 'delete'],
      b: [],
      c: ['rename', 'delete'],
    });
    store({ agent: 'other', agentSession: 'd', title: 'd' });
    const gone = (await rowsOf(sessionAgent({ name: 'other' }))).find(({ title }) => title === 'd');
    expect(gone).toMatchObject({ state: 'gone', can: ['rename', 'delete'] });
  });

  test('leaves out rows that are none, and archived ones', async () => {
    const bad = [
      null,
      'text',
      7,
      [],
      {},
      { sessionId: null, cwd },
      { sessionId: '', cwd },
      { sessionId: 'x', cwd: 'relative' },
      { sessionId: 'y', cwd: '/with\na line' },
      row('archived', { archived: true }),
      row('good', { title: 17, updatedAt: 'yesterday' }),
      { sessionId: 'no folder' },
    ];
    const { rows, notes } = await list([lister(bad)]);
    expect(notes).toEqual([]);
    // With a filter, what names no folder is of the one that was asked for; so are the two that name none.
    expect(rows.every(({ title, cwd: folder }) => title === 'untitled' && folder === cwd)).toBe(
      true,
    );
    expect(rows).toHaveLength(4);
    const all = await list([lister(bad, { name: 'all' })], true);
    expect(all.rows).toHaveLength(1);
  });

  test('shows titles and previews as short and harmless lines', async () => {
    store({
      first: '\n  \x1b[2Jfirst\nsecond',
      last: ['> third', `${'x'.repeat(1000)}\nend`],
      prompts: 3,
    });
    const agent = lister([row('a', { title: `two\nlines \u202e${'😀'.repeat(300)}` })]);
    const rows = await rowsOf(agent);
    const listed = rows.find(({ stored }) => !stored)!;
    expect(listed.title).toMatch(/^two lines <U\+202E>(😀)+…$/u);
    expect(listed.title.length).toBeLessThanOrEqual(200);
    const stored = rows.find(({ stored: is }) => is)!;
    expect(stored.title).toBe('^[[2Jfirst');
    expect(stored.preview).toEqual([
      '>   ^[[2Jfirst',
      '> second',
      '',
      '*… 1 more prompt …*',
      '',
      '> third',
      `${'x'.repeat(399)}…`,
      'end',
    ]);
  });

  test('does not believe a clock that is ahead', async () => {
    const [only] = await rowsOf(lister([row('a', { updatedAt: '9999-01-01T00:00:00Z' })]));
    expect(only!.updated).toBe(NOW);
  });

  test('shows our title where the agent takes none', async () => {
    store({ agentSession: 'a', title: 'Given by the user' });
    const [only] = await rowsOf(lister([row('a', { title: 'Old' })], { can: { title: false } }));
    expect(only!.title).toBe('Given by the user');
  });

  test('does not wait for an agent that does not answer, and says so', async () => {
    catalog = catalogWithin(300);
    store({ agentSession: 'a' });
    const { rows, notes } = await list([
      sessionAgent({ hangs: ['session/list'] }),
      sessionAgent({ name: 'mute', hangs: ['session/list'] }),
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.state).toBe('saved');
    expect(notes).toEqual([
      'keeper did not list its sessions within 0.3 seconds',
      'mute did not list its sessions within 0.3 seconds',
    ]);
  });

  test('says which agent could not be started, and why', async () => {
    store({});
    const none = { name: 'none', command: 'no-such-program-anywhere', args: [] };
    const dies = { name: 'dies', command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const { rows, notes } = await list([none, dies]);
    expect(rows).toHaveLength(1);
    expect(notes).toEqual([
      'none could not be started: there is no program ‘no-such-program-anywhere’ on PATH',
      'dies exited with code 3',
    ]);
  });

  test('still has the agents’ sessions when ours can not be read', async () => {
    shelf.fault = new Error('the disk is on fire');
    const { rows, notes } = await list([lister([row('a')])]);
    expect(rows).toHaveLength(1);
    expect(notes).toEqual(['what is stored here can’t be read: the disk is on fire']);
    expect(faults).toEqual(['stored sessions']);
  });
});

describe('a row', () => {
  test('stands for the same session in every list, and then for its key', async () => {
    const agent = lister([row('a', { title: 'A', cwd: `${cwd}/` })]);
    const [first] = await rowsOf(agent);
    const [second] = await rowsOf(agent);
    expect(second!.id).toBe(first!.id);
    expect(await catalog.find(first!.id)).toEqual({
      agent: 'keeper',
      agentSession: 'a',
      cwd: `${cwd}/`,
      title: 'A',
    });
    store({ agentSession: 'a', title: 'Now ours' });
    const now = { key: 'key-1', agent: 'keeper', agentSession: 'a', cwd, title: 'Now ours' };
    expect(await catalog.find(first!.id)).toMatchObject(now);
    expect(await catalog.find('key-1')).toMatchObject(now);
    expect(await catalog.find('nothing')).toBeUndefined();
  });

  test('tells when the session was last used, here or elsewhere', async () => {
    store({ agentSession: 'a', updated: Date.parse('2026-05-01T00:00:00Z') });
    const elsewhere = '2026-05-02T00:00:00.000Z';
    await rowsOf(lister([row('a', { updatedAt: elsewhere })]));
    expect((await catalog.find('key-1'))!.updated).toBe(Date.parse(elsewhere));
  });

  test('is known of a session that was never listed, by its key', async () => {
    store({ title: 'Ours' });
    expect(await catalog.find('key-1')).toEqual({
      key: 'key-1',
      agent: 'keeper',
      cwd,
      title: 'Ours',
      updated: NOW - 1000,
    });
  });
});

describe('renaming', () => {
  test('is done here and at the agent', async () => {
    const agent = sessionAgent();
    const [id] = await made(agent, cwd);
    store({ agentSession: id! });
    expect(await catalog.rename('key-1', agent, ' A\nname ')).toEqual([]);
    expect(shelf.stored[0]!.title).toBe('A name');
    expect(agent.sessions()[0]!.title).toBe('A name');
  });

  test('is done at the agent alone for what only it has', async () => {
    const agent = sessionAgent();
    await made(agent, cwd);
    const [only] = await rowsOf(agent);
    expect(await catalog.rename(only!.id, agent, 'A name')).toEqual([]);
    expect((await rowsOf(agent))[0]!.title).toBe('A name');
  });

  test('is done here alone where the agent takes no titles', async () => {
    const agent = sessionAgent({ can: { title: false } });
    const [id] = await made(agent, cwd, cwd);
    store({ agentSession: id! });
    expect(await catalog.rename('key-1', agent, 'A name')).toEqual([]);
    expect(shelf.stored[0]!.title).toBe('A name');
    expect(agent.received('session/set_title')).toEqual([]);
    const theirs = (await rowsOf(agent)).find(({ stored }) => !stored)!;
    expect(await catalog.rename(theirs.id, agent, 'A name')).toEqual([
      'keeper takes no titles, and the session was never opened here',
    ]);
  });

  test('of a session that is open is its own concern', async () => {
    const agent = sessionAgent();
    const [id] = await made(agent, cwd);
    store({ agentSession: id!, busy: true });
    open = [opened({ key: 'key-1', agentSession: id! })];
    expect(await catalog.rename('key-1', agent, 'A name')).toEqual([]);
    expect(renamed).toEqual(['A name']);
    expect(agent.sessions()[0]!.title).toBe('A name');
  });

  test('is refused for what another Neovim has open', async () => {
    const agent = sessionAgent();
    store({ agentSession: 'a', busy: true });
    expect(await catalog.rename('key-1', agent, 'A name')).toEqual([
      'it could not be renamed: the session is open in another Neovim',
    ]);
    expect(agent.received()).toEqual([]);
  });

  test('says what did not work, and that there is no such session or title', async () => {
    const agent = sessionAgent({ fails: { 'session/set_title': -32603 } });
    store({ agentSession: 'a' });
    expect(await catalog.rename('key-1', agent, 'A name')).toEqual([
      'keeper could not do it: session/set_title fails',
    ]);
    expect(shelf.stored[0]!.title).toBe('A name');
    expect(await catalog.rename('key-1', agent, ' \n ')).toEqual([
      'a session needs a title that can be read',
    ]);
    expect(await catalog.rename('key-9', agent, 'A name')).toEqual([
      'there is no such session any more: list them anew',
    ]);
  });
});

describe('deleting', () => {
  test('is done here and at the agent', async () => {
    const agent = sessionAgent();
    const [id] = await made(agent, cwd, cwd);
    store({ agentSession: id! });
    expect(await catalog.remove('key-1', agent)).toEqual([]);
    expect(shelf.stored).toEqual([]);
    const [left] = await rowsOf(agent);
    expect(await catalog.remove(left!.id, agent)).toEqual([]);
    expect(agent.sessions()).toEqual([]);
  });

  test('is done here where the agent can not, and that is told', async () => {
    store({ agentSession: 'a' });
    expect(await catalog.remove('key-1', sessionAgent({ can: { delete: false } }))).toEqual([
      'keeper can’t delete sessions: what it keeps itself stays',
    ]);
    expect(shelf.stored).toEqual([]);
  });

  test('tells what the agent said, but not that it does not know the session', async () => {
    for (const [code, told] of [
      [-32002, []],
      [-32603, ['keeper could not do it: session/delete fails']],
    ] as const) {
      store({ key: 'key', agentSession: 'a' });
      const agent = sessionAgent({ fails: { 'session/delete': code } });
      expect(await catalog.remove('key', agent)).toEqual(told);
      await pool.end();
      expect(shelf.stored).toEqual([]);
    }
  });

  test('does not bother an agent with what it has said it does not know', async () => {
    const agent = sessionAgent();
    store({ agentSession: 'a' });
    expect((await rowsOf(agent))[0]!.state).toBe('gone');
    expect(await catalog.remove('key-1', agent)).toEqual([]);
    expect(agent.received('session/delete')).toEqual([]);
  });

  test('needs no agent for what it never heard of', async () => {
    store({});
    const none = { name: 'keeper', command: 'no-such-program-anywhere', args: [] };
    expect(await catalog.remove('key-1', none)).toEqual([]);
    expect(shelf.stored).toEqual([]);
  });

  test('is refused while it is open, here or in another Neovim', async () => {
    const agent = lister([row('b')]);
    store({ agentSession: 'a' });
    store({ agentSession: 'b', busy: true });
    open = [opened({ key: 'key-1', agentSession: 'a' })];
    expect(await catalog.remove('key-1', agent)).toEqual([
      'the session is open here: close it first',
    ]);
    expect(await catalog.remove('key-2', agent)).toEqual([
      'it could not be deleted: the session is open in another Neovim',
    ]);
    expect(shelf.stored).toHaveLength(2);
    expect(agent.received()).toEqual([]);
  });

  test('says that the agent could not be started', async () => {
    store({ agentSession: 'a' });
    const none = { name: 'keeper', command: 'no-such-program-anywhere', args: [] };
    expect(await catalog.remove('key-1', none)).toEqual([
      'keeper could not be started: there is no program ‘no-such-program-anywhere’ on PATH',
    ]);
  });

  test('does not wait for ever', async () => {
    catalog = catalogWithin(300);
    store({ agentSession: 'a' });
    expect(await catalog.remove('key-1', sessionAgent({ hangs: ['session/delete'] }))).toEqual([
      'keeper did not answer within 0.3 seconds',
    ]);
  });
});

test('a folder that does not exist any more still has its sessions', async () => {
  const lost = join(tempDir(), 'lost');
  mkdirSync(lost);
  store({ cwd: lost, title: 'Of the lost folder' });
  const { rows } = await catalog.list({ cwd: `${lost}/`, all: false, agents: [] });
  expect(rows.map(({ title }) => title)).toEqual(['Of the lost folder']);
});
