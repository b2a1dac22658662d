import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, expectScreen } from '../harness';
import type { SessionRow, Status } from '../../src/nvim/protocol';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let chat: ChatFixture;

/** A picker that answers when the test says so; what chats are asked for is noted instead of done. */
const INIT = `
  _G.picks, _G.calls = {}, {}
  vim.ui.select = function(items, opts, on_choice)
    table.insert(_G.picks, {
      items = items, opts = opts, on_choice = on_choice,
      labels = vim.tbl_map(opts.format_item or tostring, items),
    })
  end
  vim.ui.input = function(opts, on_confirm)
    _G.input = { prompt = opts.prompt, default = opts.default }
    _G.confirm = on_confirm
  end`;

const NOTED = `
  for _, name in ipairs({ 'open_row', 'fork', 'close' }) do
    require('acp.chat')[name] = function(what, opts)
      table.insert(_G.calls, { name, what.id or what.session, opts })
    end
  end`;

beforeEach(async () => {
  chat = await openChat({ columns: 100, lines: 16, init: INIT });
  await chat.nvim.lua(NOTED);
  await chat.nvim.input('<Esc>');
});

const row = (id: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id,
  agent: 'tester',
  cwd: '/project',
  title: `Title of ${id}`,
  state: 'saved',
  stored: true,
  draft: false,
  interrupted: false,
  can: [],
  preview: [],
  ...more,
});

const messages = async (): Promise<string> => (await chat.nvim.messages()).trim();
const asked = async (count = 1): Promise<{ id: number; all: boolean; cwd: string }> =>
  eventually(() => {
    const all = chat.sent('sessions.list') as { id: number; all: boolean; cwd: string }[];
    expect(all).toHaveLength(count);
    return all.at(-1)!;
  });
const answer = (id: number, rows: SessionRow[], notes: string[] = []): Promise<unknown> =>
  chat.nvim.lua(`require('acp.rpc').call('sessions.show', ...)`, { id, rows, notes });
const labels = (pick: number): Promise<string[]> =>
  eventually(async () => {
    const found = await chat.nvim.lua<string[] | null>(
      `return _G.picks[...] and _G.picks[...].labels`,
      pick,
    );
    expect(found).not.toBeNull();
    return found!;
  });
const choose = (pick: number, index: number | null): Promise<unknown> =>
  chat.nvim.lua(
    `local pick, index = ...
    local p = _G.picks[pick]
    p.on_choice(index and p.items[index] or nil, index)`,
    pick,
    index,
  );
const calls = (): Promise<unknown[]> => chat.nvim.lua('return _G.calls');
/** Runs the command and answers with these rows; the labels that are shown. */
const list = async (command: string, rows: SessionRow[]): Promise<string[]> => {
  await chat.nvim.command(command);
  const { id } = await asked();
  await answer(id, rows);
  return labels(1);
};
const status = (more: Partial<Status>): Promise<void> =>
  chat.frame({ status: { state: 'idle', key: 'k1', title: 'Fix it', ...more } as object });
const can = (more: Partial<Status['can']>): Status['can'] => ({
  fork: false,
  close: false,
  delete: false,
  rename: false,
  ...more,
});

