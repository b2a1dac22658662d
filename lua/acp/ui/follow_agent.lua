--- Lets one window go where the agent works: |:AcpFollow|. It never takes focus, waits for who is at work in it, and is
--- back where it was when it ends.
local M = {}

local borrow = require('acp.ui.borrow')
local message = require('acp.message')
local state = require('acp.state')

local ns = vim.api.nvim_create_namespace('acp.follow')

--- Milliseconds between two moves, and between two looks at a window that is in use.
local PACE_MS, WAIT_MS = 100, 250

--- Milliseconds for which the window is left to who moved in it.
local USER_MS = 2000

--- Bytes of a file that opens without a pause that would be felt.
local MAX_BYTES = 8 * 1024 * 1024

local busy = { working = true, waiting = true, cancelling = true }

--- @class acp.Following
--- @field session string
--- @field win integer
--- @field buf integer what stood there before
--- @field view table see |winsaveview()|
--- @field loaded table<integer, true> buffers that were opened for it
--- @field turn boolean a turn has begun
--- @field due? boolean the agent has gone on
--- @field placed? { buf: integer, cursor: [integer, integer] } where the agent was last
--- @field entered { buf: integer, cursor: [integer, integer] } where the user entered it
--- @field moving? boolean it is we who move
--- @field moved? integer when the user last moved in it, in nanoseconds
--- @field last integer when it last moved
--- @field timer uv.uv_timer_t
--- @field group integer

local following --- @type acp.Following?

local move

--- @param self acp.Following
--- @param ms integer
local function later(self, ms)
  if not self.timer:is_active() then
    self.timer:start(
      ms,
      0,
      vim.schedule_wrap(function()
        if following == self then
          move(self)
        end
      end)
    )
  end
end

--- Whether the window is in use.
--- @param self acp.Following
--- @return boolean
local function in_use(self)
  local mine = vim.api.nvim_get_current_win() == self.win
  if mine and (vim.api.nvim_get_mode().mode ~= 'n' or vim.fn.getcmdwintype() ~= '') then
    return true
  end
  return self.moved ~= nil and (vim.uv.hrtime() - self.moved) / 1e6 < USER_MS
end

--- Whether the window may show another file.
--- @param win integer
--- @return boolean
local function takes(win)
  local bo = borrow.takes(win) and vim.bo[vim.api.nvim_win_get_buf(win)]
  return bo and not (bo.modified and not vim.o.hidden and bo.bufhidden ~= 'hide')
end

--- @param path string as the agent says it
--- @param cwd string
--- @return string? path of a file that can be shown
local function readable(path, cwd)
  if path == '' or path:find('%z') then
    return nil
  end
  if not path:find('^/') and not path:find('^%a:[\\/]') then
    path = vim.fs.joinpath(cwd, path)
  end
  path = vim.fs.normalize(path, { expand_env = false })
  local stat = vim.uv.fs_stat(path)
  local shows = stat and stat.type == 'file' and stat.size <= MAX_BYTES
  return shows and vim.uv.fs_access(path, 'R') and path or nil
end

--- Shows a file in the window. A buffer that is opened for this is not listed.
--- @param self acp.Following
--- @param path string
--- @return integer? buf where it is shown now
local function show(self, path)
  local buf = vim.fn.bufadd(path)
  local fresh = not vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].buflisted
  -- A swap file of another Neovim's must not ask anything.
  local id = vim.api.nvim_create_autocmd('SwapExists', {
    group = self.group,
    command = "let v:swapchoice = 'o'",
  })
  local shown = borrow.put(self.win, buf)
  pcall(vim.api.nvim_del_autocmd, id)
  if shown and fresh then
    self.loaded[buf] = true
  end
  return shown and buf or nil
end

--- @param self acp.Following
local function unmark(self)
  if self.placed and vim.api.nvim_buf_is_valid(self.placed.buf) then
    vim.api.nvim_buf_clear_namespace(self.placed.buf, ns, 0, -1)
  end
end

--- Goes to a line of the file that is shown.
--- @param self acp.Following
--- @param buf integer
--- @param line? integer
local function go(self, buf, line)
  unmark(self)
  if line then
    line = math.max(1, math.min(line, vim.api.nvim_buf_line_count(buf)))
    vim.api.nvim_win_set_cursor(self.win, { line, 0 })
    vim.api.nvim_win_call(self.win, function()
      vim.cmd('normal! zvzz')
    end)
    vim.api.nvim_buf_set_extmark(buf, ns, line - 1, 0, { line_hl_group = 'AcpFollowLine' })
  end
  self.placed = { buf = buf, cursor = vim.api.nvim_win_get_cursor(self.win) }
end

