--- Symbols that tree-sitter sees. There are no queries for them that all grammars have, but nodes are called alike:
--- `function_definition`, `class_declaration`, `method`, `struct_item`.
local api = vim.api
local compat = require('acp.compat')

local M = {}

--- Beyond this, parsing would be felt.
local MAX_BYTES = 1024 * 1024

local THINGS = {
  'function',
  'method',
  'class',
  'constructor',
  'struct',
  'interface',
  'enum',
  'trait',
  'module',
  'namespace',
  'type',
  'impl',
}
local ENDS = {
  definition = true,
  declaration = true,
  item = true,
  specifier = true,
  spec = true,
  statement = true,
}

--- Nodes that are alike in name alone.
local OTHERS = { 'forward', 'signature', 'call', 'expression', 'modifier', 'list', 'parameter' }

--- @param type string of a node
--- @return boolean
local function is_symbol(type)
  local thing = vim.iter(THINGS):any(function(name)
    return type == name
      or vim.startswith(type, name .. '_')
      or type:find('_' .. name .. '_', 1, true)
  end)
  local other = vim.iter(OTHERS):any(function(name)
    return type:find(name, 1, true)
  end)
  return thing
    and not other
    and (vim.list_contains(THINGS, type) or ENDS[type:match('[^_]+$')] or false)
end

--- Values that make a variable a function: `const f = () => {}`.
local FUNCTIONS =
  { 'arrow_function', 'function_expression', 'function_definition', 'generator_function' }
local VARIABLES =
  { 'variable_declarator', 'assignment_statement', 'public_field_definition', 'pair', 'field' }

--- Nodes that belong to what they hold: decorators, `export`.
local WRAPPERS = { 'decorated_definition', 'export_statement', 'function_definition' }

local queries = {} --- @type table<string, vim.treesitter.Query|false>

--- What finds the symbols of a language.
--- @param lang string
--- @return vim.treesitter.Query?
local function query(lang)
  if queries[lang] == nil then
    local patterns = {} --- @type string[]
    for _, type in ipairs(compat.node_types(lang)) do
      if is_symbol(type) or vim.list_contains(VARIABLES, type) then
        patterns[#patterns + 1] = ('(%s)'):format(type)
      end
    end
    local text = ('[%s] @symbol'):format(table.concat(patterns, ' '))
    -- Supertypes cannot be asked for in all grammars.
    local ok, made = pcall(vim.treesitter.query.parse, lang, text)
    queries[lang] = #patterns > 0 and ok and made or false
  end
  return queries[lang] or nil
end

--- @param node TSNode
--- @param names string[]
--- @return TSNode?
local function field(node, names)
  for _, name in ipairs(names) do
    local found = node:field(name)[1]
    if found then
      return found
    end
  end
end

--- The node that holds the name: in C it is within declarators, in Lua a list.
--- @param node TSNode
--- @return TSNode?
local function name_of(node)
  local name = field(node, { 'name', 'declarator', 'key', 'type' })
  while name and field(name, { 'declarator' }) do
    name = field(name, { 'declarator' })
  end
  return name or (node:type() == 'assignment_statement' and node:named_child(0) or nil)
end

--- Whether a node that gives a name to a value gives it to a function.
--- @param node TSNode
--- @return boolean
local function names_function(node)
  local value = field(node, { 'value' }) or node:named_child(1)
  if value and value:type() == 'expression_list' then
    value = value:named_child(0)
  end
  return value ~= nil and vim.list_contains(FUNCTIONS, value:type())
end

--- @param node TSNode
--- @param buf integer
--- @return acp.Symbol?
local function symbol(node, buf)
  if vim.list_contains(VARIABLES, node:type()) and not names_function(node) then
    return nil
  end
  local name = name_of(node)
  local text = name and vim.treesitter.get_node_text(name, buf) or ''
  -- `struct point p` names what is elsewhere; a text of several lines is no name.
  local elsewhere = node:type():find('_specifier$') and not field(node, { 'body' })
  if text == '' or text:find('\n') or elsewhere then
    return nil
  end
  local parent = node:parent()
  local whole = parent and vim.list_contains(WRAPPERS, parent:type()) and parent or node
  local from, _, to, col = whole:range()
  return { name = text, first = from + 1, last = math.max(from, col == 0 and to - 1 or to) + 1 }
end

--- @param buf integer
--- @return vim.treesitter.LanguageTree?
local function parser(buf)
  local size = api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf))
  if size > MAX_BYTES then
    return nil
  end
  local ok, found = pcall(vim.treesitter.get_parser, buf)
  return ok and found or nil
end

local kept = {} --- @type table<integer, { tick: integer, symbols: acp.Symbol[] }>

--- @param buf integer loaded
--- @return acp.Symbol[]
function M.symbols(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  if kept[buf] and kept[buf].tick == tick then
    return kept[buf].symbols
  end
  local found = {} --- @type acp.Symbol[]
  local tree = parser(buf)
  local wanted = tree and query(tree:lang())
  if tree and wanted then
    for _, node in wanted:iter_captures(tree:parse()[1]:root(), buf, 0, -1) do
      found[#found + 1] = symbol(node, buf)
    end
  end
  kept[buf] = { tick = tick, symbols = found }
  return found
end

api.nvim_create_autocmd('BufUnload', {
  group = api.nvim_create_augroup('acp.symbols.tree', {}),
  desc = 'acp: forget the symbols of a buffer',
  callback = function(args)
    kept[args.buf] = nil
  end,
})

return M
