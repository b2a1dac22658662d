--- Logins that need a terminal: a program runs in one of Neovim's, large, and says by its exit whether it went well.
local compat = require('acp.compat')
local geometry = require('acp.ui.geometry')
local layout = require('acp.ui.layout')
local message = require('acp.message')

local M = {}

--- What the sidecar says of a program.
--- @class acp.login.Program
--- @field session string
--- @field method string
--- @field name string
--- @field command string
--- @field args string[]
--- @field env table<string, string>
--- @field cwd string
--- @field foreign? boolean the agent has named it

--- Share of the screen.
local WIDTH, HEIGHT = 0.9, 0.8
--- How long a program has to end by itself when Neovim does.
local GRACE_MS = 300

local open = {} --- @type table<string, integer> session → buffer

--- @param program acp.login.Program
--- @param code? integer
local function ended(program, code)
  require('acp.rpc').notify('login.ended', {
    session = program.session,
    method = program.method,
    code = code,
  })
end

--- A word as one would type it into a shell, control bytes made visible.
--- @param word string
--- @return string
local function quoted(word)
  local shown = vim.fn.strtrans(word)
  return shown:find('^[%w@%%+=:,./_-]+$') and shown or ("'%s'"):format(shown:gsub("'", [['\'']]))
end

--- The whole command line.
--- @param program acp.login.Program
--- @return string
local function command_line(program)
  return table.concat(vim.tbl_map(quoted, { program.command, unpack(program.args) }), ' ')
end

--- The name of the login and its command line, of which the end goes where there is no room.
--- @param program acp.login.Program
--- @param columns integer
--- @return string
local function title(program, columns)
  local text = (' %s: %s '):format(program.name, command_line(program))
  local shown = vim.fn.strcharpart(text, 0, columns) -- no character has less than a column
  while vim.api.nvim_strwidth(shown) > columns do
    shown = vim.fn.strcharpart(shown, 0, vim.fn.strcharlen(shown) - 1)
  end
  return shown == text and text
    or vim.fn.strcharpart(shown, 0, vim.fn.strcharlen(shown) - 2) .. '… '
end

--- @param buf integer
--- @return string
local function group_of(buf)
  return ('acp.login.%d'):format(buf)
end

--- @param buf integer
--- @return integer?
local function window(buf)
  local win = vim.fn.win_findbuf(buf)[1]
  return win and vim.api.nvim_win_is_valid(win) and win or nil
end

--- @return { width: integer, height: integer }
local function size()
  return {
    width = math.floor(vim.o.columns * WIDTH),
    height = math.floor(geometry.screen_rows() * HEIGHT),
  }
end

--- Whether a login runs in a terminal.
--- @param session string
--- @return boolean
function M.is_open(session)
  return open[session] ~= nil
end

--- Goes to the terminal in which a login runs.
--- @param session string
--- @return boolean there
function M.focus(session)
  local buf = open[session]
  if not buf then
    return false
  end
  local win = window(buf)
  if win then
    vim.api.nvim_set_current_win(win)
    vim.cmd.startinsert()
  end
  return win ~= nil
end

--- Neovim exits. What it leaves a terminal's program is a signal that can be ignored.
--- @param job integer
local function kill(job)
  local known, pid = pcall(vim.fn.jobpid, job)
  if not known then
    return
  end
  -- With all that it has started.
  local all = vim.fn.has('win32') == 1 and pid or -pid
  pcall(vim.uv.kill, all, 'sighup')
  if vim.fn.jobwait({ job }, GRACE_MS)[1] == -1 then
    pcall(vim.uv.kill, all, 'sigkill')
  end
end

--- The chat is gone: nobody waits for its login any more.
--- @param session string
function M.close(session)
  local buf = open[session]
  if buf and vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

--- The program has ended. What it said of a failure stays to be read.
--- @param program acp.login.Program
--- @param buf integer
--- @param code integer
local function finish(program, buf, code)
  open[program.session] = nil
  vim.api.nvim_del_augroup_by_name(group_of(buf))
  ended(program, code)
  local win = vim.api.nvim_buf_is_valid(buf) and window(buf)
  if not win then
    return
  elseif code == 0 then
    return vim.api.nvim_win_close(win, true)
  end
  if vim.api.nvim_get_current_win() == win then
    vim.cmd.stopinsert()
  end
  vim.api.nvim_win_set_config(win, {
    title = (' %s: ended with code %d '):format(program.name, code),
    footer = ' q close ',
    footer_pos = 'right',
  })
  for _, lhs in ipairs({ 'q', '<Esc>' }) do
    local opts = { buffer = buf, nowait = true, desc = 'acp: Close.' }
    vim.keymap.set('n', lhs, '<Cmd>close<CR>', opts)
  end
end

--- @param program acp.login.Program
local function run(program)
  if not require('acp.chat').get(program.session) then
    return
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe' -- and with it the program
  local room = size()
  local win = layout.float(
    buf,
    vim.tbl_extend('error', room, {
      title = title(program, room.width),
      footer = [[ <C-\><C-n>:q gives it up ]],
      footer_pos = 'right',
    })
  )
  local ok, job = pcall(compat.run_in_terminal, win, { program.command, unpack(program.args) }, {
    cwd = program.cwd,
    env = next(program.env) and program.env or nil,
    on_exit = function(_, code)
      vim.schedule(function()
        finish(program, buf, code)
      end)
    end,
  })
  if not ok or job <= 0 then
    vim.api.nvim_win_close(win, true)
    local why = ok and 'it is no program' or message.reason(job)
    message.error(('%s: %s'):format(command_line(program), why))
    return ended(program)
  end
  open[program.session] = buf
  local group = vim.api.nvim_create_augroup(group_of(buf), {})
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    desc = 'acp: a login ends with Neovim',
    callback = function()
      kill(job)
    end,
  })
  vim.api.nvim_create_autocmd('VimResized', {
    group = group,
    buffer = buf,
    desc = 'acp: the terminal keeps its share of the screen',
    callback = function()
      layout.refit(win, size())
    end,
  })
  vim.cmd.startinsert()
end

--- What the agent has named is not run unseen: all of it is shown.
--- @param program acp.login.Program
--- @param on_yes fun()
local function confirm(program, on_yes)
  local lines = { command_line(program) }
  for name, value in vim.spairs(program.env) do
    table.insert(lines, ('%s=%s'):format(vim.fn.strtrans(name), quoted(value)))
  end
  local win = require('acp.ui.shown').open(program.name, lines)
  local yes = 'Run it'
  require('acp.ui.choose').one({ yes, 'Leave it' }, {
    prompt = ('Run this command of %s?'):format(program.name),
    kind = 'acp.login',
  }, function(answer)
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
    if answer == yes then
      vim.schedule(on_yes)
    else
      require('acp.rpc').notify('login.cancel', { session = program.session })
    end
  end)
end

--- Runs the program of a login.
--- @param program acp.login.Program
function M.open(program)
  -- The call of the sidecar does not wait for it.
  vim.schedule(function()
    if not program.foreign then
      return run(program)
    end
    confirm(program, function()
      run(program)
    end)
  end)
end

return M
