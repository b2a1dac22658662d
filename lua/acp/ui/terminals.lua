--- The commands that an agent runs: one is chosen, to be looked at or to be stopped.
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')

local M = {}

--- @param terminal acp.RunningTerminal
--- @return string
local function label(terminal)
  local sec = vim.uv.gettimeofday()
  local seconds = math.max(0, sec - math.floor(terminal.since / 1000))
  local room = math.max(20, vim.o.columns - 20)
  local title = vim.api.nvim_strwidth(terminal.title) <= room and terminal.title
    or vim.fn.strcharpart(terminal.title, 0, room - 1) .. '…'
  return ('%s  (%d:%02d)'):format(title, seconds / 60, seconds % 60)
end

--- Lets the user choose a command that runs.
--- @param chat acp.Chat
--- @param action 'show'|'stop'
function M.choose(chat, action)
  local status = state.get(chat.session)
  local all = status and status.terminals or {}
  local running = action == 'show' and all
    or vim.tbl_filter(function(terminal)
      return terminal.canStop
    end, all)
  if #all == 0 then
    return message.info('no command runs · K on a card shows the output of one that has ended')
  elseif #running == 0 then
    return message.warn('the agent runs its commands itself: :AcpCancel ends them with the turn')
  end
  local method = action == 'show' and 'terminal.open' or 'terminal.stop'
  require('acp.ui.choose').one(running, {
    prompt = ('Command to %s:'):format(action),
    kind = 'acp.terminal',
    format_item = label,
  }, function(terminal)
    if terminal then
      rpc.notify(method, { session = chat.session, terminal = terminal.id })
    end
  end)
end

return M
