/** Completion as a language server: for Neovim's own completion and for plugins. */
import { describe, expect, test } from 'vitest';
import { eventually, nvimVersion } from '../harness';
import { openChat } from './chat-fixture';
import { found, isOpen, menu, offered } from './complete-fixture';
import type { ChatFixture } from './chat-fixture';

interface Item {
  label: string;
  detail?: string;
  labelDetails?: { detail?: string; description?: string };
  documentation?: { kind: string; value: string };
  textEdit: {
    newText: string;
    range: Record<'start' | 'end', { line: number; character: number }>;
  };
  filterText: string;
  sortText: string;
}

interface Answer {
  err?: { code: number; message: string };
  result?: { isIncomplete: boolean; items: Item[] };
}

/** Lua: `client` and `request(method, params)`, whose answer comes to `_G.answer`. */
const CLIENT = `
  local chat = require('acp.chat').get('s1')
  local client = vim.lsp.get_clients({ bufnr = chat.prompt_buf, name = 'acp' })[1]
  local function request(method, params)
    _G.answer = nil
    local function done(err, result)
      _G.answer = { err = err, result = result }
    end
    local new = vim.fn.has('nvim-0.11') == 1
    local _, id
    if new then
      _, id = client:request(method, params, done, chat.prompt_buf)
    else
      _, id = client.request(method, params, done, chat.prompt_buf)
    end
    return id
  end
  local function cancel(id)
    if vim.fn.has('nvim-0.11') == 1 then client:cancel_request(id) else client.cancel_request(id) end
  end
`;

async function complete(chat: ChatFixture): Promise<void> {
  await chat.nvim.lua(`${CLIENT}
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    request('textDocument/completion', params)`);
}

const answered = (chat: ChatFixture): Promise<Answer> =>
  eventually(async () => {
    const answer = await chat.nvim.lua<Answer | null>('return _G.answer');
    expect(answer).not.toBeNull();
    return answer!;
  });

/** No menu of ours, to see what others make of the server. */
const SILENT = `package.loaded['acp.complete.elsewhere'] = { opens = function() return true end }`;

