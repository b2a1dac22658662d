--- Permission questions, asked through `vim.ui.select`.
---
--- Each is answered at most once and never by default. It stays open until it is answered or the sidecar closes it,
--- whatever becomes of the select.
local M = {}

local list = require('acp.ui.permission_list')
local message = require('acp.message')
local state = require('acp.state')
local text = require('acp.ui.permission_text')
local typing = require('acp.ui.typing')

local open = list.open

--- @class acp.Select
--- @field entry acp.OpenQuestion
--- @field number integer of its question among those that are asked one after the other

local current --- @type acp.Select? the select on the screen
local untold = {} --- @type acp.OpenQuestion[] yet to be announced
local telling = false

--- @param session string
--- @return string
local function agent_of(session)
  local status = state.get(session)
  return status and status.agent or ''
end

--- Tells what waits for an answer, in one message that needs no key.
local function tell()
  local waiting = vim.tbl_filter(list.is_open, untold)
  untold = {}
  local last = waiting[#waiting]
  if not last then
    return
  end
  local asks = text.asks(agent_of(last.session), last.question)
  local more = #open > 1 and (' (%d questions)'):format(#open) or ''
  if not typing.bars_messages() then
    message.warn(text.fit(asks, more .. ' · :AcpPermission'))
  end
  -- It is told behind what hides it.
  if typing.hides_messages() then
    untold = waiting
    vim.api.nvim_create_autocmd('ModeChanged', {
      group = vim.api.nvim_create_augroup('acp.permission', {}),
      pattern = '*:n*',
      once = true,
      callback = vim.schedule_wrap(tell),
    })
  end
end

--- @param entry acp.OpenQuestion
local function announce(entry)
  table.insert(untold, entry)
  if not telling then
    telling = true
    vim.schedule(function()
      telling = false
      tell()
    end)
  end
end

--- Asks a question, at once or when its diff has come: the default select would let nothing through.
--- @param entry acp.OpenQuestion
--- @param number? integer of its row of questions
local function ask_when_whole(entry, number)
  if entry.question.hasDiff and not entry.whole then
    entry.wanted = true
  else
    M.select(entry, number)
  end
end

--- The next question of a row of questions.
--- @param number integer
local function chain(number)
  local entry = vim.iter(open):find(function(candidate)
    return #candidate.question.options > 0
  end)
  if not entry or current then
    return
  elseif typing.ahead() then
    return announce(entry)
  end
  ask_when_whole(entry, number)
end

--- The select is over. It may be so late, or never: this depends on who draws it.
--- @param select acp.Select
--- @param option? table
local function finish(select, option)
  local on_screen = current == select
  if on_screen then
    current = nil
  end
  local entry = select.entry
  if not list.is_open(entry) then
    if option then
      message.info(text.fit(text.title(entry.question), ' is no longer open'))
    end
  elseif option then
    M.answer(entry.session, entry.question.id, option.id)
  else
    require('acp.ui.diff').release(entry.session, entry.question.block)
    if #open > 1 then
      announce(entry)
    end
    return
  end
  if on_screen then
    vim.schedule(function()
      chain(select.number + 1)
    end)
  end
end

--- Asks a question, with its diff beside it.
--- @param entry acp.OpenQuestion
--- @param number? integer of its row of questions
function M.select(entry, number)
  local question = entry.question
  if #question.options == 0 then
    local asks = text.asks(agent_of(entry.session), question)
    return message.warn(text.fit(asks, ', without any answer to choose · :AcpCancel'))
  end
  entry.wanted = nil
  number = number or 1
  local select = { entry = entry, number = number } --- @type acp.Select
  current = select
  if entry.diff and #entry.diff > 0 then
    require('acp.ui.diff').show({
      session = entry.session,
      block = question.block,
      question = question.id,
      files = entry.diff,
      enter = false,
    })
  end
  -- The default select waits for an answer without drawing anything.
  vim.cmd.redraw()
  require('acp.ui.choose').one(question.options, {
    prompt = text.prompt(agent_of(entry.session), question, number, number - 1 + #open) .. ':',
    kind = 'acp.permission',
    format_item = text.labels(question.options),
  }, function(option)
    finish(select, option)
  end)
end

--- Decides whether a question opens by itself.
--- @param entry acp.OpenQuestion
local function decide(entry)
  if not list.is_open(entry) or (current and current.entry == entry) then
    return
  end
  local options = require('acp.config').get().permission
  local manual = options.open == 'manual' and not entry.wanted
  if manual or #entry.question.options == 0 then
    return announce(entry)
  elseif current then
    -- One at a time: it comes after the present one. But nobody knows whether that ends: some pickers close without
    -- a word.
    return announce(entry)
  elseif options.open == 'always' or entry.wanted then
    return M.select(entry)
  end
  local wait, typed = typing.until_quiet(options.quiet_ms)
  if typing.engaged() or (wait > 0 and typed) then
    announce(entry)
  elseif wait > 0 then
    vim.defer_fn(function()
      decide(entry)
    end, wait)
  else
    M.select(entry)
  end
end

--- A question was asked.
--- @param params { session: string, question: table, diff?: table[] }
function M.opened(params)
  local session, question = params.session, params.question
  local entry = list.add(session, question, params.diff)
  local ok, fault = pcall(vim.api.nvim_exec_autocmds, 'User', {
    pattern = 'AcpPermissionAsk',
    modeline = false,
    data = { session = session, question = question },
  })
  if not ok then
    message.error(('AcpPermissionAsk: %s'):format(fault))
  end
  -- The select may wait for a key; the sidecar must not wait with it.
  vim.schedule(function()
    decide(entry)
  end)
end

--- A question needs no answer any more.
--- @param params { session: string, question: string }
function M.closed(params)
  list.settle(params.session, params.question)
end

--- Asks open questions, one after the other: those of a session first, then the oldest of any.
--- @param session? string the one of the current chat
--- @param id? string this question
function M.ask(session, id)
  local chat = require('acp.chat').current()
  session = session or (chat and chat.session)
  for _, other in ipairs(vim.list_slice(open)) do
    list.sync(other.session)
  end
  if session then
    list.sync(session)
  end
  local entry = session and id and list.find(session, id)
    or vim.iter(open):find(function(candidate)
      return candidate.session == session
    end)
    or open[1]
  if not entry then
    return message.info('no question is open')
  end
  ask_when_whole(entry)
end

--- Answers a question.
--- @param session string
--- @param id string
--- @param option_id string
--- @return boolean answered
--- @return string? fault
function M.answer(session, id, option_id)
  local entry = list.find(session, id)
  if not entry then
    return false, 'the question is no longer open'
  end
  local offered = vim.iter(entry.question.options):any(function(option)
    return option.id == option_id
  end)
  if not offered then
    return false, ('the question has no option %q'):format(option_id)
  end
  list.settle(session, id)
  require('acp.rpc').notify('question.answer', {
    session = session,
    question = id,
    option = option_id,
  })
  return true
end

--- @param session string
--- @param id string
--- @return table? question while it is open
function M.find(session, id)
  local entry = list.find(session, id)
  return entry and entry.question
end

--- How many questions are open.
--- @param session? string of this one only
--- @return integer
function M.count(session)
  return #vim.tbl_filter(function(entry)
    return not session or entry.session == session
  end, open)
end

return M
