import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

class Rig {
  constructor(readonly chat: ChatFixture) {}

  at(name: string): string {
    return join(this.chat.nvim.dir, name);
  }

  make(name: string, text: string): string {
    writeFileSync(this.at(name), text);
    return this.at(name);
  }

  /** In a window beside the chat. */
  async edit(name: string, text?: string): Promise<void> {
    if (text !== undefined) this.make(name, text);
    await this.lua("vim.cmd.stopinsert() vim.cmd('tab drop ' .. ...)", this.at(name));
  }

  lua<T>(code: string, ...args: unknown[]): Promise<T> {
    return this.chat.nvim.lua<T>(code, ...args);
  }

  text(name: string): Promise<string[]> {
    return this.lua(
      'return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)',
      this.at(name),
    );
  }

  async becomes(name: string, lines: string[]): Promise<void> {
    await eventually(async () => expect(await this.text(name)).toEqual(lines));
  }

  /** The watched folders below the project. */
  async folders(): Promise<string[]> {
    const all = await this.lua<string[] | object>("return require('acp.watch').folders()");
    return Object.values(all as string[]).map((path) => path.replace(this.chat.nvim.dir, '.'));
  }

  saved(): unknown[] {
    return this.chat.sent('buffer.saved');
  }
}

const start = async (init = ''): Promise<Rig> => new Rig(await openChat({ init }));

describe('while there is a chat', () => {
  test('files that anybody changes are read anew, by themselves', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.edit('b', 'old\n');
    rig.make('a', 'new\n');
    await rig.becomes('a', ['new']);
    rig.make('b.tmp', 'renamed\n');
    renameSync(rig.at('b.tmp'), rig.at('b'));
    await rig.becomes('b', ['renamed']);
    appendFileSync(rig.at('b'), 'more\n');
    await rig.becomes('b', ['renamed', 'more']);
  });

  test('AcpFileChanged names the session that is at work there, where it is one alone', async () => {
    const rig = await start(`_G.sessions = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileChanged', callback = function(args)
        table.insert(_G.sessions, args.data.session or 'none')
      end })`);
    await rig.edit('a', 'old\n');
    const change = async (text: string): Promise<void> => {
      rig.make('a', `${text}\n`);
      await rig.becomes('a', [text]);
    };
    await change('idle');
    await rig.chat.status({ state: 'working' });
    await change('working');
    await rig.lua("require('acp.chat').open({ new = true })");
    await rig.chat.frame({ status: { state: 'working' } }, 's2');
    await change('both');
    expect(await rig.lua('return _G.sessions')).toEqual(['none', 's1', 'none']);
  });

  test('a modified buffer is told as a conflict, and no question of Neovim comes', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'new\n');
    await eventually(() =>
      expect(rig.chat.sent('buffer.conflict')).toEqual([{ path: rig.at('a'), text: 'mine\n' }]),
    );
    await rig.lua("vim.cmd('checktime')");
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });

  test('where Neovim notices first it asks nothing and says nothing', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.edit('b', 'old\n');
    await rig.edit('c', 'old\n');
    await rig.lua(`vim.o.autoread = false
      vim.api.nvim_buf_set_lines(vim.fn.bufnr('a'), 0, -1, true, { 'mine' })`);
    rig.make('a', 'new\n');
    rig.make('b', 'new\n');
    rmSync(rig.at('c'));
    await rig.lua("vim.cmd('checktime')");
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
    expect(await rig.chat.nvim.messages()).not.toMatch(/W1\d|E211/);
    await rig.becomes('b', ['new']);
    expect(await rig.text('a')).toEqual(['mine']);
  });

  test('deleted files are told in one message, when they stay away', async () => {
    const rig = await start();
    for (const name of ['a', 'b', 'c']) await rig.edit(name, 'old\n');
    for (const name of ['a', 'b', 'c']) rmSync(rig.at(name));
    rig.make('c', 'back\n');
    await eventually(async () =>
      expect(await rig.chat.nvim.messages()).toMatch(
        /deleted on disk, still in a buffer: .*a, .*b$/m,
      ),
    );
    await rig.becomes('c', ['back']);
    rig.make('a', 'back\n');
    await rig.becomes('a', ['back']);
  });

  test('the folders of loaded buffers are watched, each once, and no others', async () => {
    const rig = await start();
    mkdirSync(rig.at('dir'));
    mkdirSync(rig.at('other'));
    symlinkSync('dir/a', rig.at('link'));
    await rig.edit('dir/a', 'a\n');
    await rig.edit('dir/b', 'b\n');
    await rig.edit('link');
    await rig.edit('other/c', 'c\n');
    await rig.edit('nowhere/d');
    await eventually(async () => expect(await rig.folders()).toEqual(['./dir', './other']));
    rig.make('dir/a', 'by the link\n');
    await rig.becomes('link', ['by the link']);
    await rig.lua("vim.cmd('bwipeout! ' .. ...)", rig.at('other/c'));
    await eventually(async () => expect(await rig.folders()).toEqual(['./dir']));
  });

  test('a folder that was deleted and made anew is watched again', async () => {
    const rig = await start();
    mkdirSync(rig.at('dir'));
    await rig.edit('dir/a', 'old\n');
    await eventually(async () => expect(await rig.folders()).toEqual(['./dir']));
    rmSync(rig.at('dir'), { recursive: true });
    mkdirSync(rig.at('dir'));
    rig.make('dir/a', 'back\n');
    await rig.lua("require('acp.watch').check()");
    await rig.becomes('dir/a', ['back']);
    rig.make('dir/a', 'again\n');
    await rig.becomes('dir/a', ['again']);
  });

  test('a folder that cannot be watched is no error: its files are looked at after tool calls', async () => {
    const rig = await start(`
      local new = vim.uv.new_fs_event
      vim.uv.new_fs_event = function()
        local handle = new()
        return setmetatable({}, { __index = function(_, name)
          if name == 'start' then return function() return nil, 'ENOSPC: no space left', 'ENOSPC' end end
          return function(_, ...) return handle[name](handle, ...) end
        end })
      end`);
    await rig.edit('a', 'old\n');
    rig.make('a', 'new\n');
    await rig.lua("require('acp.rpc').call('buffers.check', {})");
    expect(await rig.text('a')).toEqual(['new']);
    expect(await rig.chat.nvim.messages()).toBe('');
  });

  test('its end is the end of watching', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await eventually(async () => expect(await rig.folders()).toEqual(['.']));
    await rig.lua("vim.api.nvim_buf_delete(require('acp.chat').get('s1').buf, { force = true })");
    await eventually(async () => expect(await rig.folders()).toEqual([]));
    expect(await rig.lua("return pcall(vim.api.nvim_get_autocmds, { group = 'acp.watch' })")).toBe(
      false,
    );
  });
});

