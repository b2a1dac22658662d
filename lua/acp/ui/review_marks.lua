--- What is drawn of a review in a buffer: signs, added lines, deleted ones, hints. Marks move as the user types; where
--- a hunk stands now, only they know.
local api = vim.api
local hint = require('acp.ui.review_hint')
local wrap = require('acp.ui.wrap')

local M = {}

--- Deleted lines of one hunk that are shown. More do not fit on a screen; `:AcpDiff` has them all.
local MAX_DELETED = 100

--- Below the colours of the syntax, which stay as they are.
local LINE_PRIORITY = 50
--- Above those of linters and of version control: this is what the user looks at now.
local SIGN_PRIORITY = 30

--- In each, the mark of a hunk has the hunk's number as its id.
local lines_ns = api.nvim_create_namespace('acp.review')
local signs_ns = api.nvim_create_namespace('acp.review.signs')
local deleted_ns = api.nvim_create_namespace('acp.review.deleted')
local hints_ns = api.nvim_create_namespace('acp.review.hints')

local glyphs = {
  unicode = { add = '┃', change = '┃', delete = '▔', below = '▁' },
  ascii = { add = '|', change = '|', delete = '^', below = '_' },
}
local groups = {
  add = 'AcpReviewAdd',
  change = 'AcpReviewChange',
  delete = 'AcpReviewDelete',
  below = 'AcpReviewDelete',
}

--- @class acp.ReviewPainted
--- @field file acp.ReviewFile
--- @field agent string
--- @field focus? integer the hunk whose hint has the keys
--- @field below? integer the hunk that stood after the last line

local painted = {} --- @type table<integer, acp.ReviewPainted>

