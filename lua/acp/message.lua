--- Messages to the user. The only place that calls `vim.notify`.
local M = {}

local levels = { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }

--- Shows a message; safe to call from a fast event.
--- @param level 'info'|'warn'|'error'
--- @param text string
function M.notify(level, text)
  vim.schedule(function()
    vim.notify('acp: ' .. text, levels[level] or vim.log.levels.INFO, { title = 'acp' })
  end)
end

--- @param text string
function M.info(text)
  M.notify('info', text)
end

--- @param text string
function M.warn(text)
  M.notify('warn', text)
end

--- @param text string
function M.error(text)
  M.notify('error', text)
end

return M
