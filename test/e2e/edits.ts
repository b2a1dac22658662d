/** A Neovim in which an agent of some shape edits files, cell by cell of a table, and what a user sees and has of it. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Question } from '../../src/nvim/protocol';
import type { FileDiff } from '../../src/diff/file-diff';
import type { ReviewView } from '../../src/review/view';
import { eventually, scriptedAgent, type Nvim, type ScriptedAgent, type Step } from '../harness';
import { startChat, state } from './e2e';
import { bytesOf, projectOf, type Before, type Cell } from './shapes/cell';
import type { Shape } from './shapes';

/** What is asked, as the user sees it. */
export interface Asked {
  title: string;
  editable: true | string;
  files: { name: string; status: string; piece: boolean; rows: string[] }[];
}

/** What Neovim has of a file. */
export interface Buf {
  lines: string[];
  modified: boolean;
  endofline: boolean;
  fileformat: string;
  fileencoding: string;
  bomb: boolean;
}

const LUA = `
  starts, ends, reviews = 0, 0, {}
  vim.ui.select = function(items, opts, on_choice)
    selects = (selects or 0) + 1
    opts.items, opts.choose = items, on_choice
    selected = opts
  end
  local function on(pattern, callback)
    vim.api.nvim_create_autocmd('User', { pattern = pattern, callback = callback })
  end
  on('AcpTurnStart', function() starts = starts + 1 end)
  on('AcpTurnEnd', function() ends = ends + 1 end)
  local review = require('acp.ui.review')
  local show = review.show
  review.show = function(view)
    table.insert(reviews, view)
    show(view)
  end`;

const SIGNS = { add: '+', del: '-', same: ' ' };

export class Bench {
  #ended = 0;

  private constructor(
    readonly nvim: Nvim,
    readonly agent: ScriptedAgent,
    readonly cells: Record<string, Cell>,
  ) {}

  /** `git`: the project is a repository. */
  static async start(
    shape: Shape,
    cells: Record<string, Cell>,
    { git }: { git: boolean },
  ): Promise<Bench> {
    const turns = Object.entries(cells).map(([id, cell], i): Step => {
      const steps = shape.turn(cell.acts, projectOf(cell), `call-${i}`);
      return { when: ['${prompt.params.prompt.0.text}', id], steps };
    });
    const agent = scriptedAgent([
      { expect: 'session/new', as: 'new' },
      { reply: { sessionId: 's' } },
      { repeat: 1000, steps: [{ expect: 'session/prompt', as: 'prompt' }, ...turns] },
    ]);
    const nvim = await startChat(agent, {
      options: { permission: { open: 'manual' } },
      columns: 160,
    });
    await nvim.lua(LUA);
    if (git) await nvim.lua(`vim.fn.system({ 'git', 'init', '-q' })`);
    await nvim.command('AcpChat');
    await nvim.command('stopinsert | wincmd t');
    const bench = new Bench(nvim, agent, cells);
    await bench.#idle();
    return bench;
  }

  path(name: string): string {
    return join(this.nvim.dir, name);
  }

  /** Makes the files of a cell, and opens some in the first window: all, if it isn't said which. */
  async prepare(id: string, open?: string[]): Promise<void> {
    await this.nvim.command('messages clear | wincmd t');
    const { files, closed } = this.cells[id]!;
    for (const [name, before] of Object.entries(files)) this.#make(name, before);
    for (const name of open ?? (closed ? [] : Object.keys(files)))
      await this.nvim.command(`silent edit ${name}`);
  }

  /** Sends the prompt of a cell whose files are there. */
  async prompt(id: string): Promise<void> {
    this.#ended = await this.nvim.lua('return ends');
    await this.nvim.lua(
      `local win = vim.api.nvim_get_current_win()
      require('acp').open({ text = ... })
      vim.cmd.stopinsert()
      vim.api.nvim_set_current_win(win)`,
      id,
    );
  }

  async begin(id: string, open?: string[]): Promise<void> {
    await this.prepare(id, open);
    await this.prompt(id);
  }

