import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness';
import { numbered, openChat, put } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';

const currentFile = (chat: ChatFixture) =>
  chat.nvim.lua<[string, number, number]>(`
    local cursor = vim.api.nvim_win_get_cursor(0)
    return { vim.fn.expand('%:t'), cursor[1], cursor[2] }`);
const cursor = async (chat: ChatFixture) => (await chat.place()).cursor[0];
async function open(chat: ChatFixture, opts: object): Promise<void> {
  await chat.nvim.input('<Esc>');
  await eventually(() => expect(chat.nvim.mode).toBe('normal'));
  await chat.nvim.lua(`require('acp.chat').open(...)`, opts);
}

describe('chats', () => {
  test('typing is possible at once', async () => {
    const chat = await openChat();
    await chat.nvim.input('hello');
    await eventually(async () => expect(await chat.prompt()).toBe('hello'));
    expect(chat.nvim.mode).toBe('insert');
  });

  test('text is sent, and the prompt is ready in normal mode', async () => {
    const chat = await openChat();
    await open(chat, { text: 'do it', attachments: [{ type: 'file', path: '/a' }] });
    await eventually(() =>
      expect(chat.sent('prompt.send')).toMatchObject([
        { session: 's1', text: 'do it', attachments: [{ type: 'file', path: '/a' }] },
      ]),
    );
    await eventually(() => expect(chat.nvim.mode).toBe('normal'));
  });

  test('each tab has its own, and another agent or a new one takes its place', async () => {
    const chat = await openChat({
      init: `vim.g.test_options = { agents = { other = { command = 'other' } } }`,
    });
    const current = () => chat.nvim.lua(`return require('acp.chat').current().session`);
    expect(await current()).toBe('s1');
    await open(chat, { agent: 'tester' });
    expect(await current()).toBe('s1');
    await open(chat, { agent: 'other' });
    expect(await current()).toBe('s2');
    await open(chat, { agent: 'other', new: true });
    expect(await current()).toBe('s3');
    expect(await chat.nvim.lua(`return vim.fn.winnr('$')`)).toBe(3);
    await chat.nvim.command('stopinsert | tabnew');
    expect(await chat.nvim.lua(`return require('acp.chat').current() == nil`)).toBe(true);
    await open(chat, { agent: 'tester' });
    expect(await current()).toBe('s4');
    await chat.nvim.command('stopinsert | tabprevious');
    expect(await current()).toBe('s3');
  });

  test('a hidden one keeps up, and shows its end when it comes back', async () => {
    const chat = await openChat();
    await chat.nvim.command(`lua require('acp').hide()`);
    await chat.ops(put('a', numbered(200)));
    await chat.status({ state: 'idle' });
    expect(await chat.lines()).toHaveLength(200);
    await open(chat, {});
    await chat.nvim.waitForScreen('line 200');
  });

  test('frames of a session that is gone are nothing to be said about', async () => {
    const chat = await openChat();
    await chat.frame({ ops: [put('a', ['x'])], status: { state: 'idle' } }, 's99');
    expect(await chat.nvim.messages()).toBe('');
  });

  test('an unknown agent is named', async () => {
    const chat = await openChat();
    await open(chat, { agent: 'nobody' });
    await chat.nvim.waitForScreen('no agent "nobody"');
    await chat.nvim.input('<CR>');
  });

  test('the sidecar is told a new width once it lasts', async () => {
    const chat = await openChat();
    await chat.nvim.command('vertical resize 70');
    await chat.nvim.command('vertical resize 60');
    await eventually(() =>
      expect(chat.sent('view.resize')).toEqual([{ session: 's1', columns: 60 }]),
    );
    await chat.nvim.command('resize 10');
    await chat.nvim.command('vertical resize 61');
    await eventually(() => expect(chat.sent('view.resize')).toHaveLength(2));
  });
});

describe('a session of the list that is opened', () => {
  test('twice has one chat', async () => {
    const chat = await openChat();
    const again = () =>
      chat.nvim.lua<string[]>(`
        local row = { id = 'row-1', agent = 'tester', cwd = vim.fn.getcwd() }
        require('acp.chat').open_row(row)
        return vim.tbl_map(function(it) return it.session end, require('acp.chat').list())`);
    expect(await again()).toEqual(['s1', 's2']);
    expect(await again()).toEqual(['s1', 's2']);
  });
});

