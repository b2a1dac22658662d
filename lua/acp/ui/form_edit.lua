--- What is done to the text of a form: it is read, kept in order, and chosen from.
local draw = require('acp.ui.form_draw')
local fields = require('acp.ui.form_fields')
local parts = require('acp.ui.form_parts')

local M = {}

--- What was filled in.
--- @param view acp.FormView
--- @return table<string, any>
function M.values(view)
  local values = vim.empty_dict()
  for i, field in ipairs(view.question.form.fields) do
    fields.read(field, parts.lines(view.buf, view.starts, i + 1), values)
  end
  for name, value in pairs(view.secrets) do
    values[name] = value
  end
  return values
end

--- The field under the cursor.
--- @param view acp.FormView
--- @return acp.FormField? field
--- @return integer part
--- @return integer line of it, 1-based
function M.here(view)
  local row = vim.api.nvim_win_get_cursor(view.win)[1] - 1
  local part = parts.at(view.starts, row)
  return view.question.form.fields[part - 1], part, row - view.starts[part] + 1
end

--- Puts right what no edit may change, and marks what is typed beside the choices.
--- @param view acp.FormView
function M.mend(view)
  pcall(vim.cmd.undojoin)
  parts.mend(view.buf, view)
  local function keep(i, lines)
    if not vim.deep_equal(parts.lines(view.buf, view.starts, i), lines) then
      parts.write(view.buf, view, i, lines)
    end
  end
  keep(1, view.head)
  for i, field in ipairs(view.question.form.fields) do
    if field.secret then
      keep(i + 1, fields.secret_lines(view.secrets[field.name]))
    elseif fields.is_fixed(field) then
      keep(i + 1, fields.lines(field))
    end
  end
  if vim.api.nvim_win_is_valid(view.win) then
    local field, part, line = M.here(view)
    local lines = parts.lines(view.buf, view.starts, part)
    local words = field and fields.words(field, lines[line])
    local marked = field and words and words ~= '' and fields.toggle(field, lines, line, true)
    if marked and not vim.deep_equal(marked, lines) then
      parts.write(view.buf, view, part, marked)
    end
  end
  draw.fields(view)
end

--- @param view acp.FormView
--- @param field acp.FormField
local function ask_secret(view, field)
  local asked = (field.title or field.name) .. ': '
  local ok, secret = pcall(vim.fn.inputsecret, asked)
  if ok and secret ~= '' then
    view.secrets[field.name] = secret
    vim.bo[view.buf].modified = true
    M.mend(view)
  end
end

--- Chooses what stands in the line, or no longer; asks for a secret.
--- @param view acp.FormView
function M.choose(view)
  local field, part, line = M.here(view)
  local lines = parts.lines(view.buf, view.starts, part)
  local toggled = field and fields.toggle(field, lines, line)
  if field and field.secret then
    ask_secret(view, field)
  elseif toggled and field and fields.words(field, lines[line]) == '' then
    vim.cmd.startinsert({ bang = true }) -- what is typed there is marked by itself
  elseif toggled then
    parts.write(view.buf, view, part, toggled)
    draw.fields(view)
  else
    vim.cmd.normal({ '+', bang = true })
  end
end

return M
