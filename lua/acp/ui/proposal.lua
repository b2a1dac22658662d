--- A proposal in the window of its file: a buffer of ours with the text as it would be. The user's own buffer is never
--- touched; it stands there again when the question is answered or left.
local M = {}

local bar = require('acp.ui.proposal_bar')
local borrow = require('acp.ui.borrow')
local compat = require('acp.compat')
local hunks = require('acp.ui.diff_hunks')
local lines = require('acp.ui.proposal_lines')
local message = require('acp.message')
local paint = require('acp.ui.proposal_paint')
local windows = require('acp.ui.proposal_window')

--- Milliseconds without a change by hand after which it is compared anew.
local QUIET_MS = 100

--- Options of the user's buffer that make typing in ours the same.
local TYPING = {
  'autoindent',
  'cindent',
  'commentstring',
  'comments',
  'expandtab',
  'iskeyword',
  'matchpairs',
  'shiftwidth',
  'smartindent',
  'softtabstop',
  'tabstop',
  'textwidth',
  'vartabstop',
}

--- @class acp.Proposal: acp.DiffView
--- @field place acp.ProposalPlace
--- @field lines acp.ProposalLines
--- @field old? string[] the file as it stands, while the proposal is changed by hand
--- @field added integer
--- @field removed integer
--- @field changed boolean by hand
--- @field timer uv.uv_timer_t
local Proposal = {}
Proposal.__index = Proposal

--- @param text string
--- @return string[]
local function split(text)
  if text == '' then
    return {}
  end
  return vim.split(text:sub(-1) == '\n' and text:sub(1, -2) or text, '\n', { plain = true })
end

--- The options with which the file is written, where it is loaded.
--- @param buf integer
--- @param path string
local function type_alike(buf, path)
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(other) and windows.is_of(other, path) then
      for _, name in ipairs(TYPING) do
        vim.bo[buf][name] = vim.bo[other][name]
      end
      return
    end
  end
end

--- @param self acp.Proposal
local function fill(self)
  local bo = vim.bo[self.buf]
  local undolevels = bo.undolevels
  bo.modifiable, bo.undolevels = true, -1
  vim.api.nvim_buf_set_lines(self.buf, 0, -1, false, self.lines.lines)
  bo.undolevels = undolevels
  bo.modifiable, bo.modified = self.edits or false, false
end

--- The view in which the window stays where the file was, with the cursor at the first change in it.
--- @param self acp.Proposal
--- @return table? view see |winrestview()|; nil where no change is to be seen there
local function stay(self)
  local before = self.place.view
  local file = self.files[self.index]
  if not self.place.former or not windows.is_of(self.place.former, file.path) then
    return nil
  end
  local top = lines.to_new(self.lines, before.topline)
  local bottom = top + vim.api.nvim_win_get_height(self.win) - 1
  local row = vim.iter(self.lines.hunks):find(function(row)
    return row >= top and row < bottom
  end)
  return row and { topline = top, lnum = row, col = 0 }
end

--- @param line? integer
function Proposal:render(line)
  local file = self.files[self.index]
  self.lines = lines.build(file, self.edits and split(file.text) or nil)
  self.old = self.edits and lines.old(self.lines) or nil
  self.added, self.removed, self.changed = file.added, file.removed, false
  type_alike(self.buf, file.path)
  fill(self)
  paint.syntax(self.buf, file.path, self.lines.lines)
  local view = not line and stay(self)
  local row = line and lines.to_new(self.lines, line) or self.lines.hunks[1] or 1
  paint.runs(self.buf, self.win, self.lines, view and view.topline or row)
  if view then
    borrow.restore(self.win, view)
    self:reveal()
  else
    self:go(row)
  end
  bar.redraw(self)
end

--- Neovim doesn't scroll by itself to virtual lines above the first line.
function Proposal:reveal()
  local above = paint.above(self.buf)
  if above > 0 and vim.api.nvim_win_get_cursor(self.win)[1] == 1 then
    vim.api.nvim_win_call(self.win, function()
      local room = vim.api.nvim_win_get_height(0) - 2
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topline = 1, topfill = math.max(math.min(above, room), 0) })
      end
    end)
  end
end

--- @param row integer
function Proposal:go(row)
  row = math.max(1, math.min(row, vim.api.nvim_buf_line_count(self.buf)))
  vim.api.nvim_win_set_cursor(self.win, { row, 0 })
  vim.api.nvim_win_call(self.win, function()
    vim.cmd('normal! zz')
  end)
  self:reveal()
end

--- @param by integer
function Proposal:go_hunk(by)
  local row = vim.api.nvim_win_get_cursor(self.win)[1]
  local found = hunks.next(self.lines.hunks, row, by)
  if found then
    self:go(found)
  end
end

--- @return integer
function Proposal:line()
  return lines.to_old(self.lines, vim.api.nvim_win_get_cursor(self.win)[1])
end

--- The whole proposal, where it was changed by hand.
--- @return string?
function Proposal:text()
  if not self.edits or not vim.api.nvim_buf_is_valid(self.buf) then
    return nil
  end
  local proposed = self.files[self.index].text
  local now = table.concat(vim.api.nvim_buf_get_lines(self.buf, 0, -1, false), '\n')
  if now ~= '' and (proposed == '' or proposed:sub(-1) == '\n') then
    now = now .. '\n'
  end
  return now ~= proposed and now or nil