describe('what the user saves', () => {
  test('is told with the text before and after', async () => {
    const rig = await start();
    await rig.edit('a', 'old\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'new' }) vim.cmd('silent write')");
    await rig.lua(
      "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'newer' }) vim.cmd('silent write')",
    );
    await eventually(() =>
      expect(rig.saved()).toEqual([
        { path: rig.at('a'), before: 'old\n', text: 'new\n' },
        { path: rig.at('a'), before: 'new\n', text: 'newer\n' },
      ]),
    );
  });

  test('in other encodings and line ends, as it is read', async () => {
    const rig = await start();
    writeFileSync(rig.at('a'), Buffer.from('caf\xe9\r\n', 'latin1'));
    await rig.edit('a');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'thé' }) vim.cmd('silent write')");
    await eventually(() =>
      expect(rig.saved()).toEqual([{ path: rig.at('a'), before: 'café\r\n', text: 'thé\r\n' }]),
    );
  });

  test('in an encoding that only Neovim knows byte by byte, as the sidecar reads it', async () => {
    const rig = await start("vim.o.fileencodings = 'utf-8,cp1251'");
    writeFileSync(rig.at('a'), Buffer.from('\xcf\xf0\n', 'latin1'));
    await rig.edit('a');
    expect(await rig.text('a')).toEqual(['Пр']);
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'ПП' })");
    const roots = [rig.at('').replace(/\/$/, '')];
    expect(
      await rig.lua("return require('acp.rpc').call('buffers.unsaved', ...)", { roots }),
    ).toEqual([{ path: rig.at('a'), text: 'ÏÏ\n' }]);
    await rig.lua("vim.cmd('silent write')");
    await eventually(() =>
      expect(rig.saved()).toEqual([{ path: rig.at('a'), before: 'Ïð\n', text: 'ÏÏ\n' }]),
    );
  });

  test('has no text before where the file is new, or was overwritten unseen', async () => {
    const rig = await start();
    await rig.edit('new');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a' }) vim.cmd('silent write')");
    await rig.edit('a', 'old\n');
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })");
    rig.make('a', 'theirs\n');
    await eventually(() => expect(rig.chat.sent('buffer.conflict')).toHaveLength(1));
    await rig.lua("vim.cmd('silent write!')");
    await eventually(() =>
      expect(rig.saved()).toEqual([
        { path: rig.at('new'), text: 'a\n' },
        { path: rig.at('a'), text: 'mine\n' },
      ]),
    );
  });

  test('counts below the folders of an agent only, and where it was not an agent that wrote', async () => {
    const rig = await start();
    const outside = join(rig.chat.nvim.home, 'outside');
    await rig.lua(
      "vim.cmd('tabnew ' .. ...) vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a' }) vim.cmd('silent write')",
      outside,
    );
    await rig.edit('a', 'old\n');
    await rig.lua("require('acp.rpc').call('buffer.write', ...)", {
      path: rig.at('a'),
      text: 'by the agent\n',
    });
    await rig.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'b' }) vim.cmd('silent write')");
    await eventually(() =>
      expect(rig.saved()).toEqual([{ path: rig.at('a'), before: 'by the agent\n', text: 'b\n' }]),
    );
  });
});

