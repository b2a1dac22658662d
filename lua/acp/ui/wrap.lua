--- Virtual lines as Neovim would wrap them if they were text: it doesn't, and cuts them off at the edge of the window.
local M = {}

local api = vim.api

--- Screen lines of one line: there are files of one line alone.
local MAX_PIECES = 20

--- Columns of a sign.
local SIGN = 2

--- Columns that a window has for text.
--- @param win integer
--- @return integer
function M.columns(win)
  local info = vim.fn.getwininfo(win)[1]
  -- Signs that have just been set are not counted yet.
  local sign = vim.wo[win].signcolumn:find('^auto') and SIGN or 0
  return math.max(info.width - info.textoff - sign, 1)
end

--- Columns of the narrowest window that shows a buffer and wraps its lines.
--- @param buf integer
--- @return integer? columns nil where none does
function M.narrowest(buf)
  local columns --- @type integer?
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.wo[win].wrap then
      columns = math.min(columns or math.huge, M.columns(win))
    end
  end
  return columns
end

--- @param text string
--- @param tabstop integer
--- @return string
local function without_tabs(text, tabstop)
  if not text:find('\t', 1, true) then
    return text
  end
  local out = ''
  for part, tab in text:gmatch('([^\t]*)(\t?)') do
    out = out .. part
    if tab ~= '' then
      out = out .. (' '):rep(tabstop - api.nvim_strwidth(out) % tabstop)
    end
  end
  return out
end

--- Cuts a line where the window ends.
--- @param text string
--- @param columns integer
--- @param tabstop integer
--- @return string[]
function M.pieces(text, columns, tabstop)
  text = without_tabs(text, tabstop)
  if #text <= columns or api.nvim_strwidth(text) <= columns then
    return { text }
  end
  local pieces = {} --- @type string[]
  while text ~= '' and #pieces < MAX_PIECES do
    local piece = vim.fn.strcharpart(text, 0, columns)
    local chars = vim.fn.strchars(piece)
    while chars > 1 and api.nvim_strwidth(piece) > columns do
      chars = chars - 1
      piece = vim.fn.strcharpart(piece, 0, chars)
    end
    table.insert(pieces, piece)
    text = text:sub(#piece + 1)
  end
  if text ~= '' then
    pieces[#pieces] = pieces[#pieces] .. '…'
  end
  return pieces
end

return M
