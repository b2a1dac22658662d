/** The review by keys: the real sidecar, and an agent that writes files by itself. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, startNvim, type Nvim, type ScriptedAgent } from '../harness';
import { init } from './e2e';
import { COUNT_TURNS, project, turn, turnAgent, writes } from './turns';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i + 1}`);
const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');
/** Lines with others in place of some; an empty one is deleted. */
const changed = (lines: string[], by: Record<string, string>): string[] =>
  lines.map((line) => by[line] ?? line).filter((line) => line !== '');

const A = numbered(40);
const B = numbered(20);
const MENDED_A = changed(A, { '3': 'three', '12': '', '20': 'twenty', '30': 'thirty' });
const MENDED_B = changed(B, { '5': 'five', '15': 'fifteen' });
const FILES = { 'a.txt': text(A), 'b.txt': text(B) };

const TURNS = {
  'do it': [writes('a.txt', text(MENDED_A)), writes('b.txt', text(MENDED_B))],
  'go on': [writes('b.txt', text(changed(MENDED_B, { '10': 'ten' })))],
};

interface Rig {
  nvim: Nvim;
  agent: ScriptedAgent;
  disk: (name: string) => string;
  buffer: (name: string) => Promise<string[]>;
  list: () => Promise<string[]>;
  cursor: () => Promise<[string, number]>;
  is: (name: string, lines: string[]) => Promise<void>;
}

const SETTINGS = `
  vim.o.hidden = true
  vim.keymap.set('n', '<F2>', '<Cmd>copen<CR>')
  vim.keymap.set('n', '<F3>', '<Cmd>wincmd t<CR>')
`;

