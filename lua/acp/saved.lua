--- Tells the sidecar what the user saves, so that it is not taken for the agent's work.
local conflict = require('acp.conflict')
local disk = require('acp.disk')
local reading = require('acp.reading')
local sync = require('acp.sync')

local M = {}

local api = vim.api

--- Files above this are not read again before they are written.
local MAX_BYTES = 4 * 1024 * 1024

--- File → its text before the write that is going on.
local before = {} --- @type table<string, string>
local ours = false

--- Calls `fn`, which writes for an agent.
--- @generic T
--- @param fn fun(): T
--- @return T
function M.not_by_user(fn)
  local outer = ours
  ours = true
  local ok, result = pcall(fn)
  ours = outer
  if not ok then
    error(result, 0)
  end
  return result
end

--- Whether the file is below the folders of an agent.
--- @param path string real
--- @return boolean
local function concerns_agents(path)
  return vim.iter(require('acp.chat').list()):any(function(chat)
    return disk.is_below(path, require('acp.unsaved').roots(chat))
  end)
end

--- @param args table of an autocommand
--- @return string? path real, of a file that agents may see
local function path_of(args)
  if ours or vim.bo[args.buf].buftype ~= '' then
    return nil
  end
  local path = disk.real_path(args.match)
  return concerns_agents(path) and path or nil
end

--- The text that the user has had before him, or has chosen to overwrite: none where the file was changed since.
--- @param args table
local function remember(args)
  local path = path_of(args)
  local stat = path and vim.uv.fs_stat(path)
  if not (path and stat) or stat.size > MAX_BYTES or conflict.is_open(args.buf) then
    return
  end
  local own = args.match == api.nvim_buf_get_name(args.buf)
  if own and not sync.is_known(args.buf) then
    return
  end
  local found = reading.of(args.buf, args.match)
  before[path] = found and reading.by_bytes(reading.text(found), found.fileencoding)
end

--- @param args table
local function tell(args)
  local path = path_of(args)
  if path then
    require('acp.rpc').notify('buffer.saved', {
      path = path,
      before = before[path],
      text = reading.by_bytes(require('acp.buffers').text(args.buf), vim.bo[args.buf].fileencoding),
    })
    before[path] = nil
  end
end

--- The user saved the buffer, and no autocommand told it.
--- @param buf integer
function M.unheard(buf)
  tell({ buf = buf, match = api.nvim_buf_get_name(buf) })
end

--- @param group integer of autocommands
function M.watch(group)
  api.nvim_create_autocmd('BufWritePre', {
    group = group,
    desc = 'acp: what the user is about to overwrite',
    callback = remember,
  })
  api.nvim_create_autocmd('BufWritePost', {
    group = group,
    desc = 'acp: what the user saved',
    callback = tell,
  })
end

return M
