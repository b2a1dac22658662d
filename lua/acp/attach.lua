--- What goes along with the next prompt: `:AcpAdd` and `:AcpRemove`, from any buffer.
local choose = require('acp.ui.choose')
local context = require('acp.context')
local limit = require('acp.context.limit')
local media = require('acp.context.media')
local message = require('acp.message')
local names = require('acp.context.name')
local paths = require('acp.context.paths')

local M = {}

--- What agents know, for those who name something else.
local KNOWN = {
  image = 'is no image that agents know (PNG, JPEG, GIF, WebP)',
  audio = 'is no sound that agents know (WAV, MP3, Ogg, FLAC, M4A)',
}

--- States in which it is known what an agent takes.
local TOLD = { idle = true, working = true, waiting = true, cancelling = true }

--- Why an agent would not take something, nil where it would, or nobody knows yet.
--- @param chat? acp.Chat
--- @param attachment acp.Attachment
--- @return string?
local function refusal(chat, attachment)
  local status = chat and require('acp.state').get(chat.session)
  if not chat or attachment.type ~= 'media' or not (status and TOLD[status.state]) then
    return nil
  end
  local kind = media.kind(attachment.mime)
  if not status.takes[kind] then
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
  chat = chat and require('acp.chat').get(chat.session)
  local name = names.whole(attachment, chat and chat.cwd or vim.fn.getcwd())
  if not chat then
    require('acp.chat').open({ attachments = { attachment }, focus = false })
    return message.info(('attached %s'):format(name))
  end
  local again = put(chat.attachments, attachment)
  changed(chat)
  message.info((again and 'attached again, as it is now: %s' or 'attached %s'):format(name))
end

--- A part of something large; nil where a part makes no sense.
--- @param attachment acp.Attachment
--- @param bytes integer
--- @return string? label
--- @return fun(): acp.Attachment
local function part(attachment, bytes)
  local function first()
    local whole = attachment.type == 'file' and paths.text(attachment.path, bytes) or attachment
    return limit.first(whole, bytes)
  end
  local size = names.size(bytes)
  if attachment.type == 'text' and vim.startswith(attachment.name or '', 'terminal') then
    return ('Only the last %s'):format(size),
      function()
        return limit.last(attachment, bytes)
      end
  elseif
    attachment.type == 'text' or (attachment.type == 'file' and paths.is_text(attachment.path))
  then
    return ('Only the first %s'):format(size), first
  end
  return nil, first
end

--- Attaches something, when it is decided what becomes of it where it is large.
--- @param chat? acp.Chat the one that is meant; none: a new one
--- @param attachment acp.Attachment
--- @return boolean taken false with a message, where the agent does not take such things
function M.attach(chat, attachment)
  local fault = refusal(chat, attachment)
  if fault then
    message.warn(fault)
    return false
  end
  local ask = require('acp.config').get().attachments.ask_bytes
  local name, bytes = names.describe(attachment, chat and chat.cwd or vim.fn.getcwd())
  if not bytes or bytes < ask then
    accept(chat, attachment)
    return true
  end
  local label, cut = part(attachment, ask)
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

--- @alias acp.Found fun(attachment?: acp.Attachment, reason?: string)

--- @param text string
--- @param kind? 'image'|'audio'
--- @param chat? acp.Chat
--- @param found acp.Found
local function file(text, kind, chat, found)
  local path, fault = paths.existing(text)
  if not path then
    return found(nil, fault)
  end
  local played = media.attachment(path)
  if kind and not (played and media.kind(played.mime) == kind) then
    return found(nil, ('%s %s'):format(text, KNOWN[kind]))
  end
  -- What the agent does not take as an image is a file to it like others.
  local taken = played and (kind or not refusal(chat, played))
  found(taken and played or { type = 'file', path = path })
end

--- Asks for the path where none is given.
--- @param kind? 'image'|'audio'
--- @return fun(here: acp.Context, path: string, found: acp.Found, chat?: acp.Chat)
local function named_file(kind)
  return function(_, path, found, chat)
    if path ~= '' then
      return file(path, kind, chat, found)
    end
    local prompt = kind and 'Attach the sound: ' or 'Attach the file: '
    vim.ui.input({ prompt = prompt, completion = 'file' }, function(answer)
      if answer and answer ~= '' then
        file(answer, kind, chat, found)
      end
    end)
  end
end

--- What has to be waited for, or is asked for more closely. All else is had from the context at once.
--- @type table<string, fun(here: acp.Context, rest: string, found: acp.Found, chat?: acp.Chat)>
local sources = {
  file = named_file(),
  audio = named_file('audio'),
  image = function(here, path, found, chat)
    if path == '' then
      return require('acp.clipboard').later(found)
    end
    named_file('image')(here, path, found, chat)
  end,
  diff = function(here, rest, found)
    require('acp.context.diff').later(here.cwd, rest == 'staged', found)
  end,
  symbol = function(here, name, found)
    if not here.source then
      return found(nil, 'there is no buffer with code')
    end
    require('acp.context.symbols').later(here.source.buf, function(symbols)
      found(context.symbol(symbols, here, name ~= '' and name or nil))
    end)
  end,
}

