--- acp-sidecar.nvim: coding agents that speak the Agent Client Protocol, in Neovim. See |acp|.
local M = {}

--- Sets options. Not needed where the defaults are right; starts nothing. See |acp-options|.
--- @param opts? acp.Options
function M.setup(opts)
  require('acp.config').setup(opts)
end

--- Opens the chat of the current tab, as |:AcpChat|.
--- @param opts? acp.OpenOpts
function M.open(opts)
  require('acp.chat').open(opts or {})
end

--- Hides the chat of the current tab; the session lives on.
function M.hide()
  local chat = require('acp.chat').current()
  if chat then
    require('acp.chat').hide(chat)
  end
end

--- Cancels the running turn of the current chat.
function M.cancel()
  local chat = require('acp.chat').current()
  if chat then
    require('acp.chat').cancel(chat)
  end
end

--- Sets an option of the current chat's session, as |:AcpConfig|; without a value the user chooses.
--- @param option? string `mode`, `model`, `effort`, or an option by the id or name that the agent gives it
--- @param value? string id or name
function M.set(option, value)
  local named = { mode = 'AcpMode', model = 'AcpModel', effort = 'AcpEffort' }
  local command = named[option]
  local words = command and { value } or { option, value }
  require('acp.command').run(command or 'AcpConfig', { args = table.concat(words, ' ') })
end

--- Sets the mode of the current chat, or lets the user choose.
--- @param mode? string id or name
function M.mode(mode)
  M.set('mode', mode)
end

--- Lets the user choose a session, as |:AcpSessions|.
--- @param opts? { action?: 'open'|'fork'|'rename'|'delete'|'close', all?: boolean } all: of all folders
function M.sessions(opts)
  opts = opts or {}
  require('acp.ui.sessions').open({ action = opts.action or 'open', all = opts.all == true })
end

--- Attaches something to the next prompt, as |:AcpAdd|.
--- @param what string such as `buffer` or `file /path`
--- @param range? [integer, integer] lines, 1-based, inclusive
function M.add(what, range)
  require('acp.attach').add(what, range)
end

--- Asks beside the code, as |:AcpAsk|.
--- @param text string
--- @param opts? { range?: [integer, integer], agent?: string } lines of the current buffer, 1-based, inclusive
function M.ask(text, opts)
  opts = opts or {}
  require('acp.ui.ask').open({ text = text, range = opts.range, agent = opts.agent })
end

--- Shows the oldest open permission question.
function M.permission()
  require('acp.ui.permission').ask()
end

--- Allows what an agent asks for, as |:AcpAllow|: from any buffer, without a choice to make.
--- @param opts? { name?: string, always?: boolean } name of the option, where it shall be another than «once»
function M.allow(opts)
  opts = opts or {}
  require('acp.ui.permission').allow(opts.name, { always = opts.always })
end

--- Rejects what an agent asks for, as |:AcpReject|.
--- @param words? string why, for the agent
function M.reject(words)
  require('acp.ui.permission').reject(words)
end

--- Shows what the agent changed, in the files themselves, as |:AcpReview|.
--- @param scope? acp.ReviewScope `session` by default
function M.review(scope)
  require('acp.ui.review').open(scope or 'session')
end

--- Takes back the last turn, after a question, as |:AcpUndo|.
--- @param opts? { redo?: boolean } takes that back
function M.undo(opts)
  require('acp.ui.undo').start(opts or {})
end

--- How many questions are open, in all sessions.
--- @return integer
function M.questions()
  return package.loaded['acp.state'] and require('acp.ui.permission').count() or 0
end

--- What the current chat is doing, for a statusline: `nanocoder · plan · working 0:34`; empty where there is no chat.
--- @return string
function M.status()
  local chat = package.loaded['acp.chat'] and require('acp.chat').current()
  return chat and require('acp.ui.winbar').status(chat.session) or ''
end

return M
