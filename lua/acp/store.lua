--- The plugin's own files, in `stdpath('state')/acp`. They tell what was said: nobody but their owner reads them.
local M = {}

local FILE, FOLDER = tonumber('600', 8), tonumber('700', 8)

--- @param ... string names below the folder; none: the folder itself
--- @return string
function M.path(...)
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp', ...)
end

--- @param path string
--- @param flags 'a'|'w' append, or write anew
--- @param text string
--- @return boolean ok
--- @return string? fault
function M.write(path, flags, text)
  local made, why = pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p', FOLDER)
  if not made then
    return false, why
  end
  local file, fault = vim.uv.fs_open(path, flags, FILE)
  if not file then
    return false, fault
  end
  local written, err = vim.uv.fs_write(file, text)
  vim.uv.fs_close(file)
  if written == #text then
    return true
  end
  -- A disk that is full takes a part.
  return false, err or 'no space left on the device'
end

--- Writes a file anew so that it is never seen half written.
--- @param path string
--- @param text string
--- @return boolean ok
--- @return string? fault
function M.replace(path, text)
  local new = ('%s.%d'):format(path, vim.uv.os_getpid())
  local ok, fault = M.write(new, 'w', text)
  if ok then
    ok, fault = vim.uv.fs_rename(new, path)
  end
  if not ok then
    vim.uv.fs_unlink(new)
  end
  return ok == true, fault
end

return M
