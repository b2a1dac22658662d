/** Commands that agents run: their output in a terminal of Neovim's, and their end. */
import { describe, expect, it } from 'vitest';
import { eventually, expectScreen, scriptedAgent, type Nvim, type Step } from '../harness';
import { file, idle, startChat, state } from './e2e';

const PROMPT: Step = { expect: 'session/prompt', as: 'prompt' };
const END: Step = { reply: { stopReason: 'end_turn' }, to: 'prompt' };

const told =
  (sessionUpdate: string) =>
  (fields: object): Step => ({
    update: { sessionUpdate, toolCallId: 't', ...fields },
  });
const call = told('tool_call');
const update = told('tool_call_update');
const output = (data: string) =>
  update({ _meta: { terminal_output_delta: { terminal_id: 't', data } } });
const exit = (exit_code: number) =>
  update({
    status: exit_code === 0 ? 'completed' : 'failed',
    _meta: { terminal_exit: { terminal_id: 't', exit_code, signal: null } },
  });
const card = (title: string): Step =>
  call({
    kind: 'execute',
    title,
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId: 't' }],
    _meta: { terminal_info: { terminal_id: 't' } },
  });

/** A command of ours that goes on when its turn is over. */
const background = (script: string): Step[] => [
  {
    request: { method: 'terminal/create', params: { command: 'sh', args: ['-c', script] } },
    as: 'made',
  },
  { answer: 'made' },
  call({
    kind: 'execute',
    title: 'Serve',
    status: 'completed',
    content: [{ type: 'terminal', terminalId: '${made.terminalId}' }],
  }),
];

/** Leaves the prompt, and goes to what matches in the transcript. */
async function goTo(nvim: Nvim, wanted: string): Promise<void> {
  await nvim.waitForScreen(wanted);
  await nvim.input('<Esc>');
  await nvim.lua(
    `vim.api.nvim_set_current_win(require('acp.ui.layout').visible(require('acp.chat').get('s1')))`,
  );
  await nvim.input(`gg/${wanted}<CR>`);
}

