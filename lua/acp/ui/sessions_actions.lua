--- What can be done with a session, whether it was chosen from the list or is that of the current chat.
local choose = require('acp.ui.choose')
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')
local text = require('acp.ui.sessions_text')

local M = {}

--- @class acp.SessionTarget
--- @field row string names it at the sidecar
--- @field title? string
--- @field agent acp.AgentSpec
--- @field chat? acp.Chat where it is open here
--- @field stored boolean whether its transcript is here

--- How the agent of a row is started; nil with a message where nothing is known of it any more.
--- @param row acp.SessionRow
--- @return acp.AgentSpec?
local function agent_of(row)
  local open = vim.iter(require('acp.chat').list()):find(function(chat)
    return chat.agent.name == row.agent and chat.cwd == row.cwd
  end)
  if open then
    return open.agent
  end
  local agent, fault = require('acp.agents').resolve(row.agent, row.cwd)
  if not agent then
    message.error(fault --[[@as string]])
  end
  return agent
end

--- @param row acp.SessionRow
--- @return acp.SessionTarget? target nil with a message
function M.of_row(row)
  local agent = agent_of(row)
  return agent
    and {
      row = row.id,
      title = row.title,
      agent = agent,
      chat = row.session and require('acp.chat').get(row.session),
      stored = row.stored,
    }
end

--- @param chat acp.Chat
--- @return acp.SessionTarget? target nil while nothing of the session is kept
function M.of_chat(chat)
  local status = state.get(chat.session)
  return status
      and status.key
      and { row = status.key, title = status.title, agent = chat.agent, chat = chat, stored = true }
    or nil
end

--- What the agent of a target can do, as far as it is known: once a session of its is open.
--- @param target acp.SessionTarget
--- @param what 'rename'|'delete'
--- @return boolean?
local function can(target, what)
  local status = target.chat and state.get(target.chat.session)
  if status and status.state ~= 'starting' then
    return status.can[what]
  end
end

--- Gives a session another title.
--- @param target acp.SessionTarget
--- @param title? string none: the user is asked
function M.rename(target, title)
  if not title then
    return vim.ui.input({ prompt = 'Title: ', default = text.title(target.title) }, function(typed)
      if typed then
        M.rename(target, typed)
      end
    end)
  end
  title = vim.trim((title:gsub('%c+', ' ')))
  if title == '' or title == target.title then
    return
  end
  rpc.notify('sessions.rename', { row = target.row, agent = target.agent, title = title })
  if can(target, 'rename') == false then
    local name = target.agent.name
    message.info(('renamed here; %s takes no titles: its own list keeps the old one'):format(name))
  end
end

--- What goes when a session is deleted.
--- @param target acp.SessionTarget
--- @return string
local function what_goes(target)
  local name, able = target.agent.name, can(target, 'delete')
  local at_agent = ('the session that %s keeps'):format(name)
  local busy = target.chat and ({ working = 1, waiting = 1 })[state.get(target.chat.session).state]
  local parts = { busy and ('%s is stopped.'):format(name) or nil }
  if not target.stored then
    table.insert(parts, ('What goes: %s.'):format(at_agent))
  elseif able == true then
    table.insert(parts, ('What goes: the transcript here, and %s.'):format(at_agent))
  elseif able == false then
    table.insert(parts, ('What goes: the transcript here; %s stays.'):format(at_agent))
  else
    table.insert(parts, ('What goes: the transcript here, and %s where it can.'):format(at_agent))
  end
  return table.concat(parts, ' ')
end

--- Deletes a session for good, after a question.
--- @param target acp.SessionTarget
function M.delete(target)
  choose.one({ 'Delete', 'Keep' }, {
    prompt = ('Delete %s? %s'):format(text.quoted(target.title), what_goes(target)),
    kind = 'acp.delete',
  }, function(choice)
    if choice ~= 'Delete' then
      return
    end
    -- Closed first: then nothing is written to it any more.
    if target.chat and require('acp.chat').get(target.chat.session) == target.chat then
      require('acp.chat').close(target.chat)
    end
    rpc.notify('sessions.delete', { row = target.row, agent = target.agent })
  end)
end

--- Opens what was chosen from the list, or says why that can't be.
--- @param row acp.SessionRow
local function open(row)
  if row.state == 'busy' then
    local rest = vim.list_contains(row.can, 'fork') and ', or :AcpSessions fork' or ''
    return message.warn(
      ('%s is open in another Neovim: close it there%s'):format(text.quoted(row.title), rest)
    )
  elseif row.state == 'gone' and not row.stored then
    return message.warn(
      ('%s has forgotten %s, and nothing of it is kept here'):format(
        row.agent,
        text.quoted(row.title)
      )
    )
  end
  require('acp.chat').open_row(row)
end

--- What `:AcpSessions` does with the row that is chosen.
--- @type table<string, { takes: (fun(row: acp.SessionRow): boolean), run: fun(row: acp.SessionRow) }>
M.list = {
  open = {
    takes = function()
      return true
    end,
    run = open,
  },
  close = {
    takes = function(row)
      return row.session ~= nil and require('acp.chat').get(row.session) ~= nil
    end,
    run = function(row)
      local chat = require('acp.chat').get(row.session)
      if chat then
        require('acp.chat').close(chat)
      end
    end,
  },
}

--- @param action 'fork'|'rename'|'delete'
--- @param run fun(row: acp.SessionRow)
local function where_it_can(action, run)
  M.list[action] = {
    takes = function(row)
      return vim.list_contains(row.can, action)
    end,
    run = run,
  }
end

where_it_can('fork', function(row)
  require('acp.chat').open_row(row, { fork = true })
end)

for _, action in ipairs({ 'rename', 'delete' }) do
  where_it_can(action, function(row)
    local target = M.of_row(row)
    if target then
      M[action](target)
    end
  end)
end

return M
