--- The file of a buffer, and whether the buffer still knows it. Nothing here may end in a prompt.
local message = require('acp.message')

local M = {}

local api = vim.api
local group = api.nvim_create_augroup('acp.disk', {})

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

--- Buffers whose file holds what they have never seen, until they are read or written.
--- @type table<integer, true>
local outdated = {}

local function set_outdated(buf)
  outdated[buf] = true
  api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufUnload' }, {
    group = group,
    buffer = buf,
    desc = 'acp: the buffer knows its file again',
    callback = function()
      outdated[buf] = nil
      return true
    end,
  })
end

--- Whether the buffer was opened when there was no such file, and never written. Neovim tells it only in words.
local function was_new(buf)
  local info = api.nvim_buf_call(buf, function()
    return vim.fn.execute('file')
  end)
  return info:match('[^"]*$'):find(vim.fn.gettext('[New]'), 1, true) ~= nil
end

--- Looks at the file as |:checktime| does, without its questions: an unmodified buffer is read anew where
--- 'autoread' says so. Returns whether the file now holds what the buffer has never seen.
--- @param buf integer
--- @return boolean
function M.sync(buf)
  if not vim.uv.fs_stat(api.nvim_buf_get_name(buf)) then
    return false
  end
  if was_new(buf) then
    return true
  end
  local autocmd = api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = buf,
    desc = 'acp: no question about a changed file',
    callback = function()
      api.nvim_set_vvar('fcs_choice', '')
      if vim.v.fcs_reason == 'changed' or vim.v.fcs_reason == 'conflict' then
        set_outdated(buf)
      end
    end,
  })
  local ignored = vim.o.eventignore
  -- Without that autocommand it would ask.
  vim.o.eventignore = ''
  local ok, err = pcall(vim.cmd, ('silent checktime %d'):format(buf))
  vim.o.eventignore = ignored
  pcall(api.nvim_del_autocmd, autocmd)
  if not ok then
    message.warn(('reading %s anew: %s'):format(api.nvim_buf_get_name(buf), err))
  end
  return outdated[buf] ~= nil
end

return M