--- Goes where the agent is, now or when the window is free.
--- @param self acp.Following
function move(self)
  local status = state.get(self.session)
  local location = status and status.location
  if not self.due or not location then
    return
  elseif not vim.api.nvim_win_is_valid(self.win) then
    return M.stop()
  end
  local since = (vim.uv.hrtime() - self.last) / 1e6
  if since < PACE_MS then
    return later(self, math.ceil(PACE_MS - since))
  elseif in_use(self) or not takes(self.win) then
    return later(self, WAIT_MS)
  end
  self.due = nil
  self.last = vim.uv.hrtime()
  local path = readable(location.path, status.cwd)
  self.moving = true
  local buf = path and show(self, path)
  if buf then
    go(self, buf, location.line)
  end
  self.moving = false
end

--- @param self acp.Following
local function watch(self)
  local function on(events, desc, callback, pattern)
    vim.api.nvim_create_autocmd(events, {
      group = self.group,
      desc = 'acp: ' .. desc,
      pattern = pattern,
      callback = callback,
    })
  end
  on({ 'CursorMoved', 'CursorMovedI', 'BufWinEnter' }, 'who moves there is left alone', function()
    if self.moving or borrow.busy or vim.api.nvim_get_current_win() ~= self.win then
      return
    end
    local place =
      { buf = vim.api.nvim_get_current_buf(), cursor = vim.api.nvim_win_get_cursor(self.win) }
    if not vim.deep_equal(place, self.placed or self.entered) then
      self.moved = vim.uv.hrtime()
    end
  end)
  on('WinEnter', 'where the window is entered', function()
    local win = vim.api.nvim_get_current_win()
    if win == self.win then
      local buf = vim.api.nvim_get_current_buf()
      self.entered = { buf = buf, cursor = vim.api.nvim_win_get_cursor(win) }
    end
  end)
  on(
    'WinClosed',
    'nothing is followed without a window',
    vim.schedule_wrap(M.stop),
    tostring(self.win)
  )
end

--- Whether a window follows the agent of a session.
--- @param session string
--- @return boolean
function M.following(session)
  return following ~= nil and following.session == session
end

--- Lets a window go where the agent of the current chat works, until its turn ends.
--- @param win? integer the current one, where it is for code; else another one for code
function M.start(win)
  local chat = require('acp.chat').current()
  if not chat then
    return message.warn('there is no chat yet: open one with :AcpChat')
  elseif vim.fn.getcmdwintype() ~= '' then
    return message.warn('leave the command-line window first')
  end
  M.stop()
  if not win or win == 0 then
    win = vim.api.nvim_get_current_win()
  end
  if not takes(win) then
    win = require('acp.ui.open').code_window(takes)
  end
  local status = state.get(chat.session)
  local self = {
    session = chat.session,
    win = win,
    buf = vim.api.nvim_win_get_buf(win),
    view = borrow.view(win),
    loaded = {},
    turn = status ~= nil and busy[status.state] or false,
    due = true,
    entered = {
      buf = vim.api.nvim_win_get_buf(win),
      cursor = vim.api.nvim_win_get_cursor(win),
    },
    last = 0,
    timer = assert(vim.uv.new_timer()),
    group = vim.api.nvim_create_augroup('acp.follow', {}),
  }
  following = self
  watch(self)
  require('acp.ui.winbar').redraw(self.session)
  move(self)
end

--- Buffers that were opened only to be looked at go again.
--- @param self acp.Following
local function tidy(self)
  for buf in pairs(self.loaded) do
    local unused = vim.api.nvim_buf_is_valid(buf)
      and not vim.bo[buf].buflisted
      and not vim.bo[buf].modified
      and #vim.fn.win_findbuf(buf) == 0
    if unused then
      message.guard(vim.api.nvim_buf_delete, buf, {})
    end
  end
end

--- Follows no longer. The window is back where it was, unless its user has moved on from there.
function M.stop()
  local self = following
  if not self then
    return
  end
  following = nil
  self.timer:stop()
  self.timer:close()
  vim.api.nvim_del_augroup_by_id(self.group)
  unmark(self)
  local valid = vim.api.nvim_win_is_valid(self.win)
  if valid and self.placed and not self.moved and vim.api.nvim_buf_is_loaded(self.buf) then
    if takes(self.win) and borrow.put(self.win, self.buf) then
      borrow.restore(self.win, self.view)
    end
  elseif valid and self.moved then
    -- What they have gone on with is one of their buffers.
    vim.bo[vim.api.nvim_win_get_buf(self.win)].buflisted = true
  end
  tidy(self)
  require('acp.ui.winbar').redraw(self.session)
end

--- Follows the agent of the current chat, or no longer.
function M.toggle()
  if following then
    M.stop()
  else
    M.start()
  end
end

state.on_change(function(session, fields)
  local self = following
  if not self or self.session ~= session then
    return
  end
  local status = state.get(session)
  local works = status and busy[status.state]
  if not status or (fields.state and self.turn and not works) then
    return vim.schedule(M.stop)
  end
  self.turn = self.turn or works or false
  if fields.location then
    self.due = true
    later(self, 0)
  end
end)

return M