describe('the list', () => {
  test('is asked of the sidecar, with the agents of open chats and the one of the next chat', async () => {
    await chat.nvim.lua(`
      require('acp.config').setup({
        agent = 'second',
        agents = { tester = { command = 'tester' }, second = { command = 'cat' } },
      })
      vim.cmd('AcpSessions!')`);
    const params = await asked();
    expect(params).toMatchObject({ all: true, cwd: chat.nvim.dir });
    expect((params as unknown as { agents: object[] }).agents).toMatchObject([
      { name: 'tester', command: 'tester' },
      { name: 'second', command: 'cat' },
    ]);
  });

  test('is one picker: title, age, agent and state in columns, the newest first', async () => {
    const now = Date.now();
    await status({ state: 'working' });
    expect(
      await list('AcpSessions', [
        row('a', { updated: now - 3 * HOUR, agent: 'codex', draft: true, title: 'Explain\nit' }),
        row('unknown', { title: '', state: 'gone' }),
        row('b', { updated: now - 5 * MINUTE, state: 'busy' }),
        row('c', { updated: now, state: 'open', session: 's1' }),
        row('d', { updated: now - 4 * 24 * HOUR }),
      ]),
    ).toEqual([
      '● Title of c  just now   tester  open here, working',
      '  Title of b  5 min ago  tester  in another Neovim',
      '  Explain it  3 h ago    codex   saved · draft',
      '  Title of d  4 d ago    tester  saved',
      '  untitled               tester  gone',
    ]);
    const opts = await chat.nvim.lua(`return { _G.picks[1].opts.prompt, _G.picks[1].opts.kind }`);
    expect(opts).toEqual(['Session to open:', 'acp.session']);
  });

  test('of all folders names them, and none of its rows is wider than the screen', async () => {
    await chat.nvim.command('set columns=72');
    const deep = `${'very/'.repeat(20)}deep`;
    const shown = await list('AcpSessions!', [
      row('a', { title: '漢字'.repeat(60), cwd: `/${deep}`, updated: Date.now() }),
      row('b', { cwd: '/else', agent: 'an-agent-with-a-long-name' }),
    ]);
    expect(shown[0]).toMatch(/^ {2}漢字.*… {1,3}just now {2}tester .* saved {2}….*very\/deep$/);
    expect(shown[1]).toMatch(/an-agent-with-a… {2}saved {2}\/else$/);
    const widths = await chat.nvim.lua<number[]>(
      `return vim.tbl_map(vim.api.nvim_strwidth, _G.picks[1].labels)`,
    );
    for (const width of widths) expect(width).toBeLessThanOrEqual(72 - 4);
  });

  test('opens what is chosen, and nothing when nothing is', async () => {
    await list('AcpSessions', [row('a')]);
    await choose(1, null);
    expect(await calls()).toEqual([]);
    await chat.nvim.command('AcpSessions');
    await answer((await asked(2)).id, [row('a')]);
    await labels(2);
    await choose(2, 1);
    expect(await calls()).toEqual([['open_row', 'a']]);
  });

  test('that was not asked for last is not shown', async () => {
    await chat.nvim.command('AcpSessions');
    const first = await asked();
    await chat.nvim.command('AcpSessions');
    const second = await asked(2);
    await answer(first.id, [row('old')]);
    await answer(second.id, [row('new')]);
    expect(await labels(1)).toEqual(['  Title of new  tester  saved']);
    await answer(second.id, [row('again')]);
    await chat.nvim.lua('vim.schedule(function() _G.later = true end)');
    await eventually(async () => expect(await chat.nvim.lua('return _G.later')).toBe(true));
    expect(await chat.nvim.lua('return #_G.picks')).toBe(1);
  });

  test('says whom it waits for when that takes long', async () => {
    await chat.nvim.command('AcpSessions');
    const { id } = await asked();
    await eventually(async () =>
      expect(await messages()).toBe('acp: asking tester for its sessions …'),
    );
    await answer(id, [row('a')]);
    await labels(1);
  });

  test('shows in one warning what could not be listed', async () => {
    await chat.nvim.command('AcpSessions');
    await answer((await asked()).id, [row('a')], ['codex: not logged in', 'gemini: no answer']);
    await labels(1);
    await eventually(async () =>
      expect(await messages()).toBe('acp: codex: not logged in · gemini: no answer'),
    );
  });

  test('does not come over what was begun meanwhile', async () => {
    await chat.nvim.command('AcpSessions fork');
    const { id } = await asked();
    await chat.nvim.input('i');
    await eventually(async () =>
      expect(await chat.nvim.request('nvim_get_mode')).toMatchObject({ mode: 'i' }),
    );
    await answer(id, [row('a', { can: ['fork'] })]);
    await eventually(async () =>
      expect(await messages()).toContain('the sessions are found · :AcpSessions fork'),
    );
    expect(await chat.nvim.lua('return #_G.picks')).toBe(0);
  });

  test('that is empty says what can be done', async () => {
    await chat.nvim.command('AcpSessions');
    await answer((await asked()).id, []);
    await eventually(async () =>
      expect(await messages()).toBe(
        'acp: no sessions in this folder: :AcpChat, or :AcpSessions! for all',
      ),
    );
    await chat.nvim.command('AcpSessions!');
    await answer((await asked(2)).id, []);
    await eventually(async () =>
      expect(await messages()).toContain('acp: no sessions yet: :AcpChat begins one'),
    );
  });

  test('in Neovim’s own select', async () => {
    await chat.nvim.lua(`
      vim.cmd('AcpHide')
      vim.ui.select = loadfile(vim.env.VIMRUNTIME .. '/lua/vim/ui.lua')().select`);
    const now = Date.now();
    await chat.nvim.command('AcpSessions');
    await answer((await asked()).id, [
      row('a', { title: 'Fix the semver comparison', updated: now, state: 'open', session: 's1' }),
      row('b', { title: 'Explain the parser', updated: now - 3 * HOUR, agent: 'codex' }),
      row('c', { title: 'Rename all of it', updated: now - 26 * HOUR, draft: true }),
      row('d', { title: 'A former life', updated: now - 3 * 24 * HOUR, state: 'gone' }),
    ]);
    await chat.nvim.waitForScreen('A former life');
    await expectScreen(chat.nvim, 'sessions');
    await chat.nvim.input('2<CR>');
    await eventually(async () => expect(await calls()).toEqual([['open_row', 'b']]));
  });
});

