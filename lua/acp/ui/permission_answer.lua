--- Answers to permission questions from any buffer, without a select: |:AcpAllow| and |:AcpReject|.
---
--- They answer what the user has seen. A question that came up while the command was being typed, or so shortly before
--- a key that nobody can have read it, is asked instead.
local M = {}

local list = require('acp.ui.permission_list')
local message = require('acp.message')
local text = require('acp.ui.permission_text')
local typing = require('acp.ui.typing')

--- Milliseconds that it takes to see what has come up, and to press a key about it.
local SEEN_MS = 300

--- Milliseconds in which a command is run once its line was left.
local RUN_MS = 50

--- Kinds of options, those that are meant first.
local ALLOW, REJECT = { 'allow_once', 'allow_always' }, { 'reject_once', 'reject_always' }

local done = {
  allow_once = 'allowed once',
  allow_always = 'allowed always',
  reject_once = 'rejected',
  reject_always = 'rejected always',
}

local line_entered, line_left = 0, 0 -- nanoseconds

--- When the user made up their mind. What runs without a key is a script, and knows what it does.
--- @return integer? nanoseconds nil for a script
local function decided()
  local now = vim.uv.hrtime()
  local wait, typed = typing.until_quiet(SEEN_MS)
  if wait == 0 or not typed then
    return nil
  end
  local since = now - SEEN_MS * 1e6
  return now - line_left < RUN_MS * 1e6 and math.min(line_entered, since) or since
end

--- Whether a question was there to be seen at a time: it was announced or asked, or its card is on the screen.
--- @param entry acp.OpenQuestion
--- @param time integer
--- @return boolean
local function seen(entry, time)
  local chat = require('acp.chat').get(entry.session)
  local has_card = chat and require('acp.ui.layout').visible(chat)
  local since = entry.shown or has_card and entry.since
  return since and since <= time or false
end

--- @param entry acp.OpenQuestion
--- @param kinds string[]
--- @return boolean
local function has(entry, kinds)
  return vim.iter(entry.question.options):any(function(option)
    return vim.list_contains(kinds, option.kind)
  end)
end

--- Open questions in the order in which they are meant: the one whose diff is current, what is asked on the screen,
--- those of the current chat, and the oldest of any. Where two are alike, one comes first that has such an answer.
--- @param kinds string[]
--- @return acp.OpenQuestion[]
local function meant(kinds)
  local session, id = require('acp.ui.diff').current()
  local asked = require('acp.ui.permission').asked()
  local chat = require('acp.chat').current()
  local function rank(entry)
    if entry.session == session and entry.question.id == id then
      return 1
    elseif entry == asked then
      return 2
    elseif require('acp.ui.diff').shows(entry.session, entry.question.id) then
      return 3
    end
    local near = chat and chat.session == entry.session
    return (near and 4 or 6) + (has(entry, kinds) and 0 or 1)
  end
  local entries, ranks, order = vim.list_slice(list.open), {}, {}
  for i, entry in ipairs(entries) do
    ranks[entry], order[entry] = rank(entry), i
  end
  table.sort(entries, function(a, b)
    return ranks[a] < ranks[b] or (ranks[a] == ranks[b] and order[a] < order[b])
  end)
  return entries
end

--- The question that an answer is for.
--- @param kinds string[]
--- @return acp.OpenQuestion? entry
--- @return boolean? unseen it can't be the one that the user means
local function target(kinds)
  if list.asking and list.is_open(list.asking) then
    return list.asking
  end
  local entries, time = meant(kinds), decided()
  for _, entry in ipairs(entries) do
    if not time or seen(entry, time) then
      return entry
    end
  end
  return entries[1], true
end

--- @param entry acp.OpenQuestion
--- @param kind string
--- @return table[] options
local function of_kind(entry, kind)
  return vim.tbl_filter(function(option)
    return option.kind == kind
  end, entry.question.options)
end

--- @param entry acp.OpenQuestion
--- @param name string an id, a name, or the beginning of one
--- @return table[] options
local function named(entry, name)
  local lead = name:lower()
  local tests = {
    function(option)
      return option.id == name
    end,
    function(option)
      return option.name:lower() == lead
    end,
    function(option)
      return vim.startswith(option.name:lower(), lead)
    end,
  }
  for _, test in ipairs(tests) do
    local found = vim.tbl_filter(function(option)
      return vim.list_contains(ALLOW, option.kind) and test(option)
    end, entry.question.options)
    if #found > 0 then
      return found
    end
  end
  return {}
