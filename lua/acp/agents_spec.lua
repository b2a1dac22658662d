--- What is started for an agent, and what it is told: made from its configuration, for a folder.
local validate = require('acp.config.validate')

local M = {}

--- Where an agent is to be started; functions in the options get it.
--- @class (exact) acp.AgentPlace
--- @field name string
--- @field cwd string the folder of the session

--- What `capabilities` may call by a shorter name.
local SHORT = { ['fs.read'] = 'fs.readTextFile', ['fs.write'] = 'fs.writeTextFile' }

--- @param option string
--- @return acp.config.Option
local function schema_of(option)
  local agents = require('acp.config').schema[1]
  return vim.iter(agents.fields):find(function(field)
    return field[1] == option
  end)
end

--- An option's value; where it is a function, what that gives. Throws words where that is nothing that fits.
--- @param agent acp.AgentConfig
--- @param option string
--- @param place acp.AgentPlace
--- @return any
local function value_of(agent, option, place)
  local value = agent[option]
  if type(value) ~= 'function' then
    return value
  end
  local path = ('agents.%s.%s'):format(place.name, option)
  local ok, result = pcall(value, { name = place.name, cwd = place.cwd })
  if not ok then
    error(('%s: its function failed: %s'):format(path, result), 0)
  end
  local fault = result ~= nil and validate.fault(schema_of(option), path, result, true)
  if fault then
    error(fault .. ' from its function', 0)
  end
  return result
end

--- Absolute, without a slash at the end. `~` and variables are taken as such; no wildcards and no shell.
--- @param path string
--- @param cwd string where a relative one begins
--- @return string
local function absolute(path, cwd)
  path = vim.fs.normalize(path)
  if not (vim.startswith(path, '/') or path:match('^%a:')) then
    path = vim.fs.normalize(cwd .. '/' .. path)
  end
  path = vim.fn.fnamemodify(path, ':p')
  return path == '/' and path or (path:gsub('/$', ''))
end

--- The names of what is withheld, below `prefix`.
--- @param switches table<string, any>
--- @param prefix? string
--- @param names? table<string, boolean> name → whether it is withheld
--- @return table<string, boolean>
local function withheld(switches, prefix, names)
  names = names or {}
  for name, value in pairs(switches) do
    local path = (prefix or '') .. name
    if type(value) == 'table' then
      withheld(value, path .. '.', names)
    else
      names[SHORT[path] or path] = value == false
    end
  end
  return names
end

--- What the agent shall not see of what the editor can, sorted. Commands of one that lives elsewhere belong there.
--- @param agent acp.AgentConfig
--- @param wrapped boolean
--- @return string[]?
local function withhold(agent, wrapped)
  local names = withheld(agent.capabilities or {})
  if wrapped and names.terminal == nil then
    names.terminal = true
  end
  local list = vim.tbl_filter(function(name)
    return names[name]
  end, vim.tbl_keys(names))
  table.sort(list)
  return next(list) and list or nil
end

--- At the top `false` takes a key of ours away, as `vim.NIL` does everywhere.
--- @param meta? { client?: table<string, any>, session?: table<string, any> }
--- @return { client?: table<string, any>, session?: table<string, any> }?
local function keys_of(meta)
  local all = {}
  for _, part in ipairs({ 'client', 'session' }) do
    local keys = meta and meta[part]
    if keys and next(keys) then
      all[part] = vim.tbl_map(function(value)
        return value == false and vim.NIL or value
      end, keys)
    end
  end
  return next(all) and all or nil
end