describe('the preview of a row', () => {
  const rows = [
    row('a', { updated: Date.now(), preview: ['> Why?', '', 'Because.\u0000'] }),
    row('b', { stored: false }),
  ];

  test('is a buffer, as Neovim documents it, which goes when the picker does', async () => {
    await list('AcpSessions', rows);
    const shown = await chat.nvim.lua<{ lines: string[]; filetype: string; same: boolean }[]>(`
      return vim.tbl_map(function(item)
        local preview = _G.picks[1].opts.preview_item
        local buf = preview(item).buf
        return {
          lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true),
          filetype = vim.bo[buf].filetype,
          same = preview(item).buf == buf,
        }
      end, _G.picks[1].items)`);
    expect(shown).toEqual([
      {
        lines: [
          '# Title of a',
          'tester · /project · saved · just now',
          '',
          '> Why?',
          '',
          'Because.\u0000',
        ],
        filetype: 'markdown',
        same: true,
      },
      {
        lines: [
          '# Title of b',
          'tester · /project · saved',
          '',
          'Only its agent knows what was said.',
        ],
        filetype: 'markdown',
        same: true,
      },
    ]);
    const buffers = () => chat.nvim.lua<number>('return #vim.api.nvim_list_bufs()');
    const before = await buffers();
    await choose(1, null);
    expect(await buffers()).toBe(before - 2);
  });

  test('is made anew when the picker has wiped its buffer out', async () => {
    await list('AcpSessions', rows);
    const count = await chat.nvim.lua<number>(`
      local pick = _G.picks[1]
      vim.api.nvim_buf_delete(pick.opts.preview_item(pick.items[1]).buf, { force = true })
      return vim.api.nvim_buf_line_count(pick.opts.preview_item(pick.items[1]).buf)`);
    expect(count).toBe(6);
  });

  test('is lines for mini.pick, and text in the item for snacks', async () => {
    await list('AcpSessions', rows);
    const [lines, text, opts] = await chat.nvim.lua<[string[], string, object]>(`
      local pick = _G.picks[1]
      _G.MiniPick = { is_picker_active = function() return true end }
      return {
        pick.opts.preview_item(pick.items[2]),
        pick.items[2].preview.text,
        pick.opts.snacks,
      }`);
    expect(lines).toHaveLength(4);
    expect(text).toBe(lines.join('\n'));
    expect(opts).toEqual({ preview: 'preview', layout: { preset: 'default' } });
  });
});

describe('a row that cannot be opened', () => {
  test('since another Neovim has it', async () => {
    await list('AcpSessions', [row('a', { state: 'busy', can: ['fork'] })]);
    await choose(1, 1);
    await eventually(async () =>
      expect(await messages()).toBe(
        'acp: “Title of a” is open in another Neovim: close it there, or :AcpSessions fork',
      ),
    );
    expect(await calls()).toEqual([]);
  });

  test('since nobody has it any more; with a transcript here it can', async () => {
    const gone = row('a', { state: 'gone', stored: false });
    await list('AcpSessions', [gone]);
    await choose(1, 1);
    await eventually(async () =>
      expect(await messages()).toBe(
        'acp: tester has forgotten “Title of a”, and nothing of it is kept here',
      ),
    );
    await chat.nvim.command('AcpSessions');
    await answer((await asked(2)).id, [row('b', { state: 'gone' })]);
    await labels(2);
    await choose(2, 1);
    expect(await calls()).toEqual([['open_row', 'b']]);
  });
});

