import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, startNvim, type Nvim } from '../harness';

const OPTIONS = [
  { id: 'accept', name: 'Accept', kind: 'accept' },
  { id: 'decline', name: 'Decline', kind: 'reject_once' },
  { id: 'cancel', name: 'Cancel', kind: 'reject_cancel' },
];
const COLOURS = [
  { value: 'r', title: 'Red', description: 'like blood' },
  { value: 'g', title: 'Green' },
];
const NAME = { name: 'name', title: 'Name', required: true, type: 'text' };
const CHOICE = {
  name: 'colour',
  title: 'Colour',
  required: false,
  type: 'choice',
  choices: COLOURS,
};

const asked = (fields: object[], more: object = {}) => ({
  id: 'q1',
  block: 'b1',
  title: 'Tell me more.',
  detail: [],
  options: OPTIONS,
  hasDiff: false,
  editable: 'no',
  form: { message: 'Tell me more.', fields },
  ...more,
});

let nvim: Nvim;

beforeEach(async () => {
  nvim = await startNvim({
    columns: 100,
    lines: 30,
    init: `
      vim.o.shortmess = vim.o.shortmess .. 'I'
      vim.o.swapfile = false
      sent, shown, urls = {}, {}, {}
      require('acp.rpc').notify = function(method, params) table.insert(sent, { method, params }) end
      require('acp.highlight').setup()
      require('acp.config').setup({ permission = { quiet_ms = 0 } })
      state = require('acp.state')
      permission = require('acp.ui.permission')
      form = require('acp.ui.form')
      state.apply('s1', { agent = 'Nano', state = 'waiting' })
      vim.ui.select = function(items, opts, on_choice)
        local labels = vim.tbl_map(opts.format_item, items)
        table.insert(shown, { prompt = opts.prompt, kind = opts.kind, labels = labels })
        shown_choice = function(i) on_choice(i and items[i], i) end
      end
      vim.ui.open = function(url) table.insert(urls, url) end
    `,
  });
});

const opens = (question: object): Promise<unknown> =>
  nvim.lua('permission.opened(...)', { session: 's1', question });
const closes = (): Promise<unknown> =>
  nvim.lua(`permission.closed({ session = 's1', question = 'q1' })`);
const lines = (): Promise<string[]> =>
  nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
const sent = async (method = 'question.answer'): Promise<object[]> =>
  (await nvim.lua<[string, object][]>('return sent'))
    .filter(([name]) => name === method)
    .map(([, params]) => params);
const values = async (): Promise<unknown> =>
  ((await sent()).at(-1) as { values: unknown } | undefined)?.values;
const floats = (): Promise<number> =>
  nvim.lua(`return #vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative ~= ''
  end, vim.api.nvim_list_wins())`);
const faults = (list: object[], more: object = {}): Promise<unknown> =>
  nvim.lua('form.faults(...)', {
    session: 's1',
    question: 'q1',
    sent: false,
    faults: list,
    ...more,
  });

async function shows(fields: object[], more: object = {}): Promise<void> {
  await opens(asked(fields, more));
  await eventually(async () => expect(await floats()).toBe(1));
}

