--- The frame of the diff float: its title, its footer, its size and place.
local M = {}

local MIN_WIDTH, MAX_WIDTH = 60, 120

--- @param float acp.DiffView
--- @return table? question `Question` of `src/nvim/question.ts`, while it is open
function M.question_of(float)
  return require('acp.ui.diff').question_of(float)
end

--- In short, where there's no room for the reason.
M.LOCKED = 'can’t be edited'

--- Why a proposal can't be changed by hand, for who would always do it.
--- @param view acp.DiffView
--- @return string?
function M.locked(view)
  local question = M.question_of(view)
  local wanted = require('acp.config').get().diff.edit and not view.edits
  if not question or not wanted then
    return nil
  elseif question.editable == true then
    return #view.files > 1 and 'several files can’t be changed by hand' or nil
  end
  return (tostring(question.editable or M.LOCKED):gsub('%c', ' '))
end

--- @param float acp.DiffFloat
--- @return [string, string][]
local function title_of(float)
  local file = float.files[float.index]
  local facts = {}
  if file.status ~= 'modified' then
    table.insert(facts, file.status)
  end
  local inline = M.question_of(float) and require('acp.config').get().diff.view == 'inline'
  local why = require('acp.ui.diff').not_inline(file)
  if why and (inline or file.fragment) then
    table.insert(facts, inline and why .. ', so not inline' or why)
  end
  if #float.lines.hunks > 0 then
    local row = vim.api.nvim_win_get_cursor(float.win)[1]
    local hunk = require('acp.ui.diff_hunks').at(float.lines.hunks, row)
    table.insert(facts, ('hunk %d of %d'):format(hunk, #float.lines.hunks))
  end
  table.insert(facts, ('+%d −%d'):format(file.added, file.removed))
  if #float.files > 1 then
    table.insert(facts, ('file %d of %d'):format(float.index, #float.files))
  end
  local tail = ' ' .. table.concat(facts, ' · ') .. ' '
  local room = vim.api.nvim_win_get_width(float.win) - vim.fn.strdisplaywidth(tail) - 2
  local name = file.name
  local cells = vim.fn.strdisplaywidth(name)
  if cells > math.max(room, 8) then
    name = '…' .. vim.fn.strcharpart(name, vim.fn.strchars(name) - math.max(room, 8) + 1)
    cells = vim.fn.strdisplaywidth(name)
  end
  return {
    { ' ' .. name .. ' ', 'AcpToolPath' },
    { ('─'):rep(math.max(room - cells, 0)), 'FloatBorder' },
    { tail, 'AcpToolFact' },
  }
end

--- Whether `:w` answers a question.
--- @param question table
--- @return boolean
function M.writes(question)
  return #vim.tbl_filter(function(option)
    return option.kind == 'allow_once'
  end, question.options) == 1
end

--- The keys, as far as there's room.
--- @param float acp.DiffFloat
--- @return [string, string][]
local function footer_of(float)
  local keys = require('acp.ui.keys')
  local question = M.question_of(float)
  local room = vim.api.nvim_win_get_width(float.win)
  local footer = {}
  for _, hint in ipairs({
    { '<CR>', 'answer', question ~= nil },
    { ':w', 'allow', question ~= nil and M.writes(question) },
    { keys.of('diff', 'close'), question and 'later' or 'close', true },
    { keys.of('diff', 'next_hunk'), 'next hunk', #float.lines.hunks > 1 },
    { keys.of('diff', 'next_file'), 'next file', #float.files > 1 },
    { keys.of('diff', 'edit'), 'edit', question ~= nil and question.editable == true },
  }) do
    local key, label, offered = hint[1], hint[2], hint[3]
    local cells = key and vim.fn.strdisplaywidth(key .. label) + 3
    if offered and cells and cells <= room then
      room = room - cells
      table.insert(footer, { ' ' .. key, 'AcpOptionKey' })
      table.insert(footer, { ' ' .. label .. ' ', 'AcpToolFact' })
    end
  end
  local locked = M.locked(float)
  for _, why in ipairs(locked and { locked, M.LOCKED } or {}) do
    if vim.fn.strdisplaywidth(why) + 2 <= room then
      table.insert(footer, { ' ' .. why .. ' ', 'AcpQuestion' })
      break
    end
  end
  return footer
end

--- Words in the border have the background of the float: their colours are made for it, and not for the border's.
--- @param chunks [string, string][]
--- @return [string, string|string[]][]
local function on_float(chunks)
  return vim.tbl_map(function(chunk)
    return chunk[2] == 'FloatBorder' and chunk or { chunk[1], { 'NormalFloat', chunk[2] } }
  end, chunks)
end

--- Title and footer, in the border or, without one, in the winbar.
--- @param float acp.DiffFloat
function M.caption(float)
  local config = vim.api.nvim_win_get_config(float.win)
  if not config.border or config.border == 'none' then
    local function bar(chunks)
      return table.concat(vim.tbl_map(function(chunk)
        return ('%%#%s#%s'):format(chunk[2], (chunk[1]:gsub('─', ''):gsub('%%', '%%%%')))
      end, chunks))
    end
    local text = bar(title_of(float)) .. '%=' .. bar(footer_of(float))
    vim.api.nvim_set_option_value('winbar', text, { scope = 'local', win = float.win })
    return
  end
  vim.api.nvim_win_set_config(float.win, {
    title = on_float(title_of(float)),
    footer = on_float(footer_of(float)),
  })
end

--- Size and place for what the float holds now.
--- @param float acp.DiffFloat
function M.fit(float)
  local question = M.question_of(float)
  local room = require('acp.ui.diff_room').find(float.session, float.block, question)
  local widest = 0
  for i = 1, math.min(#float.lines.rows, 1000) do
    -- A string with NUL is no string to Vim's functions.
    local text = float.lines.rows[i].text:gsub('%z', ' ')
    widest = math.max(widest, vim.fn.strdisplaywidth(text))
  end
  widest = widest + require('acp.ui.diff_paint').column_width(float.buf)
  local width = math.max(math.min(widest + 1, MAX_WIDTH), MIN_WIDTH)
  width = math.max(math.min(width, room.columns - 4), 1)
  vim.api.nvim_win_set_width(float.win, width)

  local height = vim.api.nvim_win_text_height(float.win, {}).all
  vim.api.nvim_win_set_config(float.win, {
    relative = 'editor',
    row = room.row,
    col = room.col + math.max(math.floor((room.columns - width - 2) / 2), 0),
    width = width,
    height = math.max(math.min(height, room.rows - 2), 1),
  })
end

return M
