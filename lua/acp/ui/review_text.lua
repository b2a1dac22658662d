--- The changes as a plain diff, in a window beside the code.
local api = vim.api
local layout = require('acp.ui.layout')
local message = require('acp.message')

local M = {}

local NAME = 'acp://diff'

--- Columns of a code window in which two texts can stand side by side.
local WIDE = 160

local shown --- @type integer? buffer

--- @return integer
local function buffer()
  if shown and api.nvim_buf_is_valid(shown) then
    return shown
  end
  shown = api.nvim_create_buf(false, true)
  -- A buffer of that name may be there, of a restored session of Neovim's: this one does without.
  pcall(api.nvim_buf_set_name, shown, NAME)
  vim.bo[shown].bufhidden = 'hide'
  vim.bo[shown].swapfile = false
  vim.keymap.set('n', 'q', function()
    pcall(api.nvim_win_close, 0, false) -- the last window stays
  end, { buffer = shown, nowait = true, desc = 'acp: Close.' })
  return shown
end

--- The window of the current tab that shows it, or a new one.
--- @param buf integer
--- @return integer win
local function window(buf)
  local here = vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return api.nvim_win_get_buf(win) == buf
  end)
  if here then
    return here
  end
  local code, new = require('acp.ui.open').code_window()
  if new then
    api.nvim_win_set_buf(code, buf)
    return code
  end
  local split = api.nvim_win_get_width(code) >= WIDE and 'right' or 'below'
  return layout.split(buf, { split = split, win = code })
end

--- @param params { title: string, lines: string[] }
function M.show(params)
  local buf = buffer()
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, params.lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  local win = window(buf)
  local title = params.title:gsub('%c', ' '):gsub('%%', '%%%%')
  layout.winbar(win, '%#AcpReviewBar# %<' .. title)
  api.nvim_win_set_cursor(win, { 1, 0 })
  if vim.bo[buf].filetype ~= 'diff' then
    message.guard(api.nvim_set_option_value, 'filetype', 'diff', { buf = buf })
  end
  if api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == '' then
    api.nvim_set_current_win(win)
  end
end

--- Asks for it.
--- @param scope? acp.ReviewScope 'session' by default
function M.open(scope)
  local send = require('acp.ui.review_send')
  send.send('review.diff', send.of(), { scope = scope or 'session' })
end

return M
