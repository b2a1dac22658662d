--- `:checkhealth acp`.
local M = {}

local health = vim.health

--- Longer than the probe's own patience.
local PROBE_MS = 30000

--- @class (exact) acp.Probe  what the bundle prints: `ProbeResult` in `src/agent/probe.ts`
--- @field ok boolean
--- @field agentInfo? { name?: string, title?: string, version?: string }
--- @field protocolVersion? integer
--- @field authMethods? { id: string, name: string }[]
--- @field error? string
--- @field stderr? string[]
--- @field noise? string[]

--- @param command string[]
--- @param stdin? string
--- @return vim.SystemObj?
local function start(command, stdin)
  local ok, process = pcall(vim.system, command, { text = true, stdin = stdin })
  return ok and process or nil
end

--- @param size integer
--- @return string
local function in_words(size)
  return size < 1024 * 1024 and ('%.0f KiB'):format(size / 1024)
    or ('%.1f MiB'):format(size / 1024 / 1024)
end

--- @return boolean ok
local function check_node()
  local node = require('acp.config').get().node
  local path = vim.fn.exepath(node)
  if path == '' then
    health.error(('Node.js: there is no program `%s`'):format(node), {
      'Install Node.js 20 or later, or name the program in the option `node`.',
    })
    return false
  end
  local process = start({ path, '--version' })
  local version = process and vim.trim(process:wait(5000).stdout or '') or ''
  local major = tonumber(version:match('^v(%d+)'))
  if not major then
    health.error(('Node.js: `%s --version` says no version'):format(path))
    return false
  elseif major < 20 then
    health.error(('Node.js %s is too old (%s)'):format(version, path), {
      'Install Node.js 20 or later, or name one in the option `node`.',
    })
    return false
  end
  health.ok(('Node.js %s (%s)'):format(version, path))
  return true
end

--- @return boolean ok
local function check_bundle()
  local sidecar = require('acp.sidecar')
  local bundle = sidecar.bundle()
  local build = ('Run `make` in %s'):format(sidecar.root())
  if not vim.uv.fs_stat(bundle) then
    health.error('sidecar: not built', build)
    return false
  end
  local process = start({ require('acp.config').get().node, bundle, '--version' })
  local result = process and process:wait(5000)
  local version = result and vim.trim(result.stdout or '') or ''
  if not result or result.code ~= 0 then
    health.error('sidecar: does not run', { build, vim.trim(result and result.stderr or '') })
    return false
  end
  local own = require('acp.version')
  if version ~= own then
    health.error(('sidecar: %s, but the plugin is %s'):format(version, own), build)
    return false
  end
  health.ok(('sidecar %s (%s)'):format(version, bundle))
  return true
end

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. version)
  else
    health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.10 or later.')
  end
end