describe('a form', () => {
  test('shows what is asked, the names of its fields and their choices', async () => {
    await shows([NAME, { ...CHOICE, default: 'g' }, { ...NAME, name: 'yes', type: 'boolean' }]);
    expect(await lines()).toEqual([
      'Tell me more.',
      '',
      '( ) Red',
      '(x) Green',
      '( ) yes',
      '( ) no',
    ]);
    await eventually(() =>
      expect(nvim.screen()).toMatch(/Name \(required\)[^]*Colour[^]*\( \) Red {3}like blood/),
    );
    const screen = nvim.screen();
    expect(screen).toContain('<C-s> send · gr decline · <C-c> cancel · q later');
  });

  test('is filled in like text, chosen from by a key, and sent by :w', async () => {
    await shows([NAME, CHOICE, { name: 'on', required: false, type: 'boolean' }]);
    await nvim.input('iAda<CR>Lovelace<Esc>');
    await nvim.input('jj<CR>jj<Tab>');
    expect(await lines()).toEqual([
      'Tell me more.',
      'Ada',
      'Lovelace',
      '( ) Red',
      '(x) Green',
      '( ) yes',
      '(x) no',
    ]);
    await nvim.command('write');
    expect(await sent()).toEqual([
      {
        session: 's1',
        question: 'q1',
        option: 'accept',
        values: { name: 'Ada\nLovelace', colour: 'g', on: false },
      },
    ]);
    await closes();
    await eventually(async () => expect(await floats()).toBe(0));
  });

  test('is sent from insert mode, too', async () => {
    await shows([NAME, { ...NAME, name: 'n', type: 'integer', default: 3 }]);
    await nvim.input('iAda<C-s>');
    await eventually(async () => expect(await values()).toEqual({ name: 'Ada', n: '3' }));
  });

  test.each([
    ['gr', 'decline'],
    ['<C-c>', 'cancel'],
  ])('is answered by %s with %s', async (key, option) => {
    await shows([NAME, CHOICE]);
    await nvim.input(key);
    await eventually(async () =>
      expect(await sent()).toEqual([{ session: 's1', question: 'q1', option }]),
    );
    await eventually(async () => expect(await floats()).toBe(0));
  });

  test('that is closed stays open as a question, with what was typed', async () => {
    await shows([NAME, CHOICE]);
    await nvim.input('iAda<Esc>q');
    await eventually(async () => expect(await floats()).toBe(0));
    expect(await sent()).toEqual([]);
    expect(await nvim.lua('return permission.count()')).toBe(1);
    await nvim.command('AcpPermission');
    await eventually(async () => expect(await floats()).toBe(1));
    expect((await lines())[1]).toBe('Ada');
  });

  test('takes several choices', async () => {
    await shows([NAME, { ...CHOICE, type: 'choices', default: ['r'] }]);
    expect((await lines()).slice(2)).toEqual(['[x] Red', '[ ] Green']);
    await nvim.input('G<CR>');
    await nvim.command('write');
    expect(await values()).toEqual({ name: '', colour: ['r', 'g'] });
  });

  test('takes an answer that is none of the choices', async () => {
    await shows([NAME, { ...CHOICE, default: 'r', other: { name: 'own' } }]);
    await nvim.input('G<CR>Mauve<Esc>');
    expect((await lines()).slice(2)).toEqual(['( ) Red', '( ) Green', '(x) Other: Mauve']);
    await nvim.command('write');
    expect(await values()).toEqual({ name: '', own: 'Mauve' });
    // Another choice takes its place.
    await nvim.input('k<CR>');
    await nvim.command('write');
    expect(await values()).toEqual({ name: '', colour: 'g' });
  });

  test('does not show the choice that stands for an answer of one’s own', async () => {
    await shows([NAME, { ...CHOICE, other: { name: 'own', with: 'g' } }]);
    expect((await lines()).slice(2)).toEqual(['( ) Red', '( ) Other: ']);
  });

  test('says what is wrong when a field is left, not before', async () => {
    await shows([NAME, CHOICE]);
    await nvim.input('j');
    await eventually(async () => expect(await sent('form.check')).toHaveLength(1));
    await faults([
      { field: 'name', words: 'it is required' },
      { field: 'colour', words: 'that is none of the choices' },
    ]);
    await nvim.waitForScreen('! it is required');
    expect(nvim.screen()).not.toContain('none of the choices');
  });

  test('is checked when a field is left by keys that come at once, too', async () => {
    await shows([NAME, { ...NAME, name: 'more' }]);
    await nvim.input('j');
    await eventually(async () => expect(await sent('form.check')).toHaveLength(1));
    await nvim.lua(`vim.api.nvim_feedkeys(vim.keycode('i<Up>Ada<Down>'), 't', false)`);
    await eventually(async () => expect(await lines()).toContain('Ada'));
    await eventually(async () =>
      expect((await sent('form.check')).at(-1)).toMatchObject({ values: { name: 'Ada' } }),
    );
  });

  test('that can’t be sent says why, and goes to the place', async () => {
    await shows([CHOICE, NAME]);
    await nvim.input('<C-s>');
    await eventually(async () => expect(await sent()).toHaveLength(1));
    await faults([{ field: 'name', words: 'it is required' }], { sent: true });
    expect(await nvim.messages()).toContain('not sent: Name: it is required');
    expect(await nvim.lua('return vim.api.nvim_win_get_cursor(0)[1]')).toBe(4);
    await nvim.waitForScreen('! it is required');
  });

  test('can only be declined where it needs what can’t be filled in', async () => {
    const odd = { name: 'odd', title: 'Odd', required: true, type: 'unknown', kind: 'colour' };
    await shows([odd, NAME], { options: OPTIONS.slice(1) });
    expect((await lines())[1]).toBe('can’t be filled in here (colour)');
    await nvim.waitForScreen('can’t be filled in here · gr decline');
    await nvim.command('write');
    expect(await nvim.messages()).toContain('decline it, or cancel it');
    expect(await sent()).toEqual([]);
  });

  test('reads secrets without an echo, and shows nothing of them', async () => {
    await shows([{ ...NAME, secret: true }, CHOICE]);
    await nvim.input('<CR>sesame<CR>');
    await eventually(async () => expect((await lines())[1]).toBe('••••••••'));
    expect(nvim.screen()).not.toContain('sesame');
    await nvim.input('ccnever<Esc>');
    await eventually(async () => expect((await lines())[1]).toBe('••••••••'));
    await nvim.command('write');
    expect(await values()).toEqual({ name: 'sesame' });
  });

  test('nobody asks any more keeps what was typed', async () => {
    await shows([NAME, CHOICE]);
    await nvim.input('iAda<Esc>');
    await closes();
    expect((await lines())[1]).toBe('Ada');
    expect(await nvim.messages()).toContain('nobody asks any more');
  });

  test('that was not touched goes with its question', async () => {
    await shows([NAME, CHOICE]);
    await closes();
    await eventually(async () => expect(await floats()).toBe(0));
  });

  test('of a thousand choices is there at once', async () => {
    const choices = Array.from({ length: 1000 }, (_, i) => ({
      value: `v${i}`,
      title: `Choice ${i}`,
    }));
    await shows([{ ...CHOICE, choices }, NAME]);
    await nvim.input('500G<CR>');
    await nvim.command('write');
    expect(await values()).toEqual({ colour: 'v498', name: '' });
  });
});

