--- What attachments are called on screen, and how large they are.
local disk = require('acp.disk')

local M = {}

local KB, MB = 1024, 1024 * 1024

--- `412 B`, `1.2 KB`, `48 KB`, `3.1 MB`
--- @param bytes integer
--- @return string
function M.size(bytes)
  if bytes < KB then
    return bytes .. ' B'
  end
  -- What rounds to 1024 KB is 1 MB.
  local mega = bytes >= MB - KB / 2
  local number = bytes / (mega and MB or KB)
  local text = number < 9.95 and ('%.1f'):format(number):gsub('%.0$', '')
    or ('%d'):format(number + 0.5)
  return ('%s %s'):format(text, mega and 'MB' or 'KB')
end

--- Names come from a project and from programs: on screen each is one line.
--- @param text string
--- @return string
function M.one_line(text)
  return (text:gsub('%c+', ' '))
end

--- A path as people say it: from the folder, where it is below it.
--- @param path string absolute
--- @param cwd string
--- @return string
function M.path(path, cwd)
  for _, folder in ipairs({ cwd, disk.real_path(cwd) }) do
    local root = folder:sub(-1) == '/' and folder or folder .. '/'
    if vim.startswith(path, root) then
      return path:sub(#root + 1)
    end
  end
  return vim.fn.fnamemodify(path, ':~')
end

--- @param attachment acp.TextAttachment
--- @param cwd string
--- @return string
local function of_text(attachment, cwd)
  local name = attachment.name or attachment.path and M.path(attachment.path, cwd) or '[No Name]'
  local first, last = attachment.startLine, attachment.endLine
  if not first then
    return name
  end
  return last and last > first and ('%s:%d-%d'):format(name, first, last)
    or ('%s:%d'):format(name, first)
end

--- The size of a file: of its text in the buffer, where one is loaded with changes.
--- @param path string
--- @return integer?
local function file_size(path)
  local buf = require('acp.buffers').find(disk.real_path(path))
  if buf and vim.bo[buf].modified then
    return vim.api.nvim_buf_get_offset(buf, vim.api.nvim_buf_line_count(buf))
  end
  local stat = vim.uv.fs_stat(path)
  return stat and stat.size
end

--- @param attachment acp.Attachment
--- @param cwd string
--- @return string name `src/a.py:3-9`, `diagnostics (3)`, `shot.png`
--- @return integer? bytes nil where nobody knows
--- @return string? fact more about it: the dimensions of an image
function M.describe(attachment, cwd)
  local kind = attachment.type
  if kind == 'text' then
    return M.one_line(of_text(attachment, cwd)), #attachment.text
  elseif kind == 'file' then
    return M.one_line(M.path(attachment.path, cwd)), file_size(attachment.path)
  elseif kind == 'media' then
    local stat = vim.uv.fs_stat(attachment.path)
    local dimensions = require('acp.context.media').dimensions(attachment.path)
    return M.one_line(attachment.name), stat and stat.size, dimensions
  end
  return 'conversation'
end

--- What people see of it, in one piece: `src/a.py:3-9 (412 B)`
--- @param attachment acp.Attachment
--- @param cwd string
--- @return string
function M.whole(attachment, cwd)
  local name, bytes, fact = M.describe(attachment, cwd)
  local facts = {} --- @type string[]
  facts[#facts + 1] = fact
  facts[#facts + 1] = bytes and M.size(bytes)
  return #facts == 0 and name or ('%s (%s)'):format(name, table.concat(facts, ', '))
end

return M
