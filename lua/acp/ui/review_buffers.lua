--- The loaded buffers of a review's files: each is drawn in, has the keys, and gets its own back.
local api = vim.api
local bar = require('acp.ui.review_bar')
local marks = require('acp.ui.review_marks')

local M = {}

--- @class acp.ReviewBuffer
--- @field path string
--- @field give_back fun() the keys
--- @field tick integer the text of the buffer when it was last drawn in

local attached = {} --- @type table<integer, acp.ReviewBuffer>
local view --- @type acp.ReviewView?
local borrow --- @type fun(buf: integer): fun()

--- @param buf integer
--- @return string? path real
local function path_of(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == '' or vim.bo[buf].buftype ~= '' or name:find('^%a[%w+.-]+://') then
    return nil
  end
  return require('acp.disk').real_path(vim.fs.normalize(name, { expand_env = false }))
end

--- The buffer in which a file is drawn.
--- @param path string
--- @return integer?
function M.buf(path)
  for buf, entry in pairs(attached) do
    if entry.path == path and api.nvim_buf_is_loaded(buf) then
      return buf
    end
  end
end

--- The file that is drawn in a buffer, and its place among all.
--- @param buf integer
--- @return acp.ReviewFile?
--- @return integer? index
function M.file(buf)
  local entry = attached[buf]
  for index, file in ipairs(entry and view and view.files or {}) do
    if file.path == entry.path then
      return file, index
    end
  end
end

--- Whether a buffer's text is not the one that the review is about any more.
--- @return boolean
function M.changed()
  for buf, entry in pairs(attached) do
    if api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_changedtick(buf) ~= entry.tick then
      return true
    end
  end
  return false
end

--- Shows lines that were deleted above the first one to a window that has come to the top.
--- @param win integer
function M.reveal(win)
  local rows = marks.above_first(api.nvim_win_get_buf(win))
  if rows == 0 then
    return
  end
  api.nvim_win_call(win, function()
    local place = vim.fn.winsaveview()
    if place.topline == 1 and place.topfill == 0 then
      local room = math.max(0, api.nvim_win_get_height(win) - place.lnum - 1)
      vim.fn.winrestview({ topline = 1, topfill = math.min(rows, room) })
    end
  end)
end

--- The hint of the hunk at the cursor has the keys.
--- @param buf integer
local function focus(buf)
  if api.nvim_get_current_buf() == buf then
    marks.focus(buf, api.nvim_win_get_cursor(0)[1] - 1)
  end
end

--- @param file acp.ReviewFile
--- @param index integer
local function caption(file, index)
  local count = #file.hunks
  local left = { ('%d change%s by %s'):format(count, count == 1 and '' or 's', view.agent) }
  for _, decided in ipairs({ { view.kept, 'kept' }, { view.rejected, 'rejected' } }) do
    if decided[1] > 0 then
      table.insert(left, ('%d %s'):format(decided[1], decided[2]))
    end
  end
  local help = require('acp.ui.keys').of('review', 'help')
  local right = { help and help .. ' keys' }
  table.insert(right, #view.files > 1 and ('file %d of %d'):format(index, #view.files) or nil)
  return table.concat(left, ', '), table.concat(right, ' · ')
end

--- @param buf integer
--- @param file acp.ReviewFile
--- @param index integer
local function attach(buf, file, index)
  local inserting = api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:find('^[iR]')
  local entry = attached[buf]
  if not entry then
    entry = { path = file.path, give_back = borrow(buf), tick = 0 }
    attached[buf] = entry
  end
  bar.set(buf, caption(file, index))
  -- While one types, what was computed is old already: the marks know better.
  if inserting and marks.line(buf, 1) then
    return
  end
  entry.tick = api.nvim_buf_get_changedtick(buf)
  marks.paint(buf, file, view.agent)
  focus(buf)
  vim.iter(vim.fn.win_findbuf(buf)):each(M.reveal)
end

--- @param buf integer
local function detach(buf)
  local entry = attached[buf]
  attached[buf] = nil
  bar.remove(buf)
  marks.clear(buf)
  if entry and api.nvim_buf_is_valid(buf) then
    entry.give_back()
  end
end

--- The file of the review that a buffer holds.
--- @param buf integer
--- @param files table<string, integer> path → index
--- @return integer? index
local function held(buf, files)
  if api.nvim_buf_is_loaded(buf) then
    local path = path_of(buf)
    local index = path and files[path]
    -- Of a deleted file there are no lines in which anything stands.
    return index
        and #view.files[index].hunks > 0
        and view.files[index].change ~= 'deleted'
        and index
      or nil
  end
end

--- @return table<string, integer>
local function by_path()
  local files = {}
  for index, file in ipairs(view.files) do
    files[file.path] = index
  end
  return files
end

--- A buffer was loaded: it may hold a file of the review.
--- @param buf integer
local function adopt(buf)
  local index = view and held(buf, by_path())
  if index then
    attach(buf, view.files[index], index)
    vim.schedule(bar.sync)
  elseif attached[buf] then
    detach(buf)
  end
end

--- Draws a review in all buffers that are loaded, and in those that will be.
--- @param new acp.ReviewView
function M.show(new)
  view = new
  local files = by_path()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local index = held(buf, files)
    if index then
      attach(buf, new.files[index], index)
    elseif attached[buf] then
      detach(buf)
    end
  end
  bar.sync()
end

--- Takes everything from all buffers.
function M.clear()
  view = nil
  vim.tbl_map(detach, vim.tbl_keys(attached))
  bar.sync()
end

--- @param on_change fun() the text of a buffer may be another
--- @param on_load fun(anew: boolean) a buffer was loaded; `anew`: with another text, maybe
local function watch(on_change, on_load)
  local group = api.nvim_create_augroup('acp.review.buffers', {})
  local function on(events, desc, callback)
    api.nvim_create_autocmd(events, { group = group, desc = 'acp: ' .. desc, callback = callback })
  end
  on(
    { 'BufReadPost', 'BufFilePost' },
    'the review goes on in buffers that are loaded',
    function(args)
      local anew = attached[args.buf] ~= nil
      if view then
        adopt(args.buf)
      end
      if attached[args.buf] then
        on_load(anew)
      end
    end
  )
  on('BufUnload', 'the marks of the review go with the text', function(args)
    if attached[args.buf] then
      marks.clear(args.buf)
    end
  end)
  on({ 'BufDelete', 'BufWipeout' }, 'the review lets a buffer go', function(args)
    if attached[args.buf] then -- Neovim takes the keys away itself
      attached[args.buf] = nil
      bar.remove(args.buf)
    end
  end)
  on({ 'CursorMoved', 'BufEnter' }, 'the hint of the hunk at the cursor', function(args)
    if attached[args.buf] then
      focus(args.buf)
    end
  end)
  -- A buffer may have been changed while another was current.
  on(
    { 'TextChanged', 'InsertLeave', 'BufEnter' },
    'the review follows what is typed',
    function(args)
      if attached[args.buf] then
        on_change()
      end
    end
  )
  on('WinScrolled', 'lines deleted at the top come into sight', function()
    for id, by in pairs(vim.v.event) do
      local win = tonumber(id)
      local shown = win and api.nvim_win_is_valid(win) and attached[api.nvim_win_get_buf(win)]
      if shown and by.topline < 0 then
        M.reveal(win)
      end
    end
  end)
  on({ 'VimResized', 'WinResized' }, 'the review goes to the edge, and not over it', function()
    vim.iter(vim.tbl_keys(attached)):each(marks.resize)
  end)
end

--- Called when the first review is shown.
--- @param opts { borrow: (fun(buf: integer): fun()), on_change: fun(), on_load: fun(anew: boolean) } `borrow` maps the
---   keys in a buffer and returns what takes them away
function M.setup(opts)
  if not borrow then
    borrow = opts.borrow
    watch(opts.on_change, opts.on_load)
  end
end

return M
