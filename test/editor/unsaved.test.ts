import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { openChat, type ChatFixture } from './chat-fixture';

/** In place of a picker: notes what is asked, and answers when the test does. */
const PICKER = `
  _G.asked = {}
  vim.ui.select = function(items, opts, on_choice)
    local labels = vim.tbl_map(opts.format_item, items)
    table.insert(_G.asked, { prompt = opts.prompt, kind = opts.kind, labels = labels })
    _G.answer = function(label)
      on_choice(vim.iter(items):find(function(item) return opts.format_item(item) == label end))
    end
  end`;

interface Asked {
  prompt: string;
  kind: string;
  labels: string[];
}

class Rig {
  constructor(readonly chat: ChatFixture) {}

  at(name: string): string {
    return join(this.chat.nvim.dir, name);
  }

  /** A buffer with unsaved changes, which is not shown. */
  async change(path: string, text = 'mine'): Promise<void> {
    const at = path.startsWith('/') ? path : this.at(path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, 'old\n');
    await this.lua(
      `local path, text = ...
       local buf = vim.fn.bufadd(path)
       vim.fn.bufload(buf)
       vim.api.nvim_buf_set_lines(buf, 0, -1, true, { text })`,
      at,
      text,
    );
  }

  lua<T = unknown>(code: string, ...args: unknown[]): Promise<T> {
    return this.chat.nvim.lua<T>(code, ...args);
  }

  async asked(): Promise<Asked[]> {
    return Object.values(await this.lua<Asked[]>('return _G.asked'));
  }

  answer(label: string | null): Promise<unknown> {
    return this.lua('_G.answer(...)', label);
  }

  /** Writes `text` into the prompt and sends it. */
  async submit(text: string): Promise<void> {
    await this.lua(
      `local chat = require('acp.chat').get('s1')
       require('acp.ui.prompt').set(chat, ...)
       require('acp.ui.prompt').submit(chat)`,
      text,
    );
  }

  /** What was sent, without when, and what stays in the prompt. */
  sent(): unknown[] {
    return this.chat
      .sent('prompt.send')
      .map((params) => ({ ...(params as object), at: undefined, draft: undefined }));
  }

  disk(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }
}

const start = async (options: object = {}): Promise<Rig> =>
  new Rig(
    await openChat({
      init: `${PICKER} vim.g.test_options = vim.json.decode('${JSON.stringify(options)}')`,
    }),
  );

const LABELS = ['Write them', 'Attach their text', 'Send anyway'];
const ALL = [...LABELS, ...LABELS.map((label) => `${label}, from now on in this project`)];

describe('before a prompt is sent', () => {
  test('nobody is asked where nothing is unsaved, or only what the agent does not see', async () => {
    const rig = await start();
    await rig.change(join(rig.chat.nvim.home, 'elsewhere'));
    await rig.lua('vim.api.nvim_create_buf(true, false)');
    await rig.submit('go');
    expect(await rig.asked()).toEqual([]);
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: 'go' }]));
    expect(await rig.chat.prompt()).toBe('');
  });

  test('unsaved buffers are told, with count and names, and nothing is sent until it is decided', async () => {
    const rig = await start();
    await rig.change('a.lua');
    await rig.change('dir/b.lua');
    await rig.submit('two\nlines');
    expect(await rig.asked()).toEqual([
      {
        prompt: 'The agent does not see 2 unsaved buffers: a.lua, dir/b.lua',
        kind: 'acp.unsaved',
        labels: ALL,
      },
    ]);
    expect(rig.sent()).toEqual([]);
    expect(await rig.chat.prompt()).toBe('two\nlines');
  });

  test('of many, the first are named', async () => {
    const rig = await start();
    for (const name of 'abcdef') await rig.change(name);
    await rig.submit('go');
    expect((await rig.asked())[0]!.prompt).toBe(
      'The agent does not see 6 unsaved buffers: a, b, c, d and 2 more',
    );
  });

  test('folders that the agent has beside its own count too', async () => {
    const rig = await start();
    const root = join(rig.chat.nvim.home, 'root');
    await rig.change(join(root, 'a'));
    await rig.lua("require('acp.chat').get('s1').agent.roots = { ... }", root);
    await rig.submit('go');
    expect((await rig.asked())[0]!.prompt).toMatch(/1 unsaved buffer: .*root\/a$/);
  });
});

