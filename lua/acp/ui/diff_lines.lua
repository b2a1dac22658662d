--- The change of a file as the lines that the diff float shows. Plain data: touches no buffer and no window.
local M = {}

--- Files with more lines show no unchanged parts but how many lines they are, and no syntax beyond as many rows.
M.max_lines = 3000

--- @class acp.DiffRow
--- @field type 'same'|'add'|'del'|'gap'
--- @field text string
--- @field old? integer line number in the old file
--- @field new? integer line number in the new file
--- @field words? [integer, integer][] byte columns of what changed

--- @class acp.DiffLines
--- @field rows acp.DiffRow[]
--- @field hunks integer[] first changed row of each hunk, 1-based
--- @field folds [integer, integer][] first and last row of each unchanged part

--- @param count integer
--- @return string
function M.gap_text(count)
  return ('⋯ %d unchanged line%s'):format(count, count == 1 and '' or 's')
end

--- @param file table `FileDiff` of `src/diff/file-diff.ts`
--- @return acp.DiffLines
function M.build(file)
  local lines = file.lines
  local whole = lines ~= nil and #lines <= M.max_lines
  local view = { rows = {}, hunks = {}, folds = {} } --- @type acp.DiffLines
  local rows = view.rows
  local old, new = 1, 1 -- the next line of each side

  --- Unchanged lines up to `stop`, which is not one of them.
  local function gap(stop)
    local count = stop - new
    if whole then
      if count > 1 then
        table.insert(view.folds, { #rows + 1, #rows + count })
      end
      for i = 0, count - 1 do
        table.insert(rows, { type = 'same', text = lines[new + i], old = old + i, new = new + i })
      end
    elseif count > 0 and lines then
      table.insert(rows, { type = 'gap', text = M.gap_text(count) })
    elseif #rows > 0 and file.fragment then
      table.insert(rows, { type = 'gap', text = '⋯' })
    end
  end

  for _, hunk in ipairs(file.hunks) do
    gap(hunk.newStart)
    old, new = hunk.oldStart, hunk.newStart
    local first
    for _, row in ipairs(hunk.rows) do
      local shown = { type = row.type, text = row.text, words = row.words } --- @type acp.DiffRow
      if row.type ~= 'add' then
        shown.old, old = old, old + 1
      end
      if row.type ~= 'del' then
        shown.new, new = new, new + 1
      end
      table.insert(rows, shown)
      if not first and row.type ~= 'same' then
        first = #rows
      end
    end
    table.insert(view.hunks, first or #rows)
  end
  if lines then
    gap(#lines + 1)
  end
  if #rows == 0 then
    table.insert(rows, { type = 'gap', text = 'nothing changes' })
  end
  return view
end

--- The text of one side, and the row on which each of its lines stands.
--- @param view acp.DiffLines
--- @param side 'old'|'new'
--- @return string text
--- @return integer[] rows
function M.side(view, side)
  local text, at = {}, {}
  for i = 1, math.min(#view.rows, M.max_lines) do
    if view.rows[i][side] then
      table.insert(text, view.rows[i].text)
      table.insert(at, i)
    end
  end
  return table.concat(text, '\n'), at
end

--- The row of a line of the old file, or the first behind it.
--- @param view acp.DiffLines
--- @param line integer
--- @return integer?
function M.row_of(view, line)
  for i, row in ipairs(view.rows) do
    if row.old and row.old >= line then
      return i
    end
  end
end

--- The line of one side that a row stands for, or stands before.
--- @param view acp.DiffLines
--- @param row integer
--- @param side 'old'|'new'
--- @return integer?
function M.number_at(view, row, side)
  for i = row, #view.rows do
    if view.rows[i][side] then
      return view.rows[i][side]
    end
  end
  for i = row, 1, -1 do
    if view.rows[i][side] then
      return view.rows[i][side]
    end
  end
end

return M
