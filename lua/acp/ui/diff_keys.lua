--- Keys of what shows a change, in a float or in the window of the file.
local M = {}

local diff = require('acp.ui.diff')
local keys = require('acp.ui.keys')
local message = require('acp.message')

--- @param view acp.DiffView
--- @param by integer
local function go_file(view, by)
  if #view.files > 1 then
    view.index = (view.index - 1 + by) % #view.files + 1
    view:render()
  end
end

--- Opens the file in a window of the code.
--- @param view acp.DiffView
local function open_file(view)
  local path, line = view.files[view.index].path, view:line()
  diff.close(view.session)
  require('acp.ui.open').file({ path = path, line = line }, '/')
end

--- Why a proposal can't be changed by hand, in words; nil where it can.
--- @param view acp.DiffView
--- @return string?
function M.locked(view)
  local question = diff.question_of(view)
  if not question then
    return 'nothing is asked here'
  elseif question.editable ~= true then
    return question.editable
  end
end

--- @param view acp.DiffView
local function edit(view)
  local why = M.locked(view)
  if why then
    return message.warn(why)
  elseif view.edits then
    return message.info('this is yours to change · :w allows it')
  end
  diff.show({
    session = view.session,
    block = view.block,
    question = view.question,
    files = view.files,
    edit = true,
    line = view:line(),
  })
end

--- A key that begins to insert, in what isn't there to be changed.
--- @param view acp.DiffView
--- @param lhs string
--- @return string keys
local function insert(view, lhs)
  if view.edits then
    return lhs
  end
  local key = keys.of('diff', 'edit')
  local why = M.locked(view)
    or (key and key .. ' lets you change the proposal' or 'the proposal is shown, not edited')
  message.warn(why)
  return ''
end

--- Asks the question of a diff.
--- @param view acp.DiffView
local function ask(view)
  if diff.question_of(view) then
    require('acp.ui.permission').ask(view.session, view.question)
  end
end

--- Leaves a diff as it is. What was changed by hand has to be decided about first.
--- @param view acp.DiffView
local function leave(view)
  if view:text() then
    return message.warn('the proposal was changed: :w allows it so, :q! drops the change')
  end
  diff.leave(view)
end

--- @param view acp.DiffView
function M.map(view)
  -- Digits stay counts: nobody answers with `3j`.
  vim.keymap.set('n', '<CR>', function()
    ask(view)
  end, { buffer = view.buf, nowait = true, desc = 'acp: Answer the question.' })
  for _, lhs in ipairs({ 'i', 'I', 'a', 'A', 'o', 'O', 'R' }) do
    vim.keymap.set('n', lhs, function()
      return insert(view, lhs)
    end, { buffer = view.buf, nowait = true, expr = true, desc = 'acp: Change the proposal.' })
  end
  local function call(action, ...)
    local arguments = { ... }
    return {
      'n',
      function()
        action(view, unpack(arguments))
      end,
    }
  end
  keys.map('diff', view.buf, {
    next_hunk = call(view.go_hunk, 1),
    prev_hunk = call(view.go_hunk, -1),
    next_file = call(go_file, 1),
    prev_file = call(go_file, -1),
    open = call(open_file),
    edit = call(edit),
    close = call(leave),
    help = call(function()
      keys.help('diff')
    end),
  })
end

return M
