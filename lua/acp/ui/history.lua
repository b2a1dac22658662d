--- Prompts that were sent, kept over sessions: one JSON line each in `stdpath('state')/acp/history`.
local store = require('acp.store')

local M = {}

--- Entries that are kept.
local MAX = 500
local entries --- @type string[]? the oldest first

--- @return string
local function path()
  return store.path('history')
end

--- @param flags 'a'|'w'
--- @param text string
local function write(flags, text)
  local ok, fault = store.write(path(), flags, text)
  if not ok then
    require('acp.message').warn(('the prompt history is not kept: %s'):format(fault))
  end
end

--- @param text string
--- @return string
local function encode(text)
  return vim.json.encode({ text = text }) .. '\n'
end

--- @return string[]
local function load()
  local found = {} --- @type string[]
  local file = io.open(path(), 'r')
  if not file then
    return found
  end
  for line in file:lines() do
    local ok, entry = pcall(vim.json.decode, line)
    if ok and type(entry) == 'table' and type(entry.text) == 'string' then
      found[#found + 1] = entry.text
    end
  end
  file:close()
  if #found > 2 * MAX then
    found = vim.list_slice(found, #found - MAX + 1)
    write('w', table.concat(vim.tbl_map(encode, found)))
  end
  return found
end

--- All entries, the oldest first.
--- @return string[]
function M.entries()
  entries = entries or load()
  return entries
end

--- @param text string
function M.add(text)
  local all = M.entries()
  if all[#all] ~= text then
    all[#all + 1] = text
    write('a', encode(text))
  end
end

return M
