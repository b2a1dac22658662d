import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReviewFile, ReviewHunk, ReviewView } from '../../src/review/view';
import { startNvim } from '../harness';
import type { Nvim, NvimOptions } from '../harness';

/** Stands in for the sidecar: what Lua sends to it comes to the test's channel. */
const FAKE_SIDECAR = `
  vim.o.shortmess = vim.o.shortmess .. 'I'
  vim.o.swapfile = false
  local started = false
  package.loaded['acp.sidecar'] = {
    channel = function() started = true return 1 end,
    running = function() return started end,
    bundle = function() return '/nowhere/index.js' end,
  }
`;

export const hunk = (line: number, count: number, deleted: string[] = []): ReviewHunk => ({
  line,
  count,
  deleted,
});

export const numbered = (count: number, prefix = 'line'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix} ${i + 1}`);

/** A review on a real screen, with hand-made views in place of the sidecar. */
export class ReviewFixture {
  constructor(readonly nvim: Nvim) {}

  path(name: string): string {
    return join(this.nvim.dir, name);
  }

  write(name: string, lines: string[]): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    return path;
  }

  file(name: string, hunks: ReviewHunk[], more: Partial<ReviewFile> = {}): ReviewFile {
    return {
      path: this.path(name),
      name,
      change: 'modified',
      added: hunks.reduce((sum, it) => sum + it.count, 0),
      removed: hunks.reduce((sum, it) => sum + it.deleted.length, 0),
      hunks,
      ...more,
    };
  }

  view(files: ReviewFile[], more: Partial<ReviewView> = {}): ReviewView {
    return {
      session: null,
      cwd: this.nvim.dir,
      scope: 'session',
      agent: 'nanocoder',
      files,
      kept: 0,
      rejected: 0,
      limits: [],
      ...more,
    };
  }

  /** What the sidecar sends. */
  async show(files: ReviewFile[], more: Partial<ReviewView> = {}): Promise<void> {
    await this.nvim.lua(`require('acp.rpc').call('review.show', ...)`, {
      review: this.view(files, more),
    });
  }

  async open(name: string): Promise<void> {
    await this.nvim.command(`edit ${this.path(name)}`);
  }

  /** Parameters of each notification of that method. */
  sent(method: string): Record<string, unknown>[] {
    return this.nvim.received(method).map(([params]) => params as Record<string, unknown>);
  }

  /** Path, line and what shall become of it, of each decision. */
  decisions(): unknown[] {
    return this.sent('review.decide').map(({ action, path, line }) => [
      action,
      (path as string).slice(this.nvim.dir.length + 1),
      ...(line === undefined ? [] : [line]),
    ]);
  }

  cursor(): Promise<[string, number]> {
    return this.nvim.lua(`return { vim.fn.expand('%:t'), vim.fn.line('.') }`);
  }

  list(): Promise<string[]> {
    return this.nvim.lua(
      `return vim.tbl_map(function(item)
        return ('%s|%d| %s'):format(vim.fn.bufname(item.bufnr), item.lnum, item.text)
      end, vim.fn.getqflist())`,
    );
  }

  /** Rows of the screen. */
  rows(): string[] {
    return this.nvim.screen().split('\n');
  }
}

export async function openReview(options: NvimOptions = {}): Promise<ReviewFixture> {
  const init = FAKE_SIDECAR + (options.init ?? '');
  return new ReviewFixture(await startNvim({ columns: 80, lines: 24, ...options, init }));
}
