--- The quickfix list of a review: an entry for each hunk, and one for what of a file is no lines.
local api = vim.api

local M = {}

local CONTEXT = 'acp.review'
local MAX_ROWS = 10
local MAX_TEXT = 200

local list --- @type integer? id of ours
local opened = false -- the window is ours to close
local give_back --- @type fun()?

--- @class acp.ReviewTarget
--- @field path string
--- @field hunk integer 0: what is no lines

--- @return integer[]
local function windows()
  return vim.tbl_filter(function(win)
    return vim.fn.win_gettype(win) == 'quickfix'
  end, api.nvim_list_wins())
end

--- Whether the list that Neovim shows now is ours.
--- @return boolean
local function is_current()
  return list ~= nil and vim.fn.getqflist({ id = 0 }).id == list
end

--- @param count integer
--- @param what string
--- @return string
local function counted(count, what)
  return ('%d %s%s'):format(count, what, count == 1 and '' or 's')
end

--- What a file's entry says of it as a whole; nil when its hunks say all.
--- @param file acp.ReviewFile
--- @return string?
local function whole(file)
  local words = {} --- @type string[]
  local lines = file.change == 'deleted' and file.removed or file.added
  local size = lines > 0 and (' (%s)'):format(counted(lines, 'line')) or ''
  if file.change == 'deleted' then
    words[1] = 'deleted file' .. size
  elseif file.change == 'added' and #file.hunks <= 1 then
    words[1] = 'new file' .. size
  elseif file.change == 'renamed' and not file.note then
    words[1] = 'renamed from ' .. file.from
  end
  table.insert(words, file.note)
  if file.locked then
    table.insert(words, 'locked: ' .. file.locked)
  end
  return #words > 0 and table.concat(words, ' · ') or nil
end

--- @param file acp.ReviewFile
--- @param index integer
--- @param buf? integer
--- @return string
local function text_of(file, index, buf)
  local hunk = file.hunks[index]
  -- Files are not read for this.
  local line = hunk.deleted[1]
    or buf and api.nvim_buf_get_lines(buf, hunk.line - 1, hunk.line, false)[1]
  local size = ('+%d −%d'):format(hunk.count, #hunk.deleted)
  return vim.trim(('%s  %s'):format(size, vim.trim((line or ''):sub(1, MAX_TEXT):gsub('%c', ' '))))
end

--- @param view acp.ReviewView
--- @return table[] items
--- @return string title
local function build(view)
  local buffers = require('acp.ui.review_buffers')
  local items, hunks = {}, 0
  for _, file in ipairs(view.files) do
    local buf = buffers.buf(file.path)
    local function add(hunk, line, text)
      table.insert(items, {
        bufnr = buf,
        filename = not buf and file.path or nil,
        lnum = line,
        text = text,
        user_data = { path = file.path, hunk = hunk },
      })
    end
    local text = whole(file)
    local one = file.change == 'deleted' or file.change == 'added' and #file.hunks == 1
    if text then
      add(0, one and file.change == 'added' and 1 or 0, text)
    end
    for index, hunk in ipairs(one and {} or file.hunks) do
      add(index, hunk.line, text_of(file, index, buf))
    end
    hunks = hunks + #file.hunks
  end
  local title = ('acp review: %s, %s'):format(counted(#view.files, 'file'), counted(hunks, 'hunk'))
  return items, title
end

--- Shows what is left to be reviewed. The cursor in the list stays where it is.
--- @param view acp.ReviewView
--- @param anew? boolean make it the list that Neovim shows, should it be another one
function M.update(view, anew)
  local items, title = build(view)
  local what = { items = items, title = title, context = CONTEXT }
  local known = list and vim.fn.getqflist({ id = list }).id == list
  if not known or (anew and not is_current()) then
    vim.fn.setqflist({}, ' ', what)
    list = vim.fn.getqflist({ id = 0 }).id
    return
  end
  what.id = list
  what.idx = math.max(1, math.min(vim.fn.getqflist({ id = list, idx = 0 }).idx, #items))
  local cursors = {} --- @type table<integer, [integer, integer]>
  for _, win in ipairs(is_current() and windows() or {}) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  vim.fn.setqflist({}, 'r', what)
  for win, cursor in pairs(cursors) do
    cursor[1] = math.min(cursor[1], math.max(1, #items))
    api.nvim_win_set_cursor(win, cursor)
  end
end

--- Opens its window and leaves the cursor where it is.
function M.open()
  local here = api.nvim_get_current_tabpage()
  for _, win in ipairs(windows()) do
    if api.nvim_win_get_tabpage(win) == here then
      return
    end
  end
  opened = opened or #windows() == 0
  local win = api.nvim_get_current_win()
  local rows = math.max(1, math.min(MAX_ROWS, #vim.fn.getqflist()))
  vim.cmd(('botright copen %d'):format(rows))
  api.nvim_set_current_win(win)
end

--- Goes into its window.
function M.focus()
  local here = vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return vim.fn.win_gettype(win) == 'quickfix'
  end)
  if here then
    api.nvim_set_current_win(here)
  end
end

--- Empties the list; what was shown before it is shown again.
function M.close()
  if not list then
    return
  end
  local shown = is_current()
  if vim.fn.getqflist({ id = list }).id == list then
    vim.fn.setqflist({}, 'r', { id = list, items = {}, title = 'acp review: done' })
  end
  if shown and opened then
    for _, win in ipairs(windows()) do
      pcall(api.nvim_win_close, win, false) -- the last window stays
    end
  end
  if shown and vim.fn.getqflist({ nr = 0 }).nr > 1 then
    vim.cmd('silent colder')
  end
  list, opened = nil, false
end

--- Makes a hunk the current entry, for |:cnext| and for the eye.
--- @param path string
--- @param hunk integer
function M.select(path, hunk)
  for index, item in ipairs(is_current() and vim.fn.getqflist() or {}) do
    local target = item.user_data
    if target.path == path and (target.hunk == hunk or target.hunk == 0 and hunk <= 1) then
      vim.fn.setqflist({}, 'a', { id = list, idx = index })
      if target.hunk == hunk then
        return
      end
    end
  end
end

--- What the entries in a range of the list's lines are about.
--- @param first integer
--- @param last integer
--- @return acp.ReviewTarget[]
function M.targets(first, last)
  local targets = {} --- @type acp.ReviewTarget[]
  local items = is_current() and vim.fn.getqflist() or {}
  for row = first, last do
    table.insert(targets, items[row] and items[row].user_data)
  end
  return targets
end

--- Gives the window of the list its keys while it shows ours; all lists share its buffer.
--- @param borrow fun(buf: integer): fun() maps the keys and returns what takes them away
function M.watch(borrow)
  api.nvim_create_autocmd('FileType', {
    group = api.nvim_create_augroup('acp.review.list', {}),
    pattern = 'qf',
    desc = 'acp: keys in the list of the review',
    callback = function(args)
      if vim.fn.getqflist({ qfbufnr = 0 }).qfbufnr ~= args.buf then
        return
      end
      if give_back then
        give_back()
      end
      give_back = is_current() and borrow(args.buf) or nil
    end,
  })
end

return M
