/** Slash commands and mentions: what is offered while a prompt is typed, and what of it arrives at the agent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sessionAgent, type Nvim } from '../harness';
import { idle, startChat } from './e2e';
import { got, holds, menu, offers, openPrompt, startAtPrompt, tells } from './prompts';
import { killSidecar, prompt, run, says } from './sessions';

function write(nvim: Nvim, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(nvim.dir, name)), { recursive: true });
    writeFileSync(join(nvim.dir, name), text);
  }
}

function git(nvim: Nvim, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: nvim.dir, stdio: 'pipe' });
}

interface Completion {
  items: { label: string; detail?: string; textEdit: { newText: string } }[];
}

/** What a client of the server of the prompt is told, as completion plugins ask. */
function ask(nvim: Nvim): Promise<Completion> {
  return nvim.lua(`
    local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion',
      vim.lsp.util.make_position_params(0, 'utf-8'), 3000)
    for _, answer in pairs(answers) do return answer.result end`);
}

describe('slash commands', () => {
  it('are offered with hint and description as soon as / is typed, and go to the agent as typed', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await nvim.input('/');
    await nvim.waitForScreen(/\/review what +Looks at what was changed/);
    await nvim.waitForScreen(/\/compact +Shortens the conversation/);
    await nvim.input('re<C-n><C-y>');
    await holds(nvim, '/review ');
    await nvim.input('main.c<C-s>');
    expect(await got(agent)).toEqual({ text: '/review main.c', along: [] });
    await nvim.waitForScreen('▌ /review main.c');
  });

  it('that come before the answer to session/new are there', async () => {
    const nvim = await startAtPrompt(sessionAgent({ commandsEarly: true }));
    await nvim.input('/');
    await offers(nvim, '/review ', '/compact');
  });

  it('are those that the agent told last', async () => {
    const nvim = await startAtPrompt(sessionAgent());
    const update = (commands: string) =>
      `[[update {"sessionUpdate":"available_commands_update","availableCommands":${commands}}]]`;
    await nvim.input(`a ${update('[{"name":"deploy","description":"Ships it"}]')}<C-s>`);
    await idle(nvim);
    await says(nvim, 'echo: a');
    await nvim.input('i/');
    await nvim.waitForScreen(/\/deploy +Ships it/);
    expect(await menu(nvim)).toEqual(['/deploy']);
    await nvim.input(`<Esc>ccb ${update('[]')}<C-s>`);
    await says(nvim, 'echo: b');
    await idle(nvim);
    await nvim.input('i/');
    await holds(nvim, '/');
    expect(await menu(nvim)).toEqual([]);
  });

  it('without any, / is a letter like others', async () => {
    const agent = sessionAgent({ commands: [] });
    const nvim = await startAtPrompt(agent);
    await nvim.input('/etc/hosts is odd<C-s>');
    expect(await got(agent)).toEqual({ text: '/etc/hosts is odd', along: [] });
  });
});

