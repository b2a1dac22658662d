--- The parts of a buffer, one behind the other: which lines belong to which, whatever is done to them.
---
--- A part has one line at least. Where its last line is deleted, it gets an empty one; a line that is added between two
--- parts belongs to the first of them.
local M = {}

--- Where each part starts after a change of lines, as `on_lines` of |nvim_buf_attach()| tells it.
--- @param starts integer[] rows, 0-based, in their order
--- @param first integer
--- @param last integer
--- @param new_last integer
--- @param count integer lines of the buffer before
--- @return integer[]
function M.moved(starts, first, last, new_last, count)
  local by = new_last - last
  if by == 0 then
    return starts
  end
  local taker --- @type integer? an empty part that takes lines which are put in its place
  for i, start in ipairs(first == last and starts or {}) do
    if not taker and start == first and (starts[i + 1] or count) == start then
      taker = i
    end
  end
  local moved = {} --- @type integer[]
  for i, start in ipairs(starts) do
    if taker then
      moved[i] = i > taker and start + by or start
    elseif i == 1 or start < first or (start == first and last > first) then
      moved[i] = start
    else
      moved[i] = start >= last and start + by or new_last
    end
  end
  return moved
end

--- The lines of a part.
--- @param buf integer
--- @param starts integer[]
--- @param i integer
--- @return string[]
function M.lines(buf, starts, i)
  return vim.api.nvim_buf_get_lines(buf, starts[i], starts[i + 1] or -1, false)
end

--- The part in which a row is.
--- @param starts integer[]
--- @param row integer
--- @return integer
function M.at(starts, row)
  for i = #starts, 1, -1 do
    if starts[i] <= row then
      return i
    end
  end
  return 1
end

--- Follows the parts of a buffer from now on, and in which of them something was changed last: who types fast is
--- somewhere else again before Neovim says that the cursor has moved.
--- @param buf integer
--- @param view { starts: integer[], at?: integer }
function M.follow(buf, view)
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      local count = vim.api.nvim_buf_line_count(buf)
      local before = count - (new_last - last)
      view.starts = M.moved(view.starts, first, last, new_last, before)
      for i, start in ipairs(view.starts) do
        view.starts[i] = math.min(start, count)
      end
      view.at = M.at(view.starts, first)
    end,
  })
end

--- Writes lines into a part.
--- @param buf integer
--- @param view { starts: integer[] }
--- @param i integer
--- @param lines string[]
function M.write(buf, view, i, lines)
  local last = view.starts[i + 1] or vim.api.nvim_buf_line_count(buf)
  vim.api.nvim_buf_set_lines(buf, view.starts[i], last, false, lines)
end

--- Gives parts without a line an empty one.
--- @param buf integer
--- @param view { starts: integer[] }
function M.mend(buf, view)
  for i = 1, #view.starts do
    local start = view.starts[i]
    if (view.starts[i + 1] or vim.api.nvim_buf_line_count(buf)) <= start then
      vim.api.nvim_buf_set_lines(buf, start, start, false, { '' })
    end
  end
end

return M
