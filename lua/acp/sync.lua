--- Holds buffers to their files: what was changed on disk is read anew, or is a conflict where the buffer has changes
--- of its own. Nothing here ends in a prompt, whatever 'autoread' says.
local conflict = require('acp.conflict')
local disk = require('acp.disk')
local events = require('acp.events')
local hunks = require('acp.hunks')
local message = require('acp.message')
local reading = require('acp.reading')
local reload_file = require('acp.reload_file')

local M = {}

local api = vim.api
local group = api.nvim_create_augroup('acp.sync', {})

--- How often a file is read that others keep writing meanwhile; the next look finds the rest.
local MAX_READS = 3

--- A file that is gone for so long was deleted.
local DELETED_MS = 500

--- A file that is empty for so long is meant to be: `command > file` empties it before the command runs. One that takes
--- time to write is written to no more.
local QUIET_MS = 200

--- Files of so many bytes take time to write.
local SLOW = 512 * 1024

--- To look for what differs in larger files, in bytes, would be felt.
local LARGE = 16 * 1024 * 1024

--- What `stat` said of the file when the buffer knew it; false: there was none.
--- @type table<integer, string|false>
local seen = {}

--- Two writes within the grain of a file system's clock have one stamp. A file that was looked at so soon after it was
--- written is read again the next time.
local GRAIN_MS = 20
local fresh = {} --- @type table<integer, true>

--- What the file held then: formatters and the like write files anew that they did not change.
local digests = {} --- @type table<integer, string>

--- The text that the buffer had then: `b:changedtick`.
local ticks = {} --- @type table<integer, integer>

--- @param buf integer
--- @param stamp string|false
local function remember(buf, stamp)
  seen[buf] = stamp
  ticks[buf] = api.nvim_buf_get_changedtick(buf)
  digests[buf] = stamp and disk.digest(api.nvim_buf_get_name(buf)) or nil
  fresh[buf] = stamp and disk.age_ms(api.nvim_buf_get_name(buf)) < GRAIN_MS or nil
end

api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufNewFile' }, {
  group = group,
  desc = 'acp: the buffer knows its file',
  callback = function(args)
    local name = api.nvim_buf_get_name(args.buf)
    if args.match == name then
      remember(args.buf, disk.stamp(name))
    end
  end,
})

api.nvim_create_autocmd({ 'BufUnload', 'BufFilePost' }, {
  group = group,
  desc = 'acp: the buffer has no file any more, or another one',
  callback = function(args)
    seen[args.buf], fresh[args.buf], digests[args.buf], ticks[args.buf] = nil, nil, nil, nil
  end,
})

--- Whether the buffer was opened when there was no such file, and never written. Neovim tells it only in words.
local function was_new(buf)
  local info = api.nvim_buf_call(buf, function()
    return vim.fn.execute('file')
  end)
  return info:match('[^"]*$'):find(vim.fn.gettext('[New]'), 1, true) ~= nil
end

--- Asks Neovim whether the file was changed since it was read. It then asks nobody else about this change.
--- @param buf integer
--- @return boolean
local function changed_since_read(buf)
  local changed = false
  local autocmd = api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = buf,
    desc = 'acp: no question about a changed file',
    callback = function()
      changed = true
      api.nvim_set_vvar('fcs_choice', '')
    end,
  })
  local own, global, ignored = vim.bo[buf].autoread, vim.go.autoread, vim.o.eventignore
  vim.go.autoread = false
  if own then
    vim.bo[buf].autoread = false
  end
  -- Without that autocommand it would ask.
  vim.o.eventignore = ''
  message.guard(vim.cmd, ('silent checktime %d'):format(buf))
  vim.o.eventignore = ignored
  if own then
    vim.bo[buf].autoread = true
  end
  vim.go.autoread = global
  pcall(api.nvim_del_autocmd, autocmd)
  return changed
end

--- A new file: nothing of the buffer is to be kept, and its first reading sets its options.
--- @param buf integer
local function read_new(buf)
  message.guard(api.nvim_buf_call, buf, function()
    vim.cmd('silent keepalt edit!')
  end)
end

