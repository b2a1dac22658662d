--- What the windows on a transcript show while it changes: those at its end follow it, the others stay.
local M = {}

--- Behind the end of any line; Neovim puts the cursor on its last character.
local LINE_END = 0x7fffffff

--- @class acp.follow.Place  a row, as it is known after the rows have moved
--- @field block acp.Block
--- @field offset integer

--- @class acp.follow.View
--- @field win integer
--- @field follows boolean
--- @field top? acp.follow.Place
--- @field cursor? acp.follow.Place

--- Where windows that follow stood when they were last looked at: one that still stands there has not been moved.
local stood = {} --- @type table<integer, integer> window → line

--- Whether the window is in use for something that is not to be dragged along: a selection, an operator that waits
--- for a motion, a pattern that is being typed.
--- @param win integer
--- @return boolean
local function held(win)
  if win ~= vim.api.nvim_get_current_win() then
    return false
  end
  local mode = vim.api.nvim_get_mode().mode
  return mode:find('^[vVsS\22\19]') ~= nil
    or mode:find('^no') ~= nil
    or (mode:find('^c') ~= nil and vim.fn.getcmdtype():find('[/?]') ~= nil)
end

--- @param win integer
--- @param last integer number of the last line
--- @return boolean
local function follows(win, last)
  local line = vim.api.nvim_win_get_cursor(win)[1]
  local at_end = line == last or line == stood[win]
  if held(win) then
    stood[win] = stood[win] or (at_end and line or nil)
    return false
  end
  stood[win] = at_end and line or nil
  return at_end or (win ~= vim.api.nvim_get_current_win() and vim.fn.line('w$', win) >= last)
end

--- @param transcript acp.Transcript
--- @param lnum integer
--- @return acp.follow.Place?
local function place(transcript, lnum)
  local block = transcript:block_at(lnum - 1)
  return block and { block = block, offset = lnum - 1 - transcript:row(block) }
end

--- @param transcript acp.Transcript
--- @param at? acp.follow.Place
--- @return integer? lnum nil when the block is gone
local function line_of(transcript, at)
  if at and transcript.blocks[at.block.id] == at.block and at.block.count > 0 then
    return transcript:row(at.block) + math.min(at.offset, at.block.count - 1) + 1
  end
end

--- Before a change.
--- @param transcript acp.Transcript
--- @return acp.follow.View[]
function M.save(transcript)
  local views = {} --- @type acp.follow.View[]
  local last = vim.api.nvim_buf_line_count(transcript.buf)
  for _, win in ipairs(vim.fn.win_findbuf(transcript.buf)) do
    if follows(win, last) then
      views[#views + 1] = { win = win, follows = true }
    else
      views[#views + 1] = {
        win = win,
        follows = false,
        top = place(transcript, vim.fn.line('w0', win)),
        cursor = place(transcript, vim.api.nvim_win_get_cursor(win)[1]),
      }
    end
  end
  return views
end

--- Shows the end.
--- @param win integer
function M.to_end(win)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win))
  vim.api.nvim_win_set_cursor(win, { last, LINE_END })
  stood[win] = last
end

--- A window has another size: where it follows, no row below the end stays empty while lines above are out of sight.
--- @param win integer
function M.fill(win)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win))
  local top = vim.fn.line('w0', win)
  if top == 1 or not follows(win, last) then
    return
  end
  local rows = vim.api.nvim_win_text_height(win, { start_row = top - 1 }).all
  if rows < vim.fn.getwininfo(win)[1].height then
    M.to_end(win)
    vim.api.nvim_win_call(win, function()
      vim.cmd('normal! zb')
    end)
  end
end

--- @param transcript acp.Transcript
--- @param view acp.follow.View
local function stay(transcript, view)
  local top = line_of(transcript, view.top)
  local cursor = line_of(transcript, view.cursor)
  local moved = top and top ~= vim.fn.line('w0', view.win)
    or cursor and cursor ~= vim.api.nvim_win_get_cursor(view.win)[1]
  if moved then
    vim.api.nvim_win_call(view.win, function()
      vim.fn.winrestview({ topline = top, lnum = cursor })
    end)
  end
end

--- After it.
--- @param transcript acp.Transcript
--- @param views acp.follow.View[]
function M.restore(transcript, views)
  for _, view in ipairs(views) do
    if vim.api.nvim_win_is_valid(view.win) then
      if view.follows then
        M.to_end(view.win)
      else
        stay(transcript, view)
      end
    end
  end
end

return M
