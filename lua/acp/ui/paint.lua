--- Syntax colours from Neovim's own parsers, as extmarks that are made once.
---
--- No highlighter is ever attached: it would parse the whole buffer anew with each chunk. No filetype is set
--- either, so that no plugin and no language server wakes up for a code block.
local compat = require('acp.compat')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.paint')

--- Longer code stays plain.
local MAX_LINES = 2000
--- Milliseconds of work between two looks at the keyboard.
local SLICE = 8
--- Painted code that is remembered, so that a block which is rendered anew doesn't flicker.
local CACHE_SIZE, MAX_CACHED = 64, 5000
--- Above the marks of the block itself.
local PRIORITY = 4100

--- What people write behind ``` → the parser's name, where the two differ.
local aliases = {
  ['c++'] = 'cpp',
  ['c#'] = 'c_sharp',
  cs = 'c_sharp',
  csharp = 'c_sharp',
  docker = 'dockerfile',
  golang = 'go',
  javascriptreact = 'javascript',
  js = 'javascript',
  jsonc = 'json',
  jsx = 'javascript',
  mjs = 'javascript',
  cjs = 'javascript',
  md = 'markdown',
  patch = 'diff',
  py = 'python',
  rb = 'ruby',
  rs = 'rust',
  sh = 'bash',
  shell = 'bash',
  ts = 'typescript',
  typescriptreact = 'tsx',
  viml = 'vim',
  vimscript = 'vim',
  yml = 'yaml',
  zsh = 'bash',
}

--- @class acp.paint.Grammar
--- @field lang string
--- @field query vim.treesitter.Query

local grammars = {} --- @type table<string, acp.paint.Grammar|false>

--- @param name string
--- @return acp.paint.Grammar?
local function grammar(name)
  name = name:lower()
  if grammars[name] == nil then
    local lang = aliases[name] or vim.treesitter.language.get_lang(name) or name
    local has_parser = pcall(vim.treesitter.get_string_parser, '', lang)
    -- Only then: Neovim vouches for the name of a parser, and takes that of a query as it is.
    local ok, query = has_parser, nil
    if has_parser then
      ok, query = pcall(vim.treesitter.query.get, lang, 'highlights')
    end
    grammars[name] = ok and query and { lang = lang, query = query } or false
  end
  return grammars[name] or nil
end

local deadline --- @type number? when the present slice ends

--- Whether there is a parser for code of that name.
--- @param name string
--- @return boolean
function M.parses(name)
  return grammar(name) ~= nil
end

--- Lets Neovim have a look at its keyboard, when this runs in a slice and the slice is over.
function M.breathe()
  if deadline and vim.uv.hrtime() > deadline then
    coroutine.yield()
  end
end

--- A capture: 0-based rows, byte columns, the end exclusive.
--- @alias acp.Capture [integer, integer, integer, integer, string]

--- @param tree TSTree
--- @param text string
--- @param query vim.treesitter.Query
--- @param lang string
--- @return acp.Capture[]
local function collect(tree, text, query, lang)
  local captures = {} --- @type acp.Capture[]
  for id, node in query:iter_captures(tree:root(), text, 0, -1) do
    local capture = query.captures[id]
    local silent = capture:sub(1, 1) == '_' or capture == 'spell' or capture == 'nospell'
    if not silent and capture ~= 'conceal' then
      local row, col, end_row, end_col = node:range()
      captures[#captures + 1] = { row, col, end_row, end_col, ('@%s.%s'):format(capture, lang) }
    end
    M.breathe()
  end
  return captures
end

--- Highlights of a text, in the order in which they lie upon each other.
--- @param text string
--- @param name string a language, a filetype, or what stands behind ```
--- @return acp.Capture[] empty when there is no parser
function M.captures(text, name)
  local found = grammar(name)
  if not found then
    return {}
  end
  local tree = vim.treesitter.get_string_parser(text, found.lang):parse()[1]
  return collect(tree, text, found.query, found.lang)
