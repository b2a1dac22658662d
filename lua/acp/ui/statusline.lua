--- The status lines of a chat's windows: a plain rule between conversation and prompt, and the chat's name below.
--- One status line for all windows ('laststatus' 3), and a 'statusline' of the user's own, stay as they are.
local panes = require('acp.ui.panes')

local M = {}

local RULE = '%#WinSeparator#%='

--- @param win integer
--- @param text string
local function set(win, text)
  if panes.valid(win) then
    vim.api.nvim_set_option_value('statusline', text, { scope = 'local', win = win })
  end
end

--- Sets those of a chat in a tab. Floats have borders.
--- @param pane acp.Pane
function M.fit(pane)
  if pane.position == 'float' then
    return
  end
  local each = vim.o.laststatus ~= 3
  local default = vim.api.nvim_get_option_info2('statusline', {}).default
  local name = pane.chat.agent.name:gsub('%%', '%%%%')
  set(pane.transcript, each and RULE or '')
  set(pane.prompt, each and vim.go.statusline == default and ' ' .. name or '')
end

vim.api.nvim_create_autocmd('OptionSet', {
  group = vim.api.nvim_create_augroup('acp.statusline', {}),
  pattern = { 'laststatus', 'statusline' },
  desc = "acp: status lines of chats follow 'laststatus'",
  callback = function(args)
    if args.match == 'laststatus' or vim.v.option_type == 'global' then
      vim.iter(panes.all()):each(M.fit)
    end
  end,
})

return M