describe('files', () => {
  it('behind @ are those that git lists, new ones too, and not what is ignored', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    write(nvim, {
      'src/parser.ts': 'parse\n',
      'src/new parser.ts': 'new\n',
      'dist/parser.js': 'built\n',
      '.gitignore': 'dist\n',
    });
    git(nvim, 'init', '-q');
    git(nvim, 'add', 'src/parser.ts', '.gitignore');
    await openPrompt(nvim);
    await nvim.input('look at @pars');
    await offers(nvim, '@src/parser.ts', '@"src/new parser.ts"');
    expect(await menu(nvim)).not.toContain('@dist/parser.js');
    await nvim.waitForScreen('@src/new parser.ts');
    await nvim.input('<C-n><C-y> and @newp');
    await eventually(async () => expect(await menu(nvim)).toEqual(['@"src/new parser.ts"']));
    await nvim.input('<C-n><C-y><C-s>');
    const { text, along } = await got(agent);
    expect(text).toBe('look at @src/parser.ts and @"src/new parser.ts"');
    expect(along).toEqual(
      [
        ['src/parser.ts', 'parse\n'],
        ['src/new%20parser.ts', 'new\n'],
      ].map(([name, content]) => ({
        type: 'resource',
        resource: { uri: `file://${nvim.dir}/${name}`, text: content, mimeType: 'text/plain' },
      })),
    );
  });

  it('where there is no git, the ignore files of the folder count', async () => {
    const nvim = await startChat(sessionAgent());
    write(nvim, { '.gitignore': 'out\n', 'out/thing.c': '', 'thing.c': '', 'sub/thing.h': '' });
    await openPrompt(nvim);
    await nvim.input('@thing');
    await offers(nvim, '@thing.c', '@sub/thing.h');
    expect(await menu(nvim)).not.toContain('@out/thing.c');
  });

  it('a folder that is chosen goes on, and what is typed on narrows', async () => {
    const nvim = await startChat(sessionAgent());
    write(nvim, { 'deep/er/one.txt': '', 'deep/er/two.txt': '' });
    await openPrompt(nvim);
    await nvim.input('@dee');
    await offers(nvim, '@deep/');
    const place = (await menu(nvim)).indexOf('@deep/');
    await nvim.input(`${'<C-n>'.repeat(place + 1)}<C-y>`);
    await offers(nvim, '@deep/er/one.txt');
    await nvim.input('two');
    await eventually(async () => expect(await menu(nvim)).toEqual(['@deep/er/two.txt']));
  });

  it('are links for an agent that takes no embedded text', async () => {
    const agent = sessionAgent({ takes: { embeddedContext: false } });
    const nvim = await startChat(agent);
    write(nvim, { 'a b.txt': 'text\n' });
    await openPrompt(nvim);
    await nvim.input('see @"a b.txt"<C-s>');
    expect((await got(agent)).along).toEqual([
      {
        type: 'resource_link',
        name: 'a b.txt',
        uri: `file://${nvim.dir}/a%20b.txt`,
        mimeType: 'text/plain',
        size: 5,
      },
    ]);
  });

  it('that do not exist stay text', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await nvim.input('mail me@example.org or @nobody<C-s>');
    expect(await got(agent)).toEqual({ text: 'mail me@example.org or @nobody', along: [] });
  });

  it('some lines of one go along alone', async () => {
    const agent = sessionAgent();
    const nvim = await startChat(agent);
    write(nvim, { 'a.txt': '1\n2\n3\n4\n' });
    await openPrompt(nvim);
    await nvim.input('see @a.txt:2-3.<C-s>');
    expect((await got(agent)).along[0]?.resource).toMatchObject({
      uri: `file://${nvim.dir}/a.txt#L2-L3`,
      text: '2\n3\n',
    });
  });
});

describe('what the editor knows', () => {
  /** A Neovim in a repository, in a file with changes that are not saved, a selection, an error and a quickfix list. */
  async function atWork(agent = sessionAgent()) {
    const nvim = await startChat(agent);
    write(nvim, {
      'calc.lua': 'local function add(a, b)\n  return a + b\nend\n\nreturn add\n',
      'other.txt': 'other\n',
    });
    git(nvim, 'init', '-q');
    git(nvim, 'add', '.');
    git(nvim, 'commit', '-qm', 'first');
    writeFileSync(join(nvim.dir, 'other.txt'), 'changed\n');
    await nvim.command('edit calc.lua');
    await nvim.input('ggjwcwgive<Esc>0wviw<Esc>');
    await nvim.lua(`
      vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, {
        { lnum = 1, col = 9, message = 'undefined a', severity = vim.diagnostic.severity.ERROR } })
      vim.fn.setqflist({ { filename = 'other.txt', lnum = 1, text = 'look here' } })`);
    await openPrompt(nvim);
    return { nvim, agent };
  }

  it('is offered behind @, with what it is', async () => {
    const { nvim } = await atWork();
    await nvim.input('@');
    await offers(nvim, '@selection', '@buffer', '@symbol', '@diagnostics', '@quickfix', '@diff');
    await nvim.waitForScreen(/@diagnostics +Errors and warnings of the buffer/);
    await nvim.waitForScreen(/@calc.lua +buffer, not saved/);
  });

  it('arrives as it is at the time of sending, unsaved text included', async () => {
    const { nvim, agent } = await atWork();
    await nvim.input('x @selection @buffer @diagnostics @quickfix @diff @symbol<C-s>');
    const { text, along } = await got(agent);
    expect(text).toBe('x @selection @buffer @diagnostics @quickfix @diff @symbol');
    const of = Object.fromEntries(along.map(({ resource }) => [resource!.uri, resource!.text]));
    const file = `file://${nvim.dir}/calc.lua`;
    const body = 'local function add(a, b)\n  give a + b\nend\n';
    expect(of[`${file}#L2`]).toBe('give');
    expect(of[file]).toBe(`${body}\nreturn add\n`);
    expect(of[`${file}#L1-L3`]).toBe(body);
    const named = (name: string) => Object.entries(of).find(([uri]) => uri.includes(name))?.[1];
    expect(named('untitled:diagnostics')).toContain('calc.lua:2:10: error: undefined a');
    expect(named('untitled:quickfix')).toContain('other.txt:1');
    expect(named('untitled:git%20diff')).toContain('-other\n+changed');
    expect(along).toHaveLength(6);
    await nvim.waitForScreen('@calc.lua:1-3');
    await nvim.waitForScreen('@diagnostics (1)');
  });

  it('is quoted in the prompt, with a link, for an agent that takes no embedded text', async () => {
    const { nvim, agent } = await atWork(sessionAgent({ takes: { embeddedContext: false } }));
    await nvim.input('x @selection @buffer<C-s>');
    const uri = `file://${nvim.dir}/calc.lua`;
    const link = { type: 'resource_link', name: 'calc.lua', uri };
    expect((await got(agent)).along).toEqual([
      { type: 'text', text: 'calc.lua:2:\n```lua\ngive\n```' },
      link,
      {
        type: 'text',
        text: 'calc.lua:\n```lua\nlocal function add(a, b)\n  give a + b\nend\n\nreturn add\n```',
      },
      link,
    ]);
  });

  it('that is not there is said, and stays text', async () => {
    const agent = sessionAgent();
    const nvim = await startAtPrompt(agent);
    await nvim.input('see @quickfix and @diagnostics<C-s>');
    await tells(nvim, '@quickfix was sent as text: the quickfix list is empty');
    expect((await got(agent)).along).toEqual([]);
  });
});