local function check_clash()
  local roots = {}
  for _, name in ipairs({ 'lua/acp/init.lua', 'lua/acp.lua', 'lua/acp/rpc.lua' }) do
    for _, file in ipairs(vim.api.nvim_get_runtime_file(name, true)) do
      local root = vim.uv.fs_realpath(file:sub(1, -#name - 2))
      roots[root or file] = true
    end
  end
  local found = vim.tbl_keys(roots)
  table.sort(found)
  if #found > 1 then
    health.warn('several plugins ship a Lua module `acp`: ' .. table.concat(found, ', '), {
      "Keep one of them: which one `require('acp')` loads depends on 'runtimepath'.",
    })
  else
    health.ok('no other plugin ships a Lua module `acp`')
  end
end

local function check_options()
  local faults = require('acp.config').faults()
  if #faults == 0 then
    health.ok('no fault')
  end
  for _, fault in ipairs(faults) do
    health.warn(fault, 'See |acp-options|.')
  end
end

--- What is looked for on this machine: the agent, or what leads to it.
--- @param spec acp.AgentSpec
--- @return string
local function program_of(spec)
  return spec.wrap and spec.wrap[1] or spec.command
end

--- How an agent is started that is not started as it comes, and what it is told.
--- @param spec acp.AgentSpec
local function report_options(spec)
  local function say(words, ...)
    health.info(('%s: %s'):format(spec.name, words:format(...)))
  end
  if spec.cwd then
    say('runs in %s', spec.cwd)
  end
  if spec.wrap then
    local shell = spec.wrapShell and ', its words quoted for a shell' or ''
    say('`%s` is reached by `%s`%s', spec.command, table.concat(spec.wrap, ' '), shell)
  end
  for _, pair in ipairs(spec.paths or {}) do
    say('%s is %s to it', pair.here, pair.there)
  end
  if spec.withhold then
    say('is not told of: %s', table.concat(spec.withhold, ', '))
  end
  for _, part in ipairs({ 'client', 'session' }) do
    local keys = vim.tbl_keys(spec.meta and spec.meta[part] or {})
    table.sort(keys)
    if #keys > 0 then
      say('keys of vendors, %s: %s', part, table.concat(keys, ', '))
    end
  end
end

--- @param spec acp.AgentSpec
--- @param probe? acp.Probe
local function report(spec, probe)
  local program = program_of(spec)
  local path = vim.fn.exepath(program)
  if path == '' then
    local advice = spec.install and not spec.wrap and { 'Install it: ' .. spec.install } or nil
    if spec.wrap then
      advice = { ('It is set in the option `agents.%s.wrap`.'):format(spec.name) }
    end
    health.error(('%s: there is no program `%s`'):format(spec.name, program), advice)
  elseif not probe then
    health.warn(('%s: not tried, for want of the sidecar (%s)'):format(spec.name, path))
  elseif probe.ok then
    local info = probe.agentInfo or {}
    local title = info.title or info.name or spec.title or 'an agent without a name'
    local methods = vim.tbl_map(function(method)
      return method.name or method.id
    end, probe.authMethods or {})
    local login = #methods > 0 and ('; logs in by ' .. table.concat(methods, ', ')) or ''
    health.ok(
      ('%s: %s %s, protocol %s (%s)%s'):format(
        spec.name,
        title,
        info.version or '(no version)',
        probe.protocolVersion or '?',
        path,
        login
      )
    )
  else
    local words = { path, unpack(spec.args) }
    if spec.wrap then
      words = { path, unpack(spec.wrap, 2) }
      vim.list_extend(words, { spec.command, unpack(spec.args) })
    end
    local advice = { 'Started: ' .. table.concat(words, ' ') }
    for _, line in ipairs(probe.noise or {}) do
      table.insert(advice, ('It said, which is no ACP: %s'):format(vim.trim(vim.fn.strtrans(line))))
    end
    if probe.noise and #probe.noise > 0 then
      table.insert(advice, 'Many agents speak ACP only with an argument, such as `--acp`.')
    end
    local stderr = probe.stderr or {}
    vim.list_extend(advice, vim.list_slice(stderr, math.max(1, #stderr - 9)))
    health.error(('%s: %s'):format(spec.name, probe.error or 'does not answer'), advice)
  end
end

--- Tries all agents at once, since some take seconds to start, and reports them in order.
--- @param can_probe boolean
local function check_agents(can_probe)
  local agents = require('acp.agents')
  local names = agents.configured()
  if not vim.list_contains(names, 'demo') then
    table.insert(names, 'demo')
  end
  local node = require('acp.config').get().node
  local trials = {} --- @type { spec: acp.AgentSpec, process?: vim.SystemObj }[]
  for _, name in ipairs(names) do
    local spec, err = agents.resolve(name)
    if spec then
      local there = can_probe and vim.fn.executable(program_of(spec)) == 1
      local command = { node, require('acp.sidecar').bundle(), 'probe' }
      local process = there and start(command, vim.json.encode(spec)) or nil
      table.insert(trials, { spec = spec, process = process })
    else
      health.error(err --[[@as string]])
    end
  end
  for _, trial in ipairs(trials) do
    local probe
    if trial.process then
      local result = trial.process:wait(PROBE_MS)
      local opts = { luanil = { object = true, array = true } }
      local ok, decoded = pcall(vim.json.decode, result.stdout or '', opts)
      local said = vim.trim(result.stderr or '')
      probe = ok and decoded
        or { ok = false, error = 'the trial failed', stderr = vim.split(said, '\n') }
    end
    report(trial.spec, probe)
    report_options(trial.spec)
  end
  local others = vim.tbl_filter(function(name)
    return not vim.list_contains(names, name)
  end, agents.installed())
  if #others > 0 then
    health.info('installed, not configured: ' .. table.concat(others, ', '))
  end
end

--- @param lines { text: string, ok: boolean }[]
--- @param nothing string
--- @param advice string
local function show(lines, nothing, advice)
  if #lines == 0 then
    health.info(nothing)
  end
  for _, line in ipairs(lines) do
    local text = line.text:gsub('%c', ' ')
    if line.ok then
      health.info(text)
    else
      health.warn(text, advice)
    end
  end
end

--- What sessions here have beside their folder.
local function check_here()
  local cwd = vim.fn.getcwd()
  local servers = require('acp.mcp').report('', cwd)
  show(servers, 'no MCP servers', 'See |acp-mcp|.')
  show(require('acp.dirs').report(cwd), 'no further folders', 'See |:AcpAddDir|.')
end

local function check_logs()
  local log = require('acp.log')
  local options = require('acp.config').get().log
  local stat = vim.uv.fs_stat(log.path())
  health.info(
    stat and ('log: %s, %s'):format(log.path(), in_words(stat.size))
      or ('log: %s, nothing in it'):format(log.path())
  )
  if not options.wire then
    health.info('wire log: off (option `log.wire`)')
    return
  end
  local logs, total = log.wire_logs(), 0
  for _, each in ipairs(logs) do
    total = total + each.size
  end
  health.info(
    #logs == 0 and 'wire log: none yet'
      or ('wire logs: %d, %s; the newest: %s'):format(#logs, in_words(total), logs[1].path)
  )
end

--- Called by `:checkhealth acp`.
function M.check()
  health.start('acp: programs')
  check_neovim()
  local can_probe = check_node() and check_bundle()
  check_clash()
  health.start('acp: options')
  check_options()
  health.start('acp: agents')
  check_agents(can_probe)
  health.start('acp: this project')
  check_here()
  health.start('acp: logs')
  check_logs()
end

return M