--- Folders in the agent's words. Symbolic links count by both of their names, first by the one that Neovim takes.
--- @param paths? table<string, string>
--- @param place acp.AgentPlace
--- @return { here: string, there: string }[]?
local function pairs_of(paths, place)
  local list = {}
  for _, folder in ipairs(vim.fn.sort(vim.tbl_keys(paths or {}))) do
    local there = paths[folder]
    if not (there:match('^[/\\]') or there:match('^%a:[/\\]')) then
      local words = 'agents.%s.paths: expected an absolute path for %s, got "%s"'
      error(words:format(place.name, folder, there), 0)
    end
    local here = absolute(folder, place.cwd)
    local real = vim.uv.fs_realpath(here)
    if real and real ~= here then
      table.insert(list, { here = real, there = there })
    end
    table.insert(list, { here = here, there = there })
  end
  return next(list) and list or nil
end

--- What is configured, as a command line that needs no shell. Throws words.
--- @param command? string|string[]
--- @param place acp.AgentPlace
--- @param wrapped boolean
--- @return string[]
local function command_line(command, place, wrapped)
  if type(command) == 'table' then
    return command
  elseif not command then
    local words = 'agents.%s.command is missing, and no agent of that name is known'
    error(words:format(place.name), 0)
  elseif wrapped then
    return { command }
  end
  command = vim.fs.normalize(command)
  local first = command:match('^(%S+)%s')
  if first and vim.fn.executable(command) == 0 and vim.fn.executable(first) == 1 then
    local list = vim.inspect(vim.split(command, '%s+', { trimempty = true }))
    error(('agents.%s.command is one program: write command = %s'):format(place.name, list), 0)
  end
  return { command }
end

--- What `ssh` gets goes through a shell on the other side.
--- @param agent acp.AgentConfig
--- @param wrap string[]
--- @return boolean
local function needs_quotes(agent, wrap)
  if agent.wrap_shell ~= nil then
    return agent.wrap_shell
  end
  local program = vim.fs.basename(wrap[1]):gsub('%.exe$', '')
  return program == 'ssh'
end

--- @param agent acp.AgentConfig
--- @param place acp.AgentPlace
--- @param find fun(name: string): acp.Preset? a known agent
--- @param program fun(preset: acp.Preset): string its program here
--- @return acp.AgentSpec
local function build(agent, place, find, program)
  local function value(option)
    return value_of(agent, option, place)
  end
  local wrap = value('wrap')
  local wrapped = wrap ~= nil and wrap[1] ~= nil
  local live = vim.iter(pairs(agent)):any(function(_, it)
    return type(it) == 'function'
  end)
  local env, cwd, args = value('env'), value('cwd'), value('args')
  local preset = find(place.name)
  local spec = {
    name = place.name,
    title = agent.title or preset and preset.title,
    env = env and next(env) and env,
    roots = agent.roots and vim.tbl_map(function(root)
      return absolute(root, place.cwd)
    end, agent.roots),
    cwd = cwd and absolute(cwd, place.cwd),
    withhold = withhold(agent, wrapped),
    meta = keys_of(agent.meta),
    paths = pairs_of(value('paths'), place),
    live = live or nil,
  }
  if wrapped then
    spec.wrap = { vim.fs.normalize(wrap[1]), unpack(wrap, 2) }
    spec.wrapShell = needs_quotes(agent, wrap) or nil
  end
  if preset and not agent.command then
    spec.command = wrapped and preset.command or program(preset)
    spec.args = args or vim.deepcopy(preset.args)
    spec.install = preset.install
    return spec
  end
  local command = command_line(value('command'), place, wrapped)
  spec.command = command[1]
  spec.args = vim.list_extend(vim.list_slice(command, 2), args or {})
  preset = find(vim.fs.basename(spec.command))
  spec.install = preset and preset.install
  return spec
end

--- How a configured agent is started.
--- @param agent acp.AgentConfig
--- @param place acp.AgentPlace
--- @param find fun(name: string): acp.Preset? a known agent
--- @param program fun(preset: acp.Preset): string its program here
--- @return acp.AgentSpec?
--- @return string? err
function M.make(agent, place, find, program)
  local ok, result = pcall(build, agent, place, find, program)
  if ok then
    return result
  end
  return nil, tostring(result)
end

return M
