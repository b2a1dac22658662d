import { beforeEach, describe, expect, test } from 'vitest';
import { fileDiffs } from '../harness/diffs';
import { eventually, startNvim, type Nvim } from '../harness';

const options = [
  { id: 'once', name: 'Allow once', kind: 'allow_once' },
  { id: 'always', name: 'Always allow', kind: 'allow_always' },
  { id: 'no', name: 'Reject', kind: 'reject_once' },
];

const asked = (id: string, rest: object = {}) => ({
  id,
  block: `block ${id}`,
  title: `Run make ${id}`,
  detail: [] as string[],
  options,
  hasDiff: false,
  ...rest,
});
type Asked = ReturnType<typeof asked>;

let nvim: Nvim;

beforeEach(async () => {
  nvim = await startNvim({
    columns: 100,
    lines: 30,
    init: `
      vim.o.shortmess = vim.o.shortmess .. 'I'
      sent, events, shown = {}, {}, {}
      require('acp.rpc').notify = function(method, params) table.insert(sent, { method, params }) end
      require('acp.highlight').setup()
      require('acp.config').setup({ permission = { quiet_ms = 0 } })
      vim.api.nvim_create_autocmd('User', {
        pattern = 'AcpPermissionAsk',
        callback = function(event) table.insert(events, event.data) end,
      })
      state = require('acp.state')
      permission = require('acp.ui.permission')
      state.apply('s1', { agent = 'Nano', state = 'waiting' })
      -- An asynchronous select, as pickers are: it comes to an end when the test says so.
      function picker()
        vim.ui.select = function(items, opts, on_choice)
          local labels = vim.tbl_map(opts.format_item, items)
          table.insert(shown, { prompt = opts.prompt, kind = opts.kind, labels = labels })
          shown_choice = function(i) on_choice(i and items[i], i) end
        end
      end
    `,
  });
});

/** Presses keys, and waits until they were seen. */
async function pressed(keys: string): Promise<void> {
  await nvim.input(keys);
  await eventually(async () =>
    expect(await nvim.lua(`return select(2, require('acp.ui.typing').until_quiet(1))`)).toBe(true),
  );
}

const setup = (permission: object): Promise<unknown> =>
  nvim.lua(`require('acp.config').setup({ permission = ... })`, permission);
const picker = (): Promise<unknown> => nvim.lua('picker()');
const choose = (i?: number): Promise<unknown> => nvim.lua('shown_choice(...)', i ?? false);
const open = (question: Asked, rest: object = {}): Promise<unknown> =>
  nvim.lua('permission.opened(...)', { session: 's1', question, ...rest });
const shown = (): Promise<{ prompt: string; kind: string; labels: string[] }[]> =>
  nvim.lua('return shown');
const prompts = async (): Promise<string[]> => (await shown()).map(({ prompt }) => prompt);
const sent = (): Promise<unknown[]> => nvim.lua('return sent');
const count = (): Promise<number> => nvim.lua('return permission.count()');
const answer = (question: string, option: string) => [
  'question.answer',
  { session: 's1', question, option },
];
/** The line of the buffer once Neovim has nothing more to do. */
const line = (): Promise<string> => nvim.lua('return vim.api.nvim_get_current_line()');
/** Waits until what was scheduled before has run, and says what the messages are. */
async function settled(): Promise<string> {
  for (const tick of [1, 2, 3]) {
    await nvim.lua('local n = ... vim.schedule(function() tick = n end)', tick);
    await eventually(async () => expect(await nvim.lua('return tick')).toBe(tick));
  }
  return nvim.messages();
}

describe('a question that comes right after an answer', () => {
  test('opens: the keys that gave the answer were meant for it', async () => {
    await picker();
    await setup({ quiet_ms: 60_000, open: 'manual' });
    await open(asked('q1'));
    await nvim.input('l');
    await nvim.command('AcpPermission');
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await setup({ quiet_ms: 60_000 });
    await choose(1);
    await settled();
    await open(asked('q2'));
    await eventually(async () => expect(await shown()).toHaveLength(2));
    // A conflict is none that the agent waits for: it comes up when it is quiet.
    await open(asked('c1', { options: [{ id: 'mine', name: 'Keep mine', kind: 'keep_mine' }] }));
    await settled();
    expect(await shown()).toHaveLength(2);
    await nvim.lua(`permission.closed({ session = 's1', question = 'c1' })`);
    // What is typed afterwards is meant for something else again.
    await choose(1);
    await nvim.input('l');
    await open(asked('q3'));
    await settled();
    expect(await shown()).toHaveLength(2);
  });
});

