--- What new sessions are set to, and with which agent they begin: the options, and what is remembered of the user's
--- own choices.
local config = require('acp.config')
local state = require('acp.state')

local M = {}

--- Where the choices of a folder are remembered.
local NAME = 'settings'

--- Time after which a choice that the agent has not taken is none, in milliseconds.
local GIVEN_UP = 60 * 1000

--- @param path string
--- @return string
local function folder(path)
  local absolute = vim.fn.fnamemodify(vim.fs.normalize(path), ':p')
  return (require('acp.disk').real_path(absolute):gsub('(.)/$', '%1'))
end

--- The projects that a folder lies in, the innermost last.
--- @param cwd string
--- @return acp.ProjectConfig[]
function M.projects(cwd)
  local here = folder(cwd)
  local found = {} --- @type { path: string, project: table }[]
  for path, project in pairs(config.get().projects) do
    local root = folder(path)
    if here == root or require('acp.disk').is_below(here, { root }) then
      found[#found + 1] = { path = root, project = project }
    end
  end
  table.sort(found, function(a, b)
    return #a.path < #b.path
  end)
  return vim.tbl_map(function(entry)
    return entry.project
  end, found)
end

--- The agent that `projects` names for a folder.
--- @param cwd string
--- @return string?
function M.agent(cwd)
  local agent --- @type string?
  for _, project in ipairs(M.projects(cwd)) do
    agent = project.agent or agent
  end
  return agent
end

--- What is remembered of an agent in a folder.
--- @param agent string
--- @param cwd string
--- @return acp.Settings
local function remembered(agent, cwd)
  local all = config.get().remember and require('acp.projects').get(cwd, NAME)
  return type(all) == 'table' and type(all[agent]) == 'table' and all[agent] or {}
end

--- What a new session is set to, for `session.open`: each more special one counts more.
--- @param agent string its name in the configuration
--- @param cwd string
--- @return acp.Settings? settings nil where nothing is wanted
function M.settings(agent, cwd)
  local options = config.get()
  local layers = { options.defaults, (options.agents[agent] or {}).defaults or {} }
  for _, project in ipairs(M.projects(cwd)) do
    layers[#layers + 1] = project.defaults or {}
  end
  layers[#layers + 1] = remembered(agent, cwd)
  local settings = vim.tbl_extend('force', unpack(layers))
  return next(settings) and settings or nil
end

--- @param agent string
--- @param cwd string
--- @param option string
--- @param value string|boolean
local function remember(agent, cwd, option, value)
  local stored = require('acp.projects')
  local all = stored.get(cwd, NAME)
  all = type(all) == 'table' and all or {}
  all[agent] = vim.tbl_extend('force', remembered(agent, cwd), { [option] = value })
  stored.set(cwd, NAME, all)
end

local choices = {} --- @type { chat: acp.Chat, option: string, value: string|boolean, time: integer }[]

--- Remembers the choices that agents have taken by now.
local function settle()
  local now = vim.uv.now()
  choices = vim.tbl_filter(function(choice)
    local status = state.get(choice.chat.session)
    local taken = vim.iter(status and status.config or {}):any(function(option)
      return option.id == choice.option and option.value == choice.value
    end)
    if taken then
      remember(choice.chat.agent.name, choice.chat.cwd, choice.option, choice.value)
    end
    return status ~= nil and not taken and now - choice.time < GIVEN_UP
  end, choices)
end

--- The user has chosen: it is remembered as soon as the agent has taken it, where the user wants that.
--- @param chat acp.Chat
--- @param option string
--- @param value string|boolean
function M.chosen(chat, option, value)
  if not config.get().remember then
    return
  end
  choices = vim.tbl_filter(function(choice)
    return choice.chat ~= chat or choice.option ~= option
  end, choices)
  table.insert(choices, { chat = chat, option = option, value = value, time = vim.uv.now() })
  settle()
end

state.on_change(function(_, fields)
  if fields.config and #choices > 0 then
    settle()
  end
end)

return M
