--- The agent's slash commands.
local state = require('acp.state')

local M = {}

--- No function: plugins put brackets behind one.
local KIND = vim.lsp.protocol.CompletionItemKind.Event

--- How a command is typed that was begun with this sign. What an agent calls `$name` can be typed with either.
--- @param name string
--- @param sign string
--- @return string?
local function typed_as(name, sign)
  if sign == '$' then
    return vim.startswith(name, '$') and name or nil
  end
  return '/' .. name
end

--- @param chat acp.Chat
--- @param typed string with the sign
--- @return acp.Item[] all those that can begin with that sign
local function all(chat, typed)
  local status = state.get(chat.session)
  local items = {}
  for _, command in ipairs(status and status.commands or {}) do
    local text = typed_as(command.name, typed:sub(1, 1))
    if text then
      local hint = vim.trim((command.hint or ''):gsub('%s+', ' '))
      items[#items + 1] = {
        -- A hint says that something follows.
        text = hint == '' and text or text .. ' ',
        label = text,
        kind = KIND,
        hint = hint ~= '' and hint or nil,
        about = command.description,
      }
    end
  end
  return items
end

--- @param items acp.Item[]
--- @param typed string
--- @return acp.Item[]
local function beginning(items, typed)
  typed = typed:lower()
  return vim.tbl_filter(function(item)
    return vim.startswith(item.text:lower(), typed)
  end, items)
end

--- Whether what is typed can be a command still: behind its name arguments follow.
--- @param chat acp.Chat
--- @param typed string
--- @return boolean
function M.fits(chat, typed)
  local items = all(chat, typed)
  if typed:find('%s') then
    return vim.iter(beginning(items, typed)):any(function(item)
      return item.text ~= typed
    end)
  end
  return typed:sub(1, 1) == '/' or #items > 0
end

--- Those that begin as typed, then those that hold its letters.
--- @param chat acp.Chat
--- @param typed string with the sign
--- @return acp.Item[]
function M.items(chat, typed)
  local items = all(chat, typed)
  local found = beginning(items, typed)
  local letters = typed:sub(2)
  if letters == '' or letters:find('%s') then
    return found
  end
  local seen = {}
  for _, item in ipairs(found) do
    seen[item.text] = true
  end
  for _, item in ipairs(vim.fn.matchfuzzy(items, letters, { key = 'label' })) do
    if not seen[item.text] then
      found[#found + 1] = item
    end
  end
  return found
end

return M
