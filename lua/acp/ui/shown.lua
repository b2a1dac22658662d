--- A float with what a question is about, above the place where Neovim's own |vim.ui.select()| asks it.
local geometry = require('acp.ui.geometry')
local layout = require('acp.ui.layout')

local M = {}

--- Rows at the end of the screen on which is asked, and those of the float's border.
local ASKED_ROWS, BORDER_ROWS = 4, 2

--- Shows all of it, long lines in several rows. It can't be entered.
--- @param title string
--- @param lines string[]
--- @return integer win
function M.open(title, lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = true -- whatever the default is
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local room = math.max(1, geometry.screen_rows() - ASKED_ROWS - BORDER_ROWS)
  local width = vim.api.nvim_strwidth(title) + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  local size = { width = math.min(width, vim.o.columns - 4), height = room }
  local win = layout.float(buf, {
    width = size.width,
    height = size.height,
    title = (' %s '):format(title),
    enter = false,
    focusable = false,
  })
  for name, value in pairs({ wrap = true, linebreak = false }) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
  size.height = math.min(room, vim.api.nvim_win_text_height(win, {}).all)
  vim.api.nvim_win_set_config(win, {
    relative = 'editor',
    width = size.width,
    height = size.height,
    row = math.floor((room - size.height) / 2),
    col = math.floor((vim.o.columns - size.width - BORDER_ROWS) / 2),
  })
  vim.cmd.redraw() -- the default select draws nothing but itself
  return win
end

return M
