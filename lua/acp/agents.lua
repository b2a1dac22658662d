--- Which agents there are, and how each is started.
local config = require('acp.config')
local known = require('acp.presets')

local M = {}

--- What is offered where nothing is configured; no name of an agent.
local INSTALL = 'Install another agent …'

--- Programs are looked for on `PATH`; a missing one keeps its name, for the message that names it.
--- @param agent acp.Preset
--- @return string
local function program(agent)
  for _, command in ipairs({ agent.command, unpack(agent.also or {}) }) do
    if vim.fn.executable(command) == 1 then
      return command
    end
  end
  return agent.command
end

--- The agent that is part of the plugin.
--- @return acp.Preset
local function demo()
  return {
    name = 'demo',
    title = 'Demo agent',
    command = config.get().node,
    args = { require('acp.sidecar').bundle(), 'demo-agent' },
  }
end

--- @param name string the name or the program of a known agent
--- @return acp.Preset?
local function find_known(name)
  if name == 'demo' then
    return demo()
  end
  for _, agent in ipairs(known) do
    local names = { agent.name, agent.command, unpack(agent.also or {}) }
    if vim.list_contains(names, name) then
      return agent
    end
  end
end

--- Agents that need no configuration.
--- @return acp.Preset[]
function M.known()
  return vim.deepcopy(known)
end

--- How the agent of that name is started: as configured, else as known. Functions in its options are called.
--- @param name string a name in `agents`, or the name or program of a known agent, or `demo`
--- @param cwd? string the folder of the session; Neovim's own when nil
--- @return acp.AgentSpec?
--- @return string? err
function M.resolve(name, cwd)
  local agent = config.get().agents[name]
  local preset = find_known(name)
  if not agent and not preset then
    return nil, ('no agent %q: name it in the option agents, see :h acp-agents'):format(name)
  end
  local place = { name = agent and name or preset.name, cwd = cwd or vim.fn.getcwd() }
  return require('acp.agents_spec').make(agent or {}, place, find_known, program)
end

--- Names of the configured agents, sorted.
--- @return string[]
function M.configured()
  local names = vim.tbl_keys(config.get().agents)
  table.sort(names)
  return names
end

--- Names of the known agents whose program is on `PATH`.
--- @return string[]
function M.installed()
  local found = {}
  for _, agent in ipairs(known) do
    if vim.fn.executable(program(agent)) == 1 then
      table.insert(found, agent.name)
    end
  end
  return found
end

--- @param name string
--- @return string
local function label(name)
  if name == 'demo' then
    return 'demo: an agent without a model, to look around'
  end
  local agent = config.get().agents[name] or {}
  local preset = find_known(name)
  local command, args = agent.command, agent.args or preset and preset.args or {}
  if command == nil then
    command = preset and program(preset)
  end
  -- What a function gives is asked when the agent is chosen.
  local words = { vim.fs.basename(type(command) == 'string' and command or '…') }
  if type(command) == 'table' then
    words = { vim.fs.basename(command[1]), unpack(command, 2) }
  end
  vim.list_extend(words, type(args) == 'table' and args or {})
  local where = agent.wrap and (type(agent.wrap) == 'table' and agent.wrap or { '…' })
  local by = where and next(where) and (' (by %s)'):format(table.concat(where, ' ')) or ''
  local title = agent.title or preset and preset.title or name
  return ('%s: %s%s'):format(title, table.concat(words, ' '), by)
end

--- Shows how the agents that are not there are installed.
local function show_missing()
  local installed = M.installed()
  local lines = {}
  for _, agent in ipairs(known) do
    if agent.install and not vim.list_contains(installed, agent.name) then
      table.insert(lines, ('%-12s%s'):format(agent.name, agent.install))
    end
  end
  table.insert(lines, '')
  table.insert(lines, 'Then :AcpChat again. More in :h acp-agents')
  require('acp.ui.detail').show({ title = 'Install an agent', lines = lines, filetype = '' })
end

--- Chooses an agent: the only one that is configured, else by `vim.ui.select` from those that are configured, else
--- from those that are installed.
--- @param callback fun(agent?: acp.AgentSpec) gets nil when nothing was chosen
--- @param cwd? string the folder of the session; Neovim's own when nil
function M.pick(callback, cwd)
  local function chosen(name)
    local spec, err = M.resolve(name, cwd)
    if err then
      require('acp.message').error(err)
    end
    callback(spec)
  end
  local names = M.configured()
  local known_only = #names == 0
  if known_only then
    names = M.installed()
  elseif #names == 1 then
    return chosen(names[1])
  end
  if not vim.list_contains(names, 'demo') then
    table.insert(names, 'demo')
  end
  if known_only then
    table.insert(names, INSTALL)
  end
  require('acp.ui.choose').one(names, {
    prompt = known_only and #names == 2 and 'No agent found on PATH:' or 'Agent:',
    kind = 'acp.agent',
    format_item = function(name)
      return name == INSTALL and name or label(name)
    end,
  }, function(name)
    if name == nil then
      return callback(nil)
    elseif name == INSTALL then
      show_missing()
      return callback(nil)
    end
    chosen(name)
  end)
end

--- Names for completion that begin with `arglead`.
--- @param arglead string
--- @return string[]
function M.complete(arglead)
  local names = vim.list_extend(M.configured(), M.installed())
  table.insert(names, 'demo')
  local seen = {}
  return vim.tbl_filter(function(name)
    local new = not seen[name] and vim.startswith(name, arglead)
    seen[name] = true
    return new
  end, names)
end

return M
