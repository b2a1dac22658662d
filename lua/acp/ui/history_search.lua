--- Chooses one of the prompts that were sent before.
local message = require('acp.message')

local M = {}

--- Cells of a prompt's one line.
local MAX_WIDTH = 200

--- A prompt as one line.
--- @param text string
--- @return string
local function line_of(text)
  local line = vim.trim(text:sub(1, 4 * MAX_WIDTH)):gsub('%s*\n%s*', ' ⏎ '):gsub('%c', ' ')
  local cut = vim.fn.strcharpart(line, 0, MAX_WIDTH)
  return #cut < #line and cut .. '…' or line
end

--- The prompts that hold a text, each once, the newest first. Capitals matter where the text has some.
--- @param text string
--- @return string[]
function M.matching(text)
  local exact = text:find('%u') ~= nil
  local found, known = {}, {}
  local entries = require('acp.ui.history').entries()
  for i = #entries, 1, -1 do
    local entry = entries[i]
    local within = exact and entry or entry:lower()
    if not known[entry] and within:find(text, 1, true) then
      known[entry] = true
      found[#found + 1] = entry
    end
  end
  return found
end

--- Lets the user choose; the choice takes the place of what is typed, which comes back by |undo| and at the end of the
--- history.
--- @param text string what they hold
function M.open(text)
  local chat = require('acp.chat').current()
  if not chat then
    return message.warn('there is no chat yet: open one with :AcpChat')
  end
  local found = M.matching(text)
  if #found == 0 then
    local which = text == '' and 'no prompt was sent yet' or ('no prompt holds %q'):format(text)
    return require('acp.ui.prompt').say('info', which)
  end
  vim.cmd.stopinsert()
  require('acp.ui.choose').one(found, {
    prompt = text == '' and 'Prompts before' or ('Prompts before with %q'):format(text),
    kind = 'acp.history',
    format_item = line_of,
    preview_item = function(entry)
      return vim.split(entry, '\n', { plain = true })
    end,
  }, function(entry)
    if entry and vim.api.nvim_buf_is_loaded(chat.prompt_buf) then
      local prompt = require('acp.ui.prompt')
      require('acp.ui.prompt_history').go(chat, entry)
      prompt.focus(chat, true)
    end
  end)
end

return M
