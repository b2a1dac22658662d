--- Mentions that are no files: `@selection` and the like. Each is offered when there is something behind it.
local M = {}

--- @class (exact) acp.Word
--- @field name string
--- @field about string
--- @field is_there fun(chat: acp.Chat): boolean

--- @return integer? buf the one with code that the user works in
local function source()
  local found = require('acp.context.source').get()
  return found and found.buf
end

--- In the order in which they are offered.
--- @type acp.Word[]
M.all = {
  {
    name = 'selection',
    about = 'What was selected last',
    is_there = function()
      local buf = source()
      return buf ~= nil and vim.api.nvim_buf_get_mark(buf, '>')[1] > 0
    end,
  },
  {
    name = 'buffer',
    about = 'The buffer that you were in',
    is_there = function()
      return source() ~= nil
    end,
  },
  {
    name = 'symbol',
    about = 'Function or class at the cursor',
    is_there = function()
      return source() ~= nil
    end,
  },
  {
    name = 'diagnostics',
    about = 'Errors and warnings of the buffer',
    is_there = function()
      local buf = source()
      return buf ~= nil and next(vim.diagnostic.count(buf)) ~= nil
    end,
  },
  {
    name = 'quickfix',
    about = 'The quickfix list',
    is_there = function()
      return vim.fn.getqflist({ size = 0 }).size > 0
    end,
  },
  {
    name = 'diff',
    about = 'Changes since the last commit',
    is_there = function(chat)
      return vim.fs.find('.git', { path = chat.cwd, upward = true })[1] ~= nil
    end,
  },
  {
    name = 'terminal',
    about = 'The last output of the terminal',
    is_there = function()
      return require('acp.context.terminal').find() ~= nil
    end,
  },
  {
    name = 'conversation',
    about = 'What was said in this session',
    is_there = function(chat)
      local status = require('acp.state').get(chat.session)
      return status ~= nil and status.state == 'saved'
    end,
  },
  {
    name = 'image',
    about = 'The image in the clipboard',
    is_there = function(chat)
      local status = require('acp.state').get(chat.session)
      return status ~= nil and status.takes.image and require('acp.clipboard').can()
    end,
  },
}

local names = {} --- @type table<string, true>
for _, word in ipairs(M.all) do
  names[word.name] = true
end

--- Whether a mention of this is no file's.
--- @param name string
--- @return boolean
function M.is(name)
  return names[name] ~= nil or name:find('^symbol:.') ~= nil
end

local KEYWORD = vim.lsp.protocol.CompletionItemKind.Keyword
local REFERENCE = vim.lsp.protocol.CompletionItemKind.Reference

--- @param query string
--- @return acp.Item[]
local function symbols(query)
  local wanted = query:match('^symbol:(.*)$')
  local found = wanted and require('acp.context').symbols() or {}
  if wanted and wanted ~= '' then
    found = vim.fn.matchfuzzy(found, wanted)
  end
  return vim.tbl_map(function(name)
    return { text = '@symbol:' .. name, kind = REFERENCE }
  end, found)
end

--- Those that begin with what is typed.
--- @param chat acp.Chat
--- @param query string
--- @return acp.Item[]
function M.items(chat, query)
  local items = symbols(query)
  for _, word in ipairs(M.all) do
    if vim.startswith(word.name, query:lower()) and word.is_there(chat) then
      items[#items + 1] = { text = '@' .. word.name, kind = KEYWORD, about = word.about }
    end
  end
  return items
end

return M
