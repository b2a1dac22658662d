--- Completion in the prompt: the agent's slash commands at its start, files behind an `@`.
local state = require('acp.state')

local M = {}

--- Neovim's own limit of what a person would read.
local MAX_FILES = 200

--- @param chat acp.Chat
--- @param typed string without the slash
--- @return table[]
local function commands(chat, typed)
  local status = state.get(chat.session)
  local items = {}
  for _, command in ipairs(status and status.commands or {}) do
    if vim.startswith(command.name:lower(), typed:lower()) then
      items[#items + 1] = {
        word = '/' .. command.name,
        menu = (command.description:gsub('%s+', ' ')),
        info = command.hint or '',
      }
    end
  end
  return items
end

--- @param chat acp.Chat
--- @param typed string without the `@`
--- @return table[]
local function files(chat, typed)
  local root = chat.cwd .. '/'
  local found = vim.fn.getcompletion(vim.fn.fnameescape(root .. typed), 'file')
  local items = {}
  for _, path in ipairs(vim.list_slice(found, 1, MAX_FILES)) do
    items[#items + 1] = { word = '@' .. path:sub(#root + 1), menu = '' }
  end
  return items
end

--- What can stand at the cursor.
--- @param chat acp.Chat
--- @param before string the line before the cursor
--- @param lnum integer
--- @return integer? start byte column of the word, 0-based
--- @return table[]? items
function M.at(chat, before, lnum)
  local command = lnum == 1 and before:match('^/(%S*)$')
  if command then
    return 0, commands(chat, command)
  end
  local start, file = before:match('()@(%S*)$')
  if start and (start == 1 or before:sub(start - 1, start - 1):find('%s')) then
    return start - 1, files(chat, file)
  end
end

--- Opens the menu when a command or a file is being typed. Nothing is chosen until the user does.
--- @param chat acp.Chat
function M.open(chat)
  if vim.fn.pumvisible() == 1 or vim.fn.mode() ~= 'i' then
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  local before = vim.api.nvim_get_current_line():sub(1, cursor[2])
  local start, items = M.at(chat, before, cursor[1])
  if start and #items > 0 then
    vim.fn.complete(start + 1, items)
  end
end

local found --- @type table[]? what 'omnifunc' is about to offer

--- 'omnifunc' of the prompt.
--- @param findstart integer
--- @return integer|table[]
function M.omnifunc(findstart)
  local chat = require('acp.chat').current()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local line = vim.api.nvim_get_current_line()
  if findstart == 1 then
    local start
    found = {}
    if chat then
      start, found = M.at(chat, line:sub(1, cursor[2]), cursor[1])
    end
    return start or -3
  end
  return found or {}
end

--- Files that a text names behind an `@`.
--- @param chat acp.Chat
--- @param text string
--- @return table[] attachments
function M.mentions(chat, text)
  local attachments, seen = {}, {}
  for name in (' ' .. text):gmatch('%s@(%S+)') do
    -- A full stop or a comma behind a name belongs to the sentence.
    for _, candidate in ipairs({ name, (name:gsub('[.,;:!?)]+$', '')) }) do
      local path = vim.fs.normalize(vim.fs.joinpath(chat.cwd, candidate))
      local stat = not seen[path] and vim.uv.fs_stat(path)
      if stat and stat.type == 'file' then
        seen[path] = true
        attachments[#attachments + 1] = { type = 'file', path = path }
      end
    end
  end
  return attachments
end

return M
