--- Forms of a single choice, asked through `vim.ui.select`.
local fields = require('acp.ui.form_fields')
local message = require('acp.message')
local rpc = require('acp.rpc')
local text = require('acp.ui.permission_text')

local M = {}

--- @class acp.FormItem
--- @field label string
--- @field value? string|boolean
--- @field other? boolean
--- @field option? 'decline'|'cancel'

--- Whether a form is one choice.
--- @param question acp.Question
--- @return boolean
function M.fits(question)
  local field = question.form.fields[1]
  return #question.form.fields == 1 and (field.type == 'choice' or field.type == 'boolean')
end

--- @param field acp.FormField
--- @return acp.FormItem[]
local function items_of(field)
  local items = {} --- @type acp.FormItem[]
  for _, choice in ipairs(fields.choices(field) or {}) do
    local about = choice.about and (' — ' .. choice.about) or ''
    local preset = choice.value ~= nil and choice.value == field.default
    local label = choice.value == nil and 'Other…'
      or choice.text .. about .. (preset and ' (default)' or '')
    items[#items + 1] = { label = label, value = choice.value, other = choice.value == nil }
  end
  table.insert(items, { label = 'Decline to answer', option = 'decline' })
  table.insert(items, { label = 'Cancel', option = 'cancel' })
  return items
end

--- What is asked, in one line.
--- @param question acp.Question
--- @param title string
--- @return string
local function prompt_of(question, title)
  local field = question.form.fields[1]
  local parts = { title }
  for _, words in ipairs({ field.title or '', field.description or '' }) do
    words = vim.trim((words:gsub('%s*\n%s*', ' ')))
    if words ~= '' and not title:find(words, 1, true) then
      table.insert(parts, words)
    end
  end
  return table.concat(parts, ' · ')
end

--- @param field acp.FormField
--- @param on_words fun(words?: string)
local function ask_words(field, on_words)
  local prompt = (field.title or 'Other') .. ': '
  if field.other.secret then
    local ok, words = pcall(vim.fn.inputsecret, prompt)
    return on_words(ok and words or nil)
  end
  vim.ui.input({ prompt = prompt }, on_words)
end

--- Asks it. Where nothing is chosen, it stays open.
--- @param entry acp.OpenQuestion
--- @param opts { title: string, on_close: fun() }
function M.ask(entry, opts)
  local question = entry.question --- @type acp.Question
  local field = question.form.fields[1]
  local function give(values)
    require('acp.ui.typing').answered()
    if not require('acp.ui.permission').find(entry.session, question.id) then
      return message.info(text.fit(text.title(question), ' is no longer open'))
    end
    rpc.notify('question.answer', {
      session = entry.session,
      question = question.id,
      option = 'accept',
      values = values,
    })
  end
  --- @param item? acp.FormItem
  local function chosen(item)
    if item and item.option then
      local ok, fault = require('acp.ui.permission').answer(entry.session, question.id, item.option)
      if not ok then
        message.warn(fault --[[@as string]])
      end
    elseif item and item.other then
      return ask_words(field, function(words)
        if words and vim.trim(words) ~= '' then
          give({ [field.other.name] = words })
        end
        opts.on_close()
      end)
    elseif item then
      give({ [field.name] = item.value })
    end
    opts.on_close()
  end
  vim.cmd.redraw()
  require('acp.ui.choose').one(items_of(field), {
    prompt = prompt_of(question, opts.title) .. ':',
    kind = 'acp.question',
    format_item = function(item)
      return item.label
    end,
  }, chosen)
end

return M
