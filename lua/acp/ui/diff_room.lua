--- Where the diff float may stand: beside its chat, else above or below it, else over what was said before.
local M = {}

--- Columns and rows, with the border, that are worth a float beside the chat.
local MIN_COLUMNS, MIN_ROWS = 42, 9

--- @class acp.Room  cells of the screen, 0-based
--- @field row integer
--- @field rows integer
--- @field col integer
--- @field columns integer

--- @param first integer
--- @param after integer
--- @return integer row
--- @return integer rows
local function between(first, after)
  return first, after - first
end

--- Rows over a chat that may be covered: neither the prompt nor the answers to the question belong to them.
--- @param chat acp.Chat
--- @param win integer the transcript's
--- @param block string
--- @param question? table
--- @param after integer the row behind the last that there is
--- @return integer after
local function uncovered(chat, win, block, question, after)
  local prompt = require('acp.ui.layout').prompt_win(chat)
  if prompt then
    after = math.min(after, vim.api.nvim_win_get_position(prompt)[1] - 1)
  end
  local _, card = chat.transcript:range(block)
  if card and question then
    -- The card's own diff may be covered, by the same one; not the answers, which are its last lines.
    local answers = card - #question.options
    local place = vim.fn.screenpos(win, answers, 1).row
    if place > MIN_ROWS + 1 then
      after = math.min(after, place - 1)
    end
  end
  return after
end

--- @param session string
--- @param block string
--- @param question? table `Question` of `src/nvim/question.ts`
--- @return acp.Room
function M.find(session, block, question)
  local layout = require('acp.ui.layout')
  -- The first row is a winbar's or a tabline's; the default select asks on the last ones.
  local asked = question and #question.options + 1 or 0
  local first, after = 1, vim.o.lines - vim.o.cmdheight - 1 - asked
  local room = { row = first, rows = after - first, col = 0, columns = vim.o.columns }
  local chat = require('acp.chat').get(session)
  local win = chat and layout.visible(chat)
  if not chat or not win then
    return room
  end
  local top, left = unpack(vim.api.nvim_win_get_position(win))
  local right = left + vim.api.nvim_win_get_width(win)
  local tiled = vim.api.nvim_win_get_config(win).relative == ''
  local last = layout.prompt_win(chat) or win
  -- A status line stands below each.
  local bottom = vim.api.nvim_win_get_position(last)[1] + vim.api.nvim_win_get_height(last) + 1
  if tiled and left >= MIN_COLUMNS and left >= vim.o.columns - right then
    room.columns = left
  elseif tiled and vim.o.columns - right >= MIN_COLUMNS then
    room.col, room.columns = right, vim.o.columns - right
  elseif tiled and top - 1 - first >= MIN_ROWS and top >= after - bottom then
    room.row, room.rows = between(first, math.min(top - 1, after))
  elseif tiled and after - bottom >= MIN_ROWS then
    room.row, room.rows = between(bottom, after)
  else
    local free = uncovered(chat, win, block, question, after)
    if free - first >= MIN_ROWS then
      room.rows = free - first
    end
  end
  return room
end

return M
