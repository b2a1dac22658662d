--- Keeping and rejecting: what is sent for hunks as they stand now.
local buffers = require('acp.ui.review_buffers')
local marks = require('acp.ui.review_marks')
local message = require('acp.message')
local send = require('acp.ui.review_send')

local M = {}

local sent = {} --- @type table<string, table<integer, true>> path → hunks that wait for their answer

--- @param view acp.ReviewView
--- @param action 'keep'|'reject'
--- @param path string
--- @param line? integer
--- @param text? string what stands there
local function tell(view, action, path, line, text)
  send.send('review.decide', view, {
    scope = view.scope,
    action = action,
    path = path,
    line = line,
    text = text,
  })
end

--- @param file acp.ReviewFile
--- @param action 'keep'|'reject'
--- @return boolean
local function possible(file, action)
  if action == 'reject' and file.locked then
    message.warn(('%s can’t be rejected: %s'):format(file.name, file.locked))
    return false
  end
  return true
end

--- @param view acp.ReviewView
--- @param action 'keep'|'reject'
--- @param file acp.ReviewFile
function M.file(view, action, file)
  if possible(file, action) then
    tell(view, action, file.path)
  end
end

--- Whether the whole file is decided with these: a file that comes or goes does so with its lines.
--- @param file acp.ReviewFile
--- @param indices integer[]
--- @return boolean
local function is_whole(file, indices)
  local comes_or_goes = file.change == 'added' or file.change == 'deleted'
  local takes_all = #indices == #file.hunks
  if vim.list_contains(indices, 0) then
    return comes_or_goes or #file.hunks == 0
  end
  return takes_all and (comes_or_goes or not file.note and file.change == 'modified')
end

--- @param view acp.ReviewView
--- @param action 'keep'|'reject'
--- @param file acp.ReviewFile
--- @param indices integer[] hunks; 0: what is no lines
function M.hunks(view, action, file, indices)
  local waiting = sent[file.path] or {}
  indices = vim.tbl_filter(function(index)
    return not waiting[index]
  end, indices)
  if #indices == 0 or not possible(file, action) then
    return
  end
  for _, index in ipairs(indices) do
    waiting[index] = true
  end
  sent[file.path] = waiting
  if is_whole(file, indices) then
    return tell(view, action, file.path)
  end
  local buf = buffers.buf(file.path)
  local lines = vim.tbl_map(function(index)
    if index == 0 then
      return 0
    end
    return buf and marks.address(buf, index) or file.hunks[index].line
  end, indices)
  -- From the end: the lines of what is yet to come stay right.
  table.sort(lines, function(a, b)
    return a > b
  end)
  for _, line in ipairs(lines) do
    local text = buf and vim.api.nvim_buf_get_lines(buf, line - 1, line, false)[1]
    tell(view, action, file.path, line, line > 0 and text or nil)
  end
end

--- The sidecar has said what is left.
function M.answered()
  sent = {}
end

return M
