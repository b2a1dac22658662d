--- A float with text to read: everything about a block, the keys.
local layout = require('acp.ui.layout')
local paint = require('acp.ui.paint')

local M = {}

--- More than this is painted by nobody's wish.
local MAX_PAINTED = 2000

--- @param params { title: string, lines: string[], filetype: string }
--- @return integer win
function M.show(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].modifiable = true -- whatever the default is
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, params.lines)
  if #params.lines <= MAX_PAINTED then
    local captures = paint.captures(table.concat(params.lines, '\n'), params.filetype)
    paint.apply(buf, 0, 0, captures)
  end
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false

  local width = vim.api.nvim_strwidth(params.title) + 4
  for _, line in ipairs(params.lines) do
    width = math.max(width, #line > 1000 and #line or vim.api.nvim_strwidth(line))
  end
  local tallest = math.floor(vim.o.lines * 0.7)
  local win = layout.float(buf, {
    width = math.min(width + 1, math.floor(vim.o.columns * 0.8)),
    height = math.min(#params.lines, tallest),
    title = (' %s '):format(params.title),
    footer = ' q close ',
    footer_pos = 'right',
  })
  local options = { wrap = true, linebreak = true, breakindent = true }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
  -- Lines that wrap take more rows: only where there are few of them is that worth to be counted.
  if #params.lines < tallest then
    local rows = math.min(vim.api.nvim_win_text_height(win, {}).all, tallest)
    layout.refit(win, { width = vim.api.nvim_win_get_width(win), height = rows })
  end
  for _, lhs in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set(
      'n',
      lhs,
      '<Cmd>close<CR>',
      { buffer = buf, nowait = true, desc = 'acp: Close.' }
    )
  end
  return win
end

return M
