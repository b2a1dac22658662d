--- Moves between the hunks of a review, in its files and from one to the next.
local api = vim.api
local buffers = require('acp.ui.review_buffers')
local marks = require('acp.ui.review_marks')
local message = require('acp.message')

local M = {}

--- Shows what was in a file that is no more.
--- @param file acp.ReviewFile
local function show_deleted(file)
  local lines = {} --- @type string[]
  for _, hunk in ipairs(file.hunks) do
    vim.list_extend(lines, hunk.deleted)
  end
  if #lines == 0 then
    return message.info(('there is nothing of %s to show'):format(file.name))
  end
  require('acp.ui.detail').show({
    title = file.name .. ' (deleted)',
    lines = lines,
    filetype = vim.filetype.match({ filename = file.path }) or '',
  })
end

--- Goes to a hunk, in a window for code.
--- @param view acp.ReviewView
--- @param file acp.ReviewFile
--- @param index integer 0: the first, or the file as a whole
function M.hunk(view, file, index)
  require('acp.ui.review_list').select(file.path, index)
  if file.change == 'deleted' then
    return show_deleted(file)
  end
  local buf = buffers.buf(file.path)
  local hunk = file.hunks[math.max(1, index)]
  local opened = require('acp.ui.open').file({
    -- A buffer may have another name of the file.
    path = buf and api.nvim_buf_get_name(buf) or file.path,
    line = hunk and (buf and marks.line(buf, math.max(1, index)) or hunk.line) or nil,
  }, view.cwd)
  if opened then
    local win = api.nvim_get_current_win()
    marks.focus(api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)[1] - 1)
    buffers.reveal(win)
  end
end

--- Files with places to go to.
--- @param file acp.ReviewFile
--- @return boolean
local function has_lines(file)
  return file.change ~= 'deleted' and #file.hunks > 0
end

--- The file with lines that is so many files further on.
--- @param view acp.ReviewView
--- @param from integer
--- @param by integer
--- @return acp.ReviewFile?
local function file_at(view, from, by)
  local step = by > 0 and 1 or -1
  local at, found = from, nil
  while by ~= 0 do
    at = at + step
    local file = view.files[at]
    if not file then
      return found
    elseif has_lines(file) then
      found, by = file, by - step
    end
  end
  return found
end

--- The window that shows a file with hunks: rather the one where the cursor is, or was.
--- @return integer? win
--- @return acp.ReviewFile? file
local function window_at_hunks()
  local wins = api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  table.insert(wins, 1, api.nvim_get_current_win())
  for _, win in ipairs(wins) do
    local file = api.nvim_win_is_valid(win) and buffers.file(api.nvim_win_get_buf(win))
    if file and has_lines(file) then
      return win, file
    end
  end
end

--- Goes to where a review begins: in the file that is worked on to the hunk at the cursor or the next, else to the
--- first of all.
--- @param view acp.ReviewView
--- @return boolean gone false where no file has lines
function M.first(view)
  local win, file = window_at_hunks()
  local index = 1
  if win and file then
    local row = api.nvim_win_get_cursor(win)[1]
    for i = #file.hunks, 1, -1 do
      local last = file.hunks[i].line + math.max(file.hunks[i].count, 1) - 1
      index = last >= row and i or index
    end
    api.nvim_set_current_win(win)
  else
    file = file_at(view, 0, 1)
  end
  if file then
    M.hunk(view, file, index)
  end
  return file ~= nil
end

--- Goes so many hunks on, or back, and into the next files where there are no more in this one.
--- @param view acp.ReviewView
--- @param by integer
function M.by_hunk(view, by)
  local buf = api.nvim_get_current_buf()
  local file, at = buffers.file(buf)
  if not file or not at then
    return
  end
  local step = by > 0 and 1 or -1
  local index, passed = marks.towards(buf, api.nvim_win_get_cursor(0)[1] - 1, by)
  local rest = math.abs(by) - passed
  local place = file
  while rest > 0 do
    local next_file = file_at(view, at, step)
    if not next_file then
      break
    end
    place = next_file
    at = vim.fn.index(view.files, next_file) + 1
    passed = math.min(rest, #place.hunks)
    index = step > 0 and passed or #place.hunks - passed + 1
    rest = rest - passed
  end
  if index then
    M.hunk(view, place, index)
  else
    message.info(step > 0 and 'this is the last hunk' or 'this is the first hunk')
  end
end

--- Goes so many files on, or back.
--- @param view acp.ReviewView
--- @param by integer
function M.by_file(view, by)
  local _, at = buffers.file(api.nvim_get_current_buf())
  local file = at and file_at(view, at, by)
  if file then
    M.hunk(view, file, 1)
  elseif at then
    message.info(by > 0 and 'this is the last file' or 'this is the first file')
  end
end

return M
