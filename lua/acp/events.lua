--- What others can hang on: `User` autocommands about what agents do. See |acp-events|.
local message = require('acp.message')

local M = {}

--- Faults of autocommands, yet to be told: in one message, as more of them would ask for a key.
local faults = {} --- @type string[]
local TELL_MS = 50

--- @param fault string
local function report(fault)
  if #faults == 0 then
    vim.defer_fn(function()
      local text = table.concat(faults, '\n')
      faults = {}
      message.error(text)
    end, TELL_MS)
  end
  if not vim.list_contains(faults, fault) then
    faults[#faults + 1] = fault
  end
end

--- Fires an event. A fault in an autocommand of others is told, and ends nothing of ours.
--- @param event string
--- @param opts table see |nvim_exec_autocmds()|
function M.fire(event, opts)
  opts.modeline = false
  -- Within a function of Vim's an error is thrown; else it would be shown, and a key be asked for.
  local ok, fault = pcall(vim.fn.call, function()
    vim.api.nvim_exec_autocmds(event, opts)
  end, {})
  if not ok then
    report(('%s: %s'):format(opts.pattern or event, message.reason(fault)))
  end
end

--- @param name string
--- @param data table
local function user(name, data)
  M.fire('User', { pattern = name, data = data })
end

--- Calls `fn` without any autocommand.
--- @generic T
--- @param fn fun(): T
--- @return T
function M.muted(fn)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  local ok, result = pcall(fn)
  vim.o.eventignore = ignored
  if not ok then
    error(result, 0)
  end
  return result
end

local busy = { working = true, waiting = true, cancelling = true }

--- The session that works in the folder of a file now, where there is one and no other.
--- @param path string
--- @return string? session
local function at_work(path)
  local disk, state = require('acp.disk'), require('acp.state')
  local found = vim.tbl_filter(function(chat)
    local status = state.get(chat.session)
    return status ~= nil
      and busy[status.state] == true
      and disk.is_below(path, require('acp.unsaved').roots(chat))
  end, require('acp.chat').list())
  return #found == 1 and found[1].session or nil
end

--- @class (exact) acp.FileChange
--- @field session? string that worked there then, where it was one alone
--- @field path string absolute
--- @field buf? integer where one is loaded
--- @field hunks acp.ChangedHunk[]

--- A file was changed on disk, or by an agent through its buffer; once for each change.
--- @param change acp.FileChange
function M.changed(change)
  change.session = change.session or at_work(change.path)
  user('AcpFileChanged', change)
end

--- @param hunk acp.ChangedLines
--- @return acp.ChangedHunk
local function in_lua(hunk)
  return {
    old_start = hunk.oldStart,
    old_count = hunk.oldCount,
    new_start = hunk.newStart,
    new_count = hunk.newCount,
  }
end

--- A file was changed by an agent. Where a buffer holds it, the event comes when the buffer gets the change.
--- @param params { session: string, path: string, hunks: acp.ChangedLines[] }
function M.file_changed(params)
  local buf = require('acp.buffers').find(params.path)
  local sync = require('acp.sync')
  if buf and sync.is_ours(buf) then
    sync.sync(buf)
    return
  end
  M.changed({
    session = params.session,
    path = params.path,
    buf = buf,
    hunks = vim.tbl_map(in_lua, params.hunks),
  })
end

--- @param params { session: string }
function M.turn_started(params)
  require('acp.attention').turn_started(params.session)
  user('AcpTurnStart', { session = params.session })
end

--- @param params { session: string, stopReason: string, files: string[] }
function M.turn_ended(params)
  require('acp.attention').turn_ended(params.session, params.stopReason)
  user('AcpTurnEnd', {
    session = params.session,
    stop_reason = params.stopReason,
    files = params.files,
  })
end

return M
