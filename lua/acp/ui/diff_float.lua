--- Shows the change of files in a float.
local frame = require('acp.ui.diff_frame')
local hunks = require('acp.ui.diff_hunks')
local lines = require('acp.ui.diff_lines')

--- @class acp.DiffFloat: acp.DiffView
--- @field lines acp.DiffLines
local Float = {}
Float.__index = Float

--- @param row integer
function Float:go(row)
  vim.api.nvim_win_set_cursor(self.win, { row, 0 })
  vim.api.nvim_win_call(self.win, function()
    vim.cmd('normal! zz')
  end)
  frame.caption(self)
end

--- @param line? integer
function Float:render(line)
  local file = self.files[self.index]
  self.lines = lines.build(file)
  require('acp.ui.diff_paint').fill(self.buf, self.lines, file.path)
  vim.bo[self.buf].modified = false
  vim.api.nvim_win_call(self.win, function()
    vim.cmd('normal! zE')
    for _, fold in ipairs(self.lines.folds) do
      vim.cmd(('%d,%dfold'):format(fold[1], fold[2]))
    end
  end)
  vim.api.nvim_win_set_cursor(self.win, { 1, 0 })
  frame.fit(self)
  local first = line and lines.row_of(self.lines, line) or self.lines.hunks[1] or 1
  vim.api.nvim_win_set_cursor(self.win, { first, 0 })
  frame.caption(self)
end

--- @param by integer
function Float:go_hunk(by)
  local row = vim.api.nvim_win_get_cursor(self.win)[1]
  local found = hunks.next(self.lines.hunks, row, by)
  if found then
    self:go(found)
  end
end

--- The lines of a change that is still asked for are those of the old file.
--- @return integer?
function Float:line()
  local row = vim.api.nvim_win_get_cursor(self.win)[1]
  local side = frame.question_of(self) and 'old' or 'new'
  local piece = self.files[self.index].fragment
  return not piece and lines.number_at(self.lines, row, side) or nil
end

--- A float is never changed by hand.
--- @return nil
function Float.text() end

function Float:dispose()
  require('acp.ui.diff_paint').forget(self.buf)
  if vim.api.nvim_win_is_valid(self.win) then
    vim.api.nvim_win_close(self.win, true)
  end
end

--- @param float acp.DiffFloat
local function watch(float)
  local diff = require('acp.ui.diff')
  local function on(events, opts)
    opts.group = float.group
    vim.api.nvim_create_autocmd(events, opts)
  end
  on('VimResized', {
    callback = function()
      if not vim.api.nvim_win_is_valid(float.win) then
        return diff.close(float.session) -- `:noautocmd` closed it
      end
      frame.fit(float)
      frame.caption(float)
    end,
  })
  on('CursorMoved', {
    buffer = float.buf,
    callback = function()
      frame.caption(float)
    end,
  })
  local chat = require('acp.chat').get(float.session)
  local win = chat and require('acp.ui.layout').visible(chat)
  if win then
    on('WinClosed', {
      pattern = tostring(win),
      callback = vim.schedule_wrap(function()
        diff.close(float.session, float.block)
      end),
    })
  end
end

local M = {}

--- @param params acp.DiffParams
--- @return acp.DiffFloat
function M.open(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].modifiable = false
  vim.api.nvim_buf_set_name(buf, ('acp://diff/%d'):format(buf))
  vim.b[buf].acp_session = params.session
  local win =
    require('acp.ui.layout').float(buf, { width = 40, height = 1, row = 1, col = 0, enter = false })
  for option, value in pairs({
    wrap = true,
    linebreak = false,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
    cursorline = false,
    scrolloff = 3,
    foldmethod = 'manual',
    foldenable = true,
    foldlevel = 0,
    foldminlines = 0,
    foldtext = "v:lua.require'acp.ui.diff_paint'.foldtext()",
    statuscolumn = "%{%v:lua.require'acp.ui.diff_paint'.column()%}",
    winhighlight = 'Folded:AcpDiffFold',
    fillchars = 'fold: ',
  }) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = 'local' })
  end
  local float = setmetatable({
    kind = 'float',
    session = params.session,
    block = params.block,
    buf = buf,
    win = win,
    group = vim.api.nvim_create_augroup(('acp.diff.%d'):format(buf), {}),
  }, Float)
  watch(float)
  return float
end

return M