describe('whatever is edited', () => {
  const text = (name: string, value = '') => ({ ...NAME, name, title: name, default: value });
  const fields = [text('a', 'one\ntwo'), text('b', 'three'), text('c', 'four')];

  test.each([
    ['ggdG', { a: '', b: '', c: '' }],
    ['dd', { a: 'two', b: 'three', c: 'four' }],
    ['2dd', { a: '', b: 'three', c: 'four' }],
    ['3dd', { a: '', b: '', c: 'four' }],
    ['3Gdd', { a: 'one', b: 'three', c: 'four' }],
    ['Gdd', { a: 'one\ntwo', b: 'three', c: '' }],
    ['4Gdd', { a: 'one\ntwo', b: '', c: 'four' }],
    ['4Gddu', { a: 'one\ntwo', b: 'three', c: 'four' }],
    ['4Gdduu', { a: 'one\ntwo', b: 'three', c: 'four' }],
    ['4Gddu<C-r>', { a: 'one\ntwo', b: '', c: 'four' }],
    ['GdG<C-o>u', { a: 'one\ntwo', b: 'three', c: 'four' }],
    ['3GJ', { a: 'one\ntwo three', b: '', c: 'four' }],
    ['3Gofive<Esc>', { a: 'one\ntwo\nfive', b: 'three', c: 'four' }],
    ['Gofive<Esc>', { a: 'one\ntwo', b: 'three', c: 'four\nfive' }],
    ['ggOhead<Esc>', { a: 'one\ntwo', b: 'three', c: 'four' }],
    ['ggdd', { a: 'one\ntwo', b: 'three', c: 'four' }],
    ['ggccx<Esc>', { a: 'one\ntwo', b: 'three', c: 'four' }],
    [':%s/e/E/g<CR>', { a: 'onE\ntwo', b: 'thrEE', c: 'four' }],
    [':2,4join<CR>', { a: 'one two three', b: '', c: 'four' }],
    ['2GVGcx<Esc>', { a: 'x', b: '', c: '' }],
    ['4Gyyp', { a: 'one\ntwo', b: 'three\nthree', c: 'four' }],
  ])('%s leaves each field its own', async (typed, left) => {
    await shows(fields);
    await nvim.input(typed);
    await nvim.command('write');
    await eventually(async () => expect(await values()).toEqual(left));
    expect((await lines())[0]).toBe('Tell me more.');
  });
});

