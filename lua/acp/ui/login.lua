--- Logging in at an agent: the ways that it offers, what they ask for, and how long they take.
local message = require('acp.message')
local rpc = require('acp.rpc')
local typing = require('acp.ui.typing')

local M = {}

--- What the sidecar says of a login that is wanted.
--- @class acp.login.Choice
--- @field session string
--- @field agent string
--- @field reason? string in the agent's words; none: the user wants it
--- @field methods acp.LoginMethod[]
--- @field held integer

local named = {} --- @type table<string, string> session → what |:AcpLogin| named, until its ways are there
local running = {} --- @type table<string, string> session → the way that takes its time
local latest = {} --- @type table<string, acp.login.Choice> session → what came last
local asking --- @type acp.login.Choice? on the screen

--- @param session string
local function cancel(session)
  rpc.notify('login.cancel', { session = session })
end

--- Lets the user write a value; what is secret is not shown, and goes into no history.
--- @param field { title: string, required: boolean, secret: boolean }
--- @param on_value fun(value?: string) nil: they don't want to
local function ask_value(field, on_value)
  local opts = { prompt = field.title .. ': ' }
  if not field.secret then
    return vim.ui.input(opts, on_value)
  end
  opts.cancelreturn = vim.NIL
  local ok, value = pcall(vim.fn.inputsecret, opts)
  vim.cmd.redraw()
  on_value(ok and type(value) == 'string' and value or nil)
end

--- Asks for the values of a way, one after the other, and logs in with them.
--- @param choice acp.login.Choice
--- @param method acp.LoginMethod
--- @param values? table<string, string>
local function fill(choice, method, values)
  values = values or vim.empty_dict() --[[@as table<string, string>]]
  local count = vim.tbl_count(values)
  local field = method.fields[count + 1]
  if not field then
    local given = vim.empty_dict()
    for name, value in pairs(values) do
      given[name] = value ~= '' and value or nil
    end
    return rpc.notify(
      'login.start',
      { session = choice.session, method = method.id, values = given }
    )
  end
  ask_value(field, function(value)
    if value and (value ~= '' or not field.required) then
      values[field.name] = value
      -- One prompt of Neovim's does not follow the other within the same call.
      return vim.schedule(function()
        fill(choice, method, values)
      end)
    end
    if value then
      message.warn(('%s is needed to log in'):format(field.title))
    end
    cancel(choice.session)
  end)
end

--- @param choice acp.login.Choice
--- @param method acp.LoginMethod
local function take(choice, method)
  if method.type == 'fields' then
    fill(choice, method)
  elseif method.type == 'manual' then
    cancel(choice.session)
    require('acp.ui.detail').show({
      title = method.name,
      lines = { method.description or 'This can’t be done from here.' },
      filetype = '',
    })
  else
    rpc.notify('login.start', { session = choice.session, method = method.id })
  end
end

--- @param choice acp.login.Choice
--- @return string
local function prompt(choice)
  local status = require('acp.state').get(choice.session)
  local account = status and status.account
  local now = account and account.state == 'in' and ('now %s'):format(account.label or 'logged in')
  local why = choice.reason or now
  return ('Log in at %s%s:'):format(choice.agent, why and (' (%s)'):format(why) or '')
end

--- @param choice acp.login.Choice
local function ask(choice)
  asking = choice
  vim.cmd.redraw() -- the default select draws nothing but itself
  require('acp.ui.choose').one(choice.methods, {
    prompt = prompt(choice),
    kind = 'acp.login',
    format_item = function(method)
      local about = method.description
      return about and ('%s – %s'):format(method.name, about) or method.name
    end,
  }, function(method)
    asking = nil
    if method then
      vim.schedule(function()
        take(choice, method)
      end)
    else
      cancel(choice.session)
    end
  end)
end

--- Asks what nobody has called for: only where it is seen, and no key that was meant for something else answers it.
--- @param choice acp.login.Choice
local function decide(choice)
  local chat = require('acp.chat').get(choice.session)
  local shown = asking and asking.session == choice.session
  if not chat or shown or latest[choice.session] ~= choice then
    return
  end
  local options = require('acp.config').get().permission
  local wait = options.open == 'always' and 0 or typing.until_quiet(options.quiet_ms)
  local busy = asking or require('acp.ui.login_terminal').is_open(choice.session)
  local hidden = not require('acp.ui.layout').visible(chat) or require('acp.attention').is_away()
  local engaged = options.open ~= 'always' and typing.engaged()
  if options.open == 'manual' or busy or hidden or engaged then
    message.warn_typist(('%s wants you to log in · :AcpLogin'):format(choice.agent))
  elseif wait > 0 then
    vim.defer_fn(function()
      decide(choice)
    end, wait)
  else
    ask(choice)
  end
end

--- The ways to log in have come.
--- @param choice acp.login.Choice
function M.choose(choice)
  local session = choice.session
  local name = named[session]
  named[session] = nil
  latest[session] = choice
  -- The call of the sidecar does not wait for the answer.
  vim.schedule(function()
    if not name then
      return decide(choice)
    elseif name == '' then
      return ask(choice)
    end
    local method, fault = require('acp.ui.settings_words').one(choice.methods, name)
    if method then
      return take(choice, method)
    end
    message.warn(('%s has no way to log in called ‘%s’; %s'):format(choice.agent, name, fault))
  end)
end

--- A login takes its time, or is over.
--- @param params { session: string, name: string, state: 'running'|'done'|'failed' }
function M.state(params)
  local session, name = params.session, params.name
  running[session] = params.state == 'running' and name or nil
  if params.state == 'running' then
    message.info(('logging in by ‘%s’ … · :AcpLogin to give it up'):format(name))
  elseif params.state == 'done' then
    message.info(('logged in by ‘%s’'):format(name))
  end
  require('acp.ui.winbar').redraw(session)
end

--- @param session string
--- @return boolean
function M.running(session)
  return running[session] ~= nil
end

--- @param chat acp.Chat
local function ask_for_patience(chat)
  local give_up = 'Give it up'
  require('acp.ui.choose').one({ 'Go on waiting', give_up }, {
    prompt = ('Logging in at %s by ‘%s’:'):format(chat.agent.name, running[chat.session]),
    kind = 'acp.login',
  }, function(answer)
    if answer == give_up then
      cancel(chat.session)
    end
  end)
end

--- Logs in, by the way that is named or chosen; |:AcpLogin|.
--- @param chat acp.Chat
--- @param name? string
function M.start(chat, name)
  if require('acp.ui.login_terminal').focus(chat.session) then
    return
  elseif running[chat.session] then
    ask_for_patience(chat)
  elseif require('acp.chat').connect(chat) then
    named[chat.session] = name or ''
    rpc.notify('login.open', { session = chat.session })
  end
end

--- Logs out; |:AcpLogout|.
--- @param chat acp.Chat
function M.out(chat)
  if require('acp.chat').connect(chat) then
    rpc.notify('login.out', { session = chat.session })
  end
end

--- Completes what |M.start()| takes, as far as the ways are known.
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(lead, line)
  local chat = require('acp.chat').current()
  local status = chat and require('acp.state').get(chat.session)
  local typed = line:match('^.-Acp%a+!?%s+(.*)$') or lead
  local methods = status and status.login.methods or {}
  return require('acp.ui.settings_words').complete(methods, typed, lead)
end

require('acp.state').on_change(function(session, fields)
  local status = fields.state and require('acp.state').get(session)
  if fields.state and (not status or status.state == 'dead') then
    running[session], named[session], latest[session] = nil, nil, nil
  end
end)

return M
