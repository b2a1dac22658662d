--- What goes along with the next prompt: `:AcpAdd` and `:AcpRemove`, from any buffer.
local choose = require('acp.ui.choose')
local context = require('acp.context')
local find = require('acp.context.find')
local limit = require('acp.context.limit')
local media = require('acp.context.media')
local message = require('acp.message')
local names = require('acp.context.name')

local M = {}

--- States in which it is known what an agent takes.
local TOLD = { idle = true, working = true, waiting = true, cancelling = true }

--- Whether an agent would take such things, as far as is known yet.
--- @param chat? acp.Chat
--- @return acp.Takes
local function taking(chat)
  return function(kind)
    local status = chat and require('acp.state').get(chat.session)
    return not (status and TOLD[status.state]) or status.takes[kind]
  end
end

--- Why an agent would not take something, nil where it would, or nobody knows yet.
--- @param chat? acp.Chat
--- @param attachment acp.Attachment
--- @return string?
local function refusal(chat, attachment)
  local kind = attachment.type == 'media' and media.kind(attachment.mime)
  if chat and kind and not taking(chat)(kind) then
    local what = kind == 'image' and 'images' or 'audio'
    return ('%s takes no %s'):format(chat.agent.title or chat.agent.name, what)
  end
end

--- What tells an attachment from others: of a place in a file, that; of something that changes, its name; else what it
--- holds.
--- @param attachment acp.Attachment
--- @return string
local function identity(attachment)
  local path, name = attachment.path, attachment.name
  if attachment.type == 'conversation' then
    return 'conversation'
  elseif path then
    return ('%s\n%d-%d'):format(path, attachment.startLine or 0, attachment.endLine or 0)
  elseif not name or vim.startswith(name, 'terminal') then
    return ('%s\n%s'):format(name or '', attachment.text)
  end
  local file = vim.startswith(name, 'diagnostics') and attachment.text:match('^[^:\n]*') or ''
  return ('%s\n%s'):format(name:gsub(' %(%d+%)$', ''), file)
end

--- @param chat acp.Chat
local function changed(chat)
  require('acp.ui.attachments').show(chat)
  require('acp.draft').changed(chat)
end

--- Puts something into a list. The same thing is there once, as it is now.
--- @param list acp.Attachment[]
--- @param attachment acp.Attachment
--- @return boolean again
local function put(list, attachment)
  local id = identity(attachment)
  for i, other in ipairs(list) do
    if identity(other) == id then
      list[i] = attachment
      return true
    end
  end
  table.insert(list, attachment)
  return false
end

--- Adds to a list what is not in it.
--- @param list acp.Attachment[]
--- @param more acp.Attachment[]
function M.merge(list, more)
  for _, attachment in ipairs(more) do
    put(list, attachment)
  end
end

--- @param chat? acp.Chat
--- @param attachment acp.Attachment
local function accept(chat, attachment)
  local chats = require('acp.chat')
  -- It may have been closed meanwhile.
  chat = chat and chats.get(chat.session)
  local again = false
  if chat then
    again = put(chat.attachments, attachment)
    changed(chat)
  else
    chats.open({ attachments = { attachment }, focus = false })
    chat = chats.current()
  end
  if chat and vim.list_contains(chat.attachments, attachment) then
    local name = names.whole(attachment, chat.cwd)
    message.info((again and 'attached again, as it is now: %s' or 'attached %s'):format(name))
  end
end

--- Attaches something, when it is decided what becomes of it where it is large.
--- @param chat? acp.Chat the one that is meant; none: a new one
--- @param attachment acp.Attachment
--- @return boolean taken false with a message, where the agent does not take such things
function M.attach(chat, attachment)
  local fault = refusal(chat, attachment)
  if fault then
    message.warn_typist(fault)
    return false
  end
  local ask = require('acp.config').get().attachments.ask_bytes
  local name, bytes = names.describe(attachment, chat and chat.cwd or vim.fn.getcwd())
  if not bytes or bytes < ask then
    accept(chat, attachment)
    return true
  end
  local label, cut = limit.part(attachment, ask)
  local choices = {
    {
      label = 'Attach all of it',
      get = function()
        return attachment
      end,
    },
  }
  if label and ask > 0 and bytes > ask then
    table.insert(choices, { label = label, get = cut })
  end
  table.insert(choices, { label = 'Attach nothing' })
  choose.one(choices, {
    prompt = ('Attach %s? %s'):format(names.size(bytes), name),
    kind = 'acp.attach',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice and choice.get then
      accept(chat, choice.get())
    end
  end)
  return true
end

--- Attaches something to the next prompt of the current chat; where there is none, one opens. The cursor stays.
--- @param what string a word of `:AcpAdd` and what belongs to it; empty: the range, or what is chosen
--- @param range? [integer, integer] lines of the current buffer
function M.add(what, range)
  local chat = require('acp.chat').current()
  local wanted = {
    here = context.here(chat),
    takes = taking(chat),
    found = function(attachment, reason)
      if attachment then
        M.attach(chat, attachment)
      else
        message.warn_typist(reason or 'there is nothing to attach')
      end
    end,
  }
  what = vim.trim(what)
  local buf = vim.api.nvim_get_current_buf()
  if range and what == '' then
    return wanted.found(context.lines(buf, range[1], range[2]))
  elseif range and what == 'selection' then
    return wanted.found(require('acp.context.selection').get(buf, range))
  elseif what ~= '' then
    return find.find(what, wanted)
  end
  choose.one(find.offers(wanted.here, wanted.takes), {
    prompt = 'Attach to the next prompt',
    kind = 'acp.attach',
    format_item = function(offer)
      return ('%-12s %s'):format(offer.word, offer.text)
    end,
  }, function(offer)
    if offer then
      offer.get(wanted)
    end
  end)
end

--- Completes `:AcpAdd`.
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(lead, line)
  return find.complete(lead, line, taking(require('acp.chat').current()))
end

--- @param lead string
--- @param words string[]
--- @return string[]
local function starting_with(lead, words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- @param chat acp.Chat
--- @return string[]
local function described(chat)
  return vim.tbl_map(function(attachment)
    return (context.describe(attachment, chat.cwd))
  end, chat.attachments)
end

--- @param chat acp.Chat
--- @param index integer
local function take_away(chat, index)
  if table.remove(chat.attachments, index) then
    changed(chat)
  end
end

--- Takes an attachment away: the one that is named, the only one, or one that is chosen.
--- @param chat acp.Chat
--- @param which? string|integer its name or number
function M.remove(chat, which)
  local all = described(chat)
  if #all == 0 then
    return message.warn_typist('nothing is attached')
  elseif which then
    for i, name in ipairs(all) do
      if name == which or name == tostring(which):gsub('^@', '') then
        return take_away(chat, i)
      end
    end
    local number = tonumber(which)
    if number and all[number] then
      return take_away(chat, number)
    end
    return message.warn(
      ('%q is none of what is attached: %s'):format(which, table.concat(all, ', '))
    )
  elseif #all == 1 then
    return take_away(chat, 1)
  end
  local attachments = vim.list_slice(chat.attachments)
  choose.one(attachments, {
    prompt = 'Take away',
    kind = 'acp.attach',
    format_item = function(attachment)
      return names.whole(attachment, chat.cwd)
    end,
  }, function(attachment)
    for i, other in ipairs(chat.attachments) do
      if other == attachment then
        return take_away(chat, i)
      end
    end
  end)
end

--- Completes `:AcpRemove`.
--- @param chat acp.Chat
--- @param lead string
--- @return string[]
function M.complete_remove(chat, lead)
  return starting_with(lead, described(chat))
end

return M
