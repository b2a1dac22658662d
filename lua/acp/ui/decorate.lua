--- Marks, facts and links of a transcript's blocks: everything about them that is not text.
local compat = require('acp.compat')
local paint = require('acp.ui.paint')
local ticker = require('acp.ui.ticker')

local M = {}

local ns = vim.api.nvim_create_namespace('acp.transcript')

--- Takes away what rows of a block are decorated with.
--- @param transcript acp.Transcript
--- @param block acp.Block
--- @param first integer
--- @param last integer exclusive
function M.clear(transcript, block, first, last)
  if first == last then
    return
  end
  vim.api.nvim_buf_clear_namespace(transcript.buf, ns, first, last)
  paint.clear(transcript.buf, first, last)
  local relative = first - transcript:row(block)
  for i = #block.facts, 1, -1 do
    if block.facts[i].row < relative then
      break
    end
    block.facts[i] = nil
  end
  for id, row in pairs(block.spins) do
    if row >= relative then
      block.spins[id] = nil
    end
  end
end

--- Facts stand at the right edge where they fit, else behind the text, where the window's edge cuts them off.
--- @param transcript acp.Transcript
--- @param row integer
--- @param pieces [string, string][]
--- @return string virt_text_pos
local function position(transcript, row, pieces)
  local edge = compat.right_align()
  if edge ~= 'right_align' then
    return edge
  end
  local wins = vim.fn.win_findbuf(transcript.buf)
  local line = vim.api.nvim_buf_get_lines(transcript.buf, row, row + 1, false)[1] or ''
  local width = #line > 1000 and #line or vim.api.nvim_strwidth(line)
  for _, piece in ipairs(pieces) do
    width = width + vim.api.nvim_strwidth(piece[1])
  end
  for _, win in ipairs(wins) do
    if width + 2 > vim.api.nvim_win_get_width(win) then
      return 'eol'
    end
  end
  return edge
end

--- @param transcript acp.Transcript
--- @param block acp.Block
--- @param row integer of the block
--- @param fact table
local function put_fact(transcript, block, row, fact)
  local at = row + fact.row
  if fact.since then
    fact.right = { { ticker.elapsed(fact.since), 'AcpToolFact' } }
  end
  if fact.right then
    fact.mark = vim.api.nvim_buf_set_extmark(transcript.buf, ns, at, 0, {
      id = fact.mark,
      virt_text = fact.right,
      virt_text_pos = position(transcript, at, fact.right),
      hl_mode = 'combine',
      strict = false,
    })
  end
  if fact.spin then
    local opts = { virt_text = { { ticker.glyph(), 'AcpToolRunning' } }, virt_text_pos = 'overlay' }
    local id = vim.api.nvim_buf_set_extmark(transcript.buf, ns, at, fact.col or 0, opts)
    block.spins[id] = fact.row
    transcript.spinning[block] = true
  end
end

--- @param transcript acp.Transcript
--- @param block acp.Block
--- @param row integer of the block
--- @param decoration table `Decoration` in `ops.ts`
function M.add(transcript, block, row, decoration)
  local buf = transcript.buf
  local set = vim.api.nvim_buf_set_extmark
  local text = { strict = false } -- reused: there may be thousands
  for _, mark in ipairs(decoration.marks or {}) do
    if mark[3] == -1 then
      set(buf, ns, row + mark[1], 0, { line_hl_group = mark[4], strict = false })
    else
      text.end_col, text.hl_group = mark[3], mark[4]
      set(buf, ns, row + mark[1], mark[2], text)
    end
  end
  for _, fact in ipairs(decoration.facts or {}) do
    table.insert(block.facts, fact)
    put_fact(transcript, block, row, fact)
  end
  for _, link in ipairs(decoration.links or {}) do
    block.links[link.row] = link
  end
  for _, fence in ipairs(decoration.fences or {}) do
    table.insert(block.fences, fence)
    paint.fence(transcript, block, fence)
  end
end

--- Places facts anew after a change of the width; only for Neovims that can't do so by themselves.
--- @param transcript acp.Transcript
function M.realign(transcript)
  if compat.right_align() ~= 'right_align' then
    return
  end
  local block = transcript.first
  while block do
    if #block.facts > 0 and block.count > 0 then
      local row = transcript:row(block)
      for _, fact in ipairs(block.facts) do
        if fact.right then
          put_fact(transcript, block, row, { row = fact.row, right = fact.right, mark = fact.mark })
        end
      end
    end
    block = block.next
  end
end

--- Says how long it runs already.
--- @param transcript acp.Transcript
--- @param block acp.Block
local function run_clocks(transcript, block)
  for _, fact in ipairs(block.count > 0 and block.facts or {}) do
    if fact.since and fact.right[1][1] ~= ticker.elapsed(fact.since) then
      put_fact(transcript, block, transcript:row(block), {
        row = fact.row,
        since = fact.since,
        mark = fact.mark,
      })
      fact.right = { { ticker.elapsed(fact.since), 'AcpToolFact' } }
    end
  end
end

--- Turns the glyphs of what runs.
--- @param transcript acp.Transcript
--- @return boolean go_on
local function turn(transcript)
  local buf = transcript.buf
  local spinning = transcript.spinning
  if not vim.api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) == 0 then
    return false
  end
  local glyph = { { ticker.glyph(), 'AcpToolRunning' } }
  for block in pairs(spinning) do
    if not next(block.spins) then
      spinning[block] = nil
    end
    run_clocks(transcript, block)
    for id in pairs(block.spins) do
      local at = vim.api.nvim_buf_get_extmark_by_id(buf, ns, id, {})
      if at[1] then
        local opts = { id = id, virt_text = glyph, virt_text_pos = 'overlay' }
        vim.api.nvim_buf_set_extmark(buf, ns, at[1], at[2], opts)
      end
    end
  end
  return next(spinning) ~= nil
end

--- Lets glyphs turn while something runs and is visible.
--- @param transcript acp.Transcript
function M.animate(transcript)
  if next(transcript.spinning) then
    ticker.start(transcript, function()
      return turn(transcript)
    end)
  end
end

--- Stops the glyphs of a block for good.
--- @param transcript acp.Transcript
--- @param block acp.Block
function M.stop(transcript, block)
  for id in pairs(block.spins) do
    vim.api.nvim_buf_del_extmark(transcript.buf, ns, id)
  end
  block.spins = {}
end

return M
