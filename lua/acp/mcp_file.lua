--- Files of a project that name MCP servers, in the format of Claude Code's `.mcp.json`.
local disk = require('acp.disk')
local entries = require('acp.mcp_entry')
local trust = require('acp.trust')

local M = {}

--- Nobody writes that much by hand.
local MAX_BYTES = 1024 * 1024
--- More than anybody looks through before allowing them.
local MAX_SERVERS = 200

--- @class (exact) acp.McpFile
--- @field path string absolute
--- @field digest? string nil: it can't be read
--- @field text? string
--- @field trust? acp.Trust nil: the user has not said
--- @field entries acp.McpEntry[] by name
--- @field faults { name: string, why: string }[]

--- @param text string
--- @return acp.McpEntry[] entries
--- @return { name: string, why: string }[] faults
--- @return string? fault of the file
function M.parse(text)
  local opts = { luanil = { object = true, array = true } }
  local ok, root = pcall(vim.json.decode, text, opts)
  if not ok then
    return {}, {}, 'it is no JSON'
  end
  local servers = type(root) == 'table' and root.mcpServers
  if type(servers) ~= 'table' or (vim.islist(servers) and next(servers)) then
    return {}, {}, 'it has no table `mcpServers`'
  end
  local names = vim.tbl_keys(servers)
  table.sort(names)
  if #names > MAX_SERVERS then
    return {}, {}, ('it names more than %d servers'):format(MAX_SERVERS)
  end
  local found, faults = {}, {}
  for _, name in ipairs(names) do
    local raw = servers[name]
    if not (type(raw) == 'table' and raw.disabled == true) then
      local entry, why = entries.read(name, raw)
      if entry then
        found[#found + 1] = entry
      else
        faults[#faults + 1] = { name = name, why = why }
      end
    end
  end
  return found, faults
end

--- @param path string
--- @return acp.McpFile? file nil: there is none
local function read(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return nil
  end
  local name = vim.fs.basename(path)
  local file = { path = path, entries = {}, faults = {} } --- @type acp.McpFile
  local fault
  if stat.type ~= 'file' then
    fault = 'it is no file'
  elseif stat.size > MAX_BYTES then
    fault = 'it is larger than 1 MiB'
  else
    file.text = disk.read(path)
    fault = not file.text and 'it can’t be read' or nil
  end
  if file.text then
    file.digest = trust.digest(file.text)
    file.trust = trust.get(path, file.digest)
    file.entries, file.faults, fault = M.parse(file.text)
  end
  if fault then
    file.faults = { { name = name, why = fault } }
  end
  return file
end

--- The files of a folder and of the root of its repository, the nearest first.
--- @param cwd string
--- @return acp.McpFile[]
function M.find(cwd)
  local folders = { cwd }
  local root = vim.fs.root(cwd, '.git')
  if root and root ~= cwd then
    folders[2] = root
  end
  local found, seen = {}, {}
  for _, folder in ipairs(folders) do
    for _, name in ipairs(require('acp.config').get().mcp_files) do
      local path = vim.fs.normalize(name)
      path = path:sub(1, 1) == '/' and path or vim.fs.joinpath(folder, path)
      local real = disk.real_path(path)
      local file = not seen[real] and read(path)
      seen[real] = true
      if file then
        found[#found + 1] = file
      end
    end
  end
  return found
end

return M