end

--- Compares what was changed by hand, and paints it anew.
--- @param self acp.Proposal
local function compare(self)
  if not self.old or not vim.api.nvim_buf_is_valid(self.buf) then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(self.buf)
  local present = vim.api.nvim_buf_get_lines(self.buf, 0, -1, false)
  if #present == 1 and present[1] == '' then
    present = {}
  end
  local function joined(list)
    return #list == 0 and '' or table.concat(list, '\n') .. '\n'
  end
  compat.diff_later(joined(self.old), joined(present), function(indices)
    local valid = vim.api.nvim_buf_is_valid(self.buf) and vim.api.nvim_win_is_valid(self.win)
    if not valid or vim.api.nvim_buf_get_changedtick(self.buf) ~= tick then
      return -- it goes on; the next pause is soon
    end
    self.lines = lines.from_diff(self.old, present, indices)
    self.added, self.removed = 0, 0
    for _, run in ipairs(self.lines.runs) do
      self.added, self.removed = self.added + run.count, self.removed + #run.deleted
    end
    self.changed = self:text() ~= nil
    paint.runs(self.buf, self.win, self.lines, vim.api.nvim_win_get_cursor(self.win)[1])
    bar.redraw(self)
  end)
end

--- Lets the text live on that was typed into a proposal which is none any more.
--- @param self acp.Proposal
local function keep(self)
  local bo = vim.bo[self.buf]
  paint.clear(self.buf)
  bo.buftype, bo.bufhidden, bo.buflisted, bo.modified = 'nofile', 'hide', true, false
  vim.b[self.buf].acp_session = nil
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    vim.api.nvim_set_option_value('winbar', '', { scope = 'local', win = win })
  end
  if #vim.fn.win_findbuf(self.buf) == 0 then
    message.warn(('what you changed is kept in buffer %d'):format(self.buf))
  else
    message.warn('the question is closed: what you changed is kept in this buffer')
  end
end

function Proposal:dispose()
  self.timer:stop()
  self.timer:close()
  bar.detach(self)
  if vim.api.nvim_buf_is_valid(self.buf) then
    if self:text() and not self.taken then
      return keep(self)
    end
    vim.bo[self.buf].modified = false
    windows.close(self.place, self.buf)
    if vim.api.nvim_buf_is_valid(self.buf) then
      message.guard(vim.api.nvim_buf_delete, self.buf, { force = true })
    end
  end
  paint.forget(self.buf)
end

--- @param self acp.Proposal
local function watch(self)
  local function on(events, desc, callback, opts)
    vim.api.nvim_create_autocmd(
      events,
      vim.tbl_extend('force', opts or { buffer = self.buf }, {
        group = self.group,
        desc = 'acp: ' .. desc,
        callback = callback,
      })
    )
  end
  on(
    { 'TextChanged', 'TextChangedI', 'TextChangedP' },
    'compare what was changed by hand',
    function()
      self.timer:start(
        QUIET_MS,
        0,
        vim.schedule_wrap(function()
          compare(self)
        end)
      )
    end
  )
  on('CursorMoved', 'show what stands above the first line', function()
    self:reveal()
  end)
  on('BufReadCmd', ':edit! drops what was changed by hand', function()
    self:render()
  end)
  on('QuitPre', ':q leaves a proposal, and the window stays', function()
    if vim.api.nvim_get_current_win() == self.win then
      windows.quit(self.place, self.buf)
    end
  end)
  on('WinResized', 'deleted lines are cut for the width', function()
    if vim.list_contains(vim.v.event.windows, self.win) and vim.api.nvim_win_is_valid(self.win) then
      local row = vim.api.nvim_win_get_cursor(self.win)[1]
      paint.runs(self.buf, self.win, self.lines, row)
    end
  end, {})
end

--- Opens the window of a proposal.
--- @param params acp.DiffParams
--- @return acp.Proposal? proposal nil where no window can be had
function M.open(params)
  local path = params.files[1].path
  local buf = vim.api.nvim_create_buf(false, true)
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.modifiable, bo.undofile = 'acwrite', 'wipe', false, false
  local name = ('acp://proposal/%d/%s'):format(buf, vim.fs.basename(path))
  if not pcall(vim.api.nvim_buf_set_name, buf, name) then
    vim.api.nvim_buf_set_name(buf, ('acp://proposal/%d'):format(buf))
  end
  vim.b[buf].acp_session = params.session
  local place = windows.open(buf, path)
  if not place then
    vim.api.nvim_buf_delete(buf, { force = true })
    return nil
  end
  local proposal = setmetatable({
    kind = 'inline',
    session = params.session,
    block = params.block,
    files = params.files,
    index = 1,
    buf = buf,
    win = place.win,
    place = place,
    lines = { lines = {}, runs = {}, hunks = {} },
    added = 0,
    removed = 0,
    changed = false,
    timer = assert(vim.uv.new_timer()),
    group = vim.api.nvim_create_augroup(('acp.diff.%d'):format(buf), {}),
  }, Proposal)
  bar.attach(proposal)
  watch(proposal)
  return proposal
end

return M