describe('the server', () => {
  test('offers commands with hint and description', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.status({
      commands: [{ name: 'review', description: 'Look *again*\nat it', hint: 'branch' }],
    });
    await chat.nvim.input('/re');
    await eventually(async () => expect(await chat.prompt()).toBe('/re'));
    await complete(chat);
    expect((await answered(chat)).result).toEqual({
      isIncomplete: false,
      items: [
        {
          label: '/review',
          labelDetails: { detail: ' branch', description: 'Look *again* at it' },
          kind: 23,
          detail: 'branch',
          documentation: { kind: 'plaintext', value: 'Look *again*\nat it' },
          textEdit: {
            newText: '/review ',
            range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
          },
          insertTextFormat: 1,
          sortText: '0001',
          filterText: '/review ',
          score_offset: 10,
        },
      ],
    });
  });

  test('offers files when they are found, behind letters of several bytes', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.nvim.input('x<CR>日本 ü @srmn');
    await eventually(async () => expect(await chat.prompt()).toMatch(/mn$/));
    await complete(chat);
    expect(await chat.nvim.lua('return _G.answer')).toBeNull();
    await found(chat, 'srmn', ['src/main.ts', 'src/']);
    const { result } = await answered(chat);
    expect(result!.isIncomplete).toBe(true);
    expect(result!.items.map(({ label }) => label)).toEqual(['@src/main.ts', '@src/']);
    expect(result!.items[0]!.textEdit.range).toEqual({
      start: { line: 1, character: 10 },
      end: { line: 1, character: 15 },
    });
    // Clients that filter by how a name begins keep what was found by its letters.
    expect(result!.items.every(({ filterText }) => filterText.startsWith('@srmn'))).toBe(true);
  });

  test('offers nothing where nothing is being named', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.nvim.input('plain');
    await complete(chat);
    expect((await answered(chat)).result).toEqual({ isIncomplete: false, items: [] });
  });

  test('an answer that does not come is given up, one that is out of date is answered', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.nvim.input('@a');
    await eventually(async () => expect(await chat.prompt()).toBe('@a'));
    await complete(chat);
    await eventually(() => expect(chat.sent('files.find')).toHaveLength(1));
    expect((await answered(chat)).result!.isIncomplete).toBe(true);
  }, 15_000);

  test('says of other methods that they are not there', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`${CLIENT} request('textDocument/hover', {})`);
    expect((await answered(chat)).err).toMatchObject({ code: -32601 });
  });

  test('a cancelled request is done, and its answer is heard of no more', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.nvim.input('@a');
    await eventually(async () => expect(await chat.prompt()).toBe('@a'));
    await chat.nvim.lua(`${CLIENT}
      local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
      cancel(request('textDocument/completion', params))`);
    const pending = () => chat.nvim.lua<number>(`${CLIENT} return vim.tbl_count(client.requests)`);
    await eventually(async () => expect(await pending()).toBe(0));
    expect(chat.sent('files.find')).toEqual([]);
    expect(await chat.nvim.lua('return _G.answer')).toBeNull();
    expect(await chat.nvim.messages()).toBe('');
  });

  test('is attached to the prompt alone, with its filetype set, and ends with it', async () => {
    const chat = await openChat({
      init: `
        vim.api.nvim_create_autocmd('LspAttach', { callback = function(args)
          _G.seen = { vim.bo[args.buf].filetype, args.data.client_id }
        end })`,
    });
    const clients = () => chat.nvim.lua<number>(`return #vim.lsp.get_clients({ name = 'acp' })`);
    expect(await chat.nvim.lua('return _G.seen[1]')).toBe('acp-prompt');
    expect(await chat.nvim.lua(`${CLIENT} return vim.tbl_keys(client.attached_buffers)`)).toEqual([
      await chat.nvim.lua(`return require('acp.chat').get('s1').prompt_buf`),
    ]);
    await chat.nvim.input('<Esc>');
    await chat.nvim.command('edit');
    const attached = () =>
      chat.nvim.lua<number>(`return #vim.lsp.get_clients({ name = 'acp', bufnr = 0 })`);
    await eventually(async () => expect(await attached()).toBe(1));
    await chat.nvim.command('bwipeout!');
    await eventually(async () => expect(await clients()).toBe(0));
    expect(await chat.nvim.messages()).toBe('');
  });

  test('each chat has one', async () => {
    const chat = await openChat();
    await chat.nvim.lua(`require('acp.chat').open({ new = true })`);
    const attached = await chat.nvim.lua(`
      return vim.tbl_map(function(chat)
        return #vim.lsp.get_clients({ bufnr = chat.prompt_buf })
      end, require('acp.chat').list())`);
    expect(attached).toEqual([1, 1]);
  });

  test('handlers of users that map keys and ask for capabilities do no harm', async () => {
    const chat = await openChat({
      init: `
        vim.api.nvim_create_autocmd('LspAttach', { callback = function(args)
          local client = vim.lsp.get_client_by_id(args.data.client_id)
          local supports = function(method)
            if vim.fn.has('nvim-0.11') == 1 then return client:supports_method(method) end
            return client.supports_method(method)
          end
          _G.supported = vim.tbl_filter(supports, {
            'textDocument/hover', 'textDocument/formatting', 'textDocument/documentHighlight',
            'textDocument/semanticTokens/full', 'textDocument/inlayHint', 'textDocument/codeLens',
            'textDocument/documentSymbol', 'textDocument/completion',
          })
          _G.folder = client.workspace_folders[1].name
          for _, lhs in ipairs({ '<C-s>', '<C-k>', '<CR>' }) do
            vim.keymap.set({ 'i', 'n' }, lhs, vim.lsp.buf.signature_help, { buffer = args.buf })
          end
        end })`,
    });
    expect(await chat.nvim.lua('return _G.supported')).toEqual(['textDocument/completion']);
    expect(await chat.nvim.lua('return _G.folder')).toContain(chat.nvim.dir);
    await chat.nvim.input('hello<C-s>');
    await eventually(() => expect(chat.sent('prompt.send')).toMatchObject([{ text: 'hello' }]));
    expect(await chat.nvim.messages()).toBe('');
  });

  test('is in good health', async () => {
    const chat = await openChat();
    await chat.nvim.command('checkhealth vim.lsp');
    const report = await chat.nvim.lua<string>(
      `return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')`,
    );
    expect(report).toMatch(/acp \(id[:=]/);
    expect(report).not.toMatch(/ERROR|attached to multiple|different position/);
  });
});