  /** Allows what is asked until the turn is over, and tells what it was. */
  async allowAll(): Promise<Asked[]> {
    const all: Asked[] = [];
    const next = () =>
      eventually(async () => {
        const [ends, questions] = await this.nvim.lua<[number, number]>(
          `return { ends, require('acp').questions() }`,
        );
        expect(ends > this.#ended || questions > 0).toBe(true);
        return questions > 0;
      });
    while (await next()) {
      all.push(await this.asked());
      await this.allow();
    }
    await this.over();
    return all;
  }

  /** Waits for a question, and tells what it shows. */
  async asked(): Promise<Asked> {
    const found = await eventually(async () => {
      const open = await this.nvim.lua<{ question: Question; diff?: FileDiff[] } | null>(
        `local entry = require('acp.ui.permission_list').open[1]
        return entry and entry.whole and { question = entry.question, diff = entry.diff } or vim.NIL`,
      );
      expect(open).not.toBeNull();
      return open!;
    });
    const { question, diff = [] } = found;
    const files = diff.map(({ name, status, fragment, hunks }) => {
      const rows = hunks.flatMap((hunk) => hunk.rows.filter(({ type }) => type !== 'same'));
      return {
        name,
        status,
        piece: fragment,
        rows: rows.map(({ type, text }) => SIGNS[type] + text),
      };
    });
    return { title: question.title, editable: question.editable, files };
  }

  async allow(): Promise<void> {
    await this.nvim.command('AcpAllow');
  }

  async reject(): Promise<void> {
    await this.nvim.command('AcpReject');
  }

  /** Gives the answer of that name to the question that is asked, in the picker. */
  async choose(name: RegExp): Promise<void> {
    await this.nvim.lua('selected = nil');
    await this.nvim.command('AcpPermission');
    // It comes with the change as things stand now.
    await eventually(async () => expect(await this.nvim.lua('return selected ~= nil')).toBe(true));
    const items = await this.nvim.lua<{ name: string }[]>('return selected.items');
    const index = items.findIndex((item) => name.test(item.name)) + 1;
    await this.nvim.lua('selected.choose(selected.items[...], ...)', index);
  }

  /** Waits until the turn is over and its changes are looked at. */
  async over(): Promise<void> {
    await eventually(async () =>
      expect(await this.nvim.lua('return ends')).toBeGreaterThan(this.#ended),
    );
    await this.#idle();
    expect(this.agent.faults()).toEqual([]);
  }

  async #idle(): Promise<void> {
    await eventually(async () => {
      expect((await state(this.nvim)).state).toBe('idle');
      expect(await this.nvim.lua('return starts - ends')).toBe(0);
    });
  }

  /** What is on disk: bytes, mode and link. */
  disk(name: string): { bytes: Buffer; mode: number; link?: string } | null {
    const path = this.path(name);
    if (!existsSync(path)) return null;
    const stats = lstatSync(path);
    const link = stats.isSymbolicLink() ? { link: readlinkSync(path) } : {};
    return { bytes: readFileSync(path), mode: lstatSync(path).mode & 0o777, ...link };
  }

  buffer(name: string): Promise<Buf | null> {
    return this.nvim.lua(
      `local buf = vim.fn.bufnr(...)
      if buf < 0 or not vim.api.nvim_buf_is_loaded(buf) then return vim.NIL end
      local bo = vim.bo[buf]
      return {
        lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false),
        modified = bo.modified,
        endofline = bo.endofline,
        fileformat = bo.fileformat,
        fileencoding = bo.fileencoding,
        bomb = bo.bomb,
      }`,
      `^${this.path(name)}$`,
    );
  }

  /** What `:AcpReview` lists of the last turn. */
  async review(): Promise<ReviewView['files']> {
    const before = await this.#reviews();
    await this.nvim.command('AcpReview turn');
    return (await this.#reviewAfter(before)).files;
  }

  /** Rejects all that is listed, with the keys of the list. */
  async rejectAll(): Promise<void> {
    await this.pressReject();
    await eventually(async () => expect((await this.#lastReview()).files).toEqual([]));
    await this.nvim.command('wincmd t');
  }

  pressReject(): Promise<unknown> {
    return this.nvim.lua(
      `local list = vim.iter(vim.api.nvim_list_wins()):find(function(win)
        return vim.fn.win_gettype(win) == 'quickfix'
      end)
      vim.api.nvim_set_current_win(list)
      vim.cmd.normal('ggVGgR')`,
    );
  }

  #reviews(): Promise<number> {
    return this.nvim.lua('return #reviews');
  }

  #lastReview(): Promise<ReviewView> {
    return this.nvim.lua(`local view = vim.deepcopy(reviews[#reviews])
      view.files = view.files or {}
      return view`);
  }

  async #reviewAfter(count: number): Promise<ReviewView> {
    await eventually(async () => expect(await this.#reviews()).toBeGreaterThan(count));
    return this.#lastReview();
  }

  /** Nothing was asked, warned of or said but what belongs to answers and reviews, and nothing went wrong unseen. */
  async quiet(also = /^$/): Promise<void> {
    const expected =
      /^acp: (allowed once: |rejected: |review done: |there is nothing to review|scripted asks: )/;
    const said = (await this.nvim.messages()).split('\n').filter((line) => line !== '');
    expect(said.filter((line) => !expected.test(line) && !also.test(line))).toEqual([]);
    expect(await this.nvim.request('nvim_get_mode')).toMatchObject({ blocking: false });
    const log = join(this.nvim.home, 'state/nvim/acp/acp.log');
    expect(existsSync(log) ? readFileSync(log, 'utf8') : '').not.toMatch(/ error /);
  }

  /** Ends what a cell that failed has left. */
  async leave(): Promise<void> {
    const { state: now, questions } = await state(this.nvim);
    if (now !== 'idle') await this.nvim.command('AcpCancel');
    if ((questions as unknown[]).length > 0) await this.choose(/^Take theirs/).catch(() => {});
    await this.#idle();
    await this.nvim.command('silent! cclose');
    // One window with an empty buffer beside the chat.
    await this.nvim.lua(`
      vim.cmd('topleft vnew')
      local win = vim.api.nvim_get_current_win()
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.bo[buf].buftype == '' and buf ~= vim.api.nvim_win_get_buf(win) then
          vim.api.nvim_buf_delete(buf, { force = true })
        end
      end`);
  }

  #make(name: string, before: Before): void {
    const path = this.path(name);
    rmSync(path, { force: true });
    mkdirSync(dirname(path), { recursive: true });
    if (typeof before === 'object' && 'link' in before) return symlinkSync(before.link, path);
    writeFileSync(path, bytesOf(before));
    if (typeof before === 'object' && 'mode' in before) chmodSync(path, before.mode);
  }
}
