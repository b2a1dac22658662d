--- The logs: the plugin's own, and the wire log of an agent as a buffer that follows the file.
local lock = require('acp.lock')
local message = require('acp.message')
local store = require('acp.store')

local M = {}

--- Size at which the plugin's own log is begun anew, the former kept beside it.
local MAX_OWN = 1024 * 1024
--- What is shown of a wire log that is there already, in bytes, and read at once.
local MAX_SHOWN = 1024 * 1024
local READ = 256 * 1024
--- The oldest lines go when the buffer has more.
local MAX_LINES = 20000
local POLL_MS = 200

--- The plugin's own log.
--- @return string
function M.path()
  return store.path('acp.log')
end

--- Adds a line to the plugin's own log. Fails in silence: there is no place left to say it.
--- @param level 'info'|'warn'|'error'
--- @param text string
function M.write(level, text)
  vim.schedule(function()
    local path = M.path()
    local stat = vim.uv.fs_stat(path)
    if stat and stat.size > MAX_OWN then
      vim.uv.fs_rename(path, path .. '.older')
    end
    store.write(path, 'a', ('%s %-5s %s\n'):format(os.date('%Y-%m-%dT%H:%M:%S'), level, text))
  end)
end

--- The wire logs, the newest first. Their sizes include the older half that is kept beside a log.
--- @return { path: string, size: integer }[]
function M.wire_logs()
  local dir = store.path('wire')
  local function size(name)
    local stat = vim.uv.fs_stat(vim.fs.joinpath(dir, name))
    return stat and stat.size or 0
  end
  local logs = {}
  for name, kind in vim.fs.dir(dir) do
    local stem = name:match('^(.*)%.jsonl$')
    if kind == 'file' and stem and not vim.endswith(stem, '.older') then
      local path = vim.fs.joinpath(dir, name)
      table.insert(logs, { path = path, size = size(name) + size(stem .. '.older.jsonl') })
    end
  end
  -- Their names begin with the time.
  table.sort(logs, function(a, b)
    return a.path > b.path
  end)
  return logs
end

--- @class acp.Tail a file that is followed
--- @field path string
--- @field buf integer
--- @field fd? integer
--- @field offset integer what has been read of it
--- @field rest string[] the pieces of the line that is not ended yet
--- @field skip boolean the first line is the end of one
--- @field timer uv.uv_timer_t

--- @param tail acp.Tail
local function stop(tail)
  if not tail.timer:is_closing() then
    tail.timer:close()
  end
  if tail.fd then
    vim.uv.fs_close(tail.fd)
    tail.fd = nil
  end
end

--- Windows whose cursor stands on the last line follow.
--- @param buf integer
--- @return integer[]
local function followers(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(buf))
end

--- @param tail acp.Tail
--- @param lines string[]
local function append(tail, lines)
  local buf = tail.buf
  local wins = followers(buf)
  vim.bo[buf].modifiable = true
  local empty = vim.api.nvim_buf_line_count(buf) == 1
    and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
  vim.api.nvim_buf_set_lines(buf, empty and 0 or -1, -1, false, lines)
  local surplus = vim.api.nvim_buf_line_count(buf) - MAX_LINES
  if surplus > 0 then
    vim.api.nvim_buf_set_lines(buf, 0, surplus, false, {})
  end
  vim.bo[buf].modifiable = false
  local last = vim.api.nvim_buf_line_count(buf)
  for _, win in ipairs(wins) do
    vim.api.nvim_win_set_cursor(win, { last, 0 })
  end
end

--- Reads what was appended, a piece at a time.
--- @param tail acp.Tail
--- @return boolean more there may be more
local function read(tail)
  local data = tail.fd and vim.uv.fs_read(tail.fd, READ, tail.offset)
  if not data or data == '' then
    return false
  end
  tail.offset = tail.offset + #data
  table.insert(tail.rest, data)
  if not data:find('\n', 1, true) then
    return true
  end
  local lines = vim.split(table.concat(tail.rest), '\n', { plain = true })
  tail.rest = { table.remove(lines) }
  if tail.skip then
    table.remove(lines, 1)
    tail.skip = false
  end
  if #lines > 0 then
    append(tail, lines)
  end
  return true
