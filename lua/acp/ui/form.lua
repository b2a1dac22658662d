--- Forms that an agent wants to be filled in: a buffer that is edited like text, with what is asked above each field.
---
--- The sidecar says what is wrong with them. What was typed stays until the form is sent or nobody asks any more; the
--- question stays open when its window is closed.
local draw = require('acp.ui.form_draw')
local edit = require('acp.ui.form_edit')
local fields = require('acp.ui.form_fields')
local keys = require('acp.ui.keys')
local message = require('acp.message')
local parts = require('acp.ui.form_parts')
local rpc = require('acp.rpc')

local M = {}

--- @class acp.FormView
--- @field session string
--- @field question acp.Question
--- @field title string
--- @field buf integer
--- @field win integer
--- @field head string[] lines before the first field
--- @field starts integer[] where each part starts: the head, then the fields
--- @field secrets table<string, string>
--- @field touched table<string, true> fields that were left once
--- @field faults table<string, string>
--- @field at? integer the part in which the cursor was, or something was changed
--- @field sent boolean
--- @field on_close? fun()

local views = {} --- @type table<string, acp.FormView> by session and question

--- @param session string
--- @param id string
--- @return string
local function key_of(session, id)
  return session .. '\0' .. id
end

--- @param view acp.FormView
local function check(view)
  rpc.notify('form.check', {
    session = view.session,
    question = view.question.id,
    values = edit.values(view),
  })
end

--- A field was left for another: from now on it is said what is wrong with it.
--- @param view acp.FormView
local function moved(view)
  if not vim.api.nvim_win_is_valid(view.win) then
    return
  end
  local _, part = edit.here(view)
  local left = view.at and view.at ~= part and view.question.form.fields[view.at - 1]
  view.at = part
  if left then
    view.touched[left.name] = true
    check(view)
  end
end

--- @param view acp.FormView
local function send(view)
  if not draw.can_accept(view.question) then
    return message.warn('it can’t be filled in here: decline it, or cancel it')
  end
  view.sent = true
  vim.bo[view.buf].modified = false
  require('acp.ui.typing').answered()
  rpc.notify('question.answer', {
    session = view.session,
    question = view.question.id,
    option = 'accept',
    values = edit.values(view),
  })
end

--- @param view acp.FormView
--- @param option 'decline'|'cancel'
local function refuse(view, option)
  view.sent = true
  local ok, fault = require('acp.ui.permission').answer(view.session, view.question.id, option)
  if not ok then
    message.warn(fault --[[@as string]])
  end
end

--- @param view acp.FormView
local function close_window(view)
  if vim.api.nvim_win_is_valid(view.win) then
    vim.cmd.stopinsert()
    message.guard(vim.api.nvim_win_close, view.win, true)
  end
end

--- The window is gone.
--- @param view acp.FormView
local function left(view)
  view.win = -1
  local on_close = view.on_close
  view.on_close = nil
  if on_close then
    vim.schedule(on_close)
  end
end

--- @param view acp.FormView
local function map(view)
  local function of(action, ...)
    local args = { ... }
    return function()
      action(view, unpack(args))
    end
  end
  keys.map('question', view.buf, {
    accept = { { 'n', 'i' }, of(send) },
    choose = { 'n', of(edit.choose) },
    decline = { 'n', of(refuse, 'decline') },
    cancel = { 'n', of(refuse, 'cancel') },
    close = { 'n', of(close_window) },
    help = {
      'n',
      function()
        keys.help('question')
      end,
    },
  })
end

--- @param view acp.FormView
local function watch(view)
  local function on(events, desc, callback)
    vim.api.nvim_create_autocmd(events, {
      buffer = view.buf,
      desc = 'acp: ' .. desc,
      callback = callback,
    })
  end
  on('BufWriteCmd', 'to write a form is to send it', function()
    send(view)
  end)
  on({ 'TextChanged', 'TextChangedI' }, 'fields of a form', function()
    edit.mend(view)
  end)
  on({ 'CursorMoved', 'CursorMovedI' }, 'a field is checked when it is left', function()
    moved(view)
  end)
  on('BufWinLeave', 'a form was closed, and its question is open still', function()
    left(view)
  end)
  on('BufWipeout', 'a form is gone', function()
    views[key_of(view.session, view.question.id)] = nil
  end)