describe('completion', () => {
  it('by <C-x><C-o> is the same', async () => {
    const nvim = await startChat(sessionAgent());
    write(nvim, { 'some.txt': '' });
    await openPrompt(nvim);
    await nvim.input('/re<C-e><C-x><C-o>');
    await offers(nvim, '/review ');
    await nvim.input('<C-n><C-y><C-u>@so<C-e>');
    await eventually(async () => expect(await menu(nvim)).toEqual([]));
    await nvim.input('<C-x><C-o>');
    await offers(nvim, '@some.txt');
  });

  it("by vim.lsp's own requests is the same, as completion plugins ask", async () => {
    const nvim = await startChat(sessionAgent());
    write(nvim, { 'some.txt': '', 'sömé where.txt': '' });
    await openPrompt(nvim);
    await nvim.input('/r');
    await offers(nvim, '/review ');
    const commands = (await ask(nvim)).items;
    expect(commands[0]).toMatchObject({
      label: '/review',
      detail: 'what',
      textEdit: { newText: '/review ' },
    });
    await nvim.input('<C-e><C-u>see @sö');
    await holds(nvim, 'see @sö');
    await eventually(async () => {
      const files = (await ask(nvim)).items;
      expect(files.map(({ textEdit }) => textEdit.newText)).toEqual(['@"sömé where.txt"']);
    });
  });

  it('is not offered in other buffers', async () => {
    const nvim = await startAtPrompt(sessionAgent());
    await run(nvim, 'new');
    await nvim.input('i/@');
    expect(await menu(nvim)).toEqual([]);
    expect(await nvim.lua(`return #vim.lsp.get_clients({ bufnr = 0 })`)).toBe(0);
  });

  it('does not open by a draft that comes back after a crash, nor by the history', async () => {
    const nvim = await startChat(sessionAgent());
    write(nvim, { 'abc.txt': '' });
    await openPrompt(nvim);
    await nvim.input('sent @a<C-e><C-s>');
    await says(nvim, 'echo: sent @a');
    await idle(nvim);
    await nvim.input('i<C-p>');
    await holds(nvim, 'sent @a');
    await nvim.input('<C-p><C-n>');
    await holds(nvim, '');
    await nvim.input('some draft @a');
    await offers(nvim, '@abc.txt');
    await nvim.input('<Esc>');
    await killSidecar(nvim);
    await run(nvim, 'AcpRestart');
    await idle(nvim);
    await nvim.input('A');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    expect(await prompt(nvim)).toBe('some draft @a');
    expect(await menu(nvim)).toEqual([]);
    await nvim.input('b');
    await offers(nvim, '@abc.txt');
  });
});
