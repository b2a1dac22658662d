--- What a block of the transcript offers to be done: see `actions` of `PutOp` in `src/render/ops.ts`.
local choose = require('acp.ui.choose')

local M = {}

--- What Neovim does by itself: another chat is none of the session's.
--- @type table<string, fun(chat: acp.Chat)>
local HERE = {
  new_session = function(chat)
    require('acp.chat').open({ agent = chat.agent.name, new = true })
  end,
}

--- @param chat acp.Chat
--- @param block string
--- @param action string
local function act(chat, block, action)
  if HERE[action] then
    HERE[action](chat)
  elseif chat.opened then
    local params = { session = chat.session, block = block, action = action }
    require('acp.rpc').notify('block.act', params)
  end
end

--- Whether a row of a block is the one that names its actions: the last.
--- @param block acp.Block
--- @param row integer relative to the block
--- @return boolean
function M.at(block, row)
  return block.actions ~= nil and row == block.count - 1
end

--- Does the only one, or the one of that number, else lets the user choose.
--- @param chat acp.Chat
--- @param block acp.Block
--- @param number integer 0 where none was typed
function M.choose(chat, block, number)
  local actions = block.actions or {}
  local only = #actions == 1 and actions[1] or actions[number]
  if number > #actions then
    return require('acp.message').info(('there is no %d here'):format(number))
  elseif only then
    return act(chat, block.id, only.id)
  end
  choose.one(actions, {
    prompt = 'What now?',
    kind = 'acp.action',
    format_item = function(action)
      return action.name
    end,
  }, function(action)
    if action then
      act(chat, block.id, action.id)
    end
  end)
end

return M
