--- The prompts before, walked through in the prompt.
local history = require('acp.ui.history')

local M = {}

--- @class acp.Recalled  a walk through the history
--- @field index integer
--- @field draft string what was typed before it began

--- Walks the history by `step` entries.
--- @param chat acp.Chat
--- @param step integer
local function recall(chat, step)
  local prompt = require('acp.ui.prompt')
  local entries = history.entries()
  local at = chat.recalled or { index = #entries + 1, draft = prompt.text(chat) }
  local index = at.index + step
  if index < 1 or index > #entries + 1 then
    return
  end
  chat.recalled = index <= #entries and { index = index, draft = at.draft } or nil
  prompt.set(chat, entries[index] or at.draft)
end

--- Whether the prompt holds what the walk through the history found, as it was.
--- @param chat acp.Chat
--- @return boolean
local function walking(chat)
  return chat.recalled ~= nil
    and history.entries()[chat.recalled.index] == require('acp.ui.prompt').text(chat)
end

--- Goes to an entry. What was typed comes behind the last one.
--- @param chat acp.Chat
--- @param text string
function M.go(chat, text)
  local prompt = require('acp.ui.prompt')
  local entries = history.entries()
  local draft = walking(chat) and chat.recalled.draft or prompt.text(chat)
  for index = #entries, 1, -1 do
    if entries[index] == text then
      chat.recalled = { index = index, draft = draft }
      break
    end
  end
  prompt.set(chat, text)
end

--- A key that walks the history at the first or last line, and on as long as nothing is typed; elsewhere and in a menu
--- it is itself.
--- @param chat acp.Chat
--- @param step integer
--- @return fun(): string
function M.key(chat, step)
  local native = step < 0 and '<C-p>' or '<C-n>'
  return function()
    local edge = step < 0 and 1 or vim.api.nvim_buf_line_count(chat.prompt_buf)
    local at_edge = vim.api.nvim_win_get_cursor(0)[1] == edge
    if vim.fn.pumvisible() == 1 or not (at_edge or walking(chat)) then
      return native
    end
    vim.schedule(function()
      recall(chat, step)
    end)
    return '<Ignore>'
  end
end

return M
