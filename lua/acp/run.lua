--- Programs of the system, one after the other: the same steps for who can wait and for who cannot.
local M = {}

--- @class (exact) acp.Ran
--- @field code integer 0: it went well; 124: it took too long; -1: it could not be started
--- @field stdout string
--- @field stderr string

--- @alias acp.Run fun(cmd: string[], opts?: table): acp.Ran

--- Time for a program to end when it has been told to.
local GRACE_MS = 500

--- @param cmd string[]
--- @param opts table
--- @param on_exit? fun(result: vim.SystemCompleted)
--- @return vim.SystemObj? process
--- @return acp.Ran? failed
local function start(cmd, opts, on_exit)
  local ok, process = pcall(vim.system, cmd, opts, on_exit)
  if ok then
    return process
  end
  return nil, { code = -1, stdout = '', stderr = tostring(process) }
end

--- What gives each program the time that is left.
--- @param ms integer
--- @return fun(opts?: table): table
local function within(ms)
  local deadline = vim.uv.now() + ms
  return function(opts)
    local left = math.max(1, deadline - vim.uv.now())
    return vim.tbl_extend('keep', { timeout = left }, opts or {})
  end
end

--- Waits for each program.
--- @generic T
--- @param steps fun(run: acp.Run): T?, string?
--- @param ms integer for all of it
--- @return T? result
--- @return string? reason
function M.now(steps, ms)
  vim.uv.update_time()
  local limit = within(ms)
  return steps(function(cmd, opts)
    opts = limit(opts)
    local process, failed = start(cmd, opts)
    return process and process:wait(opts.timeout + GRACE_MS) or failed
  end)
end

--- Goes on when a program has ended.
--- @generic T
--- @param steps fun(run: acp.Run): T?, string?
--- @param ms integer for all of it
--- @param done fun(result?: T, reason?: string)
function M.later(steps, ms, done)
  vim.uv.update_time()
  local limit = within(ms)
  local thread = coroutine.create(steps)
  local function resume(...)
    local ok, result, reason = coroutine.resume(thread, ...)
    if not ok then
      error(debug.traceback(thread, result), 0)
    elseif coroutine.status(thread) == 'dead' then
      done(result, reason)
    end
  end
  resume(function(cmd, opts)
    local process, failed = start(cmd, limit(opts), vim.schedule_wrap(resume))
    return process and coroutine.yield() or failed
  end)
end

return M
