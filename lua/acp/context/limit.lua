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

--- The part of an attachment from its start, which knows its lines.
--- @param attachment acp.TextAttachment
--- @param bytes integer
--- @return acp.TextAttachment
local function first(attachment, bytes)
  local part = vim.deepcopy(attachment)
  part.text = M.head(attachment.text, bytes)
  if attachment.path then
    part.startLine = attachment.startLine or 1
    part.endLine = part.startLine + math.max(1, lines(part.text)) - 1
  end
  return part
end

--- The part from its end, of a text that is no file.
--- @param attachment acp.TextAttachment
--- @param bytes integer
--- @return acp.TextAttachment
local function last(attachment, bytes)
  local part = vim.deepcopy(attachment)
  part.text = M.tail(attachment.text, bytes)
  return part
end

--- The part of something large that makes sense: of a terminal its end, of other texts their start.
--- @param attachment acp.Attachment
--- @param bytes integer
--- @return string? label nil where no part does
--- @return fun(): acp.Attachment
function M.part(attachment, bytes)
  local is_file = attachment.type == 'file'
  local is_terminal = vim.startswith(attachment.name or '', 'terminal')
  local function cut()
    local text = is_file and paths.text(attachment.path, bytes) or attachment
    return is_terminal and last(text, bytes) or first(text, bytes)
  end
  local has_text = attachment.type == 'text' or (is_file and paths.is_text(attachment.path))
  local size = names.size(bytes)
  return has_text and ('Only the %s %s'):format(is_terminal and 'last' or 'first', size) or nil, cut
end

return M