/** What can be seen and had of a project in Neovim. */
function rigOf(nvim: Nvim, agent: ScriptedAgent, dir = nvim.dir): Rig {
  const disk = (name: string) => readFileSync(join(dir, name), 'utf8');
  const buffer = (name: string) =>
    nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)`, name);
  return {
    nvim,
    agent,
    disk,
    buffer,
    list: () =>
      nvim.lua(
        `return vim.tbl_map(function(item)
          local name = vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':.')
          return ('%s:%d %s'):format(name, item.lnum, item.text)
        end, vim.fn.getqflist())`,
      ),
    cursor: () => nvim.lua(`return { vim.fn.expand('%:t'), vim.fn.line('.') }`),
    is: async (name, lines) => {
      await eventually(async () => {
        expect(disk(name)).toBe(text(lines));
        expect(await buffer(name)).toEqual(lines);
      });
      expect(await nvim.lua(`return vim.bo[vim.fn.bufnr(...)].modified`, name)).toBe(false);
    },
  };
}

async function start(
  turns: Parameters<typeof turnAgent>[0],
  files: Parameters<typeof project>[1] = FILES,
): Promise<Rig> {
  const agent = turnAgent(turns);
  const nvim = await startNvim({ init: init({ nanocoder: agent }) + COUNT_TURNS + SETTINGS });
  project(nvim, files);
  await nvim.command(`edit ${Object.keys(files)[0]}`);
  return rigOf(nvim, agent);
}

/** Opens the review and waits until it stands on its first hunk. */
async function review({ nvim, cursor }: Rig, at: [string, number], scope = ''): Promise<void> {
  await nvim.input(`<F3>:AcpReview ${scope}<CR>`);
  await eventually(async () => expect(await cursor()).toEqual(at));
}

describe('the review', () => {
  it('goes from hunk to hunk and file to file, and decides by hunk, file and list', async () => {
    const rig = await start(TURNS);
    const { nvim, cursor, is } = rig;
    const at = (name: string, line: number) =>
      eventually(async () => expect(await cursor()).toEqual([name, line]));
    await turn(nvim, 'do it');
    // The turn's last line is the door to it.
    await nvim.waitForScreen(':AcpReview ──');
    await nvim.input('<C-w>kG<CR>');
    await at('a.txt', 3);
    await is('a.txt', MENDED_A);
    await nvim.input(']c');
    await at('a.txt', 12);
    await nvim.input('3]c');
    await at('b.txt', 5);
    await nvim.input('[f');
    await at('a.txt', 3);
    await nvim.input(']f[c');
    await at('a.txt', 29);

    // One hunk back, as one step that can itself be taken back: then it is to be decided again.
    await nvim.input('gr');
    const rejected = changed(MENDED_A, { thirty: '30' });
    await is('a.txt', rejected);
    await eventually(async () => expect(await rig.list()).toHaveLength(5));
    await nvim.input('u');
    await eventually(async () => expect(await rig.buffer('a.txt')).toEqual(MENDED_A));
    await eventually(async () => expect(await rig.list()).toHaveLength(6));
    await nvim.input(':w<CR>29Ggr');
    await is('a.txt', rejected);

    // Kept, it stays and is no more to be decided.
    await nvim.input('3Gga');
    await eventually(async () => expect((await rig.list())[0]).toMatch(/^a\.txt:12 \+0 −1/));
    await nvim.waitForScreen('1 kept');
    await is('a.txt', rejected);

    // From the list: the one that was deleted, and two selected ones of the next file.
    await nvim.input('<F2>gggr');
    await is('a.txt', changed(A, { '3': 'three', '20': 'twenty' }));
    await eventually(async () => expect(await rig.list()).toHaveLength(3));
    await nvim.input('2GVjgr');
    await is('b.txt', B);
    await eventually(async () => expect(await rig.list()).toHaveLength(1));
    await nvim.input('<CR>');
    await at('a.txt', 20);
    await nvim.input('gA');
    await eventually(async () =>
      expect(await nvim.messages()).toMatch(/review done: 2 kept, \d rejected/),
    );
    expect(nvim.screen()).not.toContain('by nanocoder');

    // The rejected hunks go to the agent.
    await nvim.input(':AcpReview! numbers only<CR>');
    await eventually(() => {
      const sent = rig.agent.received('session/prompt').at(-1)!.params!['prompt'] as {
        text: string;
      }[];
      expect(sent[0]!.text).toContain('numbers only');
      expect(sent[0]!.text).toContain('+fifteen');
      expect(sent[0]!.text).toContain('+thirty');
      expect(sent[0]!.text).not.toContain('+three');
    });
  });

  it('never takes what the user typed for the agent’s', async () => {
    const rig = await start(TURNS);
    const { nvim } = rig;
    await turn(nvim, 'do it');
    await review(rig, ['a.txt', 3]);
    await nvim.input('7Gomine<Esc>:w<CR>19Gccmy nineteen<Esc>');
    await eventually(async () => expect((await rig.buffer('a.txt'))[18]).toBe('my nineteen'));
    await eventually(async () => {
      const list = await rig.list();
      expect(list.join('\n')).not.toContain('mine');
      expect(list.slice(0, 4).map((item) => item.split(' ')[0])).toEqual([
        'a.txt:3',
        'a.txt:13',
        'a.txt:20',
        'a.txt:30',
      ]);
    });
    await nvim.input('gR');
    const mine = changed(A, { '19': 'my nineteen' });
    await rig.is('a.txt', [...mine.slice(0, 7), 'mine', ...mine.slice(7)]);
  });

  it('takes back what is no lines from the list: files that come, go, move or are binary', async () => {
    const png = Buffer.from([0x89, 0, 1, 2]);
    const files = {
      'a.txt': text(A),
      'gone.txt': 'bye\n',
      'old/name.txt': text(B),
      'run.sh': 'exit\n',
      'x.png': png,
    };
    const sh = "git mv old/name.txt new.txt; chmod +x run.sh; rm gone.txt; printf 'A\\0B' > x.png";
    const rig = await start({ 'do it': [{ sh }, writes('more/come.txt', 'hi\n')] }, files);
    const { nvim } = rig;
    await nvim.command('edit gone.txt | edit a.txt');
    await turn(nvim, 'do it');
    await nvim.input('<F3>:AcpReview<CR>');
    await eventually(async () =>
      expect(await rig.list()).toEqual([
        'gone.txt:0 deleted file (1 line)',
        'more/come.txt:1 new file (1 line)',
        'new.txt:0 renamed from old/name.txt',
        'run.sh:0 mode 644 → 755',
        'x.png:0 binary, 4 B → 3 B',
      ]),
    );
    await nvim.input('<F2>gg<CR>');
    await nvim.waitForScreen('gone.txt (deleted)');
    await nvim.input('q<F2>gggr');
    await eventually(async () => expect(await rig.list()).toHaveLength(4));
    await rig.is('gone.txt', ['bye']);
    await nvim.input('ggVGgr');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('review done: 5 rejected'),
    );
    expect(existsSync(join(nvim.dir, 'more'))).toBe(false);
    expect(existsSync(join(nvim.dir, 'new.txt'))).toBe(false);
    expect(rig.disk('old/name.txt')).toBe(text(B));
    expect(statSync(join(nvim.dir, 'run.sh')).mode & 0o111).toBe(0);
    expect(readFileSync(join(nvim.dir, 'x.png'))).toEqual(png);
  });

  it('is of this turn or of the session, and of the last session after a restart', async () => {
    const rig = await start(TURNS);
    const { nvim } = rig;
    await turn(nvim, 'do it');
    await turn(nvim, 'go on');
    await review(rig, ['b.txt', 10], 'turn');
    await eventually(async () => expect(await rig.list()).toEqual(['b.txt:10 +1 −1  10']));
    await nvim.input('gQ');
    // Neither the chat nor the buffers have to be there.
    await nvim.input(':AcpHide<CR>:%bwipeout<CR>');
    await review(rig, ['a.txt', 3]);
    await eventually(async () => expect(await rig.list()).toHaveLength(7));
    await nvim.input('gr');
    await eventually(async () => expect(await rig.list()).toHaveLength(6));
    await nvim.close();

    const again = await startNvim({ init: init({}) + SETTINGS, home: nvim.home, dir: nvim.dir });
    const later = rigOf(again, rig.agent);
    // The sidecar of before holds it until its agents have ended; who has no patience asks again and again.
    await eventually(async () => {
      await again.input('<F3>:AcpReview<CR>');
      await again.waitForScreen('3 changes by nanocoder, 1 rejected', { timeout: 300 });
    });
    expect(await later.cursor()).toEqual(['a.txt', 12]);
    expect(await later.list()).toHaveLength(6);
    await again.input('gA');
    await eventually(async () => expect(await later.list()).toHaveLength(3));
    await again.input('<F2>gggR');
    await eventually(async () => expect(await again.messages()).toContain('review done'));
    expect(later.disk('a.txt')).toBe(text(changed(MENDED_A, { three: '3' })));
    expect(later.disk('b.txt')).toBe(text(B));
    await again.input(':AcpReview<CR>');
    await eventually(async () => expect(await again.messages()).toMatch(/review done|nothing/));
  });
});

describe(':AcpUndo', () => {
  it('shows what it will do, asks, does it, and can be taken back', async () => {
    const rig = await start(TURNS);
    const { nvim } = rig;
    await turn(nvim, 'do it');
    await turn(nvim, 'go on');
    await nvim.input('<F3>:AcpUndo<CR>');
    await nvim.waitForScreen('Take back: go on');
    await nvim.waitForScreen('restores b.txt (+1 −1)');
    await nvim.input('2<CR>');
    await eventually(() => expect(nvim.screen()).not.toContain('Take back: go on'));
    expect(rig.disk('b.txt')).toContain('ten');
    await nvim.input('5Gomine<Esc>:AcpUndo<CR>');
    await nvim.waitForScreen('2: Leave it');
    await nvim.input('1<CR>');
    await eventually(async () =>
      expect(await nvim.messages()).toContain('the turn was taken back'),
    );
    expect(rig.disk('b.txt')).toBe(text(MENDED_B));

    // The turn before, with what the user has typed since.
    await nvim.input(':AcpUndo<CR>');
    await nvim.waitForScreen('restores a.txt (+4 −3)');
    await nvim.input('1<CR>');
    await eventually(() => expect(rig.disk('b.txt')).toBe(text(B)));
    expect(await rig.buffer('a.txt')).toEqual([...A.slice(0, 5), 'mine', ...A.slice(5)]);

    await nvim.input(':AcpUndo!<CR>');
    await nvim.waitForScreen('Bring back: do it');
    await nvim.input('1<CR>');
    await eventually(() => expect(rig.disk('b.txt')).toBe(text(MENDED_B)));
    expect(await rig.buffer('a.txt')).toEqual([
      ...MENDED_A.slice(0, 5),
      'mine',
      ...MENDED_A.slice(5),
    ]);
  });
});
