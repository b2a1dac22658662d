--- Settings of a session: what the agent offers, in its own words.
local message = require('acp.message')
local state = require('acp.state')
local words = require('acp.ui.settings_words')

local M = {}

--- What options of a category are called, one and many.
local NOUNS = {
  mode = { 'mode', 'modes' },
  model = { 'model', 'models' },
  thought_level = { 'effort', 'levels of effort' },
}

--- What the agent offers; nil with a message where that is nothing.
--- @param chat acp.Chat
--- @return acp.ConfigOption[]?
local function offered(chat)
  local status = state.get(chat.session)
  local name = chat.agent.name
  if not chat.opened or not status then
    message.info(('%s is not running: the next prompt or :AcpRestart starts it'):format(name))
  elseif status.state == 'starting' then
    message.info(('%s is still starting; its settings are not known yet'):format(name))
  elseif status.state == 'saved' then
    message.info('this session can only be read: nothing can be set in it')
  elseif #status.config == 0 then
    message.info(('%s offers nothing to set'):format(name))
  else
    return status.config
  end
end

--- The option of a category. Some agents have a provider and a model under the same one: the last counts.
--- @param options acp.ConfigOption[]
--- @param category string
--- @return acp.ConfigOption?
local function of_category(options, category)
  local found --- @type acp.ConfigOption?
  for _, option in ipairs(options) do
    local better = option.type == 'select' or not found or found.type ~= 'select'
    if option.category == category and better then
      found = option
    end
  end
  return found
end

--- @param option acp.ConfigOption
--- @return string
local function noun(option)
  return NOUNS[option.category] and NOUNS[option.category][1] or option.name
end

--- @class acp.settings.Value
--- @field value string|boolean
--- @field id string what is typed for it
--- @field name string
--- @field description? string
--- @field group? string

--- @param option acp.ConfigOption
--- @return acp.settings.Value[]
local function values(option)
  if option.type == 'boolean' then
    return { { value = true, id = 'on', name = 'On' }, { value = false, id = 'off', name = 'Off' } }
  end
  return vim.tbl_map(function(choice)
    return vim.tbl_extend('keep', { id = choice.value }, choice)
  end, option.choices)
end

--- @param option acp.ConfigOption
--- @return string
local function present(option)
  for _, value in ipairs(values(option)) do
    if value.value == option.value then
      return value.name
    end
  end
  return tostring(option.value)
end

--- @param chat acp.Chat
--- @param option acp.ConfigOption
--- @param value string|boolean
local function set(chat, option, value)
  local change = { session = chat.session, option = option.id, value = value }
  require('acp.rpc').notify('config.set', change)
  require('acp.defaults').chosen(chat, option.id, value)
end

--- @param text string
--- @param description? string
--- @return string
local function described(text, description)
  return description and ('%s – %s'):format(text, description) or text
end

--- @param chat acp.Chat
--- @param option acp.ConfigOption
local function choose_value(chat, option)
  require('acp.ui.choose').one(values(option), {
    prompt = ('%s of %s'):format(option.name, chat.agent.name),
    kind = option.category == 'mode' and 'acp.mode' or 'acp.config',
    format_item = function(value)
      local mark = value.value == option.value and '● ' or '  '
      local group = value.group and value.group .. ': ' or ''
      return described(mark .. group .. value.name, value.description)
    end,
  }, function(value)
    if value then
      set(chat, option, value.value)
    end
  end)
end

--- @param chat acp.Chat
--- @param options acp.ConfigOption[]
local function choose_option(chat, options)
  require('acp.ui.choose').one(options, {
    prompt = ('Settings of %s'):format(chat.agent.name),
    kind = 'acp.config',
    format_item = function(option)
      return described(('%s: %s'):format(option.name, present(option)), option.description)
    end,
  }, function(option)
    if option then
      -- Neovim's own select leaves the first list on the screen until it is drawn anew.
      vim.schedule(function()
        vim.cmd.redraw()
        choose_value(chat, option)
      end)
    end
  end)
end

--- Sets an option to the value that a text means.
--- @param chat acp.Chat
--- @param option acp.ConfigOption
--- @param text string
local function set_named(chat, option, text)
  local all = values(option)
  local value, fault = words.one(all, text)
  if value then
    return set(chat, option, value.value)
  end
  message.warn(('%s has no %s ‘%s’; %s'):format(chat.agent.name, noun(option), text, fault))
end

--- Sets an option of the session, or lets the user choose.
--- @param chat acp.Chat
--- @param category? string none: `args` begin with the option
--- @param args string
function M.run(chat, category, args)
  local options = offered(chat)
  if not options then
    return
  end
  args = vim.trim(args)
  if category then
    local option = of_category(options, category)
    if not option then
      message.info(('%s offers no %s'):format(chat.agent.name, NOUNS[category][2]))
    elseif args == '' then
      choose_value(chat, option)
    else
      set_named(chat, option, args)
    end
    return
  elseif args == '' then
    return choose_option(chat, options)
  end
  local option, rest = words.first(options, args)
  if not option then
    message.warn(('%s has no setting ‘%s’; %s'):format(chat.agent.name, args, rest))
  elseif rest == '' then
    choose_value(chat, option)
  else
    set_named(chat, option, rest)
  end
end

--- Completes what |M.run()| takes.
--- @param chat acp.Chat
--- @param category? string
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(chat, category, lead, line)
  local status = state.get(chat.session)
  local options = status and status.config or {}
  local typed = line:match('^.-Acp%a+!?%s+(.*)$') or ''
  local option = category and of_category(options, category)
  if category then
    return option and words.complete(values(option), typed, lead) or {}
  end
  local before = typed:sub(1, #typed - #lead)
  if before ~= '' then
    local rest
    option, rest = words.first(options, before)
    if option then
      return words.complete(values(option), rest .. lead, lead)
    end
  end
  return words.complete(options, typed, lead)
end

return M