describe("Neovim's own completion", () => {
  test('|vim.lsp.omnifunc()| shows what we offer', async () => {
    const chat = await openChat({ init: SILENT });
    await chat.status({ commands: [{ name: 'review', description: 'Look again' }] });
    await chat.nvim.lua(`vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'`);
    await chat.nvim.input('/re<C-x><C-o>');
    await offered(chat, ['/review']);
    await chat.nvim.input('<C-u>ü @ma<C-x><C-o>');
    await found(chat, 'ma', ['main.ts', 'src/mail.ts']);
    // Before 0.11 Neovim keeps what begins as it is typed.
    const all = ['@main.ts', ...(nvimVersion() === '0.10' ? [] : ['@src/mail.ts'])];
    await offered(chat, all);
    await chat.nvim.input('<C-n><C-y>');
    await eventually(async () => expect(await chat.prompt()).toBe('ü @main.ts'));
  });

  test.runIf(nvimVersion() !== '0.10')(
    '|vim.lsp.completion.enable()| opens the menu in our place',
    async () => {
      const chat = await openChat({
        init: `
        vim.api.nvim_create_autocmd('LspAttach', { callback = function(args)
          vim.lsp.completion.enable(true, args.data.client_id, args.buf, { autotrigger = true })
        end })`,
      });
      await chat.nvim.input('@');
      await found(chat, '', ['main.ts', 'zoo.ts']);
      await eventually(async () => expect(await menu(chat)).toContain('@zoo.ts'));
      await chat.nvim.input('ma');
      await found(chat, 'ma', ['main.ts', 'src/mail.ts']);
      await offered(chat, ['@main.ts', '@src/mail.ts']);
      await chat.nvim.input('<C-n><C-y>');
      await eventually(async () => expect(await chat.prompt()).toBe('@main.ts'));
    },
  );

  test.runIf(nvimVersion() !== '0.10')("'autocomplete' does not get in the way", async () => {
    const chat = await openChat({ init: 'vim.o.autocomplete = true' });
    await chat.nvim.input('mabel @ma');
    await found(chat, 'ma', ['main.ts']);
    await eventually(async () => expect(await menu(chat)).toContain('@main.ts'));
  });
});

describe('completion plugins', () => {
  const BLINK = `
    package.loaded['blink.cmp'] = { setup = function() end }
    package.loaded['blink.cmp.config'] = { enabled = function() return not vim.b.off end }
    package.loaded['blink.cmp.sources.lib'] = {
      get_enabled_provider_ids = function() return vim.g.sources or { 'lsp', 'buffer' } end,
    }`;
  const CMP = `
    package.loaded.cmp = { get_config = function()
      return {
        enabled = function() return not vim.b.off end,
        sources = vim.g.sources and {} or { { name = 'nvim_lsp' } },
      }
    end }`;
  const MINI = `
    _G.MiniCompletion = {}
    vim.g.minicompletion_disable = vim.g.sources ~= nil`;

  test.each([
    ['blink.cmp', BLINK],
    ['nvim-cmp', CMP],
  ])('where %s shows what we offer no menu of ours opens', async (_, init) => {
    const chat = await openChat({ init });
    await chat.status({ commands: [{ name: 'review', description: 'Look again' }] });
    await chat.nvim.input('/');
    await eventually(async () => expect(await chat.prompt()).toBe('/'));
    expect(await isOpen(chat)).toBe(false);
    await chat.nvim.lua('vim.b.off = true');
    await chat.nvim.input('r');
    await offered(chat, ['/review']);
  });

  test.each([
    ['blink.cmp without its source', `vim.g.sources = { 'buffer' }\n${BLINK}`],
    ['nvim-cmp without its source', `vim.g.sources = {}\n${CMP}`],
    ['mini.completion that is switched off', `vim.g.sources = {}\n${MINI}`],
    ['a blink.cmp that is not what we know', `package.loaded['blink.cmp'] = true`],
    ['an nvim-cmp that is not what we know', `package.loaded.cmp = {}`],
  ])('with %s ours opens', async (_, init) => {
    const chat = await openChat({ init });
    await chat.status({ commands: [{ name: 'review', description: 'Look again' }] });
    await chat.nvim.input('/');
    await offered(chat, ['/review']);
    expect(await chat.nvim.messages()).toBe('');
  });
});
