/** Unsaved buffers, by keys: while a command of the agent changes their files, and before a prompt is sent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, startNvim, type Nvim, type ScriptedAgent } from '../harness';
import { init } from './e2e';
import { COUNT_TURNS, project, turn, turnAgent, type Turns } from './turns';

const TEXT = 'one\ntwo\nthree\nfour\nfive\n';

interface Rig {
  nvim: Nvim;
  agent: ScriptedAgent;
}

async function start(turns: Turns, options: object = {}): Promise<Rig> {
  const agent = turnAgent(turns);
  const nvim = await startNvim({ init: init({ nanocoder: agent }, options) + COUNT_TURNS });
  project(nvim, { 'a.txt': TEXT, 'b.txt': TEXT });
  await nvim.command('edit b.txt | edit a.txt');
  return { nvim, agent };
}

const disk = (nvim: Nvim, name = 'a.txt') => readFileSync(join(nvim.dir, name), 'utf8');
const buffer = async (nvim: Nvim, name = 'a.txt') =>
  (
    await nvim.lua<string[]>(
      `return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)`,
      name,
    )
  )
    .map((line) => `${line}\n`)
    .join('');
const isModified = (nvim: Nvim) => nvim.lua(`return vim.bo[vim.fn.bufnr('a.txt')].modified`);

/** Types into the buffer, lets the agent's command change the file, and stands in the buffer again. */
async function conflict(nvim: Nvim, keys: string, prompt: string): Promise<void> {
  await nvim.input(`<C-w>t${keys}`);
  await turn(nvim, prompt);
  await eventually(async () => expect(await nvim.lua(`return require('acp').questions()`)).toBe(1));
  await nvim.input('<C-w>t');
}

async function answer(nvim: Nvim, number: number): Promise<void> {
  await nvim.input(':AcpPermission<CR>');
  await nvim.waitForScreen('3: Merge, both sides marked');
  await nvim.input(`${number}<CR>`);
  await eventually(async () =>
    expect(await nvim.lua(`return require('acp.conflict').is_open(vim.fn.bufnr('a.txt'))`)).toBe(
      false,
    ),
  );
}

/** Nothing of Neovim's own was asked or said about files that are newer. */
async function isQuiet(nvim: Nvim): Promise<void> {
  expect(await nvim.messages()).not.toMatch(/W1[1-6]|E37|E13\b|E5\d\d:|changed since/);
  expect(await nvim.request('nvim_get_mode')).toMatchObject({ blocking: false });
}

describe('a buffer with changes whose file a command of the agent changes', () => {
  it('is asked about; nothing is written meanwhile, and no prompt of Neovim’s comes after', async () => {
    const { nvim } = await start({
      upper: [{ sh: 'sed -i s/five/FIVE/ a.txt' }],
      lower: [{ sh: 'sed -i s/FIVE/5/ a.txt' }],
      again: [{ sh: 'sed -i s/three/THREE/ a.txt' }],
    });

    await conflict(nvim, 'gg0cwmine<Esc>', 'upper');
    await nvim.input(':w<CR>');
    await eventually(async () =>
      expect(await nvim.messages()).toContain(
        'a.txt was changed on disk: :AcpPermission decides, :w! writes yours',
      ),
    );
    expect(disk(nvim)).toBe(TEXT.replace('five', 'FIVE'));
    expect(await isModified(nvim)).toBe(true);
    await answer(nvim, 1);
    const mine = TEXT.replace('one', 'mine');
    expect(await buffer(nvim)).toBe(mine);
    expect(await isModified(nvim)).toBe(true);
    await nvim.input(':w<CR>');
    await eventually(() => expect(disk(nvim)).toBe(mine));
    await isQuiet(nvim);

    await turn(nvim, 'upper');
    const upper = mine.replace('five', 'FIVE');
    await eventually(async () => expect(await buffer(nvim)).toBe(upper));
    await conflict(nvim, 'gg0cwlost<Esc>', 'lower');
    await answer(nvim, 2);
    const theirs = upper.replace('FIVE', '5');
    await eventually(async () => expect(await buffer(nvim)).toBe(theirs));
    expect(await isModified(nvim)).toBe(false);
    // What was typed is one step back.
    await nvim.input('u');
    await eventually(async () => expect(await buffer(nvim)).toBe(upper.replace('mine', 'lost')));
    await nvim.input('<C-r>:w<CR>');
    await isQuiet(nvim);

    await conflict(nvim, '3G0cwdrei<Esc>', 'again');
    await answer(nvim, 3);
    await eventually(async () =>
      expect(await buffer(nvim)).toBe(
        theirs.replace('three\n', '<<<<<<< yours\ndrei\n=======\nTHREE\n>>>>>>> on disk\n'),
      ),
    );
    await nvim.input('3Gdd:g/^===/.,/^>>>/d<CR>:w<CR>');
    await eventually(() => expect(disk(nvim)).toBe(theirs.replace('three', 'drei')));
    await isQuiet(nvim);
  });

  it('keeps its text with :w!, and the question is gone', async () => {
    const { nvim } = await start({ upper: [{ sh: 'sed -i s/five/FIVE/ a.txt' }] });
    await conflict(nvim, 'gg0cwmine<Esc>', 'upper');
    await nvim.waitForScreen(/\? Conflict {2}a\.txt/);
    await nvim.input(':w!<CR>');
    const mine = TEXT.replace('one', 'mine');
    await eventually(() => expect(disk(nvim)).toBe(mine));
    await eventually(async () =>
      expect(await nvim.lua(`return require('acp').questions()`)).toBe(0),
    );
    await nvim.waitForScreen(/Conflict .* saved/);
    await nvim.input('GA!<Esc>:w<CR>');
    await eventually(() => expect(disk(nvim)).toBe(mine.replace('five', 'five!')));
    await isQuiet(nvim);
  });
});

