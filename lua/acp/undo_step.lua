--- Undo steps: what is done for others is undone apart from what the user did.
local M = {}

local api = vim.api

--- Ends the present step, so that what comes is a step of its own.
--- @param buf integer
function M.begin(buf)
  api.nvim_buf_call(buf, function()
    vim.cmd('noautocmd let &g:undolevels = &g:undolevels')
  end)
end

--- The same for who is inserting in the buffer: what is typed from now on is undone apart from what was done.
--- @param buf integer
function M.finish(buf)
  if api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:match('^[iR]') then
    api.nvim_feedkeys(api.nvim_replace_termcodes('<C-g>u', true, false, true), 'in', false)
  end
end

return M
