--- Permission questions, asked through `vim.ui.select`.
---
--- Each is answered at most once and never by default. It stays open until it is answered or the sidecar closes it,
--- whatever becomes of the select.
local M = {}

local answers = require('acp.ui.permission_answer')
local attention = require('acp.attention')
local list = require('acp.ui.permission_list')
local message = require('acp.message')
local notice = require('acp.ui.permission_notice')
local text = require('acp.ui.permission_text')
local typing = require('acp.ui.typing')

local open = list.open

--- @class acp.AskOpts
--- @field why? string why it is asked now
--- @field words? string go along with a rejection
--- @field number? integer of its question among those that are asked one after the other

--- @class acp.Select
--- @field entry acp.OpenQuestion
--- @field number integer of its question among those that are asked one after the other
--- @field words? string

local current --- @type acp.Select? the select on the screen
local away = {} --- @type table<acp.OpenQuestion, true> came while Neovim did not have the focus

--- Asks a question, at once or when its diff has come: the default select would let nothing through.
--- @param entry acp.OpenQuestion
--- @param number? integer of its row of questions
--- @param opts? acp.AskOpts
local function ask_when_whole(entry, number, opts)
  if entry.question.hasDiff and not entry.whole then
    entry.wanted = vim.tbl_extend('force', opts or {}, { number = number })
  else
    M.select(entry, number, opts)
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
    return notice.announce(entry)
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
    typing.answered()
    -- What rejects may have a kind that nobody knows; words are lost with none of them.
    local allows = vim.startswith(option.kind, 'allow')
    M.answer(entry.session, entry.question.id, option.id, {
      words = not allows and select.words or nil,
    })
  else
    require('acp.ui.diff').release(entry.session, entry.question.block)
    if #open > 1 then
      notice.announce(entry)
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
--- @param opts? acp.AskOpts
function M.select(entry, number, opts)
  local question = entry.question
  opts = opts or {}
  if #question.options == 0 then
    local asks = text.asks(text.agent(entry.session), question)
    return message.warn(text.fit(asks, ', without any answer to choose · :AcpCancel'))
  end
  entry.wanted = nil
  number = number or 1
  local select = { entry = entry, number = number, words = opts.words } --- @type acp.Select
  current = select
  list.show(entry)
  if entry.diff and #entry.diff > 0 then
    require('acp.ui.diff').show({
      session = entry.session,
      block = question.block,
      question = question.id,
      files = entry.diff,
      enter = false,
    })
  end
  local total = number - 1 + #open
  local prompt = text.prompt(text.agent(entry.session), question, number, total)
  local asks = question.form and 'acp.ui.form' or question.url and 'acp.ui.url'
  if asks then
    return require(asks).open(entry, {
      title = prompt,
      short = text.short(text.agent(entry.session), number, total),
      on_close = function()
        finish(select)
      end,
    })
  end
  prompt = (opts.why and opts.why .. ' · ' or '') .. prompt
  if question.plan then
    return require('acp.ui.plan').open(entry, {
      title = prompt,
      label = text.labels(question.options),
      on_choice = function(option)
        finish(select, option)
      end,
    })
  end
  -- The default select waits for an answer without drawing anything.
  vim.cmd.redraw()
  require('acp.ui.choose').one(question.options, {
    prompt = prompt .. ':',
    kind = 'acp.permission',
    format_item = text.labels(question.options),
  }, function(option)
    finish(select, option)
  end)
end

--- Decides whether a question opens by itself.
--- @param entry acp.OpenQuestion
--- @param told? boolean it was announced already
local function decide(entry, told)
  local shown = current and current.entry == entry and not entry.wanted
  if not list.is_open(entry) or shown then
    return
  end
  local options = require('acp.config').get().permission
  if entry.wanted then
    return M.select(entry, entry.wanted.number, entry.wanted)
  elseif options.open == 'manual' or #entry.question.options == 0 then
    return notice.announce(entry)
  elseif current then
    -- One at a time: it comes after the present one. But nobody knows whether that ends: some pickers close without
    -- a word.
    if not told then
      notice.announce(entry)
    end
    return
  elseif options.open == 'always' then
    return M.select(entry)
  end
  local wait, typed = typing.until_quiet(options.quiet_ms)
  -- The agent waits for one question after the other; a conflict is no part of that.
  if typing.none_since_answer() and not text.is_ours(entry.question) then
    wait = 0
  end
  local busy = typing.engaged()
  if attention.is_away() then
    away[entry] = true
  end
  if not told and (away[entry] or busy or (wait > 0 and typed)) then
    notice.announce(entry)
    told = true
  end
  if away[entry] or busy then
    return
  elseif wait > 0 then
    vim.defer_fn(function()
      decide(entry, told)
    end, wait)
  else
    M.select(entry)
  end
end

--- Neovim has the focus again: what was asked meanwhile opens as if it were asked now.
function M.returned()
  local waiting = vim.tbl_filter(function(entry)
    return away[entry]
  end, open)
  away = {}
  if waiting[1] then
    decide(waiting[1])
  end
end

--- A question was asked.
--- @param params { session: string, question: table, diff?: table[] }
function M.opened(params)
  local session, question = params.session, params.question
  local entry = list.add(session, question, params.diff)
  list.asking = entry
  require('acp.events').fire('User', {
    pattern = 'AcpPermissionAsk',
    data = { session = session, question = question },
  })
  list.asking = nil
  if list.is_open(entry) then
    attention.asked(session, question)
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
  list.sync_all(session)
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

--- Lets the user choose the answer of a question.
--- @param entry acp.OpenQuestion
--- @param opts acp.AskOpts
function M.choose(entry, opts)
  -- An answer comes from within what Neovim is doing, such as writing a buffer.
  vim.schedule(function()
    if list.is_open(entry) then
      ask_when_whole(entry, nil, opts)
    end
  end)
end

--- Answers a question. What was changed by hand in its proposal goes along when it is allowed.
--- @param session string
--- @param id string
--- @param option_id string
--- @param opts? { words?: string } words: why
--- @return boolean answered
--- @return string? fault
function M.answer(session, id, option_id, opts)
  local entry = list.find(session, id)
  if not entry then
    return false, 'the question is no longer open'
  end
  local option = vim.iter(entry.question.options):find(function(candidate)
    return candidate.id == option_id
  end)
  if not option then
    return false, ('the question has no option %q'):format(option_id)
  end
  local allows = option.kind == 'allow_once' or option.kind == 'allow_always'
  local changed = allows and require('acp.ui.diff').take_text(session, id) or nil
  list.settle(session, id)
  require('acp.rpc').notify('question.answer', {
    session = session,
    question = id,
    option = option_id,
    words = opts and opts.words,
    text = changed,
  })
  return true
end

M.allow = answers.allow
M.reject = answers.reject
M.complete = answers.complete

--- @return acp.OpenQuestion? entry what a select on the screen asks
function M.asked()
  return current and list.is_open(current.entry) and current.entry or nil
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
