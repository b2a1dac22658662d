--- Neovim's lock on text and windows, which it holds while it computes an expression: an `<expr>` mapping that waits
--- for a key, say. What comes from outside has to wait with it. See |textlock|.
local M = {}

--- @return boolean
function M.held()
  -- The lock is looked at first, the buffer second.
  local _, fault = pcall(vim.api.nvim_buf_set_lines, -1, 0, 0, false, {})
  return tostring(fault):find('E565', 1, true) ~= nil
end

return M
