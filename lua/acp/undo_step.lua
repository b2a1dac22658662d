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

--- @param keys string
local function type_first(keys)
  api.nvim_feedkeys(api.nvim_replace_termcodes(keys, true, false, true), 'in', false)
end

--- @return boolean
local function inserts()
  return api.nvim_get_mode().mode:match('^[iR]') ~= nil
end

--- Ends the step of who is inserting.
function M.split_insert()
  if inserts() then
    type_first('<C-g>u')
  end
end

--- The same for who is inserting in the buffer: what is typed from now on is undone apart from what was done.
--- @param buf integer
function M.finish(buf)
  if api.nvim_get_current_buf() == buf and inserts() then
    -- Insert mode may end before the next key: there, `u` would undo.
    type_first("<Cmd>lua require('acp.undo_step').split_insert()<CR>")
  end
end

return M
