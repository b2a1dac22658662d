--- The prompt in a window as large as the screen: the same buffer, with the same keys.
local layout = require('acp.ui.layout')

local M = {}

local wins = {} --- @type table<string, integer> session → window

--- Lines are not longer than a person reads with ease.
local MAX_WIDTH = 120

--- The window, where it is open.
--- @param chat acp.Chat
--- @return integer?
function M.win(chat)
  local win = wins[chat.session]
  if
    win
    and vim.api.nvim_win_is_valid(win)
    and vim.api.nvim_win_get_buf(win) == chat.prompt_buf
  then
    return win
  end
end

--- @param from integer
--- @param to integer
local function same_view(from, to)
  vim.api.nvim_win_set_cursor(to, vim.api.nvim_win_get_cursor(from))
end

--- Goes back to the small window.
--- @param chat acp.Chat
--- @return boolean closed
function M.close(chat)
  local win = M.win(chat)
  if not win then
    return false
  end
  wins[chat.session] = nil
  local current = vim.api.nvim_get_current_win() == win
  local small = layout.prompt_win(chat)
  if small then
    same_view(win, small)
  end
  if small and current then
    vim.api.nvim_set_current_win(small)
  end
  vim.api.nvim_win_close(win, true)
  require('acp.ui.prompt').refresh(chat)
  return true
end

--- @param chat acp.Chat
local function open(chat)
  local from = vim.api.nvim_get_current_win()
  local keys = require('acp.ui.keys')
  local back = keys.of('prompt', 'expand')
  local name = (chat.agent.title or chat.agent.name):gsub('%c', ' ')
  local win = layout.float(chat.prompt_buf, {
    width = math.min(MAX_WIDTH, vim.o.columns - 4),
    height = vim.o.lines,
    zindex = 50,
    title = (' Prompt for %s '):format(name),
    title_pos = 'left',
    footer = back and (' %s back '):format(back) or nil,
    footer_pos = back and 'right' or nil,
  })
  wins[chat.session] = win
  for option, value in pairs({ wrap = true, linebreak = true, breakindent = true, winfixbuf = true }) do
    vim.api.nvim_set_option_value(option, value, { scope = 'local', win = win })
  end
  if vim.api.nvim_win_get_buf(from) == chat.prompt_buf then
    same_view(from, win)
  end
  require('acp.ui.prompt').refresh(chat)
end

--- Opens it, or goes back.
--- @param chat acp.Chat
function M.toggle(chat)
  if not M.close(chat) then
    open(chat)
  end
end

return M