describe('K on the card of a command', () => {
  it('opens its output as a terminal, which goes on while the command does', async () => {
    const agent = scriptedAgent([
      PROMPT,
      card('cargo test'),
      output(
        '\u001b[1;32m   Compiling\u001b[0m semver v0.1.0\r\n\u001b[1;36m    Building\u001b[0m [==>    ] 3/9\r',
      ),
      { sh: 'until [ -e go ]; do sleep 0.05; done' },
      output('\u001b[K\u001b[1;32m    Finished\u001b[0m in 0.8 s\n\nrunning 2 tests\n'),
      output('test sorts ... \u001b[31mFAILED\u001b[0m\ntest parses ... \u001b[32mok\u001b[0m\n'),
      { expect: '_never' },
    ]);
    const nvim = await startChat(agent, { columns: 100, lines: 30 });
    await nvim.input(':AcpChat go<CR>');
    await goTo(nvim, 'cargo test');
    await nvim.input('K');
    await nvim.waitForScreen(/cargo test ─+ running/);
    await nvim.waitForScreen(/^.*│ +Building \[==>/);
    file(nvim, 'go', '');
    await nvim.waitForScreen(/│test parses \.\.\. ok/);
    expect(nvim.find(/│ +Building/)).toBeUndefined();
    await expectScreen(nvim, 'terminal', {
      replace: [
        [/\b\d\d:\d\d\b/, '00:00'],
        [/\b0:\d\d\b/, '0:00'],
        [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
      ],
    });
    await nvim.input('q');
    await eventually(() => expect(nvim.find(/cargo test ─/)).toBeUndefined());
  });

  it('and K there shows the details, q closes one after the other', async () => {
    const agent = scriptedAgent([
      PROMPT,
      card('make'),
      output('out\n'),
      update({ _meta: { claudeCode: { toolResponse: { backgroundTaskId: 'b42' } } } }),
      exit(2),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await goTo(nvim, 'make');
    await nvim.input('K');
    await nvim.waitForScreen(/make ─+ exit 2/);
    await nvim.input('K');
    await nvim.waitForScreen('"backgroundTaskId": "b42"');
    await nvim.input('q');
    await eventually(() => expect(nvim.screen()).not.toContain('b42'));
    await nvim.waitForScreen(/make ─+ exit 2/);
    await nvim.input('q');
    await eventually(() => expect(nvim.find(/make ─/)).toBeUndefined());
  });
});

describe('the terminal of a card', () => {
  it('is searched from its end to its first line, and its links are followed', async () => {
    const link = '\u001b]8;;https://example.org/hidden\u001b\\the report\u001b]8;;\u001b\\';
    const many = Array.from({ length: 3000 }, (_, i) => `row ${i + 1}\n`).join('');
    const agent = scriptedAgent([
      PROMPT,
      card('make'),
      output(`needle in the first line\nsee https://example.org/shown and\n${link}\n`),
      output(`src/late.txt:2: wrong\n${many}`),
      exit(1),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.lua(`urls = {} vim.ui.open = function(url) table.insert(urls, url) end
      vim.fn.mkdir('src')`);
    file(nvim, 'src/late.txt', 'one\ntwo\n');
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await goTo(nvim, 'make');
    await nvim.input('K');
    await nvim.waitForScreen(/│row 3000/);
    await nvim.input('?needle in<CR>');
    await nvim.waitForScreen(/│needle in the first line/);
    await nvim.input('/https<CR>gx');
    await eventually(async () =>
      expect(await nvim.lua('return urls')).toEqual(['https://example.org/shown']),
    );
    await nvim.input('/src.late<CR>gf');
    await eventually(async () => {
      expect(await nvim.lua('return vim.fn.expand("%:t")')).toBe('late.txt');
    });
    expect(await nvim.lua('return vim.api.nvim_win_get_cursor(0)[1]')).toBe(2);
  });
});

describe('a command in the background', () => {
  it('is listed when its turn is over, looked at by :AcpTerminals and ended by <C-x>', async () => {
    const agent = scriptedAgent([
      PROMPT,
      ...background('echo listening; while :; do sleep 0.1; echo tick; done'),
      END,
    ]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await nvim.waitForScreen('1 command runs');
    await nvim.input('<Esc>:AcpTerminals<CR>');
    await nvim.waitForScreen(/1: sh -c 'echo listening.*\(0:0\d\)/);
    await nvim.input('1<CR>');
    await nvim.waitForScreen(/│tick/);
    await nvim.waitForScreen('<C-x> stop');
    await nvim.input('<C-x>');
    await nvim.waitForScreen(/ended by SIGTERM/);
    await eventually(async () => expect((await state(nvim)).terminals).toEqual([]));
    await nvim.input('q');
    await eventually(() => expect(nvim.screen()).not.toContain('command runs'));
    await nvim.waitForScreen(/Run.*SIGTERM/);
  });

  it('is ended by :AcpTerminals stop, which then says that none runs', async () => {
    const agent = scriptedAgent([PROMPT, ...background('sleep 60'), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await nvim.waitForScreen('1 command runs');
    await nvim.input('<Esc>:AcpTerminals stop<CR>');
    await nvim.waitForScreen(/1: sh -c 'sleep 60'/);
    await nvim.input('1<CR>');
    await eventually(async () => expect((await state(nvim)).terminals).toEqual([]));
    await nvim.input(':AcpTerminals<CR>');
    await nvim.waitForScreen('no command runs');
  });
});

describe('an output', () => {
  it('does nothing but draw: no clipboard, no title, no question that is answered, no mode', async () => {
    const sequences = [
      '52;c;aGFja2Vk',
      '0;hacked',
      '7;file:///hacked',
      '133;A',
      '11;?',
      '9;hacked',
    ];
    const evil = sequences.map((it) => `\u001b]${it}\u0007\u001b]${it}\u001b\\`).join('');
    const agent = scriptedAgent([
      PROMPT,
      card('make'),
      output(
        `before ${evil}\u001bP+q544e\u001b\\\u001b[6n\u001b[c\u001b[?1049h\u001b[?1003h\u001b[20`,
      ),
      output('t\u001b]52;c;'),
      output('aGFja2Vk\u0007after\n'),
      exit(0),
      END,
    ]);
    const nvim = await startChat(agent, {
      env: { TERM: 'xterm-256color' },
    });
    await nvim.lua(`
      _G.done = {}
      local function note(what) return function() table.insert(_G.done, what) end end
      vim.g.clipboard = {
        name = 'test',
        copy = { ['+'] = note('copy'), ['*'] = note('copy') },
        paste = { ['+'] = note('paste'), ['*'] = note('paste') },
      }
      vim.api.nvim_create_autocmd('TermRequest', { callback = note('request') })`);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await goTo(nvim, 'make');
    await nvim.input('K');
    await nvim.waitForScreen(/│before after/);
    const title = await nvim.lua<string>(`return vim.b.term_title or ''`);
    expect(title).not.toContain('hacked');
    expect(await nvim.lua('return _G.done')).toEqual([]);
    expect(await nvim.lua('return vim.fn.getcwd()')).toBe(nvim.dir);
  });

  it('of a megabyte opens while Neovim stays awake', async () => {
    const line = `\u001b[32m${'x'.repeat(80)}\u001b[0m`;
    const lines = Array.from({ length: 12_000 }, (_, i) => `${i + 1} ${line}\n`).join('');
    const agent = scriptedAgent([PROMPT, card('make'), output(lines), exit(0), END]);
    const nvim = await startChat(agent);
    await nvim.input(':AcpChat go<CR>');
    await idle(nvim);
    await goTo(nvim, 'make');
    await nvim.lua(`
      _G.longest, _G.before = 0, vim.uv.hrtime()
      vim.uv.new_timer():start(0, 2, vim.schedule_wrap(function()
        local now = vim.uv.hrtime()
        _G.longest, _G.before = math.max(_G.longest, now - _G.before), now
      end))`);
    await nvim.input('K');
    await nvim.waitForScreen(/│12000 xxx/, { timeout: 20_000 });
    const longest = (await nvim.lua<number>('return _G.longest')) / 1e6;
    await nvim.input('gg');
    await nvim.waitForScreen(/│1 xxx/);
    // Nobody waits for it; the machine that tests may be slow.
    expect(longest).toBeLessThan(400);
  });
});
