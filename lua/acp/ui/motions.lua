--- Moving over blocks, and taking them: motions and text objects of the transcript.
local M = {}

--- The first row of a block that holds something.
--- @param transcript acp.Transcript
--- @param block acp.Block
--- @return integer row
local function head(transcript, block)
  local row = transcript:row(block)
  local lines =
    vim.api.nvim_buf_get_lines(transcript.buf, row, row + math.min(block.count, 3), false)
  for i, line in ipairs(lines) do
    if line:find('%S') then
      return row + i - 1
    end
  end
  return row
end

--- Goes to the start of another block.
--- @param transcript acp.Transcript
--- @param step 1|-1
--- @param count integer
function M.walk(transcript, step, count)
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block = transcript:block_at(here)
  local target --- @type integer?
  -- Back: the start of the present block comes first.
  if block and step < 0 and block.count > 0 and head(transcript, block) < here then
    target, count = head(transcript, block), count - 1
  end
  while block and count > 0 do
    block = step > 0 and block.next or block.prev
    if block and block.count > 0 then
      target, count = head(transcript, block), count - 1
    end
  end
  if target then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
  end
end

--- Selects the block under the cursor, linewise.
--- @param transcript acp.Transcript
--- @param inner boolean without the blank lines around it
function M.select(transcript, inner)
  local block = transcript:block_at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  if not block then
    return
  end
  local first, last = transcript:range(block.id)
  local lines = vim.api.nvim_buf_get_lines(transcript.buf, first, last, false)
  local from, to = 1, #lines
  while inner and from < to and not lines[from]:find('%S') do
    from = from + 1
  end
  while inner and to > from and not lines[to]:find('%S') do
    to = to - 1
  end
  vim.api.nvim_win_set_cursor(0, { first + from, 0 })
  vim.cmd(vim.fn.mode():find('^[vV\22]') and 'normal! \27V' or 'normal! V')
  vim.api.nvim_win_set_cursor(0, { first + to, 0 })
end

--- Code of the fence at the cursor, else of the one before it in the same block.
--- @param transcript acp.Transcript
--- @return string[]? lines
function M.code(transcript)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block = transcript:block_at(row)
  local start = block and transcript:row(block)
  local found --- @type acp.Fence?
  for _, fence in ipairs(block and block.fences or {}) do
    if not found or start + fence.first - 1 <= row then
      found = fence
    end
  end
  if not found then
    return nil
  end
  local lines =
    vim.api.nvim_buf_get_lines(transcript.buf, start + found.first, start + found.last + 1, false)
  return vim.tbl_map(function(line)
    return line:sub(found.indent + 1)
  end, lines)
end

--- Yanks that code into the register of the command.
--- @param transcript acp.Transcript
function M.yank_code(transcript)
  local lines = M.code(transcript)
  if not lines then
    return require('acp.message').info('no code here')
  end
  vim.fn.setreg(vim.v.register, lines, 'l')
  require('acp.message').info(
    ('%d line%s of code yanked'):format(#lines, #lines == 1 and '' or 's')
  )
end

return M
