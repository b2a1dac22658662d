--- Files that are dropped on the terminal: it pastes their path. That of an image or a sound, pasted into a prompt,
--- attaches it; all else is pasted as text.
local media = require('acp.context.media')

local M = {}

--- Longer than any path, escaped or as an URI.
local MAX_PATH = 16 * 1024

--- The ways in which terminals write a path: as it is, quoted, as an URI, escaped for a shell.
--- @param text string
--- @return string[]
local function readings(text)
  local found = { text }
  local quoted = text:match("^'(.*)'$") or text:match('^"(.*)"$')
  if quoted then
    -- A quote within is `'\''`.
    found[#found + 1] = (quoted:gsub("'\\''", "'"))
  elseif vim.startswith(text, 'file://') then
    local ok, path = pcall(vim.uri_to_fname, text)
    found[#found + 1] = ok and path or nil
  else
    found[#found + 1] = (text:gsub('\\(.)', '%1'))
  end
  return found
end

--- The image or sound whose path was pasted.
--- @param lines string[]
--- @return acp.MediaAttachment?
function M.named(lines)
  if #lines > 2 or #(lines[1] or '') > MAX_PATH then
    return nil
  end
  local text = vim.trim(table.concat(lines, '\n'))
  if text == '' or text:find('[\n%z]') then
    return nil
  end
  for _, path in ipairs(readings(text)) do
    local absolute = path:find('^/') or path:find('^%a:[\\/]')
    local attachment = absolute and media.attachment(path)
    if attachment then
      return attachment
    end
  end
end

--- The chat in whose prompt the user writes.
--- @return acp.Chat?
local function writing()
  local chat = require('acp.chat').get(vim.b.acp_session)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  local in_prompt = chat and vim.api.nvim_get_current_buf() == chat.prompt_buf
  return in_prompt and (mode == 'i' or mode == 'n') and chat or nil
end

--- @param lines string[]
--- @return boolean attached
local function attach(lines)
  local chat = writing()
  local attachment = chat and M.named(lines)
  return attachment ~= nil and require('acp.attach').attach(chat, attachment)
end

--- A paste that comes in parts waits for its end, as long as it may be a path.
--- @param paste fun(lines: string[], phase: integer): boolean?
--- @return fun(lines: string[], phase: integer): boolean?
local function around(paste)
  local held --- @type string[]?
  return function(lines, phase)
    if phase == -1 then
      return attach(lines) or paste(lines, phase)
    elseif phase == 1 then
      held = writing() and M.named(lines) and lines or nil
      return held ~= nil or paste(lines, phase)
    end
    local first = held
    held = nil
    if not first then
      return paste(lines, phase)
    elseif phase == 3 and table.concat(lines) == '' then
      return attach(first) or paste(first, -1)
    end
    return paste(first, 1) and paste(lines, phase)
  end
end

local wrapped = false

--- From here on, drops are seen.
function M.setup()
  if not wrapped then
    wrapped = true
    vim.paste = around(vim.paste) -- luacheck: ignore 122
  end
end

return M
