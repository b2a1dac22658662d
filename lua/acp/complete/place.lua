--- Where the cursor is: in a command at the start of the prompt, or in a mention.
local M = {}

--- What is being named at the cursor.
--- @class (exact) acp.Place
--- @field kind 'command'|'mention'
--- @field row integer 0-based
--- @field start integer byte column of its sign, 0-based
--- @field typed string from there to the cursor
--- @field query string what of it is a name: without sign and quotes

--- A mention begins a word: `me@example.org` is none.
--- @param text string
--- @param at integer 1-based, of the `@`
--- @return boolean
function M.begins(text, at)
  return at == 1 or text:sub(at - 1, at - 1):find('[%s%(%[{<]') ~= nil
end

--- @param before string
--- @return integer? at of the `@`, 1-based
--- @return string? query
local function mention(before)
  local init = 1
  while true do
    local at = before:find('@"', init, true)
    if not at then
      break
    end
    local rest = before:sub(at + 2)
    if M.begins(before, at) and not rest:gsub('\\.', ''):find('"', 1, true) then
      return at, (rest:gsub('\\(.)', '%1'))
    end
    init = at + 2
  end
  local at, query = before:match('()@(%S*)$')
  if at and M.begins(before, at) then
    return at, query
  end
end

--- @param chat acp.Chat
--- @param before string the line before the cursor
--- @param row integer 0-based
--- @return acp.Place?
function M.at(chat, before, row)
  if before:find('%z') then
    return nil -- Nothing is called so, and Vim's functions take no such text.
  elseif
    row == 0
    and before:find('^[/$]')
    and require('acp.complete.commands').fits(chat, before)
  then
    return { kind = 'command', row = row, start = 0, typed = before, query = before:sub(2) }
  end
  local at, query = mention(before)
  if at and query then
    return {
      kind = 'mention',
      row = row,
      start = at - 1,
      typed = before:sub(at),
      query = query,
    }
  end
end

--- @param chat acp.Chat
--- @return acp.Place? place at the cursor of the current window, which shows the prompt
--- @return string before the line before the cursor
function M.here(chat)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local before = vim.api.nvim_get_current_line():sub(1, cursor[2])
  return M.at(chat, before, cursor[1] - 1), before
end

return M