end

--- Answers with the only option there is, else lets the user choose.
--- @param entry acp.OpenQuestion
--- @param options table[]
--- @param how string what the options do, in words
--- @param words? string
local function give(entry, options, how, words)
  if #options ~= 1 then
    local why = (#options == 0 and 'no answer %s' or 'more than one answer %s'):format(how)
    return require('acp.ui.permission').choose(entry, { why = why, words = words })
  end
  M.give(entry, options[1], words)
end

--- Sends an answer and says which it was.
--- @param entry acp.OpenQuestion
--- @param option table
--- @param words? string
function M.give(entry, option, words)
  local id = entry.question.id
  local ok, fault =
    require('acp.ui.permission').answer(entry.session, id, option.id, { words = words })
  if not ok then
    return message.warn(fault --[[@as string]])
  end
  local what = done[option.kind] or ('answered “%s”'):format(option.name)
  local more = #list.open
  local rest = more > 0
      and (' · %d more question%s · :AcpPermission'):format(more, more == 1 and '' or 's')
    or ''
  message.info(text.fit(('%s: %s'):format(what, text.title(entry.question)), rest))
end

--- The question to answer; says so where there is none, and asks one that is too new to be meant.
--- @param kinds string[]
--- @return acp.OpenQuestion?
local function take(kinds)
  list.sync_all()
  local entry, unseen = target(kinds)
  if not entry then
    message.info('no question is open')
  elseif unseen then
    require('acp.ui.permission').choose(entry, { why = 'asked just now' })
  else
    return entry
  end
end

--- Allows what is asked for, once unless told otherwise.
--- @param name? string the option's name or id, or the beginning of its name
--- @param opts? { always?: boolean }
function M.allow(name, opts)
  local entry = take(ALLOW)
  if not entry then
    return
  elseif name and name ~= '' then
    return give(entry, named(entry, name), ('that allows is called “%s”'):format(name))
  end
  local always = opts and opts.always
  local options = of_kind(entry, always and 'allow_always' or 'allow_once')
  give(entry, options, always and 'allows it always' or 'allows it once')
end

--- Rejects what is asked for.
--- @param words? string why, for the agent
function M.reject(words)
  words = words and vim.trim(words) ~= '' and vim.trim(words) or nil
  local entry = take(REJECT)
  if not entry then
    return
  end
  local once = of_kind(entry, 'reject_once')
  give(entry, #once > 0 and once or of_kind(entry, 'reject_always'), 'rejects it', words)
end

--- Allows the question of a diff that is written.
--- @param session string
--- @param id string
--- @return boolean answered false: the user has to choose
function M.write(session, id)
  local entry = list.find(session, id)
  local options = entry and of_kind(entry, 'allow_once') or {}
  if not entry then
    return false
  elseif #options == 1 then
    M.give(entry, options[1])
    return true
  end
  local why = #options == 0 and 'no answer allows it once' or 'more than one answer allows it once'
  require('acp.ui.permission').choose(entry, { why = why })
  return false
end

--- Names of options that allow, for completion.
--- @param lead string
--- @return string[]
function M.complete(lead)
  local entry = target(ALLOW)
  local names = {}
  for _, option in ipairs(entry and entry.question.options or {}) do
    local fits = vim.startswith(option.name:lower(), lead:lower())
    if fits and vim.list_contains(ALLOW, option.kind) then
      table.insert(names, option.name)
    end
  end
  return names
end

local group = vim.api.nvim_create_augroup('acp.permission.answer', {})
vim.api.nvim_create_autocmd('CmdlineEnter', {
  group = group,
  pattern = ':',
  desc = 'acp: what comes up from now on is not what the command is about',
  callback = function()
    line_entered = vim.uv.hrtime()
  end,
})
vim.api.nvim_create_autocmd('CmdlineLeave', {
  group = group,
  pattern = ':',
  desc = 'acp: a command runs from now on',
  callback = function()
    line_left = vim.uv.hrtime()
  end,
})

return M