end

--- Opens the file when it has been begun anew, or was not there before.
--- @param tail acp.Tail
--- @return boolean changed
local function reopen(tail)
  local stat = vim.uv.fs_stat(tail.path)
  local open = tail.fd and vim.uv.fs_fstat(tail.fd)
  if not stat or open and open.ino == stat.ino and stat.size >= tail.offset then
    return false
  end
  if tail.fd then
    vim.uv.fs_close(tail.fd)
  end
  tail.fd = vim.uv.fs_open(tail.path, 'r', 0)
  tail.offset, tail.rest, tail.skip = 0, {}, false
  return tail.fd ~= nil
end

--- @param tail acp.Tail
local function poll(tail)
  if not vim.api.nvim_buf_is_valid(tail.buf) then
    return stop(tail)
  elseif lock.held() then
    return -- the next poll comes
  end
  if read(tail) or reopen(tail) then
    vim.schedule(function()
      poll(tail)
    end)
  end
end

--- @param buf integer
--- @param path string
local function follow(buf, path)
  local stat = vim.uv.fs_stat(path)
  local size = stat and stat.size or 0
  local tail = { path = path, buf = buf, rest = {}, timer = assert(vim.uv.new_timer()) } --- @type acp.Tail
  reopen(tail)
  local shown = MAX_SHOWN
  repeat
    local from = math.max(0, size - shown)
    tail.offset, tail.rest, tail.skip = from, {}, from > 0
    while read(tail) do
    end
    shown = 4 * shown -- the last line alone may be longer
  until from == 0 or vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= ''
  tail.timer:start(
    POLL_MS,
    POLL_MS,
    vim.schedule_wrap(function()
      poll(tail)
    end)
  )
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    desc = 'acp: stop following the log',
    callback = function()
      stop(tail)
    end,
  })
end

--- Colours of a log: who spoke, and what. What is the same on each line is concealed, not gone: a yank has it.
local function highlight()
  vim.cmd([[
    syntax match AcpLogSent /^{"t":\d\+,"dir":"c2a"/
    syntax match AcpLogReceived /^{"t":\d\+,"dir":"a2c"/
    syntax match AcpLogEvent /^{"t":\d\+,"dir":"ev".*/
    syntax match AcpLogMethod /"\(method\|sessionUpdate\)":"[^"]*"/
    syntax match AcpLogSame /"jsonrpc":"2.0",\?\|"sessionId":"[^"]*",\?/ conceal
    highlight default link AcpLogSent Identifier
    highlight default link AcpLogReceived Function
    highlight default link AcpLogEvent Comment
    highlight default link AcpLogMethod String
  ]])
end

--- @param path string
local function show(path)
  local name = 'acp://log/' .. vim.fs.basename(path)
  local buf = vim.fn.bufnr(name)
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then
    local win = vim.fn.win_findbuf(buf)[1]
    if win then
      return vim.api.nvim_set_current_win(win)
    end
  end
  buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  local options =
    { bufhidden = 'wipe', swapfile = false, undolevels = -1, synmaxcol = 400, modifiable = false }
  for option, value in pairs(options) do
    vim.bo[buf][option] = value
  end
  vim.cmd('botright sbuffer ' .. buf)
  for option, value in pairs({ wrap = false, conceallevel = 2, concealcursor = 'nc' }) do
    vim.api.nvim_set_option_value(option, value, { scope = 'local' })
  end
  vim.bo[buf].filetype = 'acplog'
  vim.keymap.set('n', 'q', function()
    if not pcall(vim.cmd.close) then
      vim.cmd.enew() -- the last window
    end
  end, { buffer = buf, desc = 'acp: close the log' })
  highlight()
  follow(buf, path)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), 0 })
end

--- Opens the wire log of a session's agent, else the newest, and follows it.
--- @param session? string
function M.open(session)
  local status = session and require('acp.state').get(session)
  local newest = M.wire_logs()[1]
  local path = status and status.log or newest and newest.path
  if path then
    message.guard(show, path)
  elseif not require('acp.config').get().log.wire then
    message.info('there is no wire log: the option log.wire is off')
  else
    message.info('there is no wire log yet: it begins with the first chat')
  end
end

return M