describe('when the sidecar is lost', () => {
  const lose = (chat: ChatFixture) => chat.nvim.lua(`require('acp.incoming').sidecar_lost(9)`);

  test('the transcript stays, says so, and nothing turns any more', async () => {
    const chat = await openChat();
    await chat.ops(put('a', ['⠋ Run'], { facts: [{ row: 0, spin: true }] }));
    await chat.status({
      state: 'working',
      since: Date.now(),
      queue: [{ id: 'b1', text: 'x', attachments: 0 }],
    });
    await lose(chat);
    expect(await chat.lines()).toEqual([
      '⠋ Run',
      '',
      '✗ The sidecar ended with code 9',
      '  The next prompt starts a new session.',
    ]);
    await chat.nvim.waitForScreen('ended');
    await eventually(async () =>
      expect(await chat.nvim.lua(`return require('acp.ui.ticker').active()`)).toBe(false),
    );
  });

  test('the next prompt opens the session anew, and its blocks come behind what is there', async () => {
    const chat = await openChat();
    await chat.ops(put('b1', ['old']));
    await lose(chat);
    await open(chat, { text: 'again' });
    await eventually(() => expect(chat.sent('prompt.send')).toHaveLength(1));
    expect(chat.sent('session.open')).toHaveLength(2);
    await chat.ops(put('b1', ['new']), put('b2', ['newer'], { after: 'b1' }));
    await chat.ops({ op: 'append', id: 'b1', text: '!', marks: [] });
    expect((await chat.lines()).slice(0, 1)).toEqual(['old']);
    expect((await chat.lines()).slice(-2)).toEqual(['new!', 'newer']);
    await lose(chat);
    expect((await chat.lines()).filter((line) => line.startsWith('✗'))).toHaveLength(2);
  });

  describe('what was sent and is not kept yet', () => {
    interface Sent {
      at: number;
      text: string;
      attachments?: unknown[];
    }
    const sent = (chat: ChatFixture) => chat.sent('prompt.send') as Sent[];
    const taken = (chat: ChatFixture, at: number) =>
      chat.nvim.lua(`require('acp.rpc').call('prompt.taken', ...)`, {
        session: 's1',
        at,
        key: 'the-key',
      });

    test('is sent again to the next one, in its order and by its name', async () => {
      const chat = await openChat();
      await open(chat, { text: 'one' });
      await open(chat, { text: 'two', attachments: [{ type: 'file', path: '/p/a' }] });
      await open(chat, { text: 'three' });
      await eventually(() => expect(sent(chat)).toHaveLength(3));
      const [one, two, three] = sent(chat);
      expect(one!.at < two!.at && two!.at < three!.at).toBe(true);
      await taken(chat, one!.at);
      await lose(chat);
      await eventually(() => expect(sent(chat)).toHaveLength(5));
      expect(chat.sent('session.open')).toHaveLength(2);
      const { text, at, attachments } = two!;
      expect(sent(chat)[3]).toEqual({ session: 's1', text, at, attachments });
      expect(sent(chat)[4]).toMatchObject({ text: 'three', at: three!.at });
    });

    test('goes back to the prompt when the next one ends too', async () => {
      const chat = await openChat();
      await open(chat, { text: 'one' });
      await eventually(() => expect(sent(chat)).toHaveLength(1));
      await lose(chat);
      await eventually(() => expect(sent(chat)).toHaveLength(2));
      await lose(chat);
      await eventually(async () => expect(await chat.prompt()).toBe('one'));
      expect(sent(chat)).toHaveLength(2);
    });

    test('goes back to the prompt when there is no next one', async () => {
      const chat = await openChat();
      await open(chat, { text: 'one' });
      await eventually(() => expect(sent(chat)).toHaveLength(1));
      await chat.nvim.lua('vim.g.no_sidecar = true');
      await lose(chat);
      await eventually(async () => expect(await chat.prompt()).toBe('one'));
    });

    test('starts nothing where all was kept', async () => {
      const chat = await openChat();
      await open(chat, { text: 'one' });
      await eventually(() => expect(sent(chat)).toHaveLength(1));
      await taken(chat, sent(chat)[0]!.at);
      await lose(chat);
      await open(chat, { text: 'two' });
      await eventually(() => expect(sent(chat)).toHaveLength(2));
      expect(sent(chat)[1]).toMatchObject({ text: 'two' });
      expect(chat.sent('session.open')[1]).toMatchObject({ from: 'the-key' });
    });
  });

  test('a chat that was never opened is not touched', async () => {
    const chat = await openChat({ init: 'vim.g.no_sidecar = true' });
    await lose(chat);
    expect(await chat.lines()).toEqual(['']);
  });
});

