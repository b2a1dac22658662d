--- `vim.ui.select`, whoever draws it: it may answer at once, late, twice or never, and it may throw.
local message = require('acp.message')

local M = {}

--- Lets the user choose.
--- @param items any[]
--- @param opts table see |vim.ui.select()|
--- @param on_choice fun(item?: any) is called once at most
function M.one(items, opts, on_choice)
  local done = false
  local function finish(item)
    if not done then
      done = true
      on_choice(item)
    end
  end
  local ok, fault = pcall(vim.ui.select, items, opts, finish)
  if ok then
    return
  end
  -- <C-c> in Neovim's own is an answer like <Esc>.
  if not tostring(fault):find('Keyboard interrupt', 1, true) then
    message.error(('vim.ui.select: %s'):format(fault))
  end
  finish(nil)
end

return M
