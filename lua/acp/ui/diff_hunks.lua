--- The rows of hunks, in order, as both presentations of a change have them. Plain data: touches no buffer and no
--- window.
local M = {}

--- @param hunks integer[]
--- @param row integer
--- @return integer number of the hunk in which a row stands, or of the one before
function M.at(hunks, row)
  local number = 1
  for i, first in ipairs(hunks) do
    if first > row then
      break
    end
    number = i
  end
  return number
end

--- @param hunks integer[]
--- @param row integer
--- @param by integer above zero: on, else back
--- @return integer? row of the nearest other hunk in that direction
function M.next(hunks, row, by)
  local found
  for _, first in ipairs(hunks) do
    if by > 0 and first > row then
      return first
    elseif by < 0 and first < row then
      found = first
    end
  end
  return found
end

return M