describe('the choice', () => {
  test('to write them saves each as the user would, and then sends', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.change('b');
    await rig.lua(`_G.written = 0
      vim.api.nvim_create_autocmd('BufWritePre', { callback = function() _G.written = _G.written + 1 end })`);
    await rig.submit('go');
    await rig.answer('Write them');
    expect([rig.disk('a'), rig.disk('b')]).toEqual(['mine\n', 'mine\n']);
    expect(await rig.lua('return _G.written')).toBe(2);
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: 'go' }]));
    expect(await rig.chat.prompt()).toBe('');
    expect(rig.chat.sent('buffer.saved')).toHaveLength(2);
  });

  test('to attach their text sends whole buffers and leaves them unsaved', async () => {
    const rig = await start();
    await rig.change('a.lua', 'é');
    await rig.lua("vim.bo[vim.fn.bufnr('a.lua')].filetype = 'lua'");
    await rig.submit('go');
    await rig.answer('Attach their text');
    await eventually(() =>
      expect(rig.sent()).toEqual([
        {
          session: 's1',
          text: 'go',
          attachments: [{ type: 'text', path: rig.at('a.lua'), text: 'é\n', filetype: 'lua' }],
        },
      ]),
    );
    expect(rig.disk('a.lua')).toBe('old\n');
  });

  test('to send anyway sends, and is asked again the next time', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.submit('one');
    await rig.answer('Send anyway');
    await rig.submit('two');
    expect(await rig.asked()).toHaveLength(2);
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: 'one' }]));
  });

  test('of nothing sends nothing: the text and what was attached stay', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.lua(
      `require('acp.chat').open({ text = 'from a command', attachments = { { type = 'text', text = 'x\\n' } } })`,
    );
    await rig.answer(null);
    expect(rig.sent()).toEqual([]);
    expect(await rig.chat.prompt()).toBe('from a command');
    await rig.lua("require('acp.ui.prompt').submit(require('acp.chat').get('s1'))");
    await rig.answer('Send anyway');
    await eventually(() =>
      expect(rig.sent()).toEqual([
        { session: 's1', text: 'from a command', attachments: [{ type: 'text', text: 'x\n' }] },
      ]),
    );
    expect(await rig.chat.prompt()).toBe('');
  });

  test('that never comes leaves the text in the prompt; asked again, it is sent once', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.submit('go');
    await rig.lua('_G.first = _G.answer');
    expect(await rig.chat.prompt()).toBe('go');
    await rig.submit('go on');
    await rig.answer('Send anyway');
    await rig.lua("_G.first('Send anyway')");
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: 'go on' }]));
    expect(await rig.chat.prompt()).toBe('');
  });

  test('leaves what was typed meanwhile', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.submit('go');
    await rig.lua("require('acp.ui.prompt').set(require('acp.chat').get('s1'), 'go\\nthe next')");
    await rig.answer('Send anyway');
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: 'go' }]));
    expect(await rig.chat.prompt()).toBe('the next');
  });

  test('is kept for the project, over restarts, and not for others', async () => {
    const rig = await start();
    await rig.change('a');
    await rig.submit('one');
    await rig.answer('Attach their text, from now on in this project');
    await rig.submit('two');
    expect(await rig.asked()).toHaveLength(1);
    await eventually(() => expect(rig.sent()).toHaveLength(2));
    const file = join(await rig.lua<string>("return vim.fn.stdpath('state')"), 'acp/projects.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      [rig.chat.nvim.dir]: { unsaved: 'attach' },
    });
    // As another folder would have it, and as Neovim finds it when it is started anew.
    writeFileSync(file, JSON.stringify({ '/elsewhere': { unsaved: 'send' } }));
    await rig.submit('three');
    expect(await rig.asked()).toHaveLength(2);
    await rig.answer('Send anyway, from now on in this project');
    await eventually(() => expect(rig.sent()).toHaveLength(3));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      '/elsewhere': { unsaved: 'send' },
      [rig.chat.nvim.dir]: { unsaved: 'send' },
    });
    writeFileSync(file, '{ broken');
    await rig.submit('four');
    expect(await rig.asked()).toHaveLength(3);
    await eventually(async () => expect(await rig.chat.nvim.messages()).toContain('projects.json'));
  });
});

