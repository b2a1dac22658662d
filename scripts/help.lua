-- Writes what the code knows into doc/acp.txt: options, keys, agents, highlight groups. Run it from the plugin's
-- folder as `nvim --clean -l scripts/help.lua`; a test fails when it has not been run.
--
-- A part begins behind the heading that bears its tag and ends at the next ruler.
local M = {}

local WIDTH = 78

local root = vim.fs.normalize(
  vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h') --[[@as string]]
)

--- @param text string
--- @param indent string
--- @return string[]
local function wrap(text, indent)
  local lines, line = {}, indent
  for word in text:gmatch('%S+') do
    if line ~= indent and #line + 1 + #word > WIDTH then
      table.insert(lines, line)
      line = indent
    end
    line = line .. (line == indent and '' or ' ') .. word
  end
  table.insert(lines, line)
  return lines
end

--- @param left string
--- @param tag string
--- @return string
local function heading(left, tag)
  tag = '*' .. tag .. '*'
  return left .. (' '):rep(math.max(1, WIDTH - #left - #tag)) .. tag
end

--- @param value any
--- @return string
local function literal(value)
  if type(value) == 'table' then
    return vim.tbl_isempty(value) and '{}' or vim.inspect(value, { newline = ' ', indent = '' })
  end
  return type(value) == 'string' and ('"%s"'):format(value) or tostring(value)
end

--- @return string[]
local function options()
  local validate = require('acp.config.validate')
  local lines = {}
  validate.walk(require('acp.config.schema'), function(path, option)
    if vim.startswith(path, 'keymaps.') then
      return
    end
    table.insert(lines, heading(path, 'acp-option-' .. path:gsub('NAME%.', '')))
    vim.list_extend(lines, wrap(option.desc, '    '))
    if option.type ~= 'group' then
      local expected = validate.expected(option)
      local default = option.default == nil and 'none' or literal(option.default)
      vim.list_extend(lines, wrap(('Takes %s.'):format(expected), '    '))
      table.insert(lines, ('    Default: %s'):format(default))
    end
    table.insert(lines, '')
  end)
  return lines
end

--- @return string[]
local function keys()
  local lines = {}
  local maps = vim.iter(require('acp.config.schema')):find(function(option)
    return option[1] == 'keymaps'
  end)
  for _, group in ipairs(maps.fields) do
    table.insert(lines, heading('keymaps.' .. group[1], 'acp-option-keymaps.' .. group[1]))
    vim.list_extend(lines, wrap(group.desc, ''))
    table.insert(lines, '')
    for _, option in ipairs(group.fields) do
      local lhs = type(option.default) == 'table' and table.concat(option.default, ' ')
        or option.default
      local rows = wrap(option.desc, (' '):rep(25))
      rows[1] = ('  %-13s %-8s %s'):format(option[1], lhs, vim.trim(rows[1]))
      vim.list_extend(lines, rows)
    end
    table.insert(lines, '')
  end
  return lines
end

--- @return string[]
local function agents()
  local lines = {}
  for _, agent in ipairs(require('acp.agents').known()) do
    local command = table.concat({ agent.command, unpack(agent.args) }, ' ')
    table.insert(lines, ('%-12s %-30s `%s`'):format(agent.name, agent.title, command))
    table.insert(
      lines,
      agent.install and ('    %s'):format(agent.install) or '    see its own page'
    )
  end
  table.insert(lines, '')
  return lines
end

--- @return string[]
local function highlights()
  local lines = {}
  for group, target in vim.spairs(require('acp.highlight').links) do
    table.insert(lines, ('%-22s %s'):format(group, target))
  end
  table.insert(lines, '')
  return lines
end

local parts = {
  ['acp-options-list'] = options,
  ['acp-keys-list'] = keys,
  ['acp-agents-list'] = agents,
  ['acp-highlights-list'] = highlights,
}

--- @param line string
--- @return boolean
local function is_ruler(line)
  return line:match('^[=-]+$') ~= nil and #line == WIDTH
end

--- The help with its parts written anew.
--- @param text string
--- @return string
function M.update(text)
  local lines = {}
  local inside = false
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    inside = inside and not is_ruler(line)
    if not inside then
      table.insert(lines, line)
    end
    local part = parts[line:match('%*(acp%-%w+%-list)%*$')]
    if part then
      inside = true
      table.insert(lines, '')
      vim.list_extend(lines, part())
    end
  end
  return table.concat(lines, '\n')
end

M.path = root .. '/doc/acp.txt'

--- @return string
function M.read()
  local file = assert(io.open(M.path))
  local text = file:read('*a')
  file:close()
  return text
end

if _G.arg and (_G.arg[0] or ''):find('help%.lua$') then
  vim.opt.runtimepath:prepend(root)
  local text = M.update(M.read())
  local file = assert(io.open(M.path, 'w'))
  file:write(text)
  file:close()
end

return M
