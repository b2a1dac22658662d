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

--- What `:AcpSessions` does with the session that is chosen.
local SESSIONS = { 'open', 'fork', 'rename', 'delete', 'close' }

--- A command about the current chat.
--- @param run fun(chat: acp.Chat, args: table)
--- @param complete? fun(lead: string, line: string): string[]
--- @return acp.Command
local function of_chat(run, complete)
  return {
    run = function(args)
      local chat = current()
      if chat then
        run(chat, args)
      end
    end,
    complete = complete,
  }
end

--- A command about a setting of the session.
--- @param category? 'mode'|'model'|'thought_level' none: any option
--- @return acp.Command
local function setting(category)
  return of_chat(function(chat, args)
    require('acp.ui.settings').run(chat, category, args.args)
  end, function(lead, line)
    local chat = require('acp.chat').current()
    return chat and require('acp.ui.settings').complete(chat, category, lead, line) or {}
  end)
end

local SCOPES = { 'session', 'turn' }

--- What `:AcpReview` takes: a scope to show, or what shall become of all.
local REVIEW = { 'session', 'turn', 'keep', 'reject', 'drop' }

--- What `:AcpTerminals` does with the command that is chosen.
local TERMINALS = { 'show', 'stop' }

--- What `:AcpMcp` decides about the files of a project.
local MCP = { 'allow', 'refuse' }

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
      require('acp.command.chat').open(args, args.bang)
    end,
    complete = function(lead, line)
      return require('acp.command.chat').complete(lead, line)
    end,
  },
  AcpNew = {
    run = function(args)
      require('acp.command.chat').open(args, true)
    end,
    complete = function(lead, line)
      return require('acp.command.chat').complete(lead, line)
    end,
  },
  AcpAsk = {
    run = function(args)
      require('acp.command.chat').ask(args)
    end,
  },
  AcpSessions = {
    run = function(args)
      local action = args.args == '' and 'open' or args.args
      if not vim.list_contains(SESSIONS, action) then
        local known = table.concat(SESSIONS, ', ')
        return require('acp.message').warn(('%q is none of %s'):format(action, known))
      end
      require('acp.ui.sessions').open({ action = action, all = args.bang })
    end,
    complete = completes(SESSIONS),
  },
  AcpFork = of_chat(function(chat, args)
    require('acp.ui.sessions').fork(chat, args.args ~= '' and args.args or nil)
  end),
  AcpRename = of_chat(function(chat, args)
    require('acp.ui.sessions').rename(chat, args.args ~= '' and args.args or nil)
  end),
  AcpClose = of_chat(function(chat)
    require('acp.chat').close(chat)
  end),
  AcpDelete = of_chat(function(chat)
    require('acp.ui.sessions').delete(chat)
  end),
  AcpExport = of_chat(function(chat, args)
    local path = args.args ~= '' and args.args or nil
    require('acp.ui.export').start(chat, { path = path, overwrite = args.bang })
  end),
  AcpConfig = setting(),
  AcpModel = setting('model'),
  AcpEffort = setting('thought_level'),
  AcpMode = setting('mode'),
  AcpAdd = {
    run = function(args)
      local range = args.range > 0 and { args.line1, args.line2 } or nil
      require('acp.attach').add(args.args, range)
    end,
    complete = function(lead, line)
      return require('acp.attach').complete(lead, line)
    end,
  },
  AcpRemove = of_chat(function(chat, args)
    require('acp.attach').remove(chat, args.args ~= '' and args.args or nil)
  end, function(lead)
    local chat = require('acp.chat').current()
    return chat and require('acp.attach').complete_remove(chat, lead) or {}
  end),
  AcpQueue = of_chat(function(chat, args)
    if args.args == 'clear' then
      require('acp.ui.queue').clear(chat)
    elseif args.args == '' then
      require('acp.ui.queue').open(chat)
    else
      require('acp.message').warn(('%q is not clear'):format(args.args))
    end
  end, completes({ 'clear' })),
  AcpHistory = {
    run = function(args)
      require('acp.ui.history').search(args.args)
    end,
  },
  AcpHide = of_chat(function(chat)
    require('acp.chat').hide(chat)
  end),
  AcpLogin = of_chat(function(chat, args)
    require('acp.ui.login').start(chat, args.args ~= '' and args.args or nil)
  end, function(lead, line)
    return require('acp.ui.login').complete(lead, line)
  end),
  AcpLogout = of_chat(function(chat)
    require('acp.ui.login').out(chat)
  end),
  AcpAddDir = of_chat(function(chat, args)
    require('acp.dirs').add(chat, args.args)
  end),
  AcpMcp = {
    run = function(args)
      if args.args ~= '' and not vim.list_contains(MCP, args.args) then
        return require('acp.message').warn(
          ('%q is none of %s'):format(args.args, table.concat(MCP, ', '))
        )
      end
      require('acp.mcp').run(args.args)
    end,
    complete = completes(MCP),
  },
  AcpTerminals = of_chat(function(chat, args)
    local action = args.args == '' and 'show' or args.args
    if not vim.list_contains(TERMINALS, action) then
      local known = table.concat(TERMINALS, ', ')
      return require('acp.message').warn(('%q is none of %s'):format(action, known))
    end
    require('acp.ui.terminals').choose(chat, action)
  end, completes(TERMINALS)),
  AcpCancel = of_chat(function(chat)
    require('acp.chat').cancel(chat)
  end),
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
  AcpRestart = of_chat(function(chat)
    require('acp.chat').restart(chat)
  end),
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