describe('a select', () => {
  test('shows what is asked and the labels of the agent in its order', async () => {
    await picker();
    await open(asked('q1', { title: 'Run make', detail: ['make -j\n8', 'in /project'] }));
    await eventually(async () =>
      expect(await shown()).toEqual([
        {
          prompt: 'Nano asks: Run make · make -j ⏎ 8 · in /project:',
          kind: 'acp.permission',
          labels: ['Allow once', 'Always allow', 'Reject'],
        },
      ]),
    );
  });

  test('tells options of the same label apart', async () => {
    await picker();
    const twins = [
      { id: 'a', name: 'Allow', kind: 'allow_once' },
      { id: 'b', name: 'Allow', kind: 'allow_always' },
      { id: 'c', name: 'Maybe', kind: 'x' },
      { id: 'd', name: 'Maybe', kind: 'x' },
    ];
    await open(asked('q1', { options: twins }));
    await eventually(async () =>
      expect((await shown())[0]?.labels).toEqual([
        'Allow (allow_once)',
        'Allow (allow_always)',
        'Maybe (c)',
        'Maybe (d)',
      ]),
    );
  });

  test('sends the answer once, however often it is told', async () => {
    await picker();
    await open(asked('q1'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await choose(2);
    await choose(1);
    expect(await sent()).toEqual([answer('q1', 'always')]);
    expect(await count()).toBe(0);
  });

  test('that is synchronous answers too', async () => {
    await nvim.lua(`vim.ui.select = function(items, _, on_choice) on_choice(items[3], 3) end`);
    await open(asked('q1'));
    await eventually(async () => expect(await sent()).toEqual([answer('q1', 'no')]));
  });

  test('that was dismissed sends nothing and leaves the question open, to be asked again', async () => {
    await picker();
    await open(asked('q1'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await choose();
    await settled();
    expect(await sent()).toEqual([]);
    expect(await count()).toBe(1);
    expect(await shown()).toHaveLength(1);
    await nvim.lua(`permission.ask('s1')`);
    await choose(1);
    expect(await sent()).toEqual([answer('q1', 'once')]);
  });

  test('that is answered after its question was closed sends nothing and says so', async () => {
    await picker();
    await open(asked('q1'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await nvim.lua(`permission.closed({ session = 's1', question = 'q1' })`);
    await choose(1);
    await eventually(async () => expect(await nvim.messages()).toContain('no longer open'));
    expect(await sent()).toEqual([]);
  });

  test('that throws is said and leaves the question open', async () => {
    await nvim.lua(`vim.ui.select = function() error('broken picker') end`);
    await open(asked('q1'));
    await eventually(async () => expect(await nvim.messages()).toContain('broken picker'));
    expect(await count()).toBe(1);
    expect(await sent()).toEqual([]);
  });

  test('does not open where there is nothing to choose', async () => {
    await picker();
    await open(asked('q1', { options: [] }));
    await eventually(async () => expect(await nvim.messages()).toContain('Run make q1'));
    await nvim.lua(`permission.ask('s1')`);
    await eventually(async () => expect(await nvim.messages()).toContain(':AcpCancel'));
    expect(await shown()).toEqual([]);
  });
});

describe("Neovim's own select", () => {
  test('shows question and diff, and takes the answer by real keys', async () => {
    const diff = await fileDiffs(
      [{ path: '/p/a.lua', oldText: 'local a = 1', newText: 'local a = 2' }],
      { cwd: '/p', readFile: async () => 'local a = 1\n' },
    );
    await open(asked('q1', { hasDiff: true, title: 'Edit a.lua' }), { diff });
    await nvim.waitForScreen('Nano asks: Edit a.lua:');
    await nvim.waitForScreen('2: Always allow');
    await nvim.waitForScreen('1 + local a = 2');
    await nvim.waitForScreen('╭ a.lua ─');
    await nvim.input('2<CR>');
    await eventually(async () => expect(await sent()).toEqual([answer('q1', 'always')]));
    await eventually(() => expect(nvim.screen()).not.toContain('a.lua'));
  });

  test('is dismissed by <Esc> and by <C-c>', async () => {
    await open(asked('q1'));
    await nvim.waitForScreen('1: Allow once');
    await nvim.input('<Esc>');
    await eventually(() => expect(nvim.screen()).not.toContain('1: Allow once'));
    expect(await count()).toBe(1);
    void nvim.lua(`vim.schedule(function() permission.ask('s1') end)`);
    await nvim.waitForScreen('1: Allow once');
    await nvim.input('<C-c>');
    await eventually(async () => expect(nvim.mode).toBe('normal'));
    expect(await count()).toBe(1);
    expect(await sent()).toEqual([]);
    expect(await nvim.messages()).not.toContain('interrupt');
  });
});

describe('someone who is typing', () => {
  test('in insert mode is not interrupted: all keys land, and the question is announced', async () => {
    await picker();
    const words = 'the quick brown fox jumps over the lazy dog ';
    await nvim.input('i');
    for (const [i, char] of [...words].entries()) {
      await nvim.input(char === ' ' ? '<Space>' : char);
      if (i === 5 || i === 20) await open(asked(`q${i}`));
      if (i === 21) await open(asked('q21'));
    }
    await eventually(async () => expect(await line()).toBe(words));
    await eventually(async () => expect(await nvim.messages()).toContain('asks: Run make q5'));
    await nvim.input('more');
    await eventually(async () => expect(await line()).toBe(`${words}more`));
    expect(await shown()).toEqual([]);
    expect(await count()).toBe(3);
    // The mode stood in the message's place.
    await nvim.input('<Esc>');
    await nvim.waitForScreen('Nano asks: Run make q21 (3 questions) · :AcpPermission');
    expect(await shown()).toEqual([]);
  });

  test('is not stopped by a hit-enter prompt when many long questions come at once', async () => {
    await nvim.input('i');
    await nvim.lua(
      `for _, question in ipairs(...) do permission.opened({ session = 's1', question = question }) end`,
      ['a', 'b', 'c'].map((id) => asked(id, { title: `Run ${'long '.repeat(100)}` })),
    );
    await settled();
    await nvim.input('all keys land');
    await eventually(async () => expect(await line()).toBe('all keys land'));
    await nvim.input('<Esc>');
    await nvim.waitForScreen(/Run long.*… \(3 questions\) · :AcpPermission/);
    await nvim.input('x');
    await eventually(async () => expect(await line()).toBe('all keys lan'));
  });

  test.each([
    ['a command line', ':echo 1', 'c', '<Esc>'],
    ['a search', '/abc', 'c', '<Esc>'],
    ['visual mode', 'v', 'v', '<Esc>'],
    ['the command-line window', 'q:', 'n', ':q<CR>'],
    ['a pending operator', 'd', 'no', '<Esc>'],
    ['replace mode', 'R', 'R', '<Esc>'],
    ['a terminal', ':terminal cat<CR>i', 't', '<C-\\><C-n>'],
    ['the recording of a macro', 'qa', 'n', 'q'],
  ])('in %s is not interrupted', async (_, keys, mode, leave) => {
    await picker();
    const start = performance.now();
    await nvim.input(keys);
    await eventually(async () =>
      expect(await nvim.request('nvim_get_mode')).toMatchObject({ mode }),
    );
    await open(asked('q1'));
    await settled();
    expect(await shown()).toEqual([]);
    expect(await nvim.request('nvim_get_mode')).toMatchObject({ mode });
    expect(await nvim.lua('return #events')).toBe(1);
    // A message in visual mode makes Neovim wait for three seconds.
    expect(performance.now() - start).toBeLessThan(2500);
    await nvim.input(leave);
    await eventually(async () => expect(await nvim.messages()).toContain(':AcpPermission'));
    expect(await shown()).toEqual([]);
  });

  test('in normal mode a moment ago is not interrupted, and after a pause is asked', async () => {
    await picker();
    await setup({ quiet_ms: 60_000 });
    await pressed('j');
    await open(asked('q1'));
    expect(await settled()).toContain('asks: Run make q1');
    expect(await shown()).toEqual([]);
    await setup({ quiet_ms: 1 });
    await open(asked('q2'));
    await eventually(async () => expect(await prompts()).toHaveLength(1));
  });

  test('in normal mode a moment ago is asked when that was long enough ago, and told of it once', async () => {
    await picker();
    await setup({ quiet_ms: 300 });
    await pressed('j');
    // Keys that come meanwhile put it off, and are not taken from whom they were meant for.
    await nvim.lua(`vim.api.nvim_input('j') permission.opened(...)`, {
      session: 's1',
      question: asked('q1'),
    });
    await eventually(async () => expect(await prompts()).toHaveLength(1));
    expect((await nvim.messages()).match(/asks: Run make q1/g)).toHaveLength(1);
  });

  test('ahead of Neovim is not interrupted', async () => {
    await picker();
    await nvim.lua(
      `vim.api.nvim_input('ityped ahead')
      permission.opened(...)
      -- Neovim is busy: the question's turn comes while the keys still wait, in normal mode.
      vim.wait(100, function() return #shown > 0 end)`,
      { session: 's1', question: asked('q1') },
    );
    await eventually(async () => expect(await line()).toBe('typed ahead'));
    await eventually(async () => expect(await nvim.messages()).toContain('asks: Run make q1'));
    expect(await shown()).toEqual([]);
  });

  test('is asked nonetheless with open = always, and nobody with open = manual', async () => {
    await picker();
    await setup({ open: 'manual' });
    await open(asked('q1'));
    expect(await settled()).toContain(':AcpPermission');
    expect(await shown()).toEqual([]);
    await setup({ open: 'always' });
    await nvim.input('i');
    await eventually(() => expect(nvim.mode).toBe('insert'));
    await open(asked('q2'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
  });
});

describe('keys are watched', () => {
  const watching = (): Promise<boolean> => nvim.lua(`return require('acp.ui.typing').watching()`);

  test('while a session works, and no longer', async () => {
    expect(await watching()).toBe(true);
    await nvim.lua(`state.apply('s1', { state = 'idle' })`);
    expect(await watching()).toBe(false);
    await nvim.lua(`state.apply('s1', { state = 'working' })`);
    expect(await watching()).toBe(true);
    await nvim.lua(`state.apply('s1', { state = 'dead' })`);
    expect(await watching()).toBe(false);
  });

  test('from the first question on where they were not: it opens when the time has passed', async () => {
    await picker();
    await nvim.lua(`state.apply('s1', { state = 'idle' })`);
    await setup({ quiet_ms: 50 });
    await open(asked('q1'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
  });
});

describe('several questions', () => {
  test('that come one right after the other are told together, however many', async () => {
    await setup({ open: 'manual' });
    const questions = Array.from({ length: 40 }, (_, i) => asked(`q${i + 1}`));
    await nvim.lua(
      `for _, question in ipairs(...) do
        permission.opened({ session = 's1', question = question })
        vim.wait(1, function() return false end)
      end`,
      questions,
    );
    await eventually(async () => expect(await nvim.messages()).toContain('(40 questions)'));
    expect((await nvim.messages()).match(/asks:/g)!.length).toBeLessThan(20);
  });

  test('queue behind the one that is asked, and are counted', async () => {
    await picker();
    await nvim.lua(
      `for _, question in ipairs(...) do permission.opened({ session = 's1', question = question }) end`,
      ['q1', 'q2', 'q3'].map((id) => asked(id)),
    );
    await settled();
    expect(await prompts()).toEqual(['Nano asks: Run make q1 (1 of 3):']);
    for (const n of [2, 3]) {
      await choose(1);
      await eventually(async () => expect(await shown()).toHaveLength(n));
    }
    expect((await prompts()).slice(1)).toEqual([
      'Nano asks: Run make q2 (2 of 3):',
      'Nano asks: Run make q3 (3 of 3):',
    ]);
    await choose(3);
    expect(await sent()).toEqual([answer('q1', 'once'), answer('q2', 'once'), answer('q3', 'no')]);
  });

  test('stop when one is dismissed; the rest is announced', async () => {
    await picker();
    await open(asked('q1'));
    await open(asked('q2'));
    await settled();
    await choose();
    expect(await settled()).toContain('(2 questions) · :AcpPermission');
    expect(await shown()).toHaveLength(1);
  });

  test('do not wait for a select whose question is gone', async () => {
    await picker();
    await open(asked('q1'));
    await settled();
    await nvim.lua(`permission.closed({ session = 's1', question = 'q1' })`);
    await open(asked('q2'));
    expect(await settled()).toContain('asks: Run make q2');
    expect(await shown()).toHaveLength(1);
  });

  test('are announced though a select is open: a picker may close without a word', async () => {
    await picker();
    await open(asked('a'));
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await open(asked('b'));
    expect(await settled()).toContain('Run make b (2 questions) · :AcpPermission');
    expect(await shown()).toHaveLength(1);
  });

  test('of the session come first, then the oldest of any', async () => {
    await picker();
    await setup({ open: 'manual' });
    await nvim.lua(`permission.opened(...)`, { session: 's0', question: asked('other') });
    await open(asked('mine'));
    await nvim.lua(`permission.ask('s1')`);
    expect((await prompts())[0]).toContain('make mine');
    await choose(1);
    await eventually(async () => expect((await prompts())[1]).toContain('make other'));
  });
});

describe('a question', () => {
  test('fires User AcpPermissionAsk', async () => {
    await setup({ open: 'manual' });
    await open(asked('q1'));
    expect(await nvim.lua('return events')).toMatchObject([
      { session: 's1', question: { id: 'q1', title: 'Run make q1' } },
    ]);
  });

  test('is known from the status alone, and gone when the status has it no more', async () => {
    await picker();
    await nvim.lua(`state.apply('s1', { questions = { ... } })`, asked('q1'));
    expect(await count()).toBe(1);
    await nvim.lua(`permission.ask()`);
    expect((await prompts())[0]).toContain('make q1');
    await nvim.lua(`state.apply('s1', { questions = {} })`);
    expect(await count()).toBe(0);
    await choose(1);
    expect(await sent()).toEqual([]);
  });

  test('that was answered is not asked again while the status still names it', async () => {
    await picker();
    await nvim.lua(`state.apply('s1', { questions = { ... } })`, asked('q1'));
    expect(await nvim.lua(`return permission.answer('s1', 'q1', 'no')`)).toBe(true);
    await nvim.lua(`state.apply('s1', { questions = { ... } })`, asked('q1'));
    await nvim.lua(`permission.ask('s1')`);
    await eventually(async () => expect(await nvim.messages()).toContain('no question is open'));
    expect(await shown()).toEqual([]);
    expect(await sent()).toEqual([answer('q1', 'no')]);
  });

  test('is answered only by an option that it has, and only once', async () => {
    await setup({ open: 'manual' });
    await open(asked('q1'));
    const results = await nvim.lua(`return {
      { permission.answer('s1', 'q1', 'nonsense') },
      { permission.answer('s1', 'q1', 'no') },
      { permission.answer('s1', 'q1', 'once') },
    }`);
    expect(results).toEqual([
      [false, 'the question has no option "nonsense"'],
      [true],
      [false, 'the question is no longer open'],
    ]);
    expect(await sent()).toEqual([answer('q1', 'no')]);
  });

  test('asked for before its diff has come is asked with it', async () => {
    await setup({ open: 'manual' });
    await picker();
    const question = asked('q1', { hasDiff: true });
    await nvim.lua(`state.apply('s1', { questions = { ... } })`, question);
    await nvim.input(':AcpPermission<CR>');
    expect(await settled()).not.toContain('no question is open');
    expect(await shown()).toEqual([]);
    const diff = await fileDiffs([{ path: '/p/a', oldText: null, newText: 'new\n' }], {
      cwd: '/p',
      readFile: async () => null,
    });
    await open(question, { diff });
    await eventually(async () => expect(await prompts()).toHaveLength(1));
    await nvim.waitForScreen('hunk 1 of 1');
  });

  test('takes its diff along when it is closed', async () => {
    await picker();
    const diff = await fileDiffs([{ path: '/p/a', oldText: null, newText: 'new\n' }], {
      cwd: '/p',
      readFile: async () => null,
    });
    await open(asked('q1', { hasDiff: true }), { diff });
    await nvim.waitForScreen('+ new');
    await nvim.lua(`permission.closed({ session = 's1', question = 'q1' })`);
    await eventually(() => expect(nvim.screen()).not.toContain('+ new'));
  });

  test('of an agent that is dead is open no more', async () => {
    await setup({ open: 'manual' });
    await open(asked('q1'));
    await nvim.lua(`state.apply('s1', { state = 'dead' })`);
    expect(await count()).toBe(0);
  });
});

describe('allow and reject', () => {
  const allow = (name?: string, opts?: object): Promise<unknown> =>
    nvim.lua('permission.allow(...)', name ?? '', opts ?? {});
  const reject = (words?: string): Promise<unknown> =>
    nvim.lua('permission.reject(...)', words ?? '');
  const diff = () =>
    fileDiffs([{ path: '/p/a', oldText: null, newText: 'new\n' }], {
      cwd: '/p',
      readFile: async () => null,
    });

  beforeEach(async () => {
    await picker();
    await setup({ open: 'manual' });
  });

  test('allow takes the only answer that allows once, and says which it was', async () => {
    await open(asked('q1', { title: 'Edit src/a.py' }));
    await allow();
    expect(await sent()).toEqual([answer('q1', 'once')]);
    await eventually(async () =>
      expect(await nvim.messages()).toMatch(/allowed once: Edit src\/a\.py$/m),
    );
    expect(await shown()).toEqual([]);
  });

  test('allow always takes the only one that does', async () => {
    await open(asked('q1'));
    await open(asked('q2'));
    await allow('', { always: true });
    expect(await sent()).toEqual([answer('q1', 'always')]);
    await eventually(async () =>
      expect(await nvim.messages()).toContain(
        'allowed always: Run make q1 · 1 more question · :AcpPermission',
      ),
    );
  });

  test.each(['always', 'Always allow', 'always al'])('allow takes a name: %s', async (name) => {
    await open(asked('q1'));
    await allow(name);
    expect(await sent()).toEqual([answer('q1', 'always')]);
  });

  const twice = [...options, { id: 'too', name: 'Allow it', kind: 'allow_once' }];
  test.each([
    ['none allows once', [options[2]], '', 'no answer allows it once'],
    ['several allow once', twice, '', 'more than one answer allows it once'],
    ['no such name allows', options, 'reject', 'no answer that allows is called “reject”'],
    ['several have such names', twice, 'allow', 'more than one answer that allows is called'],
  ])('allow lets the user choose where %s', async (_, list, name, why) => {
    await open(asked('q1', { options: list }));
    await allow(name);
    await eventually(async () => expect((await prompts())[0]).toContain(`${why}`));
    expect((await prompts())[0]).toContain('Nano asks: Run make q1');
    expect(await sent()).toEqual([]);
  });

  test('reject sends why, and takes what rejects always where nothing else does', async () => {
    await open(asked('q1'));
    await reject('  use the other API ');
    const always = [options[0], { id: 'never', name: 'Never', kind: 'reject_always' }];
    await open(asked('q2', { options: always }));
    await reject();
    expect(await sent()).toEqual([
      [
        'question.answer',
        { session: 's1', question: 'q1', option: 'no', words: 'use the other API' },
      ],
      answer('q2', 'never'),
    ]);
    await eventually(async () => expect(await nvim.messages()).toContain('rejected: Run make q1'));
  });

  test('the words go along with a rejection that has to be chosen, and with nothing else', async () => {
    const list = [...options, { id: 'never', name: 'No!', kind: 'reject_once' }];
    for (const [id, choice] of [
      ['q1', 4],
      ['q2', 1],
    ] as const) {
      await open(asked(id, { options: list }));
      await reject('why');
      await eventually(async () => expect(await prompts()).toHaveLength(Number(id[1])));
      await choose(choice);
    }
    expect(await sent()).toEqual([
      ['question.answer', { session: 's1', question: 'q1', option: 'never', words: 'why' }],
      answer('q2', 'once'),
    ]);
  });

  test('a conflict is chosen about, by neither', async () => {
    const list = [
      { id: 'mine', name: 'Keep mine', kind: 'keep_mine' },
      { id: 'theirs', name: 'Take theirs', kind: 'take_theirs' },
      { id: 'merge', name: 'Merge', kind: 'merge' },
    ];
    await open(asked('conflict', { title: 'a.py was changed on disk', options: list }));
    await open(asked('q2'));
    await allow();
    expect(await sent()).toEqual([answer('q2', 'once')]);
    await allow();
    await eventually(async () => expect(await prompts()).toHaveLength(1));
    expect((await prompts())[0]).toBe('no answer allows it once · a.py was changed on disk:');
    expect((await shown())[0]?.labels).toEqual(['Keep mine', 'Take theirs', 'Merge']);
    await choose();
    await reject();
    await eventually(async () => expect(await prompts()).toHaveLength(2));
    await choose(3);
    expect((await sent())[1]).toEqual(answer('conflict', 'merge'));
  });

  test('answer the oldest, but the one whose diff is on the screen before it', async () => {
    await open(asked('q1'));
    await open(asked('q2', { hasDiff: true }), { diff: await diff() });
    await nvim.lua(`require('acp.ui.diff').show(...)`, {
      session: 's1',
      block: 'block q2',
      question: 'q2',
      files: await diff(),
      enter: false,
    });
    await allow();
    await allow();
    expect(await sent()).toEqual([answer('q2', 'once'), answer('q1', 'once')]);
  });

  test('answer what a select asks before what is older', async () => {
    await open(asked('q1'));
    await open(asked('q2'));
    await nvim.lua(`permission.ask('s1', 'q2')`);
    await eventually(async () => expect(await shown()).toHaveLength(1));
    await allow();
    expect(await sent()).toEqual([answer('q2', 'once')]);
  });

  test('say so where nothing is asked', async () => {
    await allow();
    await eventually(async () => expect(await nvim.messages()).toContain('no question is open'));
  });

  test('complete the names of what allows', async () => {
    await open(asked('q1'));
    const complete = (lead: string) => nvim.lua('return permission.complete(...)', lead);
    expect(await complete('')).toEqual(['Allow once', 'Always allow']);
    expect(await complete('alw')).toEqual(['Always allow']);
    expect(await complete('Rej')).toEqual([]);
  });

  test('called when it is told of, answer that question', async () => {
    await open(asked('q1'));
    await nvim.lua(`vim.api.nvim_create_autocmd('User', {
      pattern = 'AcpPermissionAsk', callback = function() permission.allow() end })`);
    await open(asked('q2'));
    expect(await sent()).toEqual([answer('q2', 'once')]);
    await settled();
    expect(await shown()).toEqual([]);
  });

  describe('typed', () => {
    beforeEach(() =>
      nvim.lua(`
        vim.api.nvim_create_user_command('Allow', function() permission.allow() end, {})
        vim.keymap.set('n', '<F2>', permission.allow)`),
    );
    const seenLongAgo = `require('acp.ui.permission_list').open[1].shown = 1`;
    const commandLine = () =>
      eventually(async () =>
        expect(await nvim.request('nvim_get_mode')).toMatchObject({ mode: 'c' }),
      );

    test('for a question that another replaced meanwhile answer nothing, and ask the other', async () => {
      await open(asked('q1'));
      await settled();
      await nvim.input(':Allow');
      await commandLine();
      await nvim.lua(`permission.closed({ session = 's1', question = 'q1' })`);
      await open(asked('q2'));
      await nvim.input('<CR>');
      await eventually(async () => expect(await prompts()).toHaveLength(1));
      expect((await prompts())[0]).toBe('asked just now · Nano asks: Run make q2:');
      expect(await sent()).toEqual([]);
    });

    test('answer what was seen, though another came before it in the list', async () => {
      await nvim.lua(`permission.opened(...)`, { session: 's0', question: asked('q0') });
      await settled();
      await nvim.lua(seenLongAgo);
      await nvim.input(':Allow');
      await commandLine();
      // One of the current chat would come first.
      await nvim.lua(`require('acp.chat').current = function() return { session = 's1' } end`);
      await open(asked('q1'));
      await nvim.input('<CR>');
      await eventually(async () => expect(await sent()).toHaveLength(1));
      expect(await sent()).toEqual([
        ['question.answer', { session: 's0', question: 'q0', option: 'once' }],
      ]);
    });

    test('as a key right after a question came up they ask it', async () => {
      await open(asked('q1'));
      await nvim.input('<F2>');
      await eventually(async () => expect(await prompts()).toHaveLength(1));
      expect(await sent()).toEqual([]);
    });

    test('as a key when it could be seen they answer it', async () => {
      await open(asked('q1'));
      await settled();
      await nvim.lua(seenLongAgo);
      await nvim.input('<F2>');
      await eventually(async () => expect(await sent()).toEqual([answer('q1', 'once')]));
    });
  });
});
