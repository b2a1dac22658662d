--- What others can hang on: `User` autocommands about what agents do. See |acp-events|.
local message = require('acp.message')

local M = {}

--- A fault in an autocommand is told, and ends nothing of ours.
--- @param name string
--- @param data table
local function fire(name, data)
  local ok, fault = pcall(vim.api.nvim_exec_autocmds, 'User', {
    pattern = name,
    modeline = false,
    data = data,
  })
  if not ok then
    message.error(('%s: %s'):format(name, fault))
  end
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
  fire('AcpFileChanged', change)
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
  fire('AcpTurnStart', { session = params.session })
end

--- @param params { session: string, stopReason: string, files: string[] }
function M.turn_ended(params)
  fire('AcpTurnEnd', {
    session = params.session,
    stop_reason = params.stopReason,
    files = params.files,
  })
end

return M
