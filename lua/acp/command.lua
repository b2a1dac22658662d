--- What every `:Acp…` command does, and how it completes.
local M = {}

--- The chat that a command is about, or nil with a message.
--- @return acp.Chat?
local function current()
  local chat = require('acp.chat').current()
  if not chat then
    require('acp.message').warn('there is no chat yet: open one with :AcpChat')
  end
  return chat
end

--- Splits `agent=NAME rest`.
--- @param args string
--- @return string? agent
--- @return string? text
local function chat_args(args)
  local agent, rest = args:match('^%s*agent=(%S+)%s*(.*)$')
  local text = agent and rest or args
  return agent, text ~= '' and text or nil
end

local SCOPES = { 'session', 'turn' }

--- What `:AcpReview` takes: a scope to show, or what shall become of all.
local REVIEW = { 'session', 'turn', 'keep', 'reject', 'drop' }

--- @param words string[]
--- @return fun(lead: string): string[]
local function completes(words)
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
end

--- The word that a command is given, `session` without one; nil with a message where it is none of `words`.
--- @param words string[]
--- @param args string
--- @return string?
local function word_of(words, args)
  local word = args == '' and 'session' or args
  if not vim.list_contains(words, word) then
    local known = table.concat(words, ', ')
    return require('acp.message').warn(('%q is none of %s'):format(args, known))
  end
  return word
end

--- @class (exact) acp.Command
--- @field run fun(args: table) gets what |nvim_create_user_command()| gives
--- @field complete? fun(lead: string, line: string): string[]

--- @type table<string, acp.Command>
M.commands = {
  AcpChat = {
    run = function(args)
      local agent, text = chat_args(args.args)
      require('acp.chat').open({
        agent = agent,
        new = args.bang,
        text = text,
        attachments = args.range > 0
            and { require('acp.context').lines(0, args.line1, args.line2) }
          or nil,
      })
    end,
    complete = function(lead, line)
      local first = line:match('^%s*%S+%s+(%S*)$')
      if not first then
        return {}
      end
      return vim.tbl_map(function(name)
        return 'agent=' .. name
      end, require('acp.agents').complete((lead:gsub('^agent=', ''))))
    end,
  },
  AcpHide = {
    run = function()
      local chat = current()
      if chat then
        require('acp.chat').hide(chat)
      end
    end,
  },
  AcpMode = {
    run = function(args)
      local chat = current()
      if not chat then
        return
      elseif args.args ~= '' then
        require('acp.ui.mode').set(chat, args.args)
      else
        require('acp.ui.mode').select(chat)
      end
    end,
    complete = function(lead)
      local chat = require('acp.chat').current()
      return chat and require('acp.ui.mode').complete(chat, lead) or {}
    end,
  },
  AcpCancel = {
    run = function()
      local chat = current()
      if chat then
        require('acp.chat').cancel(chat)
      end
    end,
  },
  AcpPermission = {
    run = function()
      require('acp.ui.permission').ask()
    end,
  },
  AcpAllow = {
    run = function(args)
      local name = args.args ~= '' and args.args or nil
      require('acp.ui.permission').allow(name, { always = args.bang })
    end,
    complete = function(lead)
      return require('acp.ui.permission').complete(lead)
    end,
  },
  AcpReject = {
    run = function(args)
      require('acp.ui.permission').reject(args.args ~= '' and args.args or nil)
    end,
  },
  AcpReview = {
    run = function(args)
      if args.bang then
        return require('acp.ui.review').resend(args.args)
      end
      local review = require('acp.ui.review')
      local word = word_of(REVIEW, args.args)
      if word == 'keep' or word == 'reject' then
        review.decide_all(word)
      elseif word == 'drop' then
        review.drop()
      elseif word then
        review.open(word)
      end
    end,
    complete = completes(REVIEW),
  },
  AcpDiff = {
    run = function(args)
      local scope = word_of(SCOPES, args.args)
      if scope then
        require('acp.ui.review_text').open(scope)
      end
    end,
    complete = completes(SCOPES),
  },
  AcpUndo = {
    run = function(args)
      require('acp.ui.undo').start({ redo = args.bang })
    end,
  },
  AcpFollow = {
    run = function()
      require('acp.ui.follow_agent').toggle()
    end,
  },
  AcpRestart = {
    run = function()
      local chat = current()
      if chat then
        require('acp.chat').restart(chat)
      end
    end,
  },
  AcpLog = {
    run = function()
      local chat = require('acp.chat').current()
      require('acp.log').open(chat and chat.session)
    end,
  },
}

--- @param name string
--- @param args table
function M.run(name, args)
  M.commands[name].run(args)
end

--- @param name string
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(name, lead, line)
  local complete = M.commands[name].complete
  return complete and complete(lead, line) or {}
end

return M