describe('before a prompt is sent, unsaved buffers', () => {
  const promptsOf = ({ agent }: Rig) =>
    agent.received('session/prompt').map(({ params }) => JSON.stringify(params!['prompt']));
  const asks = (nvim: Nvim) => nvim.waitForScreen('The agent does not see 1 unsaved buffer: a.txt');

  it('are asked about: nothing is sent without a choice, and the text stays in the prompt', async () => {
    const rig = await start({}, { unsaved: 'ask' });
    const { nvim } = rig;
    await nvim.input('gg0cwmine<Esc>:AcpChat<CR>');
    await nvim.waitForScreen('<C-s> send');
    await nvim.input('look at this<C-s>');
    await asks(nvim);
    await nvim.input('<Esc>');
    await eventually(() => expect(nvim.screen()).not.toContain('The agent does not see'));
    await nvim.waitForScreen(/^.*│look at this/);
    expect(promptsOf(rig)).toEqual([]);

    // Their text goes along, and the file stays as it is.
    await nvim.input('<C-s>');
    await asks(nvim);
    await nvim.input('2<CR>');
    await eventually(() => expect(promptsOf(rig)).toHaveLength(1));
    expect(promptsOf(rig)[0]).toContain('mine\\ntwo');
    expect(disk(nvim)).toBe(TEXT);
    await nvim.waitForScreen('Done.');

    await nvim.input('<C-\\><C-n>:AcpChat as it is<CR>');
    await asks(nvim);
    await nvim.input('3<CR>');
    await eventually(() => expect(promptsOf(rig)).toHaveLength(2));
    expect(promptsOf(rig)[1]).not.toContain('mine');

    await nvim.input('<C-\\><C-n>:AcpChat for good<CR>');
    await asks(nvim);
    await nvim.input('4<CR>');
    await eventually(() => expect(promptsOf(rig)).toHaveLength(3));
    expect(disk(nvim)).toBe(TEXT.replace('one', 'mine'));

    // It is remembered for the project, also by the next Neovim.
    await nvim.input('<C-\\><C-n><C-w>tGA!<Esc>:AcpChat no question<CR>');
    await eventually(() => expect(promptsOf(rig)).toHaveLength(4));
    expect(disk(nvim)).toContain('five!');
    await nvim.close();
    const again = await startNvim({
      init: init({ nanocoder: rig.agent }, { unsaved: 'ask' }),
      dir: nvim.dir,
      home: nvim.home,
    });
    await again.command('edit a.txt');
    await again.input('GA?<Esc>:AcpChat nor here<CR>');
    await eventually(() => expect(promptsOf(rig)).toHaveLength(5));
    expect(disk(nvim)).toContain('five!?');
  });

  it('of :AcpChat text that is not sent stay with their text in the prompt', async () => {
    const rig = await start({}, { unsaved: 'ask' });
    const { nvim } = rig;
    await nvim.input('gg0cwmine<Esc>:AcpChat do not lose me<CR>');
    await asks(nvim);
    await nvim.input('<Esc>');
    await nvim.waitForScreen(/^.*│do not lose me/);
    expect(promptsOf(rig)).toEqual([]);
  });
});

it('AcpFileChanged lets others format what the agent wrote, and the format is not the agent’s', async () => {
  const { nvim } = await start({
    edit: [{ sh: `printf 'one\\ntwo\\nnew  \\nthree\\nfour\\nfive\\n' > a.txt` }],
  });
  await nvim.lua(`
    vim.api.nvim_create_autocmd('User', {
      pattern = 'AcpFileChanged',
      callback = function(event)
        changed = event.data
        vim.api.nvim_buf_call(event.data.buf, function()
          vim.cmd([[silent keepjumps %s/\\s\\+$//e | silent write]])
        end)
      end,
    })`);
  await turn(nvim, 'edit');
  const formatted = TEXT.replace('two\n', 'two\nnew\n');
  await eventually(async () => {
    expect(await buffer(nvim)).toBe(formatted);
    expect(disk(nvim)).toBe(formatted);
  });
  expect(await nvim.lua('return changed')).toMatchObject({
    path: join(nvim.dir, 'a.txt'),
    hunks: [{ old_start: 2, old_count: 0, new_start: 3, new_count: 1 }],
  });
  await isQuiet(nvim);
  expect(await isModified(nvim)).toBe(false);
  await nvim.input('<C-w>t:AcpReview<CR>');
  await nvim.waitForScreen('┃ new');
  await nvim.input('gr');
  await eventually(() => expect(disk(nvim)).toBe(TEXT));
});