test('300 buffers are looked at in a moment, the first time too', async () => {
  const rig = await start();
  const [first, later] = await rig.lua<[number, number]>(
    `for i = 1, 300 do
       local path = ('%s/%d'):format(..., i)
       vim.fn.writefile({ 'text' }, path)
       vim.fn.bufload(vim.fn.bufadd(path))
     end
     local function check()
       local start = vim.uv.hrtime()
       require('acp.watch').check()
       return (vim.uv.hrtime() - start) / 1e6
     end
     return { check(), check() }`,
    rig.chat.nvim.dir,
  );
  if (process.env['MEASURE']) console.log(first, later);
  expect(first).toBeLessThan(1000);
  expect(later).toBeLessThan(200);
});

test.each(['a\nb', '\'"\\<x>|', '%#', ' -x', '[a]*{b,c}', '$HOME `id`'])(
  'a file of the name %j is read anew, as any other',
  async (name) => {
    const rig = await start();
    rig.make(name, 'old\n');
    await rig.lua(
      `vim.cmd.stopinsert() vim.cmd.tabnew()
      vim.api.nvim_set_current_buf(vim.fn.bufadd(...))
      vim.bo.buflisted = true`,
      rig.at(name),
    );
    const text = () => rig.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, true)');
    expect(await text()).toEqual(['old']);
    rig.make(name, 'new\n');
    await eventually(async () => expect(await text()).toEqual(['new']));
  },
);

test('a large file is read whole when it is written no more; with unsaved changes it is held back', async () => {
  const rig = await start();
  await rig.lua(`changes = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileChanged', callback = function(args)
      table.insert(changes, args.data.hunks)
    end })`);
  await rig.edit('a', 'old\n');
  const large = 'a line of a log\n'.repeat(1_200_000);
  rig.make('a', large);
  const count = () => rig.lua('return vim.api.nvim_buf_line_count(0)');
  await eventually(async () => expect(await count()).toBe(1_200_000));
  expect(await rig.lua('return changes')).toEqual([
    [{ old_start: 1, old_count: 1, new_start: 1, new_count: 1_200_000 }],
  ]);
  await rig.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'typed' })");
  rig.make('a', `${large}more\n`);
  await eventually(async () =>
    expect(
      await rig.lua("return require('acp.conflict').is_open(vim.api.nvim_get_current_buf())"),
    ).toBe(true),
  );
  expect(await rig.lua('return vim.api.nvim_get_current_line()')).toBe('typed');
});

test('what the user saves without autocommands is told all the same, what others touch is not', async () => {
  const rig = await start();
  await rig.edit('a', 'old\n');
  await rig.edit('b', 'old\n');
  await rig.edit('c', 'old\n');
  await rig.lua("vim.cmd('normal! Atyped') vim.cmd('noautocmd write')");
  rig.make('b', 'agent\n');
  await rig.becomes('b', ['agent']);
  rig.make('b', 'agent\n');
  await eventually(() => expect(rig.saved()).toEqual([{ path: rig.at('c'), text: 'oldtyped\n' }]));
  await rig.lua("require('acp.rpc').call('buffers.check', vim.empty_dict())");
  expect(rig.saved()).toHaveLength(1);
});
