--- Functions, classes and the like of a buffer: what a language server says, else what tree-sitter sees.
local lsp = require('acp.context.symbols_lsp')
local tree = require('acp.context.symbols_tree')

local M = {}

--- @class (exact) acp.Symbol
--- @field name string
--- @field first integer line, 1-based
--- @field last integer
--- @field within? string the name of what it stands in

local nested = setmetatable({}, { __mode = 'k' }) --- @type table<acp.Symbol[], true>

--- In their order, each with what it stands in. Lists that are kept are put in order once.
--- @param symbols acp.Symbol[]
--- @return acp.Symbol[]
local function nest(symbols)
  if nested[symbols] then
    return symbols
  end
  nested[symbols] = true
  table.sort(symbols, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    return a.last > b.last
  end)
  local outer = {} --- @type acp.Symbol[]
  for _, symbol in ipairs(symbols) do
    while #outer > 0 and outer[#outer].last < symbol.last do
      table.remove(outer)
    end
    symbol.within = #outer > 0 and outer[#outer].name or nil
    table.insert(outer, symbol)
  end
  return symbols
end

--- What is known at once. A language server is asked meanwhile, for the next time.
--- @param buf integer
--- @return acp.Symbol[]
function M.now(buf)
  local known = lsp.known(buf)
  if not known then
    lsp.ask(buf)
    known = tree.symbols(buf)
  end
  return nest(known)
end

--- @param buf integer
--- @param done fun(symbols: acp.Symbol[])
function M.later(buf, done)
  lsp.ask(buf, function(symbols)
    local valid = vim.api.nvim_buf_is_loaded(buf)
    done(nest(symbols or valid and tree.symbols(buf) or {}))
  end)
end

--- The innermost one at a line.
--- @param symbols acp.Symbol[]
--- @param line integer
--- @return acp.Symbol?
function M.at(symbols, line)
  local found --- @type acp.Symbol?
  for _, symbol in ipairs(symbols) do
    local inside = symbol.first <= line and line <= symbol.last
    if inside and not (found and found.last - found.first < symbol.last - symbol.first) then
      found = symbol
    end
  end
  return found
end

--- @param symbol acp.Symbol
--- @return string
local function qualified(symbol)
  return symbol.within and ('%s.%s'):format(symbol.within, symbol.name) or symbol.name
end

--- How symbols are named in a mention: with what they stand in where there are others of that name. A name with blanks
--- is none there.
--- @param symbols acp.Symbol[]
--- @return string[]
function M.names(symbols)
  local count = {} --- @type table<string, integer>
  for _, symbol in ipairs(symbols) do
    count[symbol.name] = (count[symbol.name] or 0) + 1
  end
  local names, seen = {}, {}
  for _, symbol in ipairs(symbols) do
    local name = count[symbol.name] > 1 and qualified(symbol) or symbol.name
    if not name:find('[%s%c]') and not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  return names
end

--- @param symbols acp.Symbol[]
--- @param name string as `names()` gives it
--- @return acp.Symbol?
function M.find(symbols, name)
  local function first(of)
    return vim.iter(symbols):find(function(symbol)
      return of(symbol) == name
    end)
  end
  return first(function(symbol)
    return symbol.name
  end) or first(qualified)
end

return M
