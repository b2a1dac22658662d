--- One MCP server as it is written down: in the options, or in a file of a project. Nothing is expanded here but by
--- `resolve`.
local M = {}

--- @class (exact) acp.McpEntry
--- @field name string
--- @field type 'stdio'|'http'|'sse'
--- @field command? string
--- @field args string[]
--- @field env table<string, string>
--- @field url? string
--- @field headers table<string, string>

--- How files name the transports.
local TYPES = {
  stdio = 'stdio',
  http = 'http',
  ['streamable-http'] = 'http',
  streamableHttp = 'http',
  sse = 'sse',
}

--- What a value may be given as.
local PLAIN = { string = true, number = true, boolean = true }

--- @param value any
--- @return string[]? nil where it is no list of plain values
local function list(value)
  if value == nil then
    return {}
  elseif type(value) ~= 'table' or not vim.islist(value) then
    return nil
  end
  local strings = {}
  for _, item in ipairs(value) do
    if not PLAIN[type(item)] then
      return nil
    end
    strings[#strings + 1] = tostring(item)
  end
  return strings
end

--- @param value any
--- @return table<string, string>? nil where it is no table of plain values
local function map(value)
  if value == nil then
    return {}
  elseif type(value) ~= 'table' then
    return nil
  end
  local strings = {}
  for key, item in pairs(value) do
    if type(key) ~= 'string' or not PLAIN[type(item)] then
      return nil
    end
    strings[key] = tostring(item)
  end
  return strings
end

--- @param text any
--- @return string?
local function filled(text)
  return type(text) == 'string' and text ~= '' and text or nil
end

--- Whether anything in it holds a byte that no program, variable or address takes.
--- @param value any
--- @return boolean
local function has_nul(value)
  if type(value) ~= 'table' then
    return type(value) == 'string' and value:find('\0', 1, true) ~= nil
  end
  for key, item in pairs(value) do
    if has_nul(key) or has_nul(item) then
      return true
    end
  end
  return false
end

--- Reads what is written of a server.
--- @param name string
--- @param raw any
--- @return acp.McpEntry? entry
--- @return string? why there is none
function M.read(name, raw)
  if type(raw) ~= 'table' then
    return nil, 'it is not described by a table'
  end
  local command, args = filled(raw.command), list(raw.args)
  local words = type(raw.command) == 'table' and list(raw.command)
  if words and words[1] and args then
    command, args = words[1], vim.list_extend(vim.list_slice(words, 2), args)
  end
  local given = raw.type == nil and (filled(raw.url) and not command and 'http' or 'stdio')
    or raw.type
  local kind = type(given) == 'string' and TYPES[given] or nil
  local env, headers = map(raw.env), map(raw.headers)
  if not kind then
    local named = type(given) == 'string' and vim.inspect(given) or 'a ' .. type(given)
    return nil, ('%s is no type of server that is known'):format(named)
  elseif kind == 'stdio' and not command then
    return nil, 'it names no command'
  elseif kind ~= 'stdio' and not filled(raw.url) then
    return nil, 'it names no url'
  elseif not (args and env and headers) then
    return nil,
      ('%s is not what it should be'):format(not args and 'args' or not env and 'env' or 'headers')
  end
  local entry = {
    name = name,
    type = kind,
    command = kind == 'stdio' and command or nil,
    args = args,
    env = env,
    url = kind ~= 'stdio' and raw.url or nil,
    headers = headers,
  }
  if has_nul(entry) then
    return nil, 'it holds a NUL byte'
  end
  return entry
end

--- Fills in `${VAR}` and `${VAR:-default}`, once.
--- @param text string
--- @param missing table<string, true> takes the names of variables that are not set
--- @return string
local function expand(text, missing)
  return (
    text:gsub('%${([^{}]*)}', function(inside)
      local name, default = inside:match('^([%a_][%w_]*):%-(.*)$')
      name = name or inside:match('^[%a_][%w_]*$')
      if not name then
        return nil
      end
      local value = vim.uv.os_getenv(name)
      if default then
        return value ~= nil and value ~= '' and value or default
      elseif not value then
        missing[name] = true
      end
      return value or ''
    end)
  )
end

--- @param values table<string, string>
--- @param missing table<string, true>
--- @return table<string, string>
local function expand_map(values, missing)
  local expanded = vim.empty_dict()
  for key, value in pairs(values) do
    expanded[key] = expand(value, missing)
  end
  return expanded
end

--- The program's absolute path.
--- @param command string
--- @param cwd string
--- @return string? path nil where there is none
local function program(command, cwd)
  if command:find('/', 1, true) then
    command = vim.fs.normalize(command, { expand_env = false })
    command = command:sub(1, 1) == '/' and command or vim.fs.joinpath(cwd, command)
    command = vim.fs.normalize(command, { expand_env = false })
  end
  local path = vim.fn.exepath(command)
  return path ~= '' and path or nil
end

--- The server with all values filled in, as it goes to the sidecar.
--- @param entry acp.McpEntry
--- @param cwd string the folder of the session
--- @param elsewhere boolean the agent runs where other programs are than here
--- @return acp.McpServer? server
--- @return string? why there is none
function M.resolve(entry, cwd, elsewhere)
  local missing = {} --- @type table<string, true>
  local server = { name = entry.name, type = entry.type }
  if entry.type == 'stdio' then
    server.command = expand(entry.command, missing)
    server.args = vim.tbl_map(function(arg)
      return expand(arg, missing)
    end, entry.args)
    server.env = expand_map(entry.env, missing)
  else
    server.url = expand(entry.url, missing)
    server.headers = expand_map(entry.headers, missing)
  end
  local names = vim.tbl_keys(missing)
  if #names > 0 then
    table.sort(names)
    local several = #names > 1
    return nil,
      ('the %s %s %s not set'):format(
        several and 'variables' or 'variable',
        table.concat(names, ', '),
        several and 'are' or 'is'
      )
  end
  if entry.type == 'stdio' and not elsewhere then
    local path = program(server.command, cwd)
    if not path then
      return nil, ('there is no program `%s`'):format(entry.command)
    end
    server.command = path
  end
  return server
end

--- @param word string
--- @return string
local function quoted(word)
  word = word:gsub('\r?\n', '⏎')
  if word:find('^[%w_./:=@%%+,~^-]+$') then
    return word
  end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- @param values table<string, string>
--- @param what string
--- @return string
local function names(values, what)
  local keys = vim.tbl_keys(values)
  table.sort(keys)
  return #keys > 0 and ('  (%s: %s)'):format(what, table.concat(keys, ', ')) or ''
end

--- All that would be run or connected to, as it is written. Values of variables and headers are not told.
--- @param entry acp.McpEntry
--- @return string
function M.whole(entry)
  if entry.type == 'stdio' then
    local words = vim.tbl_map(quoted, { entry.command, unpack(entry.args) })
    return table.concat(words, ' ') .. names(entry.env, 'env')
  end
  local by = entry.type == 'sse' and 'SSE ' or ''
  return by .. entry.url .. names(entry.headers, 'headers')
end

--- The program or the host: what may hold a secret is left out.
--- @param entry acp.McpEntry
--- @return string
function M.short(entry)
  if entry.type == 'stdio' then
    return entry.command
  end
  local host = entry.url:match('^%a[%w+.-]*://[^/?#]*') or 'an address'
  return (host:gsub('//[^/]*@', '//'))
end

return M
