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

--- Whether 'wildignore' leaves a file out.
--- @return fun(path: string): boolean
local function ignored()
  local patterns = vim.tbl_map(vim.fn.glob2regpat, vim.opt.wildignore:get())
  return function(path)
    return vim.iter(patterns):any(function(pattern)
      return vim.fn.match(path, pattern) >= 0 or vim.fn.match(vim.fs.basename(path), pattern) >= 0
    end)
  end
end

--- Reads the folder itself: Neovim's own completion of files takes half a second for 50,000 of them, and to it `[id]`,
--- `{` and `$` are patterns.
--- @param chat acp.Chat
--- @param typed string without the `@`
--- @return table[]
local function files(chat, typed)
  local folder, lead = typed:match('^(.-)([^/]*)$')
  local path = vim.fs.joinpath(chat.cwd, folder)
  local is_ignored = ignored()
  local words = {}
  for name, kind in vim.fs.dir(path) do
    local wanted = vim.startswith(name, lead) and (name:sub(1, 1) ~= '.' or lead ~= '')
    if wanted and not is_ignored(vim.fs.joinpath(path, name)) then
      local target = kind == 'link' and vim.uv.fs_stat(vim.fs.joinpath(path, name))
      local is_folder = kind == 'directory' or target and target.type == 'directory'
      words[#words + 1] = '@' .. folder .. name .. (is_folder and '/' or '')
    end
  end
  table.sort(words)
  return vim.tbl_map(function(word)
    return { word = word, menu = '' }
  end, vim.list_slice(words, 1, MAX_FILES))
end

--- What can stand at the cursor.
--- @param chat acp.Chat
--- @param before string the line before the cursor
--- @param lnum integer
--- @return integer? start byte column of the word, 0-based
--- @return table[]? items
function M.at(chat, before, lnum)
  local command = lnum == 1 and before:match('^/(.*)$')
  local named = command and commands(chat, command) or {}
  if command and (#named > 0 or not command:find('%s')) then
    return 0, named
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
