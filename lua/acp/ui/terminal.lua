--- A float with the output of a command that an agent runs: a terminal of Neovim's, which nobody types into.
local layout = require('acp.ui.layout')
local keys = require('acp.ui.keys')
local rpc = require('acp.rpc')

local M = {}

--- Lines that can be scrolled back to: the most that all Neovims take.
local SCROLLBACK = 100000
--- Columns that programs expect, where there are so many.
local USUAL_WIDTH = 80

--- @class acp.TerminalFloat
--- @field of acp.TerminalView what the sidecar said of it
--- @field buf integer
--- @field win integer
--- @field channel integer
--- @field lost? boolean the sidecar is gone

local shown --- @type acp.TerminalFloat? there is one at a time

--- @return acp.TerminalFloat?
local function current()
  return shown and vim.api.nvim_buf_is_valid(shown.buf) and shown or nil
end

--- @param of acp.TerminalView
--- @return { width: integer, height: integer }
local function size(of)
  local height = math.floor(vim.o.lines * 0.7)
  return {
    width = math.max(math.floor(vim.o.columns * 0.8), math.min(USUAL_WIDTH, vim.o.columns - 2)),
    -- What has ended doesn't grow any more.
    height = of['end'] and math.min(of.lines, height) or height,
  }
end

--- Which of several it is, and how it stands.
--- @param float acp.TerminalFloat
--- @return [string, string]
local function facts(float)
  local of, parts = float.of, {}
  if of.truncated then
    table.insert(parts, 'earlier output not kept')
  end
  for place, terminal in ipairs(of.all) do
    if terminal == of.terminal then
      table.insert(parts, ('%d of %d'):format(place, #of.all))
    end
  end
  table.insert(parts, of['end'] or float.lost and 'end unknown' or 'running')
  local failed = of['end'] and of['end'] ~= 'exit 0' and of['end'] ~= 'end unknown'
  local group = failed and 'AcpToolFailed' or 'AcpToolFact'
  return { (' %s '):format(table.concat(parts, ' · ')), group }
end

--- @param float acp.TerminalFloat
--- @return [string, string][]
local function title(float)
  local fact = facts(float)
  local width = vim.api.nvim_win_get_width(float.win)
  local room = math.max(8, width - vim.api.nvim_strwidth(fact[1]) - 4)
  local name = float.of.title
  if vim.api.nvim_strwidth(name) > room then
    name = vim.fn.strcharpart(name, 0, room - 1) .. '…'
  end
  return {
    { ' ' .. name .. ' ', 'AcpToolTitle' },
    { ('─'):rep(math.max(0, room - vim.api.nvim_strwidth(name))), 'FloatBorder' },
    fact,
  }
end

--- @param float acp.TerminalFloat
--- @return string
local function footer(float)
  local of = float.of
  local running = not of['end'] and not float.lost
  local offered = {
    { 'next', 'next', #of.all > 1 },
    { 'details', 'details', of.block ~= nil and not float.lost },
    { 'stop', 'stop', of.canStop and running },
    { 'close', 'close', true },
  }
  local words = {}
  for _, offer in ipairs(offered) do
    local key = offer[3] and keys.of('terminal', offer[1])
    if key then
      table.insert(words, ('%s %s'):format(key, offer[2]))
    end
  end
  return (' %s '):format(table.concat(words, ' · '))
end

--- @param float acp.TerminalFloat
local function caption(float)
  if not vim.api.nvim_win_is_valid(float.win) then
    return
  end
  local border = vim.api.nvim_win_get_config(float.win).border
  if border and border ~= 'none' then
    vim.api.nvim_win_set_config(float.win, {
      title = title(float),
      title_pos = 'left',
      footer = footer(float),
      footer_pos = 'right',
    })
  end
end

--- @param float acp.TerminalFloat
local function close(float)
  if vim.api.nvim_win_is_valid(float.win) then
    vim.api.nvim_win_close(float.win, true)
  elseif vim.api.nvim_buf_is_valid(float.buf) then
    vim.api.nvim_buf_delete(float.buf, { force = true })
  end
end

--- The terminal beside this one on its card.
--- @param float acp.TerminalFloat
--- @param step 1|-1
local function go(float, step)
  local all = float.of.all
  for place, terminal in ipairs(all) do
    if terminal == float.of.terminal and #all > 1 then
      local other = all[(place - 1 + step) % #all + 1]
      return rpc.notify('terminal.open', { session = float.of.session, terminal = other })
    end
  end
end

--- Opens the path at the cursor, as one that the command means.
--- @param float acp.TerminalFloat
local function open_path(float)
  local open = require('acp.ui.open')
  local chat = require('acp.chat').get(float.of.session)
  local cwd = float.of.cwd or chat and chat.cwd or vim.fn.getcwd()
  local col = vim.api.nvim_win_get_cursor(0)[2]
  local target = open.named(vim.api.nvim_get_current_line(), col, cwd, chat and chat.agent.paths)
  if not target then
    return require('acp.message').info('no path here')
  end
  close(float)
  open.file(target, cwd)
end

--- @param float acp.TerminalFloat
local function map(float)
  local function tell(method, more)
    if not float.lost then
      rpc.notify(method, vim.tbl_extend('error', { session = float.of.session }, more))
    end
  end
  local actions = {
    details = function()
      if float.of.block then
        tell('block.inspect', { block = float.of.block, details = true })
      end
    end,
    file = function()
      open_path(float)
    end,
    next = function()
      go(float, 1)
    end,
    prev = function()
      go(float, -1)
    end,
    stop = function()
      tell('terminal.stop', { terminal = float.of.terminal })
    end,
    close = function()
      close(float)
    end,
    help = function()
      keys.help('terminal')
    end,
  }
  keys.map(
    'terminal',
    float.buf,
    vim.tbl_map(function(action)
      return { 'n', action }
    end, actions)
  )
end

--- @param float acp.TerminalFloat
local function watch(float)
  local group = vim.api.nvim_create_augroup(('acp.terminal.%d'):format(float.buf), {})
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = float.buf,
    callback = function()
      vim.api.nvim_del_augroup_by_id(group)
      local of = float.of
      if not float.lost then
        rpc.notify('terminal.close', { session = of.session, terminal = of.terminal })
      end
      shown = shown ~= float and shown or nil
    end,
  })
  vim.api.nvim_create_autocmd('TermEnter', {
    group = group,
    buffer = float.buf,
    desc = 'acp: nobody reads what is typed there',
    callback = function()
      vim.cmd.stopinsert()
    end,
  })
  vim.api.nvim_create_autocmd('VimResized', {
    group = group,
    callback = function()
      if vim.api.nvim_win_is_valid(float.win) then
        layout.refit(float.win, size(float.of))
        caption(float)
      end
    end,
  })
end

--- Makes a buffer a terminal. What others do with the terminals that a user opens is not meant for it.
--- @param buf integer
--- @return integer channel
local function open_terminal(buf)
  local ignored = vim.o.eventignore
  vim.opt.eventignore:append('TermOpen')
  local ok, channel = pcall(vim.api.nvim_open_term, buf, {})
  vim.o.eventignore = ignored
  if not ok then
    error(channel, 0)
  end
  vim.bo[buf].scrollback = SCROLLBACK
  vim.bo[buf].modifiable = false
  vim.bo[buf].undolevels = -1
  return channel
end

--- Shows a terminal, in the float of another one that is shown.
--- @param of acp.TerminalView
function M.show(of)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.b[buf].acp_session = of.session
  local before = current()
  local win = before and vim.api.nvim_win_is_valid(before.win) and before.win
  if win then
    vim.api.nvim_win_set_buf(win, buf)
    layout.refit(win, size(of))
  else
    win = layout.float(buf, vim.tbl_extend('error', size(of), { title = ' ', footer = ' ' }))
  end
  local options = { wrap = false, scrolloff = 0, sidescrolloff = 0, list = false, spell = false }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
  local float = { of = of, buf = buf, win = win, channel = open_terminal(buf) }
  shown = float
  map(float)
  watch(float)
  caption(float)
  -- From its last line on Neovim follows what comes.
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  vim.api.nvim_chan_send(float.channel, of.data)
end

--- More of its output has come, or its end.
--- @param params { session: string, terminal: string, data: string, end?: string }
function M.data(params)
  local float = current()
  local of = float and float.of
  if not float or of.session ~= params.session or of.terminal ~= params.terminal then
    return
  end
  if params.data ~= '' then
    vim.api.nvim_chan_send(float.channel, params.data)
  end
  if params['end'] ~= of['end'] then
    of['end'] = params['end']
    caption(float)
  end
end

--- The sidecar is gone: nothing more is told of the terminals of a session.
--- @param session string
function M.lost(session)
  local float = current()
  if float and float.of.session == session then
    float.lost = true
    caption(float)
  end
end

return M
