--- Previews of items for whoever draws `vim.ui.select`. There is one way in Neovim's own documentation since 0.12
--- (`preview_item`, a function that gives a buffer), which fzf-lua and mini.pick take in any version of Neovim, and
--- one of snacks' own. Those that know neither show none.
local message = require('acp.message')

local M = {}

--- Whether mini.pick shows the picker. Before it took buffers it took lines, and it takes them still.
--- @return boolean
local function in_mini_pick()
  local pick = _G.MiniPick
  return type(pick) == 'table' and pick.is_picker_active ~= nil and pick.is_picker_active()
end

--- @class acp.Previews
--- @field opts table go into those of |vim.ui.select()|
--- @field text fun(lines: string[]): table what snacks looks for in the field `preview` of an item
--- @field dispose fun() takes the buffers away

--- @generic T
--- @param lines_of fun(item: T): string[] Markdown
--- @return acp.Previews
function M.new(lines_of)
  local buffers = {} --- @type table<any, integer>
  local function buffer_of(item)
    local buf = buffers[item]
    -- Who shows it may wipe it out.
    if not buf or not vim.api.nvim_buf_is_valid(buf) then
      buf = vim.api.nvim_create_buf(false, true)
      buffers[item] = buf
      vim.bo[buf].modifiable = true -- whatever the default is
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines_of(item))
      vim.bo[buf].modifiable = false
      message.guard(vim.api.nvim_set_option_value, 'filetype', 'markdown', { buf = buf })
    end
    return buf
  end
  return {
    opts = {
      preview_item = function(item)
        return in_mini_pick() and lines_of(item) or { buf = buffer_of(item), pos = { 1, 0 } }
      end,
      snacks = { preview = 'preview', layout = { preset = 'default' } },
    },
    text = function(lines)
      return { text = table.concat(lines, '\n'), ft = 'markdown', loc = false }
    end,
    dispose = function()
      for _, buf in pairs(buffers) do
        if vim.api.nvim_buf_is_valid(buf) then
          vim.api.nvim_buf_delete(buf, { force = true })
        end
      end
      buffers = {}
    end,
  }
end

return M
