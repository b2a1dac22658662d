--- Gives a buffer a new text by changing only what differs: Neovim then keeps cursors, views, marks, extmarks and
--- folds where they were.
local compat = require('acp.compat')
local utf8 = require('acp.utf8')

local M = {}

local api = vim.api

--- Above this, a hunk is no edit but a rewrite: its lines are replaced as one.
local MAX_PAIRED = 200

--- @param lines string[] of a file; none: an empty one
--- @return string
function M.joined(lines)
  return #lines == 0 and '' or table.concat(lines, '\n') .. '\n'
end

--- Changes one line between the first and the last byte that differ.
local function replace_line(buf, row, old, new)
  if old == new then
    return
  end
  local shorter = math.min(#old, #new)
  local head = 0
  while head < shorter and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  head = math.min(utf8.floor(old, head), utf8.floor(new, head))
  local tail = 0
  while tail < shorter - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  -- The tail is the same in both, so it begins at a character in both or in neither.
  while tail > 0 and utf8.floor(old, #old - tail) ~= #old - tail do
    tail = tail - 1
  end
  api.nvim_buf_set_text(buf, row, head, row, #old - tail, { new:sub(head + 1, #new - tail) })
end

--- @param hunk integer[] `{ start_a, count_a, start_b, count_b }` as |vim.diff()| gives it
local function apply_hunk(buf, old, new, hunk)
  local start_a, count_a, start_b, count_b = unpack(hunk)
  -- Without lines, the start is the line before.
  local row = count_a == 0 and start_a or start_a - 1
  local from = count_b == 0 and start_b or start_b - 1
  local paired = math.min(count_a, count_b)
  if paired > MAX_PAIRED then
    paired = 0
  end
  if count_a ~= count_b or paired == 0 then
    local rest = vim.list_slice(new, from + paired + 1, from + count_b)
    api.nvim_buf_set_lines(buf, row + paired, row + count_a, true, rest)
  end
  for i = 1, paired do
    replace_line(buf, row + i - 1, old[row + i], new[from + i])
  end
end

--- @class (exact) acp.ChangedHunk  1-based; where there are no lines, the line before
--- @field old_start integer
--- @field old_count integer
--- @field new_start integer
--- @field new_count integer

--- @param hunk integer[]
--- @return acp.ChangedHunk
local function named(hunk)
  return {
    old_start = hunk[1],
    old_count = hunk[2],
    new_start = hunk[3],
    new_count = hunk[4],
  }
end

--- @param old string[]
--- @param new string[]
--- @return acp.ChangedHunk[]
function M.between(old, new)
  return vim.tbl_map(named, compat.diff_indices(M.joined(old), M.joined(new)))
end

--- Changes `old`, the lines of `buf`, to `new`.
---
--- Lines that differ only in bytes that are no UTF-8 count as equal: who read them saw U+FFFD there, and never
--- meant to write it.
--- @param buf integer
--- @param old string[]
--- @param new string[] empty for an empty file, which is something else than one empty line
function M.apply(buf, old, new)
  if #new == 0 or (#old == 1 and old[1] == '') then
    api.nvim_buf_set_lines(buf, 0, -1, true, new)
    return
  end
  local hunks = compat.diff_indices(M.joined(vim.tbl_map(utf8.valid, old)), M.joined(new))
  -- From the end: the rows of what is yet to come stay right.
  for i = #hunks, 1, -1 do
    apply_hunk(buf, old, new, hunks[i])
  end
end

return M