--- The words of `:AcpAdd`, and what can stand behind them.
local WORDS = {
  selection = {},
  buffer = {},
  file = {},
  symbol = {},
  diagnostics = { 'all' },
  quickfix = {},
  loclist = {},
  diff = { 'staged' },
  terminal = {},
  conversation = {},
  image = {},
  audio = {},
}
local ORDER = {
  'selection',
  'buffer',
  'file',
  'symbol',
  'diagnostics',
  'quickfix',
  'loclist',
  'diff',
  'terminal',
  'conversation',
  'image',
  'audio',
}

--- @param what string
--- @param here acp.Context
--- @param chat? acp.Chat
--- @param found acp.Found
local function find(what, here, chat, found)
  local word, rest = what:match('^(%S+)%s*(.*)$')
  if not WORDS[word] then
    found(nil, ('%q is none of %s'):format(word, table.concat(ORDER, ', ')))
  elseif sources[word] then
    sources[word](here, rest, found, chat)
  elseif word == 'terminal' then
    found(context.get(word, here, rest))
  else
    found(context.get(rest == '' and word or ('%s %s'):format(word, rest), here))
  end
end

--- What there is to attach now, to choose from.
--- @param here acp.Context
--- @param chat? acp.Chat
--- @return { label: string, get: fun(found: acp.Found) }[]
local function offers(here, chat)
  local all = {}
  local function offer(label, what)
    table.insert(all, {
      label = label,
      get = function(found)
        find(what, here, chat, found)
      end,
    })
  end
  for _, what in ipairs({
    'selection',
    'symbol',
    'diagnostics',
    'diagnostics all',
    'quickfix',
    'loclist',
  }) do
    local attachment = context.get(what, here)
    if attachment then
      local label = ('%-12s %s'):format(what:match('^%S+'), names.whole(attachment, here.cwd))
      table.insert(all, {
        label = label,
        get = function(found)
          found(attachment)
        end,
      })
    end
  end
  local name = here.source and vim.api.nvim_buf_get_name(here.source.buf) or ''
  if name ~= '' then
    local shown = names.one_line(names.path(name, here.cwd))
    table.insert(all, 1, {
      label = ('%-12s %s'):format('buffer', shown),
      get = function(found)
        find('buffer', here, chat, found)
      end,
    })
  end
  if vim.fs.root(here.cwd, '.git') then
    offer('diff         what git says was changed', 'diff')
  end
  if require('acp.context.terminal').find() then
    offer('terminal     the end of its output', 'terminal')
  end
  if require('acp.clipboard').can() then
    offer('image        from the clipboard', 'image')
  end
  offer('file         …', 'file')
  return all
end

--- Attaches something to the next prompt of the current chat; where there is none, one opens. The cursor stays.
--- @param what string a word of `:AcpAdd` and what belongs to it; empty: the range, or what is chosen
--- @param range? [integer, integer] lines of the current buffer
function M.add(what, range)
  local chat = require('acp.chat').current()
  local here = context.here(chat)
  local function found(attachment, reason)
    if attachment then
      M.attach(chat, attachment)
    else
      message.warn(reason or 'there is nothing to attach')
    end
  end
  what = vim.trim(what)
  local buf = vim.api.nvim_get_current_buf()
  if range and what == '' then
    return found(context.lines(buf, range[1], range[2]))
  elseif range and what == 'selection' then
    return found(require('acp.context.selection').get(buf, range))
  elseif what ~= '' then
    return find(what, here, chat, found)
  end
  choose.one(offers(here, chat), {
    prompt = 'Attach to the next prompt',
    kind = 'acp.attach',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice then
      choice.get(found)
    end
  end)
end

--- @param lead string
--- @param words string[]
--- @return string[]
local function starting_with(lead, words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- Completes `:AcpAdd`.
--- @param lead string
--- @param line string
--- @return string[]
function M.complete(lead, line)
  local word, rest = line:match('AcpAdd!?%s+(%S+)%s+(.*)$')
  if not word then
    return starting_with(lead, ORDER)
  elseif word == 'file' or word == 'image' or word == 'audio' then
    -- Of a path with blanks, Neovim replaces what stands behind the last.
    return vim.tbl_map(function(path)
      return path:sub(#rest - #lead + 1)
    end, paths.complete(rest))
  elseif word == 'symbol' then
    return starting_with(lead, context.symbols())
  end
  return starting_with(lead, WORDS[word] or {})
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
    return message.warn('nothing is attached')
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
