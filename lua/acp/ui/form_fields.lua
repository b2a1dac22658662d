--- The fields of a form as lines of text, and back: a text as it is, a choice for each line with a mark before it.
local keys = require('acp.ui.keys')

local M = {}

--- What stands before an answer that is none of the choices.
local OTHER = 'Other: '

--- What stands for a secret.
local SECRET = '••••••••'

--- @class acp.FormLine
--- @field value? string|boolean of a choice; nil for words of the user's own
--- @field text string
--- @field about? string

--- What can be chosen in a field.
--- @param field acp.FormField
--- @return acp.FormLine[]?
function M.choices(field)
  if field.type == 'boolean' then
    return { { value = true, text = 'yes' }, { value = false, text = 'no' } }
  elseif field.type ~= 'choice' and field.type ~= 'choices' then
    return nil
  end
  local stands = field.other and field.other.with
  local lines = {} --- @type acp.FormLine[]
  for _, choice in ipairs(field.choices) do
    -- The choice that means none of them is made by saying something else.
    if choice.value ~= stands then
      lines[#lines + 1] = { value = choice.value, text = choice.title, about = choice.description }
    end
  end
  if field.other then
    lines[#lines + 1] = { text = OTHER }
  end
  return lines
end

--- @param field acp.FormField
--- @param marked boolean
--- @return string
local function mark(field, marked)
  local fill = marked and 'x' or ' '
  return (field.type == 'choices' and '[%s] ' or '(%s) '):format(fill)
end

--- @param field acp.FormField
--- @param value any
--- @return boolean
local function is_default(field, value)
  if type(field.default) == 'table' then
    return vim.list_contains(field.default --[[@as string[] ]], value)
  end
  return value ~= nil and field.default == value
end

--- The lines that a field begins with.
--- @param field acp.FormField
--- @return string[]
function M.lines(field)
  local choices = M.choices(field)
  if choices then
    return vim.tbl_map(function(choice)
      return mark(field, is_default(field, choice.value)) .. choice.text
    end, choices)
  elseif field.type == 'unknown' then
    return { ('can’t be filled in here (%s)'):format(field.kind) }
  elseif field.secret then
    return { '' }
  end
  local text = field.default
  if type(text) == 'number' then
    text = ('%.15g'):format(text)
  end
  -- Control bytes would be no text.
  return vim.split(tostring(text or ''), '\n')
end

--- Whether its lines are not for typing.
--- @param field acp.FormField
--- @return boolean
function M.is_fixed(field)
  return field.type == 'unknown' or field.secret == true
end

--- What a secret looks like.
--- @param value? string
--- @return string[]
function M.secret_lines(value)
  return { value and value ~= '' and SECRET or '' }
end

--- @param line string
--- @return boolean? marked nil: it is no choice any more
--- @return string text
local function parse(line)
  local fill, text = line:match('^%s*[%(%[]([^%)%]]?)[%)%]]%s?(.*)$')
  if not fill then
    return nil, line
  end
  return vim.trim(fill) ~= '', text
end

--- @param line string
--- @return string? words of the user's own
local function own_words(line)
  local _, text = parse(line)
  return vim.startswith(text, vim.trim(OTHER)) and vim.trim(text:sub(#vim.trim(OTHER) + 1)) or nil
end

--- Whether a line takes an answer that is none of the choices, and what stands there.
--- @param field acp.FormField
--- @param line string
--- @return string?
function M.words(field, line)
  return field.other and own_words(line) or nil
end

--- What was filled in.
--- @param field acp.FormField
--- @param lines string[]
--- @param values table<string, any> gets it
function M.read(field, lines, values)
  local choices = M.choices(field)
  if field.type == 'unknown' or field.secret then
    return
  elseif not choices then
    local text = table.concat(lines, '\n')
    values[field.name] = (field.type == 'text' and not field.format) and text or vim.trim(text)
    return
  end
  local known = {} --- @type table<string, acp.FormLine>
  for _, choice in ipairs(choices) do
    known[choice.text] = choice
  end
  local chosen = {} --- @type any[]
  for _, line in ipairs(lines) do
    local marked, text = parse(line)
    local words = M.words(field, line)
    local choice = known[text] or known[vim.trim(text)]
    if words and words ~= '' and marked and field.other then
      values[field.other.name] = words
    elseif choice and choice.value ~= nil then
      if marked then
        chosen[#chosen + 1] = choice.value
      end
    elseif not words and vim.trim(text) ~= '' and marked ~= false then
      chosen[#chosen + 1] = text -- what was made of a choice by hand: the sidecar says that it is none
    end
  end
  if field.type == 'choices' then
    values[field.name] = chosen
  elseif #chosen > 1 then
    values[field.name] = vim.tbl_map(tostring, chosen)
  else
    values[field.name] = chosen[1]
  end
end

--- Marks a line of a field, or no longer; where there is room for one choice, it takes the place of the others.
--- @param field acp.FormField
--- @param lines string[]
--- @param at integer
--- @param marked? boolean the other than now
--- @return string[]?
function M.toggle(field, lines, at, marked)
  local was, text = parse(lines[at] or '')
  if was == nil then
    return nil
  end
  marked = vim.F.if_nil(marked, not was)
  local changed = vim.list_slice(lines)
  for i, line in ipairs(lines) do
    local present, rest = parse(line)
    if i ~= at and present and field.type ~= 'choices' and marked then
      changed[i] = mark(field, false) .. rest
    end
  end
  changed[at] = mark(field, marked) .. text
  return changed
end

--- Limits of a field, in words.
--- @param field acp.FormField
--- @return string
function M.limits(field)
  local words = {} --- @type string[]
  local function range(low, high, unit)
    if low and high then
      words[#words + 1] = ('%s to %s%s'):format(low, high, unit)
    elseif low then
      words[#words + 1] = ('at least %s%s'):format(low, unit)
    elseif high then
      words[#words + 1] = ('at most %s%s'):format(high, unit)
    end
  end
  if field.type == 'integer' then
    words[1] = 'whole number'
  elseif field.type == 'number' then
    words[1] = 'number'
  elseif field.type == 'choices' then
    words[1] = 'any of these'
  elseif field.format then
    words[1] = field.format == 'uri' and 'address' or field.format
  end
  local function shown(value)
    return value and ('%.15g'):format(value)
  end
  range(shown(field.minimum), shown(field.maximum), '')
  range(shown(field.minLength), shown(field.maxLength), ' characters')
  range(shown(field.minItems), shown(field.maxItems), '')
  if field.pattern then
    words[#words + 1] = 'matches ' .. field.pattern:gsub('%c', ' ')
  end
  if field.secret then
    words[#words + 1] = ('secret: %s asks for it'):format(keys.of('question', 'choose') or 'no key')
  end
  return table.concat(words, ', ')
end

return M
