--- Paths, and the files of buffers.
local M = {}

local api = vim.api

--- Beyond this the digest of a file would be felt.
local MAX_DIGESTED = 1024 * 1024

--- As many links as Linux follows.
local MAX_LINKS = 40
local WRITE_BITS = tonumber('222', 8)

--- The path behind all symlinks, also of what does not exist yet.
--- @param path string absolute
--- @param links? integer
--- @return string
function M.real_path(path, links)
  local real = vim.uv.fs_realpath(path)
  local parent = vim.fs.dirname(path)
  if real or parent == path then
    return real or path
  end
  local folder = M.real_path(parent, links)
  local target = vim.uv.fs_readlink(path)
  links = (links or 0) + 1
  if not target or links > MAX_LINKS then
    return (folder == '/' and '' or folder) .. '/' .. vim.fs.basename(path)
  end
  return M.real_path(target:sub(1, 1) == '/' and target or folder .. '/' .. target, links)
end

--- Runs an Ex command on a file, whatever its name: a line break would end the command.
--- @param modifiers string
--- @param command string
--- @param path string
function M.ex(modifiers, command, path)
  local line = ('%s %s'):format(command, vim.fn.fnameescape(path))
  local quoted = line:gsub('[\\"]', '\\%0'):gsub('\n', '\\n')
  vim.cmd(('%s execute "%s"'):format(modifiers, quoted))
end

--- Whether the buffer holds the text of a file: no special buffer, no `scheme://` name.
--- @param buf integer
--- @return boolean
function M.is_file(buf)
  local name = api.nvim_buf_get_name(buf)
  return name ~= '' and vim.bo[buf].buftype == '' and not name:find('^%a[%w+.-]+://')
end

--- @param path string absolute
--- @param roots string[] absolute
--- @return boolean
function M.is_below(path, roots)
  return vim.iter(roots):any(function(root)
    return vim.startswith(path, root:sub(-1) == '/' and root or root .. '/')
  end)
end

--- @param path string
--- @return string|nil text nil when it cannot be read
function M.read(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

--- @param path string
--- @return boolean
function M.ends_with_newline(path)
  local file = io.open(path, 'rb')
  if not file then
    return false
  end
  local last = file:seek('end', -1) and file:read(1)
  file:close()
  return last == '\n'
end

--- Whether Neovim would have to override the file's permissions.
--- @param path string
--- @return boolean
function M.is_locked(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return false
  end
  local writable = bit.band(stat.mode, WRITE_BITS) ~= 0 and vim.uv.fs_access(path, 'W')
  return not writable
end

--- What tells that a file was changed: another stamp than before.
--- @param path string
--- @return string|false stamp false where there is no file
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= 'file' then
    return false
  end
  local time = stat.mtime
  return ('%d.%d %d %d %d'):format(time.sec, time.nsec, stat.size, stat.ino, stat.mode)
end

--- What a file holds, in short.
--- @param path string
--- @return string|nil digest nil for what cannot be read, or is large
function M.digest(path)
  local stat = vim.uv.fs_stat(path)
  local text = stat and stat.size <= MAX_DIGESTED and M.read(path)
  -- A string with a NUL would be no string to Vim.
  return text and vim.fn.sha256((text:gsub('%z', '\1'))) or nil
end

--- How long ago the file was written.
--- @param path string
--- @return number ms, above zero whatever the clocks say
function M.age_ms(path)
  local stat = vim.uv.fs_stat(path)
  local sec, usec = vim.uv.gettimeofday()
  return stat and math.abs((sec - stat.mtime.sec) * 1000 + usec / 1000 - stat.mtime.nsec / 1e6)
    or math.huge
end

return M
