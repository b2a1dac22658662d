--- Symbols that a language server knows: asked for when they are wanted, and kept while the text is the same.
local api = vim.api

local M = {}

local METHOD = 'textDocument/documentSymbol'

--- A server that is still reading the project is not waited for.
local WAIT_MS = 1500

--- Kinds that are things with a body: module, namespace, class, method, constructor, enum, interface, function, struct.
local BODIES =
  { [2] = 1, [3] = 1, [5] = 1, [6] = 1, [9] = 1, [10] = 1, [11] = 1, [12] = 1, [23] = 1 }

--- Kinds that are of interest where they stand alone: variable, constant.
local VALUES = { [13] = 1, [14] = 1 }

local kept = {} --- @type table<integer, { tick: integer, symbols: acp.Symbol[] }>
local asked = {} --- @type table<integer, { tick: integer, waiting: fun(symbols?: acp.Symbol[])[] }>

--- What a server sent may be anything.
--- @param range any
--- @param count integer lines of the buffer
--- @return integer? first
--- @return integer? last
local function lines(range, count)
  local from, to =
    vim.tbl_get(range or {}, 'start', 'line'), vim.tbl_get(range or {}, 'end', 'line')
  if type(from) ~= 'number' or type(to) ~= 'number' then
    return nil
  end
  -- A range that ends before the first character of a line does not have that line.
  local before = range['end'].character == 0 and to > from
  local last = math.min(before and to or to + 1, count)
  return math.max(1, math.min(from + 1, last)), last
end

--- @param items any `DocumentSymbol[]` or `SymbolInformation[]`
--- @param count integer
--- @param found acp.Symbol[]
--- @param depth integer
local function collect(items, count, found, depth)
  for _, item in ipairs(type(items) == 'table' and items or {}) do
    local first, last = lines(item.range or vim.tbl_get(item, 'location', 'range'), count)
    local wanted = BODIES[item.kind]
      or (depth == 0 and not item.containerName and VALUES[item.kind])
    if first and wanted and type(item.name) == 'string' and item.name ~= '' then
      found[#found + 1] = { name = item.name, first = first, last = last }
    end
    collect(item.children, count, found, depth + 1)
  end
end

--- What was said of the text as it is now.
--- @param buf integer
--- @return acp.Symbol[]?
function M.known(buf)
  local entry = kept[buf]
  if entry and entry.tick == api.nvim_buf_get_changedtick(buf) then
    return entry.symbols
  end
end

--- @param buf integer
--- @param request table
local function finish(buf, request)
  local waiting = request.waiting
  request.waiting = {}
  for _, done in ipairs(waiting) do
    done(api.nvim_buf_is_loaded(buf) and M.known(buf) or nil)
  end
end

--- @param buf integer
--- @param results table<integer, { result: any }>
--- @param request table
local function take(buf, results, request)
  if not api.nvim_buf_is_loaded(buf) then
    return
  end
  local symbols = {} --- @type acp.Symbol[]
  for _, result in pairs(results) do
    collect(result.result, api.nvim_buf_line_count(buf), symbols, 0)
  end
  -- A server that knows nothing leaves it to tree-sitter.
  kept[buf] = #symbols > 0 and { tick = request.tick, symbols = symbols } or nil
end

--- Asks the servers of a buffer, where it has some.
--- @param buf integer
--- @param done? fun(symbols?: acp.Symbol[]) nil where there is none, or none that answers
function M.ask(buf, done)
  done = done or function() end
  local known = M.known(buf)
  if known or #vim.lsp.get_clients({ bufnr = buf, method = METHOD }) == 0 then
    return done(known)
  end
  local tick = api.nvim_buf_get_changedtick(buf)
  local request = asked[buf]
  if request and request.tick == tick then
    table.insert(request.waiting, done)
    return
  end
  request = { tick = tick, waiting = { done } }
  asked[buf] = request
  local function over()
    if asked[buf] == request then
      asked[buf] = nil
    end
    finish(buf, request)
  end
  vim.defer_fn(over, WAIT_MS)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buf) }
  vim.lsp.buf_request_all(buf, METHOD, params, function(results)
    take(buf, results, request)
    over()
  end)
end

api.nvim_create_autocmd({ 'BufUnload', 'LspDetach' }, {
  group = api.nvim_create_augroup('acp.symbols', {}),
  desc = 'acp: forget the symbols of a buffer',
  callback = function(args)
    kept[args.buf] = nil
  end,
})

return M
