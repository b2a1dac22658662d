--- Commands and `<Plug>` maps. Nothing else is loaded before one of them is used.
if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = true

--- Name → attributes; what they do stands in `lua/acp/command.lua`.
local commands = {
  AcpChat = {
    desc = 'Open a chat with a coding agent, or send it a prompt',
    nargs = '*',
    bang = true,
    range = true,
    complete = true,
  },
  AcpHide = { desc = 'Hide the chat; the session lives on' },
  AcpMode = { desc = 'Set the mode of the session', nargs = '?', complete = true },
  AcpCancel = { desc = 'Cancel the running turn' },
  AcpPermission = { desc = 'Show the oldest open question' },
  AcpAllow = {
    desc = 'Allow what the agent asks for',
    nargs = '?',
    bang = true,
    complete = true,
  },
  AcpReject = { desc = 'Reject what the agent asks for', nargs = '*' },
  AcpReview = {
    desc = 'Review what the agent changed',
    nargs = '*',
    bang = true,
    complete = true,
  },
  AcpDiff = { desc = 'Show what the agent changed as a plain diff', nargs = '?', complete = true },
  AcpUndo = { desc = 'Take back a whole turn', bang = true },
  AcpFollow = { desc = 'Let this window go where the agent works' },
  AcpRestart = { desc = 'Start the agent of the chat anew' },
  AcpLog = { desc = 'Open the wire log of the agent' },
}

for name, attributes in pairs(commands) do
  local opts = vim.tbl_extend('force', { nargs = 0 }, attributes)
  if opts.complete then
    opts.complete = function(...)
      return require('acp.command').complete(name, ...)
    end
  end
  vim.api.nvim_create_user_command(name, function(args)
    require('acp.command').run(name, args)
  end, opts)
end

local function map(mode, name, rhs, desc)
  vim.keymap.set(mode, ('<Plug>(acp-%s)'):format(name), rhs, { desc = 'acp: ' .. desc })
end

map('n', 'chat', '<Cmd>AcpChat<CR>', 'open the chat')
map('x', 'chat', ':AcpChat<CR>', 'open the chat with the selected lines')
map('n', 'new', '<Cmd>AcpChat!<CR>', 'open a chat in a new session')
map('n', 'hide', '<Cmd>AcpHide<CR>', 'hide the chat')
map('n', 'mode', '<Cmd>AcpMode<CR>', 'choose the mode')
map('n', 'cancel', '<Cmd>AcpCancel<CR>', 'cancel the running turn')
map('n', 'permission', '<Cmd>AcpPermission<CR>', 'answer the oldest open question')
map('n', 'allow', '<Cmd>AcpAllow<CR>', 'allow what the agent asks for')
map('n', 'reject', '<Cmd>AcpReject<CR>', 'reject what the agent asks for')
map('n', 'review', '<Cmd>AcpReview<CR>', 'review what the agent changed')
map('n', 'undo', '<Cmd>AcpUndo<CR>', 'take back the last turn')
map('n', 'follow', '<Cmd>AcpFollow<CR>', 'let this window go where the agent works')

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = vim.api.nvim_create_augroup('acp.plugin', {}),
  desc = 'acp: a session file has no chats',
  callback = function()
    require('acp.ui.session_file').after()
  end,
})
