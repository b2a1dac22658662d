--- Gives a buffer the text of its file so that nobody notices. |:checktime| would put the whole text in place of the
--- old one, and with it fall marks, closed folds and what is attached to the buffer; under 'noautoread' it would ask.
---
--- Only the lines that differ are changed, as one undo step. Then Neovim has to know that this is what its file holds,
--- or it would ask (`W11`, `W12`, "the file has been changed since reading it"). It takes over the file's time stamps
--- when the buffer is written, also when this is done by an autocommand: by one that writes nothing.
local disk = require('acp.disk')
local events = require('acp.events')
local hunks = require('acp.hunks')
local undo_step = require('acp.undo_step')

local M = {}

local api = vim.api

--- Makes Neovim take the file as it is for the one that the buffer knows.
--- @param buf integer
--- @param is_saved boolean the buffer holds its text: all other states of the undo history are modified ones
function M.know(buf, is_saved)
  local autocmd = api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    desc = 'acp: the file is as it should be',
    callback = function()
      if is_saved then
        vim.bo[buf].modified = false
      end
    end,
  })
  local ignored, may_write = vim.o.eventignore, vim.o.write
  vim.o.eventignore, vim.o.write = '', true
  local ok, fault = pcall(api.nvim_buf_call, buf, function()
    vim.bo[buf].modified = true
    vim.cmd('silent write!')
  end)
  vim.o.eventignore, vim.o.write = ignored, may_write
  api.nvim_del_autocmd(autocmd)
  if not ok then
    error(fault, 0)
  end
end

--- The history would not be found any more for the text that the file has now.
--- @param buf integer
local function keep_undo_file(buf)
  if vim.bo[buf].undofile then
    local file = vim.fn.undofile(api.nvim_buf_get_name(buf))
    api.nvim_buf_call(buf, function()
      pcall(disk.ex, 'silent', 'wundo', file)
    end)
  end
end

--- Gives the buffer the text of its file.
--- @param buf integer
--- @param reading acp.Reading
function M.take(buf, reading)
  local bo = vim.bo[buf]
  local readonly = bo.readonly
  -- Who changes a read-only buffer is warned, and has to wait a second.
  bo.readonly = false
  undo_step.begin(buf)
  hunks.apply(buf, api.nvim_buf_get_lines(buf, 0, -1, true), reading.lines)
  for _, option in ipairs({ 'fileformat', 'fileencoding', 'bomb', 'endofline' }) do
    bo[option] = reading[option]
  end
  M.know(buf, true)
  bo.readonly = readonly
  keep_undo_file(buf)
  undo_step.finish(buf)
  events.fire('FileChangedShellPost', { buffer = buf })
end

return M
