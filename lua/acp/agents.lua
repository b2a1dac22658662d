--- Which agents there are, and how each is started.
local config = require('acp.config')
local known = require('acp.presets')

local M = {}

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

--- @param agent? acp.AgentConfig
--- @return acp.AgentSpec
local function demo(agent)
  return {
    name = 'demo',
    title = agent and agent.title or 'Demo agent',
    command = config.get().node,
    args = { require('acp.sidecar').bundle(), 'demo-agent' },
    env = agent and agent.env and next(agent.env) and agent.env,
  }
end

--- @param name string the name or the program of a known agent
--- @return acp.Preset?
local function find_known(name)
  for _, agent in ipairs(known) do
    local names = { agent.name, agent.command, unpack(agent.also or {}) }
    if vim.list_contains(names, name) then
      return agent
    end
  end
end

--- What is configured, as a command line that needs no shell.
--- @param name string
--- @param agent acp.AgentConfig
--- @return string[]? command
--- @return string? err
local function configured_command(name, agent)
  local command = agent.command
  if type(command) == 'table' then
    return command
  elseif not command then
    return nil, ('agents.%s.command is missing, and no agent of that name is known'):format(name)
  end
  command = vim.fs.normalize(command)
  local first = command:match('^(%S+)%s')
  if first and vim.fn.executable(command) == 0 and vim.fn.executable(first) == 1 then
    local list = vim.inspect(vim.split(command, '%s+', { trimempty = true }))
    return nil, ('agents.%s.command is one program: write command = %s'):format(name, list)
  end
  return { command }
end

--- Agents that need no configuration.
--- @return acp.Preset[]
function M.known()
  return vim.deepcopy(known)
end

--- Absolute, without a slash at the end. `~` and variables are taken as such; no wildcards and no shell.
--- @param root string
--- @return string
local function absolute(root)
  local path = vim.fn.fnamemodify(vim.fs.normalize(root), ':p')
  return path == '/' and path or (path:gsub('/$', ''))
end

--- @param name string
--- @param agent acp.AgentConfig
--- @return acp.AgentSpec?
--- @return string? err
local function resolve_configured(name, agent)
  local preset = find_known(name)
  local spec = {
    name = name,
    title = agent.title or preset and preset.title,
    env = agent.env and next(agent.env) and agent.env,
    roots = agent.roots and vim.tbl_map(absolute, agent.roots),
  }
  if preset and not agent.command then
    spec.command, spec.args = program(preset), agent.args or vim.deepcopy(preset.args)
    spec.install = preset.install
    return spec
  end
  local command, err = configured_command(name, agent)
  if not command then
    return nil, err
  end
  spec.command = command[1]
  spec.args = vim.list_extend(vim.list_slice(command, 2), agent.args or {})
  preset = find_known(vim.fs.basename(spec.command))
  spec.install = preset and preset.install
  return spec
end

--- How the agent of that name is started: as configured, else as known.
--- @param name string a name in `agents`, or the name or program of a known agent, or `demo`
--- @return acp.AgentSpec?
--- @return string? err
function M.resolve(name)
  local agent = config.get().agents[name]
  if name == 'demo' and not (agent and agent.command) then
    return demo(agent)
  elseif agent then
    return resolve_configured(name, agent)
  end
  local preset = find_known(name)
  if preset then
    return resolve_configured(preset.name, {})
  end
  return nil, ('no agent %q: name it in the option agents, see :h acp-agents'):format(name)
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

--- @param spec acp.AgentSpec
--- @return string
local function label(spec)
  if spec.name == 'demo' then
    return 'demo: an agent without a model, to look around'
  end
  local command = table.concat({ vim.fs.basename(spec.command), unpack(spec.args) }, ' ')
  return ('%s: %s'):format(spec.title or spec.name, command)
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
function M.pick(callback)
  local names = M.configured()
  local known_only = #names == 0
  if known_only then
    names = M.installed()
  elseif #names == 1 then
    local spec, err = M.resolve(names[1])
    if err then
      require('acp.message').error(err)
    end
    return callback(spec)
  end
  local items = {} --- @type (acp.AgentSpec|'install')[]
  for _, name in ipairs(names) do
    local spec, err = M.resolve(name)
    if spec then
      table.insert(items, spec)
    else
      require('acp.message').warn(err --[[@as string]])
    end
  end
  if not vim.list_contains(names, 'demo') then
    table.insert(items, demo())
  end
  if known_only then
    table.insert(items, 'install')
  end
  require('acp.ui.choose').one(items, {
    prompt = known_only and #names == 0 and 'No agent found on PATH:' or 'Agent:',
    kind = 'acp.agent',
    format_item = function(item)
      return item == 'install' and 'Install another agent …' or label(item)
    end,
  }, function(item)
    if item == 'install' then
      show_missing()
      item = nil
    end
    callback(item)
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
