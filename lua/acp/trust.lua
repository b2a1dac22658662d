--- What the user has said of files that a project brings along: they are trusted, or not, as they stood then.
local disk = require('acp.disk')
local message = require('acp.message')
local store = require('acp.store')

local M = {}

--- @alias acp.Trust 'allowed'|'refused'

--- @return string
local function path()
  return store.path('trust.json')
end

--- All that was said, by the real path of the file and the digest of what it held. Another Neovim may have written
--- since.
--- @return table<string, table<string, acp.Trust>>
local function load()
  local text = disk.read(path())
  if not text then
    return {}
  end
  local ok, known = pcall(vim.json.decode, text)
  if not ok or type(known) ~= 'table' then
    message.warn(
      ('%s is not readable: what was said of project files is asked anew'):format(path())
    )
    return {}
  end
  return known
end

--- @param text string
--- @return string
function M.digest(text)
  -- A string with a NUL would be no string to Vim.
  return vim.fn.sha256((text:gsub('%z', '\1')))
end

--- @param file string absolute
--- @param digest string
--- @return acp.Trust? trust nil where nothing was said
function M.get(file, digest)
  local said = load()[disk.real_path(file)]
  local trust = type(said) == 'table' and said[digest]
  return (trust == 'allowed' or trust == 'refused') and trust or nil
end

--- @param file string absolute
--- @param digest string
--- @param trust acp.Trust
function M.set(file, digest, trust)
  local known = load()
  local key = disk.real_path(file)
  known[key] = type(known[key]) == 'table' and known[key] or {}
  known[key][digest] = trust
  local ok, fault = store.replace(path(), vim.json.encode(known) .. '\n')
  if not ok then
    message.warn(('what you said of %s is not kept: %s'):format(file, fault))
  end
end

return M
