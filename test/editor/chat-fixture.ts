import { startNvim } from '../harness';
import type { Nvim, NvimOptions } from '../harness';
import type { Frame } from '../../src/nvim/protocol';
import type { Op, PutOp } from '../../src/render/ops';

/** Stands in for the sidecar: what Lua sends to it comes to the test's channel. */
const FAKE_SIDECAR = `
  package.loaded['acp.sidecar'] = {
    channel = function() return not vim.g.no_sidecar and 1 or nil end,
    running = function() return true end,
    bundle = function() return '/nowhere/index.js' end,
  }
  vim.o.swapfile = false
`;

export interface Place {
  cursor: [number, number];
  top: number;
  bottom: number;
}

/** A chat `s1` in a real Neovim, with hand-made frames in place of the sidecar. */
export class ChatFixture {
  constructor(readonly nvim: Nvim) {}

  async frame(frame: Omit<Frame, 'session'>, session = 's1'): Promise<void> {
    await this.nvim.lua(`require('acp.rpc').call('frame', ...)`, {
      frames: [{ session, ...frame }],
    });
  }

  ops(...ops: Op[]): Promise<void> {
    return this.frame({ ops });
  }

  status(status: Frame['status']): Promise<void> {
    return this.frame({ status: status! });
  }

  lines(): Promise<string[]> {
    return this.nvim.lua(
      `return vim.api.nvim_buf_get_lines(require('acp.chat').get('s1').buf, 0, -1, false)`,
    );
  }

  /** The transcript's window. */
  place(): Promise<Place> {
    return this.nvim.lua(`
      local win = require('acp.ui.layout').visible(require('acp.chat').get('s1'))
      return {
        cursor = vim.api.nvim_win_get_cursor(win),
        top = vim.fn.line('w0', win),
        bottom = vim.fn.line('w$', win),
      }`);
  }

  async focusTranscript(): Promise<void> {
    await this.nvim.lua(`
      vim.cmd.stopinsert()
      local win = require('acp.ui.layout').visible(require('acp.chat').get('s1'))
      vim.api.nvim_set_current_win(win)`);
  }

  prompt(): Promise<string> {
    return this.nvim.lua(`return require('acp.ui.prompt').text(require('acp.chat').get('s1'))`);
  }

  /** Groups of highlights and virtual text in the transcript, as `row:col-end group`. */
  marks(namespace = 'acp.transcript'): Promise<string[]> {
    return this.nvim.lua(
      `
      local buf = require('acp.chat').get('s1').buf
      local ns = vim.api.nvim_get_namespaces()[...]
      local out = {}
      for _, m in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
        local d = m[4]
        local what = d.line_hl_group or d.hl_group or vim.iter(d.virt_text):map(function(piece)
          return piece[1]
        end):join('')
        out[#out + 1] = ('%d:%d-%d %s'):format(m[2], m[3], d.end_col or -1, what)
      end
      return out`,
      namespace,
    );
  }

  /** Parameters of each notification of that method. */
  sent(method: string): unknown[] {
    return this.nvim.received(method).map(([params]) => params);
  }
}

export async function openChat(options: NvimOptions = {}): Promise<ChatFixture> {
  const nvim = await startNvim({ ...options, init: FAKE_SIDECAR + (options.init ?? '') });
  await nvim.lua(`
    require('acp.config').setup(vim.tbl_deep_extend('force', {
      agent = 'tester',
      agents = { tester = { command = 'tester', title = 'Tester' } },
    }, vim.g.test_options or {}))
    require('acp.chat').open()`);
  return new ChatFixture(nvim);
}

export function put(id: string, lines: string[], more: Partial<PutOp> = {}): PutOp {
  return { op: 'put', id, kind: 'message', lines, marks: [], ...more };
}

export function numbered(count: number, prefix = 'line'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix} ${i + 1}`);
}
