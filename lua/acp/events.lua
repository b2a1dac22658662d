--- What others can hang on: `User` autocommands about what agents do. See |acp-events|.
local message = require('acp.message')

local M = {}

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
    message.error(('%s: %s'):format(opts.pattern or event, message.reason(fault)))
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

--- @class (exact) acp.FileChange
--- @field session? string
--- @field path string absolute
--- @field buf? integer where one is loaded
--- @field hunks acp.ChangedHunk[]

--- A file was changed, by an agent or by others.
--- @param change acp.FileChange
function M.changed(change)
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

--- A file without a buffer was changed by an agent.
--- @param params { session: string, path: string, hunks: acp.ChangedLines[] }
function M.file_changed(params)
  M.changed({
    session = params.session,
    path = params.path,
    hunks = vim.tbl_map(in_lua, params.hunks),
  })
end

--- @param params { session: string }
function M.turn_started(params)
  user('AcpTurnStart', { session = params.session })
end

--- @param params { session: string, stopReason: string, files: string[] }
function M.turn_ended(params)
  user('AcpTurnEnd', {
    session = params.session,
    stop_reason = params.stopReason,
    files = params.files,
  })
end

return M
