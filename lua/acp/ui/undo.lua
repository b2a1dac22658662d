--- Takes a turn back, or takes that back: what it will do is shown, and asked once.
local api = vim.api
local geometry = require('acp.ui.geometry')
local layout = require('acp.ui.layout')
local send = require('acp.ui.review_send')

local M = {}

--- Rows at the end of the screen on which Neovim's own `vim.ui.select` asks, and those of the float's border.
local ASKED_ROWS, BORDER_ROWS = 4, 2

--- Columns beside the text: the border, a blank at each side, and as much of the code.
local MARGIN = 8

--- What will be done, as far as it fits on the screen: who answers can't scroll.
--- @param steps string[]
--- @param rows integer
--- @return string[]
local function fitting(steps, rows)
  if #steps <= rows then
    return steps
  end
  local lines = vim.list_slice(steps, 1, rows - 1)
  table.insert(lines, ('… and %d more'):format(#steps - #lines))
  return lines
end

--- @param text string
--- @param columns integer
--- @return string
local function cut(text, columns)
  text = text:gsub('%c', ' ')
  local shown = vim.fn.strcharpart(text, 0, columns) -- no character has less than a column
  while api.nvim_strwidth(shown) > columns do
    shown = vim.fn.strcharpart(shown, 0, vim.fn.strcharlen(shown) - 1)
  end
  return shown == text and text
    or vim.fn.strcharpart(shown, 0, vim.fn.strcharlen(shown) - 1) .. '…'
end

--- @param title string
--- @param steps string[]
--- @return integer win
local function float(title, steps)
  local room = math.max(2, geometry.screen_rows() - ASKED_ROWS - BORDER_ROWS)
  local columns = math.max(1, vim.o.columns - MARGIN)
  title = cut(title, columns)
  local width = api.nvim_strwidth(title)
  local lines = vim.tbl_map(function(step)
    local line = cut(step, columns)
    width = math.max(width, api.nvim_strwidth(line))
    return ' ' .. line
  end, fitting(steps, room))
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = true -- whatever the default is
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  return layout.float(buf, {
    width = width + 2,
    height = #lines,
    row = math.floor((room - #lines) / 2),
    title = (' %s '):format(title),
    enter = false,
    focusable = false,
  })
end

--- @param params { of: acp.ReviewOf, redo: boolean, plan: acp.UndoPlan }
local function ask(params)
  local plan = params.plan
  local verb = params.redo and 'Bring back' or 'Take back'
  local win = float(('%s: %s'):format(verb, plan.title), plan.steps)
  vim.cmd.redraw() -- the default select draws nothing but itself
  local yes = params.redo and 'Bring it back' or 'Take it back'
  require('acp.ui.choose').one({ yes, 'Leave it' }, {
    prompt = ('%s %d file change%s?'):format(verb, #plan.steps, #plan.steps == 1 and '' or 's'),
    kind = 'acp.undo',
  }, function(choice)
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
    if choice == yes then
      send.send('review.undo', params.of, { redo = params.redo, confirmed = plan.id })
    end
  end)
end

--- Asks whether it shall be done. Only then it is.
--- @param params { of: acp.ReviewOf, redo: boolean, plan: acp.UndoPlan }
function M.ask(params)
  vim.schedule(function() -- the call of the sidecar does not wait for the answer
    ask(params)
  end)
end

--- Asks for what would be done.
--- @param opts? { redo?: boolean }
function M.start(opts)
  send.send('review.undo', send.of(), { redo = opts ~= nil and opts.redo == true })
end

return M
