--- Messages to the user. The only place that calls `vim.notify`.
local M = {}

local levels =
  { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }
local groups = { warn = 'WarningMsg', error = 'ErrorMsg' }

--- Neovim's own `vim.notify`, which asks for a key when a message is longer than the command line.
local function is_builtin()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or source == '=?' or source:find('vim/_', 1, true) ~= nil
end

--- Shows `text` without ever asking for a key: the sidecar's requests would wait for it, and it would be taken from
--- someone who types. What doesn't fit is in the log.
--- @param level 'info'|'warn'|'error'
--- @param text string
local function echo(level, text)
  local line = text:gsub('%s*\n%s*', ' · ')
  local room = vim.v.echospace
  if vim.fn.strdisplaywidth(line) > room then
    require('acp.log').write(level, text)
    line = vim.fn.strcharpart(line, 0, math.max(room - 1, 1), true) .. '…'
    while vim.fn.strdisplaywidth(line) > room do
      line = vim.fn.strcharpart(line, 0, vim.fn.strcharlen(line) - 2) .. '…'
    end
  end
  vim.api.nvim_echo({ { line, groups[level] } }, true, {})
end

--- Shows a message; safe to call from a fast event.
--- @param level 'info'|'warn'|'error'
--- @param text string
function M.notify(level, text)
  vim.schedule(function()
    if is_builtin() then
      echo(level, 'acp: ' .. text)
    else
      vim.notify(text, levels[level] or levels.info, { title = 'acp' })
    end
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
