--- The keys of a review, in the buffers of its files and in its list.
local api = vim.api
local buffers = require('acp.ui.review_buffers')
local decide = require('acp.ui.review_decide')
local go = require('acp.ui.review_go')
local keys = require('acp.ui.keys')
local list = require('acp.ui.review_list')
local marks = require('acp.ui.review_marks')
local message = require('acp.message')

local M = {}

--- @alias acp.GetReview fun(): acp.ReviewView?

--- The lines of the visual selection, which ends; nil in normal mode.
--- @return integer? first
--- @return integer? last
local function selection()
  if not api.nvim_get_mode().mode:find('^[vV\22]') then
    return nil
  end
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  vim.cmd.normal({ '\27', bang = true })
  return math.min(first, last), math.max(first, last)
end

--- Hunks that a key is for: those selected; else the one at the cursor, and with a count those after it.
--- @param buf integer
--- @param file acp.ReviewFile
--- @param count integer
--- @return integer[]
local function meant(buf, file, count)
  local first, last = selection()
  if first then
    return marks.within(buf, first - 1, last - 1)
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local index = marks.within(buf, row, row)[1]
  local indices = {}
  for i = index or 1, index and math.min(index + count - 1, #file.hunks) or 0 do
    table.insert(indices, i)
  end
  return indices
end

--- @param get acp.GetReview
--- @param action 'keep'|'reject'
local function decide_hunks(get, action)
  local buf = api.nvim_get_current_buf()
  local view, file = get(), buffers.file(buf)
  if view and file then
    local indices = meant(buf, file, vim.v.count1)
    if #indices == 0 then
      return message.info('there is no hunk here')
    end
    decide.hunks(view, action, file, indices)
  end
end

--- @param get acp.GetReview
--- @param action 'keep'|'reject'
local function decide_file(get, action)
  local view, file = get(), buffers.file(api.nvim_get_current_buf())
  if view and file then
    decide.file(view, action, file)
  end
end

--- Files of the entries that a key in the list is for, with their hunks.
--- @param view acp.ReviewView
--- @param count integer
--- @return { file: acp.ReviewFile, hunks: integer[] }[]
local function entries(view, count)
  local first, last = selection()
  if not first then
    first = api.nvim_win_get_cursor(0)[1]
    last = first + count - 1
  end
  local found, by_path = {}, {}
  for _, target in ipairs(list.targets(first, last)) do
    local entry = by_path[target.path]
    if not entry then
      local file = vim.iter(view.files):find(function(file)
        return file.path == target.path
      end)
      entry = { file = file, hunks = {} }
      by_path[target.path] = entry
      table.insert(found, file and entry)
    end
    table.insert(entry.hunks, target.hunk)
  end
  return found
end

--- @param get acp.GetReview
--- @param act fun(view: acp.ReviewView, file: acp.ReviewFile, hunks: integer[])
--- @return fun()
local function on_entries(get, act)
  return function()
    local view = get()
    for _, entry in ipairs(view and entries(view, vim.v.count1) or {}) do
      act(view, entry.file, entry.hunks)
    end
  end
end

--- @param close fun()
--- @return table<string, acp.Action>
local function common(close)
  return {
    close = { 'n', close },
    help = {
      'n',
      function()
        keys.help('review')
      end,
    },
  }
end

--- Maps the keys in a buffer of a reviewed file.
--- @param buf integer
--- @param get acp.GetReview
--- @param close fun()
--- @return fun() give_back
function M.code(buf, get, close)
  local actions = common(close)
  for _, action in ipairs({ 'keep', 'reject' }) do
    actions[action] = {
      { 'n', 'x' },
      function()
        decide_hunks(get, action)
      end,
    }
    actions[action .. '_file'] = {
      'n',
      function()
        decide_file(get, action)
      end,
    }
  end
  for what, move in pairs({ hunk = go.by_hunk, file = go.by_file }) do
    for name, by in pairs({ next = 1, prev = -1 }) do
      actions[name .. '_' .. what] = {
        'n',
        function()
          local view = get()
          if view then
            move(view, by * vim.v.count1)
          end
        end,
      }
    end
  end
  return keys.borrow('review', buf, actions)
end

--- Maps the keys in the list.
--- @param buf integer
--- @param get acp.GetReview
--- @param close fun()
--- @return fun() give_back
function M.list(buf, get, close)
  local actions = common(close)
  for _, action in ipairs({ 'keep', 'reject' }) do
    local function hunks(view, file, indices)
      decide.hunks(view, action, file, indices)
    end
    local function whole(view, file)
      decide.file(view, action, file)
    end
    actions[action] = { { 'n', 'x' }, on_entries(get, hunks) }
    actions[action .. '_file'] = { { 'n', 'x' }, on_entries(get, whole) }
  end
  local jump = on_entries(get, function(view, file, indices)
    go.hunk(view, file, indices[1])
  end)
  return keys.borrow('review', buf, actions, { ['<CR>'] = { 'n', jump, 'Go to the hunk.' } })
end

return M