describe('what cannot be written', () => {
  const unsent = async (rig: Rig, why: RegExp): Promise<void> => {
    await rig.lua("require('acp.ui.prompt').set(require('acp.chat').get('s1'), '')");
    await rig.chat.nvim.input('<Esc>igo<C-s>');
    await rig.chat.nvim.waitForScreen('not sent');
    expect(await rig.chat.nvim.messages()).toMatch(why);
    expect(rig.sent()).toEqual([]);
    expect(await rig.chat.prompt()).toBe('go');
    expect(await rig.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  };

  test('a read-only file', async () => {
    const rig = await start({ unsaved: 'write' });
    await rig.change('a');
    await rig.lua("vim.bo[vim.fn.bufnr('a')].readonly = true");
    await unsent(rig, /not sent: a: .*readonly/);
    await rig.lua("vim.bo[vim.fn.bufnr('a')].readonly = false");
    chmodSync(rig.at('a'), 0o444);
    await rig.lua("vim.cmd('messages clear')");
    if (process.getuid?.() !== 0) await unsent(rig, /not sent: a: /);
  });

  test('an autocommand that fails', async () => {
    const rig = await start({ unsaved: 'write' });
    await rig.change('a');
    await rig.lua(
      "vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('no way') end })",
    );
    await unsent(rig, /not sent: a: BufWritePre: .*no way/);
    expect(rig.disk('a')).toBe('old\n');
  });

  test('a file that was changed meanwhile', async () => {
    const rig = await start({ unsaved: 'write' });
    await rig.change('a');
    writeFileSync(rig.at('a'), 'theirs\n');
    await unsent(rig, /not sent: a was changed on disk/);
    expect(rig.disk('a')).toBe('theirs\n');
  });
});

describe('the option `unsaved`', () => {
  test.each(['write', 'attach', 'send'])('%s asks nothing', async (unsaved) => {
    const rig = await start({ unsaved });
    await rig.change('a');
    await rig.submit('go');
    expect(await rig.asked()).toEqual([]);
    await eventually(() => expect(rig.sent()).toHaveLength(1));
    expect(rig.disk('a')).toBe(unsaved === 'write' ? 'mine\n' : 'old\n');
    expect('attachments' in (rig.sent()[0] as object)).toBe(unsaved === 'attach');
  });
});

describe('a command of the agent', () => {
  const commands = [{ name: 'compact', description: 'Compact.' }];

  test('alone is sent without a question, but it is said; nothing is attached to it', async () => {
    const rig = await start();
    await rig.chat.status({ commands });
    await rig.change('a');
    await rig.submit('/compact ');
    await eventually(() => expect(rig.sent()).toEqual([{ session: 's1', text: '/compact ' }]));
    expect(await rig.asked()).toEqual([]);
    await eventually(async () =>
      expect(await rig.chat.nvim.messages()).toContain(
        'the agent does not see 1 unsaved buffer: a',
      ),
    );
  });

  test('with words behind it is asked about like others, and so is a path', async () => {
    const rig = await start();
    await rig.chat.status({ commands });
    await rig.change('a');
    await rig.submit('/compact all');
    await rig.submit('/tmp');
    expect(await rig.asked()).toHaveLength(2);
  });
});

test('the sidecar gets the unsaved texts below roots, as they would be on disk', async () => {
  const rig = await start();
  await rig.change('dir/a', 'é');
  await rig.change('dir2/b');
  await rig.lua("vim.bo[vim.fn.bufnr('dir/a')].fileformat = 'dos'");
  expect(
    await rig.lua("return require('acp.rpc').call('buffers.unsaved', ...)", {
      roots: [rig.at('dir')],
    }),
  ).toEqual([{ path: rig.at('dir/a'), text: 'é\r\n' }]);
});
