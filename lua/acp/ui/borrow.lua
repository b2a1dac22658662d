--- Windows of the user's in which something else stands for a while: a proposal, or what the agent works on.
local M = {}

local message = require('acp.message')
local panes = require('acp.ui.panes')

--- Whether a window is being given something else: what it tells of that is no move of the user's.
M.busy = false

--- What goes with its window would not come back.
local GOES = { 'wipe', 'delete', 'unload' }

--- Whether a window may show something else for a while: it is one for code, fixed to nothing, compares nothing, and
--- what it shows can come back.
--- @param win integer
--- @return boolean
function M.takes(win)
  if not panes.valid(win) then
    return false
  end
  local bo = vim.bo[vim.api.nvim_win_get_buf(win)]
  local wo = vim.wo[win]
  return vim.api.nvim_win_get_config(win).relative == ''
    and not panes.with(win)
    and bo.buftype == ''
    and not vim.list_contains(GOES, bo.bufhidden)
    and not wo.winfixbuf
    and not wo.diff
    and not wo.previewwindow
end

--- Shows a buffer in a window, and leaves its jumps and the alternate file alone. The former one stays loaded.
--- @param win integer
--- @param buf integer
--- @return boolean shown
function M.put(win, buf)
  if vim.api.nvim_win_get_buf(win) ~= buf then
    local listed = vim.bo[buf].buflisted -- |:buffer| lists it
    M.busy = true
    message.guard(vim.api.nvim_win_call, win, function()
      vim.cmd.buffer({ buf, mods = { hide = true, keepalt = true, keepjumps = true } })
    end)
    M.busy = false
    if vim.api.nvim_buf_is_valid(buf) then
      vim.bo[buf].buflisted = listed
    end
  end
  return panes.valid(win) and vim.api.nvim_win_get_buf(win) == buf
end

--- @param win integer
--- @return vim.fn.winsaveview.ret
function M.view(win)
  return vim.api.nvim_win_call(win, vim.fn.winsaveview)
end

--- @param win integer
--- @param view table see |winrestview()|
function M.restore(win, view)
  vim.api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

return M
