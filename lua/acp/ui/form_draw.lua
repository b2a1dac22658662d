--- What stands around the fields of a form: their names, what is wrong with them, and the keys.
local fields = require('acp.ui.form_fields')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.form')

--- Cells of a line of words.
local WIDTH = 72

--- @param question acp.Question
--- @return boolean
function M.can_accept(question)
  return vim.iter(question.options):any(function(option)
    return option.id == 'accept'
  end)
end

--- @param text? string
--- @return string[]
local function lines_of(text)
  return text and text ~= '' and vim.split(text, '\n') or {}
end

--- What is said before the fields: one line at least, so that there is room above the first.
--- @param form acp.Form
--- @return string[]
function M.head(form)
  local lines = lines_of(form.title)
  vim.list_extend(lines, lines_of(form.message))
  vim.list_extend(lines, lines_of(form.description))
  if #lines == 0 then
    lines[1] = #form.fields == 1 and 'One question:' or ('%d questions:'):format(#form.fields)
  end
  return lines
end

--- Words in lines that fit.
--- @param text string
--- @param width integer
--- @return string[]
local function wrapped(text, width)
  local lines = {} --- @type string[]
  for _, line in ipairs(lines_of(text)) do
    local row = ''
    for word in line:gmatch('%S+') do
      local longer = row == '' and word or row .. ' ' .. word
      if row ~= '' and vim.api.nvim_strwidth(longer) > width then
        lines[#lines + 1] = row
        longer = word
      end
      row = longer
    end
    lines[#lines + 1] = row
  end
  return lines
end

--- What stands above a field.
--- @param view acp.FormView
--- @param field acp.FormField
--- @return table[][]
local function above(view, field)
  local valid = vim.api.nvim_win_is_valid(view.win)
  local width = valid and vim.api.nvim_win_get_width(view.win) - 2 or WIDTH
  local name = { { field.title or field.name, 'AcpHeading' } }
  if field.required then
    table.insert(name, { ' (required)', 'AcpQuestion' })
  end
  local limits = fields.limits(field)
  if limits ~= '' then
    table.insert(name, { ' · ' .. limits, 'AcpToolFact' })
  end
  local fault = view.touched[field.name] and view.faults[field.name]
  if fault then
    table.insert(name, { '  ! ' .. fault, 'AcpNoticeError' })
  end
  local lines = { { { '' } }, name }
  for _, line in ipairs(wrapped(field.description or '', width)) do
    table.insert(lines, { { line, 'AcpToolFact' } })
  end
  return lines
end

--- Draws what stands around the fields.
--- @param view acp.FormView
function M.fields(view)
  vim.api.nvim_buf_clear_namespace(view.buf, ns, 0, -1)
  local last = vim.api.nvim_buf_line_count(view.buf) - 1
  local function put(row, opts)
    vim.api.nvim_buf_set_extmark(view.buf, ns, math.min(row, last), 0, opts)
  end
  for row = 0, view.starts[2] and view.starts[2] - 1 or last do
    put(row, { line_hl_group = 'AcpQuestion' })
  end
  for i, field in ipairs(view.question.form.fields) do
    local start = view.starts[i + 1]
    put(start, { virt_lines = above(view, field), virt_lines_above = true })
    for k, choice in ipairs(fields.choices(field) or {}) do
      if choice.about and start + k - 1 < (view.starts[i + 2] or last + 1) then
        put(start + k - 1, { virt_text = { { '  ' .. choice.about, 'AcpToolFact' } } })
      end
    end
    if not fields.choices(field) and not fields.is_fixed(field) then
      for row = start, (view.starts[i + 2] or last + 1) - 1 do
        local opts = { virt_text = { { '› ', 'AcpRule' } }, virt_text_pos = 'inline' }
        put(row, vim.tbl_extend('force', opts, { right_gravity = false }))
      end
    end
    if fields.is_fixed(field) then
      put(start, { line_hl_group = 'AcpUnknown' })
    end
  end
end

--- @param question acp.Question
--- @return string
local function footer(question)
  local function key(name, words)
    local lhs = keys.of('question', name)
    return lhs and ('%s %s'):format(lhs, words)
  end
  local shown = {
    M.can_accept(question) and key('accept', 'send') or 'can’t be filled in here',
    key('decline', 'decline'),
    key('cancel', 'cancel'),
    key('close', 'later'),
  }
  local words = vim.tbl_filter(function(it)
    return it
  end, shown)
  return (' %s '):format(table.concat(words, ' · '))
end

--- Rows that a form takes.
--- @param view acp.FormView
--- @param width integer
--- @return integer
local function rows_of(view, width)
  local rows = 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
    rows = rows + math.max(1, math.ceil(vim.api.nvim_strwidth(line) / width))
  end
  for _, field in ipairs(view.question.form.fields) do
    rows = rows + #above(view, field)
  end
  return rows
end

--- Opens the window of a form.
--- @param view acp.FormView
function M.open(view)
  local width = math.min(WIDTH + 4, vim.o.columns - 4)
  view.win = layout.float(view.buf, {
    width = width,
    height = math.min(rows_of(view, width), math.floor(vim.o.lines * 0.8)),
    title = (' %s '):format(view.title),
    footer = footer(view.question),
    footer_pos = 'right',
  })
  for option, value in pairs({ wrap = true, linebreak = true, breakindent = true }) do
    vim.api.nvim_set_option_value(option, value, { scope = 'local', win = view.win })
  end
  M.fields(view)
  local first = view.question.form.fields[1]
  if first and not view.at then
    M.to_field(view, first.name)
  end
end

--- Moves the cursor to a field.
--- @param view acp.FormView
--- @param name string
function M.to_field(view, name)
  for i, field in ipairs(view.question.form.fields) do
    if field.name == name and vim.api.nvim_win_is_valid(view.win) then
      vim.api.nvim_win_set_cursor(view.win, { view.starts[i + 1] + 1, 0 })
      return
    end
  end
end

--- Says that nobody asks any more.
--- @param view acp.FormView
function M.gone(view)
  if vim.api.nvim_win_is_valid(view.win) and vim.api.nvim_win_get_config(view.win).border then
    vim.api.nvim_win_set_config(view.win, {
      title = ' nobody asks this any more ',
      footer = ' :q closes ',
      footer_pos = 'right',
    })
  end
end

return M
