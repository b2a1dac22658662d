--- Sessions: the list of them, asked of the sidecar and shown in one picker, and what becomes of the current one.
local actions = require('acp.ui.sessions_actions')
local message = require('acp.message')
local rpc = require('acp.rpc')
local state = require('acp.state')
local text = require('acp.ui.sessions_text')

local M = {}

--- Milliseconds after which it is said what is waited for.
local SAY_MS = 500

--- @class acp.SessionsAsked
--- @field id integer
--- @field action 'open'|'fork'|'rename'|'delete'|'close'
--- @field all boolean of every folder
--- @field mode string where the user was when the list was asked for

local count = 0
local asked --- @type acp.SessionsAsked? the last one, until it is answered
local dispose = function() end --- takes the previews of the last picker away

--- The agents whose own lists are asked for: those of open chats, and the one that a new chat would be with.
--- @return acp.AgentSpec[]
local function agents()
  local found, names = {}, {}
  local function add(agent)
    if agent and not names[agent.name] then
      names[agent.name] = true
      table.insert(found, agent)
    end
  end
  for _, chat in ipairs(require('acp.chat').list()) do
    add(chat.agent)
  end
  local known = require('acp.agents')
  local configured = known.configured()
  local name = require('acp.config').get().agent or (#configured == 1 and configured[1])
  add(name and known.resolve(name) or nil)
  return found
end

--- @param specs acp.AgentSpec[]
local function say_that_it_is_asked(specs)
  local names = vim.tbl_map(function(agent)
    return agent.name
  end, specs)
  if #names == 0 then
    return message.info('looking for sessions …')
  end
  local their = #names == 1 and 'its' or 'their'
  message.info(('asking %s for %s sessions …'):format(table.concat(names, ', '), their))
end

--- Lets the user choose a session, for what shall be done with it.
--- @param opts { action: 'open'|'fork'|'rename'|'delete'|'close', all?: boolean } all: of every folder
function M.open(opts)
  if vim.fn.getcmdwintype() ~= '' then
    return message.warn('leave the command-line window first')
  elseif not require('acp.sidecar').channel() then
    return
  end
  count = count + 1
  local ask = {
    id = count,
    action = opts.action,
    all = opts.all == true,
    mode = vim.api.nvim_get_mode().mode,
  }
  asked = ask
  local specs = agents()
  rpc.notify('sessions.list', { id = ask.id, cwd = vim.fn.getcwd(), all = ask.all, agents = specs })
  vim.defer_fn(function()
    if asked == ask then
      say_that_it_is_asked(specs)
    end
  end, SAY_MS)
end

--- Says that there is nothing to choose from, and what can be done.
--- @param ask acp.SessionsAsked
--- @param rows acp.SessionRow[] all of them
local function say_that_there_is_none(ask, rows)
  if ask.action == 'close' then
    return message.info('no session is open here')
  elseif #rows == 0 then
    return message.info(
      ask.all and 'no sessions yet: :AcpChat begins one'
        or 'no sessions in this folder: :AcpChat, or :AcpSessions! for all'
    )
  end
  local names, seen = {}, {}
  for _, row in ipairs(rows) do
    if not seen[row.agent] then
      seen[row.agent] = true
      table.insert(names, row.agent)
    end
  end
  message.warn(('no session to %s: %s cannot'):format(ask.action, table.concat(names, ', ')))
end

--- @param rows acp.SessionRow[]
--- @return acp.SessionRow[] the newest first
local function sorted(rows)
  local order = {}
  for i, row in ipairs(rows) do
    order[row] = i
  end
  rows = vim.list_slice(rows)
  table.sort(rows, function(a, b)
    local left, right = a.updated or 0, b.updated or 0
    return left > right or (left == right and order[a] < order[b])
  end)
  return rows
end

--- @param ask acp.SessionsAsked
--- @param all acp.SessionRow[]
local function pick(ask, all)
  local action = actions.list[ask.action]
  local rows = sorted(vim.tbl_filter(action.takes, all))
  if #rows == 0 then
    return say_that_there_is_none(ask, all)
  end
  local current = require('acp.chat').current()
  local labels = text.labels(rows, { all = ask.all, current = current and current.session })
  local previews = require('acp.ui.sessions_preview').new(function(item)
    return text.preview(item.row)
  end)
  local items = vim.tbl_map(function(row)
    return { row = row, preview = previews.text(text.preview(row)) }
  end, rows)
  dispose()
  dispose = previews.dispose
  require('acp.ui.choose').one(
    items,
    vim.tbl_extend('error', previews.opts, {
      prompt = ('Session to %s:'):format(ask.action),
      kind = 'acp.session',
      format_item = function(item)
        return labels[item.row]
      end,
    }),
    function(item)
      previews.dispose()
      if item then
        action.run(item.row)
      end
    end
  )
end

--- The list has come.
--- @param params { id: integer, rows: acp.SessionRow[], notes: string[] }
function M.show(params)
  local ask = asked
  if not ask or params.id ~= ask.id then
    return
  end
  asked = nil
  if #params.notes > 0 then
    message.warn(table.concat(params.notes, '\n'))
  end
  vim.schedule(function() -- the call of the sidecar does not wait for the choice
    -- A picker would take the keys of what has been begun meanwhile.
    if vim.api.nvim_get_mode().mode ~= ask.mode then
      local words = ask.action == 'open' and '' or ' ' .. ask.action
      return message.info(('the sessions are found · :AcpSessions%s'):format(words))
    end
    pick(ask, params.rows)
  end)
end

--- The session of a chat as something that is kept, or nil with a message.
--- @param chat acp.Chat
--- @param what string
--- @return acp.SessionTarget?
local function kept(chat, what)
  local target = actions.of_chat(chat)
  if not target then
    message.info(('nothing to %s yet: the session is kept from its first prompt on'):format(what))
  end
  return target
end

--- Gives the session of a chat another title.
--- @param chat acp.Chat
--- @param title? string none: the user is asked
function M.rename(chat, title)
  local target = kept(chat, 'rename')
  if target then
    actions.rename(target, title)
  end
end

--- Deletes the session of a chat for good, after a question.
--- @param chat acp.Chat
function M.delete(chat)
  local target = kept(chat, 'delete')
  if target then
    actions.delete(target)
  end
end

--- Goes on in a session that begins like that of a chat.
--- @param chat acp.Chat
--- @param prompt? string is sent there
function M.fork(chat, prompt)
  local status = state.get(chat.session)
  if not kept(chat, 'fork') then
    return
  elseif status and status.state == 'starting' then
    return message.info(('%s is still starting: then it can be forked'):format(chat.agent.name))
  elseif not (status and status.can.fork) then
    local name = chat.agent.name
    return message.warn(
      ('%s cannot fork: :AcpExport this, and attach it to a new one'):format(name)
    )
  end
  require('acp.chat').fork(chat, { text = prompt })
end

return M
