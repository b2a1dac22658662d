--- Prompts that were sent, kept over sessions: one JSON line each in `stdpath('state')/acp/history`.
---
--- Several Neovims write it: each appends, and reads on where it had stopped when the file has grown. Where it is
--- another file, or a shorter one, somebody has written it anew.
local store = require('acp.store')

local M = {}

--- Entries that are kept.
local MAX = 500

local entries = {} --- @type string[] the oldest first
local seen = { ino = 0, size = 0 } -- of the file, as far as it was read

--- @return string
local function path()
  return store.path('history')
end

--- @param ok boolean
--- @param fault? string
local function tell(ok, fault)
  if not ok then
    require('acp.message').warn(('the prompt history is not kept: %s'):format(fault))
  end
end

--- @param text string
--- @return string
local function encode(text)
  return vim.json.encode({ text = text }) .. '\n'
end

--- Takes whole lines; the last one may still be being written.
--- @param text string
--- @return integer bytes that were taken
local function take(text)
  local taken = 0
  for line, next in text:gmatch('([^\n]*)\n()') do
    local ok, entry = pcall(vim.json.decode, line)
    if ok and type(entry) == 'table' and type(entry.text) == 'string' then
      entries[#entries + 1] = entry.text
    end
    taken = next - 1
  end
  return taken
end

--- Reads what has come.
--- @param fd integer
--- @return boolean grown
local function read(fd)
  local stat = assert(vim.uv.fs_fstat(fd))
  if stat.ino ~= seen.ino or stat.size < seen.size then
    entries, seen = {}, { ino = stat.ino, size = 0 }
  end
  if stat.size == seen.size then
    return false
  end
  local text = vim.uv.fs_read(fd, stat.size - seen.size, seen.size) or ''
  local taken = take(text)
  seen.size = seen.size + taken
  return taken > 0
end

--- Writes the file anew with the last entries. What others append to the former one meanwhile is carried over.
--- @param fd integer of the former one
local function compact(fd)
  entries = vim.list_slice(entries, #entries - MAX + 1)
  local kept = #entries
  local ok, fault = store.replace(path(), table.concat(vim.tbl_map(encode, entries)))
  if ok and read(fd) then
    local late = vim.list_slice(entries, kept + 1)
    ok, fault = store.write(path(), 'a', table.concat(vim.tbl_map(encode, late)))
  end
  if ok then
    seen = { ino = 0, size = 0 } -- it is another file, which is read next time
  end
  tell(ok, fault)
end

--- All entries, the oldest first.
--- @return string[]
function M.entries()
  local stat = vim.uv.fs_stat(path())
  if stat and stat.ino == seen.ino and stat.size == seen.size then
    return entries
  end
  local fd = stat and vim.uv.fs_open(path(), 'r', 0)
  if fd then
    read(fd)
    if #entries > 2 * MAX then
      compact(fd)
    end
    vim.uv.fs_close(fd)
  end
  return entries
end

--- @param text string
function M.add(text)
  local all = M.entries()
  if all[#all] == text then
    return
  end
  local stat = vim.uv.fs_stat(path())
  -- What broke off in the middle of a line costs that line alone.
  local torn = stat and stat.ino == seen.ino and stat.size > seen.size
  local ok, fault = store.write(path(), 'a', (torn and '\n' or '') .. encode(text))
  if not ok then
    all[#all + 1] = text
    tell(ok, fault)
  end
end

--- Lets the user choose one of the prompts before, as |:AcpHistory|.
--- @param text? string that they hold
function M.search(text)
  require('acp.ui.history_search').open(text or '')
end

return M
