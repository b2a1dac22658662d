--- What is remembered of each project: choices that were made once for all, by the real path of its folder.
local disk = require('acp.disk')
local message = require('acp.message')
local store = require('acp.store')

local M = {}

--- @return string
local function path()
  return store.path('projects.json')
end

--- All projects, as they are now: another Neovim may have written since.
--- @return table<string, table<string, any>>
local function load()
  local text = disk.read(path())
  if not text then
    return {}
  end
  local ok, projects = pcall(vim.json.decode, text)
  if not ok or type(projects) ~= 'table' then
    message.warn(('%s is not readable: what was chosen for projects is asked anew'):format(path()))
    return {}
  end
  return projects
end

--- @param cwd string
--- @param name string
--- @return any value nil where nothing is remembered
function M.get(cwd, name)
  local project = load()[disk.real_path(cwd)]
  return type(project) == 'table' and project[name] or nil
end

--- @param cwd string
--- @param name string
--- @param value any
function M.set(cwd, name, value)
  local projects = load()
  local key = disk.real_path(cwd)
  projects[key] = type(projects[key]) == 'table' and projects[key] or {}
  projects[key][name] = value
  local ok, fault = store.replace(path(), vim.json.encode(projects) .. '\n')
  if not ok then
    message.warn(('the choice for this project is not kept: %s'):format(fault))
  end
end

return M
