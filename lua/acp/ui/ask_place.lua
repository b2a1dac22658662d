--- Where an answer stands: at the lines that were asked about, which stay visible.
local geometry = require('acp.ui.geometry')

local M = {}

--- Columns that are read well.
local MAX_WIDTH, MIN_WIDTH = 80, 40

--- The most of the screen that an answer takes, and the rows with which it begins.
local SHARE, MIN_HEIGHT = 1 / 3, 2

--- @class acp.AskPlace  see |nvim_open_win()|
--- @field relative 'editor'
--- @field row integer
--- @field col integer
--- @field width integer
--- @field height integer

--- @class acp.AskLines  the window and the lines that were asked about
--- @field win integer
--- @field first integer
--- @field last integer

--- The most rows of an answer.
--- @return integer
function M.max_height()
  return math.max(MIN_HEIGHT, math.floor(geometry.screen_rows() * SHARE))
end

--- Rows of the screen, from 1, that lines take; those out of sight lie behind the window's edge.
--- @param lines acp.AskLines
--- @return integer top
--- @return integer bottom
local function rows_of(lines)
  local info = vim.fn.getwininfo(lines.win)[1]
  local from, to = info.winrow + info.winbar, info.winrow + info.winbar + info.height - 1
  local text = vim.api.nvim_buf_get_lines(info.bufnr, lines.last - 1, lines.last, false)[1] or ''
  local top = vim.fn.screenpos(lines.win, lines.first, 1).row
  local bottom = vim.fn.screenpos(lines.win, lines.last, math.max(#text, 1)).row
  if lines.last < info.topline then
    return from - 1, from - 1
  elseif lines.first > info.botline then
    return to + 1, to + 1
  end
  return top > 0 and top or from, bottom > 0 and bottom or to
end

--- @param lines? acp.AskLines none: they are out of reach
--- @param height integer rows that are wanted
--- @param frame integer rows of the border
--- @return acp.AskPlace
function M.find(lines, height, frame)
  local screen = geometry.screen_rows()
  local info = lines and vim.fn.getwininfo(lines.win)[1]
  local left = info and info.wincol - 1 + info.textoff or 0
  local room = info and info.width - info.textoff or vim.o.columns
  local width = math.min(MAX_WIDTH, math.max(MIN_WIDTH, room - 2), vim.o.columns - 2)
  local most = M.max_height()
  local row --- @type integer
  if lines and info then
    local top, bottom = rows_of(lines)
    local above, below = top - 1 - frame, screen - bottom - frame
    if math.max(above, below) < MIN_HEIGHT then -- lines that fill the screen
      height = math.min(height, most)
      row = screen - height - frame
    elseif below >= most or below >= above then
      height = math.min(height, most, below)
      row = bottom
    else
      height = math.min(height, most, above)
      row = top - 1 - height - frame
    end
  else
    height = math.min(height, most)
    row = screen - height - frame
    left = math.floor((vim.o.columns - width - 2) / 2)
  end
  return {
    relative = 'editor',
    row = math.max(0, row),
    col = math.max(0, math.min(left, vim.o.columns - width - 2)),
    width = width,
    height = math.max(MIN_HEIGHT, height),
  }
end

return M
