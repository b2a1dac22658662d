--- Prompts that were sent, kept over sessions: one JSON line each in `stdpath('state')/acp/history`.
local M = {}

--- Entries that are kept.
local MAX = 500
local OWNER_ONLY = 384 -- 0600

local entries --- @type string[]? the oldest first

--- @return string
local function path()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp', 'history')
end

--- @param flags string
--- @param text string
local function write(flags, text)
  vim.fn.mkdir(vim.fs.dirname(path()), 'p', '0700')
  local file, fault = vim.uv.fs_open(path(), flags, OWNER_ONLY)
  local done = file and vim.uv.fs_write(file, text)
  if file then
    vim.uv.fs_close(file)
  end
  if not done then
    require('acp.message').warn(('the prompt history is not kept: %s'):format(fault or path()))
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
