--- Tells what happened while the user was looking elsewhere: a turn is over, a session failed, an agent asks. In a
--- message, and as `User AcpAttention`.
---
--- Questions are put into words by |acp-permissions| alone; here they only become an event.
local message = require('acp.message')
local state = require('acp.state')
local typing = require('acp.ui.typing')
local words = require('acp.ui.permission_text')

local M = {}

--- Milliseconds in which several become one message, and in which a turn that follows upon another takes it back.
local GATHER_MS = 100

--- @class (exact) acp.Attention
--- @field session string
--- @field agent string
--- @field title? string of the session
--- @field kind 'ended'|'failed'|'question'
--- @field text string all of it in one line

--- What ended, until it is told. One thing of each session: what failed outweighs what ended.
local untold = {} --- @type table<string, 'ended'|'failed'>
local order = {} --- @type string[] the sessions in `untold`

local unsaid = {} --- @type acp.Attention[] wait for a message that can be read

local focused = true -- a terminal that doesn't tell has it
local was = {} --- @type table<string, string> session → state

--- Whether Neovim has lost the focus: somebody works in another program.
--- @return boolean
function M.is_away()
  return not focused
end

--- Whether the user has a session before their eyes: in a window of the current tab, while Neovim has the focus.
--- @param session string
--- @return boolean
function M.is_seen(session)
  local chat = focused and require('acp.chat').get(session)
  if not chat then
    return false
  end
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
    local buf = vim.api.nvim_win_get_buf(win)
    return buf == chat.buf or buf == chat.prompt_buf
  end)
end

--- @param session string
--- @param kind 'ended'|'failed'|'question'
--- @param text? string
--- @return acp.Attention
local function attention(session, kind, text)
  local status = state.get(session)
  local agent, title = status and status.agent or 'the agent', status and status.title
  local named = title and (' “%s”'):format((title:gsub('%c+', ' '))) or ''
  local verb = kind == 'failed' and (title and 'failed at' or 'failed') or 'has finished'
  return {
    session = session,
    agent = agent,
    title = title,
    kind = kind,
    text = text or ('%s %s%s'):format(agent, verb, named),
  }
end

--- @param what acp.Attention
local function fire(what)
  require('acp.events').fire('User', { pattern = 'AcpAttention', data = what })
end

--- Says it in one message: at once, or when it neither tears a command line nor is hidden by the mode that is shown.
local function say()
  local all = vim.tbl_filter(function(what)
    return require('acp.chat').get(what.session) ~= nil and not M.is_seen(what.session)
  end, unsaid)
  if #all == 0 then
    unsaid = {}
    return
  elseif typing.bars_messages() or (typing.hides_messages() and message.is_builtin()) then
    vim.api.nvim_create_autocmd('ModeChanged', {
      group = vim.api.nvim_create_augroup('acp.attention.say', {}),
      pattern = '*:n*',
      once = true,
      callback = vim.schedule_wrap(say),
    })
    return
  end
  unsaid = {}
  local failed = vim.iter(all):any(function(what)
    return what.kind == 'failed'
  end)
  local texts = vim.tbl_map(function(what)
    return what.text
  end, all)
  local count = #all > 1 and ('%d sessions: '):format(#all) or ''
  local text = words.fit(count .. table.concat(texts, ', '), ' · :AcpSessions')
  message.notify(failed and 'warn' or 'info', text)
end

--- Tells all that is untold and not seen by now.
local function tell()
  local all = {} --- @type acp.Attention[]
  for _, session in ipairs(order) do
    if require('acp.chat').get(session) and not M.is_seen(session) then
      table.insert(all, attention(session, untold[session]))
    end
  end
  untold, order = {}, {}
  vim.iter(all):each(fire)
  if require('acp.config').get().notify then
    vim.list_extend(unsaid, all)
    say()
  end
end

--- @param session string
--- @param kind 'ended'|'failed'
local function add(session, kind)
  if M.is_seen(session) then
    return
  elseif #order == 0 then
    vim.defer_fn(tell, GATHER_MS)
  end
  if not untold[session] then
    table.insert(order, session)
  end
  untold[session] = untold[session] == 'failed' and 'failed' or kind
end

--- A turn begins: when it follows upon another, that one was not the end.
--- @param session string
function M.turn_started(session)
  if untold[session] == 'ended' then
    untold[session] = nil
    order = vim.tbl_filter(function(other)
      return other ~= session
    end, order)
  end
end

--- A turn is over; one that the user has cancelled is no news.
--- @param session string
--- @param stop_reason string
function M.turn_ended(session, stop_reason)
  if stop_reason ~= 'cancelled' then
    local failed = stop_reason == 'error' or stop_reason == 'lost'
    add(session, failed and 'failed' or 'ended')
  end
end

--- An agent asks.
--- @param session string
--- @param question acp.Question
function M.asked(session, question)
  if not M.is_seen(session) then
    local status = state.get(session)
    fire(attention(session, 'question', words.asks(status and status.agent or '', question)))
  end
end

-- An agent that ends outside of a turn. The end of the sidecar is told by itself.
state.on_change(function(session, fields)
  if not fields.state then
    return
  end
  local status, before = state.get(session), was[session]
  was[session] = status and status.state
  local chat = require('acp.chat').get(session)
  local died = status and status.state == 'dead' and before ~= nil and before ~= 'dead'
  if died and before ~= 'cancelling' and chat and chat.opened then
    add(session, 'failed')
  end
end)

local group = vim.api.nvim_create_augroup('acp.attention', {})
vim.api.nvim_create_autocmd({ 'FocusGained', 'FocusLost' }, {
  group = group,
  desc = 'acp: whether anybody looks at Neovim',
  callback = function(args)
    focused = args.event == 'FocusGained'
    if focused then
      require('acp.ui.permission').returned()
    end
  end,
})

return M
