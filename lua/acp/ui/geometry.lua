--- Sizes of the chat's windows, and how they look.
local compat = require('acp.compat')
local config = require('acp.config')

local M = {}

--- Set locally, and gone when the window shows another buffer.
M.options = {
  breakindent = true,
  breakindentopt = 'list:-1',
  colorcolumn = '',
  conceallevel = 0,
  cursorbind = false,
  cursorcolumn = false,
  cursorline = false,
  diff = false,
  foldcolumn = '0',
  foldenable = false,
  linebreak = true,
  list = false,
  number = false,
  relativenumber = false,
  scrollbind = false,
  showbreak = 'NONE',
  signcolumn = 'no',
  spell = false,
  statuscolumn = '',
  winfixbuf = true,
  wrap = true,
}

--- A screen with fewer columns has no room for a chat beside code.
local MIN_BESIDE = 60

--- Where a chat that opens now stands: as configured, or at the bottom where it would be too narrow at a side.
--- @return string
function M.position()
  local position = config.get().layout.position
  local side = position == 'right' or position == 'left'
  return side and vim.o.columns < MIN_BESIDE and 'bottom' or position
end

--- The user's 'fillchars', without a `~` below the text.
--- @return string
function M.fillchars()
  local own = vim.go.fillchars
  return (own == '' and '' or own .. ',') .. 'eob: '
end

--- A size in cells that leaves `rest` cells to others.
--- @param value number a fraction, or cells
--- @param total integer
--- @param rest integer
--- @return integer
function M.cells(value, total, rest)
  local wanted = value <= 1 and math.floor(value * total) or value
  return math.max(1, math.min(wanted, total - rest))
end

--- Rows that windows can have: all but the command line.
--- @return integer
function M.screen_rows()
  return math.max(4, vim.o.lines - vim.o.cmdheight - 1)
end

--- @param rows integer of the prompt
--- @return table transcript
--- @return table prompt configurations of the two floats
function M.float_configs(rows)
  local layout = config.get().layout
  local width = math.max(M.cells(layout.width, vim.o.columns, 2), math.min(80, vim.o.columns - 2))
  local height =
    math.max(M.cells(layout.height, M.screen_rows(), 4), math.floor(M.screen_rows() * 0.8))
  local above = math.max(1, height - rows - 4)
  local both = {
    relative = 'editor',
    border = compat.border(),
    zindex = 40,
    width = width,
    col = math.floor((vim.o.columns - width - 2) / 2),
  }
  local top = math.max(0, math.floor((M.screen_rows() - height) / 2))
  return vim.tbl_extend('error', both, { row = top, height = above }),
    vim.tbl_extend('error', both, { row = top + above + 2, height = rows })
end

--- Rows that the text of a window takes; of a long one no more is looked at than can be shown.
--- @param win integer
--- @param most integer
--- @return integer
local function text_rows(win, most)
  local buf = vim.api.nvim_win_get_buf(win)
  if vim.api.nvim_buf_line_count(buf) >= most then
    return most
  end
  local bytes = 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    bytes = bytes + #line
  end
  local shown = 4 * most * vim.api.nvim_win_get_width(win)
  return bytes > shown and most or vim.api.nvim_win_text_height(win, {}).all
end

--- Rows of the prompt window: as many as the text and the line above it need, at least the configured
--- ones, at most half of the chat.
--- @param win? integer the prompt's
--- @param room integer rows of the chat
--- @return integer
function M.prompt_rows(win, room)
  local most = math.max(1, math.floor(room / 2))
  local text = win and text_rows(win, most) or 1
  local bar = win and vim.fn.getwininfo(win)[1].winbar or 0
  return math.min(math.max(text + bar, config.get().layout.prompt_height), most)
end

return M
