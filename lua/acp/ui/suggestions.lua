--- Prompts that the agent proposes: shown dimly in a prompt that is empty, and taken over by a key. Never sent by
--- themselves.
local keys = require('acp.ui.keys')
local state = require('acp.state')

local M = {}

--- Cells of a suggestion that is worth to be shown.
local LEAST = 8

--- Where the key is mapped.
local give_back = setmetatable({}, { __mode = 'k' }) --- @type table<acp.Chat, fun()>

--- @param texts string[]
--- @return string one line, of the first
local function line(texts)
  local text = texts[1]:match('^[^\n]*')
  return (text:gsub('%c', ' ')) .. (#text < #texts[1] and ' …' or '')
end

--- Puts one into the prompt: all of it is typed by the user from here on.
--- @param chat acp.Chat
--- @param text string
local function take(chat, text)
  local prompt = require('acp.ui.prompt')
  prompt.set(chat, text)
  prompt.focus(chat, true)
end

--- @param chat acp.Chat
--- @return boolean
local function empty(chat)
  return require('acp.ui.prompt').text(chat) == ''
end

--- Takes the only one, else lets the user choose.
--- @param chat acp.Chat
local function choose(chat)
  local status = state.get(chat.session)
  local texts = status and status.suggestions or {}
  if #texts == 1 then
    return take(chat, texts[1])
  end
  require('acp.ui.choose').one(texts, {
    prompt = 'Suggestions',
    kind = 'acp.suggestion',
    format_item = function(text)
      return line({ text })
    end,
  }, function(text)
    -- Meanwhile something else may have been typed.
    if text and empty(chat) then
      take(chat, text)
    end
  end)
end

local pressed --- @type fun(chat: acp.Chat, lhs: string)

--- The key is the user's own wherever nothing is suggested.
--- @param chat acp.Chat
--- @param wanted boolean
local function map(chat, wanted)
  local lhs = keys.of('prompt', 'suggestion')
  if wanted and lhs and not give_back[chat] then
    give_back[chat] = keys.borrow('prompt', chat.prompt_buf, {
      suggestion = {
        { 'n', 'i' },
        function()
          pressed(chat, lhs)
        end,
      },
    })
  elseif not wanted and give_back[chat] then
    give_back[chat]()
    give_back[chat] = nil
  end
end

--- The key was pressed. What was typed just before is not told of until all keys are worked off: then the key is the
--- user's own already.
--- @param chat acp.Chat
--- @param lhs string
function pressed(chat, lhs)
  if empty(chat) then
    return choose(chat)
  end
  map(chat, false)
  vim.api.nvim_feedkeys(vim.keycode(lhs), 'mi', false)
end

--- What is to be shown in the prompt, and what its key does; nothing where there is no suggestion or no key.
--- @param chat acp.Chat
--- @param vacant boolean nothing is typed
--- @return string? text
--- @return string? hint
function M.offer(chat, vacant)
  local status = state.get(chat.session)
  local texts = status and status.suggestions or {}
  local lhs = keys.of('prompt', 'suggestion')
  local idle = status ~= nil and status.state == 'idle'
  local offered = vacant and idle and #texts > 0 and lhs ~= nil
  map(chat, offered)
  if not offered then
    return nil
  end
  return line(texts),
    #texts == 1 and ('%s takes it'):format(lhs) or ('%s shows %d'):format(lhs, #texts)
end

--- As much of it as fits beside what stands at the right.
--- @param text string
--- @param room integer cells
--- @return string? nil where that would say nothing
function M.fit(text, room)
  local width = vim.api.nvim_strwidth(text)
  if width <= room then
    return text
  elseif room < LEAST then
    return nil
  end
  local cut = vim.fn.strcharpart(text, 0, room - 1)
  while vim.api.nvim_strwidth(cut) > room - 1 do
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. '…'
end

return M