--- @param buf integer
--- @param found acp.Reading
--- @return boolean
local function holds(buf, found)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  return vim.deep_equal(lines, #found.lines == 0 and { '' } or found.lines)
end

--- @param name string
--- @return boolean
local function is_large(name)
  local stat = vim.uv.fs_stat(name)
  return stat ~= nil and stat.size > LARGE
end

--- A large file is read as |:edit| reads it.
--- @param buf integer
--- @param stamp string|false
--- @return acp.ChangedHunk[] changed
local function take_large(buf, stamp)
  local old_count = api.nvim_buf_line_count(buf)
  if vim.bo[buf].modified then
    reload_file.know(buf, false)
    remember(buf, stamp)
    conflict.mark(buf)
    return {}
  end
  read_new(buf)
  local new_count = api.nvim_buf_line_count(buf)
  -- The last of it may have been written while it was read: who has all of it need not read it again.
  local name = api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(name)
  local has_all = stat and api.nvim_buf_get_offset(buf, new_count) == stat.size
  remember(buf, has_all and disk.stamp(name) or stamp)
  return { { old_start = 1, old_count = old_count, new_start = 1, new_count = new_count } }
end

--- @param buf integer
--- @param name string
--- @return boolean done false when the file was changed meanwhile
--- @return acp.ChangedHunk[] changed
local function take(buf, name)
  local stamp = disk.stamp(name)
  local digest = digests[buf]
  if vim.bo[buf].modified and digest and digest == disk.digest(name) then
    if not conflict.is_open(buf) then
      reload_file.know(buf, false)
    end
    remember(buf, stamp)
    return true, {}
  end
  if is_large(name) then
    return true, take_large(buf, stamp)
  end
  local found = reading.of(buf)
  if not found then
    -- It may be there again, or readable, when it is looked at the next time.
    return true, {}
  end
  local typed = ticks[buf] and ticks[buf] ~= api.nvim_buf_get_changedtick(buf)
  if typed and not vim.bo[buf].modified and holds(buf, found) then
    -- `:noautocmd write`, as some plugins save.
    require('acp.saved').unheard(buf)
  end
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  -- What holds back writing would hold back what Neovim is told.
  local was_open = conflict.settle(buf)
  if vim.bo[buf].modified and not holds(buf, found) then
    reload_file.know(buf, false)
    remember(buf, stamp)
    conflict.mark(buf)
    return true, {}
  elseif was_new(buf) then
    read_new(buf)
  else
    reload_file.take(buf, found)
  end
  if api.nvim_buf_is_loaded(buf) then
    remember(buf, stamp)
    if was_open then
      conflict.withdraw(buf)
    end
  end
  return disk.stamp(name) == stamp, hunks.between(old, found.lines)
end

--- @param buf integer
--- @param name string
--- @param changed acp.ChangedHunk[]
local function tell(buf, name, changed)
  if #changed > 0 then
    events.changed({ path = disk.real_path(name), buf = buf, hunks = changed })
  end
end

local gone = {} --- @type table<integer, string> buffer → name, yet to be told

--- Many programs delete a file and write it anew: what is there again needs no message.
local function tell_gone()
  local names = {}
  for buf, name in pairs(gone) do
    if api.nvim_buf_is_loaded(buf) and seen[buf] == false and not disk.stamp(name) then
      names[#names + 1] = vim.fn.fnamemodify(name, ':~:.')
    end
  end
  gone = {}
  table.sort(names)
  if #names > 0 then
    message.warn(('deleted on disk, still in a buffer: %s'):format(table.concat(names, ', ')))
  end
end

--- The buffer stays as it is.
--- @param buf integer
--- @param name string
local function deleted(buf, name)
  local known = seen[buf]
  seen[buf] = false
  if known then
    if not next(gone) then
      vim.defer_fn(tell_gone, DELETED_MS)
    end
    gone[buf] = name
    tell(buf, name, hunks.between(api.nvim_buf_get_lines(buf, 0, -1, true), {}))
  end
end

--- Whether the buffer is held to its file.
--- @param buf integer
--- @return boolean
function M.is_ours(buf)
  return api.nvim_buf_is_loaded(buf) and disk.is_file(buf) and vim.bo[buf].modifiable
end

--- The buffer has taken note of its file as it is.
--- @param buf integer
function M.know(buf)
  remember(buf, disk.stamp(api.nvim_buf_get_name(buf)))
end

--- Whether the file is as the buffer knew it.
--- @param buf integer
--- @return boolean
function M.is_known(buf)
  return seen[buf] == disk.stamp(api.nvim_buf_get_name(buf)) and not conflict.is_open(buf)
end

--- Whether an unmodified buffer's file was written again so soon that its stamp does not tell.
--- @param buf integer
--- @return boolean
local function changed_at_once(buf)
  if not fresh[buf] then
    return false
  end
  remember(buf, seen[buf])
  local found = reading.of(buf)
  return found ~= nil and not holds(buf, found)
end

local begun = {} --- @type table<integer, true> looked at again soon

--- Whether somebody seems to be about to write the file, or at it: to take it as it is would lose marks and folds for
--- nothing, or time.
--- @param buf integer
--- @param name string
--- @param patient? boolean nobody waits for the file
--- @return boolean
local function is_begun(buf, name, patient)
  local stat = vim.uv.fs_stat(name)
  if not stat or disk.age_ms(name) >= QUIET_MS then
    return false
  end
  local slow = patient and SLOW or LARGE
  if stat.size <= slow and (stat.size > 0 or holds(buf, { lines = {} })) then
    return false
  end
  if not begun[buf] then
    begun[buf] = true
    vim.defer_fn(function()
      begun[buf] = nil
      message.guard(M.sync, buf, patient)
    end, QUIET_MS)
  end
  return true
end

--- Looks at the file of a buffer: an unmodified buffer is read anew where it was changed. Returns whether the file
--- holds what the buffer has never seen.
--- @param buf integer
--- @param patient? boolean nobody waits for it: a file that seems to be written just now is left alone for a moment
--- @return boolean outdated
function M.sync(buf, patient)
  if not M.is_ours(buf) then
    return false
  end
  local name = api.nvim_buf_get_name(buf)
  for _ = 1, MAX_READS do
    local stamp = disk.stamp(name)
    if not stamp then
      deleted(buf, name)
      return false
    end
    local known = seen[buf]
    local open = conflict.is_open(buf)
    local modified = vim.bo[buf].modified
    if known == stamp and (modified or not open) and (modified or not changed_at_once(buf)) then
      return open
    end
    if is_begun(buf, name, patient) then
      return open
    end
    if known == nil and not open and not was_new(buf) and not changed_since_read(buf) then
      remember(buf, stamp)
      return false
    end
    local done, changed = take(buf, name)
    tell(buf, name, changed)
    if done or not api.nvim_buf_is_loaded(buf) then
      break
    end
  end
  return conflict.is_open(buf)
end

return M
