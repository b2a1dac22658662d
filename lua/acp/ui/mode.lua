--- Session modes: what the agent offers, in its own words.
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

--- @param chat acp.Chat
--- @return acp.Choice[]? modes nil with a message where there are none
local function modes(chat)
  local status = state.get(chat.session)
  if not status or status.state == 'starting' then
    message.info(('%s is still starting; its modes are not known yet'):format(chat.agent.name))
  elseif #status.modes == 0 then
    message.info(('%s offers no modes'):format(chat.agent.name))
  else
    return status.modes
  end
end

--- Sets a mode by its id, or by its name where that is unique to one.
--- @param chat acp.Chat
--- @param mode string
function M.set(chat, mode)
  local known = modes(chat)
  if not known then
    return
  end
  for _, field in ipairs({ 'id', 'name' }) do
    for _, choice in ipairs(known) do
      if choice[field]:lower() == mode:lower() then
        rpc.notify('mode.set', { session = chat.session, mode = choice.id })
        return
      end
    end
  end
  local names = vim.tbl_map(function(choice)
    return choice.id
  end, known)
  local words = '%s has no mode ‘%s’; it has: %s'
  message.warn(words:format(chat.agent.name, mode, table.concat(names, ', ')))
end

--- Lets the user choose.
--- @param chat acp.Chat
function M.select(chat)
  local known = modes(chat)
  if not known then
    return
  end
  local current = state.get(chat.session).mode
  require('acp.ui.choose').one(known, {
    prompt = ('Mode of %s'):format(chat.agent.name),
    kind = 'acp.mode',
    format_item = function(choice)
      local mark = choice.id == current and '● ' or '  '
      local words = choice.description and (' – ' .. choice.description:gsub('%s+', ' ')) or ''
      return mark .. choice.name .. words
    end,
  }, function(choice)
    if choice then
      rpc.notify('mode.set', { session = chat.session, mode = choice.id })
    end
  end)
end

--- @param chat acp.Chat
--- @param lead string
--- @return string[]
function M.complete(chat, lead)
  local status = state.get(chat.session)
  return vim
    .iter(status and status.modes or {})
    :map(function(choice)
      return choice.id
    end)
    :filter(function(id)
      return vim.startswith(id:lower(), lead:lower())
    end)
    :totable()
end

return M
