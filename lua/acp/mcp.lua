--- MCP servers of sessions: those of the options, and those of files that a project brings along, which the user has
--- allowed.
local entries = require('acp.mcp_entry')
local files = require('acp.mcp_file')
local message = require('acp.message')
local rpc = require('acp.rpc')
local trust = require('acp.trust')

local M = {}

--- Where a server comes from, and what becomes of it.
--- @class (exact) acp.McpSource
--- @field entry acp.McpEntry
--- @field file? acp.McpFile nil: the options
--- @field off? string why it is not used, whatever the file is

--- Whether the options switch a server off for an agent or a folder.
--- @param name string
--- @param on boolean
--- @param agent string
--- @param cwd string
--- @return boolean
local function switched(name, on, agent, cwd)
  local layers = { (require('acp.config').get().agents[agent] or {}).mcp }
  for _, project in ipairs(require('acp.defaults').projects(cwd)) do
    layers[#layers + 1] = project.mcp
  end
  for _, layer in pairs(layers) do
    if type(layer) == 'boolean' then
      on = layer
    elseif layer[name] ~= nil then
      on = layer[name]
    end
  end
  return on
end

--- Everything that is written of servers for a folder: the options first, by name.
--- @param agent string
--- @param cwd string
--- @return acp.McpSource[] sources
--- @return acp.McpFile[] files
--- @return acp.McpLeft[] faults
local function sources(agent, cwd)
  local found, faults, known = {}, {}, {} --- @type acp.McpSource[], acp.McpLeft[], table<string, string>
  --- @param entry acp.McpEntry
  --- @param on boolean
  --- @param file? acp.McpFile
  local function add(entry, on, file)
    local off = not switched(entry.name, on, agent, cwd) and 'switched off in the options' or nil
    off = off or known[entry.name] and ('%s has one of that name'):format(known[entry.name]) or nil
    known[entry.name] = known[entry.name]
      or (file and vim.fs.basename(file.path) or 'your configuration')
    found[#found + 1] = { entry = entry, file = file, off = off }
  end
  local options = require('acp.config').get().mcp
  local names = vim.tbl_keys(options)
  table.sort(names)
  for _, name in ipairs(names) do
    local entry, why = entries.read(name, options[name])
    if entry then
      add(entry, options[name].enabled)
    else
      faults[#faults + 1] = { name = name, why = ('option mcp.%s: %s'):format(name, why) }
    end
  end
  local all = files.find(cwd)
  for _, file in ipairs(all) do
    for _, entry in ipairs(file.entries) do
      add(entry, true, file)
    end
  end
  return found, all, faults
end

--- @param source acp.McpSource
--- @return string
local function line(source)
  local off = source.off and ('  (not used: %s)'):format(source.off) or ''
  return ('%s: %s%s'):format(source.entry.name, entries.whole(source.entry), off)
end

--- The servers of a session, for `session.open`. Of files that the user has not allowed nothing is expanded or looked
--- for.
--- @param chat { agent: acp.AgentSpec, cwd: string }
--- @return acp.McpWanted
function M.wanted(chat)
  local found, all, left = sources(chat.agent.name, chat.cwd)
  local servers, asks = {}, {}
  local elsewhere = chat.agent.paths ~= nil and next(chat.agent.paths) ~= nil
  for _, source in ipairs(found) do
    if not source.off and (not source.file or source.file.trust == 'allowed') then
      local server, why = entries.resolve(source.entry, chat.cwd, elsewhere)
      if server then
        servers[#servers + 1] = server
      else
        left[#left + 1] = { name = source.entry.name, why = why }
      end
    end
  end
  for _, file in ipairs(all) do
    local lines, used = {}, false
    for _, source in ipairs(found) do
      if source.file == file then
        lines[#lines + 1] = line(source)
        used = used or not source.off
      end
    end
    if used and not file.trust then
      asks[#asks + 1] = { path = file.path, digest = file.digest, lines = lines }
    elseif file.trust ~= 'refused' then
      vim.list_extend(left, file.faults)
    end
  end
  return { servers = servers, left = left, asks = asks }
end

--- @param path string
local function show(path)
  local text = require('acp.disk').read(path)
  if not text then
    return message.warn(('%s can’t be read any more'):format(path))
  end
  local name = vim.fn.fnamemodify(path, ':~:.')
  local lines = vim.split((text:gsub('\n$', '')), '\r?\n')
  require('acp.ui.detail').show({ title = name, lines = lines, filetype = 'json' })
end

--- The user has answered what became of a file. It is taken as it stood when it was asked about: where it is another
--- by now, that is asked about.
--- @param params { session: string, path: string, digest: string, choice: 'allow'|'refuse'|'show' }
--- @return acp.McpWanted
function M.decide(params)
  if params.choice == 'show' then
    show(params.path)
  else
    trust.set(params.path, params.digest, params.choice == 'allow' and 'allowed' or 'refused')
  end
  local chat = require('acp.chat').get(params.session)
  return chat and M.wanted(chat) or { servers = {}, left = {}, asks = {} }
end

local STATES = {
  allowed = 'allowed',
  refused = 'refused: :AcpMcp allow changes that',
}

--- What is known of the servers of a folder, a line each.
--- @param agent string
--- @param cwd string
--- @return { text: string, ok: boolean }[]
function M.report(agent, cwd)
  local found, all, faults = sources(agent, cwd)
  local lines = {} --- @type { text: string, ok: boolean }[]
  local function add(ok, text, ...)
    lines[#lines + 1] = { ok = ok, text = text:format(...) }
  end
  for _, file in ipairs(all) do
    local state = STATES[file.trust] or 'not allowed yet: :AcpMcp allow or :AcpMcp refuse'
    if #file.entries > 0 then
      add(file.trust ~= nil, '%s: %s', vim.fn.fnamemodify(file.path, ':~'), state)
    end
    vim.list_extend(faults, file.faults)
  end
  for _, source in ipairs(found) do
    local file = source.file
    local why = source.off
    local usable = not why and (not file or file.trust == 'allowed')
    local _, fault = nil, nil
    if usable then
      _, fault = entries.resolve(source.entry, cwd, false)
    elseif not why then
      why = file and file.trust == 'refused' and 'refused' or 'not allowed yet'
    end
    local from = file and vim.fs.basename(file.path) or 'options'
    local what = ('%s: %s (%s)'):format(source.entry.name, entries.short(source.entry), from)
    if fault then
      add(false, '%s, left out: %s', what, fault)
    else
      add(true, '%s%s', what, why and ', not used: ' .. why or '')
    end
  end
  for _, fault in ipairs(faults) do
    add(false, '%s, left out: %s', fault.name, fault.why)
  end
  return lines
end

--- Sessions in a folder get the servers as they are now.
--- @param cwd string
local function changed(cwd)
  for _, chat in ipairs(require('acp.chat').list()) do
    if chat.cwd == cwd and chat.opened then
      rpc.notify('session.mcp', { session = chat.session, mcp = M.wanted(chat) })
    end
  end
end

--- `:AcpMcp`: shows the servers of a folder, or decides about its files.
--- @param word ''|'allow'|'refuse'
function M.run(word)
  local chat = require('acp.chat').current()
  local cwd = chat and chat.cwd or vim.fn.getcwd()
  local agent = chat and chat.agent.name or ''
  if word == '' then
    local lines = vim.tbl_map(function(each)
      return (each.text:gsub('%c', ' '))
    end, M.report(agent, cwd))
    if #lines == 0 then
      lines = { 'None: they are named in the option `mcp`, or in a file of the project.' }
    end
    require('acp.ui.detail').show({ title = 'MCP servers', lines = lines, filetype = '' })
    return
  end
  local decided = {}
  for _, file in ipairs(files.find(cwd)) do
    if file.digest and #file.entries > 0 then
      trust.set(file.path, file.digest, word == 'allow' and 'allowed' or 'refused')
      decided[#decided + 1] = vim.fn.fnamemodify(file.path, ':~:.')
    end
  end
  if #decided == 0 then
    return message.info('no file of this project names MCP servers')
  end
  message.info(
    ('the MCP servers of %s are %s'):format(
      table.concat(decided, ', '),
      word == 'allow' and 'used from now on' or 'not used any more'
    )
  )
  changed(cwd)
end

return M
