--- `vim.ui.select`, whoever draws it: it may answer at once, late, twice or never, and it may throw.
local message = require('acp.message')

local M = {}

local answering = false -- what was chosen from a list that was on the screen is being done

--- Begins to insert at the end of the line. Behind a list of Neovim's own |:startinsert| would let it stand still for a
--- second, so that the list can be read.
function M.insert()
  if answering and vim.api.nvim_get_mode().mode == 'n' then
    vim.api.nvim_feedkeys('A', 'ni', false)
  else
    vim.cmd.startinsert({ bang = true })
  end
end

--- Lets the user choose.
--- @param items any[]
--- @param opts table see |vim.ui.select()|
--- @param on_choice fun(item?: any) is called once at most
function M.one(items, opts, on_choice)
  local done, asking = false, true
  local function finish(item)
    if done then
      return
    end
    done = true
    if asking then
      -- Neovim's own leaves its list on the screen, and a message below it would wait for a key.
      vim.cmd.redraw()
      answering = true
      vim.schedule(function()
        answering = false
      end)
    end
    on_choice(item)
  end
  local ok, fault = pcall(vim.ui.select, items, opts, finish)
  asking = false
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
