--- Mentions in the text of a prompt: `@src/a.py`, `@src/a.py:3-9`, `@"name with blanks"`, `@selection`.
---
--- A name with blanks stands in quotes, in which `\` makes the next character plain. A file called like a word is
--- written `@./selection`.
local place = require('acp.complete.place')
local utf8 = require('acp.utf8')
local words = require('acp.complete.words')

local M = {}

--- The longest path of any system, and what may stand behind one in a sentence. A pasted text may hold anything.
local LONGEST_NAME, MOST_SIGNS = 4096, 8

--- Of larger files lines are not looked for: Neovim would stand still meanwhile.
local MOST_BYTES = 64 * 1024 * 1024

--- How a path is written in a prompt.
--- @param path string
--- @return string
function M.write(path)
  if words.is(path) then
    path = './' .. path
  end
  if path:find('%s') or vim.startswith(path, '"') then
    return '@"' .. path:gsub('[\\"]', '\\%0') .. '"'
  end
  return '@' .. path
end

--- @param chat acp.Chat
--- @param name string
--- @return string path absolute
local function absolute(chat, name)
  name = name:gsub('^~/', vim.env.HOME and vim.env.HOME .. '/' or '~/')
  if not vim.startswith(name, '/') then
    name = chat.cwd .. '/' .. name
  end
  return vim.fs.normalize(name, { expand_env = false })
end

--- @param path string
--- @return boolean
local function is_file(path)
  local stat = not path:find('%z') and vim.uv.fs_stat(path)
  return stat ~= nil and stat ~= false and stat.type == 'file'
end

--- @param path string
--- @param first integer
--- @param last integer
--- @return acp.TextAttachment?
local function lines_on_disk(path, first, last)
  local handle = io.open(path)
  if not handle then
    return nil
  end
  local kept = {}
  local count = 0
  for line in handle:lines() do
    count = count + 1
    if count >= first then
      kept[#kept + 1] = (line:gsub('\r$', ''))
    end
    if count == last then
      break
    end
  end
  handle:close()
  return #kept > 0
      and {
        type = 'text',
        path = path,
        startLine = first,
        endLine = first + #kept - 1,
        text = utf8.valid(table.concat(kept, '\n') .. '\n'),
        filetype = vim.filetype.match({ filename = path }),
      }
    or nil
end

--- Some lines of a file, as they stand in its buffer where it is loaded.
--- @param path string
--- @param first integer
--- @param last integer
--- @return acp.TextAttachment?
--- @return string? reason
local function lines(path, first, last)
  local buf = require('acp.buffers').find(require('acp.disk').real_path(path))
  if buf then
    last = math.min(last, vim.api.nvim_buf_line_count(buf))
    return first <= last and require('acp.context').lines(buf, first, last) or nil
  elseif vim.uv.fs_stat(path).size > MOST_BYTES then
    return nil, 'the file is too large to look for its lines'
  end
  return lines_on_disk(path, first, last)
end

--- @param chat acp.Chat
--- @param path string
--- @return acp.Attachment
local function file(chat, path)
  local media = require('acp.context.media').attachment(path)
  local status = require('acp.state').get(chat.session)
  if media and status and status.takes[require('acp.context.media').kind(media.mime)] then
    return media
  end
  return { type = 'file', path = path }
end

--- What a name stands for.
--- @param chat acp.Chat
--- @param name string
--- @return acp.Attachment[]? attachments nil where there is nothing of that name
--- @return string? reason
local function named(chat, name)
  local path = absolute(chat, name)
  if is_file(path) then
    return { file(chat, path) }
  end
  local short, first, last = name:match('^(.+):(%d+)%-?(%d*)$')
  path = short and absolute(chat, short)
  if path and is_file(path) then
    first = tonumber(first)
    last = tonumber(last) or first
    if first > 0 and last >= first then
      local found, reason = lines(path, first, last)
      return found and { require('acp.context').bounded(found) }, reason
    end
  end
end

--- @param text string
--- @param at integer 1-based
--- @return string
local function word_at(text, at)
  return text:sub(at, at + LONGEST_NAME):match('^%S+') or ''
end

--- Names that are meant by what stands behind an `@`: as it is, or without what belongs to the sentence.
--- @param text string
--- @param at integer 1-based, behind the `@`
--- @return string[]
local function candidates(text, at)
  if text:sub(at, at) == '"' then
    local stop = at + 1
    while stop <= #text and not text:sub(stop, stop):find('["\n]') do
      stop = stop + (text:sub(stop, stop) == '\\' and 2 or 1)
    end
    if text:sub(stop, stop) ~= '"' then
      return {}
    end
    local name = text:sub(at + 1, stop - 1):gsub('\\(.)', '%1')
    local range = text:match('^:%d+%-%d+', stop + 1) or text:match('^:%d+', stop + 1)
    return { range and name .. range or name, name }
  end
  local name = word_at(text, at)
  local all = {}
  while name ~= '' and #all <= MOST_SIGNS do
    all[#all + 1] = name
    local shorter = name:match('^(.*)[%.,;:!%?%)%]}>\'"]$')
    name = shorter or ''
  end
  return all
end

--- A mention that means nothing.
--- @class (exact) acp.Unmeant
--- @field word string
--- @field reason string

--- @param chat acp.Chat
--- @param text string
--- @param at integer 1-based, behind the `@`
--- @return acp.Attachment[]?
--- @return acp.Unmeant?
local function meant(chat, text, at)
  for _, name in ipairs(candidates(text, at)) do
    local found, reason
    if words.is(name) then
      found, reason = require('acp.context').resolve(name, chat)
      reason = reason or 'there is none'
    else
      found, reason = named(chat, name)
    end
    if found or reason then
      return found, not found and { word = '@' .. name, reason = reason } or nil
    end
  end
end

--- What makes an attachment the same as another.
--- @param attachment acp.Attachment
--- @return string
local function key(attachment)
  local parts = { attachment.path or '', attachment.startLine or '', attachment.endLine or '' }
  if not attachment.path then
    parts[#parts + 1] = attachment.name or ''
    parts[#parts + 1] = attachment.text or attachment.type
  end
  return table.concat(parts, '\0')
end

--- What a prompt's text names: each once, and not what goes along already. What does not exist stays text.
--- @param chat acp.Chat
--- @param text string
--- @return acp.Attachment[]
--- @return acp.Unmeant[] unmeant words for which there is nothing now
function M.attachments(chat, text)
  local all, unmeant, seen = {}, {}, {}
  local looked = {} --- @type table<string, true> a pasted text may say the same many times
  for _, attachment in ipairs(chat.attachments or {}) do
    seen[key(attachment)] = true
  end
  for at in text:gmatch('()@') do
    local word = word_at(text, at + 1)
    if place.begins(text, at) and not looked[word] then
      looked[word] = not vim.startswith(word, '"') or nil
      local found, missing = meant(chat, text, at + 1)
      for _, attachment in ipairs(found or {}) do
        local id = key(attachment)
        if not seen[id] then
          seen[id] = true
          all[#all + 1] = attachment
        end
      end
      unmeant[#unmeant + 1] = missing
    end
  end
  return all, unmeant
end

--- The same for a prompt that is sent: the user is told what is not there.
--- @param chat acp.Chat
--- @param text string
--- @return acp.Attachment[]
function M.sent(chat, text)
  local all, unmeant = M.attachments(chat, text)
  for _, missing in ipairs(unmeant) do
    require('acp.message').warn(('%s was sent as text: %s'):format(missing.word, missing.reason))
  end
  return all
end

return M
