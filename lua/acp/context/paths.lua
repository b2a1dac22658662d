--- Paths that a user writes, and the text of files.
local buffers = require('acp.buffers')
local disk = require('acp.disk')
local utf8 = require('acp.utf8')

local M = {}

--- A file with a NUL in its first bytes is no text, as git sees it.
local SNIFF_BYTES = 8000

--- @param text string
--- @return string
local function absolute(text)
  if text:find('^[%%#]') and not vim.uv.fs_stat(text) then
    -- What stands in backticks would be run.
    text = vim.fn.expand((text:gsub('`.*', '')))
  end
  text = text:find('^~') and vim.fn.fnamemodify(text, ':p') or text
  if not text:find('^/') and not text:find('^%a:[\\/]') then
    text = vim.fs.joinpath(vim.fn.getcwd(), text)
  end
  return vim.fs.normalize(text, { expand_env = false })
end

--- The file that is named: as it stands there, or with blanks escaped as for other commands.
--- @param text string from the working directory; `~`, `%` and `#` are understood
--- @return string? path absolute
--- @return string? fault
function M.existing(text)
  for _, written in ipairs({ text, (text:gsub('\\(.)', '%1')) }) do
    local path = absolute(written)
    local stat = vim.uv.fs_stat(path)
    if stat and stat.type ~= 'file' then
      return nil, ('%s is no file, but a %s'):format(written, stat.type)
    elseif stat and not vim.uv.fs_access(path, 'R') then
      return nil, ('%s cannot be read'):format(written)
    elseif stat then
      return path
    end
  end
  return nil, ('there is no file %s'):format(text)
end

--- Files that begin like this.
--- @param lead string
--- @return string[]
function M.complete(lead)
  local folder, start = lead:match('^(.-)([^/]*)$')
  local found = {} --- @type string[]
  for name, kind in vim.fs.dir(absolute(folder == '' and '.' or folder)) do
    if vim.startswith(name, start) and (name:sub(1, 1) ~= '.' or start ~= '') then
      local target = kind == 'link' and vim.uv.fs_stat(vim.fs.joinpath(absolute(folder), name))
      local is_folder = kind == 'directory' or target and target.type == 'directory'
      found[#found + 1] = folder .. name .. (is_folder and '/' or '')
    end
  end
  table.sort(found)
  return found
end

--- @param path string
--- @param bytes integer
--- @return string
local function head(path, bytes)
  local file = io.open(path, 'rb')
  local text = file and file:read(bytes) or ''
  if file then
    file:close()
  end
  return text
end

--- @param path string
--- @return boolean
function M.is_text(path)
  return not head(path, SNIFF_BYTES):find('%z')
end

--- How a file begins: its text in the buffer, where one is loaded.
--- @param path string
--- @param bytes integer
--- @return acp.TextAttachment
function M.text(path, bytes)
  local buf = buffers.find(disk.real_path(path))
  local text = buf and buffers.text(buf) or utf8.valid(head(path, bytes))
  return {
    type = 'text',
    path = path,
    text = text,
    filetype = vim.filetype.match({ filename = path }),
  }
end

return M