--- @param buf integer
--- @param lines string[]
--- @return [string, string][][]
local function virtual(buf, lines)
  local blank = (' '):rep(vim.o.columns) -- the background goes to the edge of the window
  local columns, tabstop = wrap.narrowest(buf) or math.huge, vim.bo[buf].tabstop
  local shown = {}
  for i = 1, math.min(#lines, MAX_DELETED) do
    for _, piece in ipairs(wrap.pieces(lines[i], columns, tabstop)) do
      table.insert(shown, { { piece .. blank, 'AcpDiffDelete' } })
    end
  end
  if #lines > MAX_DELETED then
    local words = '⋯ %d more deleted lines: see :AcpDiff'
    shown[#shown + 1] = { { words:format(#lines - MAX_DELETED) .. blank, 'AcpDiffFold' } }
  end
  return shown
end

--- @param buf integer
--- @param index integer
--- @param row integer
local function draw_hint(buf, index, row)
  local shown = painted[buf]
  local place = ('%d of %d'):format(index, #shown.file.hunks)
  api.nvim_buf_set_extmark(buf, hints_ns, row, 0, {
    id = index,
    virt_text = shown.focus == index and hint.with_keys(buf, row, {
      agent = shown.agent,
      locked = shown.file.locked ~= nil,
      place = place,
    }) or hint.plain(place),
    hl_mode = 'combine',
    priority = 200, -- before diagnostics
  })
end

--- @param buf integer
--- @param index integer
--- @param row integer
--- @param above boolean
local function draw_deleted(buf, index, row, above)
  api.nvim_buf_set_extmark(buf, deleted_ns, row, 0, {
    id = index,
    virt_lines = virtual(buf, painted[buf].file.hunks[index].deleted),
    virt_lines_above = above,
  })
end

--- @param buf integer
--- @param index integer
--- @param hunk acp.ReviewHunk
local function draw(buf, index, hunk)
  local count = api.nvim_buf_line_count(buf)
  local below = hunk.count == 0 and hunk.line > count
  local row = math.min(hunk.line, count) - 1
  local after = math.min(row + hunk.count, count)
  local kind = below and 'below'
    or hunk.count == 0 and 'delete'
    or #hunk.deleted > 0 and 'change'
    or 'add'
  if below then
    painted[buf].below = index
  end
  local icons = require('acp.config').get().transcript.icons
  api.nvim_buf_set_extmark(buf, lines_ns, row, 0, {
    id = index,
    end_row = after,
    hl_group = hunk.count > 0 and 'AcpReviewLine' or nil,
    hl_eol = true,
    priority = LINE_PRIORITY,
  })
  api.nvim_buf_set_extmark(buf, signs_ns, row, 0, {
    id = index,
    end_row = math.max(row, after - 1), -- the row of its end has the sign too
    sign_text = (glyphs[icons] or glyphs.unicode)[kind],
    sign_hl_group = groups[kind],
    priority = SIGN_PRIORITY,
  })
  if #hunk.deleted > 0 then
    draw_deleted(buf, index, row, not below)
  end
  draw_hint(buf, index, row)
end

--- @param buf integer
--- @param index integer
--- @return integer? row 0-based
local function row_of(buf, index)
  return api.nvim_buf_get_extmark_by_id(buf, lines_ns, index, {})[1]
end

--- Where a hunk of a buffer stands now.
--- @param buf integer
--- @param index integer
--- @return integer? line 1-based; nil when the buffer was loaded anew
function M.line(buf, index)
  local row = painted[buf] and api.nvim_buf_is_loaded(buf) and row_of(buf, index)
  return row and row + 1 or nil
end

--- The line by which the sidecar knows a hunk: that of the hunk, or of what was deleted at the end the one that isn't.
--- @param buf integer
--- @param index integer
--- @return integer? line 1-based; nil when the buffer was loaded anew
function M.address(buf, index)
  local line = M.line(buf, index)
  return line and line + (painted[buf].below == index and 1 or 0)
end

--- Whether the hunks of a file are drawn as they are, wherever typing has moved them.
--- @param buf integer
--- @param file acp.ReviewFile
--- @param agent string
--- @return boolean
local function is_drawn(buf, file, agent)
  local shown = painted[buf]
  if
    not shown
    or shown.agent ~= agent
    or shown.file.locked ~= file.locked
    or #shown.file.hunks ~= #file.hunks
  then
    return false
  end
  local count = api.nvim_buf_line_count(buf)
  return vim.iter(file.hunks):enumerate():all(function(index, hunk)
    local former = shown.file.hunks[index]
    return hunk.count == former.count
      and row_of(buf, index) == math.min(hunk.line, count) - 1
      and vim.deep_equal(hunk.deleted, former.deleted)
  end)
end

--- Draws the hunks of a file into its buffer, unless they are there.
--- @param buf integer
--- @param file acp.ReviewFile
--- @param agent string
function M.paint(buf, file, agent)
  if is_drawn(buf, file, agent) then
    painted[buf].file = file
    return
  end
  M.clear(buf)
  painted[buf] = { file = file, agent = agent }
  for index, hunk in ipairs(file.hunks) do
    draw(buf, index, hunk)
  end
end

--- The screen, or a window, has another width.
--- @param buf integer
function M.resize(buf)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, deleted_ns, 0, -1, { details = true })) do
    draw_deleted(buf, mark[1], mark[2], mark[4].virt_lines_above)
  end
  local focus = painted[buf] and painted[buf].focus
  local row = focus and row_of(buf, focus)
  if row then
    draw_hint(buf, focus, row)
  end
end

--- @param buf integer
function M.clear(buf)
  painted[buf] = nil
  if api.nvim_buf_is_valid(buf) then
    for _, ns in ipairs({ lines_ns, signs_ns, deleted_ns, hints_ns }) do
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
  end
end

--- The hunks that have lines in a range of rows, in the order in which they stand.
--- @param buf integer
--- @param first integer 0-based
--- @param last integer 0-based, inclusive
--- @return integer[] indices
function M.within(buf, first, last)
  local found = {} --- @type integer[]
  local marks = api.nvim_buf_get_extmarks(
    buf,
    lines_ns,
    { first, 0 },
    { last, -1 },
    { overlap = true, details = true }
  )
  for _, mark in ipairs(marks) do
    local index, row, details = mark[1], mark[2], mark[4]
    -- A mark ends at the row behind its lines.
    if row >= first or details.end_row > first then
      table.insert(found, index)
    end
  end
  return found
end

--- The next hunks from a row on, or those before it.
--- @param buf integer
--- @param row integer 0-based
--- @param by integer how many hunks on; negative: back
--- @return integer? index of the last of them
--- @return integer passed how many there are, `by` at most
function M.towards(buf, row, by)
  local count = api.nvim_buf_line_count(buf)
  if by > 0 and row + 1 >= count or by < 0 and row == 0 then
    return nil, 0
  end
  local from = by > 0 and { row + 1, 0 } or { row - 1, -1 }
  local marks =
    api.nvim_buf_get_extmarks(buf, lines_ns, from, by > 0 and -1 or 0, { limit = math.abs(by) })
  local mark = marks[#marks]
  return mark and mark[1], #marks
end

--- Gives the hint of the hunk at a row the keys.
--- @param buf integer
--- @param row integer 0-based
function M.focus(buf, row)
  local shown = painted[buf]
  local focus = shown and M.within(buf, row, row)[1]
  if not shown or focus == shown.focus then
    return
  end
  local former = shown.focus
  shown.focus = focus
  for _, index in ipairs({ focus or 0, former or 0 }) do
    local at = row_of(buf, index)
    if at then
      draw_hint(buf, index, at)
    end
  end
end

--- Lines that were deleted above the first one of a buffer. Neovim shows them only to who scrolls up to them.
--- @param buf integer
--- @return integer
function M.above_first(buf)
  local count = 0
  local marks = api.nvim_buf_get_extmarks(buf, deleted_ns, 0, { 0, -1 }, { details = true })
  for _, mark in ipairs(marks) do
    count = count + (mark[4].virt_lines_above and #mark[4].virt_lines or 0)
  end
  return count
end

return M