describe('keys of the transcript', () => {
  const card = put('card', ['', '✓ Read  src/a.txt', '  text'], {
    after: 'u',
    kind: 'tool',
    foldable: true,
    links: [{ row: 1, path: 'src/a.txt', line: 2 }],
  });

  async function withFiles(): Promise<ChatFixture> {
    const chat = await openChat();
    mkdirSync(join(chat.nvim.dir, 'src'));
    writeFileSync(join(chat.nvim.dir, 'src/a.txt'), 'one\ntwo\nthree\n');
    await chat.ops(
      put('u', ['▌ look at (src/a.txt:3:2), please', '▌ or `nothing.py`'], { kind: 'user' }),
      card,
      put('m', ['', 'Done.', '```lua', 'return 1', '```', 'bye'], {
        after: 'card',
        fences: [{ first: 3, last: 3, lang: 'lua', indent: 0 }],
      }),
    );
    await chat.focusTranscript();
    return chat;
  }

  test.each(['gf', '<CR>'])('%s opens the link of a row in a window for code', async (key) => {
    const chat = await withFiles();
    await chat.nvim.input(`4G${key}`);
    await eventually(async () => expect(await currentFile(chat)).toEqual(['a.txt', 2, 0]));
    expect(await chat.nvim.lua(`return vim.fn.winnr('$')`)).toBe(3);
  });

  test('gf opens the path under the cursor at its line and column', async () => {
    const chat = await withFiles();
    await chat.nvim.input('1G0fsgf');
    await eventually(async () => expect(await currentFile(chat)).toEqual(['a.txt', 3, 1]));
  });

  test('gf makes a window for code where there is none, and says when there is no path', async () => {
    const chat = await withFiles();
    await chat.nvim.input('<C-w>h:q<CR>2G$gf');
    await eventually(async () => expect(await chat.nvim.messages()).toMatch(/no path here/));
    await chat.nvim.input('4Ggf');
    await eventually(async () => expect((await currentFile(chat))[0]).toBe('a.txt'));
    expect(await chat.nvim.lua(`return vim.fn.winnr('$')`)).toBe(3);
  });

  test('a file that is gone is named', async () => {
    const chat = await withFiles();
    await chat.ops(put('card', ['x'], { links: [{ row: 0, path: 'gone.py' }] }));
    await chat.nvim.input('3Ggf');
    await eventually(async () => expect(await chat.nvim.messages()).toMatch(/no gone\.py/));
  });

  test('<CR> on a card with a question asks it', async () => {
    const chat = await withFiles();
    await chat.nvim.lua(`
      package.loaded['acp.ui.permission'] = { ask = function(session) vim.g.asked = session end }`);
    await chat.ops({ ...card, question: 'q1' });
    await chat.nvim.input('4G<CR>');
    await eventually(async () => expect(await chat.nvim.lua('return vim.g.asked')).toBe('s1'));
  });

  test('za, zR, zM, K and gd tell the sidecar the block', async () => {
    const chat = await withFiles();
    await chat.nvim.input('5GzazRzMKgd<CR>');
    await eventually(() => {
      expect(chat.sent('block.fold')).toEqual([
        { session: 's1', block: 'card' },
        { session: 's1', expanded: true },
        { session: 's1', expanded: false },
        { session: 's1', block: 'card' },
      ]);
      expect(chat.sent('block.inspect')).toEqual([{ session: 's1', block: 'card' }]);
      expect(chat.sent('block.diff')).toEqual([{ session: 's1', block: 'card' }]);
    });
  });

  test(']] and [[ walk the blocks, with a count and as motions', async () => {
    const chat = await withFiles();
    const at = (line: number) => eventually(async () => expect(await cursor(chat)).toBe(line));
    await chat.nvim.input('gg]]');
    await at(4);
    await chat.nvim.input('gg2]]');
    await at(7);
    await chat.nvim.input('G[[');
    await at(7);
    await chat.nvim.input('2[[');
    await at(1);
    await chat.nvim.input('ggy]]');
    await eventually(async () =>
      expect(await chat.nvim.lua(`return vim.fn.getreg('"')`)).toMatch(/^▌ look.*\n▌ or.*\n\n?$/s),
    );
  });

  test('ib and ab are the block, yc its code', async () => {
    const chat = await withFiles();
    const register = () => chat.nvim.lua(`return vim.fn.getreg('"')`);
    await chat.nvim.input('5Gyib');
    await eventually(async () => expect(await register()).toBe('✓ Read  src/a.txt\n  text\n'));
    await chat.nvim.input('5Gvaby');
    await eventually(async () => expect(await register()).toBe('\n✓ Read  src/a.txt\n  text\n'));
    await chat.nvim.input('9Gyc');
    await eventually(async () => expect(await register()).toBe('return 1\n'));
    expect(await chat.nvim.messages()).toContain('1 line of code yanked');
  });

  test('i goes to the prompt in insert mode', async () => {
    const chat = await withFiles();
    await chat.nvim.input('ihello');
    await eventually(async () => expect(await chat.prompt()).toBe('hello'));
  });
});
