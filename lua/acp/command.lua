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