end

--- @param entry acp.OpenQuestion
--- @param title string
--- @return acp.FormView
local function create(entry, title)
  local question = entry.question --- @type acp.Question
  local buf = vim.api.nvim_create_buf(false, false)
  for option, value in pairs({ buftype = 'acwrite', bufhidden = 'hide', swapfile = false }) do
    vim.bo[buf][option] = value
  end
  local name = ('acp://%s/form/%s'):format(entry.session, question.id)
  if not pcall(vim.api.nvim_buf_set_name, buf, name) then
    pcall(vim.api.nvim_buf_set_name, buf, ('%s/%d'):format(name, buf))
  end
  local view = {
    session = entry.session,
    question = question,
    title = title,
    buf = buf,
    win = -1,
    head = draw.head(question.form --[[@as acp.Form]]),
    starts = { 0 },
    secrets = {},
    touched = {},
    faults = {},
    sent = false,
  } --- @type acp.FormView
  local lines = vim.list_slice(view.head)
  for i, field in ipairs(question.form.fields) do
    view.starts[i + 1] = #lines
    vim.list_extend(lines, fields.lines(field))
  end
  vim.bo[buf].undolevels = -1 -- what is there at first is no step that can be undone
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = vim.go.undolevels
  vim.bo[buf].modified = false
  parts.follow(buf, view)
  map(view)
  watch(view)
  views[key_of(entry.session, question.id)] = view
  return view
end

--- Asks a form: one of a single choice from a list, others in a window.
--- @param entry acp.OpenQuestion
--- @param opts { title: string, short: string, on_close: fun() } title: the question; short: only who asks
function M.open(entry, opts)
  local choice = require('acp.ui.form_choice')
  if choice.fits(entry.question) then
    return choice.ask(entry, opts)
  end
  local view = views[key_of(entry.session, entry.question.id)] or create(entry, opts.short)
  if vim.api.nvim_win_is_valid(view.win) then
    return message.guard(vim.api.nvim_set_current_win, view.win)
  end
  vim.cmd.stopinsert()
  view.title, view.on_close = opts.short, opts.on_close
  draw.open(view)
end

--- What is wrong with a form that is being filled in.
--- @param params { session: string, question: string, sent: boolean, faults: { field: string, words: string }[] }
function M.faults(params)
  local view = views[key_of(params.session, params.question)]
  local first = params.faults[1]
  if not view then
    return params.sent and first and message.warn('not sent: ' .. first.words) or nil
  end
  view.faults = {}
  for _, fault in ipairs(params.faults) do
    view.faults[fault.field] = fault.words
    view.touched[fault.field] = params.sent or view.touched[fault.field]
  end
  if params.sent then
    view.sent = false
    vim.bo[view.buf].modified = true
    if first then
      draw.to_field(view, first.field)
      local field = vim.iter(view.question.form.fields):find(function(it)
        return it.name == first.field
      end)
      local text = require('acp.ui.permission_text')
      message.warn(
        text.fit(('not sent: %s'):format(field.title or field.name), ': ' .. first.words)
      )
    end
  end
  draw.fields(view)
end

--- Nobody asks any more. What was typed and not sent stays to be read.
--- @param session string
--- @param id string
function M.closed(session, id)
  local view = views[key_of(session, id)]
  if not view then
    return
  elseif view.sent or not vim.bo[view.buf].modified then
    close_window(view)
    return vim.api.nvim_buf_delete(view.buf, { force = true })
  end
  vim.bo[view.buf].buflisted = true
  draw.gone(view)
  message.warn(
    'nobody asks any more: what you typed is kept in ' .. vim.api.nvim_buf_get_name(view.buf)
  )
end

return M
