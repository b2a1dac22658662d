--- What stands behind the first line of a hunk: the keys, as far as there is room, and its place among all.
local api = vim.api
local keys = require('acp.ui.keys')
local wrap = require('acp.ui.wrap')

local M = {}

--- Bytes of a line that is measured for the room behind it.
local MAX_BYTES = 2000

--- @alias acp.ReviewHintPart [string, string][] texts in a row, each with its group

--- @param parts acp.ReviewHintPart[]
--- @return acp.ReviewHintPart
local function joined(parts)
  local chunks = {} --- @type acp.ReviewHintPart
  for i, part in ipairs(parts) do
    table.insert(chunks, { i == 1 and '  ' or ' · ', 'AcpReviewHint' })
    vim.list_extend(chunks, part)
  end
  return chunks
end

--- @param chunks acp.ReviewHintPart
--- @return integer
local function width(chunks)
  local columns = 1 -- Neovim leaves one free behind the line
  for _, chunk in ipairs(chunks) do
    columns = columns + api.nvim_strwidth(chunk[1])
  end
  return columns
end

--- Columns that are free behind a line, in a window that shows it.
--- @param buf integer
--- @param row integer
--- @return integer
local function room(buf, row)
  local win = api.nvim_get_current_win()
  if api.nvim_win_get_buf(win) ~= buf then
    win = vim.fn.bufwinid(buf)
  end
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  if win < 0 or #line > MAX_BYTES then
    return 0
  end
  local columns = wrap.columns(win)
  local taken = api.nvim_win_call(win, function()
    return vim.fn.strdisplaywidth(line)
  end)
  if vim.wo[win].wrap and taken > columns then
    taken = (taken - 1) % columns + 1
  end
  return columns - taken
end

--- The hint of a hunk at which the cursor isn't.
--- @param place string
--- @return acp.ReviewHintPart chunks
function M.plain(place)
  return joined({ { { place, 'AcpReviewHint' } } })
end

--- The hint of the hunk at the cursor. A key that is cut off by the edge of the window tells nothing.
--- @param buf integer
--- @param row integer
--- @param says { agent: string, locked: boolean, place: string }
--- @return acp.ReviewHintPart chunks
function M.with_keys(buf, row, says)
  local actions = {} --- @type acp.ReviewHintPart[]
  for _, action in ipairs({ 'keep', not says.locked and 'reject' or nil }) do
    local key = keys.of('review', action)
    if key then
      table.insert(actions, { { key, 'AcpReviewKey' }, { ' ' .. action, 'AcpReviewHint' } })
    end
  end
  local placed = vim.list_extend(vim.list_slice(actions), { { { says.place, 'AcpReviewHint' } } })
  local full = vim.list_extend({ { { says.agent, 'AcpReviewHint' } } }, placed)
  local columns = room(buf, row)
  for _, parts in ipairs({ full, placed, actions }) do
    local chunks = joined(parts)
    if #chunks > 0 and width(chunks) <= columns then
      return chunks
    end
  end
  return M.plain(says.place)
end

return M
