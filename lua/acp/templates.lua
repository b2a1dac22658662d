--- Prompts by name, with placeholders for what goes along.
local context = require('acp.context')

local M = {}

--- Those that are there by default.
--- @type table<string, string>
M.builtin = {
  fix = 'Fix the cause of these problems, nothing else: {diagnostics}',
  explain = 'Explain what this does, how, and what it relies on: {selection}',
  review = 'Review these changes: {diff}. Look for bugs, missed cases and what could be simpler. Change nothing.',
  test = 'Write tests for this, in the way of the tests that are there: {selection}',
}

--- @return table<string, string>
local function all()
  return vim.tbl_extend('force', M.builtin, require('acp.config').get().templates)
end

--- @return string[]
function M.names()
  local names = vim.tbl_keys(all())
  table.sort(names)
  return names
end

--- What a placeholder becomes in the text: a mention, as it would be typed.
--- @param word string
--- @param attachment acp.Attachment
--- @param cwd string
--- @return string
local function label(word, attachment, cwd)
  local name = context.describe(attachment, cwd)
  return attachment.path and require('acp.complete.mentions').write(name) or '@' .. word
end

--- @class (exact) acp.Filling
--- @field here acp.Context
--- @field range? [integer, integer]

--- @type table<string, fun(filling: acp.Filling): acp.Attachment?, string?>
local placeholders = {
  selection = function(filling)
    local range = filling.range
    if range then
      return require('acp.context.selection').get(vim.api.nvim_get_current_buf(), range)
    end
    return context.get('selection', filling.here)
  end,
  file = function(filling)
    local attachment, reason = context.get('buffer', filling.here)
    if attachment and not attachment.path then
      return nil, 'this buffer has no file'
    end
    return attachment and { type = 'file', path = attachment.path }, reason
  end,
}
for _, word in ipairs({ 'diagnostics', 'buffer', 'quickfix', 'diff', 'symbol', 'terminal' }) do
  placeholders[word] = function(filling)
    return context.get(word, filling.here)
  end
end

--- Fills a template in.
--- @param name string
--- @param opts { text?: string, range?: [integer, integer] } what is said beside it; lines of the current buffer
--- @return { text: string, attachments: acp.Attachment[] }? filled
--- @return string? fault why not, and what there is
function M.fill(name, opts)
  local template = all()[name]
  if not template then
    local known = table.concat(M.names(), ', ')
    return nil, ('there is no template %q, but %s'):format(name, known)
  end
  local filling = { here = context.here(require('acp.chat').current()), range = opts.range }
  local attachments = {} --- @type acp.Attachment[]
  local fault --- @type string?
  local input = vim.trim(opts.text or '')
  local has_input = template:find('{input}', 1, true) ~= nil
  local text = template:gsub('{(%l+)}', function(word)
    if word == 'input' then
      return input
    elseif fault or not placeholders[word] then
      return nil
    end
    local attachment, reason = placeholders[word](filling)
    if not attachment then
      fault = reason
      return nil
    end
    require('acp.attach').merge(attachments, { attachment })
    return label(word, attachment, filling.here.cwd)
  end)
  if fault then
    return nil, ('template %s: %s'):format(name, fault)
  elseif not has_input and input ~= '' then
    text = ('%s\n\n%s'):format(text, input)
  end
  return { text = vim.trim(text), attachments = attachments }
end

return M
