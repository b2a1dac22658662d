--- What of the editor goes along with a prompt.
local disk = require('acp.disk')
local utf8 = require('acp.utf8')

local api = vim.api

local M = {}

--- Whole lines of a buffer, unsaved text included.
--- @param buf integer
--- @param first integer 1-based
--- @param last integer 1-based, inclusive
--- @return acp.TextAttachment
function M.lines(buf, first, last)
  local name = api.nvim_buf_get_name(buf)
  local path = disk.is_file(buf) and vim.fn.fnamemodify(name, ':p')
  local lines = api.nvim_buf_get_lines(buf, first - 1, last, false)
  return {
    type = 'text',
    path = path and vim.fs.normalize(path, { expand_env = false }) or nil,
    startLine = first,
    endLine = last,
    text = utf8.valid(table.concat(lines, '\n') .. '\n'),
    filetype = vim.bo[buf].filetype ~= '' and vim.bo[buf].filetype or nil,
  }
end

--- A whole buffer, unsaved text included.
--- @param buf integer
--- @return acp.TextAttachment
function M.buffer(buf)
  local attachment = M.lines(buf, 1, api.nvim_buf_line_count(buf))
  attachment.startLine, attachment.endLine = nil, nil
  return attachment
end

--- @param attachment acp.Attachment
--- @param cwd string
--- @return string name one line, for screens: `src/a.py:3-9`, `diagnostics (3)`, `git diff`, `terminal: npm test`
--- @return integer? bytes nil where nobody knows
function M.describe(attachment, cwd)
  local name, bytes = require('acp.context.name').describe(attachment, cwd)
  return name, bytes
end

--- Where something is asked for.
--- @class (exact) acp.Context
--- @field source? acp.Source
--- @field cwd string

--- @param chat? acp.Chat
--- @return acp.Context
function M.here(chat)
  return {
    source = require('acp.context.source').get(),
    cwd = chat and chat.cwd or vim.fn.getcwd(),
  }
end

--- @param here acp.Context
--- @return string
local function name_of(here)
  local name = api.nvim_buf_get_name(here.source.buf)
  return name == '' and 'this buffer' or require('acp.context.name').path(name, here.cwd)
end

--- @param symbols acp.Symbol[]
--- @param here acp.Context
--- @param name? string
--- @return acp.TextAttachment?
--- @return string? reason
function M.symbol(symbols, here, name)
  local find = require('acp.context.symbols')
  local symbol
  if name then
    symbol = find.find(symbols, name)
  else
    symbol = find.at(symbols, here.source.line)
  end
  if symbol then
    return M.lines(here.source.buf, symbol.first, symbol.last)
  elseif name then
    return nil, ('there is no %s in %s'):format(name, name_of(here))
  end
  return nil, ('there is no function or class at the cursor in %s'):format(name_of(here))
end

--- What can be had at once, by the word that a mention names it with. Those of `words` need a buffer.
--- @type table<string, fun(here: acp.Context, name?: string): acp.Attachment?, string?>
local words = {
  selection = function(here)
    local selected = require('acp.context.selection').get(here.source.buf)
    return selected, ('nothing was selected in %s'):format(name_of(here))
  end,
  buffer = function(here)
    local buf = here.source.buf
    local attachment = M.buffer(buf)
    if attachment.text == '\n' then
      return nil, ('there is nothing in %s'):format(name_of(here))
    end
    return attachment
  end,
  diagnostics = function(here)
    local lists = require('acp.context.lists')
    local found = lists.diagnostics(here.source.buf, here.cwd)
    return found, ('there are no diagnostics in %s'):format(name_of(here))
  end,
  loclist = function(here)
    local win = here.source.win
    local found = win and require('acp.context.lists').loclist(win, here.cwd)
    return found or nil, 'the location list is empty'
  end,
  symbol = function(here, name)
    local symbols = require('acp.context.symbols').now(here.source.buf)
    return M.symbol(symbols, here, name)
  end,
}

--- Those that need none.
--- @type table<string, fun(here: acp.Context, name?: string): acp.Attachment?, string?>
local others = {
  ['diagnostics all'] = function(here)
    local found = require('acp.context.lists').all_diagnostics(here.cwd)
    return found, 'there are no diagnostics in the project'
  end,
  quickfix = function(here)
    local found = require('acp.context.lists').quickfix(here.cwd)
    return found, 'the quickfix list is empty'
  end,
  terminal = function(_, count)
    local terminal = require('acp.context.terminal')
    local buf = terminal.find()
    if not buf then
      return nil, 'there is no terminal buffer'
    end
    return terminal.get(buf, tonumber(count)), 'there is nothing in the terminal yet'
  end,
  diff = function(here)
    return require('acp.context.diff').now(here.cwd)
  end,
  ['diff staged'] = function(here)
    return require('acp.context.diff').now(here.cwd, true)
  end,
  image = function()
    return require('acp.clipboard').now()
  end,
  conversation = function()
    return { type = 'conversation' }
  end,
}

--- One thing of the editor, by its word.
--- @param word string
--- @param here acp.Context
--- @param name? string what is meant more closely: of a symbol, its name; of a terminal, how many lines
--- @return acp.Attachment?
--- @return string? reason
function M.get(word, here, name)
  local find = words[word] or others[word]
  if not find then
    return nil, ('there is nothing called %q'):format(word)
  elseif words[word] and not here.source then
    return nil, 'there is no buffer with code'
  end
  local found, reason = find(here, name)
  return found, not found and reason or nil
end

--- What a mention brings, or the part of it that is worth most: while a prompt is sent there is nobody to be asked.
--- @param attachment acp.Attachment
--- @return acp.Attachment
function M.bounded(attachment)
  local most = require('acp.config').get().attachments.embed_bytes
  if attachment.type ~= 'text' or most <= 0 then
    return attachment
  end
  return require('acp.context.limit').cut(attachment, most)
end

--- What a mention in a prompt stands for. The cursor is in the prompt then: the buffer is the one with code where the
--- user was before.
--- @param word string `selection`, `buffer`, `diagnostics`, `quickfix`, `diff`, `symbol`, `symbol:Name` …
--- @param chat acp.Chat
--- @return acp.Attachment[]?
--- @return string? reason
function M.resolve(word, chat)
  local kind, name = word:match('^(symbol):(.+)$')
  local found, reason = M.get(kind or word, M.here(chat), name)
  return found and { M.bounded(found) } or nil, reason
end

--- How the symbols of the buffer are called in a mention.
--- @return string[]
function M.symbols()
  local source = require('acp.context.source').get()
  local symbols = require('acp.context.symbols')
  return source and symbols.names(symbols.now(source.buf)) or {}
end

return M
