--- Buffers with unsaved changes whose file was changed on disk. Neither is overwritten until it is decided.
local disk = require('acp.disk')
local events = require('acp.events')
local hunks = require('acp.hunks')
local message = require('acp.message')
local reading = require('acp.reading')
local reload_file = require('acp.reload_file')
local undo_step = require('acp.undo_step')
local utf8 = require('acp.utf8')

local M = {}

local api = vim.api
local group = api.nvim_create_augroup('acp.conflict', {})

--- Each with the autocommand that holds it back.
--- @type table<integer, { autocmd?: integer }>
local open = {}

--- @param buf integer
--- @return boolean
function M.is_open(buf)
  return open[buf] ~= nil
end

--- It is decided, or there is nothing to decide any more.
--- @param buf integer
--- @return boolean was_open
function M.settle(buf)
  local entry = open[buf]
  open[buf] = nil
  if entry and entry.autocmd then
    pcall(api.nvim_del_autocmd, entry.autocmd)
  end
  return entry ~= nil
end

--- @param buf integer
--- @param text string of the buffer; where it is the file's as well, there is no conflict
local function tell(buf, text)
  require('acp.rpc').notify('buffer.conflict', {
    path = disk.real_path(api.nvim_buf_get_name(buf)),
    text = text,
  })
end

api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufUnload' }, {
  group = group,
  desc = 'acp: the buffer knows its file again, or is gone',
  callback = function(args)
    local name = api.nvim_buf_get_name(args.buf)
    if not open[args.buf] or (args.event ~= 'BufUnload' and args.match ~= name) then
      return
    end
    M.settle(args.buf)
    if args.event ~= 'BufWritePost' then
      tell(args.buf, utf8.valid(disk.read(name) or ''))
    end
  end,
})

local hold

--- Writes as the user has asked, as if nothing held it back.
--- @param buf integer
--- @param file string
local function write(buf, file)
  local entry = open[buf]
  api.nvim_del_autocmd(entry.autocmd)
  entry.autocmd = nil
  local bang = vim.v.cmdbang == 1 and '!' or ''
  local ok, fault = pcall(disk.ex, '', 'write' .. bang, file)
  if open[buf] == entry then
    hold(buf)
  end
  if not ok then
    error(fault, 0)
  end
end

--- `:w` would lose what is on disk: it says so. `:w!` is a decision.
--- @param buf integer
function hold(buf)
  local autocmd = api.nvim_create_autocmd('BufWriteCmd', {
    group = group,
    buffer = buf,
    nested = true,
    desc = 'acp: the file was changed on disk',
    callback = function(args)
      local name = api.nvim_buf_get_name(buf)
      if vim.v.cmdbang == 1 or args.match ~= name then
        return write(buf, args.file)
      end
      message.warn(
        ('%s was changed on disk: :AcpPermission decides, :w! writes yours'):format(
          vim.fn.fnamemodify(name, ':~:.')
        )
      )
    end,
  })
  open[buf] = { autocmd = autocmd }
end

--- The file of a modified buffer was changed: it is told once for each change.
--- @param buf integer
function M.mark(buf)
  if not open[buf] then
    hold(buf)
  end
  tell(buf, require('acp.buffers').text(buf))
end

--- Buffer and file have come together without a decision: the question is withdrawn.
--- @param buf integer
function M.withdraw(buf)
  tell(buf, require('acp.buffers').text(buf))
end

--- Gives the buffer the text that was decided on, as one undo step.
--- @param buf integer
--- @param text string
local function take(buf, text)
  M.settle(buf)
  require('acp.sync').know(buf)
  local found = reading.of(buf)
  if found and reading.text(found) == text then
    return reload_file.take(buf, found)
  end
  reload_file.know(buf, true)
  -- The file has another text than each state of the history.
  vim.bo[buf].modified = true
  undo_step.begin(buf)
  require('acp.buffers').replace(buf, text)
  undo_step.finish(buf)
end

--- Ends a conflict: the buffer knows its file, and holds the text that was decided on.
--- @param params { path: string, text: string, was?: string } `path` real
--- @return { ok: true }|{ error: string }|{ stale: true }|nil result nil when no buffer of that file is loaded
function M.resolve(params)
  local buf = require('acp.buffers').find(params.path)
  if not buf then
    return nil
  elseif not vim.bo[buf].modifiable then
    return { error = "the buffer is not modifiable in Neovim ('nomodifiable')" }
  elseif require('acp.buffers').is_stale(buf, params.was) then
    return { stale = true }
  end
  local old = api.nvim_buf_get_lines(buf, 0, -1, true)
  local ok, fault = pcall(take, buf, params.text)
  if not ok then
    return { error = message.reason(fault) }
  end
  local changed = hunks.between(old, api.nvim_buf_get_lines(buf, 0, -1, true))
  if #changed > 0 then
    events.changed({ path = params.path, buf = buf, hunks = changed })
  end
  return { ok = true }
end

return M