describe('a form of one choice', () => {
  test('is asked from a list, with what its choices mean', async () => {
    await opens(asked([{ ...CHOICE, default: 'g', description: 'Of the car.' }]));
    await eventually(async () =>
      expect(await nvim.lua('return shown')).toEqual([
        {
          prompt: 'Nano asks: Tell me more. · Colour · Of the car.:',
          kind: 'acp.question',
          labels: ['Red — like blood', 'Green (default)', 'Decline to answer', 'Cancel'],
        },
      ]),
    );
    await nvim.lua('shown_choice(1)');
    expect(await values()).toEqual({ colour: 'r' });
  });

  test('stays open where nothing is chosen', async () => {
    await opens(asked([CHOICE]));
    await eventually(async () => expect(await nvim.lua('return #shown')).toBe(1));
    await nvim.lua('shown_choice(false)');
    expect(await sent()).toEqual([]);
    expect(await nvim.lua('return permission.count()')).toBe(1);
  });

  test.each([
    [3, 'decline'],
    [4, 'cancel'],
  ])('can be refused', async (at, option) => {
    await opens(asked([CHOICE]));
    await eventually(async () => expect(await nvim.lua('return #shown')).toBe(1));
    await nvim.lua('shown_choice(...)', at);
    expect(await sent()).toEqual([{ session: 's1', question: 'q1', option }]);
  });

  test('takes words of one’s own', async () => {
    await nvim.lua(`vim.ui.input = function(_, on_words) on_words('Mauve') end`);
    await opens(asked([{ ...CHOICE, other: { name: 'own' } }]));
    await eventually(async () => expect(await nvim.lua('return #shown')).toBe(1));
    await nvim.lua('shown_choice(3)');
    expect(await values()).toEqual({ own: 'Mauve' });
  });

  test('of yes and no is one, too', async () => {
    await opens(asked([{ name: 'on', required: true, type: 'boolean' }]));
    await eventually(async () => expect(await nvim.lua('return #shown')).toBe(1));
    await nvim.lua('shown_choice(2)');
    expect(await values()).toEqual({ on: false });
  });
});

describe('a page', () => {
  const page = (more: object = {}, options: object[] = OPTIONS) => ({
    id: 'q1',
    block: 'b1',
    detail: [],
    hasDiff: false,
    editable: 'no',
    title: 'open xn--pple-43d.com',
    options,
    url: {
      url: `https://xn--pple-43d.com/${'long/'.repeat(30)}end`,
      host: 'xn--pple-43d.com',
      message: 'Log in there.',
      warning: 'it is odd\nand odder',
      ...more,
    },
  });

  test('is shown whole, with its host and what is odd, and not opened by itself', async () => {
    await opens(page());
    await eventually(async () => expect(await floats()).toBe(1));
    await eventually(() =>
      expect(nvim.screen()).toMatch(
        /Log in there\.[^]*xn--pple-43d\.com[^]*long\/end[^]*! it is odd[^]*! and odder/,
      ),
    );
    const screen = nvim.screen();
    expect(screen).toContain('<C-s> open · gy copy · gr decline · <C-c> cancel · q later');
    expect(await nvim.lua('return urls')).toEqual([]);
    await nvim.input('<C-s>');
    await eventually(async () => expect(await nvim.lua('return #urls')).toBe(1));
    expect(await nvim.lua('return urls')).toEqual([page().url.url]);
    expect(await sent()).toEqual([{ session: 's1', question: 'q1', option: 'accept' }]);
    await eventually(async () => expect(await floats()).toBe(0));
  });

  test.each([
    ['gr', [{ session: 's1', question: 'q1', option: 'decline' }]],
    ['<C-c>', [{ session: 's1', question: 'q1', option: 'cancel' }]],
    ['q', []],
  ])('is not opened by %s', async (key, told) => {
    await opens(page());
    await eventually(async () => expect(await floats()).toBe(1));
    await nvim.input(key);
    await eventually(async () => expect(await floats()).toBe(0));
    expect(await nvim.lua('return urls')).toEqual([]);
    expect(await sent()).toEqual(told);
  });

  test('is copied by a key', async () => {
    await opens(page());
    await eventually(async () => expect(await floats()).toBe(1));
    await nvim.input('gy');
    await eventually(async () =>
      expect(await nvim.lua(`return vim.fn.getreg('"')`)).toBe(page().url.url),
    );
  });

  test('that can’t be opened here is told', async () => {
    await nvim.lua(`vim.ui.open = function() return nil, 'no program' end`);
    await opens(page());
    await eventually(async () => expect(await floats()).toBe(1));
    await nvim.input('<C-s>');
    await eventually(async () => expect(await nvim.messages()).toContain('open it by hand'));
  });

  test('that is no address is neither opened nor copied', async () => {
    await opens(page({ host: '', url: 'nonsense' }, OPTIONS.slice(1)));
    await eventually(async () => expect(await floats()).toBe(1));
    await nvim.input('<C-s>');
    await eventually(async () => expect(await nvim.messages()).toContain('this can’t be opened'));
    expect(await nvim.lua('return urls')).toEqual([]);
  });

  test('goes when the agent is done with it', async () => {
    await opens(page());
    await eventually(async () => expect(await floats()).toBe(1));
    await closes();
    await eventually(async () => expect(await floats()).toBe(0));
  });
});
