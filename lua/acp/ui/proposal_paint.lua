--- Paints a proposal in its buffer: what is added lies in colour, what is deleted stands between as virtual lines.
local M = {}

local compat = require('acp.compat')
local paint = require('acp.ui.diff_paint')
local wrap = require('acp.ui.wrap')

local ns = vim.api.nvim_create_namespace('acp.proposal')

--- Syntax lies above the backgrounds of lines and below the changed words.
local LINES, WORDS = 50, 150

--- Deleted lines of one run: nobody scrolls through more, and virtual lines can't be moved over.
local MAX_DELETED = 1000

--- Runs that are painted before Neovim has a look at its keyboard, and milliseconds between two such looks.
local SLICE, PAUSE_MS = 100, 5

local generations = {} --- @type table<integer, integer> of what is being painted, by buffer

--- @class acp.ProposalRoom
--- @field gutter string what stands before a deleted line
--- @field blank string the same for its further screen lines
--- @field columns integer for its text
--- @field tabstop integer

--- A deleted line as virtual lines. What reaches beyond the window is cut off by Neovim.
--- @param line { text: string, words?: [integer, integer][] }
--- @param room acp.ProposalRoom
--- @param into table[]
local function virtual(line, room, into)
  local text = line.text:gsub('%z', ' ')
  local fill = (' '):rep(room.columns)
  local word = line.words and #line.words > 0
  if word and not text:find('\t', 1, true) and #text < room.columns then
    local chunks, at = { { room.gutter, 'AcpDiffDelete' } }, 0
    for _, range in ipairs(line.words) do
      table.insert(chunks, { text:sub(at + 1, range[1]), 'AcpDiffDelete' })
      local changed = { 'AcpDiffDelete', 'AcpDiffDeleteWord' }
      table.insert(chunks, { text:sub(range[1] + 1, range[2]), changed })
      at = range[2]
    end
    table.insert(chunks, { text:sub(at + 1) .. fill, 'AcpDiffDelete' })
    into[#into + 1] = chunks
    return
  end
  for i, piece in ipairs(wrap.pieces(text, room.columns, room.tabstop)) do
    into[#into + 1] =
      { { (i == 1 and room.gutter or room.blank) .. piece .. fill, 'AcpDiffDelete' } }
  end
end

--- @param buf integer
--- @param count integer lines of the buffer
--- @param run acp.ProposalRun
--- @param room acp.ProposalRoom
local function paint_run(buf, count, run, room)
  if run.count > 0 then
    local group = run.gone and 'AcpDiffDelete' or 'AcpDiffAdd'
    vim.api.nvim_buf_set_extmark(buf, ns, run.row - 1, 0, {
      end_row = math.min(run.row - 1 + run.count, count),
      hl_group = group,
      hl_eol = true,
      priority = LINES,
      strict = false,
    })
    vim.api.nvim_buf_set_extmark(buf, ns, run.row - 1, 0, {
      end_row = math.min(run.row + run.count - 2, count - 1),
      sign_text = run.gone and '-' or '+',
      sign_hl_group = group,
    })
  end
  for _, word in ipairs(run.words) do
    vim.api.nvim_buf_set_extmark(buf, ns, word[1] - 1, word[2], {
      end_col = word[3],
      hl_group = 'AcpDiffAddWord',
      priority = WORDS,
      strict = false,
    })
  end
  if #run.deleted > 0 then
    local lines = {}
    for i = 1, math.min(#run.deleted, MAX_DELETED) do
      virtual(run.deleted[i], room, lines)
    end
    if #run.deleted > MAX_DELETED then
      local more = ('⋯ %d more deleted lines'):format(#run.deleted - MAX_DELETED)
      lines[#lines + 1] = { { room.gutter .. more, 'AcpDiffFold' } }
    end
    local behind = run.row > count
    vim.api.nvim_buf_set_extmark(buf, ns, behind and count - 1 or run.row - 1, 0, {
      virt_lines = lines,
      virt_lines_above = not behind,
      virt_lines_leftcol = true,
    })
  end
end

--- @param buf integer
--- @param win integer
--- @return acp.ProposalRoom
local function room_of(buf, win)
  local info = vim.fn.getwininfo(win)[1]
  return {
    gutter = '- ' .. (' '):rep(math.max(info.textoff - 2, 0)),
    blank = (' '):rep(math.max(info.textoff, 2)),
    columns = math.max(info.width - info.textoff, 20),
    tabstop = vim.bo[buf].tabstop,
  }
end

--- Paints what changes: at once what stands near a row, the rest in slices.
--- @param buf integer
--- @param win integer
--- @param proposal acp.ProposalLines
--- @param near integer
function M.runs(buf, win, proposal, near)
  local generation = (generations[buf] or 0) + 1
  generations[buf] = generation
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local room, runs = room_of(buf, win), proposal.runs
  local first = 1
  for i, run in ipairs(runs) do
    if run.row <= near then
      first = i
    end
  end
  first = math.max(1, math.min(first - SLICE / 2, #runs - SLICE + 1))
  -- From the row to the end, and then from the start.
  local done = 0
  local function go_on()
    if generations[buf] ~= generation or not vim.api.nvim_buf_is_valid(buf) then
      return
    end
    local count, budget = vim.api.nvim_buf_line_count(buf), SLICE
    while done < #runs and budget > 0 do
      local run = runs[(first - 1 + done) % #runs + 1]
      paint_run(buf, count, run, room)
      done = done + 1
      budget = budget - 1 - #run.deleted / 10
    end
    if done < #runs then
      vim.defer_fn(go_on, PAUSE_MS)
    end
  end
  go_on()
end

--- Syntax colours without a filetype: neither plugins nor language servers wake up.
--- @param buf integer
--- @param path string
--- @param lines string[]
function M.syntax(buf, path, lines)
  local filetype = paint.language(path, vim.list_slice(lines, 1, 50))
  local size = 0
  for _, line in ipairs(lines) do
    size = size + #line + 1
  end
  local parses = filetype and require('acp.ui.paint').parses(filetype)
  local lang = parses and vim.treesitter.language.get_lang(filetype) or filetype
  pcall(vim.treesitter.stop, buf)
  if parses and size <= compat.attach_limit() and pcall(vim.treesitter.start, buf, lang) then
    return
  end
  vim.bo[buf].syntax = filetype or ''
end

--- How many virtual lines stand above the first line.
--- @param buf integer
--- @return integer
function M.above(buf)
  local count = 0
  local marks = vim.api.nvim_buf_get_extmarks(buf, ns, 0, { 0, -1 }, { details = true })
  for _, mark in ipairs(marks) do
    if mark[4].virt_lines_above then
      count = count + #mark[4].virt_lines
    end
  end
  return count
end

--- Takes the paint of a proposal away.
--- @param buf integer
function M.clear(buf)
  M.forget(buf)
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

--- @param buf integer
function M.forget(buf)
  generations[buf] = nil
end

return M
