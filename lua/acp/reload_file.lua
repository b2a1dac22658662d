--- Reads an unmodified buffer anew so that nobody notices: |:checktime| alone would take undo history, marks and folds.
---
--- Only the lines that differ are changed, as one undo step. Then Neovim has to know that this is what its file holds,
--- or it would ask (`W11`, `W12`, "the file has been changed since reading it"). It learns that only by reading the
--- file itself; this moves no mark and closes no fold, and the undo history is put aside meanwhile.
local events = require('acp.events')
local hunks = require('acp.hunks')
local undo_step = require('acp.undo_step')

local M = {}

local api = vim.api

--- Options for as long as `fn` takes.
--- @param options table<string, any> name → value; `nil` of a buffer's own: it follows the global one
--- @param scope vim.bo|vim.o
--- @param fn function
local function with_options(options, scope, fn)
  local before = {}
  for name, value in pairs(options) do
    before[name] = scope[name]
    scope[name] = value
  end
  local ok, fault = pcall(fn)
  for name, value in pairs(before) do
    scope[name] = value
  end
  if not ok then
    error(fault, 0)
  end
end

--- What the buffer holds is what was saved: to go back in history leads to a modified buffer. Neovim notes that when a
--- buffer is written, also when this is done by an autocommand: by one that writes nothing.
--- @param buf integer current
local function mark_saved(buf)
  local autocmd = api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    desc = 'acp: the file has this text already',
    callback = function()
      vim.bo[buf].modified = false
    end,
  })
  vim.bo[buf].modified = true
  with_options({ eventignore = '', write = true }, vim.o, function()
    vim.cmd('silent write!')
  end)
  api.nvim_del_autocmd(autocmd)
end

--- Calls `fn`, and then puts cursor and view of each window with the buffer where they were.
--- @param buf integer
--- @param fn fun()
local function keep_views(buf, fn)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  fn()
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

--- Lets Neovim read the file, which holds what the buffer holds.
--- @param buf integer current
local function read_again(buf)
  local own = vim.bo[buf].autoread
  -- 'undoreload': a copy of the text in the undo history is not needed. 'modeline': they were obeyed once.
  with_options({ undoreload = 0, autoread = true }, vim.go, function()
    with_options({ modeline = false, autoread = own == false or nil }, vim.bo[buf], function()
      vim.cmd(('silent lockmarks checktime %d'):format(buf))
    end)
  end)
end

--- @param buf integer current
local function keep_history(buf, fn)
  local aside = vim.fn.tempname()
  vim.cmd('silent wundo! ' .. vim.fn.fnameescape(aside))
  fn()
  if vim.uv.fs_stat(aside) then
    vim.cmd('silent rundo ' .. vim.fn.fnameescape(aside))
    vim.fn.delete(aside)
  end
  if vim.bo[buf].undofile then
    local file = vim.fn.undofile(api.nvim_buf_get_name(buf))
    pcall(vim.cmd, 'silent wundo ' .. vim.fn.fnameescape(file))
  end
end

--- Makes Neovim know the file of a buffer that holds its text.
--- @param buf integer
--- @return boolean same false when the file holds something else by now
local function know_file(buf)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  local same = true
  keep_views(buf, function()
    api.nvim_buf_call(buf, function()
      mark_saved(buf)
      events.muted(function()
        keep_history(buf, function()
          read_again(buf)
          local read = api.nvim_buf_get_lines(buf, 0, -1, true)
          same = vim.deep_equal(read, lines)
          if not same then
            -- The history belongs to what was there.
            hunks.apply(buf, read, lines)
          end
        end)
      end)
      vim.bo[buf].modified = false
    end)
  end)
  return same
end

--- Gives the buffer the text of its file.
--- @param buf integer
--- @param reading acp.Reading
--- @return boolean same false when the file holds something else by now
function M.take(buf, reading)
  local bo = vim.bo[buf]
  local readonly = bo.readonly
  -- Who changes a read-only buffer is warned, and has to wait a second.
  bo.readonly = false
  undo_step.begin(buf)
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  hunks.apply(buf, old, reading.lines)
  for _, option in ipairs({ 'fileformat', 'fileencoding', 'bomb', 'endofline' }) do
    bo[option] = reading[option]
  end
  local same = know_file(buf)
  bo.readonly = readonly or bo.readonly
  undo_step.finish(buf)
  events.fire('FileChangedShellPost', { buffer = buf })
  return same
end

return M
