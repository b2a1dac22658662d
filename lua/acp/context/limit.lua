--- Parts of texts that are too large: whole lines, from the start or the end.
local names = require('acp.context.name')
local paths = require('acp.context.paths')
local utf8 = require('acp.utf8')

local M = {}

--- @param text string
--- @param bytes integer
--- @return string
function M.head(text, bytes)
  if #text <= bytes then
    return text
  end
  local part = text:sub(1, bytes)
  local whole = part:match('^.*\n')
  return whole or text:sub(1, utf8.floor(text, bytes))
end

--- @param text string
--- @param bytes integer
--- @return string
function M.tail(text, bytes)
  if #text <= bytes then
    return text
  end
  local at = #text - bytes + 1
  -- The line that is cut goes, unless there is no other.
  local next_line = text:sub(at - 1, at - 1) == '\n' and at
    or (text:find('\n', at, true) or #text) + 1
  if next_line <= #text then
    return text:sub(next_line)
  end
  return text:sub(utf8.floor(text, at - 1) + 1)
end

--- How many lines a text has.
--- @param text string
--- @return integer
local function lines(text)
  local _, ends = text:gsub('\n', '')
  return ends + (text:sub(-1) == '\n' and 0 or 1)
end

--- Of a terminal the end tells most, of other texts the start.
--- @param attachment acp.Attachment
--- @return 'first'|'last'
local function side(attachment)
  return vim.startswith(attachment.name or '', 'terminal') and 'last' or 'first'
end

--- The part of a text that is worth most. It knows its lines, or says that it is one.
--- @param attachment acp.TextAttachment
--- @param bytes integer
--- @return acp.TextAttachment
function M.cut(attachment, bytes)
  if #attachment.text <= bytes then
    return attachment
  end
  local part = vim.deepcopy(attachment)
  local which = side(attachment)
  part.text = (which == 'last' and M.tail or M.head)(attachment.text, bytes)
  if attachment.path then
    part.startLine = attachment.startLine or 1
    part.endLine = part.startLine + math.max(1, lines(part.text)) - 1
  else
    part.name = ('%s (%s %s)'):format(attachment.name or 'text', which, names.size(bytes))
  end
  return part
end

--- What to offer of something large in place of the whole.
--- @param attachment acp.Attachment
--- @param bytes integer
--- @return string? label nil where no part makes sense
--- @return fun(): acp.Attachment
function M.part(attachment, bytes)
  local is_file = attachment.type == 'file'
  local has_text = attachment.type == 'text' or (is_file and paths.is_text(attachment.path))
  local label = ('Only the %s %s'):format(side(attachment), names.size(bytes))
  return has_text and label or nil,
    function()
      -- One byte more than is wanted shows that there is more.
      local whole = is_file and paths.text(attachment.path, bytes + 1) or attachment
      return M.cut(whole, bytes)
    end
end

return M
