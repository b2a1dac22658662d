--- Messages to the user. The only place that calls `vim.notify`.
local M = {}

local levels =
  { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }

--- Whether `vim.notify` is Neovim's own, which asks for a key when a message is longer than the command line, and whose
--- messages give way to the mode.
--- @return boolean
function M.is_builtin()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or source == '=?' or source:find('vim/_', 1, true) ~= nil
end

--- `text` as one line of the command line, which never asks for a key: the sidecar's requests would wait for it, and
--- it would be taken from someone who types. The whole is in the log.
--- @param level 'info'|'warn'|'error'
--- @param text string
--- @return string
local function fit(level, text)
  local line = text:gsub('%z', ' '):gsub('%s*\n%s*', ' · ')
  local room = vim.v.echospace
  if line == text and vim.fn.strdisplaywidth(line) <= room then
    return line
  end
  require('acp.log').write(level, text)
  local shown = line
  while vim.fn.strdisplaywidth(shown) > room do
    line = vim.fn.strcharpart(line, 0, math.min(vim.fn.strcharlen(line) - 1, room - 1))
    shown = line .. '…'
  end
  return shown
end

--- Shows a message; safe to call from a fast event.
--- @param level 'info'|'warn'|'error'
--- @param text string
function M.notify(level, text)
  vim.schedule(function()
    local shown = M.is_builtin() and fit(level, 'acp: ' .. text) or text
    vim.notify(shown, levels[level] or levels.info, { title = 'acp' })
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

--- Warns of what a key did not do. In Insert mode Neovim shows the mode in the place of messages: there it is told
--- again when that ends.
--- @param text string
function M.warn_typist(text)
  M.warn(text)
  if M.is_builtin() and require('acp.ui.typing').hides_messages() then
    vim.api.nvim_create_autocmd('ModeChanged', {
      group = vim.api.nvim_create_augroup('acp.message', {}),
      pattern = '*:n*',
      once = true,
      desc = 'acp: a message that was hidden',
      callback = function()
        M.warn(text)
      end,
    })
  end
end

--- The plain reason in an error of a command or an autocommand: `BufWritePre: E492: …`.
--- @param err any
--- @return string
function M.reason(err)
  local line = vim.split(tostring(err), '\n', { plain = true })[1]
  line = line:gsub('^.-nvim_exec2%(%): ', ''):gsub('^.-nvim_exec2%(%)[^.,]*[., ]*', '')
  line = line:gsub('(%w+) Autocommands for "[^"]*"', '%1')
  return (
    line
      :gsub('Vim%([^)]*%):', '')
      :gsub('Error executing lua callback: ', '')
      :gsub('Lua callback: ', '')
  )
end

--- Calls what sets off autocommands of others: a fault in one is told, and does not end what we do.
--- @param fn function
--- @param ... any
--- @return boolean ok
--- @return any result the fault, when it is not ok
function M.guard(fn, ...)
  local ok, result = pcall(fn, ...)
  if not ok then
    M.error(tostring(result))
  end
  return ok, result
end

return M