end

--- Puts captures on rows of a buffer.
--- @param buf integer
--- @param row integer of the text's first line
--- @param indent integer columns before the text
--- @param captures acp.Capture[]
--- @param from? integer first capture
--- @param to? integer last capture
function M.apply(buf, row, indent, captures, from, to)
  local opts = { strict = false, priority = PRIORITY } -- reused: there may be thousands
  for i = from or 1, to or #captures do
    local capture = captures[i]
    opts.end_row, opts.end_col = row + capture[3], capture[4] + indent
    opts.hl_group = capture[5]
    vim.api.nvim_buf_set_extmark(buf, ns, row + capture[1], capture[2] + indent, opts)
  end
end

--- @param buf integer
--- @param first integer
--- @param last integer exclusive
function M.clear(buf, first, last)
  vim.api.nvim_buf_clear_namespace(buf, ns, first, last)
end

local cache = {} --- @type table<string, acp.Capture[]>
local cached = {} --- @type string[] keys, the oldest first

--- @param key string
--- @param captures acp.Capture[]
local function remember(key, captures)
  if cache[key] or #captures > MAX_CACHED then
    return
  end
  cache[key] = captures
  table.insert(cached, key)
  if #cached > CACHE_SIZE then
    cache[table.remove(cached, 1)] = nil
  end
end

local queue = {} --- @type thread[]
local timer --- @type uv.uv_timer_t?

--- Waits for Neovim, which does something in slices of its own.
local function wait()
  coroutine.yield(true)
end

--- Works for one slice and comes back while there is more to do.
local function work()
  deadline = vim.uv.hrtime() + SLICE * 1e6
  while queue[1] and vim.uv.hrtime() < deadline do
    local ok, waits = coroutine.resume(queue[1])
    if not ok then
      require('acp.message').error(('cannot paint code: %s'):format(waits))
    end
    if coroutine.status(queue[1]) == 'dead' then
      table.remove(queue, 1)
    end
    if waits then
      break
    end
  end
  deadline = nil
  if #queue == 0 and timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

--- Does something in slices between which Neovim has a look at its keyboard. What is done is not seen at once.
--- @param job fun()
function M.later(job)
  table.insert(queue, coroutine.create(job))
  if not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(1, 1, vim.schedule_wrap(work))
  end
end

--- The code of a fence, without its indent.
--- @param buf integer
--- @param row integer
--- @param fence acp.Fence
--- @return string
local function code(buf, row, fence)
  local lines = vim.api.nvim_buf_get_lines(buf, row, row + fence.last - fence.first + 1, false)
  for i, line in ipairs(lines) do
    lines[i] = line:sub(fence.indent + 1)
  end
  return table.concat(lines, '\n')
end

--- Paints a closed fence: at once when it is known, else as soon as there's time.
--- @param transcript acp.Transcript
--- @param block acp.Block
--- @param fence acp.Fence
function M.fence(transcript, block, fence)
  local found = grammar(fence.lang)
  if not found or fence.last < fence.first or fence.last - fence.first >= MAX_LINES then
    return
  end
  local buf, generation = transcript.buf, block.generation
  local row = transcript:row(block) + fence.first
  local text = code(buf, row, fence)
  local key = found.lang .. '\n' .. text
  if cache[key] then
    return M.apply(buf, row, fence.indent, cache[key])
  elseif #text > compat.parse_limit() then
    return
  end
  M.later(function()
    local tree = compat.parse(vim.treesitter.get_string_parser(text, found.lang), wait)
    local captures = tree and collect(tree, text, found.query, found.lang) or {}
    remember(key, captures)
    for from = 1, #captures, 100 do
      M.breathe()
      if not vim.api.nvim_buf_is_valid(buf) or block.generation ~= generation then
        return
      end
      row = transcript:row(block) + fence.first
      M.apply(buf, row, fence.indent, captures, from, math.min(from + 99, #captures))
    end
  end)
end

return M