describe('an action other than to open', () => {
  test('is offered for those rows that take it', async () => {
    const rows = [row('a', { can: ['fork'] }), row('b', { can: ['rename'] })];
    expect(await list('AcpSessions fork', rows)).toEqual(['  Title of a  tester  saved']);
    await choose(1, 1);
    expect(await calls()).toEqual([['open_row', 'a', { fork: true }]]);
  });

  test('that no row takes names the agents that do not offer it', async () => {
    await chat.nvim.command('AcpSessions fork');
    await answer((await asked()).id, [row('a'), row('b', { agent: 'codex' }), row('c')]);
    await eventually(async () =>
      expect(await messages()).toBe('acp: no session to fork: tester, codex cannot'),
    );
  });

  test('renames to what is typed; as it was, or nothing, changes nothing', async () => {
    await list('AcpSessions rename', [row('a', { can: ['rename'] })]);
    await choose(1, 1);
    expect(await chat.nvim.lua('return _G.input')).toEqual({
      prompt: 'Title: ',
      default: 'Title of a',
    });
    await chat.nvim.lua(`_G.confirm('Title of a') _G.confirm('  ') _G.confirm(nil)`);
    await chat.nvim.lua('_G.confirm(...)', ' A better\tone ');
    await eventually(() =>
      expect(chat.sent('sessions.rename')).toMatchObject([
        { row: 'a', agent: { name: 'tester', command: 'tester' }, title: 'A better one' },
      ]),
    );
  });

  test('deletes after a question that says what goes', async () => {
    await list('AcpSessions delete', [row('a', { can: ['delete'] })]);
    await choose(1, 1);
    expect(await labels(2)).toEqual(['Delete', 'Keep']);
    expect(await chat.nvim.lua('return _G.picks[2].opts.prompt')).toBe(
      'Delete “Title of a”? What goes: the transcript here, and the session that tester keeps where it can.',
    );
    await choose(2, 2);
    await chat.nvim.command('AcpSessions delete');
    await answer((await asked(2)).id, [row('b', { can: ['delete'], stored: false })]);
    await labels(3);
    await choose(3, 1);
    await labels(4);
    expect(await chat.nvim.lua('return _G.picks[4].opts.prompt')).toBe(
      'Delete “Title of b”? What goes: the session that tester keeps.',
    );
    await choose(4, 1);
    await eventually(() =>
      expect(chat.sent('sessions.delete')).toMatchObject([{ row: 'b', agent: { name: 'tester' } }]),
    );
  });

  test('says when an agent is configured no more', async () => {
    await list('AcpSessions delete', [row('a', { can: ['delete'], agent: 'former' })]);
    await choose(1, 1);
    await eventually(async () => expect(await messages()).toContain('no agent "former"'));
    expect(await chat.nvim.lua('return #_G.picks')).toBe(1);
  });

  test('closes only what is open here', async () => {
    const rows = [
      row('a'),
      row('b', { state: 'open', session: 's1' }),
      row('c', { state: 'busy' }),
    ];
    expect(await list('AcpSessions close', rows)).toEqual(['● Title of b  tester  open here']);
    await choose(1, 1);
    expect(await calls()).toEqual([['close', 's1']]);
  });
});

describe('the session of the current chat', () => {
  test.each(['AcpRename x', 'AcpDelete', 'AcpFork'])(
    ':%s has nothing to do before its first prompt',
    async (command) => {
      await status({ state: 'idle' });
      await chat.frame({ cleared: ['key'] });
      await chat.nvim.command(command);
      await eventually(async () =>
        expect(await messages()).toMatch(
          /^acp: nothing to \w+ yet: the session is kept from its first prompt on$/,
        ),
      );
    },
  );

  test('is renamed at once, or as asked for', async () => {
    await status({ can: can({ rename: true }) });
    await chat.nvim.command('AcpRename Another  title');
    await chat.nvim.command('AcpRename');
    expect(await chat.nvim.lua('return _G.input.default')).toBe('Fix it');
    await eventually(() =>
      expect(chat.sent('sessions.rename')).toMatchObject([{ row: 'k1', title: 'Another  title' }]),
    );
    expect(await messages()).toBe('');
  });

  test('is renamed here alone where the agent takes no titles', async () => {
    await status({ can: can({}) });
    await chat.nvim.command('AcpRename New');
    await eventually(async () =>
      expect(await messages()).toBe(
        'acp: renamed here; tester takes no titles: its own list keeps the old one',
      ),
    );
    expect(chat.sent('sessions.rename')).toHaveLength(1);
  });

  test.each([
    [true, 'What goes: the transcript here, and the session that tester keeps.'],
    [false, 'What goes: the transcript here; the session that tester keeps stays.'],
  ])('is closed and deleted after a question (the agent can: %s)', async (able, words) => {
    await status({ state: 'working', can: can({ delete: able }) });
    await chat.nvim.command('AcpDelete');
    await labels(1);
    expect(await chat.nvim.lua('return _G.picks[1].opts.prompt')).toBe(
      `Delete “Fix it”? tester is stopped. ${words}`,
    );
    await choose(1, 1);
    expect(await calls()).toEqual([['close', 's1']]);
    await eventually(() => expect(chat.sent('sessions.delete')).toMatchObject([{ row: 'k1' }]));
  });

  test('is forked, with a prompt for the other one', async () => {
    await status({ can: can({ fork: true }) });
    await chat.nvim.command('AcpFork try it in Rust');
    expect(await calls()).toEqual([['fork', 's1', { text: 'try it in Rust' }]]);
  });

  test('is not forked where the agent cannot: what can be done is said', async () => {
    await status({ can: can({}) });
    await chat.nvim.command('AcpFork');
    await eventually(async () =>
      expect(await messages()).toBe(
        'acp: tester cannot fork: :AcpExport this, and attach it to a new one',
      ),
    );
    expect(await calls()).toEqual([]);
  });
});
